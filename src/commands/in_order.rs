//! Runs tasks on several threads and reports their results in the order of the tasks.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Returns the number of cores, or 1 if unknown.
pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Runs `work` on every task, `at_once` at a time. Passes each result to `tell` once all earlier ones have been passed.
///
/// # Errors
///
/// `tell` failed. Running tasks are then finished, and no others are started.
pub(super) fn in_order<T: Sync, R: Send, E>(
    tasks: &[T],
    at_once: usize,
    work: impl Fn(&T) -> R + Sync,
    mut tell: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let over = AtomicBool::new(false);
    let (done, results) = mpsc::sync_channel(at_once);
    thread::scope(|scope| {
        for _ in 0..at_once.min(tasks.len()) {
            let (done, next, over, work) = (done.clone(), &next, &over, &work);
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = tasks.get(place) else { return };
                    if done.send((place, work(task))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(done);
        let mut waiting = BTreeMap::new();
        let mut reported = 0;
        let mut tell_all = || {
            for (place, result) in &results {
                waiting.insert(place, result);
                while let Some(result) = waiting.remove(&reported) {
                    reported += 1;
                    tell(result)?;
                }
            }
            Ok(())
        };
        let ended = tell_all();
        over.store(true, Ordering::Relaxed);
        // Unblocks threads that wait to send a result.
        drop(results);
        ended
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_tasks_whatever_ends_first() {
        let tasks: Vec<u32> = (0..200).collect();
        let reported = |tasks: &[u32], last: u32| {
            let mut reported = Vec::new();
            let ended = in_order(
                tasks,
                4,
                |n| n * 2,
                |n| {
                    reported.push(n);
                    if n == last { Err(n) } else { Ok(()) }
                },
            );
            (reported, ended)
        };
        let all: Vec<u32> = tasks.iter().map(|n| n * 2).collect();
        assert_eq!(reported(&tasks, 1), (all.clone(), Ok(())));
        assert_eq!(reported(&tasks, 66), (all[..34].to_vec(), Err(66)));
        assert_eq!(reported(&[], 0), (Vec::new(), Ok(())));
    }
}
