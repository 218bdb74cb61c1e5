//! Answers the requests of a bot or an editor.
//!
//! It drives the same quiz and the same `update` as the screens, so that it gives away no answer earlier than they do.

use std::collections::HashMap;
use std::sync::Arc;

use crate::content::catalog::{Catalog, Entry};
use crate::content::question::LineNo;
use crate::quiz::action::{Action, Effect};
use crate::quiz::availability::{Ability, Reason, unavailable};
use crate::quiz::consent::{Blocked, Sandbox};
use crate::quiz::grade::{Grade, grade};
use crate::quiz::repair::{LONGEST as LONGEST_FIX, clean};
use crate::quiz::state::{Outcome as Found, Program, Quiz, Sitting, Stage};
use crate::quiz::update;
use crate::runner::recording::Recording;
use crate::runner::{Event, Runner, Verdict};
use crate::script::lines::{self, Input};
use crate::script::protocol::{Card, Code, FORMAT, Question, Refusal, Reply, ReplyLine, Request, read};
use crate::script::report::Mark;
use crate::script::run::{Role, Run};
use crate::text::brief;

/// A session.
pub struct Server<'a> {
    quiz: Quiz,
    catalog: Arc<Catalog>,
    runner: &'a dyn Runner,
    /// Finds out how strong the sandbox is, when that first matters.
    look: &'a dyn Fn() -> Action,
    trusted: &'a [String],
    begun: bool,
}

impl<'a> Server<'a> {
    /// Serves the questions of `catalog`. The programs of the packs in `trusted` run whatever the sandbox does.
    pub fn new(
        catalog: Arc<Catalog>,
        runner: &'a dyn Runner,
        look: &'a dyn Fn() -> Action,
        trusted: &'a [String],
    ) -> Self {
        let quiz = Quiz::new(catalog.clone(), HashMap::new()).trusting(trusted.iter().cloned());
        Self { quiz, catalog, runner, look, trusted, begun: false }
    }

    /// The first line of the session.
    pub fn hello(&self) -> ReplyLine {
        let reply = Reply::Hello {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            questions: self.catalog.questions.len(),
        };
        ReplyLine { id: None, reply }
    }

    /// Replies to every line, since its sender may wait for that; `None` at the end.
    pub fn reply(&mut self, input: &Input) -> Option<ReplyLine> {
        let first = !std::mem::replace(&mut self.begun, true);
        let error = |code, message: &str, hint: &str| {
            Some(ReplyLine { id: None, reply: Reply::Error(Refusal::new(code, message, hint)) })
        };
        let line = match input {
            Input::End => return None,
            Input::TooLong => {
                let message = format!("the line is longer than {} bytes", lines::LONGEST);
                return error(Code::TooLong, &message, "a request is one short line");
            }
            Input::NotUtf8 => return error(Code::NotUtf8, "the line is not UTF-8", "JSON is UTF-8 text"),
            Input::Line(line) => line,
        };
        // Some editors begin with a byte order mark.
        let line = if first { line.strip_prefix('\u{feff}').unwrap_or(line) } else { line };
        let (id, request) = read(line);
        let reply = request.and_then(|request| self.answer(request)).unwrap_or_else(Reply::Error);
        Some(ReplyLine { id, reply })
    }

    fn answer(&mut self, request: Request) -> Result<Reply, Refusal> {
        match request {
            Request::List {} => {
                Ok(Reply::List { questions: self.catalog.questions.iter().map(|entry| card(entry)).collect() })
            }
            Request::Question { question } => {
                self.open(&question, Stage::Spot)?;
                self.sitting().map(|sitting| Reply::Question(Box::new(shown(sitting))))
            }
            Request::Hint { question } => self.hint(&question),
            Request::Answer { question, line } => self.pick(&question, line),
            Request::Run { question } => self.run(&question),
            Request::Fix { question, text } => self.fix(&question, text),
            Request::Reveal { question } => self.reveal(&question),
        }
    }

    /// Opens the question that `text` names, at `stage`.
    fn open(&mut self, text: &str, stage: Stage) -> Result<Arc<Entry>, Refusal> {
        let entry = self.catalog.find(text).map_err(|error| {
            let (message, hint) = error.explain(&brief(text), "the request `list` names every question");
            Refusal::new(Code::UnknownQuestion, message, hint)
        })?;
        let entry = entry.clone();
        let _ = update(&mut self.quiz, Action::Open(entry.name.clone()));
        let _ = update(&mut self.quiz, Action::Go(stage));
        Ok(entry)
    }

    fn sitting(&self) -> Result<&Sitting, Refusal> {
        self.quiz.sitting().ok_or_else(|| Refusal::new(Code::Machinery, "no question is open", ""))
    }

    fn hint(&mut self, question: &str) -> Result<Reply, Refusal> {
        self.open(question, Stage::Spot)?;
        let reason = unavailable(&self.quiz, Ability::Hint);
        if reason == Some(Reason::Answered) {
            return Err(answered());
        }
        let _ = update(&mut self.quiz, Action::Hint);
        let sitting = self.sitting()?;
        let (hint, hints) = (sitting.hints(), &sitting.question().spot.hints);
        match hints.get(hint.saturating_sub(1)).filter(|_| reason.is_none()) {
            Some(text) => Ok(Reply::Hint { hint, of: hints.len(), text: text.clone() }),
            None => {
                let message = match hints.len() {
                    0 => "the question has no hints".to_owned(),
                    1 => "the only hint is open".to_owned(),
                    many => format!("all {many} hints are open"),
                };
                Err(Refusal::new(Code::NoMoreHints, message, "`reveal` shows the answer"))
            }
        }
    }

    fn pick(&mut self, question: &str, line: u32) -> Result<Reply, Refusal> {
        let entry = self.open(question, Stage::Spot)?;
        if self.sitting()?.is_answered() {
            return Err(answered());
        }
        let count = entry.question.line_count();
        let line = LineNo::new(line).filter(|line| line.index() < count).ok_or_else(|| {
            let message = format!("`{}` has no line {line}: the program has {count} lines", entry.name);
            Refusal::new(Code::NoSuchLine, message, "lines are counted from 1")
        })?;
        let _ = update(&mut self.quiz, Action::Pick(line));
        let why = match grade(&entry.question, line) {
            Grade::Right => Some(entry.question.spot.explanation.clone()),
            Grade::Near(feedback) => Some(feedback.to_owned()),
            Grade::Wrong => None,
        };
        let sitting = self.sitting()?;
        Ok(Reply::Answer { line, right: sitting.is_answered(), pick: sitting.picks().len(), why })
    }

    fn run(&mut self, question: &str) -> Result<Reply, Refusal> {
        let entry = self.open(question, Stage::Run)?;
        self.run_to_end(&entry, Stage::Run, Action::Run)?;
        let sitting = self.sitting()?;
        let runs = Program::ALL.into_iter().filter_map(|program| Some(ran(program.into(), sitting.run(program)?)));
        Ok(Reply::Run { runs: runs.collect::<Result<_, _>>()? })
    }

    /// Does `action` and waits for the end of the programs that it starts.
    fn run_to_end(&mut self, entry: &Entry, stage: Stage, action: Action) -> Result<(), Refusal> {
        let mut effects = update(&mut self.quiz, action);
        if self.sitting()?.blocked(stage) == Some(Blocked::SandboxUnknown) {
            effects = update(&mut self.quiz, (self.look)());
        }
        if self.sitting()?.blocked(stage).is_some() {
            let _ = update(&mut self.quiz, Action::StopRun);
            return Err(self.refusal(entry));
        }
        let start = |effect| match effect {
            Effect::Start { run, job } => Some((run, self.runner.start(job))),
            _ => None,
        };
        let started: Vec<_> = effects.into_iter().filter_map(start).collect();
        for (run, handle) in started {
            loop {
                let event = handle.next_until_end();
                let over = matches!(event, Event::Ended(_));
                let _ = update(&mut self.quiz, Action::Ran(run, event));
                if over {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Refuses a program that the peer hands in where the sandbox does not contain it. Whatever pack its question is from,
    /// someone else wrote it.
    fn may_run_what_is_handed_in(&mut self, entry: &Entry) -> Result<(), Refusal> {
        if self.trusted.contains(&entry.name.pack) {
            return Ok(());
        }
        if *self.quiz.sandbox() == Sandbox::Unknown {
            let _ = update(&mut self.quiz, (self.look)());
        }
        match self.quiz.sandbox() {
            Sandbox::Known { level, .. } if level.contains_strangers() => Ok(()),
            Sandbox::Known { why, .. } => Err(Refusal::new(
                Code::NotTrusted,
                format!("the fix for `{}` was not run: {why}", entry.name),
                format!("look at it first; then start fencepost with `--trust-pack {}`", entry.name.pack),
            )),
            Sandbox::Failed(_) | Sandbox::Unknown => Err(self.refusal(entry)),
        }
    }

    /// The reason why the programs of `entry` do not run here.
    fn refusal(&self, entry: &Entry) -> Refusal {
        let pack = &entry.name.pack;
        match self.quiz.sandbox() {
            Sandbox::Failed(why) => {
                Refusal::new(Code::Machinery, why.clone(), "`fencepost doctor` says what is missing")
            }
            Sandbox::Known { why, .. } => Refusal::new(
                Code::NotTrusted,
                format!("the pack `{pack}` did not come with fencepost, and its programs were not run: {why}"),
                format!("look at the programs first; then start fencepost with `--trust-pack {pack}`"),
            ),
            Sandbox::Unknown => Refusal::new(Code::Machinery, "the strength of the sandbox is not known", ""),
        }
    }

    fn fix(&mut self, question: &str, text: String) -> Result<Reply, Refusal> {
        let entry = self.open(question, Stage::Fix)?;
        if entry.question.checks.is_empty() {
            let message = format!("`{}` has no checks, so a fix cannot be graded", entry.name);
            return Err(Refusal::new(Code::NoChecks, message, ""));
        }
        let text = clean(&text);
        if text.trim().is_empty() {
            return Err(Refusal::new(Code::BadRequest, "the fix is empty", "write the whole program"));
        }
        if text.len() > LONGEST_FIX {
            let message = format!("the program is {} bytes long; the limit is {LONGEST_FIX}", text.len());
            return Err(Refusal::new(Code::TooLong, message, "shorten it: the end of its last line counts too"));
        }
        self.may_run_what_is_handed_in(&entry)?;
        let _ = update(&mut self.quiz, Action::Edit(text.clone()));
        // An earlier program must never be graded instead of this one.
        if self.sitting()?.repair().text() != text {
            return Err(Refusal::new(Code::Machinery, "the program was not accepted", ""));
        }
        self.run_to_end(&entry, Stage::Fix, Action::RunChecks)?;
        let sitting = self.sitting()?;
        let checked = sitting.repair().checked().ok_or_else(gone)?;
        let passed = sitting.repair().passes(&entry.question);
        let ran = ran(Role::Fix, checked.recording())?;
        Ok(Reply::Fix { passed, suspicious: ran.verdict == Verdict::Tampered, ran })
    }

    fn reveal(&mut self, question: &str) -> Result<Reply, Refusal> {
        let entry = self.open(question, Stage::Spot)?;
        let _ = update(&mut self.quiz, Action::GiveUp);
        let sitting = self.sitting()?;
        let result = match (sitting.outcome(), sitting.picks()) {
            (Some(Found::Found { pick: 1, .. }), _) => Mark::Right,
            (_, []) => Mark::Missing,
            _ => Mark::Wrong,
        };
        let question = &entry.question;
        Ok(Reply::Reveal {
            result,
            accepted: question.accepted().collect(),
            explanation: question.spot.explanation.clone(),
            repaired: question.repaired(),
            fixed: question.fixed.code.clone(),
            say: question.say.answer.clone(),
        })
    }
}

fn answered() -> Refusal {
    Refusal::new(Code::Answered, "the question is already answered", "ask for `reveal`")
}

fn gone() -> Refusal {
    Refusal::new(Code::Machinery, "the runner stopped in the middle of the program", "")
}

fn ran(program: Role, recording: &Recording) -> Result<Run, Refusal> {
    let ending = recording.ending().ok_or_else(gone)?;
    if ending.verdict == Verdict::MachineryFailed {
        let hint = "`fencepost doctor` says what is missing";
        return Err(Refusal::new(Code::Machinery, ending.detail.clone(), hint));
    }
    Ok(Run::new(program, recording, ending))
}

fn card(entry: &Entry) -> Card {
    let card = &entry.card;
    Card { question: entry.name.clone(), title: card.title.clone(), topic: card.topic.clone(), level: card.level }
}

fn shown(sitting: &Sitting) -> Question {
    let spot = &sitting.question().spot;
    Question {
        card: card(sitting.entry()),
        prompt: spot.prompt.clone(),
        ask: spot.ask,
        code: spot.code.clone(),
        prints: spot.prints.clone(),
        hints: spot.hints.len(),
        hints_open: sitting.hints(),
        picks: sitting.picks().to_vec(),
        answered: sitting.is_answered(),
    }
}
