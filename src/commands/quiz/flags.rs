//! Flags that have no use beside others.
//!
//! Owns the reasons. A flag that is passed over in silence lets a script believe that it did something.

use crate::cli::Quiz;
use crate::error::Error;

/// Refuses what has no use in a session or for a file to fill in. A folder of answers says for itself which formats it
/// knows.
pub(super) fn refuse_what_has_no_use(args: &Quiz) -> Result<(), Error> {
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
        return refuse_what_has_no_use_for(args);
    };
    let useless: Vec<&str> =
        given.into_iter().filter(|(flag, given)| *given && *flag != mode).map(|(flag, _)| flag).collect();
    if useless.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> =
        useless.iter().map(|flag| format!("`{flag}` has no use beside `{mode}`: {}", reason(flag))).collect();
    let them = format!("`{}`", useless.join("` and `"));
    Err(Error::usage(lines.join("\n")).hint(format!("leave {them} out, or `{mode}`")))
}

/// Refuses what has no use for the kind of answers.
fn refuse_what_has_no_use_for(args: &Quiz) -> Result<(), Error> {
    if args.lenient && args.answers.is_none() {
        return Err(Error::usage("`--lenient` has no use without `--answers`: a terminal asks again after a mistake")
            .hint("leave it out, or name the answers with `--answers`"));
    }
    if args.roster.is_some() && !args.answers.as_ref().is_some_and(|path| path.is_dir()) {
        return Err(Error::usage(
            "`--roster` has no use without a folder of answers: it tells who handed nothing in there",
        )
        .hint("leave it out, or name the folder with `--answers`"));
    }
    Ok(())
}

fn in_a_session(flag: &str) -> &'static str {
    match flag {
        "--answers" => "answers come as requests on standard input",
        "--blank" => "a session shows its questions when they are asked for",
        "--format" => "requests and replies are JSON, one object a line",
        "--lenient" => "each request has a reply of its own, and a mistake costs only that one",
        "--no-times" => "each reply tells how long its program ran",
        "--roster" => "a session has one learner",
        _ => "a session tells what is right and keeps no score",
    }
}

fn in_a_template(flag: &str) -> &'static str {
    match flag {
        "--answers" => "a file to fill in has no answers yet",
        "--format" => "it says how a report is written, and a file to fill in is TOML",
        "--roster" => "nobody has handed anything in yet; name it when the answers are graded",
        _ => "nothing is graded yet; say it when the answers are",
    }
}
