//! Seeded, time-boxed mutation of programs: whatever they are, the parent ends each job with one verdict and goes on.
//!
//! Runs for a second or two by default. `FENCEPOST_FUZZ_SECONDS` makes it longer, `FENCEPOST_FUZZ_SEED` another one; a
//! failure prints the seed and the program.

use std::time::{Duration, Instant};

use fencepost::runner::{Job, Limits, Mode, Scenario};

use crate::runner_programs::{assert_next_run_works, check, job, run_job};

/// Pieces that are known to hurt, and pieces that make them hold together.
const PIECES: &[&str] = &[
    "x = [1, 2]\n",
    "x = x * 2\n",
    "print(x)\n",
    "def f(a=1): return f(a)\n",
    "f()\n",
    "class A:\n    def __repr__(self): return self.x\n",
    "A()\n",
    "import os\n",
    "os.write(3, b'\\x10\\0\\0\\0')\n",
    "os.write(1, b'\\xff\\xfe')\n",
    "os.close(3)\n",
    "os._exit(1)\n",
    "os.abort()\n",
    "raise SystemExit(2)\n",
    "raise ValueError('x' * 5000)\n",
    "while True: pass\n",
    "x = 'x' * 10**9\n",
    "print('\\x1b[2J' * 100)\n",
    "import threading\n",
    "threading.Thread(target=print, args=('t',)).start()\n",
    "import sys\n",
    "sys.stdout = None\n",
    "sys.settrace(lambda *a: 1/0)\n",
    "del __builtins__\n",
    "try:\n    1/0\nfinally:\n    pass\n",
    "(",
    ")",
    "[",
    "\"\"\"",
    "\\",
    "\u{202e}",
    "\0",
    "\t",
    " ",
    "\n",
    ":",
    "lambda: ",
    "async def g(): pass\n",
    "import asyncio; asyncio.run(g())\n",
    "f'{1!r:>{9}}'\n",
    "eval('(' * 999)\n",
    "__import__('json').loads('[' * 999)\n",
    "exec(print.__doc__)\n",
];

/// xorshift64*: small, seeded, the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap_or(0) % end.max(1)
    }
}

fn from_environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn program(random: &mut Random) -> String {
    let mut source: String = (0..1 + random.below(12)).map(|_| PIECES[random.below(PIECES.len())]).collect();
    for _ in 0..random.below(3) {
        let places: Vec<usize> = source.char_indices().map(|(at, _)| at).collect();
        let at = places.get(random.below(places.len())).copied().unwrap_or(0);
        match random.below(3) {
            0 => source.insert_str(at, PIECES[random.below(PIECES.len())]),
            1 => source.truncate(at),
            _ => source = source[at..].to_owned() + &source[..at],
        }
    }
    source
}

#[test]
fn no_program_breaks_the_parent() {
    let seed = from_environment("FENCEPOST_FUZZ_SEED", 34);
    let until = Instant::now() + Duration::from_secs(from_environment("FENCEPOST_FUZZ_SECONDS", 3));
    let mut random = Random(seed.max(1));
    let limits = Limits { wall: Duration::from_millis(200), memory: 64 << 20, output: 4096, steps: 50, trace: 1 << 14 };
    let mut runs = 0;
    while Instant::now() < until {
        let source = program(&mut random);
        let mode = match random.below(4) {
            0 => Mode::Run,
            1 => Mode::Trace,
            2 => Mode::Check(vec![check("c", PIECES[random.below(PIECES.len())])]),
            _ => Mode::Scenario(Scenario {
                setup: PIECES[random.below(PIECES.len())].to_owned(),
                watch: vec!["x".to_owned()],
                steps: vec![Some(PIECES[random.below(PIECES.len())].to_owned()), None],
            }),
        };
        let checks = if let Mode::Check(checks) = &mode { checks.len() } else { 0 };
        let report = run_job(Job { mode, limits, ..job(&source) });
        let told = format!("seed {seed}, run {runs}: {source:?}\n{report:?}");
        assert_eq!(report.checks.len(), checks, "{told}");
        assert!(report.chunks.iter().map(|chunk| chunk.text.len()).sum::<usize>() <= limits.output, "{told}");
        assert!(report.steps.len() <= limits.steps && report.rows.len() <= 2, "{told}");
        assert!(report.took < Duration::from_secs(5), "{told}");
        assert_ne!(report.ending.verdict, fencepost::runner::Verdict::MachineryFailed, "{told}");
        runs += 1;
    }
    assert!(runs > 5, "only {runs} runs");
    assert_next_run_works();
}
