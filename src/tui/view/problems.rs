//! Draws the problems of the file that an author previews, below its last valid question.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Widget;

use crate::content::diagnostic::{Diagnostic, Severity};
use crate::content::parse;
use crate::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::ui::Ui;
use crate::tui::view::page::{self, Drawn, Stack};
use crate::tui::view::write;

/// Draws the problems into the lower part of `area`, and returns what is left for the question. Where there is none, it says
/// all the same that nothing was proved here.
pub fn panel(ui: &Ui, area: Rect, buf: &mut Buffer) -> Rect {
    let problems = &ui.quiz.catalog().problems;
    if !ui.quiz.is_preview() || (ui.quiz.sitting().is_none() && is_alone(ui)) {
        return area;
    }
    let theme = &ui.theme;
    let rows = rows(problems, theme, page::text_width(area.width));
    let height = u16::try_from(rows.len() + 1).unwrap_or(u16::MAX).min(area.height / 2);
    let panel = Rect { y: area.bottom() - height, height, ..area };
    let shown = usize::from(height.saturating_sub(1));
    let errors = problems.iter().any(|problem| problem.severity == Severity::Error);
    let state = match (errors, rows.len() > shown) {
        (true, _) if is_current(ui) => "Not sound. `fencepost author check` says more.",
        (true, _) => "Not sound, so shown as it last was. `fencepost author check` says more.",
        (false, true) => "Not proved here: `fencepost author check` does, and shows all warnings.",
        (false, false) => "Not proved here: `fencepost author check` does.",
    };
    let state = text::shorten(state, usize::from(area.width.saturating_sub(2))).into_owned();
    Line::styled(format!(" {state}"), theme.style(Role::Heading)).render(Rect { height: 1, ..panel }, buf);
    let inner = Rect { x: area.x + 1, y: panel.y + 1, width: area.width.saturating_sub(2), height: height - 1 };
    for (row, place) in rows.iter().zip(inner.rows()) {
        row.render(place, buf);
    }
    Rect { height: area.height - height, ..area }
}

/// True if the question on the screen is the one in the file: some invalid questions can be shown.
fn is_current(ui: &Ui) -> bool {
    let catalog = ui.quiz.catalog();
    let written = catalog.problems.first().and_then(|problem| parse::question(&problem.file).0);
    catalog.questions.first().zip(written).is_some_and(|(entry, written)| *entry.question == written)
}

/// True if there is no question to show.
pub fn is_alone(ui: &Ui) -> bool {
    ui.quiz.is_preview() && ui.quiz.catalog().questions.is_empty()
}

/// The problems as a page of their own, where there is no question to show.
pub fn draw(ui: &Ui, area: Rect, buf: &mut Buffer) -> Drawn {
    let theme = &ui.theme;
    let width = page::text_width(area.width);
    let mut stack = Stack::default();
    let help = "The file is no question yet. Mend it and save: this screen follows.";
    stack.rows(write::prose(help, Role::Text, theme, width));
    stack.blank();
    stack.rows(rows(&ui.quiz.catalog().problems, theme, width));
    page::draw(&stack, ui.scroll, &[], theme, area, buf)
}

fn rows(problems: &[Diagnostic], theme: &Theme, width: usize) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    // Room is short, and warnings can wait.
    let mut problems: Vec<&Diagnostic> = problems.iter().collect();
    problems.sort_by_key(|problem| problem.severity);
    for problem in problems {
        let (line, column) = problem.position();
        let role = match problem.severity {
            Severity::Error => Role::Bad,
            Severity::Warning => Role::Warning,
            Severity::Note => Role::Dim,
        };
        let word = problem.severity.word();
        let words = format!("{word}[{}] {line}:{column} {}", problem.code.0, problem.message);
        // What stands in backticks is the author's text, and no Markdown.
        out.extend(write::plain(&words, role, theme, width));
        if !problem.help.is_empty() {
            out.extend(write::plain(&problem.help, Role::Dim, theme, width));
        }
    }
    out
}
