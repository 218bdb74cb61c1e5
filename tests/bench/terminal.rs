//! Costs of the first screen, a key and an idle screen, seen from the other end of a pseudo-terminal.
//!
//! `cargo bench --bench terminal` prints the costs of fencepost beside those of the smallest program that draws the same
//! list with ratatui and crossterm, and their ratios: both run in turn on the same machine at the same time, so that the
//! ratios mean the same on every machine. Ends with 1 where a ratio or an absolute limit is missed.
//! `FENCEPOST_BENCH_EXECUTABLE` names another build of the program.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Starts of each program.
const STARTS: usize = 21;

/// Keys for each program.
const KEYS: usize = 200;

/// Time that a screen must be quiet before it counts as drawn.
const QUIET: Duration = Duration::from_millis(15);

fn main() {
    if std::env::var_os("FENCEPOST_BENCH_MINIMAL").is_some() {
        minimal();
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut missed = false;
    let mut judge = |what: &str, value: f64, limit: f64, unit: &str| {
        let verdict = if value <= limit { "ok" } else { "MISSED" };
        missed |= value > limit;
        println!("{what:<52} {value:>9.2} {unit:<6} limit {limit:>6.2}  {verdict}");
    };
    for (count, limit) in [(60, 1.5), (10_000, 2.5)] {
        let content = folder.path().join(format!("{count}"));
        write_questions(&content, count);
        let data = folder.path().join("data");
        let fencepost = || fencepost(&content, &data);
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        // The first start of each writes settings and warms the page cache.
        drop((start(fencepost()), start(smallest())));
        for _ in 0..STARTS {
            ours.push(start(fencepost()).first_screen());
            theirs.push(start(smallest()).first_screen());
        }
        let (ours, theirs) = (median(&mut ours), median(&mut theirs));
        println!("first screen, {count} questions: {ours:.2} ms, smallest program {theirs:.2} ms");
        judge("  ratio", ours / theirs, limit, "");
    }
    let content = folder.path().join("60");
    let data = folder.path().join("data");
    let (mut ours, mut theirs) = (start(fencepost(&content, &data)), start(smallest()));
    ours.first_screen();
    theirs.first_screen();
    for (screen, open) in [("library", ""), ("stage Spot", "\r")] {
        ours.keys(open);
        ours.quiet();
        let (mut our_times, mut their_times, mut bytes) = (Vec::new(), Vec::new(), 0);
        for n in 0..KEYS {
            let key = if n % 10 < 5 { "j" } else { "k" };
            let (time, count) = ours.key(key);
            our_times.push(time);
            bytes = bytes.max(count);
            their_times.push(theirs.key(key).0);
        }
        let (our_time, their_time) = (median(&mut our_times), median(&mut their_times));
        println!("a key in the {screen}: {our_time:.3} ms, smallest program {their_time:.3} ms");
        judge("  ratio", our_time / their_time, 1.5, "");
        judge("  bytes, at most", bytes as f64, 200.0, "bytes");
    }
    ours.quiet();
    let idle = ours.cost(Duration::from_secs(3));
    judge("idle for 3 s: bytes", idle.bytes as f64, 0.0, "bytes");
    judge("idle for 3 s: CPU", idle.ticks as f64, 0.0, "ticks");
    judge("idle for 3 s: wakes", idle.wakes as f64, 0.0, "");
    ours.keys("\t\t\t ");
    ours.quiet();
    let talking = ours.cost(Duration::from_secs(5));
    assert!(talking.wakes > 0, "no countdown is running");
    judge("countdown for 5 s: wakes for each second", talking.wakes as f64 / 5.0, 1.4, "");
    judge("countdown for 5 s: bytes for each second", talking.bytes as f64 / 5.0, 700.0, "bytes");
    if missed {
        std::process::exit(1);
    }
}

/// A pack of `count` questions that differ in nothing but their names.
fn write_questions(folder: &Path, count: usize) {
    let pack = folder.join("bench");
    std::fs::create_dir_all(&pack).expect("a folder for the questions");
    let write = |name: &str, text: &str| std::fs::write(pack.join(name), text).expect("a question is written");
    write(
        "pack.toml",
        "format = 1\ntitle = \"Bench\"\nsummary = \"Many questions.\"\nauthors = [\"bench\"]\nlicence = \"MIT\"\nreport = \
         \"https://example.org\"\n",
    );
    for n in 0..count {
        let id = format!("question-{n}");
        let text = QUESTION.replace("@ID@", &id).replace("@N@", &n.to_string());
        write(&format!("{id}.toml"), &text);
    }
}

const QUESTION: &str = r#"format = 1
id = "@ID@"
title = "Question number @N@"
topic = "Distributed systems"
level = "senior"
requires = ["Python 3.13+"]
python = ">=3.13"

[spot]
prompt = "Which line loses the rest?"
code = '''
def pages(rows: int, size: int) -> int:
    full = rows // size
    return full


for rows in (6, 7, 8, 9):
    print(rows, "rows on", pages(rows, 3), "pages")
'''
prints = """
6 rows on 2 pages
7 rows on 2 pages
8 rows on 2 pages
9 rows on 3 pages
"""
explanation = "Floor division drops the page that is only partly filled."

[[spot.answer]]
line = 2
code = "full = rows // size"

[[spot.repair]]
line = 2
with = "    full = -(-rows // size)"

[fixed]
title = "Round up"
code = '''
def pages(rows: int, size: int) -> int:
    return -(-rows // size)


for rows in (6, 7, 8, 9):
    print(rows, "rows on", pages(rows, 3), "pages")
'''
prints = """
6 rows on 2 pages
7 rows on 3 pages
8 rows on 3 pages
9 rows on 3 pages
"""

[[check]]
name = "no row is without a page"
code = "assert all(pages(n, 3) * 3 >= n for n in range(20))"

[say]
prompt = "How many pages are there?"
answer = "Round up."
points = ["Round up"]

[learn]
senior_take = "Do not count pages."
"#;

fn clean(program: impl AsRef<std::ffi::OsStr>) -> CommandBuilder {
    let mut command = CommandBuilder::new(program);
    command.env_clear();
    command.env("TERM", "xterm-256color");
    command.env("LANG", "C.UTF-8");
    command.env("HOME", std::env::temp_dir());
    command.cwd(std::env::temp_dir());
    command
}

fn fencepost(content: &Path, data: &Path) -> CommandBuilder {
    let named = std::env::var("FENCEPOST_BENCH_EXECUTABLE");
    let mut command = clean(named.as_deref().unwrap_or(env!("CARGO_BIN_EXE_fencepost")));
    command.arg("--content");
    command.arg(content);
    command.arg("--data-dir");
    command.arg(data);
    command
}

fn smallest() -> CommandBuilder {
    let mut command = clean(std::env::current_exe().expect("the path of this program"));
    command.env("FENCEPOST_BENCH_MINIMAL", "1");
    command
}

/// A program in a pseudo-terminal, and what it writes, piece by piece.
struct Session {
    started: Instant,
    pieces: Receiver<(Instant, Vec<u8>)>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
}

/// The costs of a stretch of time.
struct Cost {
    bytes: usize,
    ticks: u64,
    wakes: u64,
}

fn start(command: CommandBuilder) -> Session {
    let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    let writer = pair.master.take_writer().expect("a writer");
    let (sender, pieces) = mpsc::channel();
    thread::spawn(move || {
        let mut buffer = [0; 1 << 16];
        while let Ok(count) = reader.read(&mut buffer) {
            if count == 0 || sender.send((Instant::now(), buffer[..count].to_vec())).is_err() {
                break;
            }
        }
    });
    let started = Instant::now();
    let child = pair.slave.spawn_command(command).expect("the program starts");
    Session { started, pieces, writer, child, _master: pair.master }
}

impl Session {
    /// Milliseconds until the footer, which is the last row of the first screen, has arrived.
    fn first_screen(&mut self) -> f64 {
        let mut all = Vec::new();
        loop {
            let (at, piece) = self.pieces.recv_timeout(Duration::from_secs(20)).expect("a first screen");
            all.extend(piece);
            if all.windows(4).any(|bytes| bytes == b"quit") {
                return milliseconds(at - self.started);
            }
        }
    }

    fn keys(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).and_then(|()| self.writer.flush()).expect("keys are written");
    }

    /// Waits until nothing more is written; returns how many bytes were.
    fn quiet(&mut self) -> usize {
        let mut bytes = 0;
        let mut pause = 10 * QUIET;
        while let Ok((_, piece)) = self.pieces.recv_timeout(pause) {
            bytes += piece.len();
            pause = QUIET;
        }
        bytes
    }

    /// Milliseconds until a key is answered, and the bytes of the answer.
    fn key(&mut self, key: &str) -> (f64, usize) {
        let pressed = Instant::now();
        self.keys(key);
        let (at, piece) = self.pieces.recv_timeout(Duration::from_secs(20)).expect("an answer to a key");
        let mut bytes = piece.len();
        while let Ok((_, piece)) = self.pieces.recv_timeout(QUIET) {
            bytes += piece.len();
        }
        (milliseconds(at - pressed), bytes)
    }

    /// Measures the costs of doing nothing for `length`.
    fn cost(&mut self, length: Duration) -> Cost {
        let before = self.used();
        let until = Instant::now() + length;
        let left = || until.saturating_duration_since(Instant::now());
        let pieces = std::iter::from_fn(|| self.pieces.recv_timeout(left()).ok());
        let bytes = pieces.map(|(_, piece)| piece.len()).sum();
        let after = self.used();
        Cost { bytes, ticks: after.0 - before.0, wakes: after.1 - before.1 }
    }

    /// Clock ticks of CPU and voluntary waits of all threads so far, as Linux counts them.
    fn used(&self) -> (u64, u64) {
        let pid = self.child.process_id().expect("the program runs");
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
        let ticks = [11, 12].into_iter().filter_map(|field| fields.get(field)?.parse::<u64>().ok()).sum();
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let wakes = tasks
            .filter_map(|task| std::fs::read_to_string(task.path().join("status")).ok())
            .filter_map(|status| {
                let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
                line.trim().parse::<u64>().ok()
            })
            .sum();
        (ticks, wakes)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The smallest program that draws a list of 60 rows with a mark that moves.
fn minimal() {
    use ratatui::crossterm::event::{self, Event, KeyCode};
    use ratatui::widgets::{List, ListState};

    let mut terminal = ratatui::init();
    let mut state = ListState::default().with_selected(Some(0));
    let rows: Vec<String> = (0..60).map(|n| format!("Question number {n:<14} Distributed systems  senior")).collect();
    loop {
        let drawn = terminal.draw(|frame| {
            let [list, footer] = ratatui::layout::Layout::vertical([
                ratatui::layout::Constraint::Fill(1),
                ratatui::layout::Constraint::Length(1),
            ])
            .areas(frame.area());
            let widget = List::new(rows.iter().map(String::as_str)).highlight_symbol("> ");
            frame.render_stateful_widget(widget, list, &mut state);
            frame.render_widget("Enter open  ? keys  q quit", footer);
        });
        if drawn.is_err() {
            break;
        }
        match event::read() {
            Ok(Event::Key(key)) => match key.code {
                KeyCode::Char('j') => state.select_next(),
                KeyCode::Char('k') => state.select_previous(),
                KeyCode::Char('q') => break,
                _ => {}
            },
            Ok(_) => {}
            Err(_) => break,
        }
    }
    ratatui::restore();
}
