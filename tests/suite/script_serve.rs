//! A session of a bot with `fencepost quiz --serve-stdio`.

use std::io::Write as _;
use std::process::Stdio;
use std::sync::{Arc, mpsc};

use fencepost::quiz::Action;
use fencepost::quiz::consent::Sandbox;
use fencepost::runner::{Handle, Job, Level, Runner};
use fencepost::script::lines::Input;
use fencepost::script::server::Server;
use serde_json::{Value, json};

use crate::command::Home;
use crate::fixtures::{catalog, shelf};
use crate::script_reports::{assert_fits, schema};

const SERVE: &str = "--content packs quiz --serve-stdio";
const SERVE_SMALL: &str = "--content packs quiz --serve-stdio small";

fn replies(home: &Home, args: &str, input: &[u8]) -> (Vec<Value>, Option<i32>) {
    let mut child =
        home.command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let text = String::from_utf8(output.stdout).unwrap();
    let replies = text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")));
    (replies.collect(), output.status.code())
}

fn requests(lines: &[Value]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

#[test]
fn a_session_from_the_first_look_to_the_answer() {
    let home = Home::new();
    let asked = [
        json!({"id": 1, "type": "question", "question": "small"}),
        json!({"id": 2, "type": "hint", "question": "small"}),
        json!({"id": 3, "type": "hint", "question": "fixture/small"}),
        json!({"id": 4, "type": "hint", "question": "small"}),
        json!({"id": "five", "type": "run", "question": "small"}),
        json!({"id": 6, "type": "answer", "question": "small", "line": 2}),
        json!({"id": 7, "type": "answer", "question": "small", "line": 9}),
        json!({"id": 8, "type": "answer", "question": "small", "line": 4}),
        json!({"id": 9, "type": "answer", "question": "small", "line": 3}),
        json!({"id": 10, "type": "answer", "question": "small", "line": 3}),
        json!({"id": 11, "type": "run", "question": "small"}),
        json!({"type": "fix", "question": "small", "text": "def total(numbers):\n    return sum(numbers)\n"}),
        json!({"id": 13, "type": "fix", "question": "small", "text": "def total(numbers):\n    return 6\n"}),
        json!({"id": 14, "type": "reveal", "question": "small"}),
        json!({"id": 15, "type": "question", "question": "small"}),
    ];
    for request in &asked {
        assert_fits("quiz-request.schema.json", request);
    }
    let (mut replies, code) = replies(&home, SERVE_SMALL, &requests(&asked));
    assert_eq!((code, replies.len()), (Some(0), asked.len() + 1));
    for reply in &mut replies {
        assert_fits("quiz-reply.schema.json", reply);
        // The stamp is of this machine.
        for run in std::iter::once("").chain(["/runs/0", "/runs/1"]) {
            if let Some(time) = reply.pointer_mut(&format!("{run}/wall_ms")) {
                *time = json!("[time]");
            }
        }
    }
    let text: Vec<String> = replies.iter().map(Value::to_string).collect();
    insta::assert_snapshot!(text.join("\n"), @r#"
    {"id":null,"type":"hello","format":1,"version":"0.1.0","questions":1}
    {"id":1,"type":"question","question":"fixture/small","title":"The sum that forgets its last number","topic":"Python","level":"junior","prompt":"The total is too small. Which line loses a number?","ask":"line","code":"def total(numbers: list[int]) -> int:\n    result = 0\n    for i in range(len(numbers) - 1):\n        result += numbers[i]\n    return result\n\n\nprint(total([1, 2, 3]))\n","prints":"3\n","hints":2,"hints_open":0,"picks":[],"answered":false}
    {"id":2,"type":"hint","hint":1,"of":2,"text":"Which numbers does the loop see?"}
    {"id":3,"type":"hint","hint":2,"of":2,"text":"Where does a range end?"}
    {"id":4,"type":"error","code":"no_more_hints","message":"all 2 hints are open","hint":"`reveal` shows the answer"}
    {"id":"five","type":"run","runs":[{"program":"buggy","verdict":"finished","detail":"ran to its end","stdout":"3\n","stderr":"","output":[{"stream":"stdout","text":"3\n"}],"checks":[],"wall_ms":"[time]","engine":{"name":"RustPython","version":"0.5.0","python":"3.14.0","sandbox":"full"},"overloads":[]}]}
    {"id":6,"type":"answer","line":2,"right":false,"pick":1,"why":"Nought is where a sum begins."}
    {"id":7,"type":"error","code":"no_such_line","message":"`fixture/small` has no line 9: the program has 8 lines","hint":"lines are counted from 1"}
    {"id":8,"type":"answer","line":4,"right":false,"pick":2,"why":null}
    {"id":9,"type":"answer","line":3,"right":true,"pick":3,"why":"`range` leaves out its end, so `len(numbers)` is already one past the last number."}
    {"id":10,"type":"error","code":"answered","message":"the question is already answered","hint":"ask for `reveal`"}
    {"id":11,"type":"run","runs":[{"program":"buggy","verdict":"finished","detail":"ran to its end","stdout":"3\n","stderr":"","output":[{"stream":"stdout","text":"3\n"}],"checks":[],"wall_ms":"[time]","engine":{"name":"RustPython","version":"0.5.0","python":"3.14.0","sandbox":"full"},"overloads":[]},{"program":"fixed","verdict":"finished","detail":"ran to its end","stdout":"6\n","stderr":"","output":[{"stream":"stdout","text":"6\n"}],"checks":[],"wall_ms":"[time]","engine":{"name":"RustPython","version":"0.5.0","python":"3.14.0","sandbox":"full"},"overloads":[]}]}
    {"id":null,"type":"fix","passed":true,"suspicious":false,"program":"fix","verdict":"finished","detail":"ran to its end","stdout":"","stderr":"","output":[],"checks":[{"name":"every number counts","result":"passed","message":""}],"wall_ms":"[time]","engine":{"name":"RustPython","version":"0.5.0","python":"3.14.0","sandbox":"full"},"overloads":[]}
    {"id":13,"type":"fix","passed":false,"suspicious":false,"program":"fix","verdict":"finished","detail":"ran to its end","stdout":"","stderr":"","output":[],"checks":[{"name":"every number counts","result":"failed","message":"0 ones add up to 6"}],"wall_ms":"[time]","engine":{"name":"RustPython","version":"0.5.0","python":"3.14.0","sandbox":"full"},"overloads":[]}
    {"id":14,"type":"reveal","result":"wrong","accepted":[3],"explanation":"`range` leaves out its end, so `len(numbers)` is already one past the last number.","repaired":"def total(numbers: list[int]) -> int:\n    result = 0\n    for i in range(len(numbers)):\n        result += numbers[i]\n    return result\n\n\nprint(total([1, 2, 3]))\n","fixed":"def total(numbers: list[int]) -> int:\n    return sum(numbers)\n\n\nprint(total([1, 2, 3]))\n","say":"Because the ends are easy to miss. Loop over the values, or sum them."}
    {"id":15,"type":"question","question":"fixture/small","title":"The sum that forgets its last number","topic":"Python","level":"junior","prompt":"The total is too small. Which line loses a number?","ask":"line","code":"def total(numbers: list[int]) -> int:\n    result = 0\n    for i in range(len(numbers) - 1):\n        result += numbers[i]\n    return result\n\n\nprint(total([1, 2, 3]))\n","prints":"3\n","hints":2,"hints_open":2,"picks":[2,4,3],"answered":true}
    "#);
}

/// The schema refuses requests that a session refuses for their shape.
#[test]
fn the_schema_of_requests_refuses_what_a_session_refuses() {
    let schema = schema("quiz-request.schema.json");
    let asked = [
        json!({"id": 1, "type": "list", "extra": 1}),
        json!({"id": 1, "type": "hint", "question": "small", "line": 3}),
        json!({"id": 1, "type": "answer", "question": "small", "line": 4_294_967_296_u64}),
        json!({"id": 1, "type": "answer", "question": "small", "line": 1.5}),
        json!({"id": 1, "type": "answer", "question": "small"}),
        json!({"id": 1, "type": "nope"}),
        json!({"id": true, "type": "list"}),
    ];
    let home = Home::new();
    let (replies, _) = replies(&home, SERVE_SMALL, &requests(&asked));
    for (request, reply) in asked.iter().zip(&replies[1..]) {
        assert_eq!(reply["code"], "bad_request", "{request}: {reply}");
        assert!(!schema.is_valid(request), "{request}");
    }
}

/// A session keeps closed what the screens keep closed.
#[test]
fn nothing_tells_the_answer_before_it_is_asked_for() {
    let home = Home::new();
    let asked = ["question", "hint", "hint", "hint", "run"].map(|kind| json!({"type": kind, "question": "small"}));
    let wrong = json!({"type": "answer", "question": "small", "line": 4});
    let (replies, _) = replies(&home, SERVE, &[requests(&asked), requests(&[wrong, json!({"type": "list"})])].concat());
    let all: String = replies.iter().map(Value::to_string).collect();
    for secret in ["explanation", "accepted", "sum(numbers)", "leaves out its end", "\"fixed\""] {
        assert!(!all.contains(secret), "{secret} in {all}");
    }
}

#[test]
fn a_hostile_peer_gets_errors_and_the_session_goes_on() {
    let home = Home::new();
    let mut input = Vec::new();
    let mut expected = Vec::new();
    let mut send = |line: &[u8], code: &'static str| {
        input.extend_from_slice(line);
        input.push(b'\n');
        expected.push(code);
    };
    send(&vec![b'x'; 3 << 20], "too_long");
    send("[".repeat(500_000).as_bytes(), "bad_json");
    send(format!("{{\"id\": {}", "{\"a\":".repeat(100_000)).as_bytes(), "bad_json");
    send(b"\xff\xfe", "not_utf8");
    send(b"null", "bad_request");
    send(b"", "bad_json");
    send(b" \t\r", "bad_json");
    send(b"\xef\xbb\xbf{\"type\": \"list\"}", "bad_json");
    send(b"\0", "bad_json");
    send(b"{\"id\": {}, \"type\": \"list\"}", "bad_request");
    send(b"{\"id\": 1, \"id\": 2, \"type\": \"list\"}", "bad_json");
    send(b"{\"type\": \"exec\"}", "bad_request");
    send(b"{\"type\": \"list\", \"x\": 1}", "bad_request");
    send(b"{\"type\": \"answer\", \"question\": \"small\", \"line\": -1}", "bad_request");
    send(b"{\"type\": \"answer\", \"question\": \"small\", \"line\": 4294967295}", "no_such_line");
    send(b"{\"type\": \"answer\", \"question\": \"small\", \"line\": 0}", "no_such_line");
    send(b"{\"type\": \"question\", \"question\": \"\\u001b[2J\\u202e\"}", "unknown_question");
    send(b"{\"type\": \"question\", \"question\": \"fencing-tokens\"}", "unknown_question");
    // The end comes in the middle of a line.
    input.extend_from_slice(b"{\"type\": \"li");
    expected.push("bad_json");
    let (replies, code) = replies(&home, SERVE_SMALL, &input);
    let codes: Vec<&str> = replies[1..].iter().map(|reply| reply["code"].as_str().unwrap_or("none")).collect();
    assert_eq!((code, codes), (Some(0), expected));
    for reply in &replies {
        assert_fits("quiz-reply.schema.json", reply);
    }
}

/// Some editors begin what they write with a mark.
#[test]
fn a_mark_before_the_first_request_is_passed_over() {
    let home = Home::new();
    let (replies, _) = replies(&home, SERVE, "\u{feff}{\"id\": 1, \"type\": \"list\"}\n".as_bytes());
    assert_eq!((&replies[1]["id"], &replies[1]["type"]), (&json!(1), &json!("list")));
}

/// An id comes back as it was written, or its request is refused: a peer that waits for its own id must not wait for ever.
#[test]
fn an_id_comes_back_as_it_was_written() {
    let home = Home::new();
    let ids = ["18446744073709551615", "-9223372036854775808", "9007199254740993", "\"\u{e9} 1.0\"", "null"];
    let others = ["18446744073709551616", "1.0", "1e2", "-0", "true", "[1]", "{}"];
    let input: String = ids.iter().chain(&others).map(|id| format!("{{\"id\":{id},\"type\":\"list\"}}\n")).collect();
    let mut child = home.command(SERVE).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    let mut replies = output.lines().skip(1);
    for (id, reply) in ids.iter().zip(replies.by_ref()) {
        assert!(reply.starts_with(&format!("{{\"id\":{id},\"type\":\"list\",")), "{id}: {reply}");
    }
    for (id, reply) in others.iter().zip(replies.by_ref()) {
        assert!(reply.starts_with("{\"id\":null,\"type\":\"error\",\"code\":\"bad_request\","), "{id}: {reply}");
        assert_fits("quiz-reply.schema.json", &serde_json::from_str(reply).unwrap());
    }
    assert_eq!(replies.next(), None);
}

#[test]
fn programs_of_every_kind_of_ending_leave_the_session_alive() {
    let home = Home::new();
    let fix = |text: &str| json!({"type": "fix", "question": "small", "text": text});
    let asked = [
        fix(""),
        fix(" \n\t\u{c}"),
        fix("pass"),
        fix("while True:\n    pass\n"),
        fix("import os\nos._exit(0)\n"),
        fix("print('x' * 10**6)\n"),
        fix("raise SystemExit(3)\n"),
        json!({"type": "list"}),
    ];
    let (replies, code) = replies(&home, SERVE_SMALL, &requests(&asked));
    let verdicts: Vec<&str> =
        replies[1..].iter().map(|reply| reply["verdict"].as_str().unwrap_or(reply["type"].as_str().unwrap())).collect();
    assert_eq!(code, Some(0));
    assert_eq!(verdicts, ["error", "error", "finished", "timed_out", "crashed", "output_too_long", "raised", "list"]);
    assert!(replies[3..8].iter().all(|reply| reply["passed"] == false), "{replies:?}");
    for empty in &replies[1..3] {
        assert_eq!((&empty["code"], &empty["message"]), (&json!("bad_request"), &json!("the fix is empty")));
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn programs_of_other_packs_wait_for_trust() {
    let home = Home::new();
    let asked = ["run", "fix"].map(|kind| match kind {
        "fix" => json!({"type": "fix", "question": "small", "text": "print(1)"}),
        _ => json!({"type": kind, "question": "small"}),
    });
    let weak = format!("--without landlock,seccomp {SERVE_SMALL}");
    let (refused, _) = replies(&home, &weak, &requests(&asked));
    for reply in &refused[1..] {
        assert_eq!(reply["code"], "not_trusted", "{reply}");
        assert!(reply["hint"].as_str().unwrap().contains("--trust-pack fixture"), "{reply}");
    }
    let (done, _) = replies(&home, &format!("{weak} --trust-pack fixture"), &requests(&asked));
    assert_eq!((&done[1]["type"], &done[2]["type"]), (&json!("run"), &json!("fix")));
}

/// Someone else wrote what a bot sends, even if the question came with fencepost.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_fix_that_is_handed_in_waits_for_trust() {
    let home = Home::new();
    let asked = [
        json!({"type": "run", "question": "fencing-tokens"}),
        json!({"type": "fix", "question": "fencing-tokens", "text": "print(1)"}),
    ];
    let weak = "--without landlock,seccomp quiz fencing-tokens --serve-stdio";
    let (refused, _) = replies(&home, weak, &requests(&asked));
    assert_eq!((&refused[1]["type"], &refused[2]["code"]), (&json!("run"), &json!("not_trusted")));
    assert!(refused[2]["hint"].as_str().unwrap().contains("--trust-pack leases"), "{}", refused[2]);
    let (trusted, _) = replies(&home, &format!("{weak} --trust-pack leases"), &requests(&asked));
    assert_eq!(trusted[2]["type"], "fix");
}

/// Text that is too long by the end of its last line alone is refused, and never graded as what was sent before.
#[test]
fn a_fix_is_graded_or_refused_and_no_other_in_its_place() {
    let home = Home::new();
    let fix = |text: &str| json!({"type": "fix", "question": "small", "text": text});
    let right = "def total(numbers):\n    return sum(numbers)\n";
    let limit = 64 << 10;
    let padded = |length: usize| format!("print(1) #{}", "x".repeat(length - 10));
    let asked = [fix(right), fix(&padded(limit)), fix(&padded(limit - 1)), fix(&padded(limit + 1))];
    let (replies, _) = replies(&home, SERVE_SMALL, &requests(&asked));
    let told: Vec<(&Value, &Value)> = replies[1..].iter().map(|reply| (&reply["passed"], &reply["code"])).collect();
    let (passed, failed, too_long) = (json!(true), json!(false), json!("too_long"));
    let none = Value::Null;
    assert_eq!(told, [(&passed, &none), (&none, &too_long), (&failed, &none), (&none, &too_long)]);
}

/// A runner that goes away without a word.
struct Gone;

impl Runner for Gone {
    fn start(&self, _: Job) -> Handle {
        Handle::new(mpsc::channel().1, || {})
    }
}

#[test]
fn a_runner_that_goes_away_ends_its_run_and_not_the_session() {
    let catalog = Arc::new(catalog(vec![shelf()]));
    let look = || Action::Sandbox(Sandbox::Known { level: Level::Full, why: String::new() });
    let mut server = Server::new(catalog, &Gone, &look, &[]);
    for request in [
        json!({"type": "run", "question": "stale-ticket"}),
        json!({"type": "fix", "question": "stale-ticket", "text": "print(1)"}),
        json!({"type": "run", "question": "stale-ticket"}),
    ] {
        let reply = server.reply(&Input::Line(request.to_string())).unwrap();
        let reply = serde_json::to_value(&reply).unwrap();
        assert_eq!(
            (&reply["code"], &reply["message"]),
            (&json!("machinery"), &json!("The runner went away in the middle of the program.")),
        );
    }
}

/// A peer that has gone ends the session without a word.
#[test]
fn a_peer_may_leave() {
    let home = Home::new();
    let mut child =
        home.command(SERVE).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    // Until the pipe is closed: the greeting or the first reply finds no reader.
    while stdin.write_all(b"{\"type\": \"list\"}\n").is_ok() {}
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()), (Some(0), String::new()));
}
