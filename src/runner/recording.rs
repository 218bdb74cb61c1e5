//! Collects the events of a job in one value, which is complete once it has an ending.

use crate::runner::{CheckOutcome, CheckResult, Chunk, Ending, Event, Handle, Row, Step, Stream, TraceLimit, Verdict};

/// Most bytes of output. The runner stops programs earlier; this and the next two hold for any runner.
const OUTPUT_KEPT: usize = 1 << 20;

/// Steps that are kept.
const STEPS_KEPT: usize = 20_000;

/// Rows that are kept.
const ROWS_KEPT: usize = 10_000;

/// Everything that a job reported. `E` is its ending: `Option<Ending>` while it may still run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording<E = Option<Ending>> {
    /// Text that the program wrote, in order.
    pub output: Vec<Chunk>,
    /// Bytes in `output`.
    pub size: usize,
    /// Results of the checks, in the job's order; empty where it had none.
    pub checks: Vec<CheckResult>,
    /// Steps of a traced program.
    pub steps: Vec<Step>,
    /// For each step, how many bytes of the output came before it, on both streams together.
    pub written: Vec<usize>,
    /// The limit that cut the steps short.
    pub trace_full: Option<TraceLimit>,
    /// Rows of the scenario, as far as the program came.
    pub rows: Vec<Row>,
    /// How the job ended.
    pub ending: E,
}

/// The recording of a job that is over.
pub type Outcome = Recording<Ending>;

impl<E> Recording<E> {
    /// Returns the text of one stream.
    pub fn text(&self, stream: Stream) -> String {
        self.output.iter().filter(|chunk| chunk.stream == stream).map(|chunk| chunk.text.as_str()).collect()
    }

    fn with_ending<F>(self, ending: F) -> Recording<F> {
        let Self { output, size, checks, steps, written, trace_full, rows, .. } = self;
        Recording { output, size, checks, steps, written, trace_full, rows, ending }
    }
}

impl Recording {
    /// Adds an event.
    pub fn add(&mut self, event: Event) {
        match event {
            Event::Output(chunk) if self.size.saturating_add(chunk.text.len()) <= OUTPUT_KEPT => {
                self.size += chunk.text.len();
                // Fewer chunks are cheaper to draw.
                match self.output.last_mut() {
                    Some(last) if last.stream == chunk.stream => last.text.push_str(&chunk.text),
                    _ => self.output.push(chunk),
                }
            }
            Event::Check(result) => self.checks.push(result),
            Event::Step(step) if self.steps.len() < STEPS_KEPT => {
                self.steps.push(step);
                self.written.push(self.size);
            }
            Event::TraceFull(limit) => self.trace_full = Some(limit),
            Event::Row(row) if self.rows.len() < ROWS_KEPT => self.rows.push(row),
            Event::Ended(ending) => self.ending = Some(ending),
            Event::Output(_) | Event::Step(_) | Event::Row(_) => {}
        }
    }

    /// Returns the ending; `None` while the job runs.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// True if the job has not ended yet.
    pub fn is_running(&self) -> bool {
        self.ending.is_none()
    }
}

impl Outcome {
    /// A job that reported nothing but its ending.
    pub fn of(ending: Ending) -> Self {
        Recording::<()>::default().with_ending(ending)
    }

    /// Waits for the end of a job. `None` if the runner is gone, which is a bug in it.
    pub fn wait(handle: &Handle) -> Option<Self> {
        let mut recording = Recording::default();
        while recording.is_running() {
            recording.add(handle.next()?);
        }
        let ending = recording.ending.take()?;
        Some(recording.with_ending(ending))
    }

    /// True if the program came to its end and every check passed.
    pub fn passed(&self) -> bool {
        self.ending.verdict == Verdict::Finished && self.checks.iter().all(|check| check.result == CheckOutcome::Passed)
    }
}
