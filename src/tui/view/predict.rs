//! Draws the question about the buggy program's output, and the prediction beside that output.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::quiz::prediction::{Prediction, PredictionResult};
use crate::quiz::state::Sitting;
use crate::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::ui::Ui;
use crate::tui::view::page::{self, Drawn, Stack};
use crate::tui::view::run::sentence;
use crate::tui::view::{heading, write};

pub(super) fn draw(ui: &Ui, typed: &str, area: Rect, buf: &mut Buffer) -> Drawn {
    let theme = &ui.theme;
    let width = page::text_width(area.width);
    let mut stack = Stack::default();
    stack.row(heading("What will the buggy program print?", theme));
    let how = "Type what you expect, then Enter runs it. Enter with nothing typed skips this. Ctrl-N begins a line, Esc \
               does not run it.";
    stack.rows(write::prose(how, Role::Text, theme, width));
    stack.blank();
    let field = stack.len();
    lines(typed, Field::Open, theme, width, &mut stack);
    page::draw(&stack, ui.scroll, &[0..1, field..stack.len(), stack.len() - 1..stack.len()], theme, area, buf)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Open,
    Closed,
}

/// A prediction as rows; the cursor follows the last one of an open field.
fn lines(typed: &str, field: Field, theme: &Theme, width: usize, stack: &mut Stack<'_>) {
    let count = typed.split('\n').count();
    for (index, line) in typed.split('\n').enumerate() {
        let safe = text::line(line).into_owned();
        let rows = text::cut(&safe, width.saturating_sub(3));
        let last_row = rows.len();
        for (row, range) in rows.into_iter().enumerate() {
            let bar = if field == Field::Open { theme.glyphs.cursor } else { theme.glyphs.bar };
            let mut spans = vec![
                Span::styled(format!("{bar} "), theme.style(Role::Key)),
                Span::styled(safe.get(range).unwrap_or("").to_owned(), theme.style(Role::Text)),
            ];
            if field == Field::Open && index + 1 == count && row + 1 == last_row {
                spans.push(Span::styled("_", theme.style(Role::Key)));
            }
            stack.row(Line::from(spans));
        }
    }
}

/// The result of the prediction, above the output.
pub(super) fn result(sitting: &Sitting, theme: &Theme, width: usize, stack: &mut Stack<'_>) {
    let (Some(PredictionResult { right, said }), Prediction::Made(made)) =
        (sitting.prediction_result(), sitting.prediction())
    else {
        return;
    };
    let (mark, role) = if right { (theme.glyphs.right, Role::Good) } else { (theme.glyphs.wrong, Role::Bad) };
    let rows = sentence(&said, theme, width.saturating_sub(2));
    for (index, mut row) in rows.into_iter().enumerate() {
        let lead = if index == 0 { mark } else { " " };
        row.spans.insert(0, Span::styled(format!("{lead} "), theme.style(role)));
        stack.row(row);
    }
    if !right && made.trim_end().contains('\n') {
        stack.row(heading("Your prediction", theme));
        lines(made.trim_end(), Field::Closed, theme, width, stack);
    }
    stack.blank();
}
