//! The stage Fix: the learner's program, the checks on it, and what a repair that passes is compared with.

use std::collections::BTreeSet;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::content::question::{LineNo, Question};
use crate::quiz::Action;
use crate::quiz::diff::diff;
use crate::quiz::grade::{DiffLine, repair_diff};
use crate::quiz::repair::{Checked, Note, RepairState};
use crate::quiz::state::{Sitting, Stage};
use crate::runner::{CheckOutcome, CheckResult, Verdict};
use crate::text::{self, counted};
use crate::tui::editor::Editor;
use crate::tui::editor_keys::place_of;
use crate::tui::highlight::DraftParts;
use crate::tui::theme::{Role, Theme};
use crate::tui::ui::Ui;
use crate::tui::view::diffs::Diff;
use crate::tui::view::page::{self, Columns, Drawn, Segment, Stack};
use crate::tui::view::run::{SIDE_BY_SIDE, withheld};
use crate::tui::view::write::{self, Output};
use crate::tui::view::{heading, stamp};

const GAP: u16 = 3;

/// Lines that are drawn around each change of a diff.
const CONTEXT: usize = 2;

/// The most lines of a program whose changes are marked while it is edited.
const MARKED: usize = 400;

/// The stage.
pub fn draw(ui: &Ui, sitting: &Sitting, area: Rect, buf: &mut Buffer) -> Drawn {
    let theme = &ui.theme;
    let repair = sitting.repair();
    let question = sitting.question();
    if let Some(blocked) = sitting.blocked(Stage::Fix) {
        let mut stack = Stack::default();
        stack.blank();
        let width = page::text_width(area.width);
        withheld(blocked, ui.quiz.sandbox(), &sitting.entry().name.pack, theme, width, &mut stack);
        return page::draw(&stack, ui.scroll, &[], theme, area, buf);
    }
    let editor = ui.open_editor();
    status(sitting, editor, theme, Rect { height: 1, ..area }, buf);
    let area = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let width = page::text_width(area.width);
    let mut stack = Stack::default();
    notes(sitting, theme, width, &mut stack);
    let top = stack.len();
    let program = DraftRows::new(ui, sitting, editor, width);
    let (gutter, cursor) = (program.gutter(), program.cursor());
    stack.segment(program);
    stack.blank();
    let below = stack.len();
    match repair.checked() {
        None => invitation(theme, width, &mut stack),
        Some(checked) => results(checked, question, theme, width, &mut stack),
    }
    let results = below..stack.len();
    if repair.passes(question) {
        comparison(ui, sitting, area.width, &mut stack);
    }
    let cursor = cursor.map(|(row, column)| (top + row, column));
    let focus = match cursor {
        // The line above and the line below the cursor stay in sight too.
        Some((row, _)) => vec![row..row + 2, row.saturating_sub(1)..row + 1, row..row + 1],
        // Nothing came of the last key, and the reason stands above the program.
        None if matches!(repair.note(), Some(Note::Failed(_))) => std::iter::once(0..top).collect(),
        None if repair.checked().is_some() => vec![results.clone(), results.start..results.start + 1],
        None => Vec::new(),
    };
    let mut drawn = page::draw(&stack, ui.scroll, &focus, theme, area, buf);
    drawn.gutter = gutter;
    drawn.cursor = cursor.and_then(|(row, column)| {
        let down = row.checked_sub(drawn.offset).filter(|down| *down < drawn.height)?;
        let x = usize::from(area.x) + 1 + gutter + column;
        let place = Position { x: u16::try_from(x).ok()?, y: area.y + u16::try_from(down).ok()? };
        area.contains(place).then_some(place)
    });
    drawn
}

/// The row that is always in sight: how the repair stands, and where the cursor is.
fn status(sitting: &Sitting, editor: Option<&Editor>, theme: &Theme, area: Rect, buf: &mut Buffer) {
    let repair = sitting.repair();
    let (words, role) = if repair.asks_reset() {
        let long = "Begin again with the buggy program? Your text is kept: y resets, n does not.";
        let fits = long.len() + 2 <= usize::from(area.width);
        (if fits { long } else { "Begin again? Your text is kept. y / n" }.to_owned(), Role::Warning)
    } else {
        standing(sitting, theme)
    };
    let mut room = area.width.saturating_sub(2);
    if let Some(editor) = editor {
        let (line, column) = editor.cursor();
        let place = format!("line {}, column {}", line + 1, column + 1);
        let inner = Rect { x: area.x + 1, width: room, ..area };
        let wide = u16::try_from(place.len() + 2).unwrap_or(u16::MAX);
        if text::width(&words) + usize::from(wide) <= usize::from(room) {
            Line::styled(place, theme.style(Role::Dim)).right_aligned().render(inner, buf);
            room -= wide;
        }
    }
    let inner = Rect { x: area.x + 1, width: room, ..area };
    let words = text::shorten(&words, usize::from(room)).into_owned();
    Line::styled(words, theme.style(role)).render(inner, buf);
}

fn standing(sitting: &Sitting, theme: &Theme) -> (String, Role) {
    let (repair, question) = (sitting.repair(), sitting.question());
    let (right, wrong) = (theme.glyphs.right, theme.glyphs.wrong);
    let (words, role) = match repair.state(question) {
        RepairState::Untried if repair.is_changed(question) => ("Not checked yet.".to_owned(), Role::Text),
        RepairState::Untried => ("The buggy program, yours to repair.".to_owned(), Role::Text),
        RepairState::Running => return ("Checking.".to_owned(), Role::Warning),
        RepairState::Passed => (format!("{right} Repaired: {}.", all_passed(question.checks.len())), Role::Good),
        RepairState::Failed { of: 0, .. } => (format!("{wrong} This question has no checks."), Role::Bad),
        RepairState::Failed { failed, of } => {
            let count = if of == 1 { "The check".to_owned() } else { format!("{failed} of {of} checks") };
            // The first of them by name, since the editor hides the results.
            let results = repair.checked().map_or(&[][..], Checked::results);
            let first = results.iter().find(|check| check.result != CheckOutcome::Passed);
            let first = first.filter(|_| !repair.is_stale());
            let name = first.map_or_else(String::new, |check| format!(": {}", text::line(&check.name)));
            (format!("{wrong} {count} did not pass{name}."), Role::Bad)
        }
        RepairState::Ended(verdict) => (format!("{wrong} {}", ended(verdict)), Role::Bad),
    };
    if repair.is_stale() {
        return (format!("{words} Changed since."), Role::Warning);
    }
    (words, role)
}

fn all_passed(checks: usize) -> String {
    match checks {
        1 => "the check passed".to_owned(),
        2 => "both checks passed".to_owned(),
        _ => format!("all {checks} checks passed"),
    }
}

/// A verdict other than `finished`, as a sentence on a repair.
fn ended(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Finished => "It came to its end.",
        Verdict::Raised => "It ended with an exception.",
        Verdict::TimedOut => "It ran out of time.",
        Verdict::OutOfMemory => "It ran out of memory.",
        Verdict::OutputTooLong => "It wrote more than is kept.",
        Verdict::Crashed => "It crashed the interpreter.",
        Verdict::Refused => "It was not run.",
        Verdict::MachineryFailed => "It could not be run.",
        Verdict::Stopped => "The checks were stopped.",
        Verdict::Tampered => "No check on it can be trusted.",
    }
}

fn notes(sitting: &Sitting, theme: &Theme, width: usize, stack: &mut Stack<'_>) {
    let repair = sitting.repair();
    if repair.is_of_another_version(sitting.question()) {
        let words = "The question's program has changed since you began this text. Your text is kept; `x` begins again \
                     with the new program.";
        stack.rows(write::plain(words, Role::Warning, theme, width));
    }
    match repair.note() {
        None => {}
        Some(Note::Failed(why)) => {
            let words = format!("Not edited: {}. Your text here is as it was.", why.trim_end_matches('.'));
            stack.rows(write::plain(&words, Role::Warning, theme, width));
        }
        Some(Note::Edited { path, changed, aside }) => {
            if *changed {
                stack.rows(write::plain(&format!("Your text comes from {path}."), Role::Dim, theme, width));
            } else {
                let words = format!(
                    "{path} is as it was. If your editor is still open in a window of its own, tell it to wait, as `code --wait` does."
                );
                stack.rows(write::plain(&words, Role::Dim, theme, width));
            }
            if let Some(aside) = aside {
                let words = format!("Another text stood in that file; it is in {aside} now.");
                stack.rows(write::plain(&words, Role::Warning, theme, width));
            }
        }
    }
    stack.blank();
}

fn invitation(theme: &Theme, width: usize, stack: &mut Stack<'_>) {
    let how = "Press `i` to edit the program here, or `e` to edit it in your own editor. Ctrl-S runs the checks. They ask \
               what the program does, so printing the right text is not enough.";
    stack.rows(write::prose(how, Role::Text, theme, width));
}

/// The checks, how the program ended, and what it wrote.
fn results<'a>(checked: &'a Checked, question: &Question, theme: &Theme, width: usize, stack: &mut Stack<'a>) {
    stack.row(heading("Checks", theme));
    for result in checked.results() {
        check(result, theme, width, stack);
    }
    let Some(ending) = checked.recording().ending() else {
        let left = question.checks.len().saturating_sub(checked.results().len());
        stack.row(Line::styled(format!("  {} to come", counted(left, "check")), theme.style(Role::Dim)));
        return;
    };
    if ending.verdict != Verdict::Finished {
        let verdict = ended(ending.verdict).trim_end_matches('.');
        let detail = if ending.detail.is_empty() { String::new() } else { format!(": {}", ending.detail) };
        stack.rows(write::plain(&format!("{verdict}{detail}."), Role::Bad, theme, width));
        let advice = match ending.verdict {
            Verdict::Tampered => Some("The checks run on a program that leaves the interpreter alone."),
            _ => checked.results().is_empty().then_some("The checks run on a program that comes to its end."),
        };
        stack.rows(advice.into_iter().flat_map(|words| write::prose(words, Role::Dim, theme, width)));
    }
    stack.rows(write::plain(&stamp(ending, theme), Role::Dim, theme, width));
    stack.blank();
    if checked.recording().output.is_empty() {
        stack.row(Line::styled("Your program wrote nothing.", theme.style(Role::Dim)));
    } else {
        stack.row(heading("Your program wrote", theme));
        stack.segment(Output::new(&checked.recording().output, width, theme));
    }
}

fn check(result: &CheckResult, theme: &Theme, width: usize, stack: &mut Stack<'_>) {
    let (mark, word, role) = match result.result {
        CheckOutcome::Passed => (theme.glyphs.right, "passed", Role::Good),
        CheckOutcome::Failed => (theme.glyphs.wrong, "failed", Role::Bad),
        CheckOutcome::Error => (theme.glyphs.wrong, "error", Role::Bad),
        CheckOutcome::TimedOut => (theme.glyphs.wrong, "no end", Role::Bad),
    };
    let lead = vec![Span::styled(format!("{mark} {word:<6}  "), theme.style(role))];
    stack.rows(write::hanging(lead, &result.name, Role::Text, theme, width));
    for line in text::raw_lines(result.message.trim_end()).filter(|line| !line.is_empty()) {
        let rows = write::plain(line, Role::Text, theme, width.saturating_sub(10));
        stack.rows(rows.into_iter().map(|mut row| {
            row.spans.insert(0, Span::raw(" ".repeat(10)));
            row
        }));
    }
}

/// The repair beside the smallest one and the fixed program. These two stay closed until the line is known.
fn comparison(ui: &Ui, sitting: &Sitting, bar_width: u16, stack: &mut Stack<'_>) {
    let theme = &ui.theme;
    let width = page::text_width(bar_width);
    let question = sitting.question();
    let text = sitting.repair().text();
    let yours = diff(&question.spot.code, text);
    stack.blank();
    if !sitting.is_answered() {
        stack.segment(pane(ui, question, "Your repair", &yours, width));
        stack.blank();
        let why = "Name the line in the stage Spot, or give up there, to see the smallest repair and the fixed program \
                   beside yours.";
        stack.rows(write::prose(why, Role::Text, theme, width));
        return;
    }
    let smallest = repair_diff(question);
    let model = diff(&question.spot.code, &question.fixed.code);
    let fixed_title = format!("The fixed program: {}", question.fixed.title);
    let is_fixed = question.repaired() == question.fixed.code;
    let smallest_title =
        if is_fixed { "The smallest repair, which is the fixed program" } else { "The smallest repair" };
    if text == question.repaired() {
        stack.segment(pane(ui, question, "Your repair, which is the smallest one", &yours, width));
    } else if bar_width >= SIDE_BY_SIDE {
        let half = width.saturating_sub(usize::from(GAP)) / 2;
        let left = pane(ui, question, "Your repair", &yours, half);
        let right = pane(ui, question, smallest_title, &smallest, half);
        stack.segment(Columns { left, right, gap: GAP });
    } else {
        stack.segment(pane(ui, question, "Your repair", &yours, width));
        stack.blank();
        stack.segment(pane(ui, question, smallest_title, &smallest, width));
    }
    if text != question.fixed.code && !is_fixed {
        stack.blank();
        stack.segment(pane(ui, question, &fixed_title, &model, width));
    }
}

fn pane(ui: &Ui, question: &Question, title: &str, lines: &[DiffLine<'_>], width: usize) -> Stack<'static> {
    let mut stack = Stack::default();
    stack.rows(write::plain(title, Role::Heading, &ui.theme, width));
    let diff = Diff { source: &question.spot.code, lines, context: Some(CONTEXT) };
    stack.rows(diff.rows(ui, width, |_| " ").0);
    stack
}

/// The learner's program. Only rows that are drawn are made, since a text may be long.
struct DraftRows<'a> {
    theme: Theme,
    parts: DraftParts<'a>,
    lines: Vec<&'a str>,
    /// The row at which each line starts, and where the last one ends.
    starts: Vec<usize>,
    /// Lines that the buggy program has not.
    changed: BTreeSet<usize>,
    /// The line of the cursor, and the characters before it.
    cursor: Option<(usize, usize)>,
    digits: usize,
    width: usize,
}

impl<'a> DraftRows<'a> {
    fn new(ui: &'a Ui, sitting: &'a Sitting, editor: Option<&'a Editor>, width: usize) -> Self {
        let text = sitting.repair().text();
        let lines: Vec<&str> = match editor {
            Some(editor) => editor.lines().iter().map(String::as_str).collect(),
            None => crate::content::question::lines(text),
        };
        let mut program = Self {
            theme: ui.theme,
            parts: ui.highlights.draft(text),
            digits: lines.len().to_string().len(),
            starts: Vec::with_capacity(lines.len() + 1),
            changed: changed(sitting, text),
            cursor: editor.map(Editor::cursor),
            lines,
            width,
        };
        let columns = program.columns();
        let mut row = 0;
        for line in &program.lines {
            program.starts.push(row);
            row += text::cut_count(&text::line(line), columns);
        }
        program.starts.push(row);
        program
    }

    /// Columns before the text: marks, number, a blank on each side.
    fn gutter(&self) -> usize {
        self.digits + 4
    }

    fn columns(&self) -> usize {
        self.width.saturating_sub(self.gutter())
    }

    /// The row and the column of the cursor.
    fn cursor(&self) -> Option<(usize, usize)> {
        let (line, character) = self.cursor?;
        let (row, column) = place_of(self.lines.get(line)?, character, self.columns());
        Some((self.starts.get(line)? + row, column))
    }
}

/// The lines of `text` that the buggy program has not, where it is short enough to be compared at each key.
fn changed(sitting: &Sitting, text: &str) -> BTreeSet<usize> {
    let lines = crate::content::question::lines(text).len();
    if lines > MARKED || sitting.question().line_count() > MARKED {
        return BTreeSet::new();
    }
    let mut changed = BTreeSet::new();
    let mut line = 0;
    for piece in diff(&sitting.question().spot.code, text) {
        match piece {
            DiffLine::Kept { .. } => line += 1,
            DiffLine::Added { .. } => {
                changed.insert(line);
                line += 1;
            }
            DiffLine::Removed { .. } => {}
        }
    }
    changed
}

impl Segment for DraftRows<'_> {
    fn height(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    fn draw(&self, from: usize, area: Rect, buf: &mut Buffer, hits: &mut Vec<(Rect, Action)>) {
        let first = self.starts.partition_point(|start| *start <= from).saturating_sub(1);
        let mut places = area.rows();
        for (index, line) in self.lines.iter().enumerate().skip(first) {
            let start = self.starts.get(index).copied().unwrap_or(0);
            let here = self.cursor.is_some_and(|(line, _)| line == index);
            let new = self.changed.contains(&index);
            let style = self.theme.style(match (here, new) {
                (true, _) => Role::Marked,
                (false, true) => Role::Added,
                (false, false) => Role::Dim,
            });
            let cursor = if here { self.theme.glyphs.cursor } else { " " };
            let marks = format!("{cursor}{}{:>2$} ", if new { "+" } else { " " }, index + 1, self.digits);
            let gutter = vec![Span::styled(marks, style), Span::raw(" ")];
            let base = self.theme.style(Role::Text);
            let rows = write::code(gutter, line, &self.parts.line(line, index), base, &self.theme, self.width);
            for row in rows.iter().skip(from.saturating_sub(start)) {
                let Some(place) = places.next() else { return };
                row.render(place, buf);
                hits.push((place, Action::Point(LineNo::from_index(index))));
            }
        }
    }
}
