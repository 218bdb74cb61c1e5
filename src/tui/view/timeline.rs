//! The timeline of the stage Run: actors as lanes, steps as rows, and what each step came to in both programs.
//!
//! Wide terminals have a column for each program; narrower ones put the values below the row, and the narrowest leave the
//! lanes out. The row that the learner is at shows every watched value, the others only what changed.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::content::question::{Scenario, Step};
use crate::quiz::Action;
use crate::quiz::describe;
use crate::quiz::state::{Program, Sitting};
use crate::quiz::timeline::Act;
use crate::runner::Verdict;
use crate::runner::recording::Recording;
use crate::text;
use crate::tui::theme::{Role, Theme};
use crate::tui::ui::Ui;
use crate::tui::view::page::{self, Drawn, Row, Stack};
use crate::tui::view::values::{Item, Shown, outcome, rows_of};
use crate::tui::view::write;

/// From this many columns of the terminal on, each program has a column of its own.
const WIDE: u16 = 100;

/// From this many columns of the terminal on, there are lanes.
const LANES: u16 = 60;

const GAP: usize = 2;

/// The widest column for the time.
const TIME: usize = 9;

/// Draws the view.
pub fn draw(ui: &Ui, sitting: &Sitting, area: Rect, buf: &mut Buffer) -> Drawn {
    let theme = &ui.theme;
    let width = page::text_width(area.width);
    let mut stack = Stack::default();
    let Some(scenario) = &sitting.question().scenario else {
        return page::draw(&stack, ui.scroll, &[], theme, area, buf);
    };
    let timeline = sitting.timeline();
    let layout = Layout::new(scenario, sitting, area.width, width);
    stack.rows(write::prose(&state(sitting, scenario.steps.len()), Role::Text, theme, width));
    endings(sitting, theme, width, &mut stack);
    stack.blank();
    layout.head(theme, &mut stack);
    let mut focus = 0..1;
    for (index, step) in scenario.steps.iter().enumerate() {
        let start = stack.len();
        let here = timeline.at() == Some(index);
        let hit =
            timeline.live(Program::Buggy).map(|_| Action::Timeline(if here { Act::Open } else { Act::Select(index) }));
        for line in layout.row(sitting, scenario, index, step, theme) {
            stack.row(Row { line, hit: hit.clone() });
        }
        if here {
            // The first row brings the names of the lanes into sight.
            focus = if index == 0 { 0 } else { start }..stack.len();
        }
    }
    stack.blank();
    if timeline.at().is_some() {
        let marks = "Values marked with * changed in this row.";
        stack.rows(write::prose(marks, Role::Dim, theme, width));
    }
    if !sitting.is_answered() {
        stack.rows(write::prose(describe::FIXED_RUN_IS_CLOSED, Role::Dim, theme, width));
    }
    page::draw(&stack, ui.scroll, &[focus.clone(), focus.start..focus.start + 1], theme, area, buf)
}

/// One sentence on where the learner is.
fn state(sitting: &Sitting, count: usize) -> String {
    let timeline = sitting.timeline();
    let programs = if sitting.is_answered() { "both programs" } else { "the buggy program" };
    match timeline.at() {
        None if timeline.live(Program::Buggy).is_none() => {
            format!("Press Space to run {programs} through these steps, one row at a time.")
        }
        None => "Press Space to play the first row.".to_owned(),
        Some(at) if timeline.played() < count => {
            format!("Row {} of {count}. Space plays on, Up goes back.", at + 1)
        }
        Some(at) => {
            let both = sitting.is_answered() && !sitting.is_running();
            let parting = describe::parting(timeline.parts_at(), both);
            let parting = parting.map_or_else(String::new, |words| format!(" {words}"));
            format!("Row {} of {count}, all played.{parting}", at + 1)
        }
    }
}

/// Endings that kept a program from finishing the scenario.
fn endings(sitting: &Sitting, theme: &Theme, width: usize, stack: &mut Stack<'_>) {
    for (program, name) in NAMES {
        let ending = sitting.timeline().live(program).and_then(Recording::ending);
        if let Some(ending) = ending.filter(|ending| ending.verdict != Verdict::Finished) {
            let words = describe::verdict(ending.verdict);
            let sentence = format!("The {name} program {words}: {}", ending.detail);
            stack.rows(write::plain(&sentence, Role::Bad, theme, width));
        }
    }
}

const NAMES: [(Program, &str); 2] = [(Program::Buggy, "buggy"), (Program::Fixed, "fixed")];

struct Layout<'a> {
    /// The actors that have a lane, in the order in which they appear.
    lanes: Vec<&'a str>,
    time: usize,
    /// Columns for what happens, after mark, time and lanes.
    does: usize,
    /// Columns for the values of one program.
    cell: usize,
    /// Programs that are shown.
    programs: &'a [(Program, &'static str)],
    wide: bool,
}

impl<'a> Layout<'a> {
    fn new(scenario: &'a Scenario, sitting: &Sitting, columns: u16, width: usize) -> Self {
        let wide = columns >= WIDE;
        let mut lanes: Vec<&str> = Vec::new();
        if columns >= LANES {
            for step in &scenario.steps {
                // Lanes must leave room for words; where there are more actors, the words alone say who acts.
                if !lanes.contains(&step.who.as_str()) && lanes.len() <= width / 8 {
                    lanes.push(&step.who);
                }
            }
            if lanes.len() > width / 8 {
                lanes.clear();
            }
        }
        let time = scenario.steps.iter().map(|step| text::width(&text::line(&step.at))).max().unwrap_or(0).min(TIME);
        let programs = if sitting.is_answered() { &NAMES[..] } else { &NAMES[..1] };
        let lead = 2 + time + GAP + 2 * lanes.len();
        let rest = width.saturating_sub(lead);
        let (does, cell) = match (wide, programs.len()) {
            (true, 2) => {
                let cell = rest * 3 / 10;
                (rest.saturating_sub(2 * (cell + GAP)), cell)
            }
            (true, _) => {
                let cell = rest / 2;
                (rest.saturating_sub(cell + GAP), cell)
            }
            (false, 2) if !lanes.is_empty() => (rest, rest.saturating_sub(GAP) / 2),
            (false, _) => (rest, rest),
        };
        Self { lanes, time, does, cell, programs, wide }
    }

    /// The names of the lanes, each above its own, and those of the columns.
    fn head(&self, theme: &Theme, stack: &mut Stack<'_>) {
        let dim = theme.style(Role::Dim);
        let titles = || {
            let names = self.programs.iter().map(|(_, name)| pad(&format!("{name} program"), self.cell));
            names.collect::<Vec<_>>().join(&" ".repeat(GAP))
        };
        let before = " ".repeat(2 + self.time + GAP);
        for (index, name) in self.lanes.iter().enumerate() {
            let bars = format!("{} ", theme.glyphs.bar).repeat(index);
            let room = self.does + 2 * (self.lanes.len() - index);
            let name = pad(&text::shorten(&text::line(name), room), room);
            let mut spans =
                vec![Span::styled(format!("{before}{bars}"), dim), Span::styled(name, theme.style(Role::Text))];
            if self.wide && index + 1 == self.lanes.len() {
                spans.push(Span::raw(" ".repeat(GAP)));
                spans.push(Span::styled(titles(), theme.style(Role::Heading)));
            }
            stack.row(Line::from(spans));
        }
        if self.wide && self.lanes.is_empty() {
            let blanks = " ".repeat(self.does + GAP);
            stack
                .row(Line::from(vec![Span::raw(before + &blanks), Span::styled(titles(), theme.style(Role::Heading))]));
        }
    }

    /// Mark, time and lanes before the words of a row.
    fn lead(&self, step: &Step, here: bool, first: bool, theme: &Theme) -> Vec<Span<'static>> {
        let mark = if here && first { theme.glyphs.cursor } else { " " };
        let time = if first { text::shorten(&text::line(&step.at), self.time).into_owned() } else { String::new() };
        let blanks = " ".repeat(self.time.saturating_sub(text::width(&time)));
        let style = theme.style(if here { Role::Title } else { Role::Text });
        let mut spans = vec![
            Span::styled(format!("{mark} "), theme.style(Role::Key)),
            Span::styled(format!("{blanks}{time}{}", " ".repeat(GAP)), style),
        ];
        for name in &self.lanes {
            let acts = first && *name == step.who;
            let (glyph, role) = if acts { (theme.glyphs.event, Role::Key) } else { (theme.glyphs.bar, Role::Dim) };
            spans.push(Span::styled(format!("{glyph} "), theme.style(role)));
        }
        spans
    }

    /// A row of the timeline: what happens, and once it was played, what it came to.
    fn row(
        &self,
        sitting: &Sitting,
        scenario: &Scenario,
        index: usize,
        step: &Step,
        theme: &Theme,
    ) -> Vec<Line<'static>> {
        let timeline = sitting.timeline();
        let here = timeline.at() == Some(index);
        let played = index < timeline.played();
        let role = if here {
            Role::Title
        } else if played {
            Role::Text
        } else {
            Role::Dim
        };
        let mut words = write::prose(&format!("{} {}", step.who, step.does), role, theme, self.does);
        if played {
            let outcomes: Vec<Vec<Item>> =
                self.programs.iter().map(|(program, _)| outcome(sitting, scenario, *program, index)).collect();
            let style = Shown { here, open: timeline.is_open(), joined: !self.wide };
            if self.wide {
                let cell = |items: Vec<Item>| {
                    (self.cell, rows_of(items.iter().filter(|item| style.shows(item)), style, self.cell, theme))
                };
                let columns = std::iter::once((self.does, words)).chain(outcomes.into_iter().map(cell));
                words = beside(columns.collect());
            } else {
                words.extend(self.merged(&outcomes, style, theme));
            }
        }
        if played && timeline.parts_at() == Some(index) {
            words.push(Line::styled(describe::THEY_PART_HERE, theme.style(Role::Warning)));
        }
        let behind_lead = |(row, line): (usize, Line<'static>)| {
            let mut spans = self.lead(step, here, row == 0, theme);
            spans.extend(line.spans.into_iter().map(|span| Span::styled(span.content, line.style.patch(span.style))));
            Line::from(spans)
        };
        words.into_iter().enumerate().map(behind_lead).collect()
    }

    /// The values of a row: once where the programs agree, else for each of them.
    fn merged(&self, outcomes: &[Vec<Item>], style: Shown, theme: &Theme) -> Vec<Line<'static>> {
        let labelled = |label: &str, items: &[&Item], style: Shown, width: usize| -> Vec<Line<'static>> {
            let rows = rows_of(items.iter().copied(), style, width.saturating_sub(LABEL), theme);
            let dim = theme.style(Role::Dim);
            let lines = rows.into_iter().enumerate().map(|(row, line)| {
                let mut spans = vec![Span::styled(format!("{:<LABEL$}", if row == 0 { label } else { "" }), dim)];
                spans.extend(line.spans);
                Line::from(spans)
            });
            lines.collect()
        };
        let [(_, first), (_, second)] = NAMES;
        let (one, other) = match outcomes {
            [one, other] if one.len() == other.len() => (one, other),
            _ => {
                let each = outcomes.iter().zip(NAMES).flat_map(|(items, (_, name))| {
                    let shown: Vec<&Item> = items.iter().filter(|item| style.shows(item)).collect();
                    labelled(name, &shown, style, self.does)
                });
                return each.collect();
            }
        };
        let pairs = one.iter().zip(other).filter(|(a, b)| style.shows(a) || style.shows(b));
        let apart = |group: &[(&Item, &Item)]| -> Vec<Line<'static>> {
            let (left, right): (Vec<&Item>, Vec<&Item>) = group.iter().copied().unzip();
            let room = self.cell.saturating_sub(LABEL);
            if !self.lanes.is_empty() && left.iter().chain(&right).all(|item| item.width() <= room) {
                let (left, right) =
                    (labelled(first, &left, style, self.cell), labelled(second, &right, style, self.cell));
                return beside(vec![(self.cell, left), (self.cell, right)]);
            }
            // Where a value is longer than its column, the difference may stand at its end.
            [labelled(first, &left, style, self.does), labelled(second, &right, style, self.does)].concat()
        };
        let mut lines = Vec::new();
        let groups = pairs.collect::<Vec<_>>();
        for group in groups.chunk_by(|(a, b), (c, d)| a.agrees(b) == c.agrees(d)) {
            if group.iter().all(|(a, b)| a.agrees(b)) {
                let items: Vec<&Item> = group.iter().map(|(a, b)| if b.changed { *b } else { *a }).collect();
                lines.extend(labelled("both", &items, style, self.does));
            } else if self.lanes.is_empty() && !style.here {
                lines.extend(apart(group));
            } else {
                lines.extend(group.chunks(1).flat_map(apart));
            }
        }
        lines
    }
}

/// Columns for the name of a program before its values.
const LABEL: usize = 6;

/// Columns side by side, each padded to its width.
fn beside(columns: Vec<(usize, Vec<Line<'static>>)>) -> Vec<Line<'static>> {
    let height = columns.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
    let mut rows = vec![Line::default(); height];
    for (index, (width, lines)) in columns.into_iter().enumerate() {
        let mut lines = lines.into_iter();
        for row in &mut rows {
            let line = lines.next().unwrap_or_default();
            let blanks = width.saturating_sub(line.width());
            if index > 0 {
                row.push_span(Span::raw(" ".repeat(GAP)));
            }
            row.spans
                .extend(line.spans.into_iter().map(|span| Span::styled(span.content, line.style.patch(span.style))));
            row.push_span(Span::raw(" ".repeat(blanks)));
        }
    }
    rows
}

fn pad(text: &str, width: usize) -> String {
    let blanks = " ".repeat(width.saturating_sub(text::width(text)));
    format!("{text}{blanks}")
}
