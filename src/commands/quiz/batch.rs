//! `fencepost quiz --answers DIR`: grades a folder with one file for each learner.
//!
//! A mistake in one submission changes its own row and no other.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::commands::consent::{self, Inspect, Programs};
use crate::commands::in_order::{cores, in_order};
use crate::commands::message;
use crate::commands::quiz::answers::{Place, Wanted};
use crate::commands::quiz::table::{Table, is_csv};
use crate::commands::quiz::{Asked, answers};
use crate::content::diagnostic::Diagnostic;
use crate::content::{folders, read};
use crate::error::{Error, Exit};
use crate::runner::Sandboxed;
use crate::script::answers::{ENDINGS, Parsed, parse};
use crate::script::grading;
use crate::script::problem::Problem;
use crate::script::report::{Report, Total};
use crate::script::roster::{self, Roster};
use crate::script::table::{Learner, MACHINERY, Row};
use crate::text;

/// Learners that are graded at once for each core: while one waits for its programs, another is read and written.
const AT_ONCE: usize = 2;

/// The names of a class.
const ROSTER: Wanted = Wanted { what: "names", most: read::LARGEST, instead: "a roster is a short list of names" };

pub(super) fn run(quiz: &Asked<'_>, folder: &Path) -> Result<Exit, Error> {
    is_csv(quiz.args.format)?;
    let roster = match &quiz.args.roster {
        None => None,
        Some(path) => {
            let file = answers::file(path, &ROSTER)?;
            match file.map_err(|problem| vec![*problem]).and_then(|file| roster::parse(&file)) {
                Ok(roster) => Some(roster),
                Err(problems) => return quiz.refuse(&problems),
            }
        }
    };
    let (submissions, ignored) = submissions(folder)?;
    if submissions.is_empty() && roster.is_none() {
        return Err(Error::usage(format!("there are no answers in `{}`", folder.display()))
            .hint("each learner has one file there, ending in .toml, .json or .jsonl"));
    }
    for name in ignored {
        message(&format!("ignored: {} (expected .toml, .json or .jsonl)\n", text::line(&name)));
    }
    let batch = Batch { quiz, folder, runner: quiz.session.runner()?, contained: OnceLock::new() };
    batch.grade(&entrants(submissions, roster.as_ref()))
}

/// A learner who has a row in the table.
struct Entrant {
    learner: Learner,
    /// The file, where one was handed in.
    path: Option<PathBuf>,
    /// True if there is another file under the same name.
    twice: bool,
}

/// All learners who handed something in or are on the roster, by name.
fn entrants(submissions: Vec<Submission>, roster: Option<&Roster>) -> Vec<Entrant> {
    let mut files: BTreeMap<String, Vec<Submission>> = BTreeMap::new();
    for name in roster.iter().flat_map(|roster| roster.names()) {
        files.insert(name.to_owned(), Vec::new());
    }
    for submission in submissions {
        files.entry(answers::stem(&submission.path)).or_default().push(submission);
    }
    let mut entrants = Vec::new();
    for (name, files) in files {
        let on_roster = roster.map(|roster| roster.has(&name));
        let learner = |file: Option<String>| Learner { name: name.clone(), handed_in: file.is_some(), file, on_roster };
        let twice = files.len() > 1;
        if files.is_empty() {
            entrants.push(Entrant { learner: learner(None), path: None, twice });
        }
        for Submission { file, path } in files {
            entrants.push(Entrant { learner: learner(Some(file)), path: Some(path), twice });
        }
    }
    entrants
}

/// A file with one learner's answers.
struct Submission {
    file: String,
    path: PathBuf,
}

/// The submissions by name, and the names of other files. Hidden files and folders are neither.
fn submissions(folder: &Path) -> Result<(Vec<Submission>, Vec<String>), Error> {
    let failed = |error: io::Error| {
        Error::usage(format!("cannot read `{}`", folder.display()))
            .hint("check the name and the permissions")
            .because(error)
    };
    let mut submissions = Vec::new();
    let mut others = Vec::new();
    for entry in folders::entries(folder).map_err(failed)? {
        let file = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let path = entry.path();
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
        if ENDINGS.contains(&ending.as_str()) {
            submissions.push(Submission { file, path });
        } else {
            others.push(file);
        }
    }
    Ok((submissions, others))
}

struct Batch<'a> {
    quiz: &'a Asked<'a>,
    folder: &'a Path,
    runner: Sandboxed,
    /// The gaps of the sandbox, if it does not contain someone else's programs.
    contained: OnceLock<Result<Option<String>, String>>,
}

impl Batch<'_> {
    fn grade(&self, entrants: &[Entrant]) -> Result<Exit, Error> {
        let questions = self.quiz.questions.iter().map(|entry| entry.name.clone()).collect();
        let mut table = Table::begin(self.quiz.args.format, questions, entrants.len())?;
        let reported = in_order(entrants, cores() * AT_ONCE, |entrant| self.row(entrant), |row| table.tell(&row));
        if reported.is_err() {
            table.leave();
        }
        reported?;
        Ok(table.end())
    }

    fn row(&self, entrant: &Entrant) -> Row {
        let report = match &entrant.path {
            None => self.ungraded(Vec::new()),
            Some(path) => self.graded(entrant, path).unwrap_or_else(|problems| self.ungraded(problems)),
        };
        Row { learner: entrant.learner.clone(), report }
    }

    /// The report where nothing is graded: everything that was asked counts as not answered.
    fn ungraded(&self, problems: Vec<Problem>) -> Report {
        let (questions, terms) = (&self.quiz.questions, self.quiz.terms());
        let of = questions.iter().map(|entry| grading::worth(entry, terms.weights)).sum();
        let asked = questions.len();
        let total = Total { passed: false, score: 0, of, percent: 0, right: 0, asked, suspicious: false };
        Report { total, terms, questions: Vec::new(), problems }
    }

    fn graded(&self, Entrant { learner, twice, .. }: &Entrant, path: &Path) -> Result<Report, Vec<Problem>> {
        let of_file = |code, message, hint: &str| Err(vec![Problem::of_file(code, message, hint.to_owned())]);
        let Learner { name, file, .. } = learner;
        if *twice {
            let message = format!("`{name}` has more than one file");
            return of_file("duplicate_answer", message, "keep one file for each learner");
        }
        // A link would hand in another learner's file under this one's name.
        if answers::is_link(path) {
            let message = format!("`{}` is a link", file.as_deref().unwrap_or_default());
            return of_file("link_outside", message, "put the file itself there");
        }
        let root = self.folder.canonicalize().map_err(|error| {
            machinery(Error::machinery(format!("cannot read `{}`: {error}", self.folder.display())))
        })?;
        let listed = |problems: &[Diagnostic]| problems.iter().map(Problem::from).collect::<Vec<_>>();
        let source = answers::submission(&root, path).map_err(|problem| listed(&[*problem]))?;
        // A learner's programs are in a folder of the learner's name, so that nobody hands in another learner's.
        let place = Place { folder: self.folder, learner: Some(name) };
        let (catalog, lenient) = (&self.quiz.catalog, self.quiz.args.lenient);
        let Parsed { answers, problems } =
            parse(&source, catalog, &|name| place.program(name), lenient).map_err(|problems| listed(&problems))?;
        let trusted = &self.quiz.session.global.trust_pack;
        for entry in self.quiz.with_fix(&answers) {
            if !Programs::HandedIn.run_anywhere(entry, trusted)
                && let Some(why) = self.lacking().map_err(machinery)?
            {
                let message = format!("the fix for `{}` was not run: {why}", entry.name);
                return of_file(
                    "not_contained",
                    message,
                    &format!("`--trust-pack {}` runs it anyway", entry.name.pack),
                );
            }
        }
        let graded = self.quiz.graded(&answers, &self.runner, |_| Ok(())).map_err(machinery)?;
        Ok(grading::report(graded, self.quiz.terms(), listed(&problems)))
    }

    /// Looks when the first program is to run. Someone else wrote every submission, whatever pack its question is from.
    fn lacking(&self) -> Result<Option<&String>, Error> {
        let looked = self.contained.get_or_init(|| {
            let (level, missing) = Inspect::inspect(&self.runner).map_err(|error| error.message)?;
            Ok((!level.contains_strangers()).then(|| consent::reasons(level, &missing)))
        });
        looked.as_ref().map(Option::as_ref).map_err(|why| Error::machinery(why.clone()))
    }
}

/// The problem of a submission that this machine could not grade.
fn machinery(error: Error) -> Vec<Problem> {
    vec![Problem::of_file(MACHINERY, error.message, error.hints.join("; "))]
}
