//! Tests of many cases, which report every case that fails, and tests that wait for a condition.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

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

/// Time after which a test gives up waiting. Nothing is promised about it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until `done`, and fails if that takes longer than `within`. For what nothing announces, such as the end of a process
/// that is no child of this one.
#[track_caller]
pub(crate) fn wait_until(what: &str, within: Duration, mut done: impl FnMut() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < within, "waited {within:?} for: {what}");
        std::thread::yield_now();
    }
}

#[test]
fn every_case_that_fails_is_reported() {
    let seen = catch_unwind(|| each(1..=4, |n| assert!(n % 2 == 1))).unwrap_err();
    assert_eq!(seen.downcast_ref::<String>().unwrap(), "2 failed, for the reasons above:\n2\n4");
}
