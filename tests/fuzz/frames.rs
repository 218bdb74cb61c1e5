//! A template that lies: it answers the parent with frames that are nearly right. Whatever it says, each job ends once,
//! the next one works, and nothing but a whole and proper last frame is a pass.
//!
//! The template is this test binary again, started by the parent under test. It knows the key of each child, as a program
//! might that has looked into its own memory. Which lies it tells follows from the run, which it learns from the limit on
//! memory that the job was given.

use std::collections::{HashMap, VecDeque};
use std::io::IoSliceMut;
use std::os::fd::RawFd;
use std::process::Command;
use std::thread;
use std::time::Duration;

use nix::cmsg_space;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recv, recvmsg, send};

use fencepost::runner::{CheckOutcome, Job, Limits, Mode, Sandboxed, Scenario, Verdict};

use super::{Plan, Random};
use crate::runner_programs::{check, job, run_on};

/// The limit on memory of run 0, in bytes; each later one has a byte more. Not the usual limit, for which the parent
/// would keep children ready.
const MEMORY: u64 = 1 << 30;
/// The source of a program whose checks are lied about.
const CHECKED: &str = "checked";

const CONTROL: RawFd = 0;
const SPAWN: u8 = 1;
const KILL: u8 = 2;
const READY: u8 = 3;
const EXITED: u8 = 5;
const HELLO: u8 = 16;
const STDOUT: u8 = 18;
const STDERR: u8 = 19;
const FINAL: u8 = 21;
const STEP: u8 = 22;
const ROW: u8 = 23;

const HELLO_BODY: &str =
    r#"{"pid":0,"engine":{"name":"x","version":"1","python":"3.14.0","sandbox":"full"},"missing":[],"refused":null}"#;
const FINISHED: &str = r#"{"outcome":"finished"}"#;
const PASSED: &str = r#"{"outcome":"checked","result":"passed","message":""}"#;

/// Bodies by kind: of every kind that there is, of some that there are not, and some that the kind does not promise.
const BODIES: &[(u8, &str)] = &[
    (0, ""),
    (SPAWN, r#"{"slot":1,"memory":1,"cpu":1,"waits":true}"#),
    (KILL, r#"{"slot":1}"#),
    (READY, HELLO_BODY),
    (4, ""),
    (EXITED, r#"{"slot":1,"code":0,"signal":null}"#),
    (HELLO, HELLO_BODY),
    (HELLO, r#"{"pid":0,"engine":{"name":"","version":"","python":"","sandbox":"none"},"missing":[],"refused":"no"}"#),
    (17, r#"{"mode":"run","source":""}"#),
    (STDOUT, "text"),
    (STDOUT, ""),
    (STDERR, "\u{1b}]0;x\u{7}"),
    (20, ""),
    (20, "{}"),
    (FINAL, r#"{"outcome":"raised","exception":"E","message":"m","line":1}"#),
    (FINAL, r#"{"outcome":"raised","exception":"E","message":"\ud800","line":null}"#),
    (FINAL, r#"{"outcome":"raised","exception":"E","message":"m","line":99999999999}"#),
    (FINAL, r#"{"outcome":"exit","status":3}"#),
    (FINAL, r#"{"outcome":"exit","status":1e999}"#),
    (FINAL, r#"{"outcome":"memory"}"#),
    (FINAL, r#"{"outcome":"checked","result":"failed","message":"m"}"#),
    (FINAL, r#"{"outcome":"checked","result":"passed"}"#),
    (FINAL, r#"{"outcome":"unreached","because":"left","message":"m"}"#),
    (FINAL, r#"{"outcome":"unreached","because":"unfinished","message":"m"}"#),
    (FINAL, r#"{"outcome":"unreached","because":"passed","message":"m"}"#),
    (FINAL, r#"{"outcome":"finished","and":"passed"}"#),
    (FINAL, r#"{"outcome":"raised","outcome":"finished"}"#),
    (FINAL, r#"{"outcome":"finished"}{"outcome":"finished"}"#),
    (FINAL, r#"["finished"]"#),
    (FINAL, r#""finished""#),
    (FINAL, r#"{"Finished":{}}"#),
    (FINAL, ""),
    (
        STEP,
        r#"{"kind":"line","line":1,"function":"f","depth":0,"thread":"","changed":[{"name":"x","value":"1"}],"value":""}"#,
    ),
    (STEP, r#"{"kind":"line","line":-1,"function":"f","depth":0,"thread":"","changed":[],"value":""}"#),
    (STEP, FINISHED),
    (ROW, r#"{"step":0,"result":{"text":"1","raised":false},"watched":[{"text":"1","raised":true}]}"#),
    (ROW, r#"{"step":0,"result":null,"watched":[]}"#),
    (ROW, r#"{"step":18446744073709551615,"result":null,"watched":[]}"#),
    (24, FINISHED),
    (255, FINISHED),
];

type Key = [u8; 16];

fn frame(kind: u8, key: &Key, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(17 + body.len()).unwrap();
    [&length.to_le_bytes(), [kind].as_slice(), key, body].concat()
}

/// Bytes that begin as frames of any kind and are then spoilt.
fn lies(random: &mut Random, key: &Key) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..random.below(6) {
        let said = if random.once_in(2) { truth(random, key) } else { lie(random, key) };
        bytes.extend(said);
    }
    for _ in 0..random.below(3) {
        let part = random.range(bytes.len());
        match random.below(6) {
            0 => drop(bytes.drain(part)),
            1 => bytes.truncate(part.start),
            2 => {
                let twice = bytes[part.clone()].to_vec();
                bytes.splice(part.start..part.start, twice);
            }
            3 => {
                let noise: Vec<u8> = part.clone().map(|_| random.byte()).collect();
                bytes.splice(part, noise);
            }
            4 => bytes.rotate_left(part.start),
            _ => {
                if let Some(byte) = bytes.get_mut(part.start) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
    // Should the lies have become the truth, nothing is said at all.
    let truths = [frame(FINAL, key, FINISHED.as_bytes()), frame(FINAL, key, PASSED.as_bytes())];
    if truths.iter().any(|truth| bytes.windows(truth.len()).any(|part| part == truth)) { Vec::new() } else { bytes }
}

fn lie(random: &mut Random, key: &Key) -> Vec<u8> {
    let truth = *random.pick(&[FINISHED, PASSED]);
    match random.below(8) {
        // Under a key that differs everywhere.
        0 => frame(FINAL, &key.map(|byte| !byte), truth.as_bytes()),
        // Cut, with the length of the whole.
        1 => {
            let mut cut = frame(FINAL, key, truth.as_bytes());
            cut.truncate(cut.len() - 1 - random.below(cut.len() - 1));
            cut
        }
        // Longer or shorter than it says.
        2 => {
            let mut false_length = frame(FINAL, key, truth.as_bytes());
            let length = *random.pick(&[0, 1, 16, 17, 18, 36, 64 << 10, (64 << 10) + 1, 1 << 24, u32::MAX]);
            false_length[..4].copy_from_slice(&length.to_le_bytes());
            false_length
        }
        3 => {
            let (open, depth) = (*random.pick(&["[", "{\"outcome\":", "{\"a\":["]), 1 + random.below(9_000));
            let kind = random.pick(BODIES).0;
            frame(kind, key, open.repeat(depth).as_bytes().get(..60_000).unwrap_or(open.repeat(depth).as_bytes()))
        }
        4 => {
            let noise: Vec<u8> = (0..random.below(300)).map(|_| random.byte()).collect();
            frame(random.pick(BODIES).0, key, &noise)
        }
        5 => frame(STDOUT, key, &vec![random.byte(); random.below(60_000)]),
        _ => {
            let (kind, body) = random.pick(BODIES);
            frame(*kind, key, body.as_bytes())
        }
    }
}

/// Frames that a working child may send, so that a lie after them is read at all.
fn truth(random: &mut Random, key: &Key) -> Vec<u8> {
    let said: Vec<_> = BODIES.iter().filter(|(kind, _)| [STDOUT, STDERR, STEP, ROW].contains(kind)).collect();
    let (kind, body) = **random.pick(&said);
    frame(kind, key, body.as_bytes())
}

/// True if a run is told lies.
fn lies_are_told(random: &mut Random) -> bool {
    !random.once_in(8)
}

/// Not a test of its own: the template of the next one.
#[test]
#[ignore = "a helper of the next test"]
fn a_template_that_lies() {
    let seed = std::env::var("FENCEPOST_FUZZ_SEED").unwrap().parse().unwrap();
    Liar { seed, open: HashMap::new() }.serve();
}

struct Liar {
    seed: u64,
    /// The descriptors of children that say no more and do not end.
    open: HashMap<u64, Vec<RawFd>>,
}

impl Liar {
    fn serve(mut self) {
        tell(CONTROL, &frame(READY, &[0; 16], HELLO_BODY.as_bytes()));
        let mut bytes = Vec::new();
        let mut descriptors = VecDeque::new();
        while receive(&mut bytes, &mut descriptors) {
            while let Some((kind, key, body)) = take_frame(&mut bytes) {
                let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
                let slot = body["slot"].as_u64().unwrap();
                if kind == SPAWN {
                    let ends = descriptors.drain(..4).collect();
                    self.answer(slot, body["memory"].as_u64().unwrap() - MEMORY, &key, ends);
                } else {
                    for descriptor in self.open.remove(&slot).unwrap_or_default() {
                        nix::unistd::close(descriptor).unwrap();
                    }
                    ended(slot, "null", "9");
                }
            }
        }
    }

    /// Everything that a child does, from its start to its end.
    fn answer(&mut self, slot: u64, run: u64, key: &Key, ends: Vec<RawFd>) {
        let lying = lies_are_told(&mut Random::of(self.seed, run));
        let mut random = Random::of(!self.seed, run);
        let channel = ends[3];
        if lying && random.once_in(8) {
            let mut hello = frame(HELLO, key, HELLO_BODY.as_bytes());
            let part = random.range(hello.len());
            let noise: Vec<u8> = part.clone().map(|_| random.byte()).collect();
            hello.splice(part, noise);
            tell(channel, &hello);
        } else {
            tell(channel, &frame(HELLO, key, HELLO_BODY.as_bytes()));
        }
        let order = read_order(channel);
        let order: serde_json::Value = serde_json::from_slice(&order).unwrap_or_default();
        let checks = order["mode"] == "check";
        if lying && (checks || order["source"] != CHECKED) {
            if random.once_in(8) {
                // Beside the channel, where no frame is expected.
                let output = ends[1 + random.below(2)];
                tell(output, &lies(&mut random, key));
            }
            let bytes = lies(&mut random, key);
            for piece in bytes.chunks(1 + random.below(bytes.len())) {
                tell(channel, piece);
            }
            if random.once_in(256) {
                tell(CONTROL, &lies(&mut random, &[0; 16]));
                // What it said there may have left the parent waiting for the rest of it.
                std::process::exit(0);
            }
            if random.once_in(256) {
                self.open.insert(slot, ends);
                return;
            }
        } else {
            tell(channel, &frame(FINAL, key, if checks { PASSED } else { FINISHED }.as_bytes()));
        }
        for descriptor in ends {
            nix::unistd::close(descriptor).unwrap();
        }
        let (code, signal) =
            if lying { *random.pick(&[("0", "null"), ("77", "null"), ("null", "11")]) } else { ("0", "null") };
        ended(slot, code, signal);
    }
}

fn ended(slot: u64, code: &str, signal: &str) {
    let body = format!(r#"{{"slot":{slot},"code":{code},"signal":{signal}}}"#);
    tell(CONTROL, &frame(EXITED, &[0; 16], body.as_bytes()));
}

/// Whoever does not listen any more is not told.
fn tell(to: RawFd, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        match send(to, bytes, MsgFlags::MSG_NOSIGNAL) {
            Ok(length) => bytes = &bytes[length..],
            Err(_) => return,
        }
    }
}

/// Adds what arrives on the control socket. `false` at its end.
fn receive(bytes: &mut Vec<u8>, descriptors: &mut VecDeque<RawFd>) -> bool {
    let mut buffer = [0; 4096];
    let mut space = cmsg_space!([RawFd; 4]);
    let mut pieces = [IoSliceMut::new(&mut buffer)];
    let Ok(message) = recvmsg::<()>(CONTROL, &mut pieces, Some(&mut space), MsgFlags::empty()) else { return false };
    for part in message.cmsgs().unwrap() {
        if let ControlMessageOwned::ScmRights(numbers) = part {
            descriptors.extend(numbers);
        }
    }
    let length = message.bytes;
    bytes.extend_from_slice(&buffer[..length]);
    length > 0
}

fn take_frame(bytes: &mut Vec<u8>) -> Option<(u8, Key, Vec<u8>)> {
    let length = usize::try_from(u32::from_le_bytes(*bytes.first_chunk()?)).unwrap();
    let whole = bytes.get(4..4 + length)?;
    let taken = (whole[0], *whole[1..].first_chunk()?, whole[17..].to_vec());
    bytes.drain(..4 + length);
    Some(taken)
}

/// The body of the order, which does not come if the hello was too much for the parent.
fn read_order(channel: RawFd) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..20 {
        let mut buffer = [0; 4096];
        match recv(channel, &mut buffer, MsgFlags::MSG_DONTWAIT) {
            Ok(length) => bytes.extend_from_slice(&buffer[..length]),
            Err(nix::errno::Errno::EAGAIN) => {}
            Err(_) => break,
        }
        if let Some((_, _, body)) = take_frame(&mut bytes) {
            return body;
        }
        thread::sleep(Duration::from_micros(500));
    }
    Vec::new()
}

#[test]
fn no_frame_breaks_the_parent_or_passes_for_another() {
    let mut plan = Plan::from_environment();
    let folder = tempfile::tempdir().unwrap();
    let template = folder.path().join("template");
    let script = format!(
        "#!/bin/sh\nFENCEPOST_FUZZ_SEED={} exec '{}' --exact fuzz::frames::a_template_that_lies --ignored --nocapture\n",
        plan.seed,
        std::env::current_exe().unwrap().display()
    );
    // Written by another process: while one of this process' threads starts a program, a file that is open for writing
    // here could not be run.
    let write = "printf '%s' \"$1\" > \"$2\" && chmod +x \"$2\"";
    assert!(Command::new("sh").args(["-c", write, "sh", &script]).arg(&template).status().unwrap().success());
    let runner = Sandboxed::new(template);
    while let Some((run, mut random)) = plan.next() {
        let lying = lies_are_told(&mut random);
        let limits =
            Limits { wall: Duration::from_millis(200), memory: MEMORY + run, output: 4096, steps: 3, trace: 1 << 10 };
        let (source, mode) = match random.below(4) {
            0 => ("", Mode::Run),
            1 => ("", Mode::Trace),
            2 => (CHECKED, Mode::Check(vec![check("c", "")])),
            _ => {
                let scenario = Scenario { watch: vec![String::new()], steps: vec![None; 2], ..Scenario::default() };
                ("", Mode::Scenario(scenario))
            }
        };
        let checks = matches!(mode, Mode::Check(_));
        let told = format!("seed {}, run {run}, {mode:?}", plan.seed);
        let report = run_on(&runner, Job { mode, limits, ..job(source) });
        let told = format!("{told}\n{:?}: {}", report.ending.verdict, report.ending.detail);
        let finished = report.ending.verdict == Verdict::Finished;
        let passed = report.checks.iter().any(|check| check.result == CheckOutcome::Passed);
        if lying {
            assert!(!passed && (checks || !finished), "{told}");
        } else {
            assert!(finished && passed == checks, "{told}");
        }
        assert!(report.chunks.iter().map(|chunk| chunk.text.len()).sum::<usize>() <= limits.output, "{told}");
        assert!(report.steps.len() <= limits.steps && report.rows.len() <= 2, "{told}");
        assert!(report.took < Duration::from_secs(10), "{told}");
        plan.count(report.ending.verdict);
    }
    plan.report("frames");
}
