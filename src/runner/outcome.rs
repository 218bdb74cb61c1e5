//! Everything that a job reported, gathered when it is over.

use crate::runner::{CheckOutcome, CheckResult, Chunk, Ending, Event, Handle, Row, Step, Stream, TraceLimit, Verdict};

/// The whole report of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What the program wrote, in order.
    pub output: Vec<Chunk>,
    /// How its checks went, in the job's order; empty where it had none.
    pub checks: Vec<CheckResult>,
    /// The steps that it took, where it was traced.
    pub steps: Vec<Step>,
    /// For each step, how many bytes of the output came before it, on both streams together.
    pub written: Vec<usize>,
    /// Why the steps are not all that it took, if they are not.
    pub trace_full: Option<TraceLimit>,
    /// The rows of its scenario, as far as it came.
    pub rows: Vec<Row>,
    /// How it ended.
    pub ending: Ending,
}

impl Outcome {
    /// Waits for the end of a job. `None` when the runner went away without a last word, which is its own fault.
    pub fn wait(handle: &Handle) -> Option<Self> {
        let mut output = Vec::new();
        let mut checks = Vec::new();
        let (mut steps, mut written, mut size) = (Vec::new(), Vec::new(), 0);
        let mut trace_full = None;
        let mut rows = Vec::new();
        while let Some(event) = handle.next() {
            match event {
                Event::Output(chunk) => {
                    size += chunk.text.len();
                    push(&mut output, chunk);
                }
                Event::Check(result) => checks.push(result),
                Event::Step(step) => {
                    steps.push(step);
                    written.push(size);
                }
                Event::TraceFull(limit) => trace_full = Some(limit),
                Event::Row(row) => rows.push(row),
                Event::Ended(ending) => return Some(Self { output, checks, steps, written, trace_full, rows, ending }),
            }
        }
        None
    }

    /// Everything that went to one stream.
    pub fn text(&self, stream: Stream) -> String {
        self.output.iter().filter(|chunk| chunk.stream == stream).map(|chunk| chunk.text.as_str()).collect()
    }

    /// Whether the program came to its end and every check passed.
    pub fn passed(&self) -> bool {
        self.ending.verdict == Verdict::Finished && self.checks.iter().all(|check| check.result == CheckOutcome::Passed)
    }
}

/// Adds output, joining what follows itself on the same stream: how a pipe cut the text means nothing.
pub fn push(output: &mut Vec<Chunk>, chunk: Chunk) {
    match output.last_mut() {
        Some(last) if last.stream == chunk.stream => last.text.push_str(&chunk.text),
        _ => output.push(chunk),
    }
}
