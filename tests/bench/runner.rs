//! Costs of running programs, beside one `python3 -I -S` process for each program.
//!
//! `cargo bench --locked --bench runner` prints one table: start, warm run, many programs, peak memory. Every figure stands
//! beside CPython's in the same run, since machines differ and drift, and what has to be compared is measured in turn;
//! nothing is asserted. `FENCEPOST_BENCH_EXECUTABLE` names another build of the program.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fencepost::content::load;
use fencepost::runner::cpython::Interpreter;
use fencepost::runner::recording::Outcome;
use fencepost::runner::{Job, Limits, Mode, Runner, Sandboxed, Verdict};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};

/// Rounds over all questions for a median.
const ROUNDS: usize = 10;

/// Programs that are started at once.
const MANY: usize = 3_000;

/// Between two presses of a key. Nobody is faster, and the children that wait ready are made in it.
const PAUSE: Duration = Duration::from_millis(100);

fn main() {
    let named = std::env::var_os("FENCEPOST_BENCH_EXECUTABLE");
    let executable = named.map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_fencepost")), PathBuf::from);
    let programs = programs();
    // The interpreter itself: what is called python3 on a PATH may be a script that looks for one.
    let python = Interpreter::find_any().map(|found| found.executable).ok();
    let python = |source: &str| python.as_deref().and_then(|python| self::python(python, source));
    let (mut one, mut cold, mut warm, mut in_a_row) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (buggy, fixed) in &programs {
        cold.push(pair(&Sandboxed::new(executable.clone()), buggy, fixed));
        one.extend(python(buggy));
    }
    let runner = Sandboxed::new(executable.clone());
    let _ = pair(&runner, &programs[0].0, &programs[0].1);
    for _ in 0..ROUNDS {
        for (buggy, fixed) in &programs {
            thread::sleep(PAUSE);
            warm.push(pair(&runner, buggy, fixed));
            one.extend(python(buggy));
        }
    }
    for _ in 0..ROUNDS {
        in_a_row.extend(programs.iter().map(|(buggy, fixed)| pair(&runner, buggy, fixed)));
        one.extend(programs.iter().filter_map(|(buggy, _)| python(buggy)));
    }
    let begin = Instant::now();
    let started: Vec<_> =
        (0..MANY).map(|n| programs[n % programs.len()].0.clone()).map(|source| runner.start(job(source))).collect();
    let finished = started.iter().filter_map(Outcome::wait).filter(|it| it.ending.verdict == Verdict::Finished).count();
    let many = begin.elapsed();
    one.extend(programs.iter().filter_map(|(buggy, _)| python(buggy)));

    println!("programs of {} questions without asyncio; medians, {finished} of {MANY} finished\n", programs.len());
    let one = (!one.is_empty()).then(|| median(&mut one));
    println!("{:<40}{:>12}{:>16}", "", "", "CPython = 1");
    let row = |what: &str, time: Duration, processes: usize| {
        let ratio = one.map(|one| time.as_secs_f64() / (one.as_secs_f64() * processes as f64));
        println!("{what:<40}{:>12}{:>16}", shown(time), ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}")));
    };
    row("cold: start a template, run both", median(&mut cold), 2);
    row("warm: run both at the press of a key", median(&mut warm), 2);
    row("run both, again and again", median(&mut in_a_row), 2);
    row(&format!("{MANY} programs"), many, MANY);
    match one {
        Some(one) => row("python3 -I -S, one program", one, 1),
        None => println!("no python3 on the PATH: nothing to compare with"),
    }
    drop(runner);
    memory(&executable, &python);
}

/// The buggy and the fixed program of every shipped question that does not use asyncio.
fn programs() -> Vec<(String, String)> {
    let catalog = load::load(&[]).expect("the shipped questions are built in");
    let questions = catalog.questions.iter().map(|entry| &entry.question);
    let plain = questions.filter(|question| !question.spot.code.contains("asyncio"));
    plain.map(|question| (question.spot.code.clone(), question.fixed.code.clone())).collect()
}

fn job(source: String) -> Job {
    Job { source, mode: Mode::Run, limits: Limits { wall: Limits::MAX_WALL, ..Limits::default() } }
}

/// From the start of both programs to the last event of both.
fn pair(runner: &Sandboxed, buggy: &str, fixed: &str) -> Duration {
    let begin = Instant::now();
    let started = [buggy, fixed].map(|source| runner.start(job(source.to_owned())));
    for handle in &started {
        let outcome = Outcome::wait(handle).expect("a job always ends");
        assert_eq!(outcome.ending.verdict, Verdict::Finished, "{}", outcome.ending.detail);
    }
    begin.elapsed()
}

/// Time that one CPython process takes for `source`; `None` if it fails.
fn python(executable: &Path, source: &str) -> Option<Duration> {
    let begin = Instant::now();
    let mut command = Command::new(executable);
    command.args(["-I", "-S", "-c", source]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().ok().filter(std::process::ExitStatus::success).map(|_| begin.elapsed())
}

/// Prints what each kind of process holds in memory: at its peak, and what it would give back if it ended now.
fn memory(executable: &Path, python: &dyn Fn(&str) -> Option<Duration>) {
    println!("\n{:<40}{:>12}{:>16}", "memory", "peak", "its share now");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pair = native_pty_system().openpty(PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 });
    let pair = pair.expect("a pseudo-terminal");
    let mut command = CommandBuilder::new(executable);
    command.args(["--data-dir", &folder.path().display().to_string()]);
    command.env("TERM", "xterm-256color");
    let mut tutor = pair.slave.spawn_command(command).expect("the tutor starts");
    let mut screen = pair.master.try_clone_reader().expect("the screen can be read");
    thread::spawn(move || while matches!(screen.read(&mut [0; 4096]), Ok(length) if length > 0) {});
    let tutor_id = tutor.process_id().unwrap_or_default();
    let until = Instant::now() + Duration::from_secs(20);
    let (mut templates, mut spares) = (Vec::new(), Vec::new());
    while spares.len() < 2 && Instant::now() < until {
        thread::sleep(PAUSE);
        templates = children_of(tutor_id);
        spares = templates.iter().flat_map(|&template| children_of(template)).collect();
    }
    thread::sleep(PAUSE);
    let named = [("the tutor, on its first screen", Some(tutor_id)), ("a warm template", templates.first().copied())];
    for (what, id) in named.into_iter().chain([("a child that waits", spares.first().copied())]) {
        let held =
            |file: &str, field| id.and_then(|id| held(&fs::read_to_string(format!("/proc/{id}/{file}")).ok()?, field));
        println!("{what:<40}{:>12}{:>16}", in_mib(held("status", "VmHWM:")), in_mib(held("smaps_rollup", "Pss:")));
    }
    let _ = tutor.kill();
    let _ = tutor.wait();
    let file = folder.path().join("status");
    let source = format!("open({:?}, 'w').write(open('/proc/self/status').read())", file.display().to_string());
    if python(&source).is_some() {
        let peak = fs::read_to_string(file).ok().and_then(|status| held(&status, "VmHWM:"));
        println!("{:<40}{:>12}", "python3 -I -S", in_mib(peak));
    }
}

/// A field of `/proc/<id>/status` or `smaps_rollup`, in KiB.
fn held(text: &str, field: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix(field)?.trim().strip_suffix(" kB")?.parse().ok())
}

fn in_mib(kib: Option<f64>) -> String {
    kib.map_or_else(|| "?".to_owned(), |kib| format!("{:.1} MiB", kib / 1024.0))
}

fn children_of(parent: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
    let children = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    children.flat_map(|ids| ids.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn shown(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1000.0)
}
