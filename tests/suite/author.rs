//! What authors are told by `author check`: one bad question for each kind of problem, and whole sessions.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use fencepost::content::diagnostic::codes;
use fencepost::content::versions;

use crate::cases::each;
use crate::command::Home;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/diagnostics")
}

/// Copies a folder with its links as they are.
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

/// Replaces what differs from day to day and from run to run: ages and clocks.
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
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// Each code has a folder with a question that has this problem, and the page on it is as it was.
#[test]
fn every_code_has_a_bad_question_and_a_page() {
    let home = home_with_fixtures();
    let mut left: Vec<String> =
        fs::read_dir(fixtures()).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    each(codes::ALL.iter().map(|code| code.0), |code| {
        let folder = format!("bad/{code}");
        let folder = folder.as_str();
        let answers = format!("{folder}/answers.toml");
        let roster = format!("{folder}/roster.txt");
        let (one, two) = (format!("{folder}/one"), format!("{folder}/two"));
        let python = home.path().join(folder).join("python3");
        let args: Vec<&str> = match code {
            "unknown_question" | "duplicate_answer" => vec!["quiz", "--content", "packs", "--answers", &answers],
            "duplicate_learner" => vec!["quiz", "--answers", folder, "--roster", &roster],
            "duplicate_pack" => vec!["list", "--content", &one, "--content", &two],
            "stale_fact" => vec!["author", "check", "--stale", "365", folder],
            "mypy" => vec!["author", "check", "--mypy", folder],
            "python_range" => vec!["author", "check", "--python", python.to_str().unwrap(), folder],
            _ => vec!["author", "check", folder],
        };
        let mut command = home.command(&args);
        command.env("FENCEPOST_MYPY", home.path().join("bad/mypy/mypy"));
        let shown = without_clocks(&home.finish(&args, command));
        let kinds = [format!("error[{code}]"), format!("warning[{code}]")];
        assert!(kinds.iter().any(|kind| shown.contains(kind)), "{code}: {shown}");
        let shown = match code {
            // What is built in changes with the questions.
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
    let home = home_with_fixtures();
    let paths = ["bad/prints", "bad/spelling/small.toml"];
    let mut all = home.run(&[&["author", "check"], &paths[..], &["--format", "json"]].concat());
    all += &home.run(&[&["author", "check"], &paths[..], &["--format", "github"]].concat());
    insta::assert_snapshot!(all);
}

#[test]
fn a_check_says_where_it_finds_nothing_and_what_it_could_not_do() {
    let home = Home::new();
    let mut all = String::new();
    for args in [
        &["author", "check"][..],
        &["author", "check", "nowhere"],
        &["author", "check", "nowhere.toml"],
        &["author", "check", "packs", "--python", "nowhere/python3"],
        &["author", "check", "packs", "--python", "auto", "--mypy"],
        &["author", "check", "packs", "--stamp", "--format", "json"],
        &["author", "check", "packs"],
        &["--content", "packs", "author", "check"],
    ] {
        all += &home.run(args);
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

#[test]
fn untrusted_questions_are_not_run_without_a_sandbox() {
    let home = Home::new();
    let refused = home.run(&["author", "check", "packs", "--without", "landlock,seccomp"]);
    let trusted = home.run(&["author", "check", "packs", "--without", "landlock,seccomp", "--trust-pack", "fixture"]);
    insta::assert_snapshot!(format!("{refused}\n{trusted}"));
}

/// A related question is looked for in its pack; beside a file alone its absence is no error.
#[test]
fn a_file_alone_is_judged_by_the_files_beside_it() {
    let home = Home::new();
    let small = include_str!("../fixtures/small.toml");
    home.write("packs/fixture/twin.toml", small.replace("id = \"small\"", "id = \"twin\""));
    home.write("packs/fixture/small.toml", small.replace("related = []", "related = [\"twin\", \"triplet\"]"));
    let alone = home.run(&["author", "check", "packs/fixture/small.toml"]);
    let together = home.run(&["author", "check", "packs/fixture"]);
    insta::assert_snapshot!(format!("{alone}\n{together}"));
}

/// With `auto`, each question is proved on the newest CPython in its range, wherever on the PATH it is.
#[test]
fn each_question_is_proved_on_the_newest_cpython_in_its_range() {
    let found = fencepost::runner::cpython::Interpreter::find_all();
    let minor = |it: &str| it.split('.').nth(1).unwrap().parse::<u32>().unwrap();
    let pair = found.first().zip(found.last()).filter(|(new, old)| minor(&new.version) != minor(&old.version));
    let Some((newest, oldest)) = pair else {
        // Past the capture of the test harness, which would hide it as the test passes.
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
    let small = include_str!("../fixtures/small.toml").replace("\npython = \">=3.11\"", "\npython = \">=3.10\"");
    let old = small.replace("id = \"small\"", "id = \"old\"");
    let old = old.replace("\">=3.10\"", &format!("\"<3.{}\"", minor(older) + 1));
    home.write("packs/fixture/small.toml", small);
    home.write("packs/fixture/old.toml", old);
    let args = ["author", "check", "packs", "--python", "auto"];
    let mut command = home.command(&args);
    command.env("PATH", std::env::join_paths(&folders).unwrap());
    let said = home.finish(&args, command);
    for version in [older, &newest.version] {
        assert!(said.contains(&format!("ran on CPython {version} on 1 question, sandbox full\n")), "{said}");
    }
    assert!(said.contains("--- exit 0"), "{said}");
    for (question, version) in [("old", older), ("small", &newest.version)] {
        let args = ["--content", "packs", "run", question, "--python", "auto"];
        let mut command = home.command(&args);
        command.env("PATH", std::env::join_paths(&folders).unwrap());
        let said = home.finish(&args, command);
        assert!(said.contains(&format!("CPython {version}")) && !said.contains("note:"), "{said}");
    }
    let args = ["--content", "packs", "run", "old", "--python", "auto"];
    let mut command = home.command(&args);
    command.env("PATH", &folders[1]);
    let said = home.finish(&args, command);
    assert!(said.contains(&format!("no such CPython is on the PATH, and {} is used\n", newest.version)), "{said}");
}

/// What stands where the user is, such as a stranger's pack, is not what `python3 -m mypy` starts.
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
        let args = ["author", "check", "--mypy", path];
        let mut command = home.command(&args);
        command.current_dir(home.path().join(folder)).env("PATH", home.path().join("bin"));
        let said = home.finish(&args, command);
        assert!(!home.path().join(folder).join("seen").exists(), "{folder}: {said}");
        assert!(!said.contains("1.2.3"), "{folder}: {said}");
    }
}

/// A mypy that is named by a path from here is found from there as well, and leaves nothing behind when it is interrupted.
#[test]
fn an_interrupted_mypy_leaves_no_folder_and_no_process() {
    let home = Home::new();
    let script = "#!/bin/sh\n[ \"$1\" = --version ] && echo 'mypy 1.2.3 (compiled: no)' && exit 0\npwd > \"$HOME/place\"\n\
                  touch started\n(mv \"$HOME/place\" \"$HOME/here\"; exec sleep 600) > \"$HOME/fifo\"\n";
    assert!(Command::new("mkfifo").arg(home.path().join("fifo")).status().unwrap().success());
    let mypy = home.write("mypy", script);
    fs::set_permissions(&mypy, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = home.command(&["author", "check", "--mypy", "packs"]);
    let temporary = home.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    command.env("FENCEPOST_MYPY", "./mypy").env("PATH", "/usr/bin:/bin").env("TMPDIR", &temporary);
    let mut child = std::os::unix::process::CommandExt::process_group(&mut command, 0).spawn().unwrap();
    // Its child holds the other end until it is gone.
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

/// The stamp is written when everything holds, changes nothing else, and is seen to be out of date.
#[test]
fn a_stamp_is_written_kept_and_seen_to_be_stale() {
    let Some(python) = crate::runner_cpython::interpreter() else { return };
    assert!(versions::allows(">=3.11", &python.version), "the fixture needs Python 3.11, here is {}", python.version);
    let home = Home::new();
    let python = python.executable.display().to_string();
    let before = include_str!("../fixtures/small.toml");
    home.write("mypy", "#!/bin/sh\n[ \"$1\" = --version ] && echo 'mypy 1.2.3 (compiled: no)'\nexit 0\n");
    let mypy = home.path().join("mypy");
    fs::set_permissions(&mypy, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let check = |args: &[&str]| {
        let args = [&["author", "check", "packs", "--python", &python], args].concat();
        let mut command = home.command(&args);
        command.env("FENCEPOST_MYPY", &mypy);
        home.finish(&args, command)
    };
    let file = home.path().join("packs/fixture/small.toml");
    let first = check(&["--stamp"]);
    assert!(first.contains("\nstamped 1 question\nno problems\n--- exit 0"), "{first}");
    assert!(first.contains("1 question, 9 programs\n"), "a second interpreter runs no other programs: {first}");
    let stamped = fs::read_to_string(&file).unwrap();
    let stamp = stamped.strip_prefix(before).expect("the rest is as it was");
    assert!(stamp.starts_with("\n[verified]\npython = \"3."), "{stamp}");
    assert!(stamp.contains("\nmypy = \"1.2.3\"\non = 2") && stamp.contains("\nhash = \"sha256:"), "{stamp}");
    assert!(!check(&["--stamp"]).contains("stamped"), "what is stamped is left alone");
    assert_eq!(fs::read_to_string(&file).unwrap(), stamped);
    fs::write(&file, stamped.replace("every number counts", "each number counts")).unwrap();
    let stale = check(&[]);
    assert!(stale.contains("warning[stale_stamp]"), "{stale}");
    // So is one that says that another key was proved. Learners are not shown it.
    let shown = || {
        let page = home.run(&["--content", "packs", "show", "small", "--format", "markdown"]);
        page.contains("\nRan on Python 3")
    };
    fs::write(&file, &stamped).unwrap();
    assert!(shown());
    fs::write(&file, stamped.replace("len(numbers)):\n'''", "0, len(numbers)):\n'''")).unwrap();
    assert!(!shown());
    let stale = check(&[]);
    assert!(stale.contains("warning[stale_stamp]: the programs, checks or answers have changed"), "{stale}");
    assert!(check(&["--stamp"]).contains("stamped 1 question"));
    // Half a stamp is made whole, and keeps its comments; where the question earns none, it stays an error.
    let whole = fs::read_to_string(&file).unwrap();
    let half = whole.lines().filter(|line| !line.starts_with("mypy = ")).collect::<Vec<_>>().join("\n") + "\n";
    let half = half.replace("\nhash = ", "\n# It covers all.\nhash = ");
    fs::write(&file, &half).unwrap();
    assert!(check(&[]).ends_with("not passed\n--- exit 3\n"));
    fs::write(&file, half.replace("[1, 2, 3]", "[1, 2, 4]")).unwrap();
    let refused = check(&["--stamp"]);
    assert!(refused.contains("error[prints]") && refused.contains("error[missing_key]"), "{refused}");
    fs::write(&file, &half).unwrap();
    assert!(check(&["--stamp"]).contains("\nstamped 1 question\nno problems\n--- exit 0"));
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("{half}mypy = \"1.2.3\"\n"));
    // A day to come is wrong, whatever else the stamp says.
    let text = fs::read_to_string(&file).unwrap();
    let (before, stamp) = text.split_once("[verified]").unwrap();
    let day = stamp.lines().find(|line| line.starts_with("on = ")).unwrap();
    fs::write(&file, format!("{before}[verified]{}", stamp.replace(day, "on = 2999-01-01"))).unwrap();
    let renewed = check(&["--stamp"]);
    assert!(renewed.ends_with("stamped 1 question\nno problems\n--- exit 0\n"), "{renewed}");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    // A question that is wrong earns no stamp.
    let broken = fs::read_to_string(&file).unwrap().replace("[1, 2, 3]", "[1, 2, 4]");
    fs::write(&file, &broken).unwrap();
    let refused = check(&["--stamp"]);
    assert!(refused.contains("error[prints]") && !refused.contains("stamped"), "{refused}");
    assert_eq!(fs::read_to_string(&file).unwrap(), broken);
}

/// Programs that no person writes are judged like any other.
#[test]
fn programs_that_are_deep_long_or_invalid_do_no_harm() {
    let home = Home::new();
    let small = include_str!("../fixtures/small.toml");
    let call = "print(total([1, 2, 3]))";
    let deep = format!("print({}1{})", "(".repeat(20_000), ")".repeat(20_000));
    let cases = [
        ("deep", small.replace(call, &deep)),
        ("long", small.replace(call, &format!("{call}  # {}", "x".repeat(70_000)))),
        ("broken", small.replace(call, "def (((é")),
        ("left", small.replace(call, "raise SystemExit")),
    ];
    let mut all = String::new();
    for (name, text) in cases {
        let file = format!("packs/fixture/{name}.toml");
        home.write(&file, text.replace("id = \"small\"", &format!("id = \"{name}\"")));
        all += &home.run(&["author", "check", &file]);
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

/// The line that differs is in sight, wherever it is, and so is what the eye does not see.
#[test]
fn what_a_program_printed_is_shown_where_it_differs() {
    let home = Home::new();
    let small = include_str!("../fixtures/small.toml");
    let many = "for n in range(1, 11):\n    print(n)\nprint(total([1, 2, 3]))\n'''";
    let small = small.replace("print(total([1, 2, 3]))\n'''", many);
    let lines = (1..11).map(|n| format!("{n}\n")).collect::<String>();
    let small = small.replace("\"\"\"\n3\n", &format!("\"\"\"\n{lines}3\n"));
    home.write("packs/fixture/small.toml", small.replace("\"\"\"\n6\n", &format!("\"\"\"\n{lines}6 ")));
    let mut all = home.run(&["author", "check", "packs"]);
    let document = home.run(&["author", "check", "packs", "--format", "json"]);
    let problem = document.lines().skip_while(|line| !line.contains("\"prints\"")).take(14);
    all += &problem.collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(all);
}

/// A check that is wrong by itself is told once, and nothing that follows from it.
#[test]
fn a_broken_check_is_reported_alone() {
    let home = Home::new();
    let small = include_str!("../fixtures/small.toml");
    let mut all = String::new();
    for code in ["while True: total([])", "assert total([1] == 1", "raise SystemExit", "assert False, 'never'"] {
        let other = format!("[[check]]\nname = 'the other'\ncode = '''\n{code}\n'''\n\n[say]");
        home.write("packs/fixture/small.toml", small.replace("[say]", &other));
        all += &home.run(&["author", "check", "packs"]);
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

/// What a program does not come to is told of that program, and not of its repair and its scenario as well.
#[test]
fn a_program_that_does_not_finish_is_reported_once() {
    let home = Home::new();
    let small = include_str!("../fixtures/small.toml");
    let call = "print(total([1, 2, 3]))";
    let scenario =
        "[scenario]\nwatch = [\"total([1])\"]\n[[scenario.step]]\nat = \"1\"\nwho = \"a\"\ndoes = \"b\"\n\n[say]";
    let mut all = String::new();
    for last in ["raise SystemExit", "print(total(7))", "while True: pass"] {
        let broken = small.replacen(call, last, 1).replace("[say]", scenario);
        home.write("packs/fixture/small.toml", broken);
        all += &home.run(&["author", "check", "packs"]);
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

/// Whatever a path leads to, its questions are checked once; what leads to none is told in every form.
#[test]
fn each_question_is_checked_once_and_each_useless_path_is_reported() {
    let home = Home::new();
    std::os::unix::fs::symlink("packs/fixture", home.path().join("link")).unwrap();
    std::os::unix::fs::symlink("packs/fixture/small.toml", home.path().join("link.toml")).unwrap();
    let (here, file) = (home.path().join("packs").display().to_string(), "packs/fixture/small.toml");
    for paths in [
        &["packs", "packs/fixture", file][..],
        &[file, "packs", "./packs", &here],
        &[file, "./packs/fixture/small.toml", "link.toml", "link/small.toml"],
        &["link.toml", "packs/fixture/pack.toml", "link"],
    ] {
        let said = home.run(&[&["author", "check"], paths].concat());
        assert!(said.contains("\n1 question, 9 programs\n"), "{said}");
    }
    fs::create_dir(home.path().join("empty")).unwrap();
    home.write("bare/pack.toml", include_str!("../fixtures/pack.toml"));
    home.write("notes.md", "# Notes\n");
    let mut all = String::new();
    for format in ["text", "json", "github"] {
        let paths = ["nowhere", "empty", "bare", "notes.md", file];
        all += &home.run(&[&["author", "check", "--format", format], &paths[..]].concat());
    }
    insta::assert_snapshot!(all);
    each(["nowhere", "nowhere.toml", "nowhere.md", "empty", "bare", "bare/pack.toml", "notes.md"], |path| {
        let said = home.run(&["author", "check", path]);
        assert!(said.ends_with("not passed\n--- exit 3\n"), "{said}");
    });
}

/// A preview is of one question: what can never be one is refused before the screens open.
#[test]
fn a_preview_wants_the_file_of_a_question() {
    let home = Home::new();
    home.write("notes.md", "# Notes\n");
    let all: String = ["packs/fixture/pack.toml", "packs/fixture", "nowhere.toml", "notes.md"]
        .map(|path| home.run(&["author", "preview", path]))
        .concat();
    insta::assert_snapshot!(all);
}
