//! The parts of a quiz that only a terminal shows: the questions that it asks, the bar of a batch and plain lines.
#![cfg(unix)]

use std::path::Path;

use crate::command::Home;
use crate::pty::Pty;

fn fencepost(home: &Home, term: &str, args: &str) -> Pty {
    home.terminal(&format!("--content packs {args}")).env("TERM", term).pty()
}

#[test]
fn the_quiz_asks_line_by_line_where_there_are_no_answers() {
    let home = Home::new();
    let mut asked = fencepost(&home, "xterm", "quiz small fencing-tokens tax-by-region");
    asked.until("Question 1 of 3. Line, 1 to 8, or Enter to skip it:").keys("9\r");
    asked.until("There is no line 9; the program has 8 lines.").keys("help\r");
    asked.until("Ctrl-C: leave at once. Nothing is graded.").keys("3\r");
    asked.until("Question 2 of 3. Line, 1 to 15").keys("\r");
    // The end of the input leaves out the rest.
    asked.until("Line, 1 to 18").keys("\u{4}");
    asked.until("1 question counts as not answered.");
    asked.until("1 of 3 right (33 %), pass mark 100 %: not passed");
    assert_eq!(asked.end(), 1);
}

/// Lines alone could not pass, so the quiz does not ask for them.
#[test]
fn a_terminal_asks_nothing_that_cannot_be_passed() {
    let home = Home::new();
    let args = "quiz small --weights line=1,fix=1";
    let mut refused = fencepost(&home, "xterm", args);
    refused.until("right lines alone score 1 of 2, and 100 % pass").until("`--answers FILE` grades it");
    assert_eq!(refused.end(), 2);
    assert!(!refused.screen().contains("Question 1"), "{}", refused.screen());
    let mut asked = fencepost(&home, "xterm", &format!("{args} --pass-mark 50"));
    asked.until("Question 1 of 1").keys("3\r").until("score 1 of 2 (50 %), pass mark 50 %: passed");
    assert_eq!(asked.end(), 0);
}

/// Ctrl-C ends the quiz as it ends any program, and says that nothing came of it.
#[test]
fn an_interrupted_quiz_grades_nothing() {
    let home = Home::new();
    let mut asked = fencepost(&home, "dumb", "quiz small");
    asked.until("Line 8 of 8: print(total([1, 2, 3]))").until("skip it:").keys("\u{3}");
    asked.until("Interrupted. Nothing was graded.");
    assert_eq!(asked.end(), 1, "a program that a signal ended has no exit code of its own");
    assert!(!asked.screen().contains("pass mark"), "{}", asked.screen());
}

#[test]
fn a_dumb_terminal_gets_plain_lines_and_a_prompt() {
    let home = Home::new();
    let mut plain = fencepost(&home, "dumb", "play small");
    plain.until("Spot:").keys("3\r").until("Right: line 3 of 8 is the bug. It took one pick.");
    plain.keys("say\r").until("Type `start`, then speak").keys("start\r");
    plain.until("Time is up.").until("Say, the checklist:").keys("quit\r");
    assert_eq!(plain.end(), 0);
}

#[test]
fn ctrl_d_leaves_also_as_the_first_key() {
    let home = Home::new();
    let mut plain = fencepost(&home, "dumb", "play small");
    plain.until("Spot:").keys("\x04");
    assert_eq!(plain.end(), 0);
}

/// Plain lines at the moment at which this editor takes the terminal.
fn in_editor(home: &Home, editor: &Path) -> Pty {
    let start = home.terminal("play --plain fencing-tokens");
    let mut plain = start.env("EDITOR", &format!("sh {}", editor.display())).pty();
    plain.until("Spot:").keys("fix\r").until("Check 3").keys("edit\r");
    plain
}

/// Ctrl-C ends the lines as it ends any program, but not while an editor has the terminal.
#[test]
fn ctrl_c_belongs_to_the_editor_while_it_has_the_terminal() {
    let home = Home::new();
    let editor = home.write("editor.sh", "trap 'echo interrupted; exit 0' INT\necho ready\nread line\n");
    let mut plain = in_editor(&home, &editor);
    plain.until("ready").keys("\u{3}");
    plain.until("interrupted").until("The text did not change.").until("1 of 4 checks did not pass.");
    plain.keys("\u{3}");
    assert_eq!(plain.end(), 1, "a program that a signal ended has no exit code of its own");
}

/// The next line is the editor's while it has the terminal, and the one after it is the tutor's again.
#[test]
fn an_editor_has_the_terminal_for_itself() {
    let home = Home::new();
    let editor = home.write("editor.sh", "echo 'which word?'\nread word\necho \"the editor read $word\"\n");
    let mut plain = in_editor(&home, &editor);
    plain.until("which word?").keys("help\r");
    plain.until("the editor read help").until("1 of 4 checks did not pass. Fix:").keys("quit\r");
    assert_eq!(plain.end(), 0);
}

#[test]
fn a_batch_shows_how_far_it_is() {
    let home = Home::new();
    for n in 0..12 {
        home.write(&format!("class/l{n:02}.toml"), "format = 1\n");
    }
    let mut batch = fencepost(&home, "xterm", "quiz small --answers class --pass-mark 0");
    batch.until("12 of 12 passed");
    assert_eq!(batch.end(), 0);
    let screen = batch.screen();
    assert!(!screen.contains("[####"), "the bar is gone when the work is done: {screen}");
}
