//! Draws diagnostics as compilers do: message, file and line, the line with a caret, and the help.

use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::content::diagnostic::{Diagnostic, Severity};
use crate::text::counted;

/// Draws one problem, ending with a newline. `safe` makes text from outside fit for a terminal. `width` is in columns.
pub fn diagnostic(problem: &Diagnostic, safe: impl Fn(&str) -> String, colour: bool, width: usize) -> String {
    let level = match problem.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let (line, column) = problem.position();
    let path = safe(&problem.file.path.display().to_string());
    let excerpt = excerpt(&problem.file.text, problem.span.clone(), &safe);
    let label = safe(&problem.label);
    let mut group = Group::with_title(level.primary_title(safe(&problem.message)).id(problem.code.0));
    if problem.file.text.is_empty() {
        group = group.element(Origin::path(path));
    } else {
        let mut annotation = AnnotationKind::Primary.span(excerpt.span);
        if !label.is_empty() {
            annotation = annotation.label(label);
        }
        let snippet = Snippet::source(excerpt.text).line_start(line).annotation(annotation);
        group = if excerpt.cut {
            // The columns of a part are not those of the line, so the place is given apart.
            group.element(Origin::path(path).line(line).char_column(column)).element(snippet)
        } else {
            group.element(snippet.path(path))
        };
    }
    for note in &problem.notes {
        let lines: Vec<String> = note.split('\n').map(&safe).collect();
        group = group.element(Level::NOTE.message(lines.join("\n")));
    }
    if !problem.help.is_empty() {
        group = group.element(Level::HELP.message(safe(&problem.help)));
    }
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut out = renderer.decor_style(DecorStyle::Ascii).term_width(width).render(&[group]);
    out.push('\n');
    out
}

/// Draws every problem, a blank line between them, and the count.
pub fn diagnostics(problems: &[Diagnostic], safe: impl Fn(&str) -> String, colour: bool, width: usize) -> String {
    let mut out = String::new();
    for problem in problems {
        out.push_str(&diagnostic(problem, &safe, colour, width));
        out.push('\n');
    }
    let kinds = [Severity::Error, Severity::Warning, Severity::Note].into_iter();
    let count = |severity: Severity| problems.iter().filter(|problem| problem.severity == severity).count();
    let kinds = kinds.filter(|severity| count(*severity) > 0);
    let counts: Vec<String> = kinds.map(|severity| counted(count(severity), severity.word())).collect();
    if !counts.is_empty() {
        let _ = writeln!(out, "{}", counts.join(", "));
    }
    out
}

/// The line that a problem is in, made safe, and where in it the problem lies.
struct Excerpt {
    text: String,
    span: Range<usize>,
    /// True if something before the problem was left out.
    cut: bool,
}

/// Bytes of a line that are drawn before and after the problem: nobody reads a line of a megabyte.
const AROUND: usize = 200;

fn excerpt(text: &str, span: Range<usize>, safe: impl Fn(&str) -> String) -> Excerpt {
    let floor = |at: usize| text.floor_char_boundary(at);
    let part = |range: Range<usize>| text.get(range).unwrap_or_default();
    let start = floor(span.start);
    let line_start = part(0..start).rfind('\n').map_or(0, |at| at + 1);
    let line_end = part(start..text.len()).find('\n').map_or(text.len(), |at| start + at);
    let end = floor(span.end).clamp(start, line_end);
    let end = floor(end.min(start.saturating_add(AROUND)));
    let from = floor(line_start.max(start.saturating_sub(AROUND)));
    let before = safe(part(from..start));
    let marked = safe(part(start..end));
    let after = safe(part(end..floor(line_end.min(end.saturating_add(AROUND)))));
    let span = before.len()..before.len() + marked.len();
    Excerpt { text: format!("{before}{marked}{after}"), span, cut: from > line_start }
}
