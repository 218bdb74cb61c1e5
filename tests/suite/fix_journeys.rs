//! Journeys through the stage Fix with the program itself, in a pseudo-terminal: real programs, real checks, a real
//! database, and editors that are scripts.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::fs;

use fencepost::progress::store::Store;
use fencepost::quiz::time::Timestamp;

use crate::command::Home;
use crate::pty::{Pty, Start};

/// The program at a question of the small pack, in the stage Fix.
fn fixing(home: &Home, editor: Option<&str>) -> Pty {
    let mut start = home.terminal("--content packs --data-dir data play small");
    if let Some(editor) = editor {
        start = start.env("EDITOR", editor);
    }
    let mut pty = start.pty();
    pty.until("Enter answer").keys("\t\t").until("i edit");
    pty
}

/// An editor that is a script.
fn script(home: &Home, text: &str) -> String {
    home.script("editor.sh", text).display().to_string()
}

/// An editor that writes this program.
fn writes(home: &Home, program: &str) -> String {
    let program = home.write("program.py", program).display().to_string();
    script(home, &format!("cp '{program}' \"$1\""))
}

#[track_caller]
fn leave(mut pty: Pty) {
    pty.keys("q").until("Last time").keys("q");
    assert_eq!(pty.end(), 0, "{}", pty.screen());
    pty.is_restored();
}

const DOWN: &str = "\x1b[B";
const END: &str = "\x1b[F";

#[test]
fn a_wrong_repair_fails_and_a_right_one_that_is_not_the_models_passes() {
    let home = Home::new();
    let mut pty = fixing(&home, None);
    // "range(len(numbers) - 1)" becomes "range(len(numbers) - 2)".
    pty.keys(&format!("i{DOWN}{DOWN}{END}\x7f\x7f\x7f2):")).until("line 3, column 38").keys("\x13");
    pty.until("× The check did not pass: every number counts.").until("Esc leave").keys("\x1b");
    pty.until("× failed every number counts").until("add up to").until("Your program wrote");
    // Undone, then "range(0, len(numbers))", while a check of the old text may still run.
    pty.keys("i\x1a\x1a").until("Changed since");
    let backspaces = "\x7f".repeat("len(numbers) - 1):".len());
    pty.keys(&backspaces).keys("0, len(numbers)):\x13").until("✓ Repaired: the check passed.");
    pty.keys("\x1b").until("✓ passed every number counts").keys(END).until("Your repair");
    pty.until("+ for i in range(0, len(numbers)):")
        .until("Name the line in the stage Spot")
        .until_not("smallest repair +");
    // Once the line is known, the others stand beside it.
    pty.resize(120, 40).keys("[[").until("Enter answer").keys("3\r").until("Right, with the first pick").keys("\t\t");
    pty.keys(END).until("Your repair").until("The smallest repair").until("The fixed program: A sum without counting");
    pty.until("+ return sum(numbers)");
    pty.resize(80, 24).keys("q").until("✓ found, fixed").keys("q");
    assert_eq!(pty.end(), 0);
}

#[test]
fn printing_the_right_text_fails() {
    let home = Home::new();
    let mut pty = fixing(&home, Some(&writes(&home, "print(6)\n")));
    pty.keys("e")
        .until("× The check did not pass: every number counts.")
        .until("NameError")
        .until("Your program wrote");
    // So does taking the function away but for its name.
    writes(&home, "def total(numbers):\n    return 6\n\n\nprint(total([1, 2, 3]))\n");
    pty.keys("e").until("0 ones add up to 6").until("× failed every number counts");
    leave(pty);
}

#[test]
fn a_repair_that_never_ends_gets_its_verdict() {
    let home = Home::new();
    let mut pty = fixing(&home, Some(&writes(&home, "while True:\n    pass\n")));
    pty.keys("e").until("× It ran out of time.").until("stopped after 2").until("Checks");
    writes(&home, "while True:\n    print('x' * 1000)\n");
    pty.keys("e").until("× It wrote more than is kept.");
    writes(&home, "def total(:\n");
    pty.keys("e").until("× It ended with an exception.").until("SyntaxError");
    // A check can be stopped, and the keys answer meanwhile.
    writes(&home, "while True:\n    pass\n");
    pty.keys("e")
        .until("Checking.")
        .keys("?")
        .until("Stop the checks")
        .keys("?")
        .keys("\x03")
        .until("The checks were stopped.");
    leave(pty);
}

#[test]
fn an_editor_gets_the_terminal_and_a_file_of_its_own() {
    let home = Home::new();
    // The editor tells what it sees, waits for a line, and is not disturbed by Ctrl-C, nor are we.
    let editor = script(
        &home,
        "trap 'echo not now' INT\n\
         stat -c 'mode %a' \"$2\"\n\
         echo \"ready with $1\"\n\
         until read line; do :; done\n\
         sed -i 's/ - 1//' \"$2\"",
    );
    let mut pty = fixing(&home, Some(&format!("{editor} --wait")));
    pty.keys("e").until("ready with --wait").until("mode 600").until("data/drafts/fixture/small.py");
    pty.is_restored();
    pty.keys("\x03").until("not now").keys("go on\r");
    pty.until("✓ Repaired: the check passed.").until("✓ passed every number counts");
    pty.keys("g").until("Your text comes from").keys("\t").until("Nothing is recorded").keys("[").until("i edit");
    leave(pty);
    assert!(!home.path().join("data/drafts/fixture/small.py").exists(), "what came back is in the database");
}

#[test]
fn text_from_an_editor_stays_in_its_file_where_it_cannot_be_saved() {
    let home = Home::new();
    fs::create_dir_all(home.path().join("data/progress.db")).unwrap();
    let mut pty = fixing(&home, Some(&writes(&home, "mine = 1\n")));
    pty.keys("e").until("mine = 1").until("! Not saved: ").keys("q").until("Last time").keys("q");
    assert_eq!(pty.end(), 4, "{}", pty.screen());
    pty.until("what your editor left is still in");
    assert_eq!(fs::read_to_string(home.path().join("data/drafts/fixture/small.py")).unwrap(), "mine = 1\n");
}

#[test]
fn an_editor_that_fails_leaves_the_text_alone() {
    let home = Home::new();
    let mut pty = fixing(&home, None);
    pty.keys("e").until("Neither `$VISUAL` nor `$EDITOR` names an editor.");
    leave(pty);
    let mut pty = fixing(&home, Some("no-such-editor-anywhere --wait"));
    pty.keys("e").until("there is no editor `no-such-editor-anywhere --wait`").until("def total");
    leave(pty);
    let mut pty = fixing(&home, Some(&script(&home, "echo 'x = 1' > \"$1\"; stty raw -echo; exit 3")));
    pty.keys("e").until("ended with status 3").until("def total").until_not("x = 1");
    leave(pty);
    // What it wrote is not lost: the next one puts it aside.
    let mut pty = fixing(&home, Some("true"));
    pty.keys("e").until("as it was").until("small.py.kept-1");
    leave(pty);
    assert_eq!(fs::read_to_string(home.path().join("data/drafts/fixture/small.py.kept-1")).unwrap(), "x = 1\n");
}

#[test]
fn a_signal_ends_the_editor_and_then_us() {
    let home = Home::new();
    let mut pty = fixing(&home, Some(&script(&home, "echo ready; exec sleep 1000")));
    pty.keys("ix").until("xdef total").keys("\x1b").until("i edit").keys("e").until("ready").signal("TERM");
    assert_eq!(pty.end(), 143, "{}", pty.screen());
    pty.is_restored();
    let mut pty = fixing(&home, None);
    pty.until("xdef total");
    leave(pty);
}

#[test]
fn the_shell_is_one_key_away_from_an_editor_too() {
    let home = Home::new();
    let editor = script(&home, "echo ready; until read line; do :; done; echo 'mine = 1' > \"$1\"");
    let [packs, data] = ["packs", "data"].map(|name| home.path().join(name).display().to_string());
    let mut pty = Start::new("/bin/sh".as_ref()).args(["-i"]).env("PS1", "$ ").env("EDITOR", &editor).pty();
    let program = env!("CARGO_BIN_EXE_fencepost");
    pty.until("$").keys(&format!("'{program}' --content '{packs}' --data-dir '{data}' play small\r"));
    // The terminal itself stops a process that is just being started, which then holds its parent, so the interpreter has to
    // be there first.
    pty.until("Enter answer").keys("\t\t").until("i edit").keys("r").until("The check did not pass");
    pty.keys("e").until("ready").keys("\x1a").until("Stopped");
    pty.is_restored();
    // A key that is typed while the shell takes the terminal back can be lost: this one may be.
    pty.keys("\r").keys("echo back $((40+2))\r").until("back 42").keys("fg\r").until("play small").keys("go on\r");
    pty.until("mine = 1").until("i edit").keys("q").until("Last time").keys("q").until("$").keys("exit\r");
    pty.end();
}

#[test]
fn a_text_outlives_the_program_and_a_reset() {
    let home = Home::new();
    let mut pty = fixing(&home, None);
    pty.keys("i# mine\r").until("line 2, column 1");
    // However it ends.
    pty.signal("TERM");
    assert_eq!(pty.end(), 143);
    let mut pty = fixing(&home, None);
    pty.until("# mine").keys("x").until("Begin again with the buggy program?").keys("n").until("# mine");
    pty.keys("xy").until_not("# mine").until("def total");
    leave(pty);
    let mut pty = fixing(&home, None);
    pty.until_not("# mine").keys("b").until("# mine").keys("ohm").until("# mine");
    leave(pty);
    let store = Store::open(&home.path().join("data/progress.db"), Timestamp(0)).unwrap().store;
    let drafts = store.repairs().unwrap().drafts;
    let texts: Vec<_> = drafts.values().map(|draft| draft.text.lines().next().unwrap_or_default()).collect();
    assert_eq!(texts, ["# mine"]);
}

#[test]
fn an_answer_that_was_taken_back_is_so_in_the_next_quiz() {
    let home = Home::new();
    let mut pty = fixing(&home, None);
    pty.keys("[[")
        .until("Enter answer")
        .keys("2\r")
        .until("Line 2 is not the bug")
        .keys("3\r")
        .until("It took 2 picks");
    pty.keys("u").until("Your last answer is taken back.").keys("u").keys("q").until("Last time").keys("q");
    assert_eq!(pty.end(), 0);
    let store = Store::open(&home.path().join("data/progress.db"), Timestamp(0)).unwrap().store;
    assert_eq!((store.count().unwrap(), store.last_results().unwrap().len()), (4, 0));
}
