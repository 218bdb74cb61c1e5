//! Turns prose, code and output into rows of styled text.
//!
//! Untrusted text becomes spans by way of `text.rs`. A view that makes spans of its own, for cells and bars of one row, has
//! to go that way too.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::content::prose::{self, Kind};
use crate::quiz::Action;
use crate::runner::{Chunk, Stream};
use crate::text::{self, Safe};
use crate::tui::theme::{Role, Syntax, Theme};
use crate::tui::view::page::Segment;

/// The widest prose. Longer lines are hard to read.
pub const PROSE_WIDTH: usize = 96;

/// Safe text with styles.
#[derive(Clone, Debug, Default)]
pub struct Styled {
    text: String,
    /// Each style, with the byte where it ends.
    runs: Vec<(usize, Style)>,
}

impl Styled {
    fn spans(&self, range: Range<usize>) -> Vec<Span<'static>> {
        let mut spans = Vec::new();
        let mut start = 0;
        for (end, style) in &self.runs {
            let part = range.start.max(start)..range.end.min(*end);
            if part.start < part.end
                && let Some(text) = self.text.get(part)
            {
                spans.push(Span::styled(text.to_owned(), *style));
            }
            start = *end;
        }
        spans
    }
}

/// Untrusted `text` as one safe span.
pub fn span(text: &str, style: Style) -> Span<'static> {
    Span::styled(text::line(text).into_owned(), style)
}

/// `markdown` with the style of each piece; plain words look like `role`.
fn styled_prose(markdown: &str, role: Role, theme: &Theme) -> Styled {
    let base = theme.style(role);
    let mut safe = Safe::new();
    let mut runs = Vec::new();
    for piece in prose::pieces(markdown) {
        match piece.kind {
            Kind::Address => safe.push(&prose::marked(&piece)),
            Kind::Code | Kind::Emphasis if !theme.has_colour() => safe.push(&prose::marked(&piece)),
            Kind::Text | Kind::Code | Kind::Emphasis => safe.push(&piece.text),
        }
        let style = match piece.kind {
            Kind::Text => base,
            Kind::Code => base.patch(theme.style(Role::Code)),
            Kind::Emphasis => base.patch(theme.style(Role::Emphasis)),
            Kind::Address => base.patch(theme.style(Role::Dim)),
        };
        runs.push((safe.len(), style));
    }
    Styled { text: safe.finish(), runs }
}

/// `markdown` as rows of at most `width` columns.
pub fn prose(markdown: &str, role: Role, theme: &Theme, width: usize) -> Vec<Line<'static>> {
    hanging(Vec::new(), markdown, role, theme, width)
}

/// `words` as they are, without Markdown, as rows of at most `width` columns. What programs say belongs here: stars and
/// backticks in it are theirs.
pub fn plain(words: &str, role: Role, theme: &Theme, width: usize) -> Vec<Line<'static>> {
    let mut safe = Safe::new();
    safe.push(words);
    let runs = vec![(safe.len(), theme.style(role))];
    styled_rows(safe, runs, width)
}

/// `markdown` after `lead`, as rows of at most `width` columns; the rows after the first are indented by as much as
/// `lead` takes.
pub fn hanging(
    lead: Vec<Span<'static>>,
    markdown: &str,
    role: Role,
    theme: &Theme,
    width: usize,
) -> Vec<Line<'static>> {
    behind(lead, &styled_prose(markdown, role, theme), text::wrap, width.min(PROSE_WIDTH))
}

/// `styled` after `lead`, broken by `broken` into rows of at most `width` columns.
fn behind(
    lead: Vec<Span<'static>>,
    styled: &Styled,
    broken: fn(&str, usize) -> Vec<Range<usize>>,
    width: usize,
) -> Vec<Line<'static>> {
    let indent: usize = lead.iter().map(|span| text::width(&span.content)).sum();
    let mut lead = Some(lead);
    let rows = broken(&styled.text, width.saturating_sub(indent)).into_iter().map(|row| {
        let mut spans = lead.take().unwrap_or_else(|| vec![Span::raw(" ".repeat(indent))]);
        spans.extend(styled.spans(row));
        Line::from(spans)
    });
    rows.collect()
}

/// A safe text with styles, each given with the byte where it ends, as rows of at most `width` columns.
pub fn styled_rows(safe: Safe, runs: Vec<(usize, Style)>, width: usize) -> Vec<Line<'static>> {
    behind(Vec::new(), &Styled { text: safe.finish(), runs }, text::wrap, width.min(PROSE_WIDTH))
}

/// Spans laid out one after the other, `gap` blanks apart, with a new row where the next one does not fit.
pub fn flow(items: Vec<Span<'static>>, gap: usize, width: usize) -> Vec<Line<'static>> {
    let mut rows: Vec<Line<'static>> = Vec::new();
    let mut used = 0;
    for item in items {
        let item = Span::styled(text::shorten(&item.content, width).into_owned(), item.style);
        let wide = text::width(&item.content);
        match rows.last_mut() {
            Some(row) if used + gap + wide <= width => {
                row.push_span(Span::raw(" ".repeat(gap)));
                row.push_span(item);
                used += gap + wide;
            }
            _ => {
                rows.push(Line::from(item));
                used = wide;
            }
        }
    }
    rows
}

/// A line of code after `gutter`, cut into rows of at most `width` columns. `parts` are ranges of the line's bytes;
/// what lies between them looks like `base`.
pub fn code(
    gutter: Vec<Span<'static>>,
    line: &str,
    parts: &[(Range<usize>, Syntax)],
    base: Style,
    theme: &Theme,
    width: usize,
) -> Vec<Line<'static>> {
    let mut safe = Safe::new();
    let mut runs = Vec::new();
    let mut done = 0;
    for (range, syntax) in parts {
        for (piece, style) in [(done..range.start, base), (range.clone(), theme.style(Role::Syntax(*syntax)))] {
            if let Some(piece) = line.get(piece).filter(|piece| !piece.is_empty()) {
                safe.push(piece);
                runs.push((safe.len(), style));
            }
        }
        done = done.max(range.end);
    }
    safe.push(line.get(done..).unwrap_or(""));
    runs.push((safe.len(), base));
    behind(gutter, &Styled { text: safe.finish(), runs }, text::cut, width)
}

/// Output of a program, row by row. Only rows that are drawn are made.
pub struct Output<'a> {
    lines: Vec<OutputLine<'a>>,
    height: usize,
    width: usize,
    theme: Theme,
}

struct OutputLine<'a> {
    stream: Stream,
    text: &'a str,
    /// The row at which the line starts.
    row: usize,
}

/// Columns before each row of output.
const OUTPUT_GUTTER: usize = 2;

impl<'a> Output<'a> {
    /// The output `chunks` in rows of at most `width` columns.
    pub fn new(chunks: &'a [Chunk], width: usize, theme: &Theme) -> Self {
        let width = width.saturating_sub(OUTPUT_GUTTER);
        let mut lines = Vec::new();
        let mut height = 0;
        for chunk in chunks {
            for text in text::raw_lines(&chunk.text) {
                lines.push(OutputLine { stream: chunk.stream, text, row: height });
                height += text::cut_count(&text::line(text), width);
            }
        }
        Self { lines, height, width, theme: *theme }
    }
}

impl Segment for Output<'_> {
    fn height(&self) -> usize {
        self.height
    }

    fn draw(&self, from: usize, area: Rect, buf: &mut Buffer, _: &mut Vec<(Rect, Action)>) {
        let first = self.lines.partition_point(|line| line.row <= from).saturating_sub(1);
        let mut places = area.rows();
        for line in self.lines.iter().skip(first) {
            let safe = text::line(line.text);
            let (mark, role) = match line.stream {
                Stream::Stdout => (self.theme.glyphs.bar, Role::Text),
                Stream::Stderr => ("!", Role::Warning),
            };
            for row in text::cut(&safe, self.width).into_iter().skip(from.saturating_sub(line.row)) {
                let Some(place) = places.next() else { return };
                let text = safe.get(row).unwrap_or("").to_owned();
                let mark_style = self.theme.style(if line.stream == Stream::Stdout { Role::Dim } else { role });
                Line::from(vec![Span::styled(format!("{mark} "), mark_style), Span::raw(text)]).render(place, buf);
            }
        }
    }
}
