//! Runs the learner's own editor, which has the terminal until it ends.
//!
//! Keys that make signals are meant for the editor then, as in `git commit`: Ctrl-C and Ctrl-\ do not end this program, and
//! Ctrl-Z stops both. A signal that asks this program to end is handed on to the editor, so that the terminal is free again.

use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

use crate::runner::starting;
use crate::text;

/// The command of the editor: the first of `VISUAL` and `EDITOR` that is set and not blank. `variable` looks one up.
pub(crate) fn editor(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    ["VISUAL", "EDITOR"].into_iter().filter_map(variable).find(|command| !command.trim().is_empty())
}

pub(super) const NO_EDITOR: &str = "Neither `$VISUAL` nor `$EDITOR` names an editor. Set one before you start fencepost, such as \
                             `EDITOR=nano`, or press `i` to edit here.";

/// Runs `command` on the file at `path` and waits for its end. The terminal must be in the modes of a shell. The command
/// is a shell's, so that it may have arguments, as `code --wait` has. `settle` is to return once every signal that came
/// meanwhile has been looked at.
///
/// # Errors
///
/// It does not start, or ends with a failure; the sentence says which.
pub(crate) fn run(command: &str, path: &Path, settle: impl FnOnce()) -> Result<(), String> {
    let said = text::line(command).into_owned();
    let shown = text::line(&path.display().to_string()).into_owned();
    // Seen where the editor has a window of its own, and the terminal would stay blank.
    let _ = writeln!(io::stdout(), "fencepost: `{said}` has {shown}. Leave the editor to come back.");
    away::begin();
    let started = starting::start(shell(command).arg(path));
    let ended = started.and_then(|mut child| {
        away::started(child.id());
        child.wait()
    });
    settle();
    away::end();
    let status = ended.map_err(|error| format!("the editor `{said}` does not start: {error}"))?;
    if status.success() {
        return Ok(());
    }
    Err(match status.code() {
        Some(127) => format!("there is no editor `{said}`"),
        Some(code) => format!("the editor `{said}` ended with status {code}"),
        None => format!("the editor `{said}` was ended: {status}"),
    })
}

/// A shell that runs `command` with the arguments that are added.
#[cfg(unix)]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{}{command} \"$@\"", exec(command)), "sh"]);
    shell
}

/// The word that puts the editor in the place of the shell, so that signals reach it and nothing else. A command that is
/// more than one, or that begins with a variable, cannot have it.
#[cfg(unix)]
fn exec(command: &str) -> &'static str {
    let variable = command.split_whitespace().next().is_some_and(|first| first.contains('='));
    if variable || command.contains([';', '|', '&', '(', '{', '\n']) { "" } else { "exec " }
}

/// Without such a shell the command is split at blanks.
#[cfg(not(unix))]
fn shell(command: &str) -> Command {
    let mut words = command.split_whitespace();
    let mut editor = Command::new(words.next().unwrap_or("notepad"));
    editor.args(words);
    editor
}

/// Signals while the editor has the terminal.
pub(super) mod away {
    use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};

    /// True while the editor has the terminal.
    static AWAY: AtomicBool = AtomicBool::new(false);

    /// The signal that asked this program to end meanwhile; 0 while there is none.
    static ENDING: AtomicI32 = AtomicI32::new(0);

    /// The editor's process; 0 while there is none.
    static EDITOR: AtomicU32 = AtomicU32::new(0);

    pub(super) fn begin() {
        AWAY.store(true, Ordering::SeqCst);
    }

    pub(super) fn started(id: u32) {
        EDITOR.store(id, Ordering::SeqCst);
        // One that came while it was being started found nobody to be handed on to.
        #[cfg(unix)]
        if is_ending() {
            hand_on(ENDING.load(Ordering::SeqCst));
        }
    }

    pub(super) fn end() {
        EDITOR.store(0, Ordering::SeqCst);
        AWAY.store(false, Ordering::SeqCst);
    }

    /// True if a signal asked this program to end meanwhile.
    pub(in crate::tui) fn is_ending() -> bool {
        ENDING.load(Ordering::SeqCst) != 0
    }

    /// Sends `signal` to the editor, if there is one.
    #[cfg(unix)]
    fn hand_on(signal: i32) {
        use nix::sys::signal::{Signal, kill};
        use nix::unistd::Pid;
        // To send it to nobody would send it to this whole job.
        if let Some(editor) = i32::try_from(EDITOR.load(Ordering::SeqCst)).ok().filter(|id| *id > 0) {
            let _ = Signal::try_from(signal).and_then(|signal| kill(Pid::from_raw(editor), signal));
        }
    }

    /// True if `signal` is meant for the editor and needs nothing more.
    #[cfg(unix)]
    pub(in crate::tui) fn takes(signal: i32) -> bool {
        use signal_hook::consts::{SIGCONT, SIGINT, SIGQUIT, SIGTSTP, SIGWINCH};
        if !AWAY.load(Ordering::SeqCst) {
            return false;
        }
        match signal {
            // The terminal sends them to the editor too.
            SIGINT | SIGQUIT | SIGCONT => true,
            SIGTSTP => {
                // The editor has stopped itself, and the shell waits until this program does.
                let _ = crate::tui::job::stop();
                true
            }
            SIGWINCH => false,
            end => {
                ENDING.store(end, Ordering::SeqCst);
                hand_on(end);
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visual_comes_before_editor_and_blanks_are_no_editor() {
        let with = |pairs: &'static [(&str, &str)]| {
            editor(|name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(with(&[]), None);
        assert_eq!(with(&[("EDITOR", "vi")]).as_deref(), Some("vi"));
        assert_eq!(with(&[("EDITOR", "vi"), ("VISUAL", "code --wait")]).as_deref(), Some("code --wait"));
        assert_eq!(with(&[("EDITOR", "vi"), ("VISUAL", " ")]).as_deref(), Some("vi"));
    }

    #[cfg(unix)]
    #[test]
    fn a_command_may_be_more_than_the_name_of_an_editor() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a file's name.py");
        let run = |command: &str| {
            std::fs::write(&path, "").unwrap();
            run(command, &path, || ()).map(|()| std::fs::read_to_string(&path).unwrap())
        };
        assert_eq!(run("cp /dev/null").as_deref(), Ok(""));
        assert_eq!(run("tee -a </dev/null >/dev/null").as_deref(), Ok(""));
        assert_eq!(run("WORD=yes sh -c 'echo $WORD >\"$1\"' sh").as_deref(), Ok("yes\n"));
        assert_eq!(run("true && touch").as_deref(), Ok(""));
        assert_eq!(run("sh -c 'exit 7'"), Err("the editor `sh -c 'exit 7'` ended with status 7".to_owned()));
        assert_eq!(run("no-such-editor -x"), Err("there is no editor `no-such-editor -x`".to_owned()));
        let killed = run("sh -c 'kill -9 $$'").unwrap_err();
        assert!(killed.starts_with("the editor `sh -c 'kill -9 $$'` was ended: signal: 9"), "{killed}");
    }
}
