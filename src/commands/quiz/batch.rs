//! `fencepost quiz --answers DIR`: grades a folder with one file for each learner.
//!
//! Owns what a row of the table is. What is wrong with one submission is its row and nothing else; the programs of a
//! submission are a stranger's.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::cli::ReportFormat;
use crate::commands::consent::{self, Inspect, Programs};
use crate::commands::in_order::{cores, in_order};
use crate::commands::progress::Progress;
use crate::commands::quiz::answers::Place;
use crate::commands::quiz::{Asked, answers};
use crate::commands::{json_line, message, print};
use crate::error::{Error, Exit};
use crate::runner::Sandboxed;
use crate::script::grading;
use crate::script::report::FORMAT;
use crate::script::table::{Problem, Row, ungraded};
use crate::text;

/// The endings of files with answers.
const ENDINGS: [&str; 3] = ["toml", "json", "jsonl"];

/// Learners that are graded at once for each core: while one waits for its programs, another is read and written.
const AT_ONCE: usize = 2;

pub(super) fn run(quiz: &Asked<'_>, folder: &Path) -> Result<Exit, Error> {
    if !matches!(quiz.args.format, None | Some(ReportFormat::Jsonl)) {
        return Err(Error::usage("a folder of answers becomes a table in JSON lines, not a report in this format")
            .hint("leave `--format` out, or grade one file"));
    }
    let (submissions, passed_over) = submissions(folder)?;
    if submissions.is_empty() {
        return Err(Error::usage(format!("there are no answers in `{}`", folder.display()))
            .hint("each learner has one file there, ending in .toml, .json or .jsonl"));
    }
    for name in passed_over {
        message(&format!("passed over: {}\n", text::line(&name)));
    }
    let batch = Batch { quiz, folder, runner: quiz.session.runner()?, contained: OnceLock::new() };
    batch.grade(&submissions)
}

/// A file with one learner's answers.
struct Submission {
    learner: String,
    file: String,
    path: PathBuf,
}

/// The submissions by name, and the files that are none. Hidden files and folders are neither.
fn submissions(folder: &Path) -> Result<(Vec<Submission>, Vec<String>), Error> {
    let failed = |error: io::Error| {
        Error::usage(format!("cannot read `{}`", folder.display()))
            .hint("check the name and the permissions")
            .because(error)
    };
    let mut submissions = Vec::new();
    let mut others = Vec::new();
    for entry in folder.read_dir().map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let file = entry.file_name().to_string_lossy().into_owned();
        if file.starts_with('.') || entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let path = entry.path();
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
        if !ENDINGS.contains(&ending.as_str()) {
            others.push(file);
            continue;
        }
        let learner = path.file_stem().map_or_else(|| file.clone(), |stem| stem.to_string_lossy().into_owned());
        submissions.push(Submission { learner, file, path });
    }
    submissions.sort_by(|one, other| one.file.cmp(&other.file));
    others.sort();
    Ok((submissions, others))
}

struct Batch<'a> {
    quiz: &'a Asked<'a>,
    folder: &'a Path,
    runner: Sandboxed,
    /// What the sandbox lacks to keep strangers' programs from files and network; nothing where it keeps them.
    contained: OnceLock<Result<Option<String>, String>>,
}

impl Batch<'_> {
    fn grade(&self, submissions: &[Submission]) -> Result<Exit, Error> {
        let mut tally = Tally::new(submissions.len());
        let row = |submission: &Submission| self.row(submission, submissions);
        let told = in_order(submissions, cores() * AT_ONCE, row, |graded| tally.tell(&graded));
        tally.progress.clear();
        told?;
        message(&tally.summary());
        Ok(tally.exit())
    }

    fn row(&self, submission: &Submission, all: &[Submission]) -> Graded {
        match self.graded(submission, all) {
            Ok(row) => Graded { row, machinery: false },
            Err(Refusal::Submission(problems)) => Graded { row: self.ungraded(submission, problems), machinery: false },
            Err(Refusal::Machinery(error)) => {
                let hint = error.hints.join("; ");
                let problem = problem("machinery", error.message, hint);
                Graded { row: self.ungraded(submission, vec![problem]), machinery: true }
            }
        }
    }

    fn graded(&self, submission: &Submission, all: &[Submission]) -> Result<Row, Refusal> {
        let Submission { learner, file, path } = submission;
        if all.iter().any(|other| other.learner == *learner && other.file != *file) {
            let message = format!("`{learner}` has more than one file");
            let hint = "keep one file for each learner".to_owned();
            return Err(Refusal::Submission(vec![problem("duplicate_answer", message, hint)]));
        }
        // A link would hand in another learner's file under this one's name.
        if answers::is_link(path) {
            let message = format!("`{file}` is a link");
            return Err(Refusal::Submission(vec![problem(
                "link_outside",
                message,
                "put the file itself there".to_owned(),
            )]));
        }
        let root = self.folder.canonicalize().map_err(|error| {
            Refusal::Machinery(Error::machinery(format!("cannot read `{}`: {error}", self.folder.display())))
        })?;
        let source =
            answers::submission(&root, path).map_err(|problem| Refusal::Submission(vec![(&*problem).into()]))?;
        // A learner's programs are in a folder of the learner's name, so that nobody hands in another one's.
        let place = Place { folder: self.folder, learner: Some(learner) };
        let catalog = &self.quiz.catalog;
        let read_fix = |name: &str| place.program(name);
        let answers = crate::script::answers::parse(&source, catalog, &read_fix)
            .map_err(|problems| Refusal::Submission(problems.iter().map(Problem::from).collect()))?;
        let trusted = &self.quiz.session.global.trust_pack;
        for entry in &self.quiz.questions {
            let runs = answers.get(&entry.name).is_some_and(|answer| answer.fix.is_some());
            if runs
                && !Programs::HandedIn.run_anywhere(entry, trusted)
                && let Some(why) = self.lacking()?
            {
                let message = format!("the fix for `{}` was not run: {why}", entry.name);
                let hint = format!("`--trust-pack {}` runs it all the same", entry.name.pack);
                return Err(Refusal::Submission(vec![problem("not_contained", message, hint)]));
            }
        }
        let rules = self.quiz.rules();
        let questions = &self.quiz.questions;
        let graded = grading::grade_all(catalog, questions, &answers, &rules, &self.runner, |_| Ok(()))
            .map_err(Refusal::Machinery)?;
        Ok(Row {
            format: FORMAT,
            learner: learner.clone(),
            file: file.clone(),
            total: grading::total(&graded, rules.pass_mark),
            terms: self.quiz.terms(),
            questions: graded,
            problems: Vec::new(),
        })
    }

    /// Asked when the first program is to run. Every submission is a stranger's, whatever pack its question is from.
    fn lacking(&self) -> Result<Option<&String>, Refusal> {
        let looked = self.contained.get_or_init(|| {
            let (level, missing) = Inspect::inspect(&self.runner).map_err(|error| error.message)?;
            Ok((!level.contains_strangers()).then(|| consent::reasons(level, &missing)))
        });
        looked.as_ref().map(Option::as_ref).map_err(|why| Refusal::Machinery(Error::machinery(why.clone())))
    }

    fn ungraded(&self, submission: &Submission, problems: Vec<Problem>) -> Row {
        let questions = &self.quiz.questions;
        let of = questions.iter().map(|entry| grading::worth(entry, self.quiz.rules().weights)).sum();
        let Submission { learner, file, .. } = submission;
        ungraded(learner.clone(), file.clone(), questions.len(), of, self.quiz.terms(), problems)
    }
}

/// Why a submission has no grade.
enum Refusal {
    /// It is wrong itself.
    Submission(Vec<Problem>),
    /// It could not be graded, which is nobody's fault but ours.
    Machinery(Error),
}

struct Graded {
    row: Row,
    machinery: bool,
}

fn problem(code: &str, message: String, hint: String) -> Problem {
    Problem { code: code.to_owned(), line: None, column: None, message, hint }
}

/// What was told so far.
struct Tally {
    of: usize,
    passed: usize,
    refused: usize,
    machinery: usize,
    progress: Progress,
}

impl Tally {
    fn new(of: usize) -> Self {
        let progress = Progress::new();
        progress.begin("grading", of);
        Self { of, passed: 0, refused: 0, machinery: 0, progress }
    }

    /// Prints a row.
    fn tell(&mut self, Graded { row, machinery }: &Graded) -> Result<(), Error> {
        self.progress.clear();
        print(&json_line(row)?)?;
        self.passed += usize::from(row.total.passed);
        self.refused += usize::from(!row.problems.is_empty());
        self.machinery += usize::from(*machinery);
        self.progress.step();
        Ok(())
    }

    fn summary(&self) -> String {
        let refused = match self.refused {
            0 => String::new(),
            1 => "; 1 could not be graded".to_owned(),
            many => format!("; {many} could not be graded"),
        };
        format!("{} of {} passed{refused}\n", self.passed, self.of)
    }

    fn exit(&self) -> Exit {
        if self.machinery > 0 {
            Exit::Machinery
        } else if self.passed < self.of {
            Exit::Failed
        } else {
            Exit::Done
        }
    }
}
