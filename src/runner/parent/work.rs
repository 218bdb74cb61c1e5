//! Work of a child on one stage of a job, with its clock.

use std::time::{Duration, Instant};

use super::super::Engine;
use super::super::protocol::{Exited, Final};
use super::job::Running;
use super::verdict::{Cut, End};

/// Time that a child gets to say hello.
const HELLO_PATIENCE: Duration = Duration::from_secs(10);

/// A stage of a job in its child.
pub(super) struct Work {
    pub(super) running: Box<Running>,
    assigned: Instant,
    pub(super) started: Option<Instant>,
    pub(super) ended: Option<Instant>,
    /// The end has begun. Until then the process should be gone, and when it is, what it wrote should have arrived.
    pub(super) settle_by: Option<Instant>,
    /// When to count its threads next.
    pub(super) count_at: Option<Instant>,
    pub(super) cut: Option<Cut>,
    pub(super) last: Option<Final>,
    pub(super) out_of_memory: bool,
}

impl Work {
    pub(super) fn new(running: Box<Running>, now: Instant) -> Self {
        Self {
            running,
            assigned: now,
            started: None,
            ended: None,
            settle_by: None,
            count_at: None,
            cut: None,
            last: None,
            out_of_memory: false,
        }
    }

    pub(super) fn deadline(&self) -> Instant {
        match self.started {
            Some(started) => started + self.running.job.limits.wall,
            None => self.assigned + HELLO_PATIENCE,
        }
    }

    /// Reports the stage. Returns the job if another stage follows.
    pub(super) fn finish(self, exited: Option<&Exited>, engine: Engine, now: Instant) -> Option<Box<Running>> {
        let started = self.started.unwrap_or(now);
        let limits = self.running.job.limits;
        let end = End {
            cut: self.cut.as_ref(),
            last: self.last.as_ref(),
            out_of_memory: self.out_of_memory,
            exited,
            ran: self.ended.unwrap_or(now).saturating_duration_since(started),
            limits: &limits,
        };
        self.running.stage_ended(&end, engine)
    }
}
