//! Refuses flags that would have no effect, each with the reason: a script must not believe that they had one.

use crate::cli::Quiz;
use crate::error::Error;
use crate::text::listed;

/// Refuses flags without effect in a session or for a file to fill in. A folder of answers checks its format itself.
pub(super) fn refuse_without_effect(args: &Quiz) -> Result<(), Error> {
    let given = [
        ("--answers", args.answers.is_some()),
        ("--blank", args.blank),
        ("--format", args.format.is_some()),
        ("--lenient", args.lenient),
        ("--no-times", args.no_times),
        ("--pass-mark", args.pass_mark.is_some()),
        ("--roster", args.roster.is_some()),
        ("--weights", args.weights.is_some()),
    ];
    let (mode, reason): (&str, fn(&str) -> &'static str) = if args.serve_stdio {
        ("--serve-stdio", in_a_session)
    } else if args.blank {
        ("--blank", in_a_template)
    } else {
        return refuse_without_effect_on(args);
    };
    let useless: Vec<&str> =
        given.into_iter().filter(|(flag, given)| *given && *flag != mode).map(|(flag, _)| flag).collect();
    if useless.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> =
        useless.iter().map(|flag| format!("`{flag}` has no effect with `{mode}`: {}", reason(flag))).collect();
    let them = listed(useless.iter().map(|flag| format!("`{flag}`")), "and");
    Err(Error::usage(lines.join("\n")).hint(format!("omit {them}, or omit `{mode}`")))
}

/// Refuses flags without effect on this kind of answers.
fn refuse_without_effect_on(args: &Quiz) -> Result<(), Error> {
    if args.lenient && args.answers.is_none() {
        return Err(Error::usage(
            "`--lenient` has no effect without `--answers`: a terminal asks again after a mistake",
        )
        .hint("omit it, or name the answers with `--answers`"));
    }
    if args.roster.is_some() && !args.answers.as_ref().is_some_and(|path| path.is_dir()) {
        return Err(Error::usage(
            "`--roster` has no effect without a folder of answers: it lists learners without a file there",
        )
        .hint("omit it, or name the folder with `--answers`"));
    }
    Ok(())
}

fn in_a_session(flag: &str) -> &'static str {
    match flag {
        "--answers" => "answers come as requests on standard input",
        "--blank" => "a session shows each question on request",
        "--format" => "requests and replies are JSON, one object a line",
        "--lenient" => "a mistake costs only its own request",
        "--no-times" => "each reply has the running time",
        "--roster" => "a session has one learner",
        _ => "a session keeps no score",
    }
}

fn in_a_template(flag: &str) -> &'static str {
    match flag {
        "--answers" => "a file to fill in has no answers yet",
        "--format" => "it is the format of a report; a file to fill in is TOML",
        "--roster" => "nothing is handed in yet; name it when the answers are graded",
        _ => "nothing is graded yet; use it when the answers are",
    }
}
