//! Costs of grading a class, beside one `python3 -I -S` process for each program that is run.
//!
//! `cargo bench --locked --bench quiz` prints a table; nothing is asserted. `FENCEPOST_BENCH_EXECUTABLE` names another
//! build of the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fencepost::content::load;
use fencepost::runner::cpython::Interpreter;

/// Learners in the class.
const LEARNERS: usize = 2_000;

/// Processes of CPython that are started for a comparison.
const PROCESSES: usize = 50;

fn main() {
    let named = std::env::var_os("FENCEPOST_BENCH_EXECUTABLE");
    let executable = named.map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_fencepost")), PathBuf::from);
    let catalog = load::load(&[]).expect("the shipped questions are built in");
    let entry = catalog.find("leases/fencing-tokens").expect("the first question is shipped");
    let question = &entry.question;
    let folder = tempfile::tempdir().expect("a folder");
    for learner in 0..LEARNERS {
        // Most repairs are right, some are the buggy program.
        let fix = if learner % 5 == 0 { question.spot.code.clone() } else { question.repaired() };
        let answer = serde_json::json!({ "question": "fencing-tokens", "line": 8, "fix": fix });
        fs::write(folder.path().join(format!("learner-{learner:04}.jsonl")), format!("{answer}\n")).expect("a file");
    }
    let begin = Instant::now();
    let output = Command::new(&executable)
        .args(["quiz", "fencing-tokens", "--weights", "line=1,fix=2", "--answers"])
        .arg(folder.path())
        .stderr(Stdio::null())
        .output()
        .expect("the program starts");
    let took = begin.elapsed();
    let table = String::from_utf8_lossy(&output.stdout);
    let rows: Vec<serde_json::Value> = table.lines().filter_map(|row| serde_json::from_str(row).ok()).collect();
    let passed = rows.iter().filter(|row| row["passed"] == true).count();
    let runs = LEARNERS * (question.checks.len() + 1);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    println!("{} rows, {passed} passed, {runs} programs run on {cores} cores", rows.len());
    println!("{:<44}{:>10.1} s", format!("a class of {LEARNERS} with fixes"), took.as_secs_f64());
    println!("{:<44}{:>10.2} ms", "one program", took.as_secs_f64() * 1e3 / runs as f64);
    match Interpreter::find_any() {
        Ok(python) => {
            let one = python_process(&python.executable);
            println!("{:<44}{:>10.2} ms", "one python3 -I -S process for an empty program", one.as_secs_f64() * 1e3);
            let ratio = took.as_secs_f64() / runs as f64 / one.as_secs_f64();
            println!("{:<44}{ratio:>10.2}", "one program / one CPython process");
        }
        Err(_) => println!("no python3 on the PATH: nothing to compare with"),
    }
}

/// The time of one process, when they run one after the other.
fn python_process(python: &Path) -> Duration {
    let begin = Instant::now();
    for _ in 0..PROCESSES {
        let _ = Command::new(python).args(["-I", "-S", "-c", ""]).status();
    }
    begin.elapsed() / u32::try_from(PROCESSES).unwrap_or(1)
}
