//! Completions and the manual page, as shells and readers of manuals see them.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::cases::each;
use crate::command::{Home, PACK, SMALL};

#[test]
fn every_shell_gets_a_script_that_calls_the_program() {
    let home = Home::new();
    for (shell, sign) in [
        ("bash", "complete -o nospace"),
        ("zsh", "#compdef fencepost"),
        ("fish", "complete --keep-order"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let session = home.run(&format!("completions {shell}"));
        assert!(session.contains(sign) && session.contains("FENCEPOST_COMPLETE"), "{session}");
        assert!(session.ends_with("--- exit 0\n"), "{session}");
    }
    assert!(home.run("completions tcsh").ends_with("--- exit 2\n"));
}

/// A shell that reads the script and completes `words`, of which the last is not finished.
fn bash(home: &Home, words: &str) -> Option<Vec<String>> {
    let program = env!("CARGO_BIN_EXE_fencepost");
    let folder = std::path::Path::new(program).parent().unwrap().display();
    let script = format!(
        r#"PATH="{folder}:$PATH"
source <(fencepost completions bash)
COMP_WORDS=({words})
COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
COMP_TYPE=9
_clap_complete_fencepost fencepost "${{COMP_WORDS[COMP_CWORD]}}" 2>/dev/null
printf '%s\n' "${{COMPREPLY[@]}}""#
    );
    lines_of(home, &["bash", "--norc", "-c", &script])
}

/// Output of a shell; `None`, with a note, if the shell is not installed.
fn lines_of(home: &Home, words: &[&str]) -> Option<Vec<String>> {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).env("HOME", home.path()).current_dir(home.path()).stdin(Stdio::null());
    match command.output() {
        Ok(output) => Some(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()),
        Err(error) => {
            // Past the capture of the test harness, which would hide it as the test passes.
            let _ = writeln!(std::io::stderr(), "skipped: there is no {} to complete in ({error})", words[0]);
            None
        }
    }
}

/// A fish that does the same; of what it would show, the words.
fn fish(home: &Home, words: &str) -> Option<Vec<String>> {
    let program = env!("CARGO_BIN_EXE_fencepost");
    let folder = std::path::Path::new(program).parent().unwrap().display();
    let script = format!("set -p PATH '{folder}'; fencepost completions fish | source; complete -C '{words}'");
    let lines = lines_of(home, &["fish", "--no-config", "-c", &script])?;
    let word = |line: &String| line.split('\t').next().unwrap_or_default().to_owned();
    Some(lines.iter().map(word).filter(|word| !word.is_empty()).collect())
}

#[test]
fn fish_completes_commands_questions_topics_and_levels() {
    let home = Home::new();
    let Some(found) = fish(&home, "fencepost show fenc") else { return };
    assert_eq!(found, ["fencing-tokens"]);
    for (words, expected) in [
        ("fencepost qu", &["quiz"][..]),
        ("fencepost quiz --topic distr", &["distributed-systems"]),
        ("fencepost quiz --topic=distr", &["--topic=distributed-systems"]),
        ("fencepost quiz leases/fenc", &["leases/fencing-tokens"]),
        ("fencepost --content packs run sma", &["small"]),
    ] {
        assert_eq!(fish(&home, words).unwrap(), expected, "{words}");
    }
}

#[test]
fn bash_completes_commands_questions_topics_and_levels() {
    let home = Home::new();
    let Some(found) = bash(&home, "fencepost show fenc") else { return };
    assert_eq!(found, ["fencing-tokens"]);
    for (words, expected) in [
        ("fencepost qu", &["quiz"][..]),
        ("fencepost quiz --topic distr", &["distributed-systems"]),
        // Bash itself splits `--topic=distr` into three words, and `--level=` into two.
        ("fencepost quiz --topic = distr", &["distributed-systems"]),
        ("fencepost --content = packs quiz --level = s", &["senior", "staff"]),
        ("fencepost quiz --level = ''", &["junior", "mid", "senior", "staff"]),
        ("fencepost --content = packs run sma", &["small"]),
        ("fencepost quiz leases/fenc", &["leases/fencing-tokens"]),
        ("fencepost quiz --level s", &["senior", "staff"]),
        ("fencepost quiz --format j", &["json", "jsonl", "junit"]),
        ("fencepost quiz mer", &["merge"]),
        ("fencepost quiz merge --format c", &["csv"]),
        ("fencepost --content packs run sma", &["small"]),
        ("fencepost --content nowhere run fenc", &["fencing-tokens"]),
    ] {
        assert_eq!(bash(&home, words).unwrap(), expected, "{words}");
    }
}

/// The request of each shell's script, word for word, and the whole reply. The scripts of zsh and
/// PowerShell are not run here: see `clap_complete` for what they make of it.
#[derive(Debug)]
struct Asks<'a> {
    shell: &'a str,
    words: &'a [&'a str],
    /// Number of the word that the cursor is in, which bash and zsh send.
    place: Option<&'a str>,
    expected: &'a str,
}

impl Asks<'_> {
    fn answered(&self, home: &Home) -> (Option<i32>, String, String) {
        let mut command = home.command(&[&["--"], self.words].concat());
        command.env("FENCEPOST_COMPLETE", self.shell);
        if let Some(place) = self.place {
            command.env("_CLAP_COMPLETE_INDEX", place).env("_CLAP_IFS", "\n");
        }
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }
}

#[test]
fn every_shell_is_told_what_it_asks_for() {
    let home = Home::new();
    let title = "Sum: a\\\\b\\tlost";
    home.write_question("small", &[("The sum that forgets its last number", title)]);
    for name in ["ada.toml", "sp ace.toml", "$(touch owned).toml", "quo'te.toml"] {
        home.write(&format!("answers/{name}"), "");
    }
    let question = &["fencepost", "--content", "packs", "play", "fixture/"][..];
    let empty = &["fencepost", "quiz", "--level", ""][..];
    // zsh leaves an empty word out, PowerShell writes `''`, which is an empty word to it.
    let left_out = &["fencepost", "quiz", "--level"][..];
    each(
        [
            Asks { shell: "bash", words: question, place: Some("4"), expected: "fixture/small" },
            Asks { shell: "zsh", words: question, place: Some("4"), expected: "fixture/small:Sum: a\\\\b    lost" },
            Asks { shell: "fish", words: question, place: None, expected: "fixture/small\tSum: a\\b    lost\n" },
            Asks { shell: "powershell", words: question, place: None, expected: "fixture/small\tSum: a\\b    lost\n" },
            Asks { shell: "bash", words: empty, place: Some("3"), expected: "junior\nmid\nsenior\nstaff" },
            Asks { shell: "zsh", words: left_out, place: Some("3"), expected: "junior\nmid\nsenior\nstaff" },
            Asks { shell: "fish", words: empty, place: None, expected: "junior\nmid\nsenior\nstaff\n" },
            Asks { shell: "powershell", words: empty, place: None, expected: "junior\nmid\nsenior\nstaff\n" },
            // A name that a shell would take apart, run or quote is not offered.
            Asks {
                shell: "bash",
                words: &["fencepost", "quiz", "--answers", "answers/"],
                place: Some("3"),
                expected: "answers/ada.toml",
            },
            Asks { shell: "zsh", words: &["fencepost", "author", "check", "pa"], place: Some("3"), expected: "packs/" },
            Asks {
                shell: "fish",
                words: &["fencepost", "quiz", "--answers", "pac"],
                place: None,
                expected: "packs/\n",
            },
            // In the middle of a line, what stands behind the cursor counts too.
            Asks {
                shell: "zsh",
                words: &["fencepost", "play", "sma", "--content", "packs"],
                place: Some("2"),
                expected: "small:Sum: a\\\\b    lost",
            },
            Asks { shell: "fish", words: &["fencepost", "play", "nothing-like-it"], place: None, expected: "" },
        ],
        |asks| {
            let expected = (Some(0), asks.expected.to_owned(), String::new());
            assert_eq!(asks.answered(&home), expected, "{} {:?}", asks.shell, asks.words);
        },
    );
    for shell in ["fish", "powershell", "zsh"] {
        let topics = Asks { shell, words: &["fencepost", "quiz", "--topic", "distr"], place: Some("3"), expected: "" };
        assert_eq!(topics.answered(&home).1.trim_end(), "distributed-systems");
    }
}

/// The script of each shell asks in just this way.
#[test]
fn the_scripts_ask_as_the_program_expects() {
    let home = Home::new();
    each(
        [
            ("bash", &["FENCEPOST_COMPLETE=\"bash\"", "\"fencepost\" -- \"${words[@]}\"", "_CLAP_COMPLETE_INDEX="][..]),
            (
                "zsh",
                &["FENCEPOST_COMPLETE=\"zsh\"", "fencepost -- \"${words[@]}\"", "_CLAP_COMPLETE_INDEX=", "_CLAP_IFS="],
            ),
            (
                "fish",
                &["(FENCEPOST_COMPLETE=fish fencepost -- (commandline --current-process --tokenize --cut-at-cursor) \
               (commandline --current-token))"],
            ),
            ("powershell", &["$env:FENCEPOST_COMPLETE = \"powershell\"", "& fencepost -- $args", "$args += \" ''\""]),
        ],
        |(shell, calls)| {
            let script = home.run(&format!("completions {shell}"));
            for call in calls {
                assert!(script.contains(call), "{call}: {script}");
            }
        },
    );
}

#[test]
fn a_request_that_makes_no_sense_completes_nothing() {
    let home = Home::new();
    each(
        [
            ("tcsh", "1", "error: invalid completion query in `FENCEPOST_COMPLETE`\n"),
            ("zsh", "99", "error: invalid completion query in `FENCEPOST_COMPLETE`\n"),
        ],
        |(shell, index, said)| {
            let asks = Asks { shell, words: &["fencepost", "pl"], place: Some(index), expected: "" };
            let (code, out, err) = asks.answered(&home);
            assert_eq!((code, out.as_str()), (Some(2), ""), "{shell}");
            assert!(err.starts_with(said), "{err}");
        },
    );
    // A name that a shell would run or take apart is not offered.
    let pack = "packs/$(touch owned)";
    home.write(&format!("{pack}/small.toml"), SMALL);
    home.write(&format!("{pack}/pack.toml"), PACK);
    let words = &["fencepost", "--content", "packs", "play", "$"];
    let asks = Asks { shell: "powershell", words, place: None, expected: "" };
    assert_eq!(asks.answered(&home), (Some(0), String::new(), String::new()));
}

/// `man` itself, or mandoc, reads the page without a complaint, where there is one.
#[test]
fn the_manual_page_is_a_manual_page() {
    let home = Home::new();
    let page = home.run("man");
    each(
        [
            ".TH fencepost 1",
            ".SH NAME",
            ".SH \"FENCEPOST QUIZ\"",
            ".SH \"FENCEPOST QUIZ MERGE\"",
            "\\-\\-roster",
            "\\-\\-partition",
            ".SH \"EXIT STATUS\"",
        ],
        |sign| {
            assert!(page.contains(sign), "{sign} in {page}");
        },
    );
    // Options that every command takes stand once.
    assert_eq!(page.matches("\\-\\-trust\\-pack").count(), 2, "{page}");
    // With what they take, also where they are listed.
    let synopsis = page.split_once(".SH SYNOPSIS\n").unwrap().1.lines().next().unwrap();
    let plain = synopsis.replace("\\fB", "").replace("\\fI", "").replace("\\fR", "").replace("\\-", "-");
    let expected = "fencepost [--content DIR]... [--data-dir DIR] [--trust-pack PACK]... [--color WHEN] [-h|--help] \
                    [-V|--version] [COMMAND]";
    assert_eq!(plain, expected);
    assert!(page.ends_with("--- exit 0\n"));
}
