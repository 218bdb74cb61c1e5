//! Shared by the tests of the runner: programs go in, whole results come out.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use fencepost::runner::{
    CheckCode, CheckResult, Chunk, Ending, Event, Handle, Job, Limits, Mode, Row, Runner, Sandboxed, Step, Stream,
    TraceLimit, Verdict,
};

/// The built program, which is its own template.
pub(crate) fn executable() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_fencepost"))
}

/// The same under a name of its own, by which its processes are known among those of other tests.
#[cfg(target_os = "linux")]
pub(crate) fn named_executable(folder: &std::path::Path) -> PathBuf {
    let path = folder.join("fencepost");
    std::os::unix::fs::symlink(executable(), &path).unwrap();
    path
}

/// Number of living processes that were started from this path.
#[cfg(target_os = "linux")]
pub(crate) fn processes(path: &std::path::Path) -> usize {
    let path = path.as_os_str().as_encoded_bytes();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries.filter(|entry| std::fs::read(entry.path().join("cmdline")).is_ok_and(|line| line.starts_with(path))).count()
}

/// One runner for all tests that need nothing special.
pub(crate) fn runner() -> &'static Sandboxed {
    static RUNNER: OnceLock<Sandboxed> = OnceLock::new();
    RUNNER.get_or_init(|| Sandboxed::new(executable()))
}

/// All that a job reported.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) checks: Vec<CheckResult>,
    pub(crate) rows: Vec<Row>,
    pub(crate) steps: Vec<Step>,
    pub(crate) trace_full: Option<TraceLimit>,
    pub(crate) ending: Ending,
    /// From the start of the job to its last event.
    pub(crate) took: Duration,
}

impl Report {
    pub(crate) fn text(&self, stream: Stream) -> String {
        self.chunks.iter().filter(|chunk| chunk.stream == stream).map(|chunk| chunk.text.as_str()).collect()
    }

    pub(crate) fn stdout(&self) -> String {
        self.text(Stream::Stdout)
    }

    pub(crate) fn stderr(&self) -> String {
        self.text(Stream::Stderr)
    }

    /// Everything in order, with "!" where standard error begins.
    pub(crate) fn transcript(&self) -> String {
        let mut text = String::new();
        let mut last = Stream::Stdout;
        for chunk in &self.chunks {
            if chunk.stream == Stream::Stderr && last == Stream::Stdout {
                text.push('!');
            }
            last = chunk.stream;
            text.push_str(&chunk.text);
        }
        text
    }
}

pub(crate) fn job(source: &str) -> Job {
    Job { source: source.to_owned(), mode: Mode::Run, limits: Limits::default() }
}

pub(crate) fn check(name: &str, code: &str) -> CheckCode {
    CheckCode { name: name.to_owned(), code: code.to_owned() }
}

/// Runs a program with the usual limits.
#[track_caller]
pub(crate) fn run(source: &str) -> Report {
    run_job(job(source))
}

#[track_caller]
pub(crate) fn run_job(job: Job) -> Report {
    run_on(runner(), job)
}

#[track_caller]
pub(crate) fn run_on(runner: &dyn Runner, job: Job) -> Report {
    let started = Instant::now();
    collect(&runner.start(job), started)
}

/// Waits for the end of a job. Nothing may come after the ending, and it must come.
#[track_caller]
pub(crate) fn collect(handle: &Handle, started: Instant) -> Report {
    let mut chunks = Vec::new();
    let mut checks = Vec::new();
    let mut rows = Vec::new();
    let mut steps = Vec::new();
    let mut trace_full = None;
    let mut ending = None;
    while let Some(event) = handle.next() {
        assert!(ending.is_none(), "an event after the last one");
        match event {
            Event::Output(chunk) => chunks.push(chunk),
            Event::Check(check) => checks.push(check),
            Event::Row(row) => rows.push(row),
            Event::Step(step) => {
                assert_eq!(trace_full, None, "a step after the trace was full");
                steps.push(step);
            }
            Event::TraceFull(limit) => trace_full = Some(limit),
            Event::Ended(it) => ending = Some(it),
        }
    }
    let ending = ending.expect("a job reports its end");
    Report { chunks, checks, rows, steps, trace_full, ending, took: started.elapsed() }
}

/// Asserts that a program ends so, and that the runner still works after it.
#[track_caller]
pub(crate) fn assert_next_run_works() {
    let report = run("print('still here')");
    assert_eq!((report.ending.verdict, report.stdout().as_str()), (Verdict::Finished, "still here\n"));
}
