//! The library: every question, with topic, level and last result.
//!
//! Only the rows in sight are made, so that ten thousand questions open as fast as three.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::content::catalog::Entry;
use crate::content::diagnostic::Severity;
use crate::quiz::Action;
use crate::quiz::attempt::LastResult;
use crate::text::{self, counted, listed};
use crate::tui::theme::{Role, Theme};
use crate::tui::ui::Ui;
use crate::tui::view::page::{self, Drawn, Segment, Stack};
use crate::tui::view::{title_bar, write};

/// The top bar.
pub fn bar(ui: &Ui, area: Rect, buf: &mut Buffer) {
    let count = ui.quiz.catalog().questions.len();
    let right = match count {
        0 => "no questions".to_owned(),
        1 => "1 question".to_owned(),
        _ => format!("{} of {count} questions", ui.quiz.selected() + 1),
    };
    title_bar("fencepost", &right, &ui.theme, area, buf);
}

/// The list.
pub fn draw(ui: &Ui, area: Rect, buf: &mut Buffer) -> Drawn {
    let catalog = ui.quiz.catalog();
    let theme = &ui.theme;
    let width = page::text_width(area.width);
    let mut rest = area;
    let mut fixed_row = |line: Line<'static>| {
        let row = Rect { x: rest.x + 1, width: rest.width.saturating_sub(2), height: 1, ..rest };
        line.render(row.intersection(rest), buf);
        rest = Rect { y: rest.y + 1, height: rest.height.saturating_sub(1), ..rest };
    };
    if let Some(problems) = problems(ui) {
        fixed_row(Line::styled(text::shorten(&problems, width).into_owned(), theme.style(Role::Warning)));
    }
    if catalog.questions.is_empty() {
        let mut stack = Stack::default();
        stack.blank();
        let hint = "There is no question yet. `fencepost --content DIR` adds a folder of questions.";
        stack.rows(write::prose(hint, Role::Text, theme, width));
        return page::draw(&stack, ui.scroll, &[], theme, rest, buf);
    }
    let columns = Columns::for_width(width);
    fixed_row(Line::styled(columns.head(), theme.style(Role::Dim)));
    let below = Rect { y: rest.bottom() - 1, height: 1, x: rest.x + 1, width: rest.width.saturating_sub(2) };
    rest.height -= 1;
    let selected = ui.quiz.selected();
    let focus = selected..selected + 1;
    let drawn = page::draw(&List { ui, columns }, ui.scroll, &[focus], theme, rest, buf);
    if let Some(entry) = catalog.questions.get(selected) {
        let facts = facts(ui, entry, columns);
        Line::styled(text::shorten(&facts, width).into_owned(), theme.style(Role::Dim)).render(below, buf);
    }
    drawn
}

/// Facts about the marked question that the columns have no room for. Its name may hint at the answer, so that it is
/// shown only after one.
fn facts(ui: &Ui, entry: &Entry, columns: Columns) -> String {
    let mut facts = Vec::new();
    if ui.quiz.result(&entry.name).is_some_and(|it| it != LastResult::NotFound) {
        facts.push(text::line(&entry.name.to_string()).into_owned());
    }
    if ui.quiz.is_repaired(&entry.name) && columns.result < REPAIRED {
        facts.push("repaired".to_owned());
    }
    if columns.level == 0 {
        facts.push(entry.card.level.to_string());
    }
    if columns.topic == 0 {
        facts.push(text::line(&entry.card.topic).into_owned());
    }
    facts.join(&format!(" {} ", ui.theme.glyphs.dot))
}

/// One line on everything that is wrong with the files, or that they are still being read.
fn problems(ui: &Ui) -> Option<String> {
    if ui.quiz.is_loading() {
        return Some("Reading the question files. Those that are built in are here already.".to_owned());
    }
    if ui.quiz.is_preview() {
        // They have a panel of their own.
        return None;
    }
    let problems = &ui.quiz.catalog().problems;
    let errors = problems.iter().filter(|problem| problem.severity == Severity::Error).count();
    let warnings = problems.len() - errors;
    let counts = [(errors, "error"), (warnings, "warning")].into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, noun)| counted(count, noun)).collect();
    if counts.is_empty() {
        return None;
    }
    Some(format!("! {} in question files: `fencepost list` tells, with the same --content", listed(counts, "and")))
}

/// Widths of the columns; 0 leaves one out.
#[derive(Clone, Copy)]
struct Columns {
    title: usize,
    topic: usize,
    level: usize,
    result: usize,
}

/// Columns of a result that has room for a repair beside the answer.
const REPAIRED: usize = 15;

const GAP: usize = 2;

const MARK: usize = 2;

impl Columns {
    fn for_width(width: usize) -> Self {
        let (topic, level, result) = match width {
            70.. => ((width / 4).min(26), 6, REPAIRED),
            52.. => (0, 6, 9),
            _ => (0, 0, 9),
        };
        let others = [topic, level, result].into_iter().filter(|column| *column > 0).map(|column| column + GAP);
        Self { title: width.saturating_sub(MARK + others.sum::<usize>()), topic, level, result }
    }

    fn row(self, cells: [&str; 4]) -> String {
        let mut row = String::new();
        let widths = [self.title, self.topic, self.level, self.result];
        for (cell, width) in cells.into_iter().zip(widths).filter(|(_, width)| *width > 0) {
            if !row.is_empty() {
                row.push_str(&" ".repeat(GAP));
            }
            let cell = text::shorten(cell, width);
            row.push_str(&cell);
            row.push_str(&" ".repeat(width.saturating_sub(text::width(&cell))));
        }
        row
    }

    fn head(self) -> String {
        let head = self.row(["Question", "Topic", "Level", "Last time"]);
        format!("{}{}", " ".repeat(MARK), head.trim_end())
    }
}

struct List<'a> {
    ui: &'a Ui,
    columns: Columns,
}

impl Segment for List<'_> {
    fn height(&self) -> usize {
        self.ui.quiz.catalog().questions.len()
    }

    fn draw(&self, from: usize, area: Rect, buf: &mut Buffer, hits: &mut Vec<(Rect, Action)>) {
        let entries = self.ui.quiz.catalog().questions.iter().enumerate().skip(from);
        for ((index, entry), place) in entries.zip(area.rows()) {
            let selected = index == self.ui.quiz.selected();
            self.line(entry, selected).render(place, buf);
            hits.push((place, if selected { Action::OpenAt(index) } else { Action::Select(index) }));
        }
    }
}

impl List<'_> {
    fn line(&self, entry: &Entry, selected: bool) -> Line<'static> {
        let theme = &self.ui.theme;
        let card = &entry.card;
        let result = self.ui.quiz.result(&entry.name);
        let (mut words, role) = result_words(result, theme);
        if self.ui.quiz.is_repaired(&entry.name) && self.columns.result >= REPAIRED {
            words.push_str(if words.is_empty() { "repaired" } else { ", fixed" });
        }
        let level = card.level.word();
        let title =
            Columns { topic: 0, level: 0, result: 0, ..self.columns }.row([&text::line(&card.title), "", "", ""]);
        let mut facts = self.columns.row(["", &text::line(&card.topic), level, ""]);
        // The first and the last column have their own styles; blanks stand for them here.
        facts.truncate(facts.len().saturating_sub(self.columns.result));
        facts.drain(..self.columns.title.min(facts.len()));
        let mark = if selected { theme.glyphs.cursor } else { " " };
        // Only the title is bold: a key that moves the mark has to send both rows again, over slow lines too.
        let style = if selected { theme.style(Role::Title) } else { Style::new() };
        let mark_style = if selected { theme.style(Role::Key) } else { Style::new() };
        let words = text::shorten(&words, self.columns.result).into_owned();
        Line::from(vec![
            Span::styled(format!("{mark} "), mark_style),
            Span::styled(title, style),
            Span::raw(facts),
            Span::styled(words, theme.style(role)),
        ])
    }
}

fn result_words(result: Option<LastResult>, theme: &Theme) -> (String, Role) {
    let glyphs = theme.glyphs;
    match result {
        None => (String::new(), Role::Dim),
        Some(LastResult::FoundAtOnce) => (format!("{} found", glyphs.right), Role::Good),
        Some(LastResult::FoundLater) => (format!("{} later", glyphs.right), Role::Good),
        Some(LastResult::GaveUp) => (format!("{} gave up", glyphs.dot), Role::Dim),
        Some(LastResult::NotFound) => (format!("{} missed", glyphs.wrong), Role::Bad),
    }
}
