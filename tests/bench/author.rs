//! Costs of proving a thousand questions, beside one `python3 -I -S` process for each of their programs.
//!
//! `cargo bench --locked --bench author` prints a table. The questions are the shipped ones, over and over under new ids, so
//! that they are what authors write: with asyncio, SQLite and programs that never end for want of a line. The CPython
//! processes are sampled, and both figures come from the same run, since machines differ and drift; nothing is asserted.
//! `FENCEPOST_BENCH_EXECUTABLE` names another build of the program, `FENCEPOST_BENCH_QUESTIONS` another number.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fencepost::content::load;
use fencepost::content::question::lines;
use fencepost::runner::cpython::Interpreter;

/// Questions that are proved.
const MANY: usize = 1_000;

/// CPython processes that are timed: every program of the shipped questions, but no more than this.
const SAMPLE: usize = 300;

fn main() {
    let named = std::env::var_os("FENCEPOST_BENCH_EXECUTABLE");
    let executable = named.map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_fencepost")), PathBuf::from);
    let many = std::env::var("FENCEPOST_BENCH_QUESTIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(MANY);
    let folder = tempfile::tempdir().expect("a folder for the questions");
    generate(folder.path(), many);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);

    let begun = Instant::now();
    let output = Command::new(executable)
        .args(["author", "check", "--format", "json"])
        .arg(folder.path().join("many"))
        .stderr(Stdio::inherit())
        .output()
        .expect("the program starts");
    let took = begun.elapsed();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
    let programs = report["programs"].as_u64().unwrap_or(0);
    println!("{many} questions, {programs} programs, {cores} cores");
    println!("{:<52}{:>10.1} s   passed: {}", "author check", took.as_secs_f64(), report["passed"]);

    let Ok(python) = Interpreter::find_any().map(|found| found.executable) else {
        println!("no python3 on the PATH: nothing to compare with");
        return;
    };
    let sample = sample();
    let begun = Instant::now();
    for source in &sample {
        run(&python, source);
    }
    let each = begun.elapsed().div_f64(sample.len() as f64);
    let all = each.mul_f64(programs as f64);
    let shared = all.div_f64(cores as f64);
    println!(
        "{:<52}{:>10.2} ms",
        format!("one CPython process, mean of {}", sample.len()),
        each.as_secs_f64() * 1000.0
    );
    for (name, time) in [("one CPython process for each program", all), ("the same on every core", shared)] {
        println!("{name:<52}{:>10.1} s   {:.1} times as long", time.as_secs_f64(), time.div_duration_f64(took));
    }
}

/// Writes a pack with `many` questions: the shipped ones under new ids.
fn generate(folder: &Path, many: usize) {
    let pack = folder.join("many");
    fs::create_dir(&pack).expect("a folder for the pack");
    let content = Path::new(env!("CARGO_MANIFEST_DIR")).join("content");
    let questions = load::load(&[]).expect("the shipped questions").questions;
    for number in 0..many {
        let entry = &questions[number % questions.len()];
        let id = &entry.name.id;
        let text = fs::read_to_string(content.join(&entry.name.pack).join(format!("{id}.toml"))).expect("its file");
        let text = text.replacen(&format!("id = \"{id}\""), &format!("id = \"{id}-{number}\""), 1);
        fs::write(pack.join(format!("{id}-{number}.toml")), text).expect("a file of the pack");
    }
    let description = "format = 1\ntitle = \"Many\"\nsummary = \"Many.\"\nauthors = [\"a bench\"]\nlicence = \"MIT\"\n\
                       report = \"nowhere\"\n";
    fs::write(pack.join("pack.toml"), description).expect("the pack's description");
}

/// Programs as the proofs run them: buggy, fixed, repaired, and without a line.
fn sample() -> Vec<String> {
    let mut all = Vec::new();
    for entry in load::load(&[]).expect("the shipped questions").questions {
        let question = &entry.question;
        all.extend([question.spot.code.clone(), question.fixed.code.clone(), question.repaired()]);
        let program = lines(&question.spot.code);
        for gone in (0..program.len()).filter(|&index| !program[index].trim().is_empty()) {
            let kept = program.iter().enumerate().filter(|(index, _)| *index != gone);
            all.push(kept.map(|(_, line)| format!("{line}\n")).collect());
        }
    }
    all.truncate(SAMPLE);
    all
}

/// One program in a process of its own, for no longer than a proof would wait.
fn run(python: &Path, source: &str) {
    const PATIENCE: Duration = Duration::from_millis(50);
    let mut command = Command::new(python);
    command.args(["-I", "-S", "-c", source]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return };
    let until = Instant::now() + PATIENCE;
    while matches!(child.try_wait(), Ok(None)) {
        if Instant::now() >= until {
            // It may have ended by itself in this moment.
            let _ = child.kill();
            let _ = child.wait();
            return;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
}
