//! A running job: its stage, its output and its reports.

use std::sync::mpsc::Sender;

use super::super::protocol::{Broken, Final, Order, Uses};
use super::super::{
    CheckOutcome, CheckResult, Ending, Engine, Event, Job, Mode, Row, Scenario, Step, Stream, TraceLimit, Unreached,
    Verdict,
};
use super::output::Output;
use super::verdict::{self, Cut, End};

/// A job that was started and has not ended. Each stage needs a child of its own.
pub(super) struct Running {
    pub(super) id: u64,
    pub(super) job: Job,
    events: Sender<Event>,
    /// 0 is the program, then the checks from 1 on.
    stage: usize,
    output: Output,
    /// Ending of the program, while its checks run.
    ending: Option<Ending>,
    /// Steps and bytes that the trace may still take; `None` when it was full.
    trace: Option<(usize, usize)>,
    /// Rows of a scenario that were reported.
    rows: usize,
    /// Comparison methods that a submitted program defines.
    overloads: Vec<String>,
}

impl Running {
    pub(super) fn new(id: u64, job: Job, events: Sender<Event>) -> Self {
        let output = Output::new(job.limits.output);
        let trace = Some((job.limits.steps, job.limits.trace));
        Self { id, job, events, stage: 0, output, ending: None, trace, rows: 0, overloads: Vec::new() }
    }

    /// Returns the order for the child of this stage.
    pub(super) fn order(&self) -> Order {
        let source = self.job.source.clone();
        match (self.check(), &self.job.mode) {
            (Some((_, code)), mode) => {
                let question = if let Mode::Grade { question, .. } = mode { Some(question.clone()) } else { None };
                Order::Check { source, code, question }
            }
            (None, Mode::Grade { question, .. }) => Order::Grade { source, question: question.clone() },
            (None, Mode::Run | Mode::Check(_)) => Order::Run { source },
            (None, Mode::Trace) => Order::Trace { source, steps: self.job.limits.steps, bytes: self.job.limits.trace },
            (None, Mode::Scenario(Scenario { setup, watch, steps })) => {
                Order::Scenario { source, setup: setup.clone(), watch: watch.clone(), steps: steps.clone() }
            }
        }
    }

    fn checks(&self) -> &[super::super::CheckCode] {
        match &self.job.mode {
            Mode::Check(checks) | Mode::Grade { checks, .. } => checks,
            Mode::Run | Mode::Trace | Mode::Scenario(_) => &[],
        }
    }

    /// Returns the check of this stage.
    fn check(&self) -> Option<(String, String)> {
        let at = self.stage.checked_sub(1)?;
        self.checks().get(at).map(|check| (check.name.clone(), check.code.clone()))
    }

    /// True if `last` is a possible answer in this stage.
    pub(super) fn expects(&self, last: &Final) -> bool {
        match last {
            Final::Checked { .. } => self.stage > 0,
            // Only the parent itself decides that a program did not finish.
            Final::Unreached { because, .. } => self.stage > 0 && *because != Unreached::Unfinished,
            // Only submitted programs are examined before they run.
            Final::Tampered { .. } => self.stage > 0 || matches!(self.job.mode, Mode::Grade { .. }),
            Final::Finished {} | Final::Raised { .. } | Final::Exit { .. } | Final::Memory { .. } => self.stage == 0,
        }
    }

    /// Adds output. Returns `false` if it exceeds the limit.
    pub(super) fn write(&mut self, stream: Stream, bytes: &[u8]) -> bool {
        self.output.push(stream, bytes);
        !self.output.too_long()
    }

    /// Reports the output so far. That of a check's child is not reported: the program's own was.
    pub(super) fn report_output(&mut self) {
        let chunks = self.output.take();
        if self.stage == 0 {
            for chunk in chunks {
                self.report(Event::Output(chunk));
            }
        }
    }

    /// Takes a step of a trace and its size. Steps beyond the limits are dropped.
    pub(super) fn step(&mut self, step: Step, bytes: usize) -> Result<(), Broken> {
        if !matches!(self.job.mode, Mode::Trace) {
            return Err(Broken::Kind);
        }
        let Some((steps, room)) = self.trace else { return Ok(()) };
        let full = match (steps.checked_sub(1), room.checked_sub(bytes)) {
            (Some(steps), Some(room)) => {
                self.trace = Some((steps, room));
                self.report_output();
                self.report(Event::Step(step));
                return Ok(());
            }
            (None, _) => TraceLimit::Steps,
            (_, None) => TraceLimit::Bytes,
        };
        self.trace = None;
        self.report(Event::TraceFull(full));
        Ok(())
    }

    /// Takes a row of a scenario. They come in order, each with everything that is watched.
    pub(super) fn row(&mut self, row: Row) -> Result<(), Broken> {
        let Mode::Scenario(scenario) = &self.job.mode else { return Err(Broken::Kind) };
        if row.step != self.rows || row.step >= scenario.steps.len() || row.watched.len() != scenario.watch.len() {
            return Err(Broken::Body);
        }
        self.rows += 1;
        self.report_output();
        self.report(Event::Row(row));
        Ok(())
    }

    /// Adds findings about a submitted program.
    pub(super) fn uses(&mut self, uses: Uses) -> Result<(), Broken> {
        if !matches!(self.job.mode, Mode::Grade { .. }) {
            return Err(Broken::Kind);
        }
        let known = self.ending.as_mut().map_or(&mut self.overloads, |ending| &mut ending.overloads);
        known.extend(uses.overloads);
        known.sort_unstable();
        known.dedup();
        Ok(())
    }

    /// Sends an event. If the receiver is gone, the handle was dropped, which stops the job anyway.
    fn report(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// The child of this stage has ended. Reports it, and returns the job if another stage follows.
    pub(super) fn stage_ended(mut self: Box<Self>, end: &End<'_>, engine: Engine) -> Option<Box<Self>> {
        self.output.end();
        self.report_output();
        let (verdict, detail) = verdict::judge(end);
        let wall_ms = end.ran.as_secs_f64() * 1000.0;
        // Nothing is known of the checks then.
        let ends_all = [Verdict::Stopped, Verdict::MachineryFailed, Verdict::Refused];
        match (self.check(), self.ending.take()) {
            (Some((name, _)), Some(ending)) => {
                if ends_all.contains(&verdict) {
                    self.report(Event::Ended(Ending { verdict, detail, ..ending }));
                    return None;
                }
                if verdict == Verdict::Tampered {
                    let ending = Ending { verdict, detail, ..ending };
                    self.report_undecided_checks(&ending);
                    self.report(Event::Ended(ending));
                    return None;
                }
                let (result, message, unreached) = match (end.cut, end.last) {
                    (Some(Cut::Time), _) => (CheckOutcome::TimedOut, detail, None),
                    (None, Some(Final::Checked { result, message })) => (*result, message.clone(), None),
                    (None, Some(Final::Unreached { because, message })) => {
                        (CheckOutcome::Error, message.clone(), Some(*because))
                    }
                    _ => (CheckOutcome::Error, detail, None),
                };
                self.report(Event::Check(CheckResult { name, result, message, unreached }));
                self.next_stage(ending)
            }
            _ => {
                let overloads = std::mem::take(&mut self.overloads);
                let ending = Ending { verdict, detail, wall_ms, engine, overloads };
                if verdict == Verdict::Finished {
                    return self.next_stage(ending);
                }
                if !ends_all.contains(&verdict) {
                    self.report_undecided_checks(&ending);
                }
                self.report(Event::Ended(ending));
                None
            }
        }
    }

    fn next_stage(mut self: Box<Self>, ending: Ending) -> Option<Box<Self>> {
        self.stage += 1;
        if self.check().is_none() {
            self.report(Event::Ended(ending));
            return None;
        }
        self.ending = Some(ending);
        self.output = Output::new(self.job.limits.output);
        Some(self)
    }

    /// Reports the checks that have no result yet as unreached, since the program does not finish or tampers with them.
    fn report_undecided_checks(&self, ending: &Ending) {
        let result = if ending.verdict == Verdict::TimedOut { CheckOutcome::TimedOut } else { CheckOutcome::Error };
        let message = match ending.verdict {
            Verdict::Tampered => "the program tampers with its checks".to_owned(),
            _ => format!("the program did not come to its check: {}", ending.detail),
        };
        for check in self.checks().iter().skip(self.stage.saturating_sub(1)) {
            let (name, message) = (check.name.clone(), message.clone());
            self.report(Event::Check(CheckResult { name, result, message, unreached: Some(Unreached::Unfinished) }));
        }
    }

    /// Ends the job, because no child can continue it.
    pub(super) fn give_up(self, verdict: Verdict, detail: String, engine: Engine) {
        let ending = match &self.ending {
            Some(ending) => Ending { verdict, detail, ..ending.clone() },
            None => Ending { verdict, detail, wall_ms: 0.0, engine, overloads: Vec::new() },
        };
        self.report(Event::Ended(ending));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::protocol::Tampering;
    use crate::runner::{CheckCode, Limits};

    #[test]
    fn each_stage_ends_with_words_of_its_own() {
        let unreached = |because| Final::Unreached { because, message: String::new() };
        let checks = vec![CheckCode { name: "it".to_owned(), code: String::new() }];
        let job = Job { source: String::new(), mode: Mode::Check(checks), limits: Limits::default() };
        let mut running = Running::new(1, job, std::sync::mpsc::channel().0);
        for (last, stages) in [
            (Final::Finished {}, [true, false]),
            (Final::Exit { status: 1 }, [true, false]),
            (Final::Checked { result: CheckOutcome::Passed, message: String::new() }, [false, true]),
            (unreached(Unreached::Left), [false, true]),
            (unreached(Unreached::Raised), [false, true]),
            (unreached(Unreached::Unfinished), [false, false]),
            (Final::tampered(Tampering::Canary, Vec::new()), [false, true]),
        ] {
            let expects = [0, 1].map(|stage| {
                running.stage = stage;
                running.expects(&last)
            });
            assert_eq!(expects, stages, "{last:?}");
        }
    }
}
