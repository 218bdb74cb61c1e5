//! A question as a Markdown page, with everything that gives the answer away folded into `<details>`.
//!
//! The prose of a question is inline Markdown. It is parsed and written again, so that no heading, list, HTML or unclosed
//! mark in it reaches the page. Programs stand in fences that they cannot close.

use std::fmt::Write as _;

use crate::content::catalog::{Entry, PackEntry};
use crate::content::prose::{Kind, pieces};
use crate::content::question::{Ask, Question, lines};
use crate::content::stamp;
use crate::quiz::grade::{DiffLine, repair_diff};
use crate::text;

/// Initial state of a fold.
#[derive(Clone, Copy)]
pub(super) enum Fold {
    Open,
    Closed,
}

/// Renders the page, with the answer in a fold that is initially `answer`.
pub(super) fn page(entry: &Entry, pack: Option<&PackEntry>, answer: Fold) -> String {
    let mut out = String::new();
    let question = &entry.question;
    head(&mut out, question);
    spot(&mut out, question);
    the_answer(&mut out, question, answer);
    say(&mut out, question);
    deep_dive(&mut out, question);
    follow_ups(&mut out, question);
    foot(&mut out, entry, pack);
    out
}

fn head(out: &mut String, question: &Question) {
    let _ = writeln!(out, "# {}\n", prose(&question.title));
    let mut chips = vec![plain(question.topic.trim()), question.level.to_string()];
    chips.extend(question.requires.iter().map(|chip| plain(chip)));
    let _ = writeln!(out, "{}", chips.join(" · "));
    if let Some(review) = &question.review {
        let _ = writeln!(out, "\nReviewed by {} on {}", plain(&review.by), review.on);
    }
    if let Some(model) = &question.model {
        let _ = writeln!(out, "\nThe model: {}. It leaves out: {}", prose(&model.kind), prose(&model.leaves_out));
    }
}

fn spot(out: &mut String, question: &Question) {
    let spot = &question.spot;
    let _ = writeln!(out, "\n## Spot the bug\n\n{}\n", prose(&spot.prompt));
    program(out, &numbered(&spot.code), "text");
    let count = spot.hints.len();
    for (index, hint) in spot.hints.iter().enumerate() {
        fold(out, Fold::Closed, &format!("Hint {} of {count}", index + 1), &format!("{}\n", prose(hint)));
    }
    out.push_str(match spot.ask {
        Ask::Line => "\nChoose a line before you open the answer.\n",
        Ask::Gap => "\nChoose the line after which a step is missing before you open the answer.\n",
    });
}

fn the_answer(out: &mut String, question: &Question, as_it_is: Fold) {
    let spot = &question.spot;
    let mut inside = String::new();
    let line = if spot.ask == Ask::Gap { "After line" } else { "Line" };
    for answer in &spot.answers {
        let _ = writeln!(inside, "- **{line} {}**: {}", answer.line, code(answer.code.trim()));
    }
    let _ = writeln!(inside, "\n{}", prose(&spot.explanation));
    if !spot.near.is_empty() {
        inside.push_str("\nTempting lines:\n\n");
        for near in &spot.near {
            let _ = writeln!(inside, "- Line {}: {}", near.line, prose(&near.feedback));
        }
    }
    inside.push_str("\nThe smallest repair:\n\n");
    program(&mut inside, &diff(question), "diff");
    let _ = writeln!(inside, "\n### {}\n", prose(&question.fixed.title));
    program(&mut inside, &question.fixed.code, "python");
    inside.push_str("\nIt prints:\n\n");
    program(&mut inside, &question.fixed.prints, "text");
    inside.push_str("\nThe buggy program prints:\n\n");
    program(&mut inside, &spot.prints, "text");
    if let Some(verified) = stamp::that_holds(question) {
        let (python, mypy) = (plain(&text::listed(verified.pythons(), "and")), plain(&verified.mypy));
        let _ = writeln!(inside, "\nRan on Python {python}; `mypy --strict` {mypy} passed; {}.", verified.on);
    }
    fold(out, as_it_is, "Show the answer", &inside);
}

fn say(out: &mut String, question: &Question) {
    let say = &question.say;
    let _ = writeln!(out, "\n## Say it · {} s\n\n{}", say.seconds, prose(&say.prompt));
    let mut inside = String::from("Which of these did you cover?\n\n");
    for point in &say.points {
        let _ = writeln!(inside, "- [ ] {}", prose(point));
    }
    let _ = writeln!(inside, "\nAn answer of 30 seconds:\n\n> {}", prose(&say.answer));
    fold(out, Fold::Closed, "Check what you said", &inside);
}

fn deep_dive(out: &mut String, question: &Question) {
    let learn = &question.learn;
    let mut inside = String::new();
    for fact in &learn.facts {
        let _ = writeln!(inside, "- {} ({}, checked {})", prose(&fact.text), prose(&fact.source), fact.checked);
    }
    if !learn.mistakes.is_empty() {
        inside.push_str("\n### Common mistakes\n\n");
        for mistake in &learn.mistakes {
            let _ = writeln!(inside, "- {}", prose(mistake));
        }
    }
    let _ = writeln!(inside, "\n### Senior take\n\n{}", prose(&learn.senior_take));
    out.push_str("\n## Deep dive\n");
    fold(out, Fold::Closed, "Facts, mistakes and the senior take", &inside);
}

fn follow_ups(out: &mut String, question: &Question) {
    if question.follow_ups.is_empty() {
        return;
    }
    out.push_str("\n## Follow-up questions\n\nThink of your answer first, then open the hint.\n");
    for (index, follow_up) in question.follow_ups.iter().enumerate() {
        let _ = writeln!(out, "\n{}\\. {}", index + 1, prose(&follow_up.question));
        fold(out, Fold::Closed, "Hint", &format!("{}\n", prose(&follow_up.hint)));
        if let Some(answer) = &follow_up.answer {
            fold(out, Fold::Closed, "Answer", &format!("{}\n", prose(answer)));
        }
    }
}

fn foot(out: &mut String, entry: &Entry, pack: Option<&PackEntry>) {
    if !entry.question.related.is_empty() {
        out.push_str("\n## Related questions\n\n");
        for related in &entry.question.related {
            let _ = writeln!(out, "- {}", code(related));
        }
    }
    if let Some(pack) = pack {
        let _ = writeln!(out, "\nSuggest a fix: {} ({})", address(&pack.pack.report), code(&entry.name.to_string()));
    }
}

/// Something that opens on a click.
fn fold(out: &mut String, fold: Fold, summary: &str, inside: &str) {
    let tag = match fold {
        Fold::Open => "<details open>",
        Fold::Closed => "<details>",
    };
    // Markdown begins again behind the blank line.
    let _ = writeln!(out, "\n{tag}\n<summary>{summary}</summary>\n\n{}\n\n</details>", inside.trim_matches('\n'));
}

fn numbered(code: &str) -> String {
    let lines = lines(code);
    let width = lines.len().to_string().len();
    let number = |(index, line): (usize, &&str)| format!("{:>width$}  {line}", index + 1).trim_end().to_owned() + "\n";
    lines.iter().enumerate().map(number).collect()
}

fn diff(question: &Question) -> String {
    let line = |change| match change {
        DiffLine::Kept { text, .. } => format!(" {text}"),
        DiffLine::Removed { text, .. } => format!("-{text}"),
        DiffLine::Added { text } => format!("+{text}"),
    };
    repair_diff(question).into_iter().map(|change| line(change).trim_end().to_owned() + "\n").collect()
}

/// A program or its output, in a fence longer than any row of backticks in it.
fn program(out: &mut String, code: &str, language: &str) {
    let code = text::block(code);
    let fence = "`".repeat(longest_run(&code).max(2) + 1);
    let end = if code.is_empty() || code.ends_with('\n') { "" } else { "\n" };
    let _ = writeln!(out, "{fence}{language}\n{code}{end}{fence}");
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Inline Markdown of an author as inline Markdown of ours.
fn prose(markdown: &str) -> String {
    let mut out = String::new();
    let pieces = pieces(markdown);
    for (index, piece) in pieces.iter().enumerate() {
        match piece.kind {
            Kind::Text => out.push_str(&plain(&piece.text)),
            Kind::Code => out.push_str(&code(&piece.text)),
            Kind::Emphasis => {
                let _ = write!(out, "*{}*", plain(&piece.text));
            }
            // An address is shown, so that nobody clicks on words that lead elsewhere.
            Kind::Address => {
                let space = if index > 0 { " " } else { "" };
                let _ = write!(out, "{space}({})", address(&piece.text));
            }
        }
    }
    out
}

/// A link that shows where it leads, if it leads to the web.
fn address(text: &str) -> String {
    let web = text.starts_with("https://") || text.starts_with("http://");
    let simple = text.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '<' | '>' | '\\' | '`'));
    if web && simple { format!("<{text}>") } else { escaped(&text::line(text)) }
}

/// Text that means nothing but itself, whatever is in it. An address in it is a link that shows where it leads: readers make
/// links of bare ones, and take the escapes for a part of them.
fn plain(text: &str) -> String {
    let text = text::line(text);
    let mut rest = &*text;
    let mut out = String::with_capacity(text.len() + 8);
    while let Some((before, link, behind)) = first_address(rest) {
        out.push_str(&escaped(before));
        out.push_str(&address(link));
        rest = behind;
    }
    out + &escaped(rest)
}

/// The first address of the web in a text, with what is before and behind it.
fn first_address(text: &str) -> Option<(&str, &str, &str)> {
    let start = ["https://", "http://"].iter().filter_map(|scheme| text.find(scheme)).min()?;
    let (before, from) = text.split_at(start);
    let end =
        from.find(|c: char| !c.is_ascii_graphic() || matches!(c, '<' | '>' | '"' | '\\' | '`')).unwrap_or(from.len());
    let (mut link, _) = from.split_at(end);
    // What ends a sentence or closes a bracket around it is no part of it.
    loop {
        let closes = link.ends_with(')') && link.matches(')').count() > link.matches('(').count();
        if !closes && !link.ends_with(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '~']) {
            break;
        }
        link = link.get(..link.len() - 1).unwrap_or_default();
    }
    Some((before, link, from.get(link.len()..).unwrap_or_default()))
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '$' | '#' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    // A list, a heading line or a numbered entry would begin at the start of a line.
    let digits = out.chars().take_while(char::is_ascii_digit).count();
    let marks_a_list = matches!(out.as_bytes().get(digits), Some(b'.' | b')')) && digits > 0;
    if marks_a_list {
        out.insert(digits, '\\');
    } else if out.starts_with(['-', '+', '=', '|', ':']) {
        out.insert(0, '\\');
    }
    out
}

/// Code in a sentence, in more backticks than it has in a row itself.
fn code(text: &str) -> String {
    let text = text::line(text);
    let fence = "`".repeat(longest_run(&text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_author_cannot_leave_the_place_of_a_text() {
        assert_eq!(prose("a <script>alert(1)</script> & b"), "a &lt;script&gt;alert(1)&lt;/script&gt; &amp; b");
        assert_eq!(prose("# x"), "\\# x");
        assert_eq!(prose("1. x"), "1\\. x");
        assert_eq!(prose("- x"), "\\- x");
        assert_eq!(prose("</details>"), "&lt;/details&gt;");
        assert_eq!(prose("see [docs](javascript:alert(1))"), "see docs (javascript:alert(1))");
        assert_eq!(prose("set `x = 1` *now*\u{1b}[2J"), "set `x = 1` *now*␛\\[2J");
        assert_eq!(prose("[a](https://example.org/x_y#z)"), "a (<https://example.org/x_y#z>)");
        assert_eq!(code("a``b"), "```a``b```");
        assert_eq!(code("`"), "`` ` ``");
        let mut fenced = String::new();
        program(&mut fenced, "```\n</details>\n````", "text");
        assert_eq!(fenced, "`````text\n```\n</details>\n````\n`````\n");
    }
}
