//! Completions and the manual page, as shells and readers of manuals see them.

use std::process::{Command, Stdio};

use crate::command::Home;

#[test]
fn every_shell_gets_a_script_that_calls_the_program() {
    let home = Home::new();
    for (shell, sign) in [
        ("bash", "complete -o nospace"),
        ("zsh", "#compdef fencepost"),
        ("fish", "complete --keep-order"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let session = home.run(&["completions", shell]);
        assert!(session.contains(sign) && session.contains("FENCEPOST_COMPLETE"), "{session}");
        assert!(session.ends_with("--- exit 0\n"), "{session}");
    }
    assert!(home.run(&["completions", "tcsh"]).ends_with("--- exit 2\n"));
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
    let mut command = Command::new("bash");
    command.args(["--norc", "-c", &script]).env("HOME", home.path()).current_dir(home.path()).stdin(Stdio::null());
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("skipped: there is no bash to complete in ({error})");
            return None;
        }
    };
    Some(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

#[test]
fn bash_completes_commands_questions_topics_and_levels() {
    let home = Home::new();
    let Some(found) = bash(&home, "fencepost show fenc") else { return };
    assert_eq!(found, ["fencing-tokens"]);
    for (words, expected) in [
        ("fencepost qu", &["quiz"][..]),
        ("fencepost quiz --topic distr", &["distributed-systems"]),
        // Bash itself makes three words of `--topic=distr`, and two of `--level=`.
        ("fencepost quiz --topic = distr", &["distributed-systems"]),
        ("fencepost --content = packs quiz --level = s", &["senior", "staff"]),
        ("fencepost --content = packs run sma", &["small"]),
        ("fencepost quiz --level = ''", &["junior", "mid", "senior", "staff"]),
        ("fencepost quiz leases/fenc", &["leases/fencing-tokens"]),
        ("fencepost quiz --level s", &["senior", "staff"]),
        ("fencepost quiz --format j", &["json", "jsonl", "junit"]),
        ("fencepost --content packs run sma", &["small"]),
        ("fencepost --content nowhere run fenc", &["fencing-tokens"]),
    ] {
        assert_eq!(bash(&home, words).unwrap(), expected, "{words}");
    }
}

#[test]
fn other_shells_get_their_candidates() {
    let home = Home::new();
    let ask = |shell: &str, words: &[&str]| {
        let mut command = home.command(&[&["--"], words].concat());
        command.env("FENCEPOST_COMPLETE", shell);
        command.env("_CLAP_COMPLETE_INDEX", (words.len() - 1).to_string()).env("_CLAP_IFS", "\n");
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let words = ["fencepost", "play", "fencing"];
    assert!(ask("fish", &words).starts_with("fencing-tokens\t"), "{}", ask("fish", &words));
    assert!(ask("zsh", &words).contains("fencing-tokens"));
    assert!(ask("powershell", &words).contains("fencing-tokens"));
    let mut unknown = home.command(&["list"]);
    let output = unknown.env("FENCEPOST_COMPLETE", "tcsh").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: `FENCEPOST_COMPLETE` is set"));
}

/// `man` itself, or mandoc, reads the page without a complaint, where there is one.
#[test]
fn the_manual_page_is_a_manual_page() {
    let home = Home::new();
    let page = home.run(&["man"]);
    for sign in [".TH fencepost 1", ".SH NAME", ".SH \"FENCEPOST QUIZ\"", "\\-\\-partition", ".SH \"EXIT STATUS\""] {
        assert!(page.contains(sign), "{sign} in {page}");
    }
    // Options that every command takes stand once.
    assert_eq!(page.matches("\\-\\-trust\\-pack").count(), 2, "{page}");
    assert!(page.ends_with("--- exit 0\n"));
}
