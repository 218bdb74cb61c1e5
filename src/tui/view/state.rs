//! The state of a program at a step: pinned variables, the call stack with its variables, and what was printed.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::quiz::Action;
use crate::quiz::describe;
use crate::quiz::state::{Program, Sitting};
use crate::quiz::steps::{Act, Shown, Walk};
use crate::runner::Chunk;
use crate::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::ui::Ui;
use crate::tui::view::page::{self, Drawn, Row, Stack};
use crate::tui::view::steps::headed;
use crate::tui::view::values::VALUE;
use crate::tui::view::{heading, write};

/// The state of each of `walks`, the leader first, on one page.
pub(super) fn draw(ui: &Ui, sitting: &Sitting, walks: &[(Program, &Walk)], area: Rect, buf: &mut Buffer) -> Drawn {
    let theme = &ui.theme;
    let width = page::text_width(area.width);
    let written: Vec<Vec<Chunk>> = walks.iter().map(|(_, walk)| walk.trace().output_until(walk.at())).collect();
    let mut stack = Stack::default();
    let mut focus = Vec::new();
    for ((program, walk), written) in walks.iter().zip(&written) {
        if walks.len() > 1 {
            stack.row(Line::styled(describe::heading(*program), theme.style(Role::Title)));
        }
        let leads = *program == sitting.steps().programs().leader();
        let in_sight = variables(ui, sitting, walk, leads, width, &mut stack);
        // The leader's come last, as the later ones are the more important.
        focus.splice(0..0, in_sight);
        if written.is_empty() {
            stack.row(headed("Output", "nothing yet", theme));
        } else {
            stack.row(headed("Output", "so far", theme));
            stack.segment(write::Output::new(written, width, theme));
        }
        if walks.len() > 1 {
            stack.blank();
        }
    }
    page::draw(&stack, ui.scroll, &focus, theme, area, buf)
}

/// Pinned variables and those of each function on the stack. Returns the rows to keep in sight, the most important last.
fn variables(
    ui: &Ui,
    sitting: &Sitting,
    walk: &Walk,
    leads: bool,
    width: usize,
    stack: &mut Stack<'_>,
) -> Vec<Range<usize>> {
    let theme = &ui.theme;
    let steps = sitting.steps();
    let shown = steps.shown(walk);
    let chosen = leads.then(|| steps.chosen(&shown));
    let pinned = shown.iter().take_while(|row| row.pinned).count();
    let mut focus = Vec::new();
    let mut changed: Option<Range<usize>> = None;
    let mut rows = shown.iter().enumerate().peekable();
    if pinned > 0 {
        stack.row(heading("Pinned", theme));
    }
    let mut put = |index: usize, row: &Shown, stack: &mut Stack<'_>| {
        let start = stack.len();
        let here = chosen == Some(index);
        for line in variable(row, here, here && steps.is_open(), width, theme) {
            stack.row(Row { line, hit: leads.then_some(Action::Steps(Act::ChooseAt(index))) });
        }
        if here {
            focus.push(start..stack.len());
        }
        if row.value.as_ref().is_some_and(|(_, changed)| *changed) {
            let first = changed.as_ref().map_or(start, |range| range.start);
            changed = Some(first..stack.len());
        }
    };
    while let Some((index, row)) = rows.next_if(|(_, row)| row.pinned) {
        put(index, row, stack);
    }
    for (above, frame) in walk.stack().into_iter().enumerate() {
        // Values are noted when a function itself takes a step.
        let as_of = if above == 0 { "" } else { ", when it called" };
        stack.row(headed(&frame.function, &format!("line {}{as_of}", frame.line), theme));
        let mut none = true;
        while let Some((index, row)) = rows.next_if(|(_, row)| row.depth == frame.depth) {
            put(index, row, stack);
            none = false;
        }
        if none {
            stack.row(Line::styled("  no variables", theme.style(Role::Dim)));
        }
    }
    // What was chosen stays in sight; what changed comes into sight beside it, where both fit.
    changed.into_iter().chain(focus).collect()
}

/// A variable as rows: its mark, whether it has just changed, its name and its value.
fn variable(row: &Shown, here: bool, open: bool, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mark = if here { theme.glyphs.cursor } else { " " };
    let (value, changed) = match &row.value {
        Some((value, changed)) => (text::line(value).into_owned(), *changed),
        None => ("not on the stack".to_owned(), false),
    };
    let value = if open { value } else { text::shorten(&value, VALUE).into_owned() };
    let name = if row.pinned && row.name.function != "<module>" {
        format!("{}: {}", row.name.function, row.name.name)
    } else {
        row.name.name.clone()
    };
    let star = if changed { "*" } else { " " };
    let sign = if row.value.is_some() { "=" } else { "is" };
    let words = format!("{} {sign} {value}", text::line(&name));
    let style = theme.style(match (changed, &row.value) {
        (true, _) => Role::Title,
        (false, Some(_)) => Role::Text,
        (false, None) => Role::Dim,
    });
    let cut = text::wrap(&words, width.saturating_sub(3)).into_iter().enumerate();
    cut.map(|(index, range)| {
        let lead = if index == 0 { format!("{mark}{star} ") } else { "   ".to_owned() };
        let words = words.get(range).unwrap_or("").to_owned();
        Line::from(vec![Span::styled(lead, theme.style(Role::Key)), Span::styled(words, style)])
    })
    .collect()
}
