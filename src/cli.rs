//! Arguments of the command line. The doc comments are the help text.

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
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
    /// None opens the library.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Options of every command.
#[derive(Args, Clone, Debug)]
pub struct Global {
    /// Add the questions in this folder: a pack, or a folder of packs
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub content: Vec<PathBuf>,
    /// Keep progress and settings in this folder
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub data_dir: Option<PathBuf>,
    /// Run this pack's programs even without full sandboxing
    #[arg(long, global = true, value_name = "PACK", help_heading = "Global options")]
    pub trust_pack: Vec<String>,
    /// Leave out parts of the sandbox, for tests: landlock, seccomp, limits
    #[arg(long, global = true, value_name = "PART", value_delimiter = ',', hide = true, value_parser = part)]
    pub without: Vec<Part>,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Global options")]
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
    /// Ask or grade questions without the screens
    Quiz(Quiz),
    /// Write and check questions
    #[command(subcommand)]
    Author(Author),
    /// Print a shell script that completes commands, questions and topics
    Completions(Completions),
    /// Print the manual page
    Man,
    /// Report what works on this machine, what is missing, and why
    Doctor(Doctor),
}

/// Arguments of `play`.
#[derive(Args, Debug)]
pub struct Play {
    /// Question: its id, or `pack/id`
    pub question: Option<String>,
    /// Plain-text mode for screen readers; automatic if TERM is dumb or unset, or without a terminal
    #[arg(long)]
    pub plain: bool,
}

/// Arguments of `list`.
#[derive(Args, Debug)]
pub struct List {
    /// List the paths instead: questions in an order to learn them by
    #[arg(long)]
    pub paths: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

/// Arguments of `show`.
#[derive(Args, Debug)]
pub struct Show {
    /// Question: its id, or `pack/id`
    pub question: String,
    /// Show the answer too; in Markdown, unfold it
    #[arg(long)]
    pub answer: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ShowFormat,
}

/// Output formats of `show`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShowFormat {
    /// Plain text
    Text,
    /// One JSON document
    Json,
    /// Markdown page with the answer folded
    Markdown,
}

/// Arguments of `run`.
#[derive(Args, Debug)]
pub struct Run {
    /// Question: its id, or `pack/id`
    pub question: String,
    /// Run the buggy program only
    #[arg(long, conflicts_with_all = ["fixed", "file"])]
    pub buggy: bool,
    /// Run the fixed program only
    #[arg(long, conflicts_with = "file")]
    pub fixed: bool,
    /// Run this program instead of the buggy one, then the question's checks on it
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Show every step of each program
    #[arg(long, conflicts_with = "scenario")]
    pub trace: bool,
    /// Play the question's scenario on both programs
    #[arg(long)]
    pub scenario: bool,
    /// Run on this CPython (3.10 to 3.14); `auto` picks the newest installed one that the question allows
    #[arg(long, value_name = "PATH|auto")]
    pub python: Option<OsString>,
    /// Stop a program after this many seconds, at most 30
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::default().wall.as_secs_f64(), allow_hyphen_values = true, value_parser = seconds)]
    pub timeout: f64,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

/// Arguments of `quiz`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct Quiz {
    /// Questions, by id or `pack/id` [default: all]
    #[arg(value_name = "QUESTION")]
    pub questions: Vec<String>,
    /// Answers to grade: a TOML or JSON Lines file, `-` for standard input, or a folder with one file per learner
    #[arg(long, value_name = "FILE|DIR|-")]
    pub answers: Option<PathBuf>,
    /// Print an answer file to fill in, with the programs as comments
    #[arg(long)]
    pub blank: bool,
    /// Let a mistake in the answers fail its question only, not the whole file; the report lists it
    #[arg(long)]
    pub lenient: bool,
    /// File with one learner per line, to list who handed in nothing; for a folder of answers
    #[arg(long, value_name = "FILE")]
    pub roster: Option<PathBuf>,
    /// Serve requests from bots and editors: one JSON object per line on standard input
    #[arg(long)]
    pub serve_stdio: bool,
    /// Only questions on this topic; `distributed-systems` means "Distributed systems"
    #[arg(long, value_name = "TOPIC", help_heading = "Selecting questions")]
    pub topic: Vec<String>,
    /// Only questions at this level
    #[arg(long, value_name = "LEVEL", value_parser = levels(), help_heading = "Selecting questions")]
    pub level: Vec<Level>,
    /// Only part K of N; a question is in the same part on every machine
    #[arg(long, value_name = "K/N", allow_hyphen_values = true, help_heading = "Selecting questions")]
    pub partition: Option<Partition>,
    /// Shuffle the questions; a seed gives the same order on every machine
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, value_parser = seed, help_heading = "Selecting questions")]
    pub seed: Option<u64>,
    /// Ask at most this many questions
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, value_parser = limit, help_heading = "Selecting questions")]
    pub limit: Option<usize>,
    /// Percentage of the score needed to pass [default: 100]
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    pub pass_mark: Option<PassMark>,
    /// Points for the line and the fix of a question [default: line=1,fix=0]
    #[arg(long, value_name = "WEIGHTS", allow_hyphen_values = true)]
    pub weights: Option<Weights>,
    /// Report format [default: text; jsonl for a folder of answers]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<ReportFormat>,
    /// Leave out run times, so that the same answers give exactly the same report
    #[arg(long)]
    pub no_times: bool,
    /// Command on finished reports.
    #[command(subcommand)]
    pub command: Option<QuizCommand>,
}

/// The commands below `quiz`.
#[derive(Debug, Subcommand)]
pub enum QuizCommand {
    /// Combine the reports of all parts of a quiz
    ///
    /// Grade each part with `--partition K/N --format json`. For a folder of answers, use `--format jsonl`. The exit code
    /// is that of the whole quiz.
    Merge(QuizMerge),
}

/// Arguments of `quiz merge`.
#[derive(Args, Debug)]
pub struct QuizMerge {
    /// Reports, one for each part
    #[arg(value_name = "FILE", required = true)]
    pub reports: Vec<PathBuf>,
    /// Report format [default: text; jsonl for reports on a folder of answers]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<ReportFormat>,
}

/// Report formats of `quiz`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Plain text
    Text,
    /// One JSON document
    Json,
    /// JSON Lines: one object per event as it happens, or per learner for a folder of answers
    Jsonl,
    /// JUnit XML
    Junit,
    /// Test Anything Protocol, version 14
    Tap,
    /// One row per learner, without the programs
    Csv,
}

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub struct Completions {
    /// Shell to complete in
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// Supported shells.
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
    /// Report format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

/// The commands for authors.
#[derive(Debug, Subcommand)]
pub enum Author {
    /// Create a question whose comments explain the format
    ///
    /// The new question already passes every check. The pack is created if it is missing.
    New(AuthorNew),
    /// Find every problem in questions, and prove their answer keys
    ///
    /// Runs both programs, the checks and the repair. Then runs the buggy program with each other line deleted in turn.
    /// Exits with 1 if a proof fails, 3 if a question cannot be used at all, and 4 if a requested step is impossible,
    /// such as `--mypy` without mypy.
    Check(AuthorCheck),
    /// Show a question as learners see it, and reload it on every save
    Preview(AuthorPreview),
    /// Print the JSON Schema of a question file
    Schema,
}

/// Arguments of `author new`.
#[derive(Args, Debug)]
pub struct AuthorNew {
    /// Id of the question: lower-case letters and digits, with hyphens between words
    pub id: String,
    /// Pack folder, created if missing [default: current folder]
    #[arg(long, value_name = "DIR")]
    pub pack: Option<PathBuf>,
    /// Heading in the library [default: the pack's name]
    #[arg(long)]
    pub topic: Option<String>,
}

/// Arguments of `author check`.
#[derive(Args, Debug)]
pub struct AuthorCheck {
    /// Questions, packs, or folders of packs [default: current folder, or `content` in it if it has no questions]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Prove on this CPython too (3.10 to 3.14); `auto` takes the oldest and the newest installed one that each question allows
    #[arg(long, value_name = "PATH|auto")]
    pub python: Option<OsString>,
    /// Run `mypy --strict` on both programs; set FENCEPOST_MYPY if mypy is not on the PATH
    #[arg(long)]
    pub mypy: bool,
    /// Try small edits of every other line too, and find checks that no program fails
    #[arg(long)]
    pub thorough: bool,
    /// Write a `[verified]` stamp into questions that pass; implies `--python auto`, `--mypy` and `--thorough`
    #[arg(long)]
    pub stamp: bool,
    /// Warn about facts last checked more than this many days ago
    #[arg(long, value_name = "DAYS", allow_hyphen_values = true, value_parser = days)]
    pub stale: Option<u32>,
    /// Report format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: CheckFormat,
}

/// Arguments of `author preview`.
#[derive(Args, Debug)]
pub struct AuthorPreview {
    /// Question file
    pub file: PathBuf,
}

/// Report formats of `author check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// Plain text
    Text,
    /// One JSON document
    Json,
    /// GitHub workflow commands, shown beside the lines of a change
    Github,
}

/// Output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Plain text
    Text,
    /// One JSON document
    Json,
}

fn levels() -> impl TypedValueParser<Value = Level> {
    let level = |word: String| Level::ALL.into_iter().find(|level| level.word() == word).unwrap_or(Level::Junior);
    PossibleValuesParser::new(Level::ALL.map(Level::word)).map(level)
}

fn part(text: &str) -> Result<Part, String> {
    let known = Part::ALL.map(Part::word);
    Part::ALL.into_iter().find(|part| part.word() == text).ok_or_else(|| format!("must be one of {}", known.join(", ")))
}

/// Parses `--timeout`. Even an empty program takes some milliseconds, so less than 0.1 is refused.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds >= 0.1 && seconds <= Limits::MAX_WALL.as_secs_f64() => Ok(seconds),
        _ => Err("must be a number of seconds from 0.1 to 30, such as 2 or 0.5".into()),
    }
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("must be a whole number from 0 to {}", u64::MAX))
}

/// Parses `--limit`. A quiz without questions would pass, so 0 is refused as a mistake.
fn limit(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".into()),
        Ok(limit) => Ok(limit),
        Err(_) => Err(format!("must be a whole number from 1 to {}", usize::MAX)),
    }
}

fn days(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| "must be a whole number of days, such as 365".into())
}
