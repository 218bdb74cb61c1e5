//! The list of keys, made from the table that drives them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::tui::keys::{self, Binding};
use crate::tui::theme::{Role, Theme};
use crate::tui::ui::Ui;
use crate::tui::view::page::{self, Drawn, Stack};
use crate::tui::view::{heading, write};

const LABELS: usize = 14;

/// The page.
pub fn draw(ui: &Ui, area: Rect, buf: &mut Buffer) -> Drawn {
    let theme = &ui.theme;
    let width = page::text_width(area.width);
    let place = ui.place_under_help();
    let mut stack = Stack::default();
    stack.row(heading(&format!("In {}", place.title()), theme));
    for row in keys::rows(place).filter(|row| !row.is_global()) {
        entry(row, theme, width, &mut stack);
    }
    // In the editor, what is a command everywhere else is text.
    for (index, row) in keys::rows(place).filter(|row| row.is_global()).enumerate() {
        if index == 0 {
            stack.blank();
            stack.row(heading("Everywhere", theme));
        }
        entry(row, theme, width, &mut stack);
    }
    page::draw(&stack, ui.scroll, &[], theme, area, buf)
}

fn entry(row: &Binding, theme: &Theme, width: usize, stack: &mut Stack<'_>) {
    let label = Span::styled(format!("{:<LABELS$}", row.label), theme.style(Role::Key));
    stack.rows(write::hanging(vec![label], row.help, Role::Text, theme, width));
}
