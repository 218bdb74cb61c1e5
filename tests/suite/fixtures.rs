//! Questions, catalogs and runs that tests of the quiz and its screens share.

use std::collections::HashMap;
use std::sync::Arc;

use fencepost::content::catalog::{Catalog, Entry, PackEntry};
use fencepost::content::question::{
    Answer, Ask, Check, Date, Fact, Fixed, FollowUp, Learn, Level, LineNo, Model, Near, Pack, Question, QuestionName,
    Repair, Review, Say, Scenario, Spot, Step as ScenarioStep,
};
use fencepost::quiz::state::{Program, RunId};
use fencepost::quiz::time::Timestamp;
use fencepost::quiz::{Action, Quiz, consent, update};
use fencepost::runner::{
    CheckOutcome, CheckResult, Chunk, Ending, Engine, Evaluated, Event, Job, Level as Sandbox, Row, Step, StepKind,
    Stream, Variable, Verdict,
};

/// Line `n`.
pub(crate) fn line(n: u32) -> LineNo {
    LineNo::new(n).unwrap()
}

fn date(text: &str) -> Date {
    Date(text.parse().unwrap())
}

/// A question that has everything: fourteen lines, the bug in line 8, one hint, two near misses, four points.
pub(crate) fn shelf() -> Question {
    Question {
        format: 1,
        id: "stale-ticket".to_owned(),
        formerly: vec![],
        title: "A shelf, two clerks and their tickets".to_owned(),
        topic: "Distributed systems".to_owned(),
        level: Level::Senior,
        requires: vec!["Python 3.13+".to_owned(), "PostgreSQL 17+".to_owned()],
        python: ">=3.13".to_owned(),
        tags: vec!["lease".to_owned()],
        related: vec!["late-label".to_owned(), "not-in-this-library".to_owned()],
        model: Some(Model {
            kind: "toy".to_owned(),
            leaves_out: "The service that hands the tickets out, and every failure but one long pause.".to_owned(),
        }),
        review: Some(Review { by: "fencepost".to_owned(), on: date("2026-11-29") }),
        spot: Spot {
            ask: Ask::Line,
            prompt: "Two clerks label one shelf, and the ticket says who is newer. Which line lets a clerk who fell \
                     asleep undo newer work?"
                .to_owned(),
            hints: vec!["What becomes of the ticket once it has been compared?".to_owned()],
            code: "class Shelf:\n    def __init__(self) -> None:\n        self.newest = 0\n        self.label = \"\"\n\n    \
                   def put(self, ticket: int, label: str) -> None:\n        self.newest = max(self.newest, ticket)\n        \
                   self.label = label\n\n\nshelf = Shelf()\nshelf.put(34, \"from new leader\")\nshelf.put(33, \"from \
                   paused old leader\")\nprint(shelf.label)\n"
                .to_owned(),
            prints: "from paused old leader\n".to_owned(),
            explanation: "The label changes whatever the ticket says. It must stay as it is when `ticket` is smaller \
                          than `self.newest`."
                .to_owned(),
            answers: vec![Answer { line: line(8), code: "self.label = label".to_owned() }],
            near: vec![
                Near { line: line(7), feedback: "Keeping the **largest** ticket is right; the trouble is that nothing reads it.".to_owned() },
                Near { line: line(13), feedback: "A late call like this one will happen. The shelf has to cope.".to_owned() },
            ],
            repairs: vec![Repair {
                line: line(8),
                with: "        if ticket >= self.newest:\n            self.label = label\n".to_owned(),
            }],
        },
        fixed: Fixed {
            title: "A shelf that reads its tickets".to_owned(),
            code: "class Shelf:\n    def __init__(self) -> None:\n        self.newest = 0\n        self.label = \"\"\n\n    \
                   def put(self, ticket: int, label: str) -> bool:\n        if ticket < self.newest:\n            return \
                   False\n        self.newest, self.label = ticket, label\n        return True\n\n\nshelf = \
                   Shelf()\nprint(shelf.put(34, \"new\"), shelf.put(33, \"stale\"), shelf.label)\n"
                .to_owned(),
            prints: "True False new\n".to_owned(),
        },
        verified: None,
        checks: vec![Check { name: "an old ticket changes nothing".to_owned(), code: "assert True\n".to_owned() }],
        scenario: None,
        say: Say {
            prompt: "Explain why the shelf has to look at the ticket.".to_owned(),
            seconds: 35,
            answer: "A lease ends on the clock of the service, not in the head of the holder. So the *resource* compares \
                     the number of each grant, and refuses what is older than what it has seen."
                .to_owned(),
            points: vec![
                "A lease ends by itself".to_owned(),
                "A pause can outlive it".to_owned(),
                "Every grant has a larger number".to_owned(),
                "The resource refuses smaller numbers".to_owned(),
            ],
        },
        learn: Learn {
            mistakes: vec![
                "To believe that holding a lock is a fact for good.".to_owned(),
                "To renew in a thread that goes on when the work hangs.".to_owned(),
            ],
            senior_take: "Name the pause first, walk through it step by step, then show who must say no.".to_owned(),
            facts: vec![
                Fact {
                    text: "`max` keeps the larger of two numbers and tells nobody.".to_owned(),
                    source: "Python 3.13 library reference, Built-in Functions".to_owned(),
                    checked: date("2026-11-29"),
                },
                Fact {
                    text: "A clock may drift, so a lease must be much longer than that.".to_owned(),
                    source: "https://example.org/leases".to_owned(),
                    checked: date("2026-11-28"),
                },
            ],
        },
        follow_ups: vec![
            FollowUp {
                question: "Where do the numbers come from?".to_owned(),
                hint: "From the service that grants the lease.".to_owned(),
                answer: Some("From a counter of that service: every grant gets the next `ticket`.".to_owned()),
            },
            FollowUp {
                question: "What if the shelf cannot compare?".to_owned(),
                hint: "Then make the work harmless when it is done twice.".to_owned(),
                answer: None,
            },
        ],
    }
}

/// The same question with a scenario of four steps, two actors and two watched expressions.
pub(crate) fn paused_clerk() -> Question {
    let mut question = shelf();
    let step = |at: &str, who: &str, does: &str, run: Option<&str>| ScenarioStep {
        at: at.to_owned(),
        who: who.to_owned(),
        does: does.to_owned(),
        run: run.map(str::to_owned),
    };
    question.scenario = Some(Scenario {
        setup: "shelf = Shelf()\n".to_owned(),
        watch: vec!["shelf.newest".to_owned(), "shelf.label".to_owned()],
        steps: vec![
            step("0 s", "Old clerk", "gets ticket 33 and falls asleep before it writes", None),
            step("9 s", "New clerk", "writes with ticket 34", Some("shelf.put(34, 'new')")),
            step(
                "12 s",
                "Old clerk",
                "wakes up and writes with ticket 33, as if nothing had been",
                Some("shelf.put(33, 'old')"),
            ),
            step("13 s", "New clerk", "reads the label", Some("shelf.label")),
        ],
    });
    question
}

/// Results of the steps of [`paused_clerk`]: for each, its value and the label.
pub(crate) const BUGGY_CLERK: [(Option<&str>, &str); 4] =
    [(None, "''"), (Some("None"), "'new'"), (Some("None"), "'old'"), (Some("'old'"), "'old'")];

/// The same, on the fixed program.
pub(crate) const FIXED_CLERK: [(Option<&str>, &str); 4] =
    [(None, "''"), (Some("None"), "'new'"), (Some("False"), "'new'"), (Some("'new'"), "'new'")];

/// A run took the steps of [`paused_clerk`].
pub(crate) fn lived(run: u64, rows: &[(Option<&str>, &str)]) -> Vec<Action> {
    let value = |text: &str| Evaluated { text: text.to_owned(), raised: false };
    let newest = ["0", "34", "34", "34"];
    let rows = rows.iter().zip(newest).enumerate().map(|(step, ((result, label), newest))| {
        let row = Row { step, result: result.map(value), watched: vec![value(newest), value(label)] };
        Action::Ran(RunId(run), Event::Row(row))
    });
    rows.collect()
}

/// The steps of the buggy program of [`shelf`], as [`stepped`] reads them.
pub(crate) const BUGGY_STEPS: &str = "\
call <module>:1 0
line <module>:11 0
call __init__:2 1 self=Shelf()
line __init__:3 1
line __init__:4 1 self=<Shelf> self.newest=0
return __init__:4 1 self.label='' -> None
line <module>:12 0 shelf=<Shelf> shelf.newest=0 shelf.label=''
call put:6 1 self=<Shelf> self.newest=0 self.label='' ticket=34 label='fresh'
line put:7 1
line put:8 1 self.newest=34
return put:8 1 self.label='fresh' -> None
line <module>:13 0 shelf.newest=34 shelf.label='fresh'
call put:6 1 self=<Shelf> self.newest=34 self.label='fresh' ticket=33 label='late'
line put:7 1
line put:8 1
return put:8 1 self.label='late' -> None
line <module>:14 0 shelf.label='late'
print late
return <module>:14 0 -> None
";

/// The steps of the fixed program of [`shelf`].
pub(crate) const FIXED_STEPS: &str = "\
call <module>:1 0
line <module>:13 0
call __init__:2 1 self=Shelf()
line __init__:3 1
line __init__:4 1 self=<Shelf> self.newest=0
return __init__:4 1 self.label='' -> None
line <module>:14 0 shelf=<Shelf> shelf.newest=0 shelf.label=''
call put:6 1 self=<Shelf> self.newest=0 self.label='' ticket=34 label='new'
line put:7 1
line put:9 1
line put:10 1 self.newest=34 self.label='new'
return put:10 1 -> True
call put:6 1 self=<Shelf> self.newest=34 self.label='new' ticket=33 label='stale'
line put:7 1
line put:8 1
return put:8 1 -> False
print True False new
return <module>:14 0 shelf.newest=34 shelf.label='new' -> None
";

/// A run took steps: one a line, as `kind function:line depth`, then `name=value` for what changed, `-name` for what is
/// gone, `@thread`, and `-> value`. `print words` writes a line.
pub(crate) fn stepped(run: u64, text: &str) -> Vec<Action> {
    let event = |line: &str| {
        if let Some(words) = line.strip_prefix("print ") {
            return wrote(run, Stream::Stdout, &format!("{words}\n"));
        }
        let (line, value) = line.split_once(" -> ").unwrap_or((line, ""));
        let mut words = line.split(' ');
        let kind = match words.next().unwrap() {
            "call" => StepKind::Call,
            "line" => StepKind::Line,
            "return" => StepKind::Return,
            "exception" => StepKind::Exception,
            other => panic!("no kind `{other}`"),
        };
        let (function, at) = words.next().unwrap().split_once(':').unwrap();
        let mut step = Step {
            kind,
            line: at.parse().unwrap(),
            function: function.to_owned(),
            depth: words.next().unwrap().parse().unwrap(),
            thread: String::new(),
            changed: Vec::new(),
            gone: Vec::new(),
            value: value.to_owned(),
        };
        for word in words {
            if let Some(name) = word.strip_prefix('-') {
                step.gone.push(name.to_owned());
            } else if let Some(thread) = word.strip_prefix('@') {
                step.thread = thread.to_owned();
            } else {
                let (name, value) = word.split_once('=').unwrap();
                step.changed.push(Variable { name: name.to_owned(), value: value.to_owned() });
            }
        }
        Action::Ran(RunId(run), Event::Step(step))
    };
    text.lines().map(event).collect()
}

/// A question of twenty-two lines, two of which are accepted, whose repair is a move.
pub(crate) fn late_label() -> Question {
    let mut question = shelf();
    question.id = "late-label".to_owned();
    question.title = "A label that is printed before it is known, with a long name".to_owned();
    question.topic = "Python".to_owned();
    question.level = Level::Mid;
    question.related = vec!["stale-ticket".to_owned()];
    question.requires.clear();
    question.model = None;
    question.review = None;
    question.spot.prompt = "Which line comes too early?".to_owned();
    question.spot.hints.clear();
    question.spot.near.clear();
    question.spot.code = (1..=22).map(|n| format!("step_{n}()\n")).collect();
    question.spot.answers = vec![
        Answer { line: line(5), code: "step_5()".to_owned() },
        Answer { line: line(20), code: "step_20()".to_owned() },
    ];
    question.spot.repairs = vec![
        Repair { line: line(5), with: String::new() },
        Repair { line: line(20), with: "step_20()\nstep_5()\n".to_owned() },
    ];
    question.follow_ups.truncate(1);
    question
}

/// A question that tries to steer the terminal from every field.
pub(crate) fn hostile() -> Question {
    let evil = "\u{1b}[2J\u{1b}]52;c;QQ==\u{7} \u{202e}live\u{9b}31m";
    let mut question = shelf();
    question.id = "hostile".to_owned();
    question.title = format!("T{evil}");
    question.topic = format!("P{evil}");
    question.requires = vec![format!("R{evil}")];
    question.related.clear();
    question.model = Some(Model { kind: format!("K{evil}"), leaves_out: format!("L{evil}") });
    question.spot.prompt = format!("Q{evil} `{evil}` \u{2028}");
    question.spot.hints = vec![format!("H{evil}")];
    question.spot.code = format!("a = '{evil}'\n\tb = 1\u{0}\nc = '👩‍👩‍👧‍👦'\n");
    question.spot.explanation = format!("E{evil}");
    question.spot.answers = vec![Answer { line: line(2), code: "b".to_owned() }];
    question.spot.near = vec![Near { line: line(1), feedback: format!("N{evil}") }];
    question.spot.repairs = vec![Repair { line: line(2), with: format!("b = '{evil}'\n") }];
    question.fixed.title = format!("F{evil}");
    question.say.points = vec![format!("S{evil}")];
    question.say.answer = format!("A{evil}");
    question.learn.senior_take = format!("Z{evil}");
    question
}

/// Which program of a question of these tests `job` runs. They share the fixed one.
pub(crate) fn program_of(job: &Job) -> Program {
    if job.source == shelf().fixed.code { Program::Fixed } else { Program::Buggy }
}

/// The library of one pack with these questions.
pub(crate) fn catalog(questions: Vec<Question>) -> Catalog {
    let pack = Pack {
        format: 1,
        title: "Shelves".to_owned(),
        summary: "Shelves and who may label them.".to_owned(),
        authors: vec!["fencepost".to_owned()],
        licence: "MIT".to_owned(),
        report: "https://example.org/issues".to_owned(),
        words: Vec::new(),
        paths: vec![],
    };
    Catalog {
        packs: vec![PackEntry { name: "shelves".to_owned(), pack, shipped: true }],
        questions: questions
            .into_iter()
            .map(|question| {
                let name = QuestionName { pack: "shelves".to_owned(), id: question.id.clone() };
                Arc::new(Entry::new(name, question, true))
            })
            .collect(),
        problems: Vec::new(),
    }
}

/// The name of a question of [`catalog`].
pub(crate) fn name(id: &str) -> QuestionName {
    QuestionName { pack: "shelves".to_owned(), id: id.to_owned() }
}

/// A quiz over these questions, at one second after the epoch, by a learner who is new.
pub(crate) fn quiz(questions: Vec<Question>) -> Quiz {
    let mut quiz = Quiz::new(Arc::new(catalog(questions)), HashMap::new()).with_timeline();
    update(&mut quiz, Action::Time(Timestamp(1000)));
    quiz
}

/// The same quiz over questions that did not come with the program.
pub(crate) fn strangers(questions: Vec<Question>) -> Quiz {
    let mut catalog = catalog(questions);
    catalog.packs[0].shipped = false;
    for entry in &mut catalog.questions {
        Arc::make_mut(entry).shipped = false;
    }
    let mut quiz = Quiz::new(Arc::new(catalog), HashMap::new()).with_timeline();
    update(&mut quiz, Action::Time(Timestamp(1000)));
    quiz
}

/// The sandbox turned out to be at `level`.
pub(crate) fn sandbox(level: Sandbox) -> Action {
    let why = format!("the sandbox is only at level {level} and lacks seccomp (the kernel has none)");
    Action::Sandbox(consent::Sandbox::Known { level, why })
}

/// The engine that ran the programs of these tests.
pub(crate) fn engine() -> Engine {
    Engine {
        name: "RustPython".to_owned(),
        version: "0.5.0".to_owned(),
        python: "3.14.0".to_owned(),
        sandbox: Sandbox::Full,
    }
}

/// A run wrote `text`.
pub(crate) fn wrote(run: u64, stream: Stream, text: &str) -> Action {
    Action::Ran(RunId(run), Event::Output(Chunk { stream, text: text.to_owned() }))
}

/// A run decided a check.
pub(crate) fn checked(run: u64, name: &str, result: CheckOutcome, message: &str) -> Action {
    let result = CheckResult { name: name.to_owned(), result, message: message.to_owned(), unreached: None };
    Action::Ran(RunId(run), Event::Check(result))
}

/// A run ended.
pub(crate) fn ended(run: u64, verdict: Verdict, detail: &str) -> Action {
    Action::Ran(
        RunId(run),
        Event::Ended(Ending {
            verdict,
            detail: detail.to_owned(),
            wall_ms: 3.25,
            engine: engine(),
            overloads: Vec::new(),
        }),
    )
}
