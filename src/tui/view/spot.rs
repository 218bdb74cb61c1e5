//! The stage Spot: the question, the program, and what the answer was worth.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::content::question::{Ask, LineNo, Question};
use crate::quiz::Action;
use crate::quiz::describe;
use crate::quiz::grade::{Grade, grade, repair_diff};
use crate::quiz::state::{Outcome, Sitting, SpotNotice};
use crate::text::listed;
use crate::tui::theme::{Role, Theme};
use crate::tui::ui::Ui;
use crate::tui::view::diffs::Diff;
use crate::tui::view::page::{self, Drawn, Row, Stack};
use crate::tui::view::{heading, listing, title_fits_bar, write};

/// The stage.
pub fn draw(ui: &Ui, sitting: &Sitting, area: Rect, buf: &mut Buffer) -> Drawn {
    let theme = &ui.theme;
    let width = page::text_width(area.width);
    let mut stack = Stack::default();
    header(sitting.question(), area.width, theme, &mut stack);
    stack.blank();
    stack.rows(write::prose(&sitting.question().spot.prompt, Role::Title, theme, width));
    if sitting.question().spot.ask == Ask::Gap && sitting.outcome().is_none() {
        stack.rows(write::plain(describe::PICK_A_GAP, Role::Text, theme, width));
    }
    stack.blank();
    let focus = match sitting.outcome() {
        None => searching(ui, sitting, width, &mut stack),
        Some(outcome) => answered(ui, sitting, outcome, width, &mut stack),
    };
    page::draw(&stack, ui.scroll, &focus, theme, area, buf)
}

/// Facts on the question: topic, level, what it requires, what its model leaves out, who reviewed it.
fn header(question: &Question, bar_width: u16, theme: &Theme, stack: &mut Stack<'_>) {
    let width = page::text_width(bar_width);
    if !title_fits_bar(&question.title, bar_width) {
        stack.rows(write::prose(&question.title, Role::Title, theme, width));
    }
    let mut facts = vec![
        write::span(&question.topic, theme.style(Role::Text)),
        Span::styled(question.level.word(), theme.style(Role::Text)),
    ];
    facts.extend(question.requires.iter().map(|chip| write::span(&format!("[{chip}]"), theme.style(Role::Chip))));
    stack.rows(write::flow(facts, 2, width));
    let mut about = String::new();
    if let Some(model) = &question.model {
        about = format!("Model: {}. Leaves out: {}", model.kind, model.leaves_out.trim());
    }
    if let Some(review) = &question.review {
        if !about.is_empty() {
            about.push_str(if about.ends_with(['.', '!', '?']) { " " } else { ". " });
        }
        about.push_str(&format!("Reviewed by {} on {}.", review.by, review.on));
    }
    if !about.is_empty() {
        stack.rows(write::prose(&about, Role::Dim, theme, width));
    }
}

/// The program with the cursor, then hints and feedback. Returns what should be in sight, the most important last.
fn searching(ui: &Ui, sitting: &Sitting, width: usize, stack: &mut Stack<'_>) -> Vec<std::ops::Range<usize>> {
    let theme = &ui.theme;
    let question = sitting.question();
    let cursor = sitting.cursor();
    let mut at_cursor = 0..0;
    let marks = |index: usize| {
        let line = LineNo::from_index(index);
        let here = line == cursor;
        let tried = sitting.picks().contains(&line);
        let marks =
            format!("{}{}", if here { theme.glyphs.cursor } else { " " }, if tried { theme.glyphs.wrong } else { " " });
        let style = match (here, tried) {
            (true, _) => theme.style(Role::Marked),
            (false, true) => theme.style(Role::Bad),
            (false, false) => theme.style(Role::Dim),
        };
        (marks, style)
    };
    for (index, rows) in listing(ui, &question.spot.code, width, marks) {
        let line = LineNo::from_index(index);
        let start = stack.len();
        for row in rows {
            stack.row(Row { line: row, hit: Some(Action::Point(line)) });
        }
        if line == cursor {
            if question.spot.ask == Ask::Gap {
                stack.row(Row { line: gap(ui), hit: Some(Action::Point(line)) });
            }
            at_cursor = start..stack.len();
        }
    }
    let below = stack.len();
    let mut notice = None;
    for (index, hint) in question.spot.hints.iter().take(sitting.hints()).enumerate() {
        let start = stack.len();
        stack.blank();
        stack.row(heading(&format!("Hint {} of {}", index + 1, question.spot.hints.len()), theme));
        stack.rows(write::prose(hint, Role::Text, theme, width));
        if sitting.notice() == Some(SpotNotice::Hint) {
            notice = Some(start..stack.len());
        }
    }
    if sitting.notice() == Some(SpotNotice::TakenBack) {
        let start = stack.len();
        stack.blank();
        stack.row(Line::styled("Your last answer is taken back.", theme.style(Role::Text)));
        notice = Some(start..stack.len());
    } else if let Some(line) = sitting.picks().last() {
        let start = stack.len();
        stack.blank();
        feedback(question, *line, theme, width, stack);
        if sitting.notice() == Some(SpotNotice::Feedback) {
            notice = Some(start..stack.len());
        }
    }
    if let Some(notice) = notice {
        // On a small screen the cursor goes out of sight for what was just asked for; the next move brings it back.
        return vec![below..stack.len(), at_cursor, notice];
    }
    if stack.len() > below {
        // Hints and feedback come into sight as long as the cursor stays there too.
        return vec![below..stack.len(), at_cursor];
    }
    // The first line brings the question above it back into sight.
    let above = if cursor == LineNo::FIRST { 0 } else { at_cursor.start.saturating_sub(1) };
    vec![at_cursor.start..(at_cursor.end + 1).min(below), above..at_cursor.end, at_cursor]
}

/// The mark of the gap below the line at the cursor.
fn gap(ui: &Ui) -> Line<'static> {
    Line::styled("       --- a step is missing here?", ui.theme.style(Role::Key))
}

fn feedback(question: &Question, line: LineNo, theme: &Theme, width: usize, stack: &mut Stack<'_>) {
    let wrong = describe::is_not_the_answer(question.spot.ask, &format!("line {line}"));
    let sentence = format!("{} {}. Try another one.", theme.glyphs.wrong, capital(&wrong));
    stack.rows(write::plain(&sentence, Role::Bad, theme, width));
    if let Grade::Near(why) = grade(question, line) {
        stack.rows(write::prose(why, Role::Text, theme, width));
    }
}

/// The repair on the program, the verdict and the explanation.
fn answered(
    ui: &Ui,
    sitting: &Sitting,
    outcome: Outcome,
    width: usize,
    stack: &mut Stack<'_>,
) -> Vec<std::ops::Range<usize>> {
    let theme = &ui.theme;
    let question = sitting.question();
    let top = stack.len();
    let changed = diff(ui, sitting, width, stack);
    stack.blank();
    let verdict = stack.len();
    let lines = said_lines(question);
    let is_it = |line: LineNo| describe::is_the_answer(question.spot.ask, &format!("line {line}"));
    let sentence = match outcome {
        Outcome::Found { line, pick: 1 } => {
            format!("{} Right, with the first pick: {}.", theme.glyphs.right, is_it(line))
        }
        Outcome::Found { line, pick } => {
            format!("{} Right: {}. It took {pick} picks.", theme.glyphs.right, is_it(line))
        }
        Outcome::GaveUp if question.spot.ask.is_line() => format!("The bug is in {lines}."),
        Outcome::GaveUp => format!("The step is missing after {lines}."),
    };
    let role = if outcome == Outcome::GaveUp { Role::Heading } else { Role::Good };
    stack.rows(write::plain(&sentence, role, theme, width));
    if question.accepted().count() > 1 && outcome != Outcome::GaveUp {
        stack.rows(write::prose(&format!("Accepted: {lines}."), Role::Text, theme, width));
    }
    stack.rows(write::prose(&question.spot.explanation, Role::Text, theme, width));
    stack.blank();
    let next = "The listing shows the smallest repair. Run has both programs now, Fix compares your own repair.";
    stack.rows(write::prose(next, Role::Dim, theme, width));
    vec![top..stack.len(), changed.start..verdict + 1, verdict..stack.len()]
}

/// A sentence that begins with a capital letter.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn said_lines(question: &Question) -> String {
    let numbers = listed(question.accepted(), "or");
    if numbers.is_empty() { "no line".to_owned() } else { format!("line {numbers}") }
}

/// The smallest repair as a diff. Returns the rows that change.
fn diff(ui: &Ui, sitting: &Sitting, width: usize, stack: &mut Stack<'_>) -> std::ops::Range<usize> {
    let glyphs = ui.theme.glyphs;
    let question = sitting.question();
    let lines = repair_diff(question);
    let mark = |line: LineNo| {
        if question.accepts(line) {
            glyphs.right
        } else if sitting.picks().contains(&line) {
            glyphs.wrong
        } else {
            " "
        }
    };
    let top = stack.len();
    let (rows, changed) = Diff { source: &question.spot.code, lines: &lines, context: None }.rows(ui, width, mark);
    stack.rows(rows);
    top + changed.start..top + changed.end
}
