//! `fencepost quiz`: grades answers, or hands out questions. The rules are in `script/`.

mod answers;
mod ask;
mod batch;
mod choice;
mod flags;
mod merge;
mod output;
mod serve;
mod table;

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::cli::{Quiz, QuizCommand, ReportFormat};
use crate::commands::quiz::answers::Place;
use crate::commands::{Session, has_errors, json_line, message, print, terminal, width};
use crate::content::catalog::{Catalog, Entry};
use crate::content::diagnostic::{Diagnostic, SourceFile, codes};
use crate::content::render;
use crate::error::{Error, Exit};
use crate::runner::Sandboxed;
use crate::script::answers::{Answers, Parsed};
use crate::script::blank;
use crate::script::grading;
use crate::script::problem::Problem;
use crate::script::report::{Event, FORMAT, Graded, Terms, why_empty};
use crate::script::table::Learner;
use crate::text as safe;

pub(super) fn run(session: &Session, args: &Quiz) -> Result<Exit, Error> {
    if let Some(QuizCommand::Merge(args)) = &args.command {
        return merge::run(args);
    }
    flags::refuse_without_effect(args)?;
    let catalog = Arc::new(session.catalog()?);
    let questions = choice::choose(&catalog, args)?;
    if args.serve_stdio {
        return serve::run(session, &catalog, questions);
    }
    let quiz = Asked { session, args, catalog, questions };
    let exit = if args.blank { quiz.blank()? } else { quiz.run()? };
    // A quiz over all questions would not show that one is missing.
    let incomplete = args.questions.is_empty() && has_errors(&quiz.catalog);
    Ok(if incomplete && matches!(exit, Exit::Done | Exit::Failed) { Exit::Content } else { exit })
}

/// A quiz with its questions.
struct Asked<'a> {
    session: &'a Session,
    args: &'a Quiz,
    catalog: Arc<Catalog>,
    questions: Vec<Arc<Entry>>,
}

impl Asked<'_> {
    fn blank(&self) -> Result<Exit, Error> {
        let template = blank::template(&self.questions)
            .map_err(|why| Error::usage(why).hint("ask for fewer: `--limit`, `--partition`, or name the questions"))?;
        print(&template)?;
        Ok(Exit::Done)
    }

    fn run(&self) -> Result<Exit, Error> {
        let nobody = Learner { name: String::new(), file: None, handed_in: true, on_roster: None };
        match &self.args.answers {
            Some(path) if path.as_os_str() == "-" => self.grade_file(answers::standard_input()?, Path::new(""), nobody),
            Some(path) if path.is_dir() => batch::run(self, path),
            Some(path) => {
                // Looked at first: of a pipe that was read to its end, nothing may be left.
                let folder = answers::folder(path);
                let learner = answers::learner(path).unwrap_or(nobody);
                self.grade_file(answers::file(path, &answers::ANSWERS)?, folder, learner)
            }
            None if io::stdin().is_terminal() && io::stderr().is_terminal() => {
                self.refuse_what_lines_cannot_pass()?;
                let asking = watch_interruption()?;
                // Not locked: an interruption is reported there too.
                let spoken = terminal::is_dumb();
                let answers = ask::ask(&self.questions, &mut io::stdin().lock(), &mut io::stderr(), spoken)?;
                asking.store(false, Ordering::SeqCst);
                self.grade(&answers, Vec::new(), nobody)
            }
            None => Err(Error::usage("no answers, and no terminal to ask on")
                .hint("name a file with `--answers FILE`, or `--answers -` for standard input")
                .hint("`fencepost quiz --blank` prints a file to fill in")),
        }
    }

    /// A terminal asks for no fix, so a quiz that cannot be passed without one is refused.
    fn refuse_what_lines_cannot_pass(&self) -> Result<(), Error> {
        let Terms { weights, pass_mark, .. } = self.terms();
        let lines = self.questions.len() as u64 * u64::from(weights.line);
        let of = self.questions.iter().map(|entry| grading::worth(entry, weights)).sum();
        if pass_mark.is_reached(lines, of) {
            return Ok(());
        }
        let most = format!("right lines alone score {lines} of {of}, and {pass_mark} % pass");
        Err(Error::usage(format!("a terminal asks for lines, not for fixes: {most}"))
            .hint("hand the fixes in: `fencepost quiz --blank` prints a file to fill in, `--answers FILE` grades it")
            .hint("or leave the fix out of `--weights`, or lower `--pass-mark`"))
    }

    fn terms(&self) -> Terms {
        let partition = self.args.partition.map(|partition| partition.to_string());
        Terms {
            lenient: self.args.lenient,
            pass_mark: self.args.pass_mark.unwrap_or_default(),
            weights: self.args.weights.unwrap_or_default(),
            seed: self.args.seed,
            why_empty: why_empty(self.questions.len(), partition.as_deref()),
            partition,
        }
    }

    /// Grades the answers in `file`, whose repaired programs are in `folder`.
    fn grade_file(
        &self,
        file: Result<Arc<SourceFile>, Box<Diagnostic>>,
        folder: &Path,
        learner: Learner,
    ) -> Result<Exit, Error> {
        let parsed = match file {
            Ok(file) => {
                let place = Place { folder, learner: None };
                crate::script::answers::parse(&file, &self.catalog, &|name| place.program(name), self.args.lenient)
            }
            Err(problem) => Err(vec![*problem]),
        };
        match parsed {
            Ok(Parsed { answers, problems }) => {
                self.grade(&answers, problems.iter().map(Problem::from).collect(), learner)
            }
            Err(problems) => self.refuse(&problems),
        }
    }

    /// Lists the mistakes in a file that the user named.
    fn refuse(&self, problems: &[Diagnostic]) -> Result<Exit, Error> {
        let unread = [codes::UNREADABLE, codes::NOT_A_FILE, codes::LINK_OUTSIDE, codes::TOO_LARGE];
        match problems {
            // There is no line to show.
            [problem] if problem.file.text.is_empty() && unread.contains(&problem.code) => {
                Err(Error::usage(problem.message.clone()).hint(problem.help.clone()))
            }
            _ => {
                let colour = self.session.colour(&io::stderr());
                let line = |words: &str| safe::line(words).into_owned();
                message(&render::diagnostics(problems, line, colour, width()));
                Ok(Exit::Usage)
            }
        }
    }

    /// The questions to which `answers` has a fix.
    fn with_fix(&self, answers: &Answers) -> impl Iterator<Item = &Arc<Entry>> {
        self.questions.iter().filter(|entry| answers.get(&entry.name).is_some_and(|answer| answer.fix.is_some()))
    }

    fn graded(
        &self,
        answers: &Answers,
        runner: &Sandboxed,
        tell: impl FnMut(&Graded) -> Result<(), Error>,
    ) -> Result<Vec<Graded>, Error> {
        let (weights, times) = (self.terms().weights, !self.args.no_times);
        grading::grade_all(&self.questions, answers, weights, times, runner, tell)
    }

    fn grade(&self, answers: &Answers, problems: Vec<Problem>, learner: Learner) -> Result<Exit, Error> {
        let runner = self.session.runner()?;
        self.with_fix(answers).try_for_each(|entry| self.session.may_run_handed_in(entry, &runner))?;
        let format = self.args.format.unwrap_or(ReportFormat::Text);
        let terms = self.terms();
        let tell = |event: Event<'_>| match format {
            ReportFormat::Jsonl => print(&json_line(&event)?),
            _ => Ok(()),
        };
        tell(Event::Started { format: FORMAT, asked: self.questions.len(), terms: &terms, problems: &problems })?;
        let tell_graded = |graded: &Graded| tell(Event::Graded(graded));
        let graded = self.graded(answers, &runner, tell_graded)?;
        let report = grading::report(graded, terms, problems);
        tell(Event::Finished(&report.total))?;
        let exit = if report.total.passed { Exit::Done } else { Exit::Failed };
        if format != ReportFormat::Jsonl {
            print(&output::written(report, format, learner)?)?;
        }
        Ok(exit)
    }
}

/// Watches for Ctrl-C while questions are asked: it reports that nothing was graded, and ends this program as always. The
/// report is left out once the value is false.
fn watch_interruption() -> Result<Arc<AtomicBool>, Error> {
    let asking = Arc::new(AtomicBool::new(true));
    #[cfg(unix)]
    {
        let failed = |error: io::Error| Error::machinery("cannot set up signals").because(error);
        let mut signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGINT]).map_err(failed)?;
        let watched = Arc::clone(&asking);
        let watch = move || {
            for signal in signals.forever() {
                if watched.load(Ordering::SeqCst) {
                    message("\nInterrupted. Nothing was graded.\n");
                }
                // It ends this program.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        };
        std::thread::Builder::new().name("interruption".into()).spawn(watch).map_err(failed)?;
    }
    Ok(asking)
}
