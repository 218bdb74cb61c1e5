//! `fencepost man`: the manual page, generated from the command-line definition.

use std::io::Write as _;

use clap::{Arg, ArgAction, Command, CommandFactory as _};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, italic, roman};

use crate::cli::Cli;
use crate::commands::print;
use crate::error::{Error, Exit};

/// Exit codes and their meanings.
const EXIT_CODES: [(&str, &str); 6] = [
    ("0", "done; whatever was graded or checked passed"),
    ("1", "below the pass mark, a failed check or a failed proof"),
    ("2", "invalid arguments or answers"),
    ("3", "some questions cannot be used"),
    ("4", "fencepost itself failed, for example the runner or the disk"),
    ("129, 130, 131, 143", "ended by SIGHUP, SIGINT, SIGQUIT or SIGTERM"),
];

pub(super) fn run() -> Result<Exit, Error> {
    let failed = |error: std::io::Error| Error::machinery("cannot write the manual page").because(error);
    let page = page().map_err(failed)?;
    print(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Done)
}

/// Renders one page for all commands, so that readers can search it.
fn page() -> std::io::Result<Vec<u8>> {
    let mut command = Cli::command();
    command.build();
    let mut out = Vec::new();
    let man = Man::new(command.clone());
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    out.write_all(synopsis(&command).as_bytes())?;
    man.render_description_section(&mut out)?;
    man.render_options_section(&mut out)?;
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set() && verb.get_name() != "help") {
        commands(&mut out, verb, verb.get_name())?;
    }
    let mut codes = Roff::new();
    codes.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in EXIT_CODES {
        codes.control("TP", []).text([bold(code)]).text([roman(meaning)]);
    }
    out.write_all(codes.to_roff().as_bytes())?;
    man.render_version_section(&mut out)?;
    Ok(out)
}

/// Writes the synopsis. The renderer's own section leaves out the values of options.
fn synopsis(command: &Command) -> String {
    let mut line = vec![bold(command.get_name())];
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
        let short = arg.get_short().map(|short| format!("-{short}"));
        let long = arg.get_long().map(|long| format!("--{long}"));
        line.push(roman(" ["));
        line.push(bold(short.into_iter().chain(long).collect::<Vec<_>>().join("|")));
        if arg.get_action().takes_values() {
            for name in arg.get_value_names().unwrap_or_default() {
                line.extend([roman(" "), italic(name.as_str())]);
            }
        }
        let more = if matches!(arg.get_action(), ArgAction::Append) { "]..." } else { "]" };
        line.push(roman(more));
    }
    line.extend([roman(" ["), italic("COMMAND"), roman("]")]);
    let mut section = Roff::new();
    section.control("SH", ["SYNOPSIS"]).text(line);
    section.to_roff()
}

/// Writes the sections of a command and its subcommands.
fn commands(out: &mut Vec<u8>, verb: &Command, name: &str) -> std::io::Result<()> {
    let own: Vec<&Command> = verb.get_subcommands().filter(|verb| verb.get_name() != "help").collect();
    // Global options are listed once, at the top.
    let everywhere = |arg: &Arg| arg.is_global_set() || arg.get_id() == "help";
    // A command that only groups others gets no section.
    if own.is_empty() || verb.get_arguments().any(|arg| !everywhere(arg)) {
        let mut heading = Roff::new();
        heading.control("SH", [format!("fencepost {name}").to_uppercase().as_str()]);
        let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
        heading.text([roman(about)]);
        out.write_all(heading.to_roff().as_bytes())?;
        let verb = verb.clone().mut_args(|arg| if everywhere(&arg) { arg.hide(true) } else { arg });
        let mut options = Vec::new();
        Man::new(verb).render_options_section(&mut options)?;
        // The command's own heading replaces the preamble and the heading of the options.
        let options = String::from_utf8_lossy(&options);
        let options = options.split_once(".SH OPTIONS\n").map_or(&*options, |(_, below)| below);
        out.write_all(options.as_bytes())?;
    }
    for verb in own {
        commands(out, verb, &format!("{name} {}", verb.get_name()))?;
    }
    Ok(())
}
