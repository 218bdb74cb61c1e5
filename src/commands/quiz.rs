//! `fencepost quiz`: grades answers, or hands out what is to be answered.
//!
//! Owns where answers come from and where the report goes; the rules are `script/`.

mod answers;
mod ask;
mod batch;
mod serve;

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::cli::{Quiz, ReportFormat};
use crate::commands::{Session, find, has_errors, json, json_line, message, print, terminal, width};
use crate::content::catalog::{Catalog, Entry};
use crate::content::render;
use crate::content::suggestion::closest;
use crate::error::{Error, Exit};
use crate::script::answers::Answers;
use crate::script::grading::{self, Rules};
use crate::script::report::{Event, FORMAT, Terms};
use crate::script::selection::{Selection, slug};
use crate::script::{blank, junit, tap, text};
use crate::tui::text as safe;

pub(super) fn run(session: &Session, args: &Quiz) -> Result<Exit, Error> {
    let catalog = Arc::new(session.catalog()?);
    let questions = select(&catalog, args)?;
    if args.blank {
        print(&blank::template(&questions).map_err(|why| {
            Error::usage(why).hint("ask for fewer: `--limit`, `--partition`, or name the questions")
        })?)?;
        return Ok(Exit::Done);
    }
    if args.serve_stdio {
        return serve::run(session, &catalog, questions);
    }
    let quiz = Asked { session, args, catalog, questions };
    let exit = quiz.run()?;
    // Whoever asks for all there is would not see that a question is gone.
    let incomplete = args.questions.is_empty() && has_errors(&quiz.catalog);
    Ok(if incomplete && matches!(exit, Exit::Done | Exit::Failed) { Exit::Content } else { exit })
}

/// A quiz whose questions are settled.
struct Asked<'a> {
    session: &'a Session,
    args: &'a Quiz,
    catalog: Arc<Catalog>,
    questions: Vec<Arc<Entry>>,
}

impl Asked<'_> {
    fn run(&self) -> Result<Exit, Error> {
        match &self.args.answers {
            Some(path) if path.as_os_str() == "-" => self.grade_file(answers::standard_input()?, Path::new("")),
            Some(path) if path.is_dir() => batch::run(self, path),
            Some(path) => {
                let folder = path.parent().unwrap_or(Path::new(""));
                self.grade_file(answers::file(path)?, folder)
            }
            None if io::stdin().is_terminal() && io::stderr().is_terminal() => {
                let interrupted = Interruption::watch()?;
                // Not locked: an interruption is told there too.
                let spoken = terminal::is_dumb();
                let answers = ask::ask(&self.questions, &mut io::stdin().lock(), &mut io::stderr(), spoken)?;
                interrupted.is_told_no_more();
                self.grade(&answers)
            }
            None => Err(Error::usage("there are no answers, and no terminal to ask on")
                .hint("name a file with `--answers FILE`, or `--answers -` for standard input")
                .hint("`fencepost quiz --blank` prints a file to fill in")),
        }
    }

    fn rules(&self) -> Rules {
        Rules { weights: self.args.weights, pass_mark: self.args.pass_mark }
    }

    fn terms(&self) -> Terms {
        Terms {
            pass_mark: self.args.pass_mark.percent(),
            weights: self.args.weights,
            seed: self.args.seed,
            partition: self.args.partition.map(|partition| partition.to_string()),
        }
    }

    /// Grades the answers in `file`, whose repaired programs are in `folder`.
    fn grade_file(&self, file: Arc<crate::content::diagnostic::SourceFile>, folder: &Path) -> Result<Exit, Error> {
        match answers::parse(&file, &self.catalog, folder) {
            Ok(answers) => self.grade(&answers),
            Err(problems) => {
                let colour = self.session.colour(&io::stderr());
                let line = |words: &str| safe::line(words).into_owned();
                message(&render::diagnostics(&problems, line, colour, width()));
                Ok(Exit::Usage)
            }
        }
    }

    fn grade(&self, answers: &Answers) -> Result<Exit, Error> {
        let runner = self.session.runner()?;
        for entry in &self.questions {
            if answers.get(&entry.name).is_some_and(|answer| answer.fix.is_some()) {
                self.session.may_run_handed_in(entry, &runner)?;
            }
        }
        let format = self.args.format.unwrap_or(ReportFormat::Text);
        let (terms, rules) = (self.terms(), self.rules());
        let tell = |event: Event<'_>| match format {
            ReportFormat::Jsonl => print(&json_line(&event)?),
            _ => Ok(()),
        };
        tell(Event::Started { format: FORMAT, asked: self.questions.len(), terms: &terms })?;
        let graded = grading::grade_all(&self.catalog, &self.questions, answers, &rules, &runner, |graded| {
            tell(Event::Graded(graded))
        })?;
        let report = grading::report(graded, terms, rules.pass_mark);
        tell(Event::Finished(&report.total))?;
        print(&match format {
            ReportFormat::Text => safe::block(&text::page(&report)).into_owned(),
            ReportFormat::Json => json(&report)?,
            ReportFormat::Junit => junit::document(&report),
            ReportFormat::Tap => tap::document(&report),
            ReportFormat::Jsonl => String::new(),
        })?;
        Ok(if report.total.passed { Exit::Done } else { Exit::Failed })
    }
}

/// Says what Ctrl-C comes to while questions are asked, before it ends this program as it always does.
struct Interruption(Arc<AtomicBool>);

impl Interruption {
    #[cfg(unix)]
    fn watch() -> Result<Self, Error> {
        let failed = |error: io::Error| Error::machinery("signals cannot be set up").because(error);
        let mut signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGINT]).map_err(failed)?;
        let asking = Arc::new(AtomicBool::new(true));
        let told = Arc::clone(&asking);
        let watch = move || {
            for signal in signals.forever() {
                if told.load(Ordering::SeqCst) {
                    message("\nLeft. Nothing was graded.\n");
                }
                // It ends this program.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        };
        std::thread::Builder::new().name("interruption".into()).spawn(watch).map_err(failed)?;
        Ok(Self(asking))
    }

    #[cfg(not(unix))]
    fn watch() -> Result<Self, Error> {
        Ok(Self(Arc::new(AtomicBool::new(true))))
    }

    fn is_told_no_more(&self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

/// The questions that the user chose, each once and in order.
fn select(catalog: &Catalog, args: &Quiz) -> Result<Vec<Arc<Entry>>, Error> {
    let mut named: Vec<Arc<Entry>> = Vec::new();
    for text in &args.questions {
        let entry = find(catalog, text)?;
        if !named.iter().any(|earlier| earlier.name == entry.name) {
            named.push(entry.clone());
        }
    }
    if args.questions.is_empty() {
        named.clone_from(&catalog.questions);
    }
    for topic in &args.topic {
        known_topic(catalog, topic)?;
    }
    let selection = Selection {
        topics: args.topic.clone(),
        levels: args.level.clone(),
        partition: args.partition,
        seed: args.seed,
        limit: args.limit,
    };
    let matching = selection.matching(named);
    if matching.is_empty() {
        return Err(if catalog.questions.is_empty() {
            Error::content("there is no question to ask")
        } else {
            Error::usage("no question is of that topic and level")
                .hint("`fencepost list` shows both for every question")
        });
    }
    // A part of few questions may be empty. That is no mistake of the job that got it.
    Ok(selection.drawn(matching))
}

fn known_topic(catalog: &Catalog, typed: &str) -> Result<(), Error> {
    let topics: Vec<String> = catalog.questions.iter().map(|entry| slug(&entry.card.topic)).collect();
    if topics.contains(&slug(typed)) {
        return Ok(());
    }
    let names: Vec<&str> = topics.iter().map(String::as_str).collect();
    let error = Error::usage(format!("no question has the topic `{typed}`"));
    Err(match closest(&slug(typed), &names).first() {
        Some(close) => error.hint(format!("did you mean `{close}`?")),
        None => error.hint("`fencepost list` shows the topic of every question"),
    })
}
