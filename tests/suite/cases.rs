//! Tests of many cases that report every case that fails, and not only the first.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `test` on each case and fails with every case that failed. The test harness prints the reason of each above that.
#[track_caller]
pub(crate) fn each<C: Debug>(cases: impl IntoIterator<Item = C>, mut test: impl FnMut(C)) {
    let mut failed = Vec::new();
    for case in cases {
        let name: String = format!("{case:?}").chars().take(200).collect();
        if catch_unwind(AssertUnwindSafe(|| test(case))).is_err() {
            failed.push(name);
        }
    }
    assert!(failed.is_empty(), "{} failed, for the reasons above:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn every_case_that_fails_is_reported() {
    let seen = catch_unwind(|| each(1..=4, |n| assert!(n % 2 == 1))).unwrap_err();
    assert_eq!(seen.downcast_ref::<String>().unwrap(), "2 failed, for the reasons above:\n2\n4");
}
