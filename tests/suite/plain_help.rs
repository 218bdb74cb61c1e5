//! The help of the plain lines: in every part of the flow it offers what is taken there, and nothing else.

use std::collections::HashMap;
use std::sync::Arc;

use fencepost::plain::command::{Command, TABLE};
use fencepost::plain::response::Response;
use fencepost::plain::session::Session;
use fencepost::quiz::repair::Repairs;
use fencepost::quiz::time::Timestamp;
use fencepost::quiz::{Action, Quiz};
use fencepost::runner::Level;
use fencepost::script::lines::Input;

use crate::cases::each;
use crate::fixtures::{
    BUGGY_CLERK, BUGGY_STEPS, FIXED_CLERK, FIXED_STEPS, catalog, late_label, lived, paused_clerk, quiz, sandbox, shelf,
    stepped, strangers,
};
use crate::plain_stories::{Play, finished};

fn typed(session: &Session, line: &str) -> Response {
    session.line(&Input::Line(line.to_owned()))
}

/// The first word of each line of the help.
fn offers(help: &str) -> Vec<&str> {
    help.lines()
        .map(|line| match line.strip_prefix('`') {
            Some(rest) => rest.split('`').next().unwrap(),
            None => line.split(':').next().unwrap(),
        })
        .collect()
}

/// A line that gives this command what it needs.
fn example(word: &str, command: Command) -> String {
    match command {
        Command::Open => "open 1".to_owned(),
        Command::Related => "related 1".to_owned(),
        Command::BringBack => "bring back".to_owned(),
        _ => word.to_owned(),
    }
}

fn clerk() -> Play {
    let mut play = Play::of(quiz(vec![paused_clerk(), late_label()]), "stale-ticket");
    play.happens([Action::Repairs(Repairs::default())]);
    play
}

fn after(lines: &[&str]) -> Play {
    let mut play = clerk();
    play.types(lines);
    play
}

fn outside(quiz: Quiz) -> Play {
    Play::new(quiz)
}

/// The buggy program alone, or both, went through the scenario, and the learner is at its first row.
fn timeline(answered: bool) -> Play {
    let mut play = after(if answered { &["answer", "timeline"] } else { &["timeline"] });
    if answered {
        play.happens(lived(3, &BUGGY_CLERK)).happens(lived(4, &FIXED_CLERK)).happens((1..=4).map(finished));
    } else {
        play.happens(lived(2, &BUGGY_CLERK)).happens((1..=2).map(finished));
    }
    play
}

pub(crate) fn steps(answered: bool) -> Play {
    let mut play = after(if answered { &["answer", "steps"] } else { &["steps"] });
    play.happens(stepped(1, BUGGY_STEPS)).happens([finished(1)]);
    if answered {
        play.happens(stepped(2, FIXED_STEPS)).happens([finished(2)]);
    }
    play
}

fn then(mut play: Play, lines: &[&str]) -> Play {
    play.types(lines);
    play
}

fn states() -> Vec<(&'static str, Play)> {
    let mut asking = Play::of(strangers(vec![paused_clerk(), late_label()]), "stale-ticket");
    asking.types(&["run"]).happens([sandbox(Level::LimitsOnly)]);
    let mut asking_in_fix = Play::of(strangers(vec![paused_clerk(), late_label()]), "stale-ticket");
    asking_in_fix.types(&["fix", "check"]).happens([sandbox(Level::LimitsOnly)]);
    let mut changed = after(&["fix"]);
    changed.happens([Action::Edit("print('mine')\n".to_owned())]);
    let mut reset = after(&["fix"]);
    reset.happens([Action::Edit("print('mine')\n".to_owned())]).types(&["reset"]);
    let mut began = after(&["fix"]);
    began.happens([Action::Edit("print('mine')\n".to_owned())]).types(&["reset", "yes"]);
    let mut late = after(&["say", "start"]);
    late.happens([Action::Time(Timestamp(100_000))]);
    let mut ran = after(&["run"]);
    ran.happens(lived(2, &BUGGY_CLERK)).happens((1..=2).map(finished));
    let mut no_steps = after(&["steps"]);
    no_steps.happens([finished(1)]);
    let unrelated = Play::of(quiz(vec![shelf()]), "stale-ticket");
    let unhinted = Play::of(quiz(vec![shelf(), late_label()]), "late-label");
    vec![
        ("the library", outside(quiz(vec![paused_clerk(), late_label()]))),
        ("an empty library", outside(Quiz::new(Arc::new(catalog(vec![])), HashMap::new()))),
        ("a question", clerk()),
        ("a question without hints", unhinted),
        ("a question without a scenario", unrelated),
        ("hints", after(&["hint"])),
        ("a wrong pick", after(&["3"])),
        ("an answer", after(&["8"])),
        ("the answer", after(&["answer"])),
        ("an answer taken back", after(&["8", "undo"])),
        ("a related question", after(&["open late-label"])),
        ("the run", ran),
        ("the timeline", timeline(false)),
        ("its second row", then(timeline(false), &["next"])),
        ("its last row", then(timeline(false), &["last"])),
        ("the timeline of both", timeline(true)),
        ("a timeline that was forgotten", then(timeline(false), &["spot", "8"])),
        ("the steps", steps(false)),
        ("a step", then(steps(false), &["next"])),
        ("the last step", then(steps(false), &["last"])),
        ("no steps", no_steps),
        ("the steps of both", then(steps(true), &["both"])),
        ("steps that were forgotten", then(steps(false), &["spot", "8"])),
        ("a stranger's program", asking),
        ("a stranger's check", asking_in_fix),
        ("the repair", after(&["fix"])),
        ("a changed repair", changed),
        ("the question before a reset", reset),
        ("a reset", began),
        ("what to say", after(&["say"])),
        ("speaking", after(&["say", "start"])),
        ("a pause", after(&["say", "start", "pause"])),
        ("the checklist", after(&["say", "start", "stop"])),
        ("the checklist by the clock", late),
        ("a tick", after(&["say", "start", "stop", "1"])),
        ("the model answer", after(&["say", "start", "stop", "done"])),
        ("what to learn", after(&["answer", "learn"])),
        ("a closed stage", after(&["learn"])),
        ("what to learn, opened", after(&["answer", "learn", "1"])),
    ]
}

/// The help and the commands are asked separately: what it offers is taken, and does or says something; what it does not
/// offer is refused, with a reason.
#[test]
fn the_help_offers_what_works_and_nothing_else() {
    let count = states().len();
    for at in 0..count {
        let (state, play) = &states()[at];
        assert!(play.session.is_settled(), "{state}: no line is taken before this is done");
        let Response::Words(help) = typed(&play.session, "help") else { panic!("{state}: no help") };
        let offered = offers(&help);
        let mut lines: Vec<(String, bool)> = TABLE
            .iter()
            .map(|(words, command)| {
                let line = example(words[0], *command);
                let shown = if *command == Command::BringBack { "bring back" } else { words[0] };
                (line, offered.contains(&shown))
            })
            .collect();
        lines.push(("1".to_owned(), offered.contains(&"A number")));
        lines.push((String::new(), offered.contains(&"Enter alone")));
        let taken = lines.iter().filter(|(_, offered)| *offered).count();
        assert_eq!(taken, offered.len(), "{state}: every offer was tried\n{help}");
        each(lines, |(line, offered)| {
            // A new one each time, as lines change it.
            let (_, mut play) = states().swap_remove(at);
            match typed(&play.session, &line) {
                Response::Refused(why) => {
                    assert!(!offered, "{state}: `{line}` is offered, and refused: {why}");
                    assert!(line.is_empty() || why.ends_with(".\n"), "{state}: `{line}` is refused without a reason");
                    assert!(!why.contains("is no command"), "{state}: {why}");
                }
                Response::Leave => assert!(offered, "{state}: `{line}`"),
                Response::Words(words) => assert!(offered && !words.is_empty(), "{state}: `{line}` said {words}"),
                Response::Do { actions, then } => {
                    assert!(offered, "{state}: `{line}` is taken, and not offered:\n{help}");
                    let mut out = String::new();
                    let mut effects = 0;
                    for action in actions {
                        let (asked, words) = play.session.act(action);
                        effects += asked.len();
                        out.push_str(&words);
                    }
                    out.push_str(&then(play.session.quiz()));
                    assert!(effects > 0 || !out.is_empty(), "{state}: `{line}` does and says nothing");
                }
            }
        });
    }
}

/// While a prediction is asked for, everything is a prediction but what the help names.
#[test]
fn the_help_of_a_prediction_offers_what_works_there() {
    let asking = |lines: &[&str]| {
        let mut play = Play::of(quiz(vec![paused_clerk()]).asking_for_predictions(), "stale-ticket");
        play.types(&["run"]).types(lines);
        play
    };
    for typed_before in [&[][..], &["from new leader"]] {
        let play = asking(typed_before);
        let Response::Words(help) = typed(&play.session, "help") else { panic!("no help") };
        let offered = offers(&help);
        assert_eq!(
            offered,
            ["Anything else", "Enter alone", "text", "undo", "cancel", "read", "where", "help", "quit"]
        );
        let mut words: Vec<&str> = TABLE.iter().flat_map(|(words, _)| words.iter().copied()).collect();
        words.extend(["cancel", "8", "read 8", "Quit", " quit "]);
        each(words, |word| {
            let mut play = asking(typed_before);
            play.since();
            play.types(&[word]);
            let said = play.since();
            let known = ["undo", "cancel", "read", "read 8", "where", "help", "?", "quit", "exit", "Quit", " quit "];
            assert_eq!(!said.contains("Noted: "), known.contains(&word), "{word}: {said}");
            // Each of them can be predicted.
            let mut play = asking(typed_before);
            play.since();
            play.types(&[&format!("text {word}")]);
            assert!(play.since().contains(&format!("is `{word}`. Type the next line")), "{word}");
        });
    }
}

#[test]
fn forms_of_commands_that_the_help_names() {
    for (mut play, lines) in [
        (then(clerk(), &["answer"]), &["read 8", "read 3 to 6", "read fixed", "read fixed 2"][..]),
        (steps(false), &["next call", "next return", "next line 8", "next change shelf", "previous call"]),
    ] {
        each(lines, |line| {
            play.since();
            play.types(&[line]);
            let said = play.since();
            assert!(said.contains(" of ") || said.starts_with("There is no later change of "), "{said}");
        });
    }
    let mut open = outside(quiz(vec![paused_clerk(), late_label()]));
    open.types(&["open 2", "where"]);
    assert!(open.since().contains("You are at A label that is printed"));
}
