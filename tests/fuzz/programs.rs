//! Programs that are nearly right, and programs that mean harm: whatever they are, the parent ends each job with one
//! verdict and goes on, and no process is left.

use std::path::Path;
use std::time::Duration;

use fencepost::content::load;
use fencepost::runner::{Job, Limits, Mode, Sandboxed, Scenario, Verdict};

use super::{Plan, Random};
use crate::cases::{PATIENCE, wait_until};
use crate::runner_programs::{check, job, named_executable, processes, run_on};

/// Statements that are known to hurt.
const HOSTILE: &[&str] = &[
    "x = x * 2",
    "print('x' * 5000)",
    "import os; os.write(3, b'\\x10\\0\\0\\0')",
    "import os; os.write(1, b'\\xff\\xfe')",
    "import os; os.close(3)",
    "import os; os.closerange(0, 64)",
    "import os; os._exit(1)",
    "import os; os._exit(77)",
    "import os; os.abort()",
    "import os; os.kill(os.getpid(), 11)",
    "import os; os.fork()",
    "raise SystemExit(2)",
    "raise KeyboardInterrupt",
    "raise MemoryError",
    "raise ValueError('x' * 5000)",
    "while True: pass",
    "x = 'x' * 10**9",
    "x = [x] * 10**7",
    "print('\\x1b[2J' * 100)",
    "print(chr(0xDC80))",
    "import threading; threading.Thread(target=print, args=('t',)).start()",
    "import threading; threading.Thread(target=lambda: 1/0).start()",
    "import sys; sys.stdout = None",
    "import sys; sys.stdout.close()",
    "import sys; sys.stderr = 3",
    "import sys; sys.settrace(lambda *a: 1/0)",
    "import sys; sys.setprofile(print)",
    "import sys; sys.setrecursionlimit(10**9)",
    "import sys; sys.modules.clear()",
    "import sys; sys.excepthook = None",
    "import atexit; atexit.register(lambda: 1/0)",
    "import gc; gc.collect()",
    "import signal; signal.alarm(1)",
    "import signal; signal.signal(15, lambda *a: None)",
    "del __builtins__",
    "import builtins; builtins.print = None",
    "import builtins; builtins.__dict__.clear()",
    "def f(a=1): return f(a)",
    "f()",
    "eval('(' * 999)",
    "__import__('json').loads('[' * 999)",
    "exec(print.__doc__)",
    "class A:\n    def __repr__(self): return self.x",
    "class A:\n    def __del__(self): print('gone'); 1/0",
    "class A(BaseException):\n    def __str__(self):\n        while 1: pass",
    "raise A",
    "x = A()",
    "async def g(): pass",
    "import asyncio; asyncio.run(g())",
    "f'{1!r:>{9}}'",
    "import time; time.sleep(9)",
    "import queue; queue.Queue().get()",
];

/// Words and marks that fit, or do not, where another stood.
const TOKENS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    ".",
    "=",
    "==",
    "+",
    "-",
    "*",
    "**",
    "/",
    "//",
    "%",
    "@",
    ":=",
    "->",
    "\\",
    "\"\"\"",
    "'",
    "#",
    "\t",
    "    ",
    "\0",
    "\u{202e}",
    "\u{fe0f}",
    "0",
    "1",
    "-1",
    "1e999",
    "0x",
    "10**20",
    "None",
    "True",
    "self",
    "x",
    "_",
    "__class__",
    "lambda: ",
    "not ",
    "await ",
    "yield ",
    "yield from ",
    "return ",
    "raise ",
    "global x",
    "del ",
    "in ",
    "is ",
    "if ",
    "else",
    "for x in ",
    "while ",
    "with ",
    "try:",
    "except:",
    "finally:",
    "class ",
    "def ",
    "async ",
    "match ",
    "case ",
    "import ",
    "from ",
    "*",
    "f'{",
    "}'",
    "b'",
    "type ",
    "[T]",
    "...",
];

/// The programs of every shipped question, cut into lines.
fn seeds() -> Vec<Vec<String>> {
    let catalog = load::load(&[]).expect("the shipped questions are built in");
    let questions = catalog.questions.iter().map(|entry| &entry.question);
    let sources = questions.flat_map(|question| [&question.spot.code, &question.fixed.code]);
    sources.map(|source| source.lines().map(str::to_owned).collect()).collect()
}

/// A statement at the depth of a line.
fn indented(statement: &str, line: &str) -> String {
    let depth = &line[..line.len() - line.trim_start().len()];
    statement.lines().map(|part| format!("{depth}{part}")).collect::<Vec<_>>().join("\n")
}

/// Places in a line where a word begins or ends.
fn seams(line: &str) -> Vec<usize> {
    let mut seams: Vec<usize> = line.char_indices().filter(|(_, c)| !c.is_alphanumeric()).map(|(at, _)| at).collect();
    seams.extend([0, line.len()]);
    seams.sort_unstable();
    seams.dedup();
    seams
}

fn program(random: &mut Random, seeds: &[Vec<String>]) -> String {
    let mut lines = if random.once_in(4) {
        (0..1 + random.below(8)).map(|_| (*random.pick(HOSTILE)).to_owned()).collect()
    } else {
        random.pick(seeds).clone()
    };
    for _ in 0..random.below(5) {
        let at = random.below(lines.len());
        let Some(line) = lines.get(at).cloned() else { break };
        match random.below(9) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, line),
            2 => {
                let other = random.below(lines.len());
                lines.swap(at, other);
            }
            3 => {
                let hostile = random.pick(HOSTILE);
                lines.insert(at, indented(hostile, &line));
            }
            4 => lines[at] = format!("    {line}"),
            5 => lines[at] = line.strip_prefix("    ").unwrap_or(&line).to_owned(),
            6 => {
                let other = random.pick(seeds);
                let part = random.range(other.len());
                lines.splice(at..at, other[part].iter().cloned());
            }
            7 => {
                let token = random.pick(TOKENS);
                lines[at] = line.replace(|c: char| c.is_ascii_digit(), token);
            }
            _ => {
                let seams = seams(&line);
                let (from, to) = (*random.pick(&seams), *random.pick(&seams));
                lines[at] = format!("{}{}{}", &line[..from], random.pick(TOKENS), &line[to.max(from)..]);
            }
        }
    }
    lines.join("\n") + "\n"
}

fn mode(random: &mut Random) -> Mode {
    let mut statement = || (*random.pick(HOSTILE)).to_owned();
    let (first, second) = (statement(), statement());
    match random.below(4) {
        0 => Mode::Run,
        1 => Mode::Trace,
        2 => Mode::Check(vec![check("first", &first), check("second", &second)]),
        _ => Mode::Scenario(Scenario {
            setup: first,
            watch: vec!["x".to_owned(), "globals()".to_owned()],
            steps: vec![Some(second), None, Some("x".to_owned())],
        }),
    }
}

#[track_caller]
fn wait_for_processes(path: &Path, most: usize) {
    wait_until(&format!("at most {most} processes"), PATIENCE, || processes(path) <= most);
}

#[test]
fn no_program_breaks_the_parent() {
    let seeds = seeds();
    let limits = Limits { wall: Duration::from_millis(200), memory: 64 << 20, output: 4096, steps: 50, trace: 1 << 14 };
    let folder = tempfile::tempdir().unwrap();
    let path = named_executable(folder.path());
    let runner = Sandboxed::new(path.clone());
    let mut plan = Plan::from_environment();
    while let Some((run, mut random)) = plan.next() {
        let source = program(&mut random, &seeds);
        let mode = mode(&mut random);
        let told = format!("seed {}, run {run}, {mode:?}:\n{source}", plan.seed);
        let checks = if let Mode::Check(checks) = &mode { checks.len() } else { 0 };
        let report = run_on(&runner, Job { mode, limits, ..job(&source) });
        let ended = report.ending.verdict;
        let told = format!("{told}\n{ended:?}: {}", report.ending.detail);
        assert_eq!(report.checks.len(), checks, "{told}");
        assert!(report.chunks.iter().map(|chunk| chunk.text.len()).sum::<usize>() <= limits.output, "{told}");
        assert!(report.steps.len() <= limits.steps && report.rows.len() <= 3, "{told}");
        assert!(report.took < Duration::from_secs(10), "{told}");
        assert!(!matches!(ended, Verdict::MachineryFailed | Verdict::Refused | Verdict::Stopped), "{told}");
        plan.count(ended);
        if run % 16 == 0 {
            let next = run_on(&runner, job("print('still here')"));
            assert_eq!((next.ending.verdict, next.stdout().as_str()), (Verdict::Finished, "still here\n"), "{told}");
        }
    }
    plan.report("programs");
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    // A template for each core, each with two children that wait.
    wait_for_processes(&path, 3 * cores);
    drop(runner);
    wait_for_processes(&path, 0);
}
