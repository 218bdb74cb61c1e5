//! Processes come and go as they should: nothing outlives its parent, and what dies is replaced.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use fencepost::runner::{Event, Job, Limits, Runner, Sandboxed, Verdict};

use crate::cases::{PATIENCE, each, wait_until};
use crate::runner_programs::{collect, executable, job, named_executable, processes, run, run_on};

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

fn start_family(helper: &str) -> Family {
    let mut parent = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("runner_lives::{helper}"), "--ignored", "--nocapture"])
        .stdin(Stdio::piped())
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
    each(["KILL", "TERM"], |name| {
        let mut family = start_family("a_parent_with_a_running_program");
        signal(family.parent.id(), name);
        wait_until(name, Duration::from_secs(1), || {
            !lives(family.template) && family.children.iter().all(|&child| !lives(child))
        });
        family.parent.wait().unwrap();
    });
}

#[test]
fn a_program_does_not_outlive_its_template_and_the_next_run_works() {
    let mut family = start_family("a_parent_with_a_running_program");
    signal(family.template, "KILL");
    let told: Vec<String> = family.lines.by_ref().map_while(Result::ok).take(2).collect();
    let failed = "machinery_failed: the process that runs programs failed (it ended: signal: 9 (SIGKILL)); the next run \
                  starts a new one";
    assert_eq!(told, [failed, "next run: works"]);
    // They were gone before the end was told.
    assert!(family.children.iter().all(|&child| !lives(child)));
    family.parent.wait().unwrap();
}

/// Not a test of its own: a process that lives on after it has dropped its runner, which it does at its first line of
/// input, and ends at the second.
#[test]
#[ignore = "a helper of the next test"]
fn a_parent_that_drops_its_runner() {
    let mut lines = std::io::stdin().lines();
    let runner = Sandboxed::new(executable());
    let limits = Limits { wall: Duration::from_secs(30), ..Limits::default() };
    let handle = runner.start(Job { limits, ..job("print('runs')\nwhile True: pass") });
    assert!(matches!(handle.next(), Some(Event::Output(_))));
    println!("\nprogram runs");
    lines.next();
    drop(runner);
    println!("{}", collect(&handle, Instant::now()).ending.verdict.word());
    lines.next();
}

#[test]
fn dropping_the_runner_ends_its_processes_and_its_jobs() {
    let mut family = start_family("a_parent_that_drops_its_runner");
    let mut input = family.parent.stdin.take().unwrap();
    writeln!(input).unwrap();
    assert_eq!(family.lines.next().unwrap().unwrap(), "stopped");
    wait_until("template and children", PATIENCE, || {
        !lives(family.template) && family.children.iter().all(|&child| !lives(child))
    });
    assert!(lives(family.parent.id()), "they have not merely followed it");
    writeln!(input).unwrap();
    assert!(family.parent.wait().unwrap().success());
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
    each(cases, |(path, detail)| {
        let report = run_on(&Sandboxed::new(path.into()), job("print(1)"));
        assert_eq!(report.ending.verdict, Verdict::MachineryFailed);
        assert_eq!(report.ending.detail, detail);
    });
}

/// Not a test of its own: a process that has no descriptors left when it starts a job.
#[test]
#[ignore = "a helper of the next test"]
fn a_parent_without_descriptors() {
    let runner = Sandboxed::new(executable());
    runner.inspect().unwrap();
    let mut open = Vec::new();
    while let Ok(file) = fs::File::open("/dev/null") {
        open.push(file);
    }
    // Other limits than those that spare children are made for.
    let limits = Limits { memory: 100 << 20, ..Limits::default() };
    let ending = run_on(&runner, Job { limits, ..job("print(1)") }).ending;
    drop(open);
    println!("\n{}: {}", ending.verdict.word(), ending.detail);
    println!("next run: {}", run_on(&runner, job("print('works')")).stdout().trim());
}

#[test]
fn a_job_that_gets_no_descriptors_ends() {
    let output = Command::new("sh")
        .args(["-c", "ulimit -n 64; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "runner_lives::a_parent_without_descriptors", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let failed = "machinery_failed: no process for the program can be made: Too many open files (os error 24)";
    assert!(told.contains(&format!("\n{failed}\nnext run: works\n")), "{told}");
}

/// Not a test of its own: a process that may make threads and start programs, but not fork, like one whose user has as many
/// processes as the system lets it have. Its templates inherit that.
#[test]
#[ignore = "a helper of the next test"]
fn a_parent_whose_templates_cannot_fork() {
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    };
    let shares_memory =
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(libc::CLONE_VM as u64), 0);
    let rules = vec![(libc::SYS_clone, vec![SeccompRule::new(vec![shares_memory.unwrap()]).unwrap()])];
    let refused = SeccompAction::Errno(libc::EAGAIN as u32);
    let architecture = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules.into_iter().collect(), SeccompAction::Allow, refused, architecture).unwrap();
    seccompiler::apply_filter(&BpfProgram::try_from(filter).unwrap()).unwrap();
    let ending = run_on(&Sandboxed::new(executable()), job("print(1)")).ending;
    println!("\n{}: {}", ending.verdict.word(), ending.detail);
}

#[test]
fn a_template_that_cannot_fork_is_no_crash_of_the_program() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "runner_lives::a_parent_whose_templates_cannot_fork", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let failed =
        "machinery_failed: no process for the program can be made: Resource temporarily unavailable (os error 11)";
    assert!(told.contains(&format!("\n{failed}\n")), "{told}");
}

#[test]
fn a_child_that_waited_is_like_one_that_did_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = named_executable(folder.path());
    let runner = Sandboxed::new(path.clone());
    runner.prewarm();
    let source = "\
import atexit, gc, linecache, os, sys, threading
print(gc.isenabled(), gc.collect(), [type(it) for it in gc.garbage])
print(len(object.__subclasses__()), len(BaseException.__subclasses__()))
print(sorted(sys.modules), sys.argv, sorted(globals()), sorted(linecache.cache))
print(threading.enumerate(), threading.Thread().name, atexit._ncallbacks(), os.write.__name__, sys.excepthook.__name__)
print(sys.exc_info(), sys.gettrace(), sys.getprofile(), sys.stdin.read(), sys.getrecursionlimit(), sys.getswitchinterval())
";
    // A template and two children that wait, as it keeps them once it has loaded everything.
    wait_until("children that wait", PATIENCE, || processes(&path) == 3);
    let waited = run_on(&runner, job(source));
    // None waits with another limit.
    let limits = Limits { memory: 200 << 20, ..Limits::default() };
    let fresh = run_on(&runner, Job { limits, ..job(source) });
    assert_eq!(waited.transcript(), fresh.transcript());
    assert_eq!((waited.ending.verdict, fresh.ending.verdict), (Verdict::Finished, Verdict::Finished));
}

/// A program that is no template but answers like one, in `sh`.
fn pretender(folder: &Path, script: &str) -> PathBuf {
    let path = folder.join("pretender");
    // Written by another process: while one of this process' threads starts a program, a file that is open for writing
    // here could not be run.
    let write = "printf '%s' \"$1\" > \"$2\" && chmod +x \"$2\"";
    let status = Command::new("sh").args(["-c", write, "sh", script]).arg(&path).status().unwrap();
    assert!(status.success());
    path
}

#[test]
fn a_template_that_gets_ready_and_dies_is_not_started_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let hello = r#"{"pid":0,"engine":{"name":"x","version":"1","python":"3.14.0","sandbox":"full"},"missing":[],"refused":null}"#;
    // Length, kind and an empty key; then it dies of the first thing that it is asked.
    let head = format!("\\{:03o}\\000\\000\\000\\003{}", 17 + hello.len(), "\\000".repeat(16));
    let starts = folder.path().join("starts");
    let script = format!(
        "#!/bin/sh\necho >> '{}'\nprintf '{head}{hello}' >&0\ndd bs=1 count=1 >/dev/null 2>&1\necho no luck >&2\nexit 3\n",
        starts.display()
    );
    let runner = Sandboxed::new(pretender(folder.path(), &script));
    let report = run_on(&runner, job("print(1)"));
    let detail = "the process that runs programs fails again and again (it ended: no luck)";
    assert_eq!((report.ending.verdict, report.ending.detail.as_str()), (Verdict::MachineryFailed, detail));
    assert_eq!(fs::read_to_string(starts).unwrap().lines().count(), 3);
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
    each(["", "what is this?\n"], |input| {
        let mut template = Command::new(executable())
            .arg("__template")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        template.stdin.as_mut().unwrap().write_all(input.as_bytes()).unwrap();
        // It is locked down before it reads anything: that is what the kernel says of it.
        let status = format!("/proc/{}/status", template.id());
        wait_until("lock", PATIENCE, || {
            let status = fs::read_to_string(&status).unwrap_or_default();
            status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2")
        });
        drop(template.stdin.take());
        let output = template.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!((output.stdout.len(), output.stderr.len()), (0, 0), "{output:?}");
    });
}
