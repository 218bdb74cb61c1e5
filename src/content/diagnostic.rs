//! A problem in a file that an author wrote: its place, the message, and the help.
//!
//! `render.rs` draws one with its source line and caret.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable name of the kind of problem.
    pub code: Code,
    /// The severity.
    pub severity: Severity,
    /// The file.
    pub file: Arc<SourceFile>,
    /// The bytes of the file's text that are wrong.
    pub span: Range<usize>,
    /// The message: a lower-case fragment with the author's words in backticks.
    pub message: String,
    /// The text under the caret; may be empty.
    pub label: String,
    /// More facts: what was run, expected and seen. Lines in a note are lines of a program or its output.
    pub notes: Vec<String>,
    /// The expected and the actual result of what was run, whole. The notes show a part of them.
    pub results: Option<[String; 2]>,
    /// The help.
    pub help: String,
}

/// A file that was read.
#[derive(Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The path as the user would write it.
    pub path: PathBuf,
    /// Its text. Bytes that are not UTF-8 have become U+FFFD.
    pub text: String,
}

/// The severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// The file can be used, but should be changed.
    Warning,
    /// Something to check, which may be right.
    Note,
}

/// The stable name of a kind of problem, documented in `content/README.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub &'static str);

impl Severity {
    /// The word for it in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl Diagnostic {
    /// A problem with neither a label nor notes.
    pub(crate) fn new(
        severity: Severity,
        code: Code,
        file: &Arc<SourceFile>,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        let (message, label, notes, help) = (message.into(), String::new(), Vec::new(), help.into());
        Self { code, severity, file: file.clone(), span, message, label, notes, results: None, help }
    }

    /// An error in a file or folder that was not read.
    pub(crate) fn of_path(code: Code, path: &Path, message: impl Into<String>, help: impl Into<String>) -> Self {
        let file = Arc::new(SourceFile { path: path.to_owned(), text: String::new() });
        Self::new(Severity::Error, code, &file, 0..0, message, help)
    }

    /// The same problem as a warning.
    pub(crate) fn warning(self) -> Self {
        Self { severity: Severity::Warning, ..self }
    }

    /// The line and the column of the problem's start, both counted from 1; columns are characters.
    pub fn position(&self) -> (usize, usize) {
        let start = self.file.text.floor_char_boundary(self.span.start);
        let before = self.file.text.get(..start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }
}

/// Every code. Each is documented in `content/README.md`, which a test compares with this list.
pub mod codes {
    use super::Code;

    macro_rules! codes {
        ($($(#[$doc:meta])* $name:ident = $word:literal;)*) => {
            $($(#[$doc])* pub const $name: Code = Code($word);)*

            /// All of them.
            pub const ALL: &[Code] = &[$($name),*];
        };
    }

    codes! {
        /// The file is missing or cannot be read.
        UNREADABLE = "unreadable";
        /// Not a regular file: a folder, a device, a pipe.
        NOT_A_FILE = "not_a_file";
        /// A link that points outside its folder.
        LINK_OUTSIDE = "link_outside";
        /// A file or a program that is too large.
        TOO_LARGE = "too_large";
        /// Bytes that are not UTF-8.
        NOT_UTF8 = "not_utf8";
        /// Not TOML.
        SYNTAX = "syntax";
        /// More problems than are listed.
        TOO_MANY = "too_many";
        /// A key that format 1 does not have.
        UNKNOWN_KEY = "unknown_key";
        /// A key that format 1 needs.
        MISSING_KEY = "missing_key";
        /// A value of another type than the key has.
        WRONG_TYPE = "wrong_type";
        /// An empty text or list.
        EMPTY = "empty";
        /// An invalid value of the right type.
        BAD_VALUE = "bad_value";
        /// An invisible character that can change how a terminal shows the text.
        CONTROL_CHARACTER = "control_character";
        /// A format that this program does not read.
        FORMAT = "format";
        /// The id is not the file's stem, or cannot be an id.
        ID = "id";
        /// Two questions of a pack have the same id.
        DUPLICATE_ID = "duplicate_id";
        /// A folder or file name that cannot be a pack's or a question's.
        NAME = "name";
        /// Another pack of the same name came before.
        DUPLICATE_PACK = "duplicate_pack";
        /// A pack without a `pack.toml`.
        NO_PACK = "no_pack";
        /// The path has no question.
        NO_QUESTION = "no_question";
        /// A file or a folder that looks like a question or a pack and is not checked.
        LEFT_OUT = "left_out";
        /// A line number that the program does not have.
        LINE_OUTSIDE = "line_outside";
        /// The text of an answer is not the text of its line.
        ANSWER_TEXT = "answer_text";
        /// Two entries for the same line.
        DUPLICATE_LINE = "duplicate_line";
        /// A near miss that is an accepted answer.
        NEAR_IS_ANSWER = "near_is_answer";
        /// A repair that changes no accepted line.
        REPAIR_MISSES = "repair_misses";
        /// The fixed program changes no accepted line.
        FIXED_MISSES = "fixed_misses";
        /// A question about a gap whose repair does more than insert lines there.
        GAP = "gap";
        /// A related question that does not exist.
        RELATED = "related";
        /// A former id that cannot be one, or that belongs to another question.
        FORMERLY = "formerly";
        /// A path names a question that does not exist, or one twice.
        PATH = "path";
        /// An answer to a question that does not exist, in a file of answers.
        UNKNOWN_QUESTION = "unknown_question";
        /// A second answer to a question, in a file of answers.
        DUPLICATE_ANSWER = "duplicate_answer";
        /// A name that is on a roster twice.
        DUPLICATE_LEARNER = "duplicate_learner";
        /// The buggy and the fixed program print the same.
        SAME_OUTPUT = "same_output";
        /// A program does not print what the question says.
        PRINTS = "prints";
        /// A program raises, hangs or crashes.
        NOT_FINISHED = "not_finished";
        /// A program writes to its standard error.
        STDERR = "stderr";
        /// Every check passes on the buggy program.
        BUG_NOT_CAUGHT = "bug_not_caught";
        /// A check that fails with the same error on both programs.
        CHECK_BROKEN = "check_broken";
        /// A check fails on the fixed program.
        FIXED_FAILS = "fixed_fails";
        /// A check fails on the repaired program.
        REPAIR_FAILS = "repair_fails";
        /// The repaired program prints the same as the buggy one.
        REPAIR_PRINTS = "repair_prints";
        /// Every check passes without a part of the repair.
        NEEDLESS_REPAIR = "needless_repair";
        /// Every check passes without a line that is not accepted, or with a small edit of one.
        OTHER_ANSWER = "other_answer";
        /// Nothing shows that an accepted line is an answer.
        UNPROVED_ANSWER = "unproved_answer";
        /// Every check passes without an accepted line, although the repair does more than delete it.
        CHEAP_REPAIR = "cheap_repair";
        /// A check that no program fails.
        NEEDLESS_CHECK = "needless_check";
        /// A check that cannot fail.
        NEVER_FAILS = "never_fails";
        /// A call that checks let raise, and whose exception would end the program.
        UNGUARDED = "unguarded";
        /// A prompt without a question.
        ASKS_NOTHING = "asks_nothing";
        /// A spoken answer that is too long for its time.
        LONG_ANSWER = "long_answer";
        /// A name with letters of two scripts that look alike.
        MIXED_SCRIPTS = "mixed_scripts";
        /// A text of the template, or a mark for a text to come.
        PLACEHOLDER = "placeholder";
        /// A name that the buggy program binds, and that only the repair reads.
        LEFTOVER = "leftover";
        /// A second run of a program prints something else.
        NOT_REPEATABLE = "not_repeatable";
        /// The scenario does not work: its setup fails, or a step raises in both programs.
        SCENARIO_FAILS = "scenario_fails";
        /// The scenario has the same results in both programs.
        SCENARIO_SAME = "scenario_same";
        /// The text of an accepted line is in a text that learners read before they answer.
        GIVEN_AWAY = "given_away";
        /// A number, a word for a fault, or a repeated text that hints at the answer.
        HINTS_AT_ANSWER = "hints_at_answer";
        /// A line of a program is too wide for the screens.
        TOO_WIDE = "too_wide";
        /// A program has too many lines for the screens.
        TOO_LONG = "too_long";
        /// The fixed program lacks a name that the buggy one defines.
        MISSING_NAME = "missing_name";
        /// A program uses a clock, a random source, or something else that differs from run to run.
        NOT_DETERMINISTIC = "not_deterministic";
        /// A program that no CPython ran does something that the built-in interpreter does in another way.
        KNOWN_DIFFERENCE = "known_difference";
        /// Two checks have the same name.
        DUPLICATE_CHECK = "duplicate_check";
        /// A date in the future.
        FUTURE_DATE = "future_date";
        /// A fact was looked up long ago.
        STALE_FACT = "stale_fact";
        /// A word that is probably misspelled.
        SPELLING = "spelling";
        /// A program is not strictly typed.
        MYPY = "mypy";
        /// No CPython in the question's range was found.
        PYTHON_RANGE = "python_range";
        /// The programs, checks or answers have changed since they were verified.
        STALE_STAMP = "stale_stamp";
    }
}
