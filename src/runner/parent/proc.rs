//! Reads facts about a process from `/proc`.

use std::fs;
use std::os::unix::fs::MetadataExt;

/// Counts the threads of a process: each is a folder, and so a link besides the two that every folder has.
pub(super) fn threads(pid: u32) -> Option<u64> {
    fs::metadata(format!("/proc/{pid}/task")).ok()?.nlink().checked_sub(2)
}

/// True if a process is there and not dead.
pub(super) fn is_alive(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The state stands after the name, which is in brackets.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn threads_of_a_process_are_counted() {
        let mut process = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        assert_eq!(threads(process.id()), Some(1));
        assert!(is_alive(process.id()));
        process.kill().unwrap();
        // Dead, but not waited for yet.
        while is_alive(process.id()) {
            thread::yield_now();
        }
        process.wait().unwrap();
        assert_eq!((threads(process.id()), is_alive(process.id())), (None, false));
    }
}
