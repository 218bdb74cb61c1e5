//! Screens of the timeline at the three sizes, with its keys and clicks.

use fencepost::quiz::state::RunId;
use fencepost::quiz::{Action, Quiz};
use fencepost::runner::{Evaluated, Event, Row, Verdict};

use crate::cases::each;
use crate::fixtures::{BUGGY_CLERK, FIXED_CLERK, ended, lived, paused_clerk, quiz};
use crate::screens::{SIZES, Screen, snapshot};

fn clerk() -> Quiz {
    quiz(vec![paused_clerk()])
}

/// Runs both programs through the scenario and plays its first row.
fn play(screen: &mut Screen) {
    screen.press("<enter>8<enter><tab>v ");
    screen.tell(lived(3, &BUGGY_CLERK).into_iter().chain(lived(4, &FIXED_CLERK)));
    screen.tell((1..=4).map(|run| ended(run, Verdict::Finished, "")));
}

/// The same before the answer, with the buggy program alone.
fn play_buggy(screen: &mut Screen) {
    screen.press("<enter><tab>v ");
    screen.tell(lived(2, &BUGGY_CLERK)).tell((1..=2).map(|run| ended(run, Verdict::Finished, "")));
}

#[test]
fn timeline_before_it_runs() {
    snapshot("timeline-new", clerk, |screen| {
        screen.press("<enter>8<enter><tab>v");
    });
}

#[test]
fn timeline_where_the_programs_part() {
    snapshot("timeline-parts", clerk, |screen| {
        play(screen);
        screen.press("  ");
    });
}

#[test]
fn timeline_of_the_buggy_program_alone() {
    snapshot("timeline-buggy", clerk, |screen| {
        play_buggy(screen);
        screen.press(" ");
    });
}

#[test]
fn nothing_is_told_before_it_is_played() {
    each(SIZES, |size| {
        let mut screen = Screen::new(clerk(), size);
        play(&mut screen);
        let all = screen.whole();
        assert!(all.contains("Row 1 of 4") && all.contains("shelf.newest = 0"), "{all}");
        assert!(!all.contains("34,") && !all.contains("part here"), "{all}");
        let all = screen.press("  ").whole();
        assert!(all.contains("gives False") && all.contains("The programs part here."), "{all}");
        assert!(!all.contains("gives 'old'"), "{all}");
        let all = screen.press("<end>").whole();
        assert!(all.contains("all played. The programs part in row 3."), "{all}");
    });
}

#[test]
fn the_fixed_program_is_not_shown_before_the_answer() {
    each(SIZES, |size| {
        let mut screen = Screen::new(clerk(), size);
        play_buggy(&mut screen);
        let all = screen.press("<end>").whole();
        assert!(all.contains("gives 'old'") && all.contains("The fixed program joins in once"), "{all}");
        assert!(!all.contains("part here") && !all.contains("both "), "{all}");
    });
}

#[test]
fn rows_are_reached_by_keys_and_by_clicks() {
    let mut screen = Screen::new(clerk(), (80, 24));
    play(&mut screen);
    screen.press("<down>").shows("▸  9 s").press("j").shows("▸ 12 s").press("<up>").shows("▸  9 s");
    screen.press("<end>").shows("▸ 13 s").press("<home>").shows("▸  0 s");
    screen.click("wakes up and writes").shows("▸ 12 s").shows("Row 3 of 4");
    screen.click("Output").shows("Buggy program finished").press("v").shows("▸ 12 s").click("Timeline").shows("▸ 12 s");
}

#[test]
fn long_values_are_cut_until_they_are_opened() {
    each(SIZES, |size| {
        let mut screen = Screen::new(clerk(), size);
        play_buggy(&mut screen);
        let value = Evaluated { text: format!("'{}END'", "x".repeat(300)), raised: false };
        let row = Row { step: 0, result: Some(value.clone()), watched: vec![value.clone(), value] };
        screen.press("r").tell([Action::Ran(RunId(4), Event::Row(row))]);
        screen.tell([ended(3, Verdict::Finished, ""), ended(4, Verdict::Raised, "a \u{1b}[2Jword")]);
        let all = screen.whole().replace(' ', "");
        assert!(all.contains(&format!("'{}…", "x".repeat(78))) && !all.contains("END'"), "{all}");
        assert!(all.contains("Thebuggyprogramraised:a␛[2Jword"), "{all}");
        let all = screen.press("<enter>").whole().replace(' ', "");
        assert!(all.matches("END'").count() >= 3, "{all}");
        let all = screen.press(" ").whole();
        assert!(!all.contains("END'") && all.contains("did not get here"), "{all}");
    });
}

#[test]
fn many_actors_leave_room_for_words() {
    let mut question = paused_clerk();
    let scenario = question.scenario.as_mut().unwrap();
    let step = scenario.steps[0].clone();
    for n in 0..200 {
        let mut step = step.clone();
        step.who = format!("Clerk \u{1b}{n}");
        step.at = format!("{n} \u{202e} hours after the beginning");
        scenario.steps.push(step);
    }
    each(SIZES, |size| {
        let mut screen = Screen::new(quiz(vec![question.clone()]), size);
        let all = screen.press("<enter>8<enter><tab>v").whole();
        assert!(all.contains("Clerk ␛199 gets ticket 33"), "{all}");
    });
}
