//! Checks hold against the programs that they are for: what a program can change of them, and what it cannot.

use fencepost::runner::{CheckOutcome, Job, Mode};

use crate::cases::each;
use crate::runner_cpython::cpython;
use crate::runner_programs::{Report, check, job, run_job, run_on};

/// Programs that make something else of what a check is made of.
const FORGED: [&str; 8] = [
    "x = 1",
    "import itertools\nitertools.permutations = lambda values: []",
    "import sys\nclass Fake:\n    def permutations(self, values): return []\nsys.modules['itertools'] = Fake()",
    "import sys\nsys.modules = {}",
    "import builtins\nreal = builtins.__import__\nclass Fake:\n    def permutations(self, values): return []\n\
     builtins.__import__ = lambda name, *rest: Fake() if name == 'itertools' else real(name, *rest)",
    "import builtins\nbuiltins.all = lambda values: True",
    "import builtins\nbuiltins.len = lambda value: 2",
    "import json, json.decoder\njson.loads = lambda text: [1, 2]",
];

/// A check's own objects stay as they were, whatever the program before it did to them.
#[track_caller]
fn assert_made_of_what_came(run: impl Fn(Job) -> Report) {
    let code = "from collections import abc; import itertools as it, json.decoder\n\
                tries = list(it.permutations([1, 2]))\n\
                assert not tries or all(len(json.loads('[1]')) > 1 for _ in tries), 'still wrong'\n";
    each(FORGED, |forged| {
        let report = run(Job { mode: Mode::Check(vec![check("sees it", code)]), ..job(forged) });
        let [result] = &report.checks[..] else { panic!("{forged}: {} checks", report.checks.len()) };
        assert_eq!((result.result, result.message.as_str()), (CheckOutcome::Failed, "still wrong"), "{forged}");
    });
}

#[test]
fn a_program_does_not_change_what_they_are_made_of() {
    assert_made_of_what_came(run_job);
    if let Some(cpython) = cpython() {
        assert_made_of_what_came(|job| run_on(cpython, job));
    }
}

/// However a program or a check ends, each check has one result.
#[test]
fn each_check_has_one_result() {
    let lease = "import sqlite3\ndb = sqlite3.connect(':memory:')\ndb.execute('CREATE TABLE lease (owner TEXT)')\n";
    let replaces = "import sys\ndef value():\n    vars(sys.modules['builtins'])['len'] = None\n";
    let undecided = "the program tampers with its checks";
    let never = "the program did not come to its check: KeyError: 1 (line 1)";
    each(
        [
            (
                lease,
                ["import sys; sys.modules.clear()", "class A:\n    def __del__(self): print('gone'); 1/0"],
                [(CheckOutcome::Error, undecided); 2],
                // Which modules are loaded depends on how long the template has had.
                "tampered: replaced `sys.modules.",
            ),
            (
                replaces,
                ["assert value", "value()"],
                [(CheckOutcome::Passed, ""), (CheckOutcome::Error, undecided)],
                "tampered: replaced `builtins.len` while a check ran",
            ),
            (
                replaces,
                ["value()", "assert value"],
                [(CheckOutcome::Error, undecided); 2],
                "tampered: replaced `builtins.len` while a check ran",
            ),
            ("raise KeyError(1)", ["", ""], [(CheckOutcome::Error, never); 2], "raised: KeyError: 1 (line 1)"),
        ],
        |(source, checks, results, ended)| {
            let checks = checks.map(|code| check("it", code)).to_vec();
            let report = run_job(Job { mode: Mode::Check(checks), ..job(source) });
            let found: Vec<_> = report.checks.iter().map(|it| (it.result, it.message.as_str())).collect();
            assert_eq!(found, results, "{source}");
            let found = format!("{}: {}", report.ending.verdict.word(), report.ending.detail);
            assert!(found.starts_with(ended), "{found}");
        },
    );
}
