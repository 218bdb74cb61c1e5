//! clap's types of the command line. Their doc comments are the help text.

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
    /// The command; the library if there is none.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Options of every command.
#[derive(Args, Clone, Debug)]
pub struct Global {
    /// Add questions from a folder: a pack, or a folder of packs
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub content: Vec<PathBuf>,
    /// Folder for progress and settings
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub data_dir: Option<PathBuf>,
    /// Run this pack's programs even without full sandboxing
    #[arg(long, global = true, value_name = "PACK", help_heading = "Global options")]
    pub trust_pack: Vec<String>,
    /// Switch off parts of the sandbox, for tests: landlock, seccomp, limits
    #[arg(long, global = true, value_name = "PART", value_delimiter = ',', hide = true, value_parser = part)]
    pub without: Vec<Part>,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Global options")]
    pub color: ColorChoice,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
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
    /// Answer questions, or grade a file of answers
    Quiz(Quiz),
    /// Write and check questions
    #[command(subcommand)]
    Author(Author),
    /// Print a shell script that completes commands, questions and topics
    Completions(Completions),
    /// Print the manual page
    Man,
    /// Check this machine: sandbox, terminal, files, packs
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
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

/// Arguments of `show`.
#[derive(Args, Debug)]
pub struct Show {
    /// Question: its id, or `pack/id`
    pub question: String,
    /// Show the answer too; a Markdown page shows it unfolded
    #[arg(long)]
    pub answer: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ShowFormat,
}

/// Output formats of `show`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShowFormat {
    /// Text for people
    Text,
    /// One JSON document
    Json,
    /// A Markdown page with the answer folded
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
    /// Run this program instead of the buggy one, with the question's checks
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Show every step of each program
    #[arg(long, conflicts_with = "scenario")]
    pub trace: bool,
    /// Run the question's scenario on both programs
    #[arg(long)]
    pub scenario: bool,
    /// Run on this CPython (3.10 to 3.14); auto: the newest one on the PATH that fits the question
    #[arg(long, value_name = "PATH|auto")]
    pub python: Option<OsString>,
    /// Time limit for each program, in seconds (0.1 to 30)
    #[arg(long, value_name = "SECONDS", default_value = "2", allow_hyphen_values = true, value_parser = seconds)]
    pub timeout: f64,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,
}

/// Arguments of `quiz`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct Quiz {
    /// Questions: ids, or `pack/id` [default: all]
    #[arg(value_name = "QUESTION")]
    pub questions: Vec<String>,
    /// Answers: a TOML or JSON-lines file, `-` for standard input, or a folder with one file for each learner
    #[arg(long, value_name = "FILE|DIR|-")]
    pub answers: Option<PathBuf>,
    /// Print an answer file to fill in, with the programs as comments
    #[arg(long)]
    pub blank: bool,
    /// Let a mistake in an answer file cost one question, not the whole file; reports list it
    #[arg(long)]
    pub lenient: bool,
    /// Names of the learners, one per line, to list who handed in nothing (needs a folder of answers)
    #[arg(long, value_name = "FILE")]
    pub roster: Option<PathBuf>,
    /// Answer JSON requests from bots and editors, one per line of standard input
    #[arg(long)]
    pub serve_stdio: bool,
    /// Only questions with this topic; `distributed-systems` means "Distributed systems"
    #[arg(long, value_name = "TOPIC", help_heading = "Selecting questions")]
    pub topic: Vec<String>,
    /// Only questions at this level
    #[arg(long, value_name = "LEVEL", value_parser = levels(), help_heading = "Selecting questions")]
    pub level: Vec<Level>,
    /// Only part K of N; every machine splits the questions in the same way
    #[arg(long, value_name = "K/N", allow_hyphen_values = true, help_heading = "Selecting questions")]
    pub partition: Option<Partition>,
    /// Shuffle the questions; a seed gives the same order on every machine
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, value_parser = seed, help_heading = "Selecting questions")]
    pub seed: Option<u64>,
    /// Ask at most this many questions
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, value_parser = limit, help_heading = "Selecting questions")]
    pub limit: Option<usize>,
    /// Lowest score that passes, in percent [default: 100]
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true)]
    pub pass_mark: Option<PassMark>,
    /// Points for each part of an answer [default: line=1,fix=0]
    #[arg(long, value_name = "WEIGHTS", allow_hyphen_values = true)]
    pub weights: Option<Weights>,
    /// Report format [default: text; jsonl for a folder of answers]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<ReportFormat>,
    /// Omit run times, so that the same answers always give the same report
    #[arg(long)]
    pub no_times: bool,
    /// The subcommand.
    #[command(subcommand)]
    pub command: Option<QuizCommand>,
}

/// The subcommands of `quiz`.
#[derive(Debug, Subcommand)]
pub enum QuizCommand {
    /// Add up the reports of all parts of a quiz
    ///
    /// Grade each part with `--partition K/N --format json`, or with `--format jsonl` for a folder of answers. The exit code is
    /// that of the whole quiz.
    Merge(QuizMerge),
}

/// Arguments of `quiz merge`.
#[derive(Args, Debug)]
pub struct QuizMerge {
    /// Reports, one for each part
    #[arg(value_name = "FILE", required = true)]
    pub reports: Vec<PathBuf>,
    /// Report format [default: text; jsonl for tables]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<ReportFormat>,
}

/// Report formats of `quiz`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Text for people
    Text,
    /// One JSON document
    Json,
    /// One JSON object for each event, as it happens; for a folder of answers, one for each learner
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
    /// Shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// Shells that can complete.
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

/// The subcommands of `author`.
#[derive(Debug, Subcommand)]
pub enum Author {
    /// Create a question whose comments explain the format
    ///
    /// The new question passes every check. If there is no pack, it is created too.
    New(AuthorNew),
    /// Find problems in questions, and prove their answer keys
    ///
    /// Runs both programs, the checks, the repair, and the buggy program without each of its other lines. Exits with 1 if a
    /// proof fails, with 3 if a question cannot be used, and with 4 if a requested tool such as mypy is missing.
    Check(AuthorCheck),
    /// Show a question as learners see it; updates with every save
    Preview(AuthorPreview),
    /// Print the JSON Schema of questions
    Schema,
}

/// Arguments of `author new`.
#[derive(Args, Debug)]
pub struct AuthorNew {
    /// Question id: lower-case letters, digits and hyphens, such as `price-cache`
    pub id: String,
    /// Pack folder; created if missing [default: current folder]
    #[arg(long, value_name = "DIR")]
    pub pack: Option<PathBuf>,
    /// Topic in the library [default: the pack's name]
    #[arg(long)]
    pub topic: Option<String>,
}

/// Arguments of `author check`.
#[derive(Args, Debug)]
pub struct AuthorCheck {
    /// Questions, packs, or folders of packs [default: current folder]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Also prove on this CPython (3.10 to 3.14); auto: the newest one on the PATH that fits each question
    #[arg(long, value_name = "PATH|auto")]
    pub python: Option<OsString>,
    /// Run `mypy --strict` on both programs; set FENCEPOST_MYPY if mypy is not on the PATH
    #[arg(long)]
    pub mypy: bool,
    /// Write the stamp `[verified]` into proved questions; implies `--python auto` and `--mypy`
    #[arg(long)]
    pub stamp: bool,
    /// Warn about facts checked more than this many days ago
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
    /// Text for people
    Text,
    /// One JSON document
    Json,
    /// GitHub annotations on the lines of a change
    Github,
}

/// Output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for people
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
    Part::ALL.into_iter().find(|part| part.word() == text).ok_or_else(|| format!("the parts are {}", known.join(", ")))
}

/// Reads `--timeout`. Even an empty program takes some milliseconds.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds >= 0.1 && seconds <= Limits::MAX_WALL.as_secs_f64() => Ok(seconds),
        _ => Err("must be a number of seconds from 0.1 to 30, such as 2 or 0.5".into()),
    }
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("must be a whole number from 0 to {}", u64::MAX))
}

/// Reads `--limit`. A quiz without questions would pass, so 0 is an error.
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
