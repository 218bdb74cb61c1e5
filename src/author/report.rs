//! The report of `author check`: as text, as JSON, and as commands that GitHub shows beside changed lines.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;

use crate::content::diagnostic::{Diagnostic, Severity, SourceFile, codes};
use crate::content::question::{Question, QuestionName};
use crate::content::render;
use crate::error::Exit;
use crate::runner;
use crate::text::counted;

/// Everything that a check found.
#[derive(Default)]
pub(crate) struct Report {
    /// The packs by name, with their own problems.
    pub(crate) packs: Vec<(String, Vec<Diagnostic>)>,
    pub(crate) questions: Vec<Examined>,
    /// The interpreters that ran programs.
    pub(crate) engines: Vec<Engine>,
    /// The version of mypy, if it was run.
    pub(crate) mypy: Option<String>,
    /// Requested work that could not be done, and why.
    pub(crate) not_done: Vec<String>,
}

/// An interpreter that proofs were made on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Engine {
    pub(crate) engine: runner::Engine,
    /// True if the order of sets differs between its runs, so that a printed set is noticed.
    pub(crate) set_order_proved: bool,
}

/// A question and what was found.
pub(crate) struct Examined {
    /// The place of its pack in the report.
    pub(crate) pack: usize,
    pub(crate) name: QuestionName,
    pub(crate) file: Arc<SourceFile>,
    /// The question, if it can be used.
    pub(crate) question: Option<Arc<Question>>,
    pub(crate) problems: Vec<Diagnostic>,
    /// Problems of its stamp, while a new one may be written.
    pub(crate) stamp: Vec<Diagnostic>,
    /// The number of its different programs that were run.
    pub(crate) programs: usize,
    /// The versions of the CPythons that it was proved on, the oldest first.
    pub(crate) cpython: Vec<String>,
    /// True if mypy has checked both programs.
    pub(crate) typed: bool,
    /// True if a stamp was written.
    pub(crate) stamped: bool,
}

impl Examined {
    /// True if the file had a stamp when it was read, and it still matches.
    fn carries_stamp(&self) -> bool {
        let is_stale = |problem: &Diagnostic| problem.code == codes::STALE_STAMP;
        let carries = self.question.as_ref().is_some_and(|question| question.verified.is_some());
        carries && !self.problems.iter().chain(&self.stamp).any(is_stale)
    }
}

/// True if there is an error.
pub(crate) fn has_errors(problems: &[Diagnostic]) -> bool {
    problems.iter().any(|problem| problem.severity == Severity::Error)
}

fn count(problems: &[Diagnostic], severity: Severity) -> usize {
    problems.iter().filter(|problem| problem.severity == severity).count()
}

impl Report {
    /// Puts the problems of each question into the order of its file.
    pub(crate) fn sort(&mut self) {
        for examined in &mut self.questions {
            examined.problems.sort_by_key(|problem| (problem.span.start, problem.span.end));
        }
    }

    /// Every problem: pack by pack, first those of the pack itself.
    fn problems(&self) -> Vec<Diagnostic> {
        let mut all = Vec::new();
        for (place, (_, problems)) in self.packs.iter().enumerate() {
            all.extend(problems.iter().cloned());
            let theirs = self.questions.iter().filter(|examined| examined.pack == place);
            all.extend(theirs.flat_map(|examined| examined.problems.iter().cloned()));
        }
        all
    }

    /// The number of different programs that were run.
    fn programs(&self) -> usize {
        self.questions.iter().map(|examined| examined.programs).sum()
    }

    pub(crate) fn exit(&self) -> Exit {
        let unusable = self.packs.iter().any(|(_, problems)| has_errors(problems))
            || self.questions.iter().any(|examined| examined.question.is_none());
        if !self.not_done.is_empty() {
            Exit::Machinery
        } else if unusable {
            Exit::Content
        } else if self.questions.iter().any(|examined| has_errors(&examined.problems)) {
            Exit::Failed
        } else {
            Exit::Done
        }
    }

    pub(crate) fn text(&self, safe: impl Fn(&str) -> String, colour: bool, width: usize) -> String {
        let problems = self.problems();
        let mut out = render::diagnostics(&problems, safe, colour, width);
        if !out.is_empty() {
            out.push('\n');
        }
        let _ = writeln!(out, "{}, {}", counted(self.questions.len(), "question"), counted(self.programs(), "program"));
        let several = self.engines.iter().filter(|it| it.set_order_proved).count() > 1;
        for Engine { engine, set_order_proved } in &self.engines {
            let _ = write!(out, "ran on {} {}", engine.name, engine.version);
            if engine.version != engine.python {
                let _ = write!(out, ", Python {}", engine.python);
            }
            if several && *set_order_proved {
                let theirs = self.questions.iter().filter(|it| it.cpython.contains(&engine.python)).count();
                let _ = write!(out, " on {}", counted(theirs, "question"));
            }
            let order = if *set_order_proved { "" } else { "; set order not tested (needs CPython)" };
            let _ = writeln!(out, ", sandbox {}{order}", engine.sandbox);
        }
        if let Some(version) = &self.mypy {
            let typed = self.questions.iter().filter(|examined| examined.typed).count();
            let _ = writeln!(out, "ran mypy {version} --strict on {}", counted(typed, "question"));
        }
        let on_cpython = self.engines.iter().any(|it| it.set_order_proved);
        out.push_str(match (self.exit(), on_cpython, self.mypy.is_some()) {
            (Exit::Done, false, false) => "add `--python auto` and `--mypy` to prove more\n",
            (Exit::Done, true, false) => "add `--mypy` to prove more\n",
            (Exit::Done, false, true) => "add `--python auto` to prove more\n",
            _ => "",
        });
        let stamped = self.questions.iter().filter(|examined| examined.stamped).count();
        if stamped > 0 {
            let _ = writeln!(out, "stamped {}", counted(stamped, "question"));
        }
        let unproved = self.questions.iter().filter(|examined| examined.question.is_none()).count();
        if unproved > 0 {
            let _ = writeln!(out, "not run, because of errors: {}", counted(unproved, "question"));
        }
        out.push_str(match self.exit() {
            Exit::Done if count(&problems, Severity::Warning) == 0 => "no problems\n",
            Exit::Done => "passed, with warnings\n",
            _ => "not passed\n",
        });
        out
    }

    pub(crate) fn document(&self) -> Document<'_> {
        let problem = |problem: &Diagnostic| {
            let (line, column) = problem.position();
            let [expected, seen] = problem.results.clone().map_or([None, None], |results| results.map(Some));
            Problem {
                code: problem.code.0,
                severity: problem.severity.word(),
                file: problem.file.path.display().to_string(),
                line,
                column,
                message: problem.message.clone(),
                label: problem.label.clone(),
                notes: problem.notes.clone(),
                expected,
                seen,
                help: problem.help.clone(),
            }
        };
        let question = |examined: &Examined| Checked {
            question: examined.name.clone(),
            file: examined.file.path.display().to_string(),
            errors: count(&examined.problems, Severity::Error),
            warnings: count(&examined.problems, Severity::Warning),
            usable: examined.question.is_some(),
            cpython: Some(examined.cpython.join(", ")).filter(|it| !it.is_empty()),
            typed: examined.typed,
            stamped: examined.stamped,
            verified: examined.stamped || examined.carries_stamp(),
        };
        Document {
            format: 1,
            passed: self.exit() == Exit::Done,
            questions: self.questions.iter().map(question).collect(),
            problems: self.problems().iter().map(problem).collect(),
            programs: self.programs(),
            engines: &self.engines,
            mypy: self.mypy.as_deref(),
            not_done: &self.not_done,
        }
    }

    /// Workflow commands, one for each problem. See GitHub's documentation, "Workflow commands for GitHub Actions".
    pub(crate) fn github(&self, safe: impl Fn(&str) -> String) -> String {
        let mut out = String::new();
        for problem in self.problems() {
            let (line, column) = problem.position();
            let mut words = vec![problem.message.clone()];
            words.extend(problem.notes.clone());
            if !problem.help.is_empty() {
                words.push(format!("help: {}", problem.help));
            }
            let lines: Vec<String> = words.iter().flat_map(|words| words.split('\n')).map(&safe).collect();
            let _ = writeln!(
                out,
                "::{} file={},line={line},col={column},title={}::{}",
                if problem.severity == Severity::Note { "notice" } else { problem.severity.word() },
                property(&safe(&problem.file.path.display().to_string())),
                problem.code.0,
                data(&lines.join("\n")),
            );
        }
        for reason in &self.not_done {
            let _ = writeln!(out, "::error::{}", data(&safe(reason)));
        }
        out
    }
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[derive(Serialize)]
pub(crate) struct Document<'a> {
    format: u32,
    passed: bool,
    questions: Vec<Checked>,
    problems: Vec<Problem>,
    programs: usize,
    engines: &'a [Engine],
    mypy: Option<&'a str>,
    not_done: &'a [String],
}

#[derive(Serialize)]
struct Checked {
    question: QuestionName,
    file: String,
    errors: usize,
    warnings: usize,
    usable: bool,
    /// The versions of the CPythons: "3.10.13, 3.13.0".
    cpython: Option<String>,
    typed: bool,
    /// True if a stamp was written now.
    stamped: bool,
    /// True if the file has a stamp that matches, written now or before.
    verified: bool,
}

#[derive(Serialize)]
struct Problem {
    code: &'static str,
    severity: &'static str,
    file: String,
    line: usize,
    column: usize,
    message: String,
    label: String,
    notes: Vec<String>,
    /// The whole expected and actual result, where something was run.
    expected: Option<String>,
    seen: Option<String>,
    help: String,
}
