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
