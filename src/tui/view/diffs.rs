//! Draws a diff: signs in the gutter, and for a line that moves a rail and words.

use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::content::question::LineNo;
use crate::quiz::diff::{Move, moves};
use crate::quiz::grade::DiffLine;
use crate::text;
use crate::tui::theme::{Glyphs, Role, Theme};
use crate::tui::ui::Ui;
use crate::tui::view::write;

/// A diff over the program `source` and how much of it is drawn.
pub struct Diff<'a> {
    /// The old program.
    pub source: &'a str,
    /// The lines.
    pub lines: &'a [DiffLine<'a>],
    /// Lines that are drawn around each change; all lines where there is none.
    pub context: Option<usize>,
}

impl Diff<'_> {
    /// The rows, of at most `width` columns, and which of them change. `mark` gives the mark of a line of the old program.
    pub fn rows(
        &self,
        ui: &Ui,
        width: usize,
        mark: impl Fn(LineNo) -> &'static str,
    ) -> (Vec<Line<'static>>, Range<usize>) {
        let theme = &ui.theme;
        let digits = crate::content::question::lines(self.source).len().to_string().len();
        let moved = moves(self.lines);
        let mut rows: Vec<Line<'static>> = Vec::new();
        let mut changed: Option<Range<usize>> = None;
        let mut left_out = 0;
        for (index, line) in self.lines.iter().enumerate() {
            if self.is_left_out(index) {
                left_out += 1;
                continue;
            }
            rows.extend(gap(left_out, theme));
            left_out = 0;
            let start = rows.len();
            let gutter = |number: String, sign: &str, mark: &str, style: Style| {
                let mut spans = vec![Span::styled(format!("{mark}{sign}{number:>digits$} "), style)];
                let rail = moved.first().map(|first| rail(first, index, theme.glyphs));
                spans.push(Span::styled(rail.unwrap_or(" "), theme.style(Role::Key)));
                spans
            };
            rows.extend(match line {
                DiffLine::Kept { line, text } => {
                    let parts = ui.highlights.line(self.source, line.index());
                    let gutter = gutter(line.to_string(), " ", mark(*line), theme.style(Role::Dim));
                    write::code(gutter, text, parts, theme.style(Role::Text), theme, width)
                }
                DiffLine::Removed { line, text } => {
                    let style = theme.style(Role::Removed);
                    write::code(gutter(line.to_string(), "-", mark(*line), style), text, &[], style, theme, width)
                }
                DiffLine::Added { text } => {
                    let style = theme.style(Role::Added);
                    write::code(gutter(String::new(), "+", " ", style), text, &[], style, theme, width)
                }
            });
            if let Some(note) = note(&moved, index, theme.glyphs) {
                add_note(&mut rows, &note, digits + 4, theme, width);
            }
            if !matches!(line, DiffLine::Kept { .. }) {
                let first = changed.as_ref().map_or(start, |range| range.start);
                changed = Some(first..rows.len());
            }
        }
        rows.extend(gap(left_out, theme));
        let end = rows.len();
        (rows, changed.unwrap_or(end..end))
    }

    fn is_left_out(&self, index: usize) -> bool {
        let Some(context) = self.context else { return false };
        let around = index.saturating_sub(context)..(index + context + 1).min(self.lines.len());
        let around = self.lines.get(around).unwrap_or(&[]);
        around.iter().all(|line| matches!(line, DiffLine::Kept { .. }))
    }
}

/// The row that stands for lines that are not drawn.
fn gap(lines: usize, theme: &Theme) -> Option<Line<'static>> {
    let words = match lines {
        0 => return None,
        1 => "1 line as it was".to_owned(),
        _ => format!("{lines} lines as they were"),
    };
    Some(Line::styled(format!("   {words}"), theme.style(Role::Dim)))
}

/// The piece of the rail beside a line of the diff.
fn rail(moved: &Move, index: usize, glyphs: Glyphs) -> &'static str {
    let (top, bottom) = (moved.removed.min(moved.added), moved.removed.max(moved.added));
    if index == top {
        glyphs.rail_top
    } else if index == bottom {
        glyphs.rail_bottom
    } else if index > top && index < bottom {
        glyphs.bar
    } else {
        " "
    }
}

/// Words for a line that goes or comes by a move.
fn note(moved: &[Move], index: usize, glyphs: Glyphs) -> Option<String> {
    let arrow = |to_below: bool| if to_below { glyphs.down } else { glyphs.up };
    moved.iter().find_map(|it| {
        let down = it.added > it.removed;
        if it.removed == index {
            let place = match it.below {
                Some(line) => format!("below line {line}"),
                None => "to the top".to_owned(),
            };
            Some(format!("{} moves {place}", arrow(down)))
        } else if it.added == index {
            Some(format!("{} moved from line {}", arrow(!down), it.from))
        } else {
            None
        }
    })
}

/// Writes a note after the last row, or below it if there is no room.
fn add_note(rows: &mut Vec<Line<'static>>, note: &str, indent: usize, theme: &Theme, width: usize) {
    let style = theme.style(Role::Key);
    let used = rows.last().map_or(0, |row| row.spans.iter().map(|span| text::width(&span.content)).sum());
    match rows.last_mut() {
        Some(row) if used + 2 + text::width(note) <= width => row.push_span(Span::styled(format!("  {note}"), style)),
        _ => {
            let note = text::shorten(note, width.saturating_sub(indent)).into_owned();
            rows.push(Line::from(vec![Span::raw(" ".repeat(indent)), Span::styled(note, style)]));
        }
    }
}
