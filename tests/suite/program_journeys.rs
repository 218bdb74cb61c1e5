//! Journeys through the program itself in a real pseudo-terminal, with its own runner, questions and files.

use crate::command::{Home, PACK, SMALL};
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
use crate::pty::Pty;

/// The program itself, at the question `small` of a pack that did not come with it.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn stranger(home: &Home, options: &str) -> Pty {
    let mut pty = home.terminal(&format!("--content packs --data-dir data {options} play small")).pty();
    pty.until("Enter answer").keys("\tr").until("What will the buggy program print?").keys("\r");
    pty
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_strangers_program_is_asked_about_where_nothing_contains_it() {
    let home = Home::new();
    let mut pty = stranger(&home, "--without landlock,seccomp");
    pty.until("Run a stranger's programs?").until("level limits_only and lacks").keys("n").until("not run yet");
    pty.keys("r").until("Run a stranger's programs?").keys("y").until("sandbox limits_only").keys("q").keys("q");
    assert_eq!(pty.end(), 0);
    let mut trusted = stranger(&home, "--without landlock,seccomp --trust-pack fixture");
    trusted.until("sandbox limits_only").keys("qq");
    assert_eq!(trusted.end(), 0);
    let mut contained = stranger(&home, "--without landlock");
    contained.until("sandbox no_landlock").keys("qq");
    assert_eq!(contained.end(), 0);
}

/// The screens follow every save, whether an editor writes into the file or puts another one in its place.
#[test]
fn a_preview_follows_the_file() {
    let home = Home::empty().with("pack/pack.toml", PACK);
    let pack = home.path().join("pack");
    let file = pack.join("small.toml");
    let small = SMALL;
    std::fs::write(&file, "format = 1\n").unwrap();
    let mut pty = home.terminal("--data-dir data author preview pack/small.toml").pty();
    pty.until("The file is no question yet").until("error[missing_key] 1:1");
    std::fs::write(&file, small).unwrap();
    pty.until("The sum that forgets").until("Not proved here").until("Enter answer").keys("jjj");
    let beside = pack.join(".small.toml.swp");
    std::fs::write(&beside, small.replace("forgets its last", "loses its last")).unwrap();
    std::fs::rename(&beside, &file).unwrap();
    pty.until("The sum that loses").until("▸ 4");
    std::fs::write(&file, small.replace("\"junior\"", "\"juniro\"")).unwrap();
    pty.until("Not sound, so shown as it last was").until("did you mean `junior`?").until("The sum that loses");
    // A proof that fails spoils the question, but not the sight of it.
    std::fs::write(&file, small.replace("\"\"\"\n6\n", "\"\"\"\n3\n").replace("forgets its last", "skips its last"))
        .unwrap();
    pty.until("Not sound. `fencepost").until("error[same_output]").until("The sum that skips");
    std::fs::remove_file(&file).unwrap();
    pty.until("error[unreadable]");
    std::fs::create_dir(&file).unwrap();
    pty.until("error[no_question]").until("it is a folder");
    std::fs::remove_dir(&file).unwrap();
    pty.until("error[unreadable]");
    std::fs::write(&file, small).unwrap();
    pty.until_not("error[unreadable]").until("The sum that forgets").until("▸ 4");
    // The folder goes and comes back, or another one comes in its place.
    std::fs::rename(&pack, home.path().join("moved")).unwrap();
    pty.until("error[unreadable]").until("The sum that forgets");
    std::fs::create_dir(&pack).unwrap();
    std::fs::write(&file, small.replace("forgets its last", "drops its last")).unwrap();
    pty.until_not("error[unreadable]").until("The sum that drops");
    std::fs::remove_dir_all(&pack).unwrap();
    pty.until("error[unreadable]");
    std::fs::rename(home.path().join("moved"), &pack).unwrap();
    pty.until_not("error[unreadable]").until("The sum that forgets").until("▸ 4").keys("qq");
    assert_eq!(pty.end(), 0);
    pty.is_restored();
}

/// The program itself at a built-in question, whose answer was given up.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn at_built_in(home: &Home, question: &str) -> Pty {
    let mut pty = home.terminal(&format!("--data-dir data play {question}")).pty();
    pty.until("Enter answer").keys("a").until("o start over").keys("\tr").until("What will the buggy program print?");
    pty.keys("\r").until("the buggy program prints");
    pty
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn the_pause_is_played_to_the_stale_write() {
    let home = Home::new();
    let mut pty = at_built_in(&home, "fencing-tokens");
    pty.keys("v").until("Press Space to play the first row.").until_not("gives");
    pty.keys(" ").until("Row 1 of 7").until("both gives 33").until("lease.holder = 'old leader'");
    pty.keys(" ").until("nothing changes").until("is paused just before it saves");
    pty.keys(" ").until("gives 'expired'").until("lease.holder = 'nobody'");
    pty.keys(" ").until("gives 34").until("lease.holder = 'new leader'");
    pty.keys(" ")
        .until("both gives 'True, stored: newer")
        .until("store.report = 'newer report'")
        .until_not("part here");
    pty.keys(" ")
        .until("buggy gives 'False, stored: older")
        .until("fixed gives 'False, stored: newer")
        .until("The programs part here.");
    pty.keys(" ").until("buggy gives 'older report'").until("fixed gives 'newer report'");
    // Back to the beginning, and out.
    pty.keys("g").until("Row 1 of 7, all played. The programs part in row 6.").keys("qq");
    assert_eq!(pty.end(), 0);
    pty.is_restored();
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_program_is_stepped_back_and_forth() {
    let home = Home::new();
    let mut pty = at_built_in(&home, "fencing-tokens");
    pty.keys("t").until("Buggy program, step 1 of 26: it begins").until_not("r stop");
    // To the first write, to the stale one, and back.
    pty.keys("8l").until("step 15 of 26: line 8 comes next").until("text = 'newer report'");
    pty.keys("l").until("step 22 of 26: line 8 comes next").until("fresh = False");
    pty.keys("b").until("step 21 of 26: line 7 comes next").keys("L").until("step 15 of 26");
    pty.keys("\x1b[C").until("line 9 comes next").until("* self.report = 'newer report'");
    // Both programs: the fixed one refuses the stale write.
    pty.keys("l").until("step 22 of 26").keys("ss").until("Fixed program, step 20 of 25: line 6 comes next");
    pty.until("The fixed program waits: it does not come here again.");
    pty.resize(120, 40)
        .until("5 def save(self, token: int, text: str) -> bool:")
        .until("self.newest, self.report = token, text");
    pty.keys("G").until("it ends").until("Output so far").until("stored: newer report").keys("\x1b").until("[Output]");
    pty.keys("qq");
    assert_eq!(pty.end(), 0);
    pty.is_restored();
}
