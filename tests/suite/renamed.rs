//! A question under another id: old commands, answers and a learner's history find it.

use std::collections::{BTreeSet, HashMap};
use std::io::Write as _;
use std::process::Stdio;

use fencepost::content::load;
use fencepost::content::question::{Question, QuestionName};
use fencepost::quiz::attempt::LastResult;
use fencepost::quiz::repair::{Draft, Earlier, Repairs};
use fencepost::quiz::{Action, Quiz, update};

use crate::cases::each;
use crate::command::{Home, PACK, sessions, small};
use crate::fixtures::{late_label, name, quiz, shelf};

/// A home in which the question `small` is called `lost-number`.
fn renamed() -> Home {
    let home = Home::empty().with("packs/fixture/pack.toml", PACK);
    home.question("lost-number", &[("related = []", "related = []\nformerly = [\"small\"]")])
}

#[test]
fn commands_take_the_old_id() {
    let answers = "format = 1\n[[answer]]\nquestion = \"small\"\nline = 3\n";
    let twice = "{\"question\": \"fixture/small\", \"line\": 3}\n{\"question\": \"lost-number\", \"line\": 2}\n";
    let home = renamed().with("answers.toml", answers).with("twice.jsonl", twice);
    let home = home.with("class/ada.toml", answers).with("class/bob.jsonl", twice);
    let asked = "{\"type\": \"answer\", \"question\": \"small\", \"line\": 3}\n";
    sessions!(home.with("requests", asked), @r#"
    $ fencepost --content packs quiz small fixture/lost-number --blank
    # Answers to 1 question. Write the number of the buggy line in place of each 0, then run
    #
    #     fencepost quiz --answers THIS-FILE
    #
    # with the same choice of questions. Remove an entry to leave its question out; that scores 0. An entry may also
    # have these keys:
    #
    #     fix_file = "mine.py"   your repaired program, in a file beside this one; or fix = '''...''' in place
    #     points = [1, 3]        points of the spoken answer that you covered, from 1 on; never graded

    format = 1

    # 1 of 1: The sum that forgets its last number
    # Python, junior
    #
    # The total is too small. Which line loses a number?
    #
    #    1  def total(numbers: list[int]) -> int:
    #    2      result = 0
    #    3      for i in range(len(numbers) - 1):
    #    4          result += numbers[i]
    #    5      return result
    #    6
    #    7
    #    8  print(total([1, 2, 3]))
    [[answer]]
    question = "fixture/lost-number"
    line = 0
    --- exit 0

    $ fencepost --content packs quiz small --answers answers.toml
    right    fixture/lost-number: line 3; score 1 of 1
             line 3 | for i in range(len(numbers) - 1):
             `range` leaves out its end, so `len(numbers)` is already one past the
             last number.

    Weights line=1,fix=0
    1 of 1 right (100 %), pass mark 100 %: passed
    --- exit 0

    $ fencepost --content packs quiz small --answers twice.jsonl
    --- stderr
    error[duplicate_answer]: `fixture/lost-number` already has an answer on line 1
     --> twice.jsonl:2:1
      |
    2 | {"question": "lost-number", "line": 2}
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: keep one of them

    1 error
    --- exit 2

    $ fencepost --content packs quiz small --answers class --lenient --no-times
    {"format":1,"learner":"ada","file":"ada.toml","handed_in":true,"on_roster":null,"passed":true,"score":1,"of":1,"percent":100,"right":1,"asked":1,"suspicious":false,"pass_mark":100,"weights":{"line":1,"fix":0},"lenient":true,"seed":null,"partition":null,"why_empty":null,"questions":[{"question":"fixture/lost-number","score":1,"of":1,"suspicious":false,"line":{"result":"right","chosen":3,"code":"for i in range(len(numbers) - 1):","picks":[3],"accepted":[3],"why":"`range` leaves out its end, so `len(numbers)` is already one past the last number."},"fix":null,"points":null}],"problems":[]}
    {"format":1,"learner":"bob","file":"bob.jsonl","handed_in":true,"on_roster":null,"passed":true,"score":1,"of":1,"percent":100,"right":1,"asked":1,"suspicious":false,"pass_mark":100,"weights":{"line":1,"fix":0},"lenient":true,"seed":null,"partition":null,"why_empty":null,"questions":[{"question":"fixture/lost-number","score":1,"of":1,"suspicious":false,"line":{"result":"right","chosen":3,"code":"for i in range(len(numbers) - 1):","picks":[3],"accepted":[3],"why":"`range` leaves out its end, so `len(numbers)` is already one past the last number."},"fix":null,"points":null}],"problems":[{"code":"duplicate_answer","line":2,"column":1,"message":"`fixture/lost-number` already has an answer on line 1","hint":"keep one of them"}]}
    --- stderr
    2 of 2 passed; 1 graded in part
    --- exit 0

    $ fencepost --content packs quiz small --serve-stdio < requests
    {"id":null,"type":"hello","format":1,"version":"0.1.0","questions":1}
    {"id":null,"type":"answer","line":3,"right":true,"pick":1,"why":"`range` leaves out its end, so `len(numbers)` is already one past the last number."}
    --- exit 0

    $ fencepost --content packs run small --buggy
    The buggy program
    -----------------
    stdout: 3

    finished: ran to its end

    RustPython 0.5.0 (Python 3.14.0) | sandbox full | buggy [time] ms
    --- exit 0
    "#);
}

#[test]
fn a_current_id_comes_before_a_former_one() {
    let home = Home::empty();
    let pack = |pack: &str, questions: &[(&str, &str)]| {
        home.write(&format!("packs/{pack}/pack.toml"), PACK);
        for (id, formerly) in questions {
            let own = format!("id = \"{id}\"\nformerly = [{formerly}]");
            home.write(&format!("packs/{pack}/{id}.toml"), small(&[("id = \"small\"", &own)]));
        }
    };
    pack("a", &[("x", "\"old\", \"older\""), ("y", "")]);
    pack("b", &[("old", "\"older\", \"oldest\""), ("y", "")]);
    let catalog = load::load(&[home.path().join("packs")]).unwrap();
    assert_eq!(catalog.problems, []);
    let text = |name: &QuestionName| name.to_string();
    each(
        [
            ("old", Some("b/old")),
            ("a/old", Some("a/x")),
            ("oldest", Some("b/old")),
            ("a/oldest", None),
            // Two questions had this id.
            ("older", None),
        ],
        |(typed, found)| assert_eq!(catalog.find(typed).ok().map(|it| text(&it.name)).as_deref(), found),
    );
    each(
        [
            ("a", "old", Some("b/old")),
            ("a", "a/old", Some("a/x")),
            ("a", "older", Some("a/x")),
            ("b", "older", Some("b/old")),
            ("c", "older", None),
            ("a", "y", Some("a/y")),
            ("c", "y", None),
        ],
        |(from, typed, found)| {
            assert_eq!(catalog.find_from(from, typed).map(|it| text(&it.name)).as_deref(), found);
        },
    );
}

/// Plays line by line, with an editor that adds a line to the program.
fn plays(home: &Home, typed: &str) -> String {
    let editor = home.write("editor.sh", "echo '# more' >> \"$1\"\n");
    let mut command = home.command("--content packs play --plain");
    command.env("EDITOR", format!("sh {}", editor.display())).env("PATH", std::env::var("PATH").unwrap());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn results_and_repairs_of_the_old_id_go_on() {
    let home = Home::new();
    plays(&home, "open small\n2\n3\nfix\nedit\nquit\n");
    std::fs::remove_file(home.path().join("packs/fixture/small.toml")).unwrap();
    let formerly = [("related = []", "related = []\nformerly = [\"small\"]")];
    home.write_question("lost-number", &formerly);
    let row = |session: &str| session.lines().find(|line| line.contains("fixture/lost-number")).map(str::to_owned);

    let session = plays(&home, "library\nopen small\nfix\nread 9\nedit\nread 10\nreset\nyes\nquit\n");
    assert!(row(&session).unwrap().ends_with("fixture/lost-number. Found later."), "{session}");
    // Line 9 as it was left, and line 10 as it was added.
    assert!(session.contains("Line 9 of 9: # more") && session.contains("Line 10 of 10: # more"), "{session}");
    let session = plays(&home, "open lost-number\nfix\nbring back\nread 10\nquit\n");
    assert!(session.contains("Line 10 of 10: # more"), "{session}");
}

/// The quiz of a learner who did this, once the library is read.
fn remembering(questions: Vec<Question>, results: &[(&str, LastResult)], repairs: Repairs) -> Quiz {
    let mut quiz = quiz(questions);
    let results = results.iter().map(|(id, result)| (name(id), *result)).collect();
    update(&mut quiz, Action::Remembered(results));
    update(&mut quiz, Action::Repairs(repairs));
    quiz
}

fn formerly(ids: &[&str]) -> Question {
    Question { formerly: ids.iter().map(|&id| id.to_owned()).collect(), ..shelf() }
}

#[test]
fn the_result_of_the_current_name_comes_first() {
    use LastResult::{FoundAtOnce, GaveUp, NotFound};
    let of = |questions: Vec<Question>, results: &[(&str, LastResult)]| {
        remembering(questions, results, Repairs::default()).result(&name("stale-ticket"))
    };
    assert_eq!(of(vec![formerly(&["a", "b"])], &[("b", GaveUp)]), Some(GaveUp));
    assert_eq!(of(vec![formerly(&["a", "b"])], &[("b", GaveUp), ("a", NotFound)]), Some(NotFound));
    assert_eq!(of(vec![formerly(&["a"])], &[("a", GaveUp), ("stale-ticket", FoundAtOnce)]), Some(FoundAtOnce));
    // Another question has the id now, and the result is its own.
    assert_eq!(of(vec![formerly(&["late-label"]), late_label()], &[("late-label", GaveUp)]), None);
}

#[test]
fn an_old_repair_can_be_brought_back_behind_a_new_one() {
    let draft = |text: &str, earlier: Option<&str>| {
        let earlier = earlier.map(|text| Earlier { text: text.to_owned(), base: "old\n".to_owned() });
        Draft { text: text.to_owned(), base: "old\n".to_owned(), earlier }
    };
    let cases = [
        (vec![("a", draft("1\n", Some("0\n")))], "1\n", "0\n"),
        (vec![("a", draft("1\n", Some("0\n"))), ("stale-ticket", draft("2\n", None))], "2\n", "1\n"),
        (vec![("a", draft("1\n", Some("0\n"))), ("stale-ticket", draft("1\n", None))], "1\n", "0\n"),
        (vec![("a", draft("1\n", None)), ("stale-ticket", draft("2\n", Some("3\n")))], "2\n", "3\n"),
    ];
    each(cases, |(drafts, text, earlier)| {
        let drafts: HashMap<QuestionName, Draft> = drafts.iter().map(|(id, draft)| (name(id), draft.clone())).collect();
        let repairs = Repairs { drafts, passed: BTreeSet::from([name("a")]) };
        let mut quiz = remembering(vec![formerly(&["a"])], &[], repairs);
        assert!(quiz.is_repaired(&name("stale-ticket")));
        update(&mut quiz, Action::OpenAt(0));
        update(&mut quiz, Action::Go(fencepost::quiz::Stage::Fix));
        assert_eq!(quiz.sitting().unwrap().repair().text(), text);
        update(&mut quiz, Action::BringBack);
        assert_eq!(quiz.sitting().unwrap().repair().text(), earlier);
    });
}
