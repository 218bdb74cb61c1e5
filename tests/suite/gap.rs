//! A question about a gap, from the author's check to the screens: a step is missing after the accepted line.

use std::path::Path;

use fencepost::content::question::{LineNo, Question};
use fencepost::content::{parse, read, stamp};
use fencepost::quiz::grade::{Grade, grade};
use fencepost::quiz::{Action, Quiz, Stage, update};

use crate::command::{Home, PACK, sessions};
use crate::fixtures::{line, name, quiz};
use crate::plain_stories::Play;
use crate::screens::{SIZES, Screen, snapshot};

const GAP: &str = include_str!("../fixtures/gap.toml");

/// The question with some texts replaced, each where it first stands.
#[track_caller]
fn edited(edits: &[(&str, &str)]) -> String {
    let mut text = GAP.to_owned();
    for (from, to) in edits {
        assert!(text.contains(from), "the question has no {from:?}");
        text = text.replacen(from, to, 1);
    }
    text
}

fn question() -> Question {
    parse::question(&read::source(Path::new("recent-pages.toml"), GAP)).0.unwrap()
}

fn asked() -> Quiz {
    quiz(vec![question()])
}

fn home(edits: &[(&str, &str)]) -> Home {
    Home::empty().with("packs/fixture/pack.toml", PACK).with("packs/fixture/recent-pages.toml", edited(edits))
}

/// The second accepted line, as the file has it.
const SECOND: &str = "line = 13\ncode = \"def get(self, name: str) -> str:\"";

#[test]
fn the_proofs_hold_and_find_other_gaps() {
    sessions!(home(&[]), @"
    $ fencepost author check packs
    1 question, 47 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    add `--python auto` and `--mypy` to prove more
    no problems
    --- exit 0
    ");
    // The missing lines work after line 13 too.
    sessions!(home(&[(&format!("[[spot.answer]]\n{SECOND}\n\n"), "")]), @"
    $ fencepost author check packs
    error[other_answer]: every check passes with the missing lines after line 13
      --> packs/fixture/recent-pages.toml:36:5
       |
    36 |     def get(self, name: str) -> str:
       |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = note: ran: the buggy program with the missing lines after line 13, and its checks, on RustPython 0.5.0
       = note: expected: a check fails
       = note: seen: every check passes
       = help: accept line 13 as well, or add a check that this program fails

    1 error

    1 question, 47 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 1
    ");
    // They do nothing after line 9.
    sessions!(home(&[(SECOND, &format!("{SECOND}\n\n[[spot.answer]]\nline = 9\ncode = \"self.pages.move_to_end(name)\""))]), @"
    $ fencepost author check packs
    warning[unproved_answer]: nothing proves that a step is missing after line 9
      --> packs/fixture/recent-pages.toml:62:8
       |
    62 | line = 9
       |        ^
       |
       = note: ran: the buggy program with the missing lines after line 9, and its checks, on RustPython 0.5.0
       = note: expected: every check passes
       = note: seen: a check fails
       = help: remove the answer; if a learner could defend it, keep it and ignore this warning

    1 warning

    1 question, 47 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    add `--python auto` and `--mypy` to prove more
    passed, with warnings
    --- exit 0
    ");
}

#[test]
fn a_line_at_the_gap_is_graded_like_the_code_above_it() {
    let question = question();
    let grades = [13, 14, 15, 12, 11, 8, 1].map(|n| match grade(&question, line(n)) {
        Grade::Right => "right",
        Grade::Near(_) => "near",
        Grade::Wrong => "wrong",
    });
    // Line 14 is a comment, and line 12 is blank.
    assert_eq!(grades, ["right", "right", "right", "wrong", "wrong", "near", "wrong"]);
    let mut quiz = asked();
    for (picked, seen) in [(12, 11), (11, 11), (14, 13)] {
        update(&mut quiz, Action::Open(name("recent-pages")));
        update(&mut quiz, Action::Pick(line(picked)));
        let picks: Vec<LineNo> = quiz.sitting().unwrap().picks().to_vec();
        assert_eq!(picks.last(), Some(&line(seen)));
    }
    assert_eq!(quiz.sitting().unwrap().picks(), [line(11), line(13)]);
    let mut other = question.clone();
    other.spot.ask = fencepost::content::question::Ask::Line;
    assert_eq!(grade(&other, line(14)), Grade::Wrong);
    assert_ne!(stamp::hash(&other), stamp::hash(&question), "the proofs are others");
}

#[test]
fn the_quiz_says_where_the_step_is_missing() {
    let answers = "{\"question\": \"recent-pages\", \"lines\": [8, 15]}\n";
    let requests = "{\"type\": \"question\", \"question\": \"recent-pages\"}\n";
    let home = home(&[]).with("wrong.jsonl", answers).with("right.jsonl", answers.replace("8, ", ""));
    sessions!(home.with("none.jsonl", "").with("requests", requests), @r#"
    $ fencepost --content packs quiz recent-pages --answers right.jsonl
    right    fixture/recent-pages: after line 15; the step is missing after line 15 or 13; score 1 of 1
             line 15 | page = self.pages.get(name, "")
             Only `put` moves a page to the end. A page that is read keeps its old
             place, so it is dropped before one that nobody read.

    Weights line=1,fix=0
    1 of 1 right (100 %), pass mark 100 %: passed
    --- exit 0

    $ fencepost --content packs quiz recent-pages --answers wrong.jsonl
    wrong    fixture/recent-pages: after line 8, then 15; the step is missing after line 15 or 13; score 0 of 1
             line 8 | self.pages[name] = page
             A new page goes to the end already, and the next line moves one that
             was there.

    Weights line=1,fix=0
    0 of 1 right (0 %), pass mark 100 %: not passed
    --- exit 1

    $ fencepost --content packs quiz recent-pages --answers wrong.jsonl --format tap
    TAP version 14
    1..1
    # fencepost quiz, format 1
    not ok 1 - fixture/recent-pages line
      ---
      result: "wrong"
      ask: "gap"
      chosen: 8
      code: "self.pages[name] = page"
      picks: [8,15]
      accepted: [15,13]
      why: "A new page goes to the end already, and the next line moves one that was there."
      score: 0
      of: 1
      suspicious: false
      points: null
      ...
    # quiz.format: 1
    # quiz.passed: false
    # quiz.score: 0
    # quiz.of: 1
    # quiz.percent: 0
    # quiz.right: 0
    # quiz.asked: 1
    # quiz.suspicious: false
    # quiz.pass_mark: 100
    # quiz.weights: {"line":1,"fix":0}
    # quiz.lenient: false
    # quiz.seed: null
    # quiz.partition: null
    # quiz.why_empty: null
    # quiz.problems: []
    # score 0 of 1 (0 %), pass mark 100 %: not passed
    --- exit 1

    $ fencepost --content packs quiz recent-pages --blank
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

    # 1 of 1: The page that was read a moment ago
    # Caching, junior
    #
    # The cache holds the two pages that were used last. A page that was read a moment ago is dropped.
    # After which line is a step missing?
    # Pick the line after which a step is missing.
    #
    #    1  from collections import OrderedDict
    #    2
    #    3  class Recent:
    #    4      def __init__(self) -> None:
    #    5          self.pages = OrderedDict[str, str]()
    #    6
    #    7      def put(self, name: str, page: str) -> None:
    #    8          self.pages[name] = page
    #    9          self.pages.move_to_end(name)
    #   10          if len(self.pages) > 2:
    #   11              self.pages.popitem(last=False)
    #   12
    #   13      def get(self, name: str) -> str:
    #   14          # No page has an empty text.
    #   15          page = self.pages.get(name, "")
    #   16          return page
    #   17  recent = Recent()
    #   18  for name in "ab":
    #   19      recent.put(name, name.upper())
    #   20  print(recent.get("a"))
    #   21  recent.put("c", "C")
    #   22  print(list(recent.pages))
    [[answer]]
    question = "fixture/recent-pages"
    line = 0
    --- exit 0

    $ fencepost --content packs quiz recent-pages --serve-stdio < requests
    {"id":null,"type":"hello","format":1,"version":"0.1.0","questions":1}
    {"id":null,"type":"question","question":"fixture/recent-pages","title":"The page that was read a moment ago","topic":"Caching","level":"junior","prompt":"The cache holds the two pages that were used last. A page that was read a moment ago is dropped. After which line is a step missing?","ask":"gap","code":"from collections import OrderedDict\n\nclass Recent:\n    def __init__(self) -> None:\n        self.pages = OrderedDict[str, str]()\n\n    def put(self, name: str, page: str) -> None:\n        self.pages[name] = page\n        self.pages.move_to_end(name)\n        if len(self.pages) > 2:\n            self.pages.popitem(last=False)\n\n    def get(self, name: str) -> str:\n        # No page has an empty text.\n        page = self.pages.get(name, \"\")\n        return page\nrecent = Recent()\nfor name in \"ab\":\n    recent.put(name, name.upper())\nprint(recent.get(\"a\"))\nrecent.put(\"c\", \"C\")\nprint(list(recent.pages))\n","prints":"A\n['b', 'c']\n","hints":1,"hints_open":0,"picks":[],"answered":false}
    --- exit 0

    $ fencepost --content packs show recent-pages --answer
    The page that was read a moment ago
    Caching | junior | Python 3.11+
    Reviewed by fencepost on 2026-11-30
    Model: toy. A real cache holds more than two pages, and counts their bytes.

    Spot the bug
    ------------
    The cache holds the two pages that were used last. A page that was read a moment
    ago is dropped. After which line is a step missing?

    Pick the line after which a step is missing.

       1  from collections import OrderedDict
       2
       3  class Recent:
       4      def __init__(self) -> None:
       5          self.pages = OrderedDict[str, str]()
       6
       7      def put(self, name: str, page: str) -> None:
       8          self.pages[name] = page
       9          self.pages.move_to_end(name)
      10          if len(self.pages) > 2:
      11              self.pages.popitem(last=False)
      12
      13      def get(self, name: str) -> str:
      14          # No page has an empty text.
      15          page = self.pages.get(name, "")
      16          return page
      17  recent = Recent()
      18  for name in "ab":
      19      recent.put(name, name.upper())
      20  print(recent.get("a"))
      21  recent.put("c", "C")
      22  print(list(recent.pages))

    Hint 1 of 1: Which of the two methods says that a page was used?

    Answer
    ------
    after line 15: page = self.pages.get(name, "")
    after line 13: def get(self, name: str) -> str:

    Only `put` moves a page to the end. A page that is read keeps its old place, so
    it is dropped before one that nobody read.

    Tempting lines
    --------------
    - line 8: A new page goes to the end already, and the next line moves one that
      was there.

    The smallest repair
    -------------------
       1   from collections import OrderedDict
       2
       3   class Recent:
       4       def __init__(self) -> None:
       5           self.pages = OrderedDict[str, str]()
       6
       7       def put(self, name: str, page: str) -> None:
       8           self.pages[name] = page
       9           self.pages.move_to_end(name)
      10           if len(self.pages) > 2:
      11               self.pages.popitem(last=False)
      12
      13       def get(self, name: str) -> str:
      14           # No page has an empty text.
      15           page = self.pages.get(name, "")
         +         if name in self.pages:
         +             self.pages.move_to_end(name)
      16           return page
      17   recent = Recent()
      18   for name in "ab":
      19       recent.put(name, name.upper())
      20   print(recent.get("a"))
      21   recent.put("c", "C")
      22   print(list(recent.pages))

    A cache in which a read counts as a use
    ---------------------------------------
       1  from collections import OrderedDict
       2
       3  class Recent:
       4      def __init__(self) -> None:
       5          self.pages = OrderedDict[str, str]()
       6
       7      def put(self, name: str, page: str) -> None:
       8          self.pages[name] = page
       9          self.pages.move_to_end(name)
      10          if len(self.pages) > 2:
      11              self.pages.popitem(last=False)
      12
      13      def get(self, name: str) -> str:
      14          # No page has an empty text.
      15          page = self.pages.get(name, "")
      16          if page:
      17              self.pages.move_to_end(name)
      18          return page
      19  recent = Recent()
      20  for name in "ab":
      21      recent.put(name, name.upper())
      22  print(recent.get("a"))
      23  recent.put("c", "C")
      24  print(list(recent.pages))

    What they print
    ---------------
    buggy:
        A
        ['b', 'c']
    fixed:
        A
        ['a', 'c']

    Say it
    ------
    How does a cache choose the page to drop? (5 s)

    It drops the page that was used least recently. Both reading and writing are
    uses, so both move the page to the end.

    - Reads count as uses
    - Drop the oldest use

    Common mistakes
    ---------------
    - Counting only writes as uses.

    Senior take
    -----------
    Say what counts as a use before you choose the structure.

    Suggest a fix
    -------------
    https://example.org/issues (question `fixture/recent-pages`)
    --- exit 0
    "#);
}

#[test]
fn plain_mode_asks_for_the_gap() {
    let mut play = Play::of(asked(), "recent-pages");
    play.types(&["spot", "8", "14", "undo", "answer"]);
    insta::assert_snapshot!(play.since(), @r#"
    > spot
    Stage Spot. Type the number of the line after which a step is missing. `hint`
    tells a hint. `help` says what else.
    > 8
    Not right: no step is missing after line 8 of 22.
    A new page goes to the end already, and the next line moves one that was there.
    > 14
    Right: the step is missing after line 13 of 22. It took 2 picks.
    Only `put` moves a page to the end. A page that is read keeps its old place, so
    it is dropped before one that nobody read.
    The smallest repair:
    Added, after line 15, indent 8: if name in self.pages:
    Added, after line 15, indent 12: self.pages.move_to_end(name)
    `run` runs both programs, `fix` repairs the program, `say` practises the answer,
    `learn` tells more.
    > undo
    Taken back.
    Stage Spot. Type the number of the line after which a step is missing. `hint`
    tells a hint. `help` says what else.
    > answer
    The step is missing after line 15 of 22: page = self.pages.get(name, "")
    The step is missing after line 13 of 22: def get(self, name: str) -> str:
    Only `put` moves a page to the end. A page that is read keeps its old place, so
    it is dropped before one that nobody read.
    The smallest repair:
    Added, after line 15, indent 8: if name in self.pages:
    Added, after line 15, indent 12: self.pages.move_to_end(name)
    `run` runs both programs, `fix` repairs the program, `say` practises the answer,
    `learn` tells more.
    "#);
}

#[test]
fn the_gap_is_marked_below_the_line() {
    snapshot("gap", asked, |screen| {
        screen.press("<enter>15");
    });
}

#[test]
fn a_gap_that_was_found() {
    snapshot("gap-found", asked, |screen| {
        screen.press("<enter>8<enter>15<enter>");
    });
}

#[test]
fn a_wrong_gap() {
    for size in SIZES {
        let mut screen = Screen::new(asked(), size);
        screen.press("<enter>3<enter>").shows("No step is missing after line 3. Try another one.");
        screen.tell([Action::GiveUp]).press("<end>");
        assert!(screen.whole().contains("The step is missing after line 15 or 13."));
    }
}

#[test]
fn the_editor_opens_in_the_gap() {
    let mut screen = Screen::new(asked(), (80, 24));
    screen.press("<enter>15<tab><tab>i<enter>if name in self.pages:<enter>self.pages.move_to_end(name)");
    let sitting = screen.ui.quiz.sitting().unwrap();
    assert_eq!((sitting.stage(), sitting.repair().text()), (Stage::Fix, question().repaired().as_str()));
}
