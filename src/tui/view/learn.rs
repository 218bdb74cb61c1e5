//! The stage Learn: the deep dive, the fixed program, mistakes, follow-ups, related questions.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::content::stamp::that_holds;
use crate::quiz::Action;
use crate::quiz::action::LearnItem;
use crate::quiz::describe;
use crate::quiz::state::{Opened, Program, Sitting};
use crate::tui::theme::{Role, Theme};
use crate::tui::ui::Ui;
use crate::tui::view::page::{self, Drawn, Row, Stack};
use crate::tui::view::{heading, listing, stamp, write};

/// The stage.
pub fn draw(ui: &Ui, sitting: &Sitting, area: Rect, buf: &mut Buffer) -> Drawn {
    let theme = &ui.theme;
    let width = page::text_width(area.width);
    let learn = &sitting.question().learn;
    let mut stack = Stack::default();
    if !learn.facts.is_empty() {
        section("Deep dive", theme, &mut stack);
        for fact in &learn.facts {
            stack.rows(write::hanging(bullet(theme), &fact.text, Role::Text, theme, width));
            let source = format!("{} (checked {})", fact.source.trim(), fact.checked);
            stack.rows(write::hanging(vec![Span::raw("  ")], &source, Role::Dim, theme, width));
        }
    }
    fixed_program(ui, sitting, width, &mut stack);
    if !learn.mistakes.is_empty() {
        section("Common mistakes", theme, &mut stack);
        for mistake in &learn.mistakes {
            stack.rows(write::hanging(bullet(theme), mistake, Role::Text, theme, width));
        }
    }
    section("Senior take", theme, &mut stack);
    stack.rows(write::prose(&learn.senior_take, Role::Text, theme, width));
    let mut items = Vec::new();
    follow_ups(sitting, theme, width, &mut stack, &mut items);
    related(ui, sitting, width, &mut stack, &mut items);
    suggest(ui, sitting, width, &mut stack);
    let focus = sitting.focus().and_then(|focus| items.iter().find(|(item, _)| *item == focus));
    let focus: Vec<_> = focus.map(|(_, rows)| rows.clone()).into_iter().collect();
    let mut drawn = page::draw(&stack, ui.scroll, &focus, theme, area, buf);
    drawn.items = items;
    drawn
}

fn section(name: &str, theme: &Theme, stack: &mut Stack<'_>) {
    stack.blank();
    stack.row(heading(name, theme));
}

fn bullet(theme: &Theme) -> Vec<Span<'static>> {
    vec![Span::styled(format!("{} ", theme.glyphs.bullet), theme.style(Role::Dim))]
}

fn fixed_program(ui: &Ui, sitting: &Sitting, width: usize, stack: &mut Stack<'_>) {
    let theme = &ui.theme;
    let question = sitting.question();
    stack.blank();
    let title = format!("The fixed program: {}", question.fixed.title);
    stack.rows(write::plain(&title, Role::Heading, theme, width));
    let dot = theme.glyphs.dot;
    let words = match (that_holds(question), sitting.run(Program::Fixed).and_then(|run| run.ending())) {
        (Some(stamp), _) => {
            format!("Ran on Python {} {dot} mypy --strict {} {dot} {}", stamp.python, stamp.mypy, stamp.on)
        }
        (None, Some(ending)) => {
            format!("Your last run: {} {dot} {}", describe::verdict(ending.verdict), stamp(ending, theme))
        }
        (None, None) => "It has not been run yet; the stage Run does that.".to_owned(),
    };
    stack.rows(write::plain(&words, Role::Dim, theme, width));
    for (_, rows) in listing(ui, &question.fixed.code, width, |_| ("  ".to_owned(), theme.style(Role::Dim))) {
        stack.rows(rows);
    }
}

type Items = Vec<(LearnItem, std::ops::Range<usize>)>;

fn follow_ups(sitting: &Sitting, theme: &Theme, width: usize, stack: &mut Stack<'_>, items: &mut Items) {
    let follow_ups = &sitting.question().follow_ups;
    if follow_ups.is_empty() {
        return;
    }
    section("Follow-up questions", theme, stack);
    let then = if sitting.question().has_follow_up_answers() { ", then the answer" } else { "" };
    let words = format!("Think of your answer first, then open the hint{then}.");
    stack.rows(write::prose(&words, Role::Dim, theme, width));
    for (index, follow_up) in follow_ups.iter().enumerate() {
        let item = LearnItem::FollowUp(index);
        let start = stack.len();
        let lead = lead(sitting.focus() == Some(item), &format!("{}. ", index + 1), theme);
        for line in write::hanging(lead, &follow_up.question, Role::Text, theme, width) {
            stack.row(Row { line, hit: Some(Action::FollowUp(index)) });
        }
        let opened = sitting.opened(index);
        let texts = [
            ("Hint", Some(&follow_up.hint), opened.is_some()),
            ("Answer", follow_up.answer.as_ref().filter(|_| opened.is_some()), opened == Some(Opened::Answer)),
        ];
        for (name, text, open) in texts {
            let Some(text) = text else { continue };
            if open {
                let lead = vec![Span::styled(format!("     {name}: "), theme.style(Role::Heading))];
                stack.rows(write::hanging(lead, text, Role::Text, theme, width));
            } else {
                let closed = format!("     [{} closed]", name.to_lowercase());
                let line = Line::styled(closed, theme.style(Role::Dim));
                stack.row(Row { line, hit: Some(Action::FollowUp(index)) });
            }
        }
        items.push((item, start..stack.len()));
    }
}

fn related(ui: &Ui, sitting: &Sitting, width: usize, stack: &mut Stack<'_>, items: &mut Items) {
    let theme = &ui.theme;
    for (index, entry) in ui.quiz.related(sitting.entry()).enumerate() {
        if index == 0 {
            section("Related questions", theme, stack);
        }
        let item = LearnItem::Related(index);
        let start = stack.len();
        let words = format!("{} ({}, {})", entry.card.title, entry.card.topic, entry.card.level);
        let lead = lead(sitting.focus() == Some(item), "", theme);
        for line in write::hanging(lead, &words, Role::Text, theme, width) {
            stack.row(Row { line, hit: Some(Action::Open(entry.name.clone())) });
        }
        items.push((item, start..stack.len()));
    }
}

/// The mark of an item, and its number.
fn lead(focused: bool, number: &str, theme: &Theme) -> Vec<Span<'static>> {
    let mark = if focused { theme.glyphs.cursor } else { " " };
    vec![
        Span::styled(format!("{mark} "), theme.style(Role::Key)),
        Span::styled(number.to_owned(), theme.style(Role::Text)),
    ]
}

fn suggest(ui: &Ui, sitting: &Sitting, width: usize, stack: &mut Stack<'_>) {
    let theme = &ui.theme;
    let name = &sitting.entry().name;
    section("Suggest a fix", theme, stack);
    let report =
        ui.quiz.catalog().pack(&name.pack).map(|pack| pack.pack.report.trim()).filter(|report| !report.is_empty());
    let words = match report {
        Some(report) => format!("Something wrong or out of date? Write to {report} and name {name}."),
        None => format!("The pack gives no address. The question is {name}."),
    };
    stack.rows(write::plain(&words, Role::Text, theme, width));
}
