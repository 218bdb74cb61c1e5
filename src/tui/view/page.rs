//! A page: rows of any length, of which a window is drawn, and where clicks lead.
//!
//! Every screen is a page under a top bar, so that all of them scroll alike.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::Widget;

use crate::quiz::Action;
use crate::quiz::action::LearnItem;
use crate::tui::theme::{Role, Theme};

/// The position of a window on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scroll {
    /// The first row that is shown.
    pub offset: usize,
    /// True if the window follows what is marked. It does until the learner scrolls.
    pub follow: bool,
}

impl Default for Scroll {
    fn default() -> Self {
        Self { offset: 0, follow: true }
    }
}

/// Facts on the frame that was drawn, for the event loop.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// The first row that is shown.
    pub offset: usize,
    /// Rows that are shown.
    pub height: usize,
    /// Rows that the page has.
    pub total: usize,
    /// Actions of clicks, by place. Later ones lie on top.
    pub hits: Vec<(Rect, Action)>,
    /// The position of the terminal's cursor; `None` while nothing is edited.
    pub cursor: Option<Position>,
    /// Columns before the text that is edited.
    pub gutter: usize,
    /// The items of the stage Learn and their rows.
    pub items: Vec<(LearnItem, Range<usize>)>,
}

/// A run of rows that can draw any part of itself. Long ones make only the rows that are asked for.
pub trait Segment {
    /// The number of its rows.
    fn height(&self) -> usize;

    /// Draws its rows from `from` on into `area`, as many as fit.
    fn draw(&self, from: usize, area: Rect, buf: &mut Buffer, hits: &mut Vec<(Rect, Action)>);
}

/// A row of styled, safe text and what a click on it does.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The text.
    pub line: Line<'static>,
    /// The action of a click.
    pub hit: Option<Action>,
}

impl From<Line<'static>> for Row {
    fn from(line: Line<'static>) -> Self {
        Self { line, hit: None }
    }
}

impl Segment for Vec<Row> {
    fn height(&self) -> usize {
        self.len()
    }

    fn draw(&self, from: usize, area: Rect, buf: &mut Buffer, hits: &mut Vec<(Rect, Action)>) {
        for (row, place) in self.iter().skip(from).zip(area.rows()) {
            (&row.line).render(place, buf);
            if let Some(action) = &row.hit {
                hits.push((place, action.clone()));
            }
        }
    }
}

/// Segments one under the other.
#[derive(Default)]
pub struct Stack<'a> {
    segments: Vec<Box<dyn Segment + 'a>>,
    rows: Vec<Row>,
    height: usize,
}

impl<'a> Stack<'a> {
    /// Adds a row.
    pub fn row(&mut self, row: impl Into<Row>) {
        self.rows.push(row.into());
        self.height += 1;
    }

    /// Adds rows.
    pub fn rows(&mut self, rows: impl IntoIterator<Item = Line<'static>>) {
        for line in rows {
            self.row(line);
        }
    }

    /// Adds an empty row.
    pub fn blank(&mut self) {
        self.row(Line::default());
    }

    /// Adds a segment.
    pub fn segment(&mut self, segment: impl Segment + 'a) {
        self.flush();
        self.height = self.height.saturating_add(segment.height());
        self.segments.push(Box::new(segment));
    }

    /// Rows so far.
    pub fn len(&self) -> usize {
        self.height
    }

    /// True if there is no row yet.
    pub fn is_empty(&self) -> bool {
        self.height == 0
    }

    fn flush(&mut self) {
        if !self.rows.is_empty() {
            self.segments.push(Box::new(std::mem::take(&mut self.rows)));
        }
    }
}

impl Segment for Stack<'_> {
    fn height(&self) -> usize {
        self.height
    }

    fn draw(&self, from: usize, area: Rect, buf: &mut Buffer, hits: &mut Vec<(Rect, Action)>) {
        let mut skip = from;
        let mut rest = area;
        for segment in self.segments.iter().map(AsRef::as_ref).chain([&self.rows as &dyn Segment]) {
            let height = segment.height();
            if skip >= height {
                skip -= height;
                continue;
            }
            if rest.height == 0 {
                break;
            }
            segment.draw(skip, rest, buf, hits);
            let drawn = u16::try_from(height - skip).unwrap_or(u16::MAX).min(rest.height);
            rest = Rect { y: rest.y + drawn, height: rest.height - drawn, ..rest };
            skip = 0;
        }
    }
}

/// Two stacks side by side, `gap` columns apart.
pub struct Columns<'a> {
    /// The left one.
    pub left: Stack<'a>,
    /// The right one.
    pub right: Stack<'a>,
    /// Columns between them.
    pub gap: u16,
}

impl Segment for Columns<'_> {
    fn height(&self) -> usize {
        self.left.height().max(self.right.height())
    }

    fn draw(&self, from: usize, area: Rect, buf: &mut Buffer, hits: &mut Vec<(Rect, Action)>) {
        let width = area.width.saturating_sub(self.gap) / 2;
        let right = area.x + width + self.gap.min(area.width.saturating_sub(width));
        self.left.draw(from, Rect { width, ..area }, buf, hits);
        self.right.draw(from, Rect { x: right, width, ..area }.intersection(area), buf, hits);
    }
}

/// The columns that a page leaves for its rows in an area of `width` columns: one before them, and a gap and the scroll
/// bar behind.
pub fn text_width(width: u16) -> usize {
    usize::from(width.saturating_sub(3))
}

/// Draws the window of `page` that `scroll` asks for. Of `focus`, the later ranges of rows are the more important to show.
pub fn draw(
    page: &dyn Segment,
    scroll: Scroll,
    focus: &[Range<usize>],
    theme: &Theme,
    area: Rect,
    buf: &mut Buffer,
) -> Drawn {
    let height = usize::from(area.height);
    let total = page.height();
    let last = total.saturating_sub(height);
    let mut offset = scroll.offset.min(last);
    if scroll.follow {
        for range in focus {
            if range.end > offset.saturating_add(height) {
                offset = range.end - height;
            }
            offset = offset.min(range.start);
        }
        offset = offset.min(last);
    }
    let mut hits = Vec::new();
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(3), ..area }.intersection(area);
    page.draw(offset, inner, buf, &mut hits);
    if last > 0 && height > 0 {
        scroll_bar(offset, height, total, theme, area, buf);
    }
    Drawn { offset, height, total, hits, ..Drawn::default() }
}

fn scroll_bar(offset: usize, height: usize, total: usize, theme: &Theme, area: Rect, buf: &mut Buffer) {
    let length = (height.saturating_mul(height) / total).clamp(1, height);
    let last = total - height;
    let start = if offset == last { height - length } else { offset.saturating_mul(height - length) / last };
    let x = area.right().saturating_sub(1);
    for (row, y) in (area.top()..area.bottom()).enumerate() {
        let Some(cell) = buf.cell_mut((x, y)) else { continue };
        if (start..start + length).contains(&row) {
            cell.set_symbol(theme.glyphs.thumb).set_style(theme.style(Role::Text));
        } else {
            cell.set_symbol(theme.glyphs.bar).set_style(theme.style(Role::Dim));
        }
    }
}
