//! Thread that serves templates and children: waits for all of them at once, reads their messages, and removes those that are
//! gone.
//!
//! [`schedule`] decides what runs next. An idle pool waits without a timeout, so it costs nothing.

mod schedule;

use std::collections::VecDeque;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::super::protocol::{Exited, Frame, Hello, Kind, Unmade};
use super::super::{Engine, Verdict};
use super::child::{REAP_PATIENCE, Source};
use super::job::Running;
use super::process::Template;
use super::verdict::Cut;
use super::{Command, Sandbox, Start, nobody};

/// Templates that may be lost, with no job begun between, before the jobs that wait are told.
const FAILURES: u32 = 3;

/// Sources of input.
#[derive(Clone, Copy)]
enum Place {
    Wake,
    Control(usize),
    Errors(usize),
    Child(usize, u64, Source),
}

pub(super) struct Pool {
    start: Start,
    commands: Receiver<Command>,
    wake: UnixStream,
    templates: Vec<Template>,
    waiting: VecDeque<Box<Running>>,
    inspecting: Vec<Sender<Result<Sandbox, String>>>,
    cores: usize,
    next_slot: u64,
    /// Templates that were lost since a job was last begun. One that gets ready and is lost then is no better than one
    /// that does not start: only what jobs come to counts.
    failures: u32,
    buffer: Vec<u8>,
}

impl Pool {
    pub(super) fn new(start: Start, commands: Receiver<Command>, wake: UnixStream) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            start,
            commands,
            wake,
            templates: Vec::new(),
            waiting: VecDeque::new(),
            inspecting: Vec::new(),
            cores,
            next_slot: 0,
            failures: 0,
            buffer: vec![0; 64 << 10],
        }
    }

    /// Serves until the runner is dropped.
    pub(super) fn serve(mut self) {
        loop {
            let ready = self.wait();
            let now = Instant::now();
            if !self.take_commands(now) {
                return self.quit(now);
            }
            self.read(&ready, now);
            self.look_at_clocks(now);
            self.finish_settled(now);
            self.schedule(now);
        }
    }

    /// Waits for something to read, or for the next look at a clock.
    fn wait(&mut self) -> Vec<Place> {
        let mut places = vec![Place::Wake];
        let mut waiting = vec![PollFd::new(self.wake.as_fd(), PollFlags::POLLIN)];
        let mut next: Option<Instant> = None;
        for (at, template) in self.templates.iter().enumerate() {
            places.push(Place::Control(at));
            waiting.push(PollFd::new(template.control(), PollFlags::POLLIN));
            if let Some(errors) = template.errors() {
                places.push(Place::Errors(at));
                waiting.push(PollFd::new(errors, PollFlags::POLLIN));
            }
            next = [next, template.ready_by()].into_iter().flatten().min();
            for child in &template.children {
                next = [next, child.next_look()].into_iter().flatten().min();
                for (source, descriptor, writes) in child.sources() {
                    places.push(Place::Child(at, child.slot, source));
                    let flags = if writes { PollFlags::POLLIN | PollFlags::POLLOUT } else { PollFlags::POLLIN };
                    waiting.push(PollFd::new(descriptor, flags));
                }
            }
        }
        let patience = next.map_or(PollTimeout::NONE, |next| {
            // Rounded up, or it would look too early and again and again.
            let wait = next.saturating_duration_since(Instant::now()) + Duration::from_millis(1);
            PollTimeout::try_from(wait).unwrap_or(PollTimeout::MAX)
        });
        // An error here can only be an interruption: the descriptors are all our own.
        let _ = poll(&mut waiting, patience);
        let ready = waiting.iter().zip(places).filter(|(fd, _)| fd.any() == Some(true));
        ready.map(|(_, place)| place).collect()
    }

    /// Takes what was asked for. `false` when the runner was dropped.
    fn take_commands(&mut self, now: Instant) -> bool {
        let mut seen = [0; 256];
        while matches!((&self.wake).read(&mut seen), Ok(length) if length > 0) {}
        loop {
            match self.commands.try_recv() {
                Ok(Command::Start { id, job, events }) => {
                    self.waiting.push_back(Box::new(Running::new(id, job, events)))
                }
                Ok(Command::Stop { id }) => self.stop(id, now),
                Ok(Command::Prewarm) => {
                    if self.templates.is_empty() {
                        self.start_template();
                    }
                }
                Ok(Command::Inspect { answer }) => self.inspecting.push(answer),
                Ok(Command::Quit) | Err(TryRecvError::Disconnected) => return false,
                Err(TryRecvError::Empty) => return true,
            }
        }
    }

    fn stop(&mut self, id: u64, now: Instant) {
        if let Some(at) = self.waiting.iter().position(|running| running.id == id)
            && let Some(running) = self.waiting.remove(at)
        {
            running.give_up(Verdict::Stopped, "stopped by you before it ran".to_owned(), self.engine());
        }
        for child in self.templates.iter_mut().flat_map(|template| &mut template.children) {
            if child.work.as_ref().is_some_and(|work| work.running.id == id) {
                child.cut(Cut::Stop, now);
            }
        }
    }

    fn read(&mut self, ready: &[Place], now: Instant) {
        let mut gone: Vec<(usize, String)> = Vec::new();
        for &place in ready {
            match place {
                Place::Wake => {}
                Place::Errors(at) => {
                    if let Some(template) = self.templates.get_mut(at) {
                        template.read_errors();
                    }
                }
                Place::Control(at) => {
                    let Some(read) = self.templates.get_mut(at).map(Template::read) else { continue };
                    match read {
                        Ok(frames) => {
                            for frame in frames {
                                if !self.take_frame(at, &frame, now) {
                                    gone.push((at, "it sent an invalid message".to_owned()));
                                    break;
                                }
                            }
                        }
                        Err(why) => gone.push((at, why)),
                    }
                }
                Place::Child(at, slot, source) => {
                    let Some(template) = self.templates.get_mut(at) else { continue };
                    let Some(child) = template.children.iter_mut().find(|child| child.slot == slot) else { continue };
                    if source == Source::Channel {
                        child.write();
                    }
                    let begun = child.has_begun();
                    child.read(source, &mut self.buffer, now);
                    if !begun && child.has_begun() {
                        // Each job begins each stage once at most, so this cannot go on for ever.
                        self.failures = 0;
                    }
                }
            }
        }
        // From the back, so that the places of the others stay what they are.
        for (at, why) in gone.into_iter().rev() {
            self.lose_template(at, &why, now);
        }
    }

    /// Handles a message from a template. `false` if it is invalid.
    fn take_frame(&mut self, at: usize, frame: &Frame, now: Instant) -> bool {
        let Some(template) = self.templates.get_mut(at) else { return true };
        match frame.kind {
            Kind::Ready => {
                let Ok(hello) = frame.body::<Hello>() else { return false };
                template.hello = Some(hello);
            }
            Kind::Warm => template.keeps_spares = true,
            Kind::Exited => {
                let Ok(exited) = frame.body::<Exited>() else { return false };
                if let Some(child) = template.children.iter_mut().find(|child| child.slot == exited.slot) {
                    child.is_gone(exited, now);
                }
            }
            Kind::Unmade => {
                let Ok(Unmade { slot, reason }) = frame.body() else { return false };
                if let Some(child) = template.children.iter_mut().find(|child| child.slot == slot) {
                    child.unmade(&reason, now);
                    // It would be asked for the next at once, again and again.
                    template.keeps_spares &= child.work.is_some();
                }
            }
            _ => return false,
        }
        true
    }

    fn look_at_clocks(&mut self, now: Instant) {
        let mut lost = Vec::new();
        for (at, template) in self.templates.iter_mut().enumerate() {
            for child in &mut template.children {
                child.look_at_clock(now);
            }
            if template.ready_by().is_some_and(|by| now >= by) {
                lost.push((at, "it did not get ready in time"));
            } else if template.children.iter().any(|child| child.outlived(now)) {
                lost.push((at, "it did not end a program that it was asked to end"));
            }
        }
        for (at, why) in lost.into_iter().rev() {
            self.lose_template(at, why, now);
        }
    }

    /// Reports every stage of which all is known, and clears away children that are gone.
    fn finish_settled(&mut self, now: Instant) {
        let fallback = self.engine();
        for template in &mut self.templates {
            let mut to_kill = Vec::new();
            for child in &mut template.children {
                if child.is_settled(now)
                    && let Some(work) = child.work.take()
                {
                    let engine = child.hello.as_ref().map_or(&fallback, |hello| &hello.engine).clone();
                    if let Some(next) = work.finish(child.own_end(), engine, now) {
                        self.waiting.push_front(next);
                    }
                }
                if child.doomed == Some(now) {
                    to_kill.push(child.slot);
                }
            }
            for slot in to_kill {
                template.kill(slot);
            }
            template.children.retain(|child| child.exited.is_none() || child.work.is_some());
        }
    }

    /// Removes a template that is gone, and its children with it.
    fn lose_template(&mut self, at: usize, why: &str, now: Instant) {
        if at >= self.templates.len() {
            return;
        }
        let mut template = self.templates.remove(at);
        let was_ready = template.hello.is_some();
        let children = std::mem::take(&mut template.children);
        let words = template.end();
        let until = Instant::now() + REAP_PATIENCE;
        children.iter().for_each(|child| child.wait_until_gone(until));
        self.failures += 1;
        let detail = format!("the process that runs programs failed ({why}: {words}); the next run starts a new one");
        let engine = self.engine();
        for mut child in children {
            if let Some(running) = child.take_unstarted() {
                self.waiting.push_front(running);
                continue;
            }
            child.lost(detail.clone(), now);
            if let Some(work) = child.work.take()
                && let Some(next) = work.finish(None, engine.clone(), now)
            {
                // Its stage had ended before for a reason of its own.
                self.waiting.push_front(next);
            }
        }
        if self.failures >= FAILURES {
            let what = if was_ready { "fails again and again" } else { "cannot start" };
            let detail = format!("the process that runs programs {what} ({why}: {words})");
            self.give_up_waiting(Verdict::MachineryFailed, &detail);
        }
    }

    fn give_up_waiting(&mut self, verdict: Verdict, detail: &str) {
        self.failures = 0;
        for running in std::mem::take(&mut self.waiting) {
            running.give_up(verdict, detail.to_owned(), self.engine());
        }
        for answer in self.inspecting.drain(..) {
            let _ = answer.send(Err(detail.to_owned()));
        }
    }

    fn children(&self) -> impl Iterator<Item = &super::child::Child> {
        self.templates.iter().flat_map(|template| &template.children)
    }

    /// Describes the interpreter, as far as it is known.
    fn engine(&self) -> Engine {
        let hello = self.templates.iter().find_map(|template| template.hello.as_ref());
        hello.map_or_else(|| nobody(self.start.python.as_ref()), |hello| hello.engine.clone())
    }

    fn quit(mut self, now: Instant) {
        for id in
            self.children().filter_map(|child| child.work.as_ref()).map(|work| work.running.id).collect::<Vec<_>>()
        {
            self.stop(id, now);
        }
        while !self.templates.is_empty() {
            // Not a failure, so not one to tell jobs about.
            self.failures = 0;
            self.lose_template(0, "the tutor ended", now);
        }
        self.give_up_waiting(Verdict::Stopped, "the tutor ended before it ran");
    }
}
