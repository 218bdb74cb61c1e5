//! Screens of the stage Fix; keys in its editor are text.

use std::collections::HashMap;

use fencepost::quiz::Action;
use fencepost::quiz::repair::{Draft, Repairs};
use fencepost::quiz::state::Stage;
use fencepost::runner::{CheckOutcome, Level, Stream, Verdict};
use fencepost::tui::ui::Response;
use ratatui::crossterm::event::MouseEventKind;

use crate::cases::each;
use crate::fixtures::{checked, ended, late_label, name, quiz, sandbox, shelf, strangers, wrote};
use crate::screens::{SIZES, Screen, snapshot};

fn two() -> fencepost::quiz::Quiz {
    quiz(vec![shelf(), late_label()])
}

const NAME: &str = "an old ticket changes nothing";

/// Opens the first question at the stage Fix.
fn open(screen: &mut Screen) {
    screen.press("<enter><tab><tab>");
}

/// Puts the model's comparison into the program, as one would type it: line 7 goes, three lines come.
fn type_a_repair(screen: &mut Screen) {
    screen.press("i<down><down><down><down><down><down><end><enter>if ticket < self.newest:<enter>return");
}

/// The checks of the run come to their end.
fn went(screen: &mut Screen, run: u64, result: CheckOutcome, message: &str) {
    screen.tell([
        wrote(run, Stream::Stdout, "from new leader\n"),
        checked(run, NAME, result, message),
        ended(run, Verdict::Finished, "ran to its end"),
    ]);
}

#[test]
fn the_stage_before_anything_is_done() {
    snapshot("fix", two, open);
}

#[test]
fn editing() {
    snapshot("fix-editing", two, |screen| {
        open(screen);
        type_a_repair(screen);
    });
}

#[test]
fn checks_that_failed() {
    snapshot("fix-failed", two, |screen| {
        open(screen);
        type_a_repair(screen);
        screen.press("<esc><c-s>");
        went(screen, 1, CheckOutcome::Failed, "AssertionError: the label is 'from paused old leader'");
    });
}

#[test]
fn a_program_that_hangs() {
    snapshot("fix-hangs", two, |screen| {
        open(screen);
        screen.press("r");
        screen.tell([ended(1, Verdict::TimedOut, "stopped after 2.0 s")]);
    });
}

#[test]
fn a_program_that_tampers() {
    snapshot("fix-tampers", two, |screen| {
        open(screen);
        screen.press("r");
        screen.tell([ended(1, Verdict::Tampered, "uses `gc`, which can reach into the interpreter that checks it")]);
    });
}

#[test]
fn a_repair_that_passes_before_the_line_is_known() {
    snapshot("fix-passed", two, |screen| {
        open(screen);
        type_a_repair(screen);
        screen.press("<esc>r");
        went(screen, 1, CheckOutcome::Passed, "");
    });
}

#[test]
fn a_repair_that_passes_beside_the_smallest_and_the_model() {
    snapshot("fix-compared", two, |screen| {
        screen.press("<enter>8<enter><tab><tab>");
        type_a_repair(screen);
        screen.press("<esc>r");
        went(screen, 1, CheckOutcome::Passed, "");
        // Down to the diffs.
        screen.press("<end>");
    });
}

#[test]
fn the_question_before_a_reset() {
    snapshot("fix-reset", two, |screen| {
        open(screen);
        type_a_repair(screen);
        screen.press("<esc>x");
    });
}

#[test]
fn a_strangers_checks() {
    snapshot(
        "fix-stranger",
        || strangers(vec![shelf()]),
        |screen| {
            screen.tell([sandbox(Level::LimitsOnly)]).press("<enter><tab><tab>r");
        },
    );
}

#[test]
fn an_answer_that_was_taken_back() {
    snapshot("spot-undone", two, |screen| {
        screen.press("<enter>7<enter>8<enter>u");
    });
}

#[test]
fn a_repair_that_moves_a_line() {
    snapshot("spot-moved", two, |screen| {
        screen.press("<down><enter>20<enter><home><pagedown>");
    });
}

#[test]
fn the_keys_of_the_editor() {
    snapshot("fix-help", two, |screen| {
        open(screen);
        screen.press("i<f1>");
    });
}

#[test]
fn every_key_that_writes_a_character_writes_it() {
    let mut screen = Screen::new(two(), (80, 24));
    open(&mut screen);
    screen.press("i<home>");
    let all: String = (' '..='~').filter(|c| *c != '<').collect();
    screen.press(&all).press("<enter>");
    let text = screen.ui.quiz.sitting().unwrap().repair().text().to_owned();
    assert_eq!(text.lines().next(), Some(all.as_str()));
    // Outside of the editor none of them does.
    screen.press("<esc>");
    for c in (' '..='~').filter(|c| !matches!(c, 'i' | 'x' | 'b' | 'e' | 'q' | '<' | '[' | ']')) {
        screen.press(&c.to_string());
        if screen.ui.help {
            screen.press("?");
        }
    }
    assert_eq!(screen.ui.quiz.sitting().unwrap().repair().text(), text);
}

#[test]
fn keys_that_command_elsewhere_are_text_or_nothing_in_the_editor() {
    let mut screen = Screen::new(two(), (80, 24));
    open(&mut screen);
    screen.press("i<f1>").shows("In the editor").press("<f1>").shows("Esc leave");
    screen.press("q<tab>]").shows("[Fix]").shows("q   ]class Shelf").shows("Esc leave");
    screen.press("<c-z>").shows("q   class").press("<c-z><c-z>").shows("1  class").hides("Changed");
    screen.press("<c-y>").shows("qclass Shelf");
    // Only Esc and Ctrl-C lead out, and neither leaves the program.
    screen.press("<c-c>").shows("i edit").press("i").shows("Esc leave").press("<esc>").shows("qclass Shelf");
}

#[test]
fn a_paste_is_text_in_the_editor_and_nothing_elsewhere() {
    let mut screen = Screen::new(two(), (80, 24));
    open(&mut screen);
    assert_eq!(screen.ui.paste("q"), Response::Nothing);
    screen.press("i");
    let response = screen.ui.paste("a = 1\r\n\u{1b}[2Jq\n");
    screen.response(response);
    screen.shows("1  a = 1").shows("2  [2Jq").shows("3  class Shelf").shows("line 3, column 1");
    screen.press("<c-z>").shows("1  class Shelf").hides("a = 1");
    let response = screen.ui.paste(&"x".repeat(64 << 10));
    assert_eq!(response, Response::Draw);
    screen.shows("! A program may have 64 KiB here").press("<right>").hides("64 KiB");
}

#[test]
fn the_cursor_of_the_editor_stays_in_sight() {
    each(SIZES, |size| {
        let mut screen = Screen::new(two(), size);
        screen.press("<down>");
        open(&mut screen);
        screen.press("i");
        for line in 1..=22 {
            screen.shows(&format!("▸ {line:>2} "));
            let cursor = screen.ui.drawn.cursor.expect("the cursor is in sight");
            assert_eq!(cursor.x, 7);
            screen.press("<down>");
        }
        for line in (1..=22).rev() {
            screen.shows(&format!("▸ {line:>2} ")).press("<up>");
        }
    });
}

/// Keys that lead to each page, and whether the page is the editor's.
const PAGES: [(&str, bool); 16] = [
    ("", false),
    ("?", false),
    ("<enter>", false),
    ("<enter>h7<enter>", false),
    ("<enter>8<enter>", false),
    ("<enter>8<enter>?", false),
    ("<enter><tab>", false),
    ("<enter>8<enter><tab>", false),
    ("<enter><tab><tab>", false),
    ("<enter><tab><tab>?", false),
    ("<enter><tab><tab>i", true),
    ("<enter><tab><tab>ix<esc>x", false),
    ("<enter><tab><tab><tab>", false),
    ("<enter><tab><tab><tab><enter>", false),
    ("<enter>8<enter><tab><tab><tab><enter><enter>", false),
    ("<enter>8<enter>[", false),
];

#[test]
fn every_page_can_be_read_from_its_first_row_to_its_last() {
    each(SIZES, |size| {
        for (keys, editor) in PAGES {
            let mut screen = Screen::new(two(), size);
            screen.press(keys);
            let mut seen = std::collections::BTreeSet::new();
            // A page at a time, from the top.
            if editor {
                screen.press("<c-home>");
            }
            // As often as it takes, and once more for the cursor of an editor.
            let times = screen.ui.drawn.total / screen.ui.drawn.height.saturating_sub(1).max(1) + 2;
            for _ in 0..times {
                screen.press("<pageup>");
            }
            for _ in 0..times {
                let drawn = &screen.ui.drawn;
                seen.extend(drawn.offset..(drawn.offset + drawn.height).min(drawn.total));
                screen.press("<pagedown>");
            }
            // Below the text of an editor there is what the mouse reaches.
            for _ in 0..screen.ui.drawn.total.div_ceil(3) {
                screen.mouse(MouseEventKind::ScrollDown, 5, 5);
                let drawn = &screen.ui.drawn;
                seen.extend(drawn.offset..(drawn.offset + drawn.height).min(drawn.total));
            }
            let total = screen.ui.drawn.total;
            assert!(seen.iter().copied().eq(0..total), "{keys} at {size:?}: {} of {total} rows", seen.len());
        }
    });
}

#[test]
fn a_click_puts_the_cursor_into_the_program() {
    let mut screen = Screen::new(two(), (80, 24));
    open(&mut screen);
    screen.click("newest = 0").shows("Esc leave").shows("line 3, column 14");
    screen.press("x").shows("self.xnewest = 0").click("Run").shows("[Run]");
    // Back in the stage, keys are commands again.
    screen.click("Fix").shows("i edit").shows("self.xnewest");
    // In a long line that takes several rows too.
    let mut screen = Screen::new(two(), (40, 12));
    open(&mut screen);
    screen.press("i<down><down><down><down><down>").click("label: str");
    assert_eq!(screen.ui.open_editor().unwrap().cursor(), (5, 31));
}

#[test]
fn the_text_that_was_there_before_goes_on() {
    let mut screen = Screen::new(two().while_remembering(), (80, 24));
    open(&mut screen);
    screen.shows("still being read").press("i").shows("still being read");
    let draft = Draft { text: "mine = 1\n".to_owned(), base: "old\n".to_owned(), earlier: None };
    let drafts = HashMap::from([(name("stale-ticket"), draft)]);
    screen.tell([Action::Repairs(Repairs { drafts, ..Repairs::default() })]).shows("mine = 1").hides("class Shelf");
    screen.shows("The question's program has changed since you began this text.");
    screen.press("x").shows("Begin again with the buggy program?").press("n").shows("mine = 1");
    screen.press("xy").shows("class Shelf").hides("has changed").shows("b bring back");
    screen.press("b").shows("mine = 1").press("b").shows("class Shelf");
}

#[test]
fn the_result_of_another_editor_is_said() {
    let mut screen = Screen::new(two(), (80, 24));
    open(&mut screen);
    let question = name("stale-ticket");
    let edited = |text: &str| Action::Edited {
        question: question.clone(),
        text: text.to_owned(),
        path: "/data/\u{1b}drafts/x.py".to_owned(),
        aside: Some("/data/x.py.kept-1".to_owned()),
    };
    screen
        .tell([edited("a = 1\n")])
        .shows("Your text comes from /data/␛drafts/x.py.")
        .shows("in /data/x.py.kept-1 now");
    screen.tell([edited("a = 1\n")]).shows("as it was.").shows("`code --wait`");
    let why = "there is no editor `nope`".to_owned();
    screen.tell([Action::NotEdited { question, why }]).shows("Not edited: there is no editor `nope`.");
}

#[test]
fn the_library_shows_what_was_repaired_and_taken_back() {
    let mut screen = Screen::new(two(), (80, 24));
    open(&mut screen);
    screen.press("r");
    went(&mut screen, 1, CheckOutcome::Passed, "");
    screen.tell([Action::Go(Stage::Spot)]).press("8<enter>q").shows("✓ found, fixed").shows("shelves/stale-ticket");
    screen
        .press("<enter>u")
        .shows("Your last answer is taken back.")
        .press("q")
        .hides("found")
        .hides("shelves")
        .shows("repaired");
    // Where the column has no room for it, the row below the list has.
    let mut screen = Screen::new(screen.ui.quiz.clone(), (40, 12));
    screen.shows(" repaired · senior").hides("shelves");
}
