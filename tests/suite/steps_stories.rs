//! Stories about stepping: where each motion leads, what is true there, and how two programs keep in step.

use fencepost::quiz::align::{Relation, matching_lines};
use fencepost::quiz::run_view::RunView;
use fencepost::quiz::state::{Program, Programs, RunId};
use fencepost::quiz::steps::{Act, Missed, Steps, Target, Walk};
use fencepost::quiz::trace::{Way, is_class_body};
use fencepost::quiz::{Action, Effect, Motion, Quiz, Stage, update};
use fencepost::runner::{Chunk, Event, Level, Mode, StepKind, Stream, TraceLimit, Verdict};

use crate::fixtures::{BUGGY_STEPS, FIXED_STEPS, ended, line, name, quiz, sandbox, shelf, stepped, strangers, wrote};

fn tell(quiz: &mut Quiz, actions: impl IntoIterator<Item = Action>) -> Vec<Effect> {
    actions.into_iter().flat_map(|action| update(quiz, action)).collect()
}

fn act(quiz: &mut Quiz, acts: impl IntoIterator<Item = Act>) -> Vec<Effect> {
    tell(quiz, acts.into_iter().map(Action::Steps))
}

fn open() -> Quiz {
    let mut quiz = quiz(vec![shelf()]);
    tell(&mut quiz, [Action::Open(name("stale-ticket")), Action::Go(Stage::Run)]);
    quiz
}

/// The buggy program alone, traced.
fn traced() -> Quiz {
    let mut quiz = open();
    act(&mut quiz, [Act::Trace]);
    tell(&mut quiz, stepped(1, BUGGY_STEPS));
    tell(&mut quiz, [ended(1, Verdict::Finished, "")]);
    quiz
}

/// Both programs, traced after the answer.
fn both() -> Quiz {
    let mut quiz = quiz(vec![shelf()]);
    tell(&mut quiz, [Action::Open(name("stale-ticket")), Action::GiveUp, Action::Go(Stage::Run)]);
    act(&mut quiz, [Act::Trace]);
    tell(&mut quiz, stepped(1, BUGGY_STEPS).into_iter().chain(stepped(2, FIXED_STEPS)));
    tell(&mut quiz, [ended(1, Verdict::Finished, ""), ended(2, Verdict::Finished, "")]);
    quiz
}

fn steps(quiz: &Quiz) -> &Steps {
    quiz.sitting().expect("a question is open").steps()
}

fn leader(quiz: &Quiz) -> &Walk {
    steps(quiz).leader().expect("a program is traced")
}

/// The learner's place: kind and line of the step, and its number from 1.
fn at(quiz: &Quiz) -> (StepKind, u32, usize) {
    let step = leader(quiz).step().unwrap();
    (step.kind, step.line, leader(quiz).at() + 1)
}

/// Does it and says at which step, counted from 1, the learner is then.
fn goes(quiz: &mut Quiz, what: Act) -> usize {
    act(quiz, [what]);
    leader(quiz).at() + 1
}

/// The stack with its variables, innermost first; what has just changed has a star.
fn stack(quiz: &Quiz) -> Vec<String> {
    let frames = leader(quiz).stack().into_iter().map(|frame| {
        let locals = frame
            .variables
            .iter()
            .map(|local| format!(" {}{}={}", if local.changed { "*" } else { "" }, local.name, local.value));
        format!("{}:{}{}", frame.function, frame.line, locals.collect::<String>())
    });
    frames.collect()
}

/// The variables that are shown, the chosen one in brackets.
fn rows(quiz: &Quiz) -> Vec<String> {
    let shown = steps(quiz).shown(leader(quiz));
    let chosen = steps(quiz).chosen(&shown);
    let row = |(index, row): (usize, &fencepost::quiz::steps::Shown)| {
        let pin = if row.pinned { "pin " } else { "" };
        let value = row.value.as_ref().map_or("gone", |(value, _)| value.as_str());
        let words = format!("{pin}{}.{}={value}", row.name.function, row.name.name);
        if index == chosen { format!("[{words}]") } else { words }
    };
    shown.iter().enumerate().map(row).collect()
}

#[test]
fn before_the_answer_only_the_buggy_program_is_traced() {
    let mut quiz = open();
    let effects = act(&mut quiz, [Act::Trace]);
    let [Effect::Start { run: RunId(1), job }] = effects.as_slice() else { panic!("one trace, not {effects:?}") };
    assert_eq!((job.source.as_str(), &job.mode), (shelf().spot.code.as_str(), &Mode::Trace));
    assert_eq!(quiz.sitting().unwrap().view(), RunView::Steps);
    tell(&mut quiz, stepped(1, BUGGY_STEPS));
    tell(&mut quiz, [ended(1, Verdict::Finished, "")]);
    act(&mut quiz, [Act::Turn]);
    assert_eq!(steps(&quiz).programs(), Programs::One(Program::Buggy), "there is nothing to turn to");
    // What is traced is not traced again, until it is asked for.
    act(&mut quiz, [Act::Close]);
    assert_eq!((quiz.sitting().unwrap().view(), act(&mut quiz, [Act::Trace])), (RunView::Output, vec![]));
    assert_eq!(tell(&mut quiz, [Action::Run]).len(), 1);
    // Once the line is known, the fixed program is missing.
    tell(&mut quiz, [ended(2, Verdict::Finished, ""), Action::Go(Stage::Spot), Action::GiveUp, Action::Go(Stage::Run)]);
    assert_eq!(act(&mut quiz, [Act::Trace]).len(), 2);
}

#[test]
fn steps_lead_on_and_back_and_stay_in_the_trace() {
    let mut quiz = traced();
    assert_eq!(at(&quiz), (StepKind::Call, 1, 1));
    assert_eq!(goes(&mut quiz, Act::Step(Motion::By(1))), 2);
    assert_eq!(goes(&mut quiz, Act::Step(Motion::By(-5))), 1);
    assert_eq!(goes(&mut quiz, Act::Step(Motion::Last)), 18);
    assert_eq!(goes(&mut quiz, Act::Step(Motion::By(1))), 18);
    assert_eq!(goes(&mut quiz, Act::Step(Motion::First)), 1);
}

#[test]
fn motions_find_calls_returns_lines_and_changes() {
    let mut quiz = traced();
    assert_eq!(goes(&mut quiz, Act::Seek(Target::Call, Way::On)), 3);
    assert_eq!(goes(&mut quiz, Act::Seek(Target::Call, Way::On)), 8);
    assert_eq!(goes(&mut quiz, Act::Seek(Target::Return, Way::On)), 11);
    assert_eq!(goes(&mut quiz, Act::Seek(Target::Call, Way::Back)), 8);
    assert_eq!(goes(&mut quiz, Act::Seek(Target::Call, Way::On)), 13);
    assert_eq!(goes(&mut quiz, Act::Seek(Target::Call, Way::On)), 13, "there is no further one");
    assert_eq!(steps(&quiz).missed(), Some(&Missed::Call(Way::On)));
    assert_eq!(goes(&mut quiz, Act::Seek(Target::Return, Way::Back)), 11);
    assert_eq!(steps(&quiz).missed(), None);
    // The marked line is the one of the step, until the learner marks another.
    goes(&mut quiz, Act::Step(Motion::By(-1)));
    assert_eq!(at(&quiz), (StepKind::Line, 8, 10));
    assert_eq!(goes(&mut quiz, Act::Seek(Target::Line, Way::On)), 15);
    act(&mut quiz, [Act::Cursor(Motion::By(-1))]);
    assert_eq!(leader(&quiz).cursor(), Some(line(7)));
    assert_eq!(goes(&mut quiz, Act::Seek(Target::Line, Way::Back)), 14);
    assert_eq!(goes(&mut quiz, Act::Seek(Target::Line, Way::Back)), 9);
    assert_eq!(goes(&mut quiz, Act::Seek(Target::Line, Way::Back)), 9);
    assert_eq!(steps(&quiz).missed(), Some(&Missed::Line(line(7), Way::Back)));
}

#[test]
fn the_body_of_a_class_is_no_call() {
    let mut quiz = open();
    act(&mut quiz, [Act::Trace]);
    tell(
        &mut quiz,
        stepped(
            1,
            "call <module>:1 0\ncall Shelf:1 1\nreturn Shelf:6 1 -> None\ncall put:6 1\nreturn put:8 1 -> None\n",
        ),
    );
    assert_eq!(goes(&mut quiz, Act::Seek(Target::Call, Way::On)), 4);
    assert_eq!(goes(&mut quiz, Act::Seek(Target::Return, Way::On)), 5);
    assert_eq!(goes(&mut quiz, Act::Seek(Target::Return, Way::Back)), 5);
    let source = "class A(Base):\n    class  Inner :\n        pass\nclass C[T]: pass\nsubclass = classy = 1\n";
    let classes = ["A", "Inner", "C", "Inn", "classy", "subclass", "Base"].map(|name| is_class_body(source, name));
    assert_eq!(classes, [true, true, true, false, false, false, false]);
}

#[test]
fn a_chosen_variable_is_followed_from_change_to_change() {
    let mut quiz = traced();
    act(&mut quiz, [Act::Digit(7), Act::Enter]);
    assert_eq!(rows(&quiz), ["[<module>.shelf=<Shelf>]", "<module>.shelf.newest=0", "<module>.shelf.label=''"]);
    act(&mut quiz, [Act::Choose(Motion::By(2))]);
    assert_eq!(goes(&mut quiz, Act::Seek(Target::Change, Way::On)), 12);
    assert_eq!(goes(&mut quiz, Act::Seek(Target::Change, Way::On)), 17);
    assert_eq!(goes(&mut quiz, Act::Seek(Target::Change, Way::On)), 17);
    assert_eq!(steps(&quiz).missed(), Some(&Missed::Change("shelf.label".to_owned(), Way::On)));
    assert_eq!(goes(&mut quiz, Act::Seek(Target::Change, Way::Back)), 12);
    // The choice follows the variable to where it stands on the stack.
    goes(&mut quiz, Act::Step(Motion::By(1)));
    assert_eq!(rows(&quiz).iter().position(|row| row == "[<module>.shelf.label='fresh']"), Some(7));
}

#[test]
fn numbers_lead_to_steps_and_to_lines() {
    let mut quiz = traced();
    act(&mut quiz, [Act::Digit(1), Act::Digit(4)]);
    assert_eq!(steps(&quiz).typed(), Some(14));
    assert_eq!((goes(&mut quiz, Act::Enter), steps(&quiz).typed()), (14, None));
    act(&mut quiz, [Act::Digit(9), Act::Digit(9)]);
    assert_eq!(goes(&mut quiz, Act::Enter), 18, "behind the last step there is none");
    act(&mut quiz, [Act::Digit(1), Act::Digit(2)]);
    assert_eq!(goes(&mut quiz, Act::Seek(Target::Line, Way::Back)), 7);
    assert_eq!(leader(&quiz).cursor(), Some(line(12)));
    act(&mut quiz, [Act::Digit(9), Act::Digit(0), Act::Seek(Target::Line, Way::On)]);
    assert_eq!((steps(&quiz).missed(), leader(&quiz).cursor()), (Some(&Missed::NoLine(90)), Some(line(12))));
    // Any other key ends the number; Esc drops it and nothing else.
    act(&mut quiz, [Act::Digit(3), Act::Close]);
    assert_eq!((steps(&quiz).typed(), quiz.sitting().unwrap().view()), (None, RunView::Steps));
    assert_eq!(goes(&mut quiz, Act::Enter), 7);
    act(&mut quiz, [9, 9, 9, 9, 9, 9].map(Act::Digit));
    assert_eq!(steps(&quiz).typed(), Some(9), "a number that grows too long begins anew");
}

#[test]
fn a_clicked_line_leads_to_its_visits_in_turn() {
    let mut quiz = traced();
    let click = |program| Act::Visit(program, line(8));
    assert_eq!(goes(&mut quiz, click(Program::Buggy)), 10);
    assert_eq!(goes(&mut quiz, click(Program::Buggy)), 15);
    assert_eq!(goes(&mut quiz, click(Program::Buggy)), 10);
    assert_eq!(goes(&mut quiz, click(Program::Fixed)), 10, "the other program is not shown");
    assert_eq!(goes(&mut quiz, Act::Visit(Program::Buggy, line(9))), 10);
    assert_eq!(steps(&quiz).missed(), Some(&Missed::Line(line(9), Way::On)));
}

#[test]
fn the_stack_and_its_variables_are_those_of_the_step() {
    let mut quiz = traced();
    let stack_at = |quiz: &mut Quiz, number: usize| {
        act(quiz, [Act::Step(Motion::First), Act::Step(Motion::By(isize::try_from(number - 1).unwrap()))]);
        stack(quiz)
    };
    assert_eq!(stack_at(&mut quiz, 2), ["<module>:11"]);
    assert_eq!(stack_at(&mut quiz, 6), ["__init__:4 self=<Shelf> self.newest=0 *self.label=''", "<module>:11"]);
    assert_eq!(stack_at(&mut quiz, 7), ["<module>:12 *shelf=<Shelf> *shelf.newest=0 *shelf.label=''"]);
    assert_eq!(
        stack_at(&mut quiz, 10),
        [
            "put:8 self=<Shelf> *self.newest=34 self.label='' ticket=34 label='fresh'",
            "<module>:12 shelf=<Shelf> shelf.newest=0 shelf.label=''"
        ]
    );
    // A second call has variables of its own.
    assert_eq!(
        stack_at(&mut quiz, 13)[0],
        "put:6 *self=<Shelf> *self.newest=34 *self.label='fresh' *ticket=33 *label='late'"
    );
    assert_eq!(stack_at(&mut quiz, 18), ["<module>:14 shelf=<Shelf> shelf.newest=34 shelf.label='late'"]);
}

#[test]
fn threads_recursion_generators_and_names_that_go_are_replayed() {
    let mut quiz = open();
    act(&mut quiz, [Act::Trace]);
    tell(
        &mut quiz,
        stepped(
            1,
            "call <module>:1 0\nline <module>:2 0 n=1 e=2\ncall f:3 1 n=2\ncall f:3 2 n=1 self=<A>\nreturn f:3 2 -> 1\n\
             call work:5 0 x=1 @worker\nline work:6 0 x=2 @worker\nline f:3 1 self=<B> self.x=1\n\
             line f:4 1 self=None -self.x\nexception f:4 1 -> ValueError()\nreturn f:4 1\nline <module>:7 0 -e\n\
             call gen:9 1 i=1\nreturn gen:9 1 -> 1\ncall gen:9 1 i=1 j=2\n",
        ),
    );
    let stack_at = |quiz: &mut Quiz, number: isize| {
        act(quiz, [Act::Step(Motion::First), Act::Step(Motion::By(number - 1))]);
        stack(quiz)
    };
    assert_eq!(stack_at(&mut quiz, 4), ["f:3 *n=1 *self=<A>", "f:3 n=2", "<module>:2 n=1 e=2"]);
    // A return is still inside, the step after it is not.
    assert_eq!(stack_at(&mut quiz, 5), ["f:3 n=1 self=<A>", "f:3 n=2", "<module>:2 n=1 e=2"]);
    assert_eq!(stack_at(&mut quiz, 7), ["work:6 *x=2"], "a thread has a stack of its own");
    assert_eq!(stack_at(&mut quiz, 8), ["f:3 n=2 *self=<B> *self.x=1", "<module>:2 n=1 e=2"]);
    assert_eq!(stack_at(&mut quiz, 9), ["f:4 n=2 *self=None", "<module>:2 n=1 e=2"]);
    assert_eq!(stack_at(&mut quiz, 12), ["<module>:7 n=1"]);
    assert_eq!(stack_at(&mut quiz, 15), ["gen:9 *i=1 *j=2", "<module>:7 n=1"]);
}

#[test]
fn output_is_what_was_printed_before_the_step() {
    let mut quiz = open();
    act(&mut quiz, [Act::Trace]);
    let mut events = vec![wrote(1, Stream::Stdout, "before\n")];
    events.extend(stepped(1, "call <module>:1 0\nprint one\nline <module>:2 0\n"));
    events.extend([wrote(1, Stream::Stderr, "oh\n"), wrote(1, Stream::Stdout, "two\n")]);
    events.extend(stepped(1, "line <module>:3 0\nreturn <module>:3 0\nprint after\n"));
    tell(&mut quiz, events);
    let printed = |number: usize| {
        let walk = leader(&quiz);
        let words = walk.trace().output_until(number - 1).into_iter().map(|Chunk { stream, text }| match stream {
            Stream::Stdout => text,
            Stream::Stderr => format!("!{text}"),
        });
        words.collect::<String>()
    };
    assert_eq!(printed(1), "before\n");
    assert_eq!(printed(2), "before\none\n");
    assert_eq!(printed(3), "before\none\n!oh\ntwo\n");
    assert_eq!(printed(4), "before\none\n!oh\ntwo\nafter\n", "what is printed behind the last step is not lost");
}

#[test]
fn pins_stay_on_top_over_frames() {
    let mut quiz = traced();
    act(&mut quiz, [Act::Digit(1), Act::Digit(0), Act::Enter, Act::Choose(Motion::By(1)), Act::Pin]);
    assert_eq!(rows(&quiz)[..3], ["pin put.self.newest=34", "put.self=<Shelf>", "[put.self.newest=34]"]);
    act(&mut quiz, [Act::Step(Motion::By(2))]);
    assert_eq!(rows(&quiz)[..2], ["[pin put.self.newest=gone]", "<module>.shelf=<Shelf>"]);
    act(&mut quiz, [Act::Step(Motion::By(2))]);
    assert_eq!(rows(&quiz)[0], "pin put.self.newest=34");
    // A pin goes by the same key, from its own row too; pins survive another run.
    tell(&mut quiz, [Action::Run]);
    tell(&mut quiz, stepped(2, BUGGY_STEPS));
    assert_eq!(rows(&quiz), ["[pin put.self.newest=gone]"]);
    act(&mut quiz, [Act::Choose(Motion::First), Act::Pin]);
    assert_eq!(rows(&quiz), [""; 0]);
}

#[test]
fn a_value_is_opened_and_closes_with_another_choice() {
    let mut quiz = traced();
    act(&mut quiz, [Act::Enter]);
    assert!(!steps(&quiz).is_open(), "there is no variable yet");
    act(&mut quiz, [Act::Step(Motion::Last), Act::Enter]);
    assert!(steps(&quiz).is_open());
    act(&mut quiz, [Act::Step(Motion::By(-1))]);
    assert!(steps(&quiz).is_open(), "it stays open over steps");
    act(&mut quiz, [Act::Close]);
    assert!(!steps(&quiz).is_open());
    act(&mut quiz, [Act::Choose(Motion::By(1)), Act::Enter, Act::ChooseAt(0)]);
    assert!(!steps(&quiz).is_open());
    act(&mut quiz, [Act::Close]);
    assert_eq!(quiz.sitting().unwrap().view(), RunView::Output);
}

#[test]
fn both_programs_keep_in_step_where_their_lines_match() {
    let question = shelf();
    let lines = matching_lines(&question.spot.code, &question.fixed.code);
    let matched: Vec<u32> = lines.iter().map(|line| line.unwrap_or(0)).collect();
    assert_eq!(matched, [1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13, 0, 0, 0]);
    let mut quiz = both();
    act(&mut quiz, [Act::Turn]);
    assert_eq!((steps(&quiz).programs(), steps(&quiz).relation()), (Programs::One(Program::Fixed), None));
    act(&mut quiz, [Act::Step(Motion::Last), Act::Turn]);
    assert_eq!(steps(&quiz).programs(), Programs::Both);
    let mut pairs = Vec::new();
    for _ in 0..18 {
        let fixed = steps(&quiz).walk(Program::Fixed).unwrap().at() + 1;
        let mark = match steps(&quiz).relation().unwrap() {
            Relation::Same => "",
            Relation::NoSuchLine => " no such line",
            Relation::NotSoOften => " not so often",
        };
        pairs.push(format!("{} {fixed}{mark}", leader(&quiz).at() + 1));
        act(&mut quiz, [Act::Step(Motion::By(1))]);
    }
    let wanted = [
        "1 1",
        "2 2",
        "3 3",
        "4 4",
        "5 5",
        "6 6",
        "7 6 no such line",
        "8 8",
        "9 9",
        "10 10",
        "11 12",
        "12 12 no such line",
        "13 13",
        "14 14",
        "15 14 not so often",
        "16 16",
        "17 16 no such line",
        "18 17",
    ];
    assert_eq!(pairs, wanted);
    // Whichever way a step is reached, the other program is at the same place.
    act(&mut quiz, [Act::Digit(1), Act::Digit(1), Act::Enter]);
    assert_eq!(steps(&quiz).walk(Program::Fixed).unwrap().at() + 1, 12);
    act(&mut quiz, [Act::Turn]);
    assert_eq!(steps(&quiz).programs(), Programs::One(Program::Buggy));
}

#[test]
fn a_trace_does_not_wait_for_other_runs() {
    let mut quiz = open();
    assert_eq!(tell(&mut quiz, [Action::Run]).len(), 1);
    assert_eq!(act(&mut quiz, [Act::Trace]).len(), 1);
    assert_eq!(act(&mut quiz, [Act::Close, Act::Trace]), [], "it has begun already");
    assert_eq!(tell(&mut quiz, [Action::Back]), [Effect::Stop(RunId(1)), Effect::Stop(RunId(2))]);
}

#[test]
fn a_limit_keeps_the_partial_trace() {
    let mut quiz = quiz(vec![shelf()]);
    tell(&mut quiz, [Action::OpenAt(0), Action::GiveUp, Action::Go(Stage::Run)]);
    act(&mut quiz, [Act::Trace]);
    tell(&mut quiz, stepped(1, BUGGY_STEPS).into_iter().take(10).chain(stepped(2, FIXED_STEPS)));
    let full = Action::Ran(RunId(1), Event::TraceFull(TraceLimit::Steps));
    tell(&mut quiz, [full, ended(2, Verdict::Finished, ""), ended(1, Verdict::TimedOut, "Stopped after 2 s.")]);
    assert_eq!(
        (leader(&quiz).trace().trace_full, goes(&mut quiz, Act::Step(Motion::Last))),
        (Some(TraceLimit::Steps), 10)
    );
    assert_eq!(leader(&quiz).trace().ending().unwrap().verdict, Verdict::TimedOut);
    act(&mut quiz, [Act::Turn, Act::Turn]);
    assert_eq!(steps(&quiz).walk(Program::Fixed).unwrap().at() + 1, 10, "the end of one is not the end of the other");
}

#[test]
fn a_program_without_steps_is_not_turned_to() {
    let mut quiz = both();
    act(&mut quiz, [Act::Turn, Act::Turn]);
    assert_eq!(steps(&quiz).programs(), Programs::Both);
    // The side stays over another run, unless there is nothing to show of it.
    tell(&mut quiz, [Action::Run]);
    tell(&mut quiz, stepped(3, BUGGY_STEPS));
    assert_eq!((steps(&quiz).programs(), steps(&quiz).relation()), (Programs::Both, None));
    tell(&mut quiz, [ended(3, Verdict::Finished, ""), ended(4, Verdict::Crashed, "")]);
    assert_eq!(steps(&quiz).programs(), Programs::One(Program::Buggy));
    act(&mut quiz, [Act::Turn]);
    assert_eq!(steps(&quiz).programs(), Programs::One(Program::Buggy));
}

#[test]
fn stopping_and_leaving_stop_a_trace_and_old_steps_are_dropped() {
    let mut quiz = open();
    act(&mut quiz, [Act::Trace]);
    assert_eq!(tell(&mut quiz, [Action::StopRun]), [Effect::Stop(RunId(1))]);
    assert_eq!(tell(&mut quiz, [Action::Run]), [Effect::Stop(RunId(1))]);
    tell(&mut quiz, [ended(1, Verdict::Stopped, "")]);
    tell(&mut quiz, stepped(1, BUGGY_STEPS));
    assert!(steps(&quiz).leader().is_none(), "steps of a run that has ended");
    assert_eq!(tell(&mut quiz, [Action::Run]).len(), 1);
    tell(&mut quiz, stepped(1, BUGGY_STEPS));
    assert!(steps(&quiz).leader().is_none(), "steps of an old run");
    assert_eq!(tell(&mut quiz, [Action::Back]), [Effect::Stop(RunId(2))]);
}

#[test]
fn strangers_traces_pass_the_same_gate() {
    let mut quiz = strangers(vec![shelf()]);
    tell(&mut quiz, [Action::OpenAt(0), Action::Go(Stage::Run), sandbox(Level::None)]);
    assert_eq!(act(&mut quiz, [Act::Trace]), []);
    assert!(quiz.sitting().unwrap().is_asking());
    let effects = tell(&mut quiz, [Action::Agree]);
    assert!(matches!(effects.as_slice(), [Effect::Start { job, .. }] if job.mode == Mode::Trace), "{effects:?}");
}

#[test]
fn nothing_panics_without_a_trace_or_elsewhere() {
    let motions = [Motion::By(1), Motion::By(-1), Motion::First, Motion::Last];
    let targets = [Target::Call, Target::Return, Target::Line, Target::Change];
    let everything = || {
        let walks =
            motions.into_iter().flat_map(|motion| [Act::Step(motion), Act::Cursor(motion), Act::Choose(motion)]);
        let seeks = targets.into_iter().flat_map(|target| [Act::Seek(target, Way::On), Act::Seek(target, Way::Back)]);
        let others = [
            Act::Visit(Program::Fixed, line(99)),
            Act::ChooseAt(usize::MAX),
            Act::Pin,
            Act::Turn,
            Act::Digit(200),
            Act::Enter,
            Act::Digit(0),
            Act::Seek(Target::Line, Way::On),
        ];
        walks.chain(seeks).chain(others).collect::<Vec<_>>()
    };
    let mut quiz = open();
    assert_eq!(act(&mut quiz, everything()), []);
    tell(&mut quiz, [Action::Show(RunView::Steps)]);
    assert_eq!(act(&mut quiz, everything()), []);
    for traced in [traced(), both()] {
        let mut quiz = traced;
        for _ in 0..5 {
            assert_eq!(act(&mut quiz, everything()), []);
        }
    }
}

#[test]
fn long_traces_are_replayed_in_one_pass() {
    let mut quiz = open();
    act(&mut quiz, [Act::Trace]);
    let mut text = "call <module>:1 0\n".to_owned();
    for n in 0..30_000 {
        text += &format!("line <module>:{} 0 n={n}\n", n % 14 + 1);
    }
    tell(&mut quiz, stepped(1, &text));
    assert_eq!(leader(&quiz).trace().steps.len(), 20_000, "what any runner may report is limited");
    act(&mut quiz, [Act::Step(Motion::Last)]);
    assert_eq!(stack(&quiz), ["<module>:7 *n=19998"]);
}

#[test]
fn the_fixed_program_is_refused_in_words_and_traced_after_the_answer() {
    let mut quiz = traced();
    act(&mut quiz, [Act::Turn]);
    assert_eq!((steps(&quiz).programs(), steps(&quiz).missed()), (Programs::One(Program::Buggy), Some(&Missed::Fixed)));
    tell(&mut quiz, [Action::Go(Stage::Spot), Action::GiveUp, Action::Go(Stage::Run)]);
    let effects = act(&mut quiz, [Act::Trace]);
    assert_eq!(effects.iter().filter(|effect| matches!(effect, Effect::Start { .. })).count(), 2);
}
