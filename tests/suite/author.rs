//! Tests of `author check`: one bad question for each kind of problem, and whole sessions.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use fencepost::content::diagnostic::codes;
use fencepost::content::versions;

use crate::cases::each;
use crate::command::{Home, PACK, SMALL, sessions};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/diagnostics")
}

/// Copies a folder and keeps its links.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (kind, to) = (entry.file_type().unwrap(), to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&entry.path(), &to);
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(entry.path()).unwrap(), to).unwrap();
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn home_with_fixtures() -> Home {
    let home = Home::new();
    copy(&fixtures(), &home.path().join("bad"));
    home
}

/// Replaces what differs from day to day and from run to run: ages, clocks and today's date.
fn without_clocks(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let words: Vec<String> = line
            .split(' ')
            .map(|word| {
                let digits = word.chars().filter(char::is_ascii_digit).count();
                if digits > 9 { word.replace(|c: char| c.is_ascii_digit(), "") + "[clock]" } else { word.to_owned() }
            })
            .collect();
        let line = words.join(" ");
        let line = match line.split_once("was looked up ") {
            Some((before, after)) => format!("{before}was looked up [n] {}", after.split_once(' ').unwrap().1),
            None => line,
        };
        let line = match line.split_once("write `checked = ") {
            Some((before, _)) => format!("{before}write `checked = [today]`"),
            None => line,
        };
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// Each code has a folder with a question that has this problem, and a snapshot of its report.
#[test]
fn every_code_has_a_bad_question_and_a_page() {
    let home = home_with_fixtures();
    let mut left: Vec<String> =
        fs::read_dir(fixtures()).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    each(codes::ALL.iter().map(|code| code.0), |code| {
        let folder = format!("bad/{code}");
        let args = match code {
            "unknown_question" | "duplicate_answer" => format!("quiz --content packs --answers {folder}/answers.toml"),
            "duplicate_learner" => format!("quiz --answers {folder} --roster {folder}/roster.txt"),
            "duplicate_pack" => format!("list --content {folder}/one --content {folder}/two"),
            "stale_fact" => format!("author check --stale 365 {folder}"),
            "needless_check" => format!("author check --thorough {folder}"),
            "mypy" => format!("author check --mypy {folder}"),
            "python_range" => format!("author check --python {}/{folder}/python3 {folder}", home.path().display()),
            _ => format!("author check {folder}"),
        };
        let mypy = home.path().join("bad/mypy/mypy");
        let shown = without_clocks(&home.run_with(&args, |command| command.env("FENCEPOST_MYPY", mypy)));
        let kinds = [format!("error[{code}]"), format!("warning[{code}]")];
        assert!(kinds.iter().any(|kind| shown.contains(kind)), "{code}: {shown}");
        let shown = match code {
            // The built-in questions change.
            "duplicate_pack" => shown.split_once("--- stderr\n").unwrap().1.to_owned(),
            "too_many" => shown.split_once("`k119`\n").unwrap().1.to_owned(),
            _ => shown,
        };
        insta::assert_snapshot!(format!("diagnostic-{code}"), shown);
        left.retain(|folder| folder != code);
    });
    assert_eq!(left, <[String; 0]>::default(), "folders of no code");
}

#[test]
fn a_check_as_json_and_as_github_shows_it() {
    sessions!(home_with_fixtures(), @r#"
    $ fencepost author check bad/prints bad/spelling/small.toml --format json
    {
      "format": 1,
      "passed": false,
      "questions": [
        {
          "question": "prints/small",
          "file": "bad/prints/small.toml",
          "errors": 1,
          "warnings": 0,
          "usable": true,
          "cpython": null,
          "typed": false,
          "stamped": false,
          "verified": false
        },
        {
          "question": "spelling/small",
          "file": "bad/spelling/small.toml",
          "errors": 0,
          "warnings": 1,
          "usable": true,
          "cpython": null,
          "typed": false,
          "stamped": false,
          "verified": false
        }
      ],
      "problems": [
        {
          "code": "prints",
          "severity": "error",
          "file": "bad/prints/small.toml",
          "line": 32,
          "column": 10,
          "message": "the buggy program does not print what `spot.prints` says",
          "label": "",
          "notes": [
            "ran: the buggy program, on RustPython 0.5.0",
            "expected: `4`",
            "seen: `3`"
          ],
          "expected": "4\n",
          "seen": "3\n",
          "help": "if that output is right, copy it into `spot.prints`; otherwise fix the program"
        },
        {
          "code": "spelling",
          "severity": "warning",
          "file": "bad/spelling/small.toml",
          "line": 35,
          "column": 65,
          "message": "`allready` looks misspelled",
          "label": "",
          "notes": [],
          "expected": null,
          "seen": null,
          "help": "write `already`, or add it to `words` in `pack.toml`"
        }
      ],
      "programs": 18,
      "engines": [
        {
          "engine": {
            "name": "RustPython",
            "version": "0.5.0",
            "python": "3.14.0",
            "sandbox": "full"
          },
          "set_order_proved": false
        }
      ],
      "mypy": null,
      "not_done": []
    }
    --- exit 1

    $ fencepost author check bad/prints bad/spelling/small.toml --format github
    ::error file=bad/prints/small.toml,line=32,col=10,title=prints::the buggy program does not print what `spot.prints` says%0Aran: the buggy program, on RustPython 0.5.0%0Aexpected: `4`%0Aseen: `3`%0Ahelp: if that output is right, copy it into `spot.prints`; otherwise fix the program
    ::warning file=bad/spelling/small.toml,line=35,col=65,title=spelling::`allready` looks misspelled%0Ahelp: write `already`, or add it to `words` in `pack.toml`
    --- exit 1
    "#);
}

#[test]
fn a_check_says_where_it_finds_nothing_and_what_it_could_not_do() {
    sessions!(Home::new(), @r#"
    $ fencepost author check
    1 question, 9 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    add `--python auto` and `--mypy` to prove more
    no problems
    --- exit 0

    $ fencepost author check nowhere
    error[unreadable]: cannot read `nowhere`: No such file or directory (os error 2)
    --> nowhere
     = help: check the name and the permissions

    1 error

    0 questions, 0 programs
    not passed
    --- exit 3

    $ fencepost author check nowhere.toml
    error[unreadable]: cannot read `nowhere.toml`: No such file or directory (os error 2)
    --> nowhere.toml
     = help: check the name and the permissions

    1 error

    0 questions, 0 programs
    not passed
    --- exit 3

    $ fencepost author check packs --python nowhere/python3
    1 question, 9 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- stderr
    error: not proved on CPython: `nowhere/python3` is not there
    --- exit 4

    $ fencepost author check packs --python auto --mypy
    1 question, 9 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- stderr
    error: not proved on CPython: no CPython 3.10 to 3.14 on the PATH
    error: `mypy --strict` was not run: mypy is not on the PATH; install it with `pip install mypy`, or name it in FENCEPOST_MYPY
    --- exit 4

    $ fencepost author check packs --stamp --format json
    {
      "format": 1,
      "passed": false,
      "questions": [
        {
          "question": "fixture/small",
          "file": "packs/fixture/small.toml",
          "errors": 0,
          "warnings": 0,
          "usable": true,
          "cpython": null,
          "typed": false,
          "stamped": false,
          "verified": false
        }
      ],
      "problems": [],
      "programs": 24,
      "engines": [
        {
          "engine": {
            "name": "RustPython",
            "version": "0.5.0",
            "python": "3.14.0",
            "sandbox": "full"
          },
          "set_order_proved": false
        }
      ],
      "mypy": null,
      "not_done": [
        "not proved on CPython: no CPython 3.10 to 3.14 on the PATH",
        "`mypy --strict` was not run: mypy is not on the PATH; install it with `pip install mypy`, or name it in FENCEPOST_MYPY"
      ]
    }
    --- stderr
    error: not proved on CPython: no CPython 3.10 to 3.14 on the PATH
    error: `mypy --strict` was not run: mypy is not on the PATH; install it with `pip install mypy`, or name it in FENCEPOST_MYPY
    --- exit 4

    $ fencepost author check packs
    1 question, 9 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    add `--python auto` and `--mypy` to prove more
    no problems
    --- exit 0

    $ fencepost --content packs author check
    1 question, 9 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    add `--python auto` and `--mypy` to prove more
    no problems
    --- exit 0
    "#);
}

#[test]
fn untrusted_questions_are_not_run_without_a_sandbox() {
    sessions!(Home::new(), @"
    $ fencepost author check packs --without landlock,seccomp
    1 question, 0 programs
    not passed
    --- stderr
    error: the pack `fixture` did not come with fencepost, and its programs were not run: the sandbox is only at level limits_only and lacks landlock (switched off), seccomp (switched off); look at the programs first; then `--trust-pack fixture` runs them
    --- exit 4

    $ fencepost author check packs --without landlock,seccomp --trust-pack fixture
    1 question, 9 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox limits_only; set order not tested (needs CPython)
    add `--python auto` and `--mypy` to prove more
    no problems
    --- exit 0
    ");
}

/// A related question must exist in a pack that is checked. For a file that is checked alone, a missing one is a warning.
#[test]
fn a_file_alone_is_judged_by_the_files_beside_it() {
    let related = [("related = []", "related = [\"twin\", \"triplet\"]")];
    sessions!(Home::new().question("twin", &[]).question("small", &related), @r#"
    $ fencepost author check packs/fixture/small.toml
    warning[related]: there is no question `triplet`
      --> packs/fixture/small.toml:10:20
       |
    10 | related = ["twin", "triplet"]
       |                    ^^^^^^^^^
       |
       = help: remove it, or write that question

    1 warning

    1 question, 9 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    add `--python auto` and `--mypy` to prove more
    passed, with warnings
    --- exit 0

    $ fencepost author check packs/fixture
    error[related]: there is no question `triplet`
      --> packs/fixture/small.toml:10:20
       |
    10 | related = ["twin", "triplet"]
       |                    ^^^^^^^^^
       |
       = help: remove it, or write that question

    1 error

    2 questions, 9 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not run, because of errors: 1 question
    not passed
    --- exit 3
    "#);
}

/// With `auto`, each question is proved on the newest and the oldest CPython in its range, wherever they are on the PATH.
#[test]
fn each_question_is_proved_on_the_newest_and_the_oldest_cpython_in_its_range() {
    let found = fencepost::runner::cpython::Interpreter::find_all();
    let minor = |it: &str| it.split('.').nth(1).unwrap().parse::<u32>().unwrap();
    let pair = found.first().zip(found.last()).filter(|(new, old)| minor(&new.version) != minor(&old.version));
    let Some((newest, oldest)) = pair else {
        // Not captured by the test harness, which hides the output of tests that pass.
        let _ = writeln!(std::io::stderr(), "skipped, it takes two versions of CPython on the PATH");
        return;
    };
    let older = oldest.version.as_str();
    let home = Home::new();
    let folders = [("one", oldest), ("two", newest)].map(|(folder, it)| {
        fs::create_dir(home.path().join(folder)).unwrap();
        std::os::unix::fs::symlink(&it.executable, home.path().join(folder).join("python3")).unwrap();
        home.path().join(folder)
    });
    let python = "\npython = \">=3.11\"";
    home.write_question("small", &[(python, "\npython = \">=3.10\"")]);
    home.write_question("old", &[(python, &format!("\npython = \"<3.{}\"", minor(older) + 1))]);
    let both = std::env::join_paths(&folders).unwrap();
    let said = home.run_with("author check packs --python auto", |command| command.env("PATH", &both));
    for (version, questions) in [(older, "2 questions"), (&newest.version, "1 question")] {
        assert!(said.contains(&format!("ran on CPython {version} on {questions}, sandbox full\n")), "{said}");
    }
    assert!(said.contains("--- exit 0"), "{said}");
    let mypy = home.script("mypy", "[ \"$1\" = --version ] && echo 'mypy 1.2.3 (compiled: no)'\nexit 0");
    let stamping = "author check packs/fixture/small.toml --stamp";
    home.run_with(stamping, |command| command.env("PATH", &both).env("FENCEPOST_MYPY", &mypy));
    let stamped = fs::read_to_string(home.path().join("packs/fixture/small.toml")).unwrap();
    assert!(stamped.contains(&format!("\npython = \"{older}, {}\"\nmypy", newest.version)), "{stamped}");
    let page = home.run("--content packs show small --format markdown");
    assert!(page.contains(&format!("Ran on Python {older} and {};", newest.version)), "{page}");
    for (question, version) in [("old", older), ("small", &newest.version)] {
        let args = format!("--content packs run {question} --python auto");
        let said = home.run_with(&args, |command| command.env("PATH", &both));
        assert!(said.contains(&format!("CPython {version}")) && !said.contains("note:"), "{said}");
    }
    let said = home.run_with("--content packs run old --python auto", |command| command.env("PATH", &folders[1]));
    assert!(said.contains(&format!("no such CPython is on the PATH, and {} is used\n", newest.version)), "{said}");
}

/// `python3 -m mypy` does not start a `mypy` in the user's folder, which may be someone else's pack.
#[test]
fn mypy_is_not_loaded_from_the_folder_of_the_user() {
    let Some(python) = crate::runner_cpython::interpreter() else { return };
    let home = Home::new();
    fs::create_dir(home.path().join("bin")).unwrap();
    std::os::unix::fs::symlink(&python.executable, home.path().join("bin/python3")).unwrap();
    let spy = "open('seen', 'a').write('x')\nprint('mypy 1.2.3 (compiled: no)')\n";
    for place in ["mypy.py", "packs/mypy.py", "packs/fixture/mypy.py"] {
        home.write(place, spy);
    }
    for (folder, path) in [(".", "packs"), ("packs", "fixture"), ("packs/fixture", "small.toml")] {
        let here = home.path().join(folder);
        let bin = home.path().join("bin");
        let said = home
            .run_with(&format!("author check --mypy {path}"), |command| command.current_dir(&here).env("PATH", bin));
        assert!(!here.join("seen").exists(), "{folder}: {said}");
        assert!(!said.contains("1.2.3"), "{folder}: {said}");
    }
}

/// A relative path to mypy is found from the folder in which mypy runs. After an interruption, nothing is left behind.
#[test]
fn an_interrupted_mypy_leaves_no_folder_and_no_process() {
    let home = Home::new();
    let script = "[ \"$1\" = --version ] && echo 'mypy 1.2.3 (compiled: no)' && exit 0\npwd > \"$HOME/place\"\n\
                  touch started\n(mv \"$HOME/place\" \"$HOME/here\"; exec sleep 600) > \"$HOME/fifo\"";
    assert!(Command::new("mkfifo").arg(home.path().join("fifo")).status().unwrap().success());
    home.script("mypy", script);
    let mut command = home.command("author check --mypy packs");
    let temporary = home.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    command.env("FENCEPOST_MYPY", "./mypy").env("PATH", "/usr/bin:/bin").env("TMPDIR", &temporary);
    let mut child = std::os::unix::process::CommandExt::process_group(&mut command, 0).spawn().unwrap();
    // Its child holds the other end until it is ended.
    let fifo = home.path().join("fifo");
    let held = std::thread::spawn(move || fs::read(fifo));
    let here = home.path().join("here");
    while !here.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was interrupted");
        std::thread::yield_now();
    }
    let place = fs::read_to_string(&here).unwrap();
    assert!(Path::new(place.trim()).join("started").exists());
    let group = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGINT).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(2), "{status}");
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    assert_eq!(held.join().unwrap().unwrap(), b"");
}

/// The stamp is written when every proof holds, changes nothing else, and is reported when it is outdated.
#[test]
fn a_stamp_is_written_kept_and_seen_to_be_stale() {
    let Some(python) = crate::runner_cpython::interpreter() else { return };
    assert!(versions::allows(">=3.11", &python.version), "the fixture needs Python 3.11, here is {}", python.version);
    let home = Home::new();
    let python = python.executable.display().to_string();
    let mypy = home.script("mypy", "[ \"$1\" = --version ] && echo 'mypy 1.2.3 (compiled: no)'\nexit 0");
    let check = |more: &str| {
        let args = format!("author check packs --python {python} {more}");
        home.run_with(&args, |command| command.env("FENCEPOST_MYPY", &mypy))
    };
    let file = home.path().join("packs/fixture/small.toml");
    let first = check("--stamp");
    assert!(first.contains("\nstamped 1 question\nno problems\n--- exit 0"), "{first}");
    assert!(first.contains("1 question, 24 programs\n"), "a second interpreter runs no other programs: {first}");
    let stamped = fs::read_to_string(&file).unwrap();
    let stamp = stamped.strip_prefix(SMALL).expect("the rest is as it was");
    assert!(stamp.starts_with("\n[verified]\npython = \"3."), "{stamp}");
    assert!(stamp.contains("\nmypy = \"1.2.3\"\non = 2") && stamp.contains("\nhash = \"sha256:"), "{stamp}");
    assert!(!check("--stamp").contains("stamped"), "what is stamped is left alone");
    assert_eq!(fs::read_to_string(&file).unwrap(), stamped);
    fs::write(&file, stamped.replace("every number counts", "each number counts")).unwrap();
    let stale = check("");
    assert!(stale.contains("warning[stale_stamp]"), "{stale}");
    // So is one for another answer key. Learners do not see it.
    let shown = || {
        let page = home.run("--content packs show small --format markdown");
        page.contains("\nRan on Python 3")
    };
    fs::write(&file, &stamped).unwrap();
    assert!(shown());
    fs::write(&file, stamped.replace("len(numbers)):\n'''", "0, len(numbers)):\n'''")).unwrap();
    assert!(!shown());
    let stale = check("");
    assert!(stale.contains("warning[stale_stamp]: the programs, checks or answers have changed"), "{stale}");
    assert!(check("--stamp").contains("stamped 1 question"));
    // An incomplete stamp is completed and keeps its comments. Without the proofs, it stays an error.
    let whole = fs::read_to_string(&file).unwrap();
    let half = whole.lines().filter(|line| !line.starts_with("mypy = ")).collect::<Vec<_>>().join("\n") + "\n";
    let half = half.replace("\nhash = ", "\n# It covers all.\nhash = ");
    fs::write(&file, &half).unwrap();
    assert!(check("").ends_with("not passed\n--- exit 3\n"));
    fs::write(&file, half.replace("[1, 2, 3]", "[1, 2, 4]")).unwrap();
    let refused = check("--stamp");
    assert!(refused.contains("error[prints]") && refused.contains("error[missing_key]"), "{refused}");
    fs::write(&file, &half).unwrap();
    assert!(check("--stamp").contains("\nstamped 1 question\nno problems\n--- exit 0"));
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("{half}mypy = \"1.2.3\"\n"));
    // A date in the future is reported, even if the rest of the stamp is right.
    let text = fs::read_to_string(&file).unwrap();
    let (before, stamp) = text.split_once("[verified]").unwrap();
    let day = stamp.lines().find(|line| line.starts_with("on = ")).unwrap();
    fs::write(&file, format!("{before}[verified]{}", stamp.replace(day, "on = 2999-01-01"))).unwrap();
    let renewed = check("--stamp");
    assert!(renewed.ends_with("stamped 1 question\nno problems\n--- exit 0\n"), "{renewed}");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    // A question with an error gets no stamp.
    let broken = fs::read_to_string(&file).unwrap().replace("[1, 2, 3]", "[1, 2, 4]");
    fs::write(&file, &broken).unwrap();
    let refused = check("--stamp");
    assert!(refused.contains("error[prints]") && !refused.contains("stamped"), "{refused}");
    assert_eq!(fs::read_to_string(&file).unwrap(), broken);
}

/// Extreme programs are checked like any other.
#[test]
fn programs_that_are_deep_long_or_invalid_do_no_harm() {
    let call = "print(total([1, 2, 3]))";
    let deep = format!("print({}1{})", "(".repeat(20_000), ")".repeat(20_000));
    let long = format!("{call}  # {}", "x".repeat(70_000));
    let home = Home::new();
    for (id, last) in [("deep", deep.as_str()), ("long", &long), ("broken", "def (((é"), ("left", "raise SystemExit")]
    {
        let fixed = ["sum(numbers)\n\n\n", call].concat();
        home.write_question(id, &[(call, last), (&fixed, &fixed.replace(call, last))]);
    }
    sessions!(home, @r#"
    $ fencepost author check packs/fixture/deep.toml
    warning[too_wide]: line 8 has 40008 columns, but only 71 fit on the screen
      --> packs/fixture/deep.toml:31:1
       |
    31 | print((((((((((((((((((((...((((((((((((((((((((((((((((...
       | ^^^^^^^^^^^^^^^^^^^^^^^^^...^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = help: split the line

    error[prints]: the buggy program does not print what `spot.prints` says
      --> packs/fixture/deep.toml:33:10
       |
    33 | prints = """
       |          ^^^
       |
       = note: ran: the buggy program, on RustPython 0.5.0
       = note: expected: `3`
       = note: seen: `1`
       = help: if that output is right, copy it into `spot.prints`; otherwise fix the program

    warning[too_wide]: line 5 has 40008 columns, but only 71 fit on the screen
      --> packs/fixture/deep.toml:59:1
       |
    59 | print((((((((((((((((((((...((((((((((((((((((((((((((((...
       | ^^^^^^^^^^^^^^^^^^^^^^^^^...^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = help: split the line

    error[prints]: the fixed program does not print what `fixed.prints` says
      --> packs/fixture/deep.toml:61:10
       |
    61 | prints = """
       |          ^^^
       |
       = note: ran: the fixed program, on RustPython 0.5.0
       = note: expected: `6`
       = note: seen: `1`
       = help: if that output is right, copy it into `fixed.prints`; otherwise fix the program

    2 errors, 2 warnings

    1 question, 9 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 1

    $ fencepost author check packs/fixture/long.toml
    error[too_large]: the program has 69 KiB
      --> packs/fixture/long.toml:23:8
       |
    23 | code = '''
       |        ^^^
       |
       = help: keep it to a few hundred characters, so that it fits on one screen

    error[too_large]: the program has 69 KiB
      --> packs/fixture/long.toml:54:8
       |
    54 | code = '''
       |        ^^^
       |
       = help: keep it to a few hundred characters, so that it fits on one screen

    2 errors

    1 question, 0 programs
    not run, because of errors: 1 question
    not passed
    --- exit 3

    $ fencepost author check packs/fixture/broken.toml
    warning[hints_at_answer]: the id says `broken`, which hints at the fault
     --> packs/fixture/broken.toml:3:7
      |
    3 | id = "broken"
      |       ^^^^^^
      |
      = help: name the subject or the story, not the fault

    error[not_finished]: the buggy program does not run to its end
      --> packs/fixture/broken.toml:31:1
       |
    31 | def (((é
       | ^^^^^^^^
       |
       = note: ran: the buggy program, on RustPython 0.5.0
       = note: expected: it runs to its end
       = note: seen: raised: SyntaxError: expected an identifier (line 8)
       = help: fix the syntax: a colon, a quote or a bracket may be missing here or on the line before

    error[not_finished]: the fixed program does not run to its end
      --> packs/fixture/broken.toml:59:1
       |
    59 | def (((é
       | ^^^^^^^^
       |
       = note: ran: the fixed program, on RustPython 0.5.0
       = note: expected: it runs to its end
       = note: seen: raised: SyntaxError: expected an identifier (line 5)
       = help: fix the syntax: a colon, a quote or a bracket may be missing here or on the line before

    2 errors, 1 warning

    1 question, 3 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 1

    $ fencepost author check packs/fixture/left.toml
    error[not_finished]: the buggy program exits before its checks
      --> packs/fixture/left.toml:23:8
       |
    23 | code = '''
       |        ^^^
       |
       = note: ran: the buggy program, on RustPython 0.5.0
       = note: expected: it runs to its last line
       = note: seen: it exited with `SystemExit`
       = help: remove the exit: checks and scenarios run after the last line

    error[not_finished]: the fixed program exits before its checks
      --> packs/fixture/left.toml:54:8
       |
    54 | code = '''
       |        ^^^
       |
       = note: ran: the fixed program, on RustPython 0.5.0
       = note: expected: it runs to its last line
       = note: seen: it exited with `SystemExit`
       = help: remove the exit: checks and scenarios run after the last line

    2 errors

    1 question, 3 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 1
    "#);
}

/// The line that differs is shown, wherever it is, with its invisible characters.
#[test]
fn output_is_shown_where_it_differs_from_what_was_expected() {
    let last = "\n\n\nprint(total([1, 2, 3]))\n";
    let many = "\n\n\nfor n in range(1, 11):\n    print(n)\nprint(total([1, 2, 3]))\n";
    let lines = (1..11).map(|n| format!("{n}\n")).collect::<String>();
    let (three, six) = (format!("\"\"\"\n{lines}3\n"), format!("\"\"\"\n{lines}6 "));
    let edits = [(last, many), (last, many), ("\"\"\"\n3\n", three.as_str()), ("\"\"\"\n6\n", six.as_str())];
    sessions!(Home::new().question("small", &edits), @r#"
    $ fencepost author check packs
    error[prints]: the fixed program does not print what `fixed.prints` says
      --> packs/fixture/small.toml:75:10
       |
    75 | prints = """
       |          ^^^
       |
       = note: ran: the fixed program, on RustPython 0.5.0
       = note: expected: 11 lines, the first difference in line 11
                9 | 9
               10 | 10
               11 | 6  (with 1 space at its end and without a newline at its end)
       = note: seen: 11 lines
                9 | 9
               10 | 10
               11 | 6
       = help: if that output is right, copy it into `fixed.prints`; otherwise fix the program

    1 error

    1 question, 11 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 1

    $ fencepost author check packs --format json
    {
      "format": 1,
      "passed": false,
      "questions": [
        {
          "question": "fixture/small",
          "file": "packs/fixture/small.toml",
          "errors": 1,
          "warnings": 0,
          "usable": true,
          "cpython": null,
          "typed": false,
          "stamped": false,
          "verified": false
        }
      ],
      "problems": [
        {
          "code": "prints",
          "severity": "error",
          "file": "packs/fixture/small.toml",
          "line": 75,
          "column": 10,
          "message": "the fixed program does not print what `fixed.prints` says",
          "label": "",
          "notes": [
            "ran: the fixed program, on RustPython 0.5.0",
            "expected: 11 lines, the first difference in line 11\n 9 | 9\n10 | 10\n11 | 6  (with 1 space at its end and without a newline at its end)",
            "seen: 11 lines\n 9 | 9\n10 | 10\n11 | 6"
          ],
          "expected": "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n6 ",
          "seen": "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n6\n",
          "help": "if that output is right, copy it into `fixed.prints`; otherwise fix the program"
        }
      ],
      "programs": 11,
      "engines": [
        {
          "engine": {
            "name": "RustPython",
            "version": "0.5.0",
            "python": "3.14.0",
            "sandbox": "full"
          },
          "set_order_proved": false
        }
      ],
      "mypy": null,
      "not_done": []
    }
    --- exit 1
    "#);
}

/// A broken check is reported once, without the problems that follow from it.
#[test]
fn a_broken_check_is_reported_alone() {
    let with_check = |code: &str| {
        let other = format!("[[check]]\nname = 'the other'\ncode = '''\n{code}\n'''\n\n[say]");
        Home::new().question("small", &[("[say]", &other)])
    };
    sessions!(with_check("while True: total([])"), @"
    $ fencepost author check packs
    error[check_broken]: the check `the other` does not finish
      --> packs/fixture/small.toml:74:8
       |
    74 | code = '''
       |        ^^^
       |
       = note: ran: this check on the buggy and on the fixed program, on RustPython 0.5.0
       = note: expected: it passes, or an assertion in it fails
       = note: seen: timed out: stopped after 2.0 s by the clock
       = help: make it finish, whatever the program does

    1 error

    1 question, 3 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 1
    ");
    sessions!(with_check("assert total([1] == 1"), @"
    $ fencepost author check packs
    error[check_broken]: the check `the other` is not valid Python
      --> packs/fixture/small.toml:75:1
       |
    75 | assert total([1] == 1
       | ^^^^^^^^^^^^^^^^^^^^^
       |
       = note: ran: this check on the buggy and on the fixed program, on RustPython 0.5.0
       = note: expected: it passes, or an assertion in it fails
       = note: seen: error: SyntaxError: '(' was never closed
       = help: fix it; `code` runs after the program, as part of the same file

    1 error

    1 question, 3 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 1
    ");
    sessions!(with_check("raise SystemExit"), @"
    $ fencepost author check packs
    warning[never_fails]: the check `the other` uses nothing that the program defines
      --> packs/fixture/small.toml:74:8
       |
    74 | code = '''
       |        ^^^
       |
       = help: call what the program defines, and assert what it returns or changes

    error[check_broken]: the check `the other` fails with an error on both programs
      --> packs/fixture/small.toml:74:8
       |
    74 | code = '''
       |        ^^^
       |
       = note: ran: this check on the buggy and on the fixed program, on RustPython 0.5.0
       = note: expected: it passes, or an assertion in it fails
       = note: seen: error: the check left with SystemExit
       = help: fix the check: on a correct program it must run to its end

    1 error, 1 warning

    1 question, 3 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 1
    ");
    sessions!(with_check("assert False, 'never'"), @"
    $ fencepost author check packs
    error[fixed_fails]: the fixed program fails the check `the other`
      --> packs/fixture/small.toml:73:8
       |
    73 | name = 'the other'
       |        ^^^^^^^^^^^
       |
       = note: ran: this check on the fixed program, on RustPython 0.5.0
       = note: expected: it passes
       = note: seen: failed: never
       = help: a check must pass on every correct program: fix the check, or the fixed program

    warning[never_fails]: the check `the other` uses nothing that the program defines
      --> packs/fixture/small.toml:74:8
       |
    74 | code = '''
       |        ^^^
       |
       = help: call what the program defines, and assert what it returns or changes

    1 error, 1 warning

    1 question, 3 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 1
    ");
}

/// A program that does not finish is reported itself, but not its repair and its scenario.
#[test]
fn a_program_that_does_not_finish_is_reported_once() {
    let scenario =
        "[scenario]\nwatch = [\"total([1])\"]\n[[scenario.step]]\nat = \"1\"\nwho = \"a\"\ndoes = \"b\"\n\n[say]";
    let ending = |last: &str| Home::new().question("small", &[("print(total([1, 2, 3]))", last), ("[say]", scenario)]);
    sessions!(ending("raise SystemExit"), @"
    $ fencepost author check packs
    error[not_finished]: the buggy program exits before its checks
      --> packs/fixture/small.toml:23:8
       |
    23 | code = '''
       |        ^^^
       |
       = note: ran: the buggy program, on RustPython 0.5.0
       = note: expected: it runs to its last line
       = note: seen: it exited with `SystemExit`
       = help: remove the exit: checks and scenarios run after the last line

    warning[leftover]: the buggy program never uses the function `total`; only the fixed one does
      --> packs/fixture/small.toml:24:5
       |
    24 | def total(numbers: list[int]) -> int:
       |     ^^^^^
       |
       = help: learners look for unused names first: use it in the buggy program too, or remove it

    1 error, 1 warning

    1 question, 3 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 1
    ");
    sessions!(ending("print(total(7))"), @"
    $ fencepost author check packs
    error[not_finished]: the buggy program does not run to its end
      --> packs/fixture/small.toml:26:5
       |
    26 |     for i in range(len(numbers) - 1):
       |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = note: ran: the buggy program, on RustPython 0.5.0
       = note: expected: it runs to its end
       = note: seen: raised: TypeError: object of type 'int' has no len() (line 3)
       = help: at the end of `spot.code`, catch the exception and print the result

    1 error

    1 question, 3 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 1
    ");
    sessions!(ending("while True: pass"), @"
    $ fencepost author check packs
    error[not_finished]: the buggy program does not run to its end
      --> packs/fixture/small.toml:23:8
       |
    23 | code = '''
       |        ^^^
       |
       = note: ran: the buggy program, on RustPython 0.5.0
       = note: expected: it runs to its end
       = note: seen: timed_out: stopped after 2.0 s by the clock
       = help: make it finish in time: look for an endless loop or wait, or a lock that is never released

    warning[leftover]: the buggy program never uses the function `total`; only the fixed one does
      --> packs/fixture/small.toml:24:5
       |
    24 | def total(numbers: list[int]) -> int:
       |     ^^^^^
       |
       = help: learners look for unused names first: use it in the buggy program too, or remove it

    1 error, 1 warning

    1 question, 3 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 1
    ");
}

#[test]
fn each_question_is_checked_once_whatever_paths_lead_to_it() {
    let home = Home::new();
    std::os::unix::fs::symlink("packs/fixture", home.path().join("link")).unwrap();
    std::os::unix::fs::symlink("packs/fixture/small.toml", home.path().join("link.toml")).unwrap();
    let (here, file) = (home.path().join("packs").display().to_string(), "packs/fixture/small.toml");
    for paths in [
        &format!("packs packs/fixture {file}"),
        &format!("{file} packs ./packs {here}"),
        &format!("{file} ./packs/fixture/small.toml link.toml link/small.toml"),
        "link.toml packs/fixture/pack.toml link",
    ] {
        let said = home.run(&format!("author check {paths}"));
        assert!(said.contains("\n1 question, 9 programs\n"), "{said}");
    }
}

#[test]
fn each_path_without_a_question_is_reported_in_every_format() {
    let home = Home::new().with("bare/pack.toml", PACK).with("notes.md", "# Notes\n");
    fs::create_dir(home.path().join("empty")).unwrap();
    sessions!(home, @r#"
    $ fencepost author check --format text nowhere empty bare notes.md packs/fixture/small.toml
    error[unreadable]: cannot read `nowhere`: No such file or directory (os error 2)
    --> nowhere
     = help: check the name and the permissions

    error[no_question]: there is no question in `empty`
    --> empty
     = help: name a question's `.toml` file, a pack, or a folder of packs; `fencepost author new` creates a question

    error[no_question]: there is no question in the pack `bare`
     --> bare/pack.toml:1:1
      |
    1 | format = 1
      | ^
      |
      = help: `fencepost author new ID --pack bare` creates one

    error[no_question]: `notes.md` is not a question: it does not end in `.toml`
    --> notes.md
     = help: name a question's `.toml` file, a pack, or a folder of packs; `fencepost author new` creates a question

    4 errors

    1 question, 9 programs
    ran on RustPython 0.5.0, Python 3.14.0, sandbox full; set order not tested (needs CPython)
    not passed
    --- exit 3

    $ fencepost author check --format json nowhere empty bare notes.md packs/fixture/small.toml
    {
      "format": 1,
      "passed": false,
      "questions": [
        {
          "question": "fixture/small",
          "file": "packs/fixture/small.toml",
          "errors": 0,
          "warnings": 0,
          "usable": true,
          "cpython": null,
          "typed": false,
          "stamped": false,
          "verified": false
        }
      ],
      "problems": [
        {
          "code": "unreadable",
          "severity": "error",
          "file": "nowhere",
          "line": 1,
          "column": 1,
          "message": "cannot read `nowhere`: No such file or directory (os error 2)",
          "label": "",
          "notes": [],
          "expected": null,
          "seen": null,
          "help": "check the name and the permissions"
        },
        {
          "code": "no_question",
          "severity": "error",
          "file": "empty",
          "line": 1,
          "column": 1,
          "message": "there is no question in `empty`",
          "label": "",
          "notes": [],
          "expected": null,
          "seen": null,
          "help": "name a question's `.toml` file, a pack, or a folder of packs; `fencepost author new` creates a question"
        },
        {
          "code": "no_question",
          "severity": "error",
          "file": "bare/pack.toml",
          "line": 1,
          "column": 1,
          "message": "there is no question in the pack `bare`",
          "label": "",
          "notes": [],
          "expected": null,
          "seen": null,
          "help": "`fencepost author new ID --pack bare` creates one"
        },
        {
          "code": "no_question",
          "severity": "error",
          "file": "notes.md",
          "line": 1,
          "column": 1,
          "message": "`notes.md` is not a question: it does not end in `.toml`",
          "label": "",
          "notes": [],
          "expected": null,
          "seen": null,
          "help": "name a question's `.toml` file, a pack, or a folder of packs; `fencepost author new` creates a question"
        }
      ],
      "programs": 9,
      "engines": [
        {
          "engine": {
            "name": "RustPython",
            "version": "0.5.0",
            "python": "3.14.0",
            "sandbox": "full"
          },
          "set_order_proved": false
        }
      ],
      "mypy": null,
      "not_done": []
    }
    --- exit 3

    $ fencepost author check --format github nowhere empty bare notes.md packs/fixture/small.toml
    ::error file=nowhere,line=1,col=1,title=unreadable::cannot read `nowhere`: No such file or directory (os error 2)%0Ahelp: check the name and the permissions
    ::error file=empty,line=1,col=1,title=no_question::there is no question in `empty`%0Ahelp: name a question's `.toml` file, a pack, or a folder of packs; `fencepost author new` creates a question
    ::error file=bare/pack.toml,line=1,col=1,title=no_question::there is no question in the pack `bare`%0Ahelp: `fencepost author new ID --pack bare` creates one
    ::error file=notes.md,line=1,col=1,title=no_question::`notes.md` is not a question: it does not end in `.toml`%0Ahelp: name a question's `.toml` file, a pack, or a folder of packs; `fencepost author new` creates a question
    --- exit 3
    "#);
    each(["nowhere", "nowhere.toml", "nowhere.md", "empty", "bare", "bare/pack.toml", "notes.md"], |path| {
        let said = home.run(&format!("author check {path}"));
        assert!(said.ends_with("not passed\n--- exit 3\n"), "{said}");
    });
}

/// The preview takes the file of a question and refuses anything else before the screens open.
#[test]
fn a_preview_wants_the_file_of_a_question() {
    sessions!(Home::new().with("notes.md", "# Notes\n"), @"
    $ fencepost author preview packs/fixture/pack.toml
    --- stderr
    error: `packs/fixture/pack.toml` is not a question: it describes a pack
      hint: name a question's `.toml` file
      hint: `fencepost author check` takes packs and folders
    --- exit 3

    $ fencepost author preview packs/fixture
    --- stderr
    error: `packs/fixture` is not a question: it is a folder
      hint: name a question's `.toml` file
      hint: `fencepost author check` takes packs and folders
    --- exit 3

    $ fencepost author preview nowhere.toml
    --- stderr
    error: `nowhere.toml` does not exist
      hint: `fencepost author new ID --pack DIR` creates a question
    --- exit 3

    $ fencepost author preview notes.md
    --- stderr
    error: `notes.md` is not a question: it does not end in `.toml`
      hint: name a question's `.toml` file
      hint: `fencepost author check` takes packs and folders
    --- exit 3
    ");
}
