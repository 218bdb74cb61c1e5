//! Works on many tasks at a time and tells what came of them in their order.
//!
//! Owns the threads. What the work is, and what it uses of the machine, is its caller's.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// The cores of this machine, as far as it says.
pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Does `work` on every task, `at_once` of them at a time, and tells each result once those before it are told. One that is
/// late holds back those behind it, no others.
///
/// # Errors
///
/// `tell` failed. What is going on then is finished, and no more is begun.
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
        let mut told = 0;
        let mut tell_all = || {
            for (place, result) in &results {
                waiting.insert(place, result);
                while let Some(result) = waiting.remove(&told) {
                    told += 1;
                    tell(result)?;
                }
            }
            Ok(())
        };
        let ended = tell_all();
        over.store(true, Ordering::Relaxed);
        // Threads that wait to hand in a result must not wait for ever.
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
        let told = |tasks: &[u32], last: u32| {
            let mut told = Vec::new();
            let ended = in_order(
                tasks,
                4,
                |n| n * 2,
                |n| {
                    told.push(n);
                    if n == last { Err(n) } else { Ok(()) }
                },
            );
            (told, ended)
        };
        let all: Vec<u32> = tasks.iter().map(|n| n * 2).collect();
        assert_eq!(told(&tasks, 1), (all.clone(), Ok(())));
        assert_eq!(told(&tasks, 66), (all[..34].to_vec(), Err(66)));
        assert_eq!(told(&[], 0), (Vec::new(), Ok(())));
    }
}
