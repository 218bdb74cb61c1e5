//! Describes the scenario, one row at a time.

use std::fmt::Write as _;

use crate::content::question::Scenario;
use crate::plain::words::wrapped;
use crate::quiz::Sitting;
use crate::quiz::describe::{self, value as words};
use crate::quiz::state::Program;
use crate::runner::recording::Recording;
use crate::runner::{Row, Verdict};
use crate::text;

/// The row that the learner is at; what there is to do where that is none.
pub fn here(sitting: &Sitting) -> String {
    let Some(scenario) = &sitting.question().scenario else {
        return "This question has no timeline.\n".to_owned();
    };
    let count = scenario.steps.len();
    match sitting.timeline().at() {
        Some(at) => row(sitting, scenario, at),
        None => format!("The timeline has {count} rows. `next` plays one.\n"),
    }
}

fn row(sitting: &Sitting, scenario: &Scenario, at: usize) -> String {
    let Some(step) = scenario.steps.get(at) else { return String::new() };
    let count = scenario.steps.len();
    let does = text::line(step.does.trim_end_matches('.'));
    let (when, who) = (text::line(&step.at), text::line(&step.who));
    let mut out = wrapped(&format!("Row {} of {count}, at {when}, {who}: {does}.", at + 1));
    for program in Program::ALL {
        if let Some(live) = sitting.timeline().live(program) {
            let _ = writeln!(out, "The {} program: {}.", describe::program(program), came_to(scenario, live, at));
        }
    }
    let parts = sitting.timeline().parts_at();
    if parts == Some(at) {
        let _ = writeln!(out, "{}", describe::THEY_PART_HERE);
    }
    if at + 1 < count {
        return out;
    }
    let parting = describe::parting(parts, sitting.is_answered()).filter(|_| parts != Some(at));
    let parting = parting.map_or_else(String::new, |words| format!(" {words}"));
    let _ = writeln!(out, "That was the last row.{parting}");
    if !sitting.is_answered() {
        let _ = writeln!(out, "{}", describe::FIXED_RUN_IS_CLOSED);
    }
    out
}

/// One program in a row: its value, and what is not as it was in the row before.
fn came_to(scenario: &Scenario, live: &Recording, at: usize) -> String {
    let Some(row) = live.rows.get(at) else {
        let why = live.ending().filter(|ending| ending.verdict != Verdict::Finished);
        let why = why.map_or_else(String::new, |ending| format!(": {}", ending.detail.trim_end_matches('.')));
        return text::line(&format!("it did not get here{why}")).into_owned();
    };
    let before: Option<&Row> = at.checked_sub(1).and_then(|before| live.rows.get(before));
    let gives = row
        .result
        .as_ref()
        .map(|value| if value.raised { words(value).into_owned() } else { format!("gives {}", words(value)) });
    let watched = scenario.watch.iter().zip(&row.watched).enumerate();
    let changed = watched.filter_map(|(index, (expression, value))| {
        let earlier = before.map(|row| row.watched.get(index));
        let now = if earlier.is_some() { "is now" } else { "is" };
        (earlier != Some(Some(value))).then(|| format!("{expression} {now} {}", words(value)))
    });
    let said: Vec<String> = gives.into_iter().chain(changed).collect();
    if said.is_empty() { "nothing changes".to_owned() } else { text::line(&said.join(", ")).into_owned() }
}
