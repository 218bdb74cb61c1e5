//! The steps of the stage Run: the program with its current line, and the stack, the variables and the output at that step.
//!
//! Wide terminals have the program on the left and its state on the right, or both programs side by side; on narrower ones
//! they stand one above the other. The program follows its current line, the state scrolls.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::content::question::{LineNo, lines};
use crate::quiz::Action;
use crate::quiz::align::Relation;
use crate::quiz::describe;
use crate::quiz::state::{Program, Programs, Sitting};
use crate::quiz::steps::{Act, Missed, Steps, Walk};
use crate::quiz::trace::is_class_body;
use crate::runner::{Ending, Step, StepKind, Verdict};
use crate::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::ui::Ui;
use crate::tui::view::page::{self, Drawn, Row, Scroll, Stack};
use crate::tui::view::state;
use crate::tui::view::{listing, write};

/// From this many columns of the terminal on, a program and its state stand side by side.
const WIDE: u16 = 100;

/// From this many columns of the terminal on, the states of two programs stand side by side.
const COLUMNS: u16 = 60;

const MESSAGE: usize = 2;

/// Rows of the program around its current line that are shown where there is room.
const AROUND: usize = 2;

/// Draws the view.
pub fn draw(ui: &Ui, sitting: &Sitting, area: Rect, buf: &mut Buffer) -> Drawn {
    let steps = sitting.steps();
    let Some(leader) = steps.leader() else { return nothing_yet(ui, sitting, area, buf) };
    let theme = &ui.theme;
    let mut rest = area;
    let mut line = |words: String, role: Role| {
        let row = Rect { x: rest.x + 1, width: rest.width.saturating_sub(2), height: 1, ..rest }.intersection(rest);
        let words = text::line(&words).into_owned();
        Line::styled(text::shorten(&words, usize::from(row.width)).into_owned(), theme.style(role)).render(row, buf);
        rest = Rect { y: rest.y + 1, height: rest.height.saturating_sub(1), ..rest };
    };
    let programs: Vec<(Program, &Walk)> = match steps.programs() {
        Programs::Both => {
            [Program::Buggy, Program::Fixed].into_iter().filter_map(|p| Some((p, steps.walk(p)?))).collect()
        }
        side => vec![(side.leader(), leader)],
    };
    let narrow = area.width < COLUMNS;
    for (program, walk) in &programs {
        line(position(*program, walk, sitting.source(*program), narrow), Role::Title);
    }
    let (words, role) = message(steps, leader, sitting.is_running());
    let words = text::line(&words).into_owned();
    let rows = text::wrap(&words, page::text_width(area.width));
    // Where there is room, the page does not move when a message comes or goes.
    for row in rows.into_iter().take(MESSAGE).filter(|row| !narrow || !row.is_empty()) {
        line(words.get(row).unwrap_or("").to_owned(), role);
    }
    let mut hits = Vec::new();
    let mut drawn = Drawn::default();
    if area.width >= WIDE {
        let left =
            if programs.len() == 1 { widest(sitting, steps.programs().leader(), rest.width) } else { rest.width / 2 };
        let columns = side_by_side(rest, left);
        match programs.as_slice() {
            [(program, walk)] => {
                hits.extend(program_page(ui, sitting, *program, walk, columns[0], buf));
                drawn = state::draw(ui, sitting, &programs, columns[1], buf);
            }
            _ => {
                for ((program, walk), column) in programs.iter().zip(columns).rev() {
                    let lines = lines(sitting.source(*program)).len();
                    // A little more than the lines, as long ones take two rows.
                    let wanted = u16::try_from(lines.saturating_add(3)).unwrap_or(u16::MAX);
                    let height = wanted.min(column.height / 5 * 3);
                    let above = Rect { height, ..column };
                    hits.extend(program_page(ui, sitting, *program, walk, above, buf));
                    let below = Rect { y: column.y + height, height: column.height - height, ..column };
                    // The leader is drawn last: its state is the one that scrolls.
                    drawn = state::draw(ui, sitting, &[(*program, *walk)], below, buf);
                }
            }
        }
    } else {
        for (program, walk) in &programs {
            let share = if programs.len() == 1 { rest.height * 11 / 20 } else { area.height * 3 / 10 };
            let lines = u16::try_from(lines(sitting.source(*program)).len());
            let height = lines.unwrap_or(u16::MAX).min(share.max(2)).min(rest.height);
            hits.extend(program_page(ui, sitting, *program, walk, Rect { height, ..rest }, buf));
            rest = Rect { y: rest.y + height, height: rest.height - height, ..rest };
        }
        if programs.len() > 1 && area.width >= COLUMNS {
            for (pair, column) in programs.iter().zip(side_by_side(rest, rest.width / 2)).rev() {
                drawn = state::draw(ui, sitting, &[*pair], column, buf);
            }
        } else {
            drawn = state::draw(ui, sitting, &programs, rest, buf);
        }
    }
    drawn.hits.extend(hits);
    drawn
}

/// Two columns, the left one of so many columns of the terminal.
fn side_by_side(area: Rect, left: u16) -> [Rect; 2] {
    let left = left.min(area.width);
    [Rect { width: left, ..area }, Rect { x: area.x + left, width: area.width - left, ..area }]
}

/// The columns that a program needs, between half and two thirds of `width`.
fn widest(sitting: &Sitting, program: Program, width: u16) -> u16 {
    let lines = lines(sitting.source(program));
    let longest = lines.iter().map(|line| text::width(&text::line(line))).max().unwrap_or(0);
    let gutter = lines.len().to_string().len() + 7;
    u16::try_from(longest.saturating_add(gutter)).unwrap_or(u16::MAX).clamp(width / 2, (width / 3).saturating_mul(2))
}

fn nothing_yet(ui: &Ui, sitting: &Sitting, area: Rect, buf: &mut Buffer) -> Drawn {
    let theme = &ui.theme;
    let width = page::text_width(area.width);
    let mut stack = Stack::default();
    let walk = sitting.steps().walk(sitting.steps().programs().leader());
    let prose = |words| write::prose(words, Role::Text, theme, width);
    stack.rows(match walk.map(|walk| walk.trace().ending()) {
        Some(None) => prose("Running the program, and noting every step."),
        Some(Some(ending)) => {
            let sentence = format!("There are no steps. {}", verdict(ending));
            write::plain(&sentence, Role::Text, theme, width)
        }
        None if sitting.is_answered() => {
            prose("Press `t` to run both programs and go through them step by step, back and forth.")
        }
        None => prose("Press `t` to run the buggy program and go through it step by step, back and forth."),
    });
    if !sitting.is_answered() {
        stack.blank();
        stack.rows(write::prose(describe::FIXED_RUN_IS_CLOSED, Role::Dim, theme, width));
    }
    page::draw(&stack, ui.scroll, &[], theme, area, buf)
}

/// The number of the step, and what happens in it.
fn position(program: Program, walk: &Walk, source: &str, narrow: bool) -> String {
    let heading = describe::heading(program);
    let what = walk.step().map(|step| happens(step, source)).unwrap_or_default();
    if walk.trace().steps.is_empty() {
        return format!("{heading}: no steps yet");
    }
    if narrow {
        let name = heading.trim_end_matches(" program");
        return format!("{name} {}/{}: {what}", walk.at() + 1, walk.trace().steps.len());
    }
    format!("{heading}, step {} of {}: {what}", walk.at() + 1, walk.trace().steps.len())
}

fn happens(step: &Step, source: &str) -> String {
    let function = match step.function.as_str() {
        "<module>" => "the program",
        function => function,
    };
    let what = match step.kind {
        StepKind::Call if function == "the program" => "it begins".to_owned(),
        StepKind::Call if is_class_body(source, function) => format!("the body of {function} begins"),
        StepKind::Return if is_class_body(source, function) => format!("the body of {function} ends"),
        StepKind::Call => format!("{function} is called"),
        StepKind::Line => format!("line {} comes next", step.line),
        StepKind::Return if function == "the program" => "it ends".to_owned(),
        StepKind::Return if step.value.is_empty() => format!("{function} ends by the exception"),
        StepKind::Return => format!("{function} returns {}", step.value),
        StepKind::Exception => format!("line {} raises {}", step.line, step.value),
    };
    if step.thread.is_empty() { what } else { format!("{what} (thread {})", step.thread) }
}

/// One line about the last key, about how the programs belong together, or about the end.
fn message(steps: &Steps, leader: &Walk, running: bool) -> (String, Role) {
    if let Some(typed) = steps.typed() {
        return (format!("{typed}: Enter goes to this step, l to the next visit of this line."), Role::Key);
    }
    if let Some(missed) = steps.missed() {
        let is_search = !matches!(missed, Missed::Fixed);
        let so_far = if is_search && leader.trace().ending().is_none() { " so far" } else { "" };
        return (format!("{}{so_far}.", describe::missed(missed)), Role::Warning);
    }
    let last = leader.at() + 1 == leader.trace().steps.len();
    match (leader.trace().trace_full, leader.trace().ending()) {
        (Some(limit), _) if last => {
            return (describe::trace_limit(limit), Role::Warning);
        }
        (_, Some(ending)) if last && ending.verdict != Verdict::Finished => {
            return (verdict(ending), Role::Bad);
        }
        (_, None) if running => return ("The program is still running.".to_owned(), Role::Warning),
        _ => {}
    }
    let words = match steps.relation() {
        Some(Relation::Same) => "Both programs are at the same place.",
        relation => describe::waits(relation).unwrap_or_default(),
    };
    (words.to_owned(), Role::Dim)
}

/// The end of a program: "Timed out: stopped after 2.0 s by the clock".
fn verdict(ending: &Ending) -> String {
    let word = describe::verdict(ending.verdict);
    let mut letters = word.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}: {}", letters.as_str(), ending.detail)
}

/// The program, with its current line in sight. Returns what clicks do.
fn program_page(
    ui: &Ui,
    sitting: &Sitting,
    program: Program,
    walk: &Walk,
    area: Rect,
    buf: &mut Buffer,
) -> Vec<(Rect, Action)> {
    let theme = &ui.theme;
    let now = walk.step().and_then(|step| LineNo::new(step.line));
    let mark = |index: usize| {
        let line = Some(LineNo::from_index(index));
        let (here, marked) = (line == now, line == walk.cursor());
        let glyph = |is: bool, glyph: &'static str| if is { glyph } else { " " };
        let marks = format!("{}{}", glyph(marked, theme.glyphs.cursor), glyph(here, theme.glyphs.now));
        let style = match (here, marked) {
            (true, _) => theme.style(Role::Marked),
            (false, true) => theme.style(Role::Key),
            (false, false) => theme.style(Role::Dim),
        };
        (marks, style)
    };
    let mut stack = Stack::default();
    let (mut current, mut cursor): (Option<Range<usize>>, Option<Range<usize>>) = (None, None);
    for (index, rows) in listing(ui, sitting.source(program), page::text_width(area.width), mark) {
        let line = LineNo::from_index(index);
        let start = stack.len();
        for row in rows {
            stack.row(Row { line: row, hit: Some(Action::Steps(Act::Visit(program, line))) });
        }
        if Some(line) == now {
            current = Some(start..stack.len());
        }
        if Some(line) == walk.cursor() {
            cursor = Some(start..stack.len());
        }
    }
    let total = stack.len();
    let wide = |range: &Range<usize>| range.start.saturating_sub(AROUND)..(range.end + AROUND).min(total);
    let mut focus: Vec<Range<usize>> = [&cursor, &current].into_iter().flatten().cloned().collect();
    if walk.looks_at_cursor() {
        focus.reverse();
    }
    if let Some(last) = focus.last().cloned() {
        focus.push(wide(&last));
        focus.push(last);
    }
    page::draw(&stack, Scroll::default(), &focus, theme, area, buf).hits
}

/// A heading followed by words.
pub(super) fn headed(name: &str, words: &str, theme: &Theme) -> Line<'static> {
    Line::from(vec![
        Span::styled(text::line(name).into_owned(), theme.style(Role::Heading)),
        Span::styled(format!("  {}", text::line(words)), theme.style(Role::Dim)),
    ])
}
