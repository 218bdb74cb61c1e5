//! Turns the result of a timeline row into values and rows of text.

use ratatui::text::{Line, Span};

use crate::content::question::Scenario;
use crate::quiz::state::{Program, Sitting};
use crate::runner::Evaluated;
use crate::text;
use crate::tui::theme::{Role, Theme};

/// Characters of a value that are shown until it is opened.
pub(super) const VALUE: usize = 80;

/// The level of detail of a row.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    /// The learner is at the row: every value is shown, one below the other.
    pub(super) here: bool,
    /// Elsewhere, values are joined to one line.
    pub(super) joined: bool,
    /// Values are shown in full.
    pub(super) open: bool,
}

impl Shown {
    pub(super) fn shows(self, item: &Item) -> bool {
        self.here || !item.is_unchanged
    }
}

#[derive(Clone)]
pub(super) struct Item {
    /// A watched expression; nothing for the result.
    name: String,
    /// Stands between the name and the value.
    verb: &'static str,
    value: String,
    /// It is as it was before, so that only the row that the learner is at shows it.
    is_unchanged: bool,
    raised: bool,
    pub(super) changed: bool,
    role: Role,
}

impl Item {
    pub(super) fn words(words: &str, role: Role) -> Self {
        let value = words.to_owned();
        Self { name: String::new(), verb: "", value, is_unchanged: false, raised: false, changed: false, role }
    }

    /// Columns that it takes, with its mark.
    pub(super) fn width(&self) -> usize {
        let mark = if self.changed { 2 } else { 0 };
        mark + text::width(&text::line(&self.name)) + self.verb.len() + text::width(&text::line(&self.value))
    }

    pub(super) fn agrees(&self, other: &Self) -> bool {
        (&self.name, &self.value, self.raised) == (&other.name, &other.value, other.raised)
    }
}

/// The values of a row in one program: its result, then each watched value.
pub(super) fn outcome(sitting: &Sitting, scenario: &Scenario, program: Program, index: usize) -> Vec<Item> {
    let Some(live) = sitting.timeline().live(program) else { return vec![Item::words("not run yet", Role::Dim)] };
    let Some(row) = live.rows.get(index) else {
        return vec![match live.ending() {
            None => Item::words("running", Role::Warning),
            Some(_) => Item::words("did not get here", Role::Bad),
        }];
    };
    let before = index.checked_sub(1).and_then(|before| live.rows.get(before));
    let mut items = vec![match &row.result {
        Some(Evaluated { text, raised: true }) => {
            Item { verb: "raises ", raised: true, ..Item::words(text, Role::Bad) }
        }
        Some(Evaluated { text, .. }) => Item { verb: "gives ", ..Item::words(text, Role::Title) },
        None => Item::words("no value", Role::Dim),
    }];
    for (index, (expression, value)) in scenario.watch.iter().zip(&row.watched).enumerate() {
        let changed = before.is_some_and(|before| before.watched.get(index) != Some(value));
        items.push(Item {
            name: expression.clone(),
            verb: if value.raised { " raises " } else { " = " },
            value: value.text.clone(),
            is_unchanged: !changed && before.is_some(),
            raised: value.raised,
            changed,
            role: if value.raised { Role::Bad } else { Role::Text },
        });
    }
    // A step without a value is described by what it changed.
    if let [first, watched @ ..] = items.as_mut_slice() {
        let has_changes = watched.iter().any(|item| !item.is_unchanged);
        match &row.result {
            Some(result) if has_changes && !result.raised && result.text == "None" => first.is_unchanged = true,
            Some(_) => {}
            None if has_changes => drop(items.remove(0)),
            None => first.value = if watched.is_empty() { "no value" } else { "nothing changes" }.to_owned(),
        }
    }
    items
}

/// Items as safe rows: one below the other and as long as they are where the learner is, else cut to a row.
pub(super) fn rows_of<'a>(
    items: impl Iterator<Item = &'a Item>,
    style: Shown,
    width: usize,
    theme: &Theme,
) -> Vec<Line<'static>> {
    if !style.here {
        let words = items.map(|item| {
            let name = text::line(&item.name);
            format!("{}{}{}", text::shorten(&name, (width / 2).max(8)), item.verb, text::line(&item.value))
        });
        let words: Vec<String> =
            if style.joined { vec![words.collect::<Vec<_>>().join(", ")] } else { words.collect() };
        let line = |words: String| {
            Line::from(Span::styled(text::shorten(&words, width).into_owned(), theme.style(Role::Text)))
        };
        return words.into_iter().map(line).collect();
    }
    let mut rows = Vec::new();
    for item in items {
        let value = text::line(&item.value);
        let value = if style.open { value } else { text::shorten(&value, VALUE).into_owned().into() };
        let mark = if item.changed { "* " } else { "" };
        let words = format!("{mark}{}{}{value}", text::line(&item.name), item.verb);
        let look = theme.style(if item.changed { Role::Title } else { item.role });
        let cut = text::wrap(&words, width);
        let line = |row| Line::from(Span::styled(words.get(row).unwrap_or("").to_owned(), look));
        rows.extend(cut.into_iter().map(line));
    }
    rows
}
