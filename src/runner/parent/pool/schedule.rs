//! Decides how many programs run at a time, which child takes which, when a template is started, and how many children wait
//! ready.

use std::io::{self, ErrorKind};
use std::time::Instant;

use super::super::Sandbox;
use super::super::child::Quota;
use super::super::job::Running;
use super::super::process::Template;
use super::Pool;
use crate::runner::protocol::Purpose;
use crate::runner::{Limits, Verdict};

/// Children that wait ready in each warm template: one each for the buggy and the fixed program.
const SPARES: usize = 2;

impl Pool {
    /// Starts what can be started.
    pub(super) fn schedule(&mut self, now: Instant) {
        self.answer_inspections();
        let at_once = self.cores.max(2);
        let mut busy = self.children().filter(|child| child.is_busy()).count();
        // Giving back memory takes a while, in which the next may begin; but not many, whatever keeps them.
        let ending = self.children().filter(|child| child.work.is_some()).count() - busy;
        let room = at_once.min((2 * at_once).saturating_sub(ending));
        let wanted = if self.waiting.is_empty() && self.inspecting.is_empty() {
            0
        } else if self.waiting.len() > at_once {
            self.cores
        } else {
            1
        };
        while self.templates.len() < wanted {
            if !self.start_template() {
                return;
            }
        }
        while busy < room
            && let Some(running) = self.waiting.pop_front()
        {
            match self.place(running, now) {
                Ok(true) => busy += 1,
                Ok(false) => {}
                Err(running) => {
                    self.waiting.push_front(running);
                    break;
                }
            }
        }
        // New spares are made while nothing runs, or while more jobs wait for them than can run: not in competition
        // with the two programs that somebody looks at.
        if busy + ending == 0 || !self.waiting.is_empty() {
            self.refill();
        }
    }

    fn answer_inspections(&mut self) {
        if let Some(hello) = self.templates.iter().find_map(|template| template.hello.as_ref()) {
            let sandbox = Sandbox { engine: hello.engine.clone(), missing: hello.missing.clone() };
            for answer in self.inspecting.drain(..) {
                let _ = answer.send(Ok(sandbox.clone()));
            }
        }
    }

    /// Gives a stage to a spare child, or to a new one. Hands it back when the template is gone and another is to come.
    /// `false` when its job ended here, because no child can be made.
    fn place(&mut self, running: Box<Running>, now: Instant) -> Result<bool, Box<Running>> {
        let quota = Quota::of(&running.job.limits);
        let spares = self.templates.iter_mut().flat_map(|template| &mut template.children);
        let spare =
            spares.filter(|child| child.is_spare() && child.quota == quota).max_by_key(|child| child.hello.is_some());
        if let Some(spare) = spare {
            spare.assign(running, now);
            if spare.has_begun() {
                self.failures = 0;
            }
            return Ok(true);
        }
        self.next_slot += 1;
        let slot = self.next_slot;
        // The one that is ready, and among those the least busy.
        let order = |template: &&mut Template| (template.hello.is_none(), template.children.len());
        let Some(template) = self.templates.iter_mut().min_by_key(order) else { return Err(running) };
        match template.spawn(slot, quota, Purpose::Program) {
            Ok(()) => {}
            // Its end of the socket will say so too.
            Err(error) if is_gone(&error) => return Err(running),
            // Nothing may ever happen that would be a reason to try again.
            Err(error) => {
                let detail = format!("no process for the program can be made: {error}");
                running.give_up(Verdict::MachineryFailed, detail, self.engine());
                return Ok(false);
            }
        }
        if let Some(child) = template.children.last_mut() {
            child.assign(running, now);
        }
        Ok(true)
    }

    fn refill(&mut self) {
        let quota = Quota::of(&Limits::default());
        // A spare that is made because jobs wait is taken at once.
        let purpose = if self.waiting.is_empty() { Purpose::Spare } else { Purpose::Program };
        for template in self.templates.iter_mut().filter(|template| template.keeps_spares) {
            let ready = template.children.iter().filter(|child| child.is_spare() && child.quota == quota).count();
            for _ in ready..SPARES {
                self.next_slot += 1;
                if template.spawn(self.next_slot, quota, purpose).is_err() {
                    // Nobody waits for a spare: a job that needs a child says why there is none.
                    break;
                }
            }
        }
    }

    pub(super) fn start_template(&mut self) -> bool {
        match Template::start(&self.start) {
            Ok(template) => {
                self.templates.push(template);
                true
            }
            Err(error) => {
                let path = self.start.executable.display();
                let detail = format!("the process that runs programs cannot be started from `{path}`: {error}");
                self.give_up_waiting(Verdict::MachineryFailed, &detail);
                false
            }
        }
    }
}

/// True if an error of a socket means that nobody is at its other end.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::NotConnected)
}
