//! Processes come and go as they should: nothing outlives its parent, and what dies is replaced.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fencepost::runner::{Event, Job, Limits, Runner, Sandboxed, Verdict};

use crate::runner_programs::{collect, executable, job, run, run_on};

/// Ids of the living processes whose parent is `parent`.
fn children_of(parent: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        // After the name, which may hold anything, in brackets: state and parent.
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let (state, of) = (fields.next(), fields.next());
        if state != Some("Z") && of == Some(parent.to_string().as_str()) {
            found.push(pid);
        }
    }
    found
}

fn lives(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next().map(|state| state != "Z")).unwrap_or(false)
}

/// Waits until `done`, and fails if that takes longer than `within`.
#[track_caller]
fn wait_until(what: &str, within: Duration, mut done: impl FnMut() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < within, "{what}: not within {within:?}");
        // The process is no child of this one, so there is nothing that could be waited on.
        thread::sleep(Duration::from_millis(5));
    }
}

fn signal(pid: u32, name: &str) {
    let status = Command::new("kill").arg(format!("-{name}")).arg(pid.to_string()).status().unwrap();
    assert!(status.success());
}

/// Not a test of its own: the process that the next tests start, look at and kill.
#[test]
#[ignore = "a helper of the other tests"]
fn a_parent_with_a_running_program() {
    let runner = Sandboxed::new(executable());
    let limits = Limits { wall: Duration::from_secs(30), ..Limits::default() };
    let handle = runner.start(Job { limits, ..job("import time\nprint('runs')\nwhile True: time.sleep(1)") });
    assert!(matches!(handle.next(), Some(Event::Output(_))));
    println!("\nprogram runs");
    let ending = collect(&handle, Instant::now()).ending;
    println!("{}: {}", ending.verdict.word(), ending.detail);
    println!("next run: {}", run_on(&runner, job("print('works')")).stdout().trim());
}

/// A parent in a process of its own, with a template and a child that runs a program.
struct Family {
    parent: Child,
    lines: Lines<BufReader<ChildStdout>>,
    template: u32,
    children: Vec<u32>,
}

fn start_family() -> Family {
    let mut parent = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "runner_lives::a_parent_with_a_running_program", "--ignored", "--nocapture"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(parent.stdout.take().unwrap()).lines();
    assert!(lines.by_ref().map_while(Result::ok).any(|line| line == "program runs"));
    let templates = children_of(parent.id());
    assert_eq!(templates.len(), 1, "one program needs one template");
    let children = children_of(templates[0]);
    assert!(!children.is_empty());
    Family { parent, lines, template: templates[0], children }
}

#[test]
fn nothing_outlives_a_parent_that_is_killed() {
    for name in ["KILL", "TERM"] {
        let mut family = start_family();
        signal(family.parent.id(), name);
        wait_until(name, Duration::from_secs(1), || {
            !lives(family.template) && family.children.iter().all(|&child| !lives(child))
        });
        family.parent.wait().unwrap();
    }
}

#[test]
fn a_program_does_not_outlive_its_template_and_the_next_run_works() {
    let mut family = start_family();
    signal(family.template, "KILL");
    let killed = Instant::now();
    let told: Vec<String> = family.lines.by_ref().map_while(Result::ok).take(2).collect();
    let failed = "machinery_failed: the process that runs programs failed (it ended: signal: 9 (SIGKILL)); the next run \
                  starts a new one";
    assert_eq!(told, [failed, "next run: works"]);
    wait_until("children", Duration::from_secs(1), || family.children.iter().all(|&child| !lives(child)));
    assert!(killed.elapsed() < Duration::from_secs(10));
    family.parent.wait().unwrap();
}

#[test]
fn dropping_the_runner_ends_its_processes_and_its_jobs() {
    let before = children_of(std::process::id());
    let runner = Sandboxed::new(executable());
    let handle = runner.start(job("print('runs')\nwhile True: pass"));
    assert!(matches!(handle.next(), Some(Event::Output(_))));
    let templates: Vec<u32> = children_of(std::process::id()).into_iter().filter(|pid| !before.contains(pid)).collect();
    drop(runner);
    assert_eq!(collect(&handle, Instant::now()).ending.verdict, Verdict::Stopped);
    drop(handle);
    // Another test's template may have started meanwhile and be among them; it lives on.
    wait_until("our template", Duration::from_secs(1), || templates.iter().any(|&pid| !lives(pid)));
}

#[test]
fn a_runner_without_its_program_says_so() {
    let cases = [
        (
            "/nothing/here",
            "the process that runs programs cannot be started from `/nothing/here`: No such file or directory (os error 2)",
        ),
        ("/bin/false", "the process that runs programs cannot start (it ended: exit status: 1)"),
    ];
    for (path, detail) in cases {
        let report = run_on(&Sandboxed::new(path.into()), job("print(1)"));
        assert_eq!(report.ending.verdict, Verdict::MachineryFailed);
        assert_eq!(report.ending.detail, detail);
    }
}

#[test]
fn a_program_has_four_descriptors_and_no_other() {
    let source = "\
import os
found = []
for fd in range(64):
    try:
        os.fstat(fd)
        found.append(fd)
    except OSError:
        pass
print(found)
";
    assert_eq!(run(source).stdout(), "[0, 1, 2, 3]\n");
}

#[test]
fn a_template_started_by_hand_ends_with_its_input() {
    for input in ["", "what is this?\n"] {
        let mut template = Command::new(executable())
            .arg("__template")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(template.stdin.as_mut().unwrap(), input.as_bytes()).unwrap();
        // It is locked down before it reads anything: that is what the kernel says of it.
        let status = format!("/proc/{}/status", template.id());
        wait_until("lock", Duration::from_secs(20), || {
            let status = fs::read_to_string(&status).unwrap_or_default();
            status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2")
        });
        drop(template.stdin.take());
        let output = template.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!((output.stdout.len(), output.stderr.len()), (0, 0), "{output:?}");
    }
}
