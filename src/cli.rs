//! The command line. Owns the clap types only: their doc comments are the help text.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::content::question::Level;
use crate::runner::{Limits, Part};
use crate::script::scoring::{PassMark, Weights};
use crate::script::selection::Partition;

/// Practise spot-the-bug interview questions in the terminal
///
/// Without a command, fencepost opens the library of questions.
#[derive(Debug, Parser)]
#[command(name = "fencepost", version, max_term_width = 100, arg_required_else_help = false)]
pub struct Cli {
    /// What applies to every command.
    #[command(flatten)]
    pub global: Global,
    /// The command.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What applies to every command.
#[derive(Args, Clone, Debug)]
pub struct Global {
    /// Add the questions of a folder: a pack, or a folder of packs
    #[arg(long, global = true, value_name = "DIR", help_heading = "Everywhere")]
    pub content: Vec<PathBuf>,
    /// Keep progress and settings in this folder
    #[arg(long, global = true, value_name = "DIR", help_heading = "Everywhere")]
    pub data_dir: Option<PathBuf>,
    /// Run the programs of this pack where the sandbox cannot contain them
    #[arg(long, global = true, value_name = "PACK", help_heading = "Everywhere")]
    pub trust_pack: Vec<String>,
    /// Leave parts of the sandbox out, to see what the program does then: landlock, seccomp, limits
    #[arg(long, global = true, value_name = "PART", value_delimiter = ',', hide = true, value_parser = part)]
    pub without: Vec<Part>,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Everywhere")]
    pub color: ColorChoice,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Open a question, or the library
    Play(Play),
    /// List the questions
    List(List),
    /// Show a question as text
    Show(Show),
    /// Run the buggy and the fixed program of a question
    Run(Run),
    /// Grade answers without the screens
    Quiz(Quiz),
    /// Write questions
    #[command(subcommand)]
    Author(Author),
    /// Print a script that teaches a shell to complete commands, questions and topics
    Completions(Completions),
    /// Print the manual page
    Man,
    /// Say what this machine offers, what is missing, and why
    Doctor(Doctor),
}

/// Arguments of `play`.
#[derive(Args, Debug)]
pub struct Play {
    /// The question: its id, or `pack/id`
    pub question: Option<String>,
    /// Line by line, for screen readers; chosen by itself where TERM is dumb or not set, or input or output is no terminal
    #[arg(long)]
    pub plain: bool,
}

/// Arguments of `list`.
#[derive(Args, Debug)]
pub struct List {
    /// The form of the output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

/// Arguments of `show`.
#[derive(Args, Debug)]
pub struct Show {
    /// The question: its id, or `pack/id`
    pub question: String,
    /// Show the answer as well; on a page in Markdown, unfold it
    #[arg(long)]
    pub answer: bool,
    /// The form of the output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ShowFormat,
}

/// The form of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShowFormat {
    /// For people
    Text,
    /// One JSON document
    Json,
    /// A page in Markdown with the answer folded away
    Markdown,
}

/// Arguments of `run`.
#[derive(Args, Debug)]
pub struct Run {
    /// The question: its id, or `pack/id`
    pub question: String,
    /// Run the buggy program only
    #[arg(long, conflicts_with_all = ["fixed", "file"])]
    pub buggy: bool,
    /// Run the fixed program only
    #[arg(long, conflicts_with = "file")]
    pub fixed: bool,
    /// Run this program in place of the buggy one, and the question's checks on it
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Show every step of each program
    #[arg(long, conflicts_with = "scenario")]
    pub trace: bool,
    /// Take both programs through the question's scenario
    #[arg(long)]
    pub scenario: bool,
    /// Run on this CPython, from 3.10 to 3.14, or on the newest one that is found and in the question's range
    #[arg(long, value_name = "PATH|auto")]
    pub python: Option<OsString>,
    /// Stop a program after this many seconds; 30 at most
    #[arg(long, value_name = "SECONDS", default_value = "2", allow_hyphen_values = true, value_parser = seconds)]
    pub timeout: f64,
    /// The form of the output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

/// Arguments of `quiz`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct Quiz {
    /// The questions: ids, or `pack/id`; all of them where none is named
    #[arg(value_name = "QUESTION")]
    pub questions: Vec<String>,
    /// The answers: a TOML or JSON-lines file, `-` for standard input, or a folder with one file for each learner
    #[arg(long, value_name = "FILE|DIR|-")]
    pub answers: Option<PathBuf>,
    /// Print a file of answers to fill in, with the programs as comments
    #[arg(long)]
    pub blank: bool,
    /// Let a mistake in the answers cost its question and not the whole file; the report lists it
    #[arg(long)]
    pub lenient: bool,
    /// The learners of a class, one a line, to list who handed nothing in; for a folder of answers
    #[arg(long, value_name = "FILE")]
    pub roster: Option<PathBuf>,
    /// Answer requests on standard input, one JSON object a line, for bots and editors
    #[arg(long)]
    pub serve_stdio: bool,
    /// Only questions of this topic; `distributed-systems` means "Distributed systems"
    #[arg(long, value_name = "TOPIC", help_heading = "Which questions")]
    pub topic: Vec<String>,
    /// Only questions of this level
    #[arg(long, value_name = "LEVEL", value_parser = levels(), help_heading = "Which questions")]
    pub level: Vec<Level>,
    /// Only part K of N, the same on every machine; a question never changes its part
    #[arg(long, value_name = "K/N", allow_hyphen_values = true, help_heading = "Which questions")]
    pub partition: Option<Partition>,
    /// Shuffle the questions; the same seed gives the same order on every machine
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, value_parser = seed, help_heading = "Which questions")]
    pub seed: Option<u64>,
    /// Ask no more than this many questions
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, value_parser = limit, help_heading = "Which questions")]
    pub limit: Option<usize>,
    /// The share of the score that passes, in percent; 100 unless this says otherwise
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    pub pass_mark: Option<PassMark>,
    /// What the parts of an answer are worth; line=1,fix=0 unless this says otherwise
    #[arg(long, value_name = "WEIGHTS", allow_hyphen_values = true)]
    pub weights: Option<Weights>,
    /// The form of the report: text, or JSON lines for a folder of answers, unless this says otherwise
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<ReportFormat>,
    /// Leave out how long programs ran, so that the same answers give the same report, byte for byte
    #[arg(long)]
    pub no_times: bool,
    /// A command on reports that were written before.
    #[command(subcommand)]
    pub command: Option<QuizCommand>,
}

/// The commands below `quiz`.
#[derive(Debug, Subcommand)]
pub enum QuizCommand {
    /// Add up the reports of all parts of a quiz
    ///
    /// Each part was graded with `--partition K/N` and written with `--format json`; a folder of answers, in JSON lines. The
    /// exit code is that of the whole quiz.
    Merge(QuizMerge),
}

/// Arguments of `quiz merge`.
#[derive(Args, Debug)]
pub struct QuizMerge {
    /// The reports, one of each part
    #[arg(value_name = "FILE", required = true)]
    pub reports: Vec<PathBuf>,
    /// The form of the report: text, or JSON lines for tables, unless this says otherwise
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<ReportFormat>,
}

/// The form of a quiz's report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people
    Text,
    /// One JSON document
    Json,
    /// One JSON object for each event, as it happens; one for each learner where the answers are a folder
    Jsonl,
    /// JUnit XML
    Junit,
    /// Test Anything Protocol, version 14
    Tap,
    /// One row for each learner, without the programs
    Csv,
}

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// A shell that can complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// `source <(fencepost completions bash)` in `~/.bashrc`
    Bash,
    /// `source <(fencepost completions zsh)` in `~/.zshrc`, below `compinit`
    Zsh,
    /// `fencepost completions fish | source` in `~/.config/fish/config.fish`
    Fish,
    /// `fencepost completions powershell | Out-String | Invoke-Expression` in `$PROFILE`
    Powershell,
}

/// Arguments of `doctor`.
#[derive(Args, Debug)]
pub struct Doctor {
    /// The form of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

/// The commands for authors.
#[derive(Debug, Subcommand)]
pub enum Author {
    /// Begin a question whose comments teach the format
    ///
    /// Writes a question that passes every check already, and a pack around it where there is none.
    New(AuthorNew),
    /// Find every problem of questions, and prove their answer keys
    ///
    /// Runs both programs, the checks, the repair, and the buggy program without each of its other lines. Exits with 1
    /// when a proof fails, with 3 when a question cannot be used at all, and with 4 when something that was asked for
    /// could not be done, such as `--mypy` where there is no mypy.
    Check(AuthorCheck),
    /// Show a question as learners see it, and follow every save
    Preview(AuthorPreview),
    /// Print the JSON Schema of a question
    Schema,
}

/// Arguments of `author new`.
#[derive(Args, Debug)]
pub struct AuthorNew {
    /// The id of the question: small letters, digits, and hyphens between them
    pub id: String,
    /// The pack's folder, which is made where there is none; here where it is not named
    #[arg(long, value_name = "DIR")]
    pub pack: Option<PathBuf>,
    /// The heading in the library; the pack's name where it is not said
    #[arg(long)]
    pub topic: Option<String>,
}

/// Arguments of `author check`.
#[derive(Args, Debug)]
pub struct AuthorCheck {
    /// Questions, packs, or folders of packs; what is here where none is named
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Prove on this CPython as well, from 3.10 to 3.14, or on the newest one that is found and in each question's range
    #[arg(long, value_name = "PATH|auto")]
    pub python: Option<OsString>,
    /// Run `mypy --strict` on both programs; FENCEPOST_MYPY names the program where it is not on the PATH
    #[arg(long)]
    pub mypy: bool,
    /// Write the stamp `[verified]` into questions whose proofs hold; brings `--python auto` and `--mypy` with it
    #[arg(long)]
    pub stamp: bool,
    /// Warn of facts that were looked up more than this many days ago
    #[arg(long, value_name = "DAYS", allow_hyphen_values = true, value_parser = days)]
    pub stale: Option<u32>,
    /// The form of the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: CheckFormat,
}

/// Arguments of `author preview`.
#[derive(Args, Debug)]
pub struct AuthorPreview {
    /// The question's file
    pub file: PathBuf,
}

/// The form of the report of `author check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For people
    Text,
    /// One JSON document
    Json,
    /// Commands that GitHub shows beside the lines of a change
    Github,
}

/// The form of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// One JSON document
    Json,
}

/// Reads a level.
fn levels() -> impl TypedValueParser<Value = Level> {
    let level = |word: String| Level::ALL.into_iter().find(|level| level.word() == word).unwrap_or(Level::Junior);
    PossibleValuesParser::new(Level::ALL.map(Level::word)).map(level)
}

/// Reads a part of the sandbox.
fn part(text: &str) -> Result<Part, String> {
    let known = Part::ALL.map(Part::word);
    Part::ALL.into_iter().find(|part| part.word() == text).ok_or_else(|| format!("the parts are {}", known.join(", ")))
}

/// Reads `--timeout`: a number of seconds, from 0.1 to 30. A program that does nothing takes some milliseconds.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds >= 0.1 && seconds <= Limits::MAX_WALL.as_secs_f64() => Ok(seconds),
        _ => Err("must be a number of seconds from 0.1 to 30, such as 2 or 0.5".into()),
    }
}

/// Reads `--seed`.
fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("must be a whole number from 0 to {}", u64::MAX))
}

/// Reads `--limit`. Whoever asks for no question has made a mistake, and would pass.
fn limit(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1: a quiz without a question asks nothing".into()),
        Ok(limit) => Ok(limit),
        Err(_) => Err(format!("must be a whole number from 1 to {}", usize::MAX)),
    }
}

/// Reads `--stale`.
fn days(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| "must be a whole number of days, such as 365".into())
}
