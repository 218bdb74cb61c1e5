//! A class of 220: right and wrong answers, repairs, mistakes of every kind, files that cannot be read, and nothing at all.

use std::fs;
use std::path::Path;

use crate::command::Home;

/// Learners of each kind.
const OF_EACH: usize = 10;

/// The submission of learners of one kind, and their row in the table.
struct Kind {
    /// The start of their names.
    name: &'static str,
    /// The ending and the text of the file; `None` where there is none.
    file: Option<(&'static str, &'static [u8])>,
    on_roster: bool,
    /// `passed`, `score` and `right`.
    total: (bool, u64, usize),
    /// Number of problems, and the first one.
    problems: (usize, &'static str),
    /// Score, line and fix of the three questions.
    questions: [&'static str; 3],
}

impl Kind {
    fn to_look_at(&self) -> &'static str {
        match self.name {
            "cheat-seen" => "\"fixture/small: uses `gc`, which can reach into the interpreter that checks it\"",
            "cheat-caught" => "fixture/small: replaced `builtins.len` while a check ran",
            _ => "",
        }
    }
}

/// Nothing was graded.
const NOTHING: [&str; 3] = ["0,,", "0,,", "0,,"];

const RIGHT: [&str; 3] = ["1,right,missing", "1,right,missing", "1,right,missing"];

const KINDS: [Kind; 22] = [
    Kind {
        name: "right",
        file: Some((
            "jsonl",
            br#"{"question": "small", "line": 3}
{"question": "fencing-tokens", "line": 8}
{"question": "tax-by-region", "line": 13}
"#,
        )),
        on_roster: true,
        total: (true, 3, 3),
        problems: (0, ""),
        questions: RIGHT,
    },
    Kind {
        name: "wrong",
        file: Some((
            "toml",
            b"format = 1\n[[answer]]\nquestion = \"small\"\nline = 1\n[[answer]]\nquestion = \"fencing-tokens\"\nlines = [1, 8]\n",
        )),
        on_roster: true,
        total: (false, 0, 0),
        problems: (0, ""),
        questions: ["0,wrong,missing", "0,wrong,missing", "0,missing,missing"],
    },
    Kind {
        name: "passing-fix",
        file: Some((
            "jsonl",
            br#"{"question": "small", "line": 3, "fix": "def total(numbers):\n    return sum(numbers)\n"}
{"question": "fencing-tokens", "line": 8}
"#,
        )),
        on_roster: true,
        total: (true, 3, 2),
        problems: (0, ""),
        questions: ["2,right,passed", "1,right,missing", "0,missing,missing"],
    },
    Kind {
        name: "failing-fix",
        file: Some((
            "jsonl",
            br#"{"question": "small", "line": 3, "fix": "def total(numbers):\n    return 6\n"}
{"question": "fencing-tokens", "line": 8}
"#,
        )),
        on_roster: true,
        total: (false, 2, 2),
        problems: (0, ""),
        questions: ["1,right,failed", "1,right,missing", "0,missing,missing"],
    },
    Kind {
        name: "cheat-seen",
        file: Some((
            "jsonl",
            br#"{"question": "small", "line": 3, "fix": "import gc\n"}
{"question": "fencing-tokens", "line": 8}
"#,
        )),
        on_roster: true,
        total: (false, 1, 2),
        problems: (0, ""),
        questions: ["0,right,failed", "1,right,missing", "0,missing,missing"],
    },
    Kind {
        name: "cheat-caught",
        file: Some((
            "jsonl",
            br#"{"question": "small", "line": 3, "fix": "import sys\ndef total(numbers):\n    setattr(sys.modules['builtins'], 'len', len is None)\n    return 6\n"}
{"question": "fencing-tokens", "line": 8}
"#,
        )),
        on_roster: true,
        total: (false, 1, 2),
        problems: (0, ""),
        questions: ["0,right,failed", "1,right,missing", "0,missing,missing"],
    },
    Kind {
        name: "fix-file",
        file: Some((
            "toml",
            b"format = 1\n[[answer]]\nquestion = \"small\"\nline = 4\nfix_file = \"LEARNER/small.py\"\n",
        )),
        on_roster: true,
        total: (false, 1, 0),
        problems: (0, ""),
        questions: ["1,wrong,passed", "0,missing,missing", "0,missing,missing"],
    },
    Kind {
        name: "=unknown",
        file: Some((
            "jsonl",
            br#"{"question": "small", "line": 3}
{"question": "fencing-tokenz", "line": 8}
{"question": "tax-by-region", "line": 13}
"#,
        )),
        on_roster: true,
        total: (false, 2, 2),
        problems: (1, "\"unknown_question, line 2, column 1: there is no question `fencing-tokenz`\""),
        questions: ["1,right,missing", "0,missing,missing", "1,right,missing"],
    },
    Kind {
        name: "beyond",
        file: Some((
            "toml",
            b"format = 1\n[[answer]]\nquestion = \"small\"\nline = 9\n[[answer]]\nquestion = \"fencing-tokens\"\nline = 8\n",
        )),
        on_roster: true,
        total: (false, 1, 1),
        problems: (1, "\"line_outside, line 4, column 8: `fixture/small` has no line 9: the program has 8 lines\""),
        questions: ["0,missing,missing", "1,right,missing", "0,missing,missing"],
    },
    Kind {
        name: "bad-key",
        file: Some((
            "toml",
            b"format = 1\n[[answer]]\nquestion = \"small\"\nline = 3\nrow = 3\n[[answer]]\nquestion = \"fencing-tokens\"\nline = 8\n",
        )),
        on_roster: true,
        total: (false, 1, 1),
        problems: (1, "\"unknown_key, line 5, column 1: unknown key `row` in `[[answer]]`\""),
        questions: ["0,missing,missing", "1,right,missing", "0,missing,missing"],
    },
    Kind {
        name: "bad-type",
        file: Some((
            "jsonl",
            br#"{"question": "small", "line": "3"}
{"question": "fencing-tokens", "line": 8}
"#,
        )),
        on_roster: true,
        total: (false, 1, 1),
        problems: (1, "\"wrong_type, line 1, column 1: `line` must be a whole number\""),
        questions: ["0,missing,missing", "1,right,missing", "0,missing,missing"],
    },
    Kind {
        name: "no-fix-file",
        file: Some((
            "jsonl",
            br#"{"question": "small", "line": 3, "fix_file": "small.py"}
{"question": "fencing-tokens", "line": 8}
"#,
        )),
        on_roster: true,
        total: (false, 1, 1),
        problems: (
            1,
            "\"link_outside, line 1, column 1: `small.py` is not in the folder that programs are read from\"",
        ),
        questions: ["0,missing,missing", "1,right,missing", "0,missing,missing"],
    },
    Kind {
        name: "second",
        file: Some((
            "toml",
            b"format = 1\n[[answer]]\nquestion = \"small\"\nline = 3\n[[answer]]\nquestion = \"small\"\nline = 4\n",
        )),
        on_roster: true,
        total: (false, 1, 1),
        problems: (1, "\"duplicate_answer, line 6, column 12: `fixture/small` already has an answer on line 3\""),
        questions: ["1,right,missing", "0,missing,missing", "0,missing,missing"],
    },
    Kind {
        name: "broken-line",
        file: Some((
            "jsonl",
            br#"{"question": "small", "line": 3}
{"question": "fencing-tokens", "line": 8
{"question": "tax-by-region", "line": 13}
"#,
        )),
        on_roster: true,
        total: (false, 2, 2),
        problems: (1, "\"syntax, line 2, column 41: not valid JSON: EOF while parsing an object\""),
        questions: ["1,right,missing", "0,missing,missing", "1,right,missing"],
    },
    Kind {
        name: "broken-table",
        file: Some((
            "toml",
            b"format = 1\n[[answer]]\nquestion = \"small\"\nline = 3\n[[answer]]\nquestion = \"fencing-tokens\"\nline = 8\nline = 9\n",
        )),
        on_roster: true,
        total: (false, 1, 1),
        problems: (1, "\"syntax, line 8, column 1: not valid TOML: the key `line` is there twice\""),
        questions: ["1,right,missing", "0,missing,missing", "0,missing,missing"],
    },
    Kind {
        name: "empty",
        file: Some(("toml", b"")),
        on_roster: true,
        total: (false, 0, 0),
        problems: (1, "missing_key: missing key `format` at the top of the file"),
        questions: ["0,missing,missing", "0,missing,missing", "0,missing,missing"],
    },
    Kind {
        name: "prose",
        file: Some(("toml", b"Dear teacher, it is line 3.\n")),
        on_roster: true,
        total: (false, 0, 0),
        problems: (1, "\"syntax, line 1, column 6: not valid TOML: this line is not `key = value`\""),
        questions: NOTHING,
    },
    Kind {
        name: "latin1",
        file: Some(("toml", b"format = 1\n# caf\xe9\n")),
        on_roster: true,
        total: (false, 0, 0),
        problems: (1, "\"not_utf8, line 2, column 6: byte 17 is 0xE9, which is not UTF-8\""),
        questions: NOTHING,
    },
    Kind {
        name: "link",
        file: Some(("jsonl", b"LINK")),
        on_roster: true,
        total: (false, 0, 0),
        problems: (1, "link_outside: `FILE` is a link"),
        questions: NOTHING,
    },
    Kind {
        name: "pipe",
        file: Some(("jsonl", b"PIPE")),
        on_roster: true,
        total: (false, 0, 0),
        problems: (1, "not_a_file: `class/FILE` is not a regular file"),
        questions: NOTHING,
    },
    Kind {
        name: "absent",
        file: None,
        on_roster: true,
        total: (false, 0, 0),
        problems: (0, ""),
        questions: NOTHING,
    },
    Kind {
        name: "stranger",
        file: Some((
            "toml",
            b"format = 1\n[[answer]]\nquestion = \"small\"\nline = 3\n[[answer]]\nquestion = \"fencing-tokens\"\nline = 8\n\
              [[answer]]\nquestion = \"tax-by-region\"\nline = 13\n",
        )),
        on_roster: false,
        total: (true, 3, 3),
        problems: (0, ""),
        questions: RIGHT,
    },
];

/// Hands in what the learners of `kind` hand in, and returns the name and the expected row of each.
fn hand_in(home: &Home, kind: &Kind) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    for number in 0..OF_EACH {
        let learner = format!("{}-{number}", kind.name);
        let file = kind.file.map_or(String::new(), |(ending, _)| format!("{learner}.{ending}"));
        match kind.file {
            None => {}
            Some((_, b"LINK")) => {
                std::os::unix::fs::symlink("right-0.jsonl", home.path().join("class").join(&file)).unwrap()
            }
            Some((_, b"PIPE")) => make_pipe(&home.path().join("class").join(&file)),
            Some((_, text)) => {
                let text = String::from_utf8(text.to_vec())
                    .map_or(text.to_vec(), |text| text.replace("LEARNER", &learner).into_bytes());
                home.write(&format!("class/{file}"), text);
            }
        }
        home.write(&format!("class/{learner}/small.py"), "def total(numbers):\n    return sum(numbers)\n");
        let shown = |name: &str| if name.starts_with('=') { format!("'{name}") } else { name.to_owned() };
        let (passed, score, right) = kind.total;
        let (count, first) = kind.problems;
        let cells = [
            shown(&learner),
            shown(&file),
            kind.file.is_some().to_string(),
            kind.on_roster.to_string(),
            passed.to_string(),
            score.to_string(),
            "6".to_owned(),
            (score * 100 / 6).to_string(),
            right.to_string(),
            "3".to_owned(),
            kind.name.starts_with("cheat").to_string(),
            kind.to_look_at().to_owned(),
            count.to_string(),
            first.replace("FILE", &file),
            kind.questions.join(","),
        ];
        rows.push((learner, cells.join(",")));
    }
    rows
}

fn make_pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn a_class_of_220_becomes_the_expected_table() {
    let home = Home::new();
    fs::create_dir_all(home.path().join("class")).unwrap();
    let mut rows: Vec<(String, String)> = KINDS.iter().flat_map(|kind| hand_in(&home, kind)).collect();
    let on_roster = KINDS
        .iter()
        .filter(|kind| kind.on_roster)
        .flat_map(|kind| (0..OF_EACH).map(move |n| format!("{}-{n}\n", kind.name)));
    home.write("roster.txt", on_roster.collect::<String>());
    rows.sort();
    assert_eq!(rows.len(), 220);
    let questions = ["fixture/small", "leases/fencing-tokens", "python/tax-by-region"];
    let columns: Vec<String> =
        questions.iter().flat_map(|name| ["score", "line", "fix"].map(|column| format!("{name} {column}"))).collect();
    let mut expected =
        "learner,file,handed_in,on_roster,passed,score,of,percent,right,asked,suspicious,to_look_at,problems,first_problem,"
            .to_owned();
    expected += &columns.join(",");
    expected.push('\n');
    for (_, row) in rows {
        expected += &row;
        expected.push('\n');
    }
    let (code, table, told) = home.output(
        "--content packs quiz small fencing-tokens tax-by-region --weights line=1,fix=1 --pass-mark 50 \
         --answers class --lenient --roster roster.txt --format csv",
    );
    let differ: Vec<_> = table.lines().zip(expected.lines()).filter(|(line, wanted)| line != wanted).collect();
    assert!(differ.is_empty(), "{differ:#?}");
    assert_eq!(table, expected);
    let said =
        "30 of 220 passed; 10 handed nothing in; 40 could not be graded; 90 graded in part; 10 not on the roster\n";
    assert_eq!((code, told.as_str()), (Some(1), said));
}
