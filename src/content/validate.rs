//! Rules that make a well-formed question unusable, checked without running anything.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::content::changes::changes_an_answer;
use crate::content::diagnostic::{Code, Diagnostic, SourceFile, codes};
use crate::content::locate::Step::{self, At, Key};
use crate::content::problems::Problems;
use crate::content::question::{Ask, LineNo, Question, is_code, lines};
use crate::content::{references, versions};
use crate::text::listed;

/// Maximum characters of a title, which is a heading on an 80-column screen.
const LONGEST_TITLE: usize = 100;

/// Maximum bytes of a program or other code. It runs once for each line of the program.
const LARGEST_CODE: usize = 64 << 10;

/// Maximum lines of a program or other code.
const MOST_LINES: usize = 500;

/// Maximum number of lines that a message names besides the nearest.
const MOST_LINES_NAMED: usize = 4;

/// Every rule that `question`, read from `file`, breaks. `stem` is the file's name without `.toml`.
pub fn question(question: &Question, stem: &str, file: &Arc<SourceFile>) -> Vec<Diagnostic> {
    let check = Problems::new(file.clone());
    check.id(question, stem);
    references::formerly(&check, question);
    check.title(question);
    check.python(question);
    check.lengths(question);
    check.answers(question);
    check.near(question);
    check.repairs(question);
    if question.spot.prints == question.fixed.prints && !question.fixed.code.is_empty() {
        check.error_at(
            codes::SAME_OUTPUT,
            &[Key("fixed"), Key("prints")],
            "the fixed program prints the same as the buggy one",
            "print something that the bug changes, so that learners can see it",
        );
    }
    check.finish()
}

/// True if this kind of problem is a proof that fails without a run. The other proofs of the question still run.
pub fn is_proof(code: Code) -> bool {
    [codes::SAME_OUTPUT, codes::REPAIR_MISSES].contains(&code)
}

/// True if `text` can be a question's id: lowercase letters, digits and single hyphens between them.
pub fn is_id(text: &str) -> bool {
    text.split('-')
        .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()))
}

/// An id that is close to `text`, or `fallback` if there is none.
pub fn suggested_id(text: &str, fallback: &str) -> String {
    let letter = |it: char| if it.is_ascii_alphanumeric() { it.to_ascii_lowercase() } else { '-' };
    let id = text.chars().map(letter).collect::<String>();
    let parts: Vec<&str> = id.split('-').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { fallback.to_owned() } else { parts.join("-") }
}

impl Problems {
    fn error_at(&self, code: Code, path: &[Step], message: impl Into<String>, help: impl Into<String>) {
        self.error(code, self.place(path), message, "", help);
    }

    fn id(&self, question: &Question, stem: &str) {
        let id = &question.id;
        if id.is_empty() {
            // It could not be read, which was reported.
        } else if !is_id(id) {
            self.error_at(
                codes::ID,
                &[Key("id")],
                format!("`{id}` cannot be an id"),
                format!(
                    "use lowercase letters, digits and single hyphens, such as `{}`",
                    suggested_id(id, "lost-update")
                ),
            );
        } else if id != stem {
            self.error_at(
                codes::ID,
                &[Key("id")],
                format!("the id is `{id}`, but the file is called `{stem}.toml`"),
                if is_id(stem) {
                    format!("write `id = \"{stem}\"`, or rename the file to `{id}.toml`")
                } else {
                    format!("rename the file to `{id}.toml`: `{stem}` cannot be an id")
                },
            );
        }
    }

    fn title(&self, question: &Question) {
        let length = question.title.chars().count();
        if length > LONGEST_TITLE {
            self.error_at(
                codes::BAD_VALUE,
                &[Key("title")],
                format!("the title has {length} characters"),
                format!("use at most {LONGEST_TITLE}: the title is a heading, and the prompt has room for more"),
            );
        }
    }

    fn python(&self, question: &Question) {
        if !question.python.is_empty() && !versions::is_range(&question.python) {
            self.error_at(
                codes::BAD_VALUE,
                &[Key("python")],
                format!("`{}` is not a version range", question.python),
                "write one such as `>=3.13` or `>=3.11,<3.14`",
            );
        } else if !question.python.is_empty() && versions::oldest_minor(&question.python).is_none() {
            self.error_at(
                codes::BAD_VALUE,
                &[Key("python")],
                format!("no version of Python 3 is in `{}`", question.python),
                "write one such as `>=3.13` or `>=3.11,<3.14`",
            );
        }
    }

    /// Checks the size of all code. Parts that belong together are added up, since many small ones take as long to read and run.
    fn lengths(&self, question: &Question) {
        let (size, lines) = (
            "keep it to a few hundred characters, so that it fits on one screen",
            "keep it to 22 lines, or 26 for the fixed program, so that it fits on one screen",
        );
        self.length("the program has", &[(vec![Key("spot"), Key("code")], &*question.spot.code)], [size, lines]);
        self.length("the program has", &[(vec![Key("fixed"), Key("code")], &*question.fixed.code)], [size, lines]);
        let repairs = question.spot.repairs.iter().enumerate();
        let repairs =
            repairs.map(|(at, repair)| (vec![Key("spot"), Key("repair"), At(at), Key("with")], &*repair.with));
        self.length("the repair has", &repairs.collect::<Vec<_>>(), ["repair only the accepted lines"; 2]);
        let checks = question.checks.iter().enumerate();
        let checks = checks.map(|(at, check)| (vec![Key("check"), At(at), Key("code")], &*check.code));
        let help = "write a few checks of a few lines each: learners read them too";
        self.length("the checks have", &checks.collect::<Vec<_>>(), [help; 2]);
        let Some(scenario) = &question.scenario else { return };
        let key = |key, at| vec![Key("scenario"), Key(key), At(at)];
        let mut code = vec![(vec![Key("scenario"), Key("setup")], &*scenario.setup)];
        code.extend(scenario.watch.iter().enumerate().map(|(at, it)| (key("watch", at), &**it)));
        let steps = scenario.steps.iter().enumerate().filter_map(|(at, step)| Some((at, step.run.as_deref()?)));
        code.extend(steps.map(|(at, run)| ([key("step", at), vec![Key("run")]].concat(), run)));
        self.length(
            "the scenario has",
            &code,
            ["keep only the steps that show the bug, so that the timeline fits on one screen"; 2],
        );
    }

    /// Reports code in several `parts` that is too large, at the part that exceeds the limit.
    fn length(&self, has: &str, parts: &[(Vec<Step>, &str)], [size_help, lines_help]: [&str; 2]) {
        let kib = |bytes: usize| format!("{has} {} KiB", bytes.div_ceil(1 << 10));
        self.at_most(LARGEST_CODE, parts, str::len, kib, size_help);
        self.at_most(MOST_LINES, parts, |code| lines(code).len(), |count| format!("{has} {count} lines"), lines_help);
    }

    fn at_most(
        &self,
        most: usize,
        parts: &[(Vec<Step>, &str)],
        size: impl Fn(&str) -> usize,
        message: impl Fn(usize) -> String,
        help: &str,
    ) {
        let mut all = 0;
        let mut over = None;
        for (path, code) in parts {
            all += size(code);
            over = over.or((all > most).then_some(path));
        }
        if let Some(path) = over {
            self.error_at(codes::TOO_LARGE, path, message(all), help);
        }
    }

    fn answers(&self, question: &Question) {
        let program = lines(&question.spot.code);
        let mut seen = BTreeSet::new();
        for (index, answer) in question.spot.answers.iter().enumerate() {
            let path = [Key("spot"), Key("answer"), At(index), Key("line")];
            self.duplicate(&mut seen, answer.line, &path, "an answer");
            let Some(text) = self.inside(answer.line, &program, &path) else { continue };
            if text.trim() == answer.code.trim() {
                continue;
            }
            let same = program.iter().enumerate().filter(|(_, line)| line.trim() == answer.code.trim());
            let same: Vec<LineNo> = same.map(|(index, _)| LineNo::from_index(index)).collect();
            let help = match described(&same, answer.line) {
                Some(found) => format!("that is the text of {found}: correct `line` or `code`"),
                None => format!("copy the line without its indentation: `{}`", text.trim()),
            };
            let span = self.place(&[Key("spot"), Key("answer"), At(index), Key("code")]);
            let message = format!("`code` is not the text of line {}", answer.line);
            self.error(codes::ANSWER_TEXT, span, message, format!("line {} is `{}`", answer.line, text.trim()), help);
        }
    }

    fn near(&self, question: &Question) {
        let program = lines(&question.spot.code);
        let mut seen = BTreeSet::new();
        for (index, near) in question.spot.near.iter().enumerate() {
            let path = [Key("spot"), Key("near"), At(index), Key("line")];
            self.inside(near.line, &program, &path);
            self.duplicate(&mut seen, near.line, &path, "a near miss");
            if question.accepts(near.line) {
                self.error_at(
                    codes::NEAR_IS_ANSWER,
                    &path,
                    format!("line {} is both an accepted answer and a near miss", near.line),
                    "remove one of the two entries",
                );
            }
        }
    }

    fn repairs(&self, question: &Question) {
        let program = lines(&question.spot.code);
        let mut seen = BTreeSet::new();
        for (index, repair) in question.spot.repairs.iter().enumerate() {
            let path = [Key("spot"), Key("repair"), At(index), Key("line")];
            self.inside(repair.line, &program, &path);
            self.duplicate(&mut seen, repair.line, &path, "a repair");
        }
        let both = !question.spot.answers.is_empty() && !question.spot.repairs.is_empty();
        if question.spot.ask == Ask::Gap {
            self.gap(question, &program);
        } else if both && !changes_an_answer(question) {
            let unchanged = question.spot.repairs.iter().position(|repair| question.accepts(repair.line));
            let (span, label) = match unchanged {
                Some(at) => (
                    self.place(&[Key("spot"), Key("repair"), At(at), Key("with")]),
                    "this changes only spaces or comments",
                ),
                None => (self.place(&[Key("spot"), Key("repair")]), ""),
            };
            let help = "repair an accepted line, or accept the repaired line";
            self.error(codes::REPAIR_MISSES, span, "the repair changes no accepted line", label, help);
        }
    }

    /// Checks a question about a gap: the repair inserts lines below an accepted line, and changes nothing else.
    fn gap(&self, question: &Question, program: &[&str]) {
        let answers = question.spot.answers.iter().map(|it| it.line).enumerate().map(|it| ("answer", it));
        let near = question.spot.near.iter().map(|it| it.line).enumerate().map(|it| ("near", it));
        for (table, (index, line)) in answers.chain(near) {
            if program.get(line.index()).is_some_and(|text| !is_code(text)) {
                let path = [Key("spot"), Key(table), At(index), Key("line")];
                let help = "name the line of code above it, which is followed by the same gap";
                self.error_at(codes::GAP, &path, format!("line {line} has no code"), help);
            }
        }
        for (index, repair) in question.spot.repairs.iter().enumerate() {
            let key = |key| [Key("spot"), Key("repair"), At(index), Key(key)];
            let line = repair.line;
            let Some(text) = program.get(line.index()) else { continue };
            let with = lines(&repair.with);
            let (path, message, help) = if index > 0 {
                let help = "merge the entries: a gap has one repair";
                (key("line"), "the repair changes a second place".to_owned(), help.to_owned())
            } else if !question.accepts(line) {
                let accepted = question.accepted().next();
                let help =
                    accepted.map_or_else(String::new, |line| format!("insert the missing lines after line {line}"));
                (key("line"), format!("the repair inserts after line {line}, which is not accepted"), help)
            } else if with.first() != Some(text) {
                let help = format!("begin `with` with `{text}`, and write the missing lines below it");
                (key("with"), format!("the repair changes line {line}, although a step is missing after it"), help)
            } else if !with.iter().skip(1).any(|text| is_code(text)) {
                let help = format!("write the missing lines below `{}`", text.trim());
                (key("with"), "the repair inserts nothing".to_owned(), help)
            } else {
                continue;
            };
            self.error_at(codes::GAP, &path, message, help);
        }
    }

    fn inside<'p>(&self, line: LineNo, program: &[&'p str], path: &[Step]) -> Option<&'p str> {
        let text = program.get(line.index()).copied();
        if text.is_none() {
            self.error_at(
                codes::LINE_OUTSIDE,
                path,
                format!("there is no line {line}: the program has {} lines", program.len()),
                "count the lines of `spot.code` from 1",
            );
        }
        text
    }

    fn duplicate(&self, seen: &mut BTreeSet<LineNo>, line: LineNo, path: &[Step], what: &str) {
        if !seen.insert(line) {
            self.error_at(
                codes::DUPLICATE_LINE,
                path,
                format!("line {line} already has {what}"),
                "merge the two entries",
            );
        }
    }
}

/// "line 3", or of several the one that is nearest to `near`, and the others: "line 8, and also lines 3 and 14".
fn described(lines: &[LineNo], near: LineNo) -> Option<String> {
    let nearest = *lines.iter().min_by_key(|line| line.get().abs_diff(near.get()))?;
    let mut others: Vec<String> = lines.iter().filter(|line| **line != nearest).map(LineNo::to_string).collect();
    let many = others.len().saturating_sub(MOST_LINES_NAMED);
    others.truncate(MOST_LINES_NAMED);
    if many > 0 {
        others.push(format!("{many} more"));
    }
    let others = match others.len() {
        0 => String::new(),
        1 => format!(", and also line {}", others.concat()),
        _ => format!(", and also lines {}", listed(others, "and")),
    };
    Some(format!("line {nearest}{others}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_line_is_named_first() {
        let line = |n| LineNo::new(n).unwrap();
        let said = |lines: &[u32], near| described(&lines.iter().map(|n| line(*n)).collect::<Vec<_>>(), line(near));
        assert_eq!(said(&[], 3), None);
        assert_eq!(said(&[8], 3).as_deref(), Some("line 8"));
        assert_eq!(said(&[8, 14], 13).as_deref(), Some("line 14, and also line 8"));
        assert_eq!(said(&[3, 8, 14], 9).as_deref(), Some("line 8, and also lines 3 and 14"));
        assert_eq!(said(&[1, 2, 3, 4, 5, 6, 7], 9).as_deref(), Some("line 7, and also lines 1, 2, 3, 4 and 2 more"));
    }
}
