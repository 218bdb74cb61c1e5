//! Derives a verdict, and a sentence about it, from the end of a child.

use std::time::Duration;

use nix::sys::signal::Signal;

use super::super::protocol::{Broken, Exited, Final, Tampering};
use super::super::template::LOST;
use super::super::{Limits, Verdict};
use super::child::MAX_THREADS;
use crate::text;

/// Reasons of the parent to end a child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Its time was up.
    Time,
    /// It wrote too much.
    Output,
    /// The learner asked for it.
    Stop,
    /// It had too many threads.
    Threads,
    /// It broke the protocol.
    Broken(Broken),
    /// The sandbox did not hold, or is weaker than the job allows.
    Refused(String),
    /// A process of the tutor failed.
    Machinery(String),
}

/// All that the parent knows about a child at its end.
#[derive(Clone, Debug)]
pub(super) struct End<'a> {
    pub(super) cut: Option<&'a Cut>,
    pub(super) last: Option<&'a Final>,
    pub(super) out_of_memory: bool,
    pub(super) exited: Option<&'a Exited>,
    pub(super) ran: Duration,
    pub(super) limits: &'a Limits,
}

/// The verdict, and what it means here in words.
pub(super) fn judge(end: &End<'_>) -> (Verdict, String) {
    // Threads that were writing when memory ran out may have left half a frame.
    if end.out_of_memory && matches!(end.cut, None | Some(Cut::Broken(_))) {
        return out_of_memory(end);
    }
    if let Some(cut) = end.cut {
        return match cut {
            // The limit, not the time that was measured: a busy machine looks at the clock late.
            Cut::Time => (Verdict::TimedOut, format!("stopped after {} by the clock", seconds(end.limits.wall))),
            Cut::Output => {
                let limit = bytes(end.limits.output as u64);
                (Verdict::OutputTooLong, format!("wrote more than {limit}; only the beginning is kept"))
            }
            Cut::Stop => (Verdict::Stopped, format!("stopped by you after {}", seconds(end.ran))),
            Cut::Threads => (Verdict::Crashed, format!("had more than {MAX_THREADS} threads at once, so it was ended")),
            Cut::Broken(broken) => (Verdict::Crashed, format!("the interpreter sent {broken}, so it was ended")),
            Cut::Refused(reason) => (Verdict::Refused, reason.clone()),
            Cut::Machinery(reason) => (Verdict::MachineryFailed, reason.clone()),
        };
    }
    match end.last {
        Some(last) => judge_last(last, end),
        None => judge_exit(end.exited.and_then(|exited| exited.signal), end.exited.and_then(|exited| exited.code)),
    }
}

fn out_of_memory(end: &End<'_>) -> (Verdict, String) {
    (Verdict::OutOfMemory, format!("wanted more than {} of memory", bytes(end.limits.memory)))
}

fn judge_last(last: &Final, end: &End<'_>) -> (Verdict, String) {
    match last {
        Final::Finished {} => (Verdict::Finished, "ran to its end".to_owned()),
        Final::Exit { status } => (Verdict::Raised, format!("left with exit status {status}")),
        Final::Memory { message, .. } if message.is_empty() => out_of_memory(end),
        // The program's own words: it need not be the limit that it means.
        Final::Memory { message, line } => {
            let limit = bytes(end.limits.memory);
            (Verdict::OutOfMemory, format!("{}; there is {limit} of memory", exception("MemoryError", message, *line)))
        }
        Final::Raised { exception: name, message, line } => (Verdict::Raised, exception(name, message, *line)),
        Final::Tampered { how, names, more } => (Verdict::Tampered, tampered(*how, names, *more)),
        // Only a child that was asked to check something may answer so.
        Final::Checked { .. } | Final::Unreached { .. } => {
            (Verdict::Crashed, "the interpreter answered another question".to_owned())
        }
    }
}

/// Describes an attack on the checks. The names are modules and attributes of Python itself.
fn tampered(how: Tampering, names: &[String], more: usize) -> String {
    let more = (more > 0).then(|| format!("{more} more"));
    let named = text::listed(names.iter().map(|name| format!("`{name}`")).chain(more), "and");
    match how {
        Tampering::Reaches => format!("uses {named}, which can reach into the interpreter that checks it"),
        Tampering::Changed if names.is_empty() => "changed the interpreter that checks it".to_owned(),
        Tampering::Changed => format!("replaced {named} while a check ran"),
        Tampering::Canary => "made a check pass that must fail".to_owned(),
    }
}

/// An exception in words: its name, the first line of its message, and where it was.
fn exception(name: &str, message: &str, line: Option<u32>) -> String {
    let message = message.lines().next().unwrap_or_default().trim();
    let words = if message.is_empty() { name.to_owned() } else { format!("{name}: {message}") };
    match line {
        Some(line) => format!("{words} (line {line})"),
        None => words,
    }
}

fn judge_exit(signal: Option<i32>, code: Option<i32>) -> (Verdict, String) {
    match (signal, code) {
        (Some(libc::SIGXCPU), _) => (Verdict::TimedOut, "stopped for its use of the processor".to_owned()),
        (Some(signal), _) => {
            (Verdict::Crashed, format!("the interpreter was ended by signal {signal}{}", signal_name(signal)))
        }
        (None, Some(LOST)) => (Verdict::Crashed, "the interpreter failed; the next run starts a fresh one".to_owned()),
        (None, Some(code)) => {
            (Verdict::Crashed, format!("left at once with status {code}, as `os._exit` does, before its end"))
        }
        (None, None) => (Verdict::Crashed, "the interpreter ended without a word".to_owned()),
    }
}

fn signal_name(signal: i32) -> String {
    let meaning = match signal {
        libc::SIGABRT => ": it gave up",
        libc::SIGSEGV => ": it touched memory that is not its own, often the end of the stack",
        libc::SIGBUS => ": it touched memory that is not there",
        libc::SIGILL => ": an instruction that does not exist",
        libc::SIGFPE => ": arithmetic without a result",
        libc::SIGSYS => ": a system call that is not allowed",
        _ => "",
    };
    Signal::try_from(signal).map_or_else(|_| String::new(), |signal| format!(" ({signal}{meaning})"))
}

/// A time as learners read it: "2.0 s".
pub(super) fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// A size as learners read it: "64 KiB".
pub(super) fn bytes(count: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.iter().find(|(unit, _)| count >= *unit && count.is_multiple_of(*unit)) {
        Some((unit, name)) => format!("{} {name}", count / unit),
        None => format!("{count} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_has_its_verdict_and_sentence() {
        let limits = Limits::default();
        let nothing = End {
            cut: None,
            last: None,
            out_of_memory: false,
            exited: None,
            ran: Duration::from_millis(2004),
            limits: &limits,
        };
        let by = |signal, code| Exited { slot: 0, signal, code };
        let raised = |message: &str, line| Final::Raised {
            exception: "ZeroDivisionError".to_owned(),
            message: message.to_owned(),
            line,
        };
        let tampered = |how, names: &[&str]| Final::tampered(how, names.iter().map(|name| (*name).to_owned()));
        let memory = |message: &str, line| Final::Memory { message: message.to_owned(), line };
        let cuts = [
            (Cut::Time, Verdict::TimedOut, "stopped after 2.0 s by the clock"),
            (Cut::Output, Verdict::OutputTooLong, "wrote more than 64 KiB; only the beginning is kept"),
            (Cut::Stop, Verdict::Stopped, "stopped by you after 2.0 s"),
            (Cut::Threads, Verdict::Crashed, "had more than 512 threads at once, so it was ended"),
            (
                Cut::Broken(Broken::Key),
                Verdict::Crashed,
                "the interpreter sent a message under a false key, so it was ended",
            ),
        ];
        for (cut, verdict, words) in &cuts {
            // The parent's own reason wins over anything that the child says.
            let end = End { cut: Some(cut), last: Some(&Final::Finished {}), ..nothing.clone() };
            assert_eq!(judge(&end), (*verdict, (*words).to_owned()));
        }
        let lasts = [
            (Final::Finished {}, Verdict::Finished, "ran to its end"),
            (Final::Exit { status: 3 }, Verdict::Raised, "left with exit status 3"),
            (memory("", None), Verdict::OutOfMemory, "wanted more than 256 MiB of memory"),
            (memory("", Some(3)), Verdict::OutOfMemory, "wanted more than 256 MiB of memory"),
            (memory("mine", Some(3)), Verdict::OutOfMemory, "MemoryError: mine (line 3); there is 256 MiB of memory"),
            (raised("division by zero", Some(7)), Verdict::Raised, "ZeroDivisionError: division by zero (line 7)"),
            (raised(" depth exceeded  ", Some(1)), Verdict::Raised, "ZeroDivisionError: depth exceeded (line 1)"),
            (raised("", None), Verdict::Raised, "ZeroDivisionError"),
            (
                tampered(Tampering::Reaches, &["__globals__", "f_back", "gc"]),
                Verdict::Tampered,
                "uses `__globals__`, `f_back` and `gc`, which can reach into the interpreter that checks it",
            ),
            (
                tampered(Tampering::Changed, &["json.loads"]),
                Verdict::Tampered,
                "replaced `json.loads` while a check ran",
            ),
            (
                tampered(Tampering::Changed, &["a", "b", "c", "d", "e", "f", "g"]),
                Verdict::Tampered,
                "replaced `a`, `b`, `c`, `d`, `e` and 2 more while a check ran",
            ),
            (tampered(Tampering::Changed, &[]), Verdict::Tampered, "changed the interpreter that checks it"),
            (tampered(Tampering::Canary, &[]), Verdict::Tampered, "made a check pass that must fail"),
        ];
        for (last, verdict, words) in &lasts {
            let end = End { last: Some(last), ..nothing.clone() };
            assert_eq!(judge(&end), (*verdict, (*words).to_owned()));
        }
        let exits = [
            (by(None, Some(0)), Verdict::Crashed, "left at once with status 0, as `os._exit` does, before its end"),
            (by(Some(libc::SIGKILL), None), Verdict::Crashed, "the interpreter was ended by signal 9 (SIGKILL)"),
            (by(Some(libc::SIGXCPU), None), Verdict::TimedOut, "stopped for its use of the processor"),
        ];
        for (exited, verdict, words) in &exits {
            let end = End { exited: Some(exited), ..nothing.clone() };
            assert_eq!(judge(&end), (*verdict, (*words).to_owned()));
        }
        let no_memory = End { out_of_memory: true, exited: Some(&exits[0].0), ..nothing };
        for cut in [None, Some(&Cut::Broken(Broken::Length))] {
            let end = End { cut, ..no_memory.clone() };
            assert_eq!(judge(&end), (Verdict::OutOfMemory, "wanted more than 256 MiB of memory".to_owned()));
        }
        assert_eq!(judge(&End { cut: Some(&Cut::Time), ..no_memory.clone() }).0, Verdict::TimedOut);
        assert_eq!(judge(&End { last: Some(&Final::Finished {}), ..no_memory }).0, Verdict::OutOfMemory);
    }

    #[test]
    fn sizes_read_well() {
        assert_eq!(bytes(64 << 10), "64 KiB");
        assert_eq!(bytes(1 << 30), "1 GiB");
        assert_eq!(bytes(1000), "1000 bytes");
    }
}
