//! What it costs to run programs, beside one `python3 -I -S` process for each program.
//!
//! `cargo bench --locked --bench runner` prints a table. Every figure is compared with CPython's in the same run, since
//! machines differ and drift; nothing is asserted. `FENCEPOST_BENCH_EXECUTABLE` names another build of the program.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fencepost::content::load;
use fencepost::runner::cpython::Interpreter;
use fencepost::runner::outcome::Outcome;
use fencepost::runner::{Job, Limits, Mode, Runner, Sandboxed, Verdict};

/// Rounds over all questions for a median.
const ROUNDS: usize = 10;

/// Programs that are started at once.
const MANY: usize = 3_000;

fn main() {
    let named = std::env::var_os("FENCEPOST_BENCH_EXECUTABLE");
    let executable = named.map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_fencepost")), PathBuf::from);
    let programs = programs();
    // The interpreter itself: what is called python3 on a PATH may be a script that looks for one.
    let python = Interpreter::find_any().map(|found| found.executable);

    let mut cold = Vec::new();
    for (buggy, fixed) in programs.iter().take(ROUNDS) {
        let runner = Sandboxed::new(executable.clone());
        cold.push(pair(&runner, buggy, fixed));
    }
    let runner = Sandboxed::new(executable);
    let _ = pair(&runner, &programs[0].0, &programs[0].1);
    let mut warm = Vec::new();
    for _ in 0..ROUNDS {
        for (buggy, fixed) in &programs {
            warm.push(pair(&runner, buggy, fixed));
        }
    }
    let begin = Instant::now();
    let started: Vec<_> =
        (0..MANY).map(|n| programs[n % programs.len()].0.clone()).map(|source| runner.start(job(source))).collect();
    let finished = started.iter().filter_map(Outcome::wait).filter(|it| it.ending.verdict == Verdict::Finished).count();
    let many = begin.elapsed();

    println!("programs of {} questions without asyncio; median of the runs", programs.len());
    println!("{:<44}{:>12}", "cold: start a template, run both", shown(median(&mut cold)));
    println!("{:<44}{:>12}", "warm: run both", shown(median(&mut warm)));
    println!("{:<44}{:>12}  ({finished} finished)", format!("{MANY} programs"), shown(many));
    let Ok(python) = python else {
        println!("no python3 on the PATH: nothing to compare with");
        return;
    };
    let mut one = Vec::new();
    for _ in 0..ROUNDS {
        one.extend(programs.iter().filter_map(|(buggy, _)| self::python(&python, buggy)));
    }
    let one = median(&mut one);
    let both = median(&mut warm);
    println!("{:<44}{:>12}", "python3 -I -S, one program", shown(one));
    println!("warm run of both / two CPython processes:  {:.2}", both.as_secs_f64() / (2.0 * one.as_secs_f64()));
    println!(
        "one of {MANY} programs / one CPython process: {:.2}",
        many.as_secs_f64() / MANY as f64 / one.as_secs_f64()
    );
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

/// How long one CPython process takes for `source`; `None` where there is no CPython.
fn python(executable: &Path, source: &str) -> Option<Duration> {
    let begin = Instant::now();
    let mut command = Command::new(executable);
    command.args(["-I", "-S", "-c", source]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().ok().filter(std::process::ExitStatus::success).map(|_| begin.elapsed())
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn shown(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1000.0)
}
