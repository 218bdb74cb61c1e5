//! Each part of the sandbox switched off: the level says so, with the reason, and what the others close stays closed.
#![cfg(target_os = "linux")]

use fencepost::runner::{Level, Part, Sandboxed, Verdict};

use crate::cases::each;
use crate::runner_programs::{executable, job, run_on};

#[test]
fn the_level_is_what_is_in_force() {
    let cases: [(&[Part], Level, bool); 6] = [
        (&[], Level::Full, true),
        (&[Part::Landlock], Level::NoLandlock, true),
        (&[Part::Seccomp], Level::LimitsOnly, false),
        (&[Part::Landlock, Part::Seccomp], Level::LimitsOnly, false),
        (&[Part::Limits], Level::None, false),
        (&Part::ALL, Level::None, false),
    ];
    each(cases, |(without, level, contains)| {
        let runner = Sandboxed::without(executable(), without.to_vec());
        let sandbox = runner.inspect().unwrap();
        assert_eq!(sandbox.engine.sandbox, level);
        assert_eq!(level.contains_strangers(), contains);
        let mut missing: Vec<(Part, &str)> = sandbox.missing.iter().map(|it| (it.part, it.reason.as_str())).collect();
        missing.sort();
        assert_eq!(missing, without.iter().map(|&part| (part, "switched off")).collect::<Vec<_>>());
        // The stamp of a run says the same as the template did.
        let report = run_on(&runner, job("print(1)"));
        assert_eq!((report.ending.verdict, report.ending.engine.sandbox), (Verdict::Finished, level));
    });
}

#[test]
fn one_part_closes_files_without_the_other() {
    each([(Part::Landlock, "PermissionError"), (Part::Seccomp, "PermissionError")], |(without, error)| {
        let runner = Sandboxed::without(executable(), vec![without]);
        let report = run_on(&runner, job("open('/etc/passwd')"));
        assert_eq!(report.ending.verdict, Verdict::Raised, "without {without:?}");
        assert!(report.ending.detail.starts_with(error), "{}", report.ending.detail);
    });
    // Where both are off, this test itself would be worth nothing if the file could not be read.
    let open = Sandboxed::without(executable(), vec![Part::Landlock, Part::Seccomp]);
    assert_eq!(run_on(&open, job("open('/etc/passwd').read()")).ending.verdict, Verdict::Finished);
}
