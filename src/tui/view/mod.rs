//! Draws the screen: a pure function of the front end's state.
//!
//! Here is the frame that all screens share (top bar, page, footer). Each screen has a file of its own.

pub mod diffs;
pub mod fix;
pub mod help;
pub mod learn;
pub mod library;
pub mod page;
mod predict;
pub mod problems;
pub mod run;
pub mod say;
pub mod spot;
mod state;
pub mod steps;
pub mod timeline;
mod values;
pub mod write;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::quiz::Action;
use crate::quiz::availability::{Ability, unavailable};
use crate::quiz::state::{Sitting, Stage};
use crate::runner::Ending;
use crate::text;
use crate::tui::keys::{self, Command, Place};
use crate::tui::theme::{Role, Theme};
use crate::tui::ui::Ui;
use crate::tui::view::page::{Drawn, Stack};

/// The smallest terminal that shows more than one line.
pub const SMALLEST: (u16, u16) = (40, 12);

/// The height from which on there is room for two sentences on what went wrong.
const ROOMY: u16 = 20;

/// Draws everything into `area`.
pub fn draw(ui: &Ui, area: Rect, buf: &mut Buffer) -> Drawn {
    let area = area.intersection(buf.area);
    let drawn = if area.is_empty() {
        Drawn::default()
    } else if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        too_small(area, buf);
        Drawn::default()
    } else {
        whole(ui, area, buf)
    };
    if ui.theme.ascii {
        to_ascii(area, buf);
    }
    drawn
}

fn too_small(area: Rect, buf: &mut Buffer) {
    let sentence = format!("{}x{} needed, this is {}x{}", SMALLEST.0, SMALLEST.1, area.width, area.height);
    let text = text::shorten(&sentence, usize::from(area.width)).into_owned();
    Line::raw(text).render(Rect { height: 1, ..area }, buf);
}

fn whole(ui: &Ui, area: Rect, buf: &mut Buffer) -> Drawn {
    let mut hits = Vec::new();
    let top = Rect { height: 1, ..area };
    let mut page = Rect { y: area.y + 1, height: area.height - 2, ..area };
    let footer = Rect { y: area.bottom() - 1, height: 1, ..area };
    match ui.quiz.sitting() {
        _ if ui.help => title_bar("Keys", "", &ui.theme, top, buf),
        Some(sitting) => question_bar(sitting, &ui.theme, top, buf, &mut hits),
        None => library::bar(ui, top, buf),
    }
    // What is not saved comes first, and of the rest what is newest.
    let troubles = ui.quiz.unsaved().into_iter().chain(ui.quiz.unread().iter().rev().map(String::as_str));
    for trouble in ui.notice.into_iter().chain(troubles).take(if area.height < ROOMY { 1 } else { 2 }) {
        let row = Rect { height: 1, ..page };
        let text = format!(" ! {}", text::line(trouble));
        let text = text::shorten(&text, usize::from(row.width)).into_owned();
        Line::styled(text, ui.theme.style(Role::Warning)).render(row, buf);
        page = Rect { y: page.y + 1, height: page.height - 1, ..page };
    }
    page = problems::panel(ui, page, buf);
    let mut drawn = match ui.quiz.sitting() {
        _ if ui.help => help::draw(ui, page, buf),
        None if problems::is_alone(ui) => problems::draw(ui, page, buf),
        None => library::draw(ui, page, buf),
        Some(sitting) => match (ui.quiz.closed(), sitting.stage()) {
            (Some(why), _) => closed(ui, why, page, buf),
            (None, Stage::Fix) => fix::draw(ui, sitting, page, buf),
            (None, Stage::Spot) => spot::draw(ui, sitting, page, buf),
            (None, Stage::Run) => run::draw(ui, sitting, page, buf),
            (None, Stage::Say) => say::draw(ui, sitting, page, buf),
            (None, Stage::Learn) => learn::draw(ui, sitting, page, buf),
        },
    };
    hints(ui, footer, buf);
    drawn.hits.extend(hits);
    drawn
}

/// A top bar with a title and, where there is room, something on the right.
fn title_bar(title: &str, right: &str, theme: &Theme, area: Rect, buf: &mut Buffer) {
    let width = usize::from(area.width).saturating_sub(2);
    let right_width = text::width(right);
    let title = text::shorten(title, width.saturating_sub(if right.is_empty() { 0 } else { right_width + 2 }));
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    Line::styled(title.into_owned(), theme.style(Role::Title)).render(inner, buf);
    if right_width > 0 && right_width < width {
        Line::styled(right.to_owned(), theme.style(Role::Dim)).right_aligned().render(inner, buf);
    }
}

/// The top bar of a question: its title, and a tab for each stage. The stage that is shown stands in brackets, closed
/// ones in parentheses.
fn question_bar(sitting: &Sitting, theme: &Theme, area: Rect, buf: &mut Buffer, hits: &mut Vec<(Rect, Action)>) {
    let labels = Stage::ALL.map(|stage| {
        let name = stage.name();
        match (stage == sitting.stage(), sitting.closed(stage).is_some()) {
            (true, _) => (stage, format!("[{name}]"), Role::Marked),
            (false, true) => (stage, format!("({name})"), Role::Dim),
            (false, false) => (stage, format!(" {name} "), Role::Text),
        }
    });
    let tabs: usize = labels.iter().map(|(_, label, _)| label.len()).sum();
    let tabs = u16::try_from(tabs).unwrap_or(u16::MAX).min(area.width);
    let mut x = area.right().saturating_sub(tabs.saturating_add(1)).max(area.x);
    let room = usize::from(x - area.x).saturating_sub(3);
    title_bar(&text::shorten(&text::line(&sitting.question().title), room), "", theme, area, buf);
    for (stage, label, role) in labels {
        let width = u16::try_from(label.len()).unwrap_or(u16::MAX);
        let place = Rect { x, width, ..area }.intersection(area);
        Line::styled(label, theme.style(role)).render(place, buf);
        hits.push((place, Action::Go(stage)));
        x = x.saturating_add(width);
    }
}

/// True if [`question_bar`] can show all of `title` in `width` columns.
fn title_fits_bar(title: &str, width: u16) -> bool {
    let tabs: usize = Stage::ALL.iter().map(|stage| stage.name().len() + 2).sum();
    text::width(&text::line(title)) + tabs + 4 <= usize::from(width)
}

/// The footer: hints from the table of keys, as many as fit. The last two, which explain and leave, always stay.
fn hints(ui: &Ui, area: Rect, buf: &mut Buffer) {
    let place = ui.place();
    let all: Vec<(&str, &str)> = keys::rows(place)
        .filter(|row| !row.hint.is_empty() && is_of_use(ui, place, &row.command))
        .map(|row| (row.label.split(',').next().unwrap_or(row.label), row.hint))
        .collect();
    let wide = |(label, hint): &(&str, &str)| label.len() + hint.len() + 3;
    let (first, always) = all.split_at(all.len().saturating_sub(2));
    let mut room = usize::from(area.width).saturating_sub(always.iter().map(wide).sum());
    let mut shown = Vec::new();
    for hint in first {
        match room.checked_sub(wide(hint)) {
            Some(rest) => room = rest,
            None => break,
        }
        shown.push(hint);
    }
    shown.extend(always);
    let mut spans = vec![Span::raw(" ")];
    for (label, hint) in shown {
        spans.push(Span::styled((*label).to_owned(), ui.theme.style(Role::Key)));
        spans.push(Span::styled(format!(" {hint}  "), ui.theme.style(Role::Dim)));
    }
    Line::from(spans).render(area, buf);
}

/// True if a hint of the footer would work now.
fn is_of_use(ui: &Ui, place: Place, command: &Command) -> bool {
    let ability = match (place, command) {
        (Place::Library, Command::Enter) => Ability::Open,
        (Place::Search, Command::Do(Action::Hint)) => Ability::Hint,
        (Place::Learn, Command::Do(Action::Hint)) => Ability::FollowUp,
        (Place::Learn, Command::Enter) => Ability::OpenItem,
        (_, Command::Do(Action::Undo)) => Ability::Undo,
        (Place::Fix, Command::Do(Action::ResetDraft)) => Ability::Reset,
        (Place::Fix, Command::Do(Action::BringBack)) => Ability::BringBack,
        _ => return true,
    };
    unavailable(&ui.quiz, ability).is_none()
}

fn closed(ui: &Ui, why: &str, area: Rect, buf: &mut Buffer) -> Drawn {
    let mut stack = Stack::default();
    stack.blank();
    stack.row(Line::styled("Closed", ui.theme.style(Role::Heading)));
    stack.rows(write::prose(why, Role::Text, &ui.theme, page::text_width(area.width)));
    page::draw(&stack, ui.scroll, &[], &ui.theme, area, buf)
}

fn heading(text: &str, theme: &Theme) -> Line<'static> {
    Line::styled(text::line(text).into_owned(), theme.style(Role::Heading))
}

/// The stamp of a run: engine, language, sandbox, time.
fn stamp(ending: &Ending, theme: &Theme) -> String {
    let engine = &ending.engine;
    let dot = theme.glyphs.dot;
    format!(
        "{} {} {dot} Python {} {dot} sandbox {} {dot} {}",
        engine.name,
        engine.version,
        engine.python,
        engine.sandbox.word(),
        milliseconds(ending.wall_ms)
    )
}

/// A time as people read it: "0.4 ms", "35 ms", "2.0 s".
fn milliseconds(ms: f64) -> String {
    if !ms.is_finite() || ms < 0.0 {
        "unknown time".to_owned()
    } else if ms < 10.0 {
        format!("{ms:.1} ms")
    } else if ms < 1000.0 {
        format!("{ms:.0} ms")
    } else {
        format!("{:.1} s", ms / 1000.0)
    }
}

/// The rows of a program: gutter, number, code. `mark` gives the gutter's two marks and its style for each line.
fn listing(
    ui: &Ui,
    source: &str,
    width: usize,
    mark: impl Fn(usize) -> (String, Style),
) -> Vec<(usize, Vec<Line<'static>>)> {
    let lines = crate::content::question::lines(source);
    let digits = lines.len().to_string().len();
    let base = ui.theme.style(Role::Text);
    let rows = lines.into_iter().enumerate().map(|(index, line)| {
        let (marks, style) = mark(index);
        let gutter = vec![Span::styled(format!("{marks}{:>digits$} ", index + 1), style), Span::raw(" ")];
        let parts = ui.highlights.line(source, index);
        (index, write::code(gutter, line, parts, base, &ui.theme, width))
    });
    rows.collect()
}

/// Replaces whatever a terminal without UTF-8 cannot show. Our own marks are ASCII already in such a theme; this is for
/// the texts of questions and the output of programs.
fn to_ascii(area: Rect, buf: &mut Buffer) {
    for position in area.positions() {
        let Some(cell) = buf.cell_mut(position) else { continue };
        if cell.symbol().is_ascii() {
            continue;
        }
        let wide = text::width(cell.symbol()) > 1;
        let symbol = match cell.symbol() {
            "…" => "~",
            "–" | "—" => "-",
            "’" | "‘" => "'",
            "“" | "”" => "\"",
            "█" => "#",
            _ => "?",
        };
        cell.set_symbol(symbol);
        // The second half of a wide character is a blank cell of its own now.
        if wide && let Some(next) = buf.cell_mut((position.x.saturating_add(1), position.y)) {
            next.set_symbol(" ");
        }
    }
}
