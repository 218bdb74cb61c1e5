//! A job on its way: which stage it is in, what it has written, and what it reports.

use std::sync::mpsc::Sender;
use std::time::Duration;

use super::super::protocol::{Final, Order};
use super::super::{CheckOutcome, CheckResult, Ending, Engine, Event, Job, Mode, Stream, Verdict};
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
    /// How the program ended, while its checks run.
    ending: Option<Ending>,
}

impl Running {
    pub(super) fn new(id: u64, job: Job, events: Sender<Event>) -> Self {
        let output = Output::new(job.limits.output);
        Self { id, job, events, stage: 0, output, ending: None }
    }

    /// What the child of this stage is to do.
    pub(super) fn order(&self) -> Order {
        let source = self.job.source.clone();
        match self.check() {
            None => Order::Run { source },
            Some((name, code)) => Order::Check { source, name, code },
        }
    }

    fn checks(&self) -> &[super::super::CheckCode] {
        match &self.job.mode {
            Mode::Run => &[],
            Mode::Check(checks) => checks,
        }
    }

    /// The check that this stage is about.
    fn check(&self) -> Option<(String, String)> {
        let at = self.stage.checked_sub(1)?;
        self.checks().get(at).map(|check| (check.name.clone(), check.code.clone()))
    }

    /// Whether this stage may answer so.
    pub(super) fn expects(&self, last: &Final) -> bool {
        matches!(last, Final::Checked { .. }) == (self.stage > 0)
    }

    /// Adds output. Whether there is still room.
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

    /// Whoever does not listen any more has dropped the handle, which stops the job by another way.
    fn report(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// The child of this stage has ended. Reports it, and returns the job if another stage follows.
    pub(super) fn stage_ended(mut self: Box<Self>, end: &End<'_>, engine: Engine) -> Option<Box<Self>> {
        self.output.end();
        self.report_output();
        let (verdict, detail) = verdict::judge(end);
        let wall_ms = end.ran.as_secs_f64() * 1000.0;
        match (self.check(), self.ending.take()) {
            (Some((name, _)), Some(ending)) => {
                if matches!(verdict, Verdict::Stopped | Verdict::MachineryFailed | Verdict::Refused) {
                    self.report(Event::Ended(Ending { verdict, detail, ..ending }));
                    return None;
                }
                let (result, message) = match (end.cut, end.last) {
                    (Some(Cut::Time), _) => (CheckOutcome::TimedOut, detail),
                    (None, Some(Final::Checked { result, message })) => (*result, message.clone()),
                    _ => (CheckOutcome::Error, detail),
                };
                self.report(Event::Check(CheckResult { name, result, message }));
                self.next_stage(ending)
            }
            _ => {
                let ending = Ending { verdict, detail, wall_ms, engine };
                if verdict == Verdict::Finished {
                    return self.next_stage(ending);
                }
                if !matches!(verdict, Verdict::Stopped | Verdict::MachineryFailed | Verdict::Refused) {
                    self.report_checks_without_program(&ending);
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

    /// A program that does not come to its end never comes to its checks: no child has to show that again.
    fn report_checks_without_program(&self, ending: &Ending) {
        let result = if ending.verdict == Verdict::TimedOut { CheckOutcome::TimedOut } else { CheckOutcome::Error };
        for check in self.checks() {
            let message = format!("the program did not come to its check: {}", ending.detail);
            self.report(Event::Check(CheckResult { name: check.name.clone(), result, message }));
        }
    }

    /// Ends the job where it is: no child will run it on.
    pub(super) fn give_up(self, verdict: Verdict, detail: String, engine: Engine) {
        let ending = match &self.ending {
            Some(ending) => Ending { verdict, detail, ..ending.clone() },
            None => Ending { verdict, detail, wall_ms: Duration::ZERO.as_secs_f64(), engine },
        };
        self.report(Event::Ended(ending));
    }
}
