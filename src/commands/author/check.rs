//! `fencepost author check`: every problem of every file, and the proofs that the answer keys are right.
//!
//! Runs the rules and the proofs of `author/`, prints the report, and writes the stamps.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::mypy;
use super::proofs::{self, Interpreters};
use crate::author::drafts::{self, DraftPack};
use crate::author::known_differences;
use crate::author::report::{self, Examined, Report};
use crate::author::rules;
use crate::cli::AuthorCheck;
use crate::commands::progress::Progress;
use crate::commands::{Session, message, print, width};
use crate::content::question::{Date, Question, Verified};
use crate::content::{load, read, stamp};
use crate::error::{Error, Exit};
use crate::text;

pub(super) fn run(session: &Session, args: &AuthorCheck) -> Result<Exit, Error> {
    for folder in &session.global.content {
        load::must_be_folder(folder)?;
    }
    if !args.paths.is_empty() && !session.global.content.is_empty() {
        message("note: only the named paths are checked, not those of `--content`\n");
    }
    let packs = packs(session, &args.paths);
    let today = Date(jiff::Zoned::now().date());
    let mut report = examine(packs, args, today);

    let progress = Progress::new();
    let worked = work(session, args, &mut report, &progress);
    // The next output must not follow the progress bar.
    progress.clear();
    worked?;
    for examined in &mut report.questions {
        if let Some(question) = examined.question.as_ref().filter(|_| examined.cpython.is_empty())
            && stamp::that_holds(question).is_none()
        {
            examined.problems.extend(known_differences::warnings(question, &examined.file));
        }
    }
    if args.stamp {
        write_stamps(&mut report, today);
    }
    report.sort();
    let safe = |words: &str| text::line(words).into_owned();
    print(&match args.format {
        crate::cli::CheckFormat::Text => report.text(safe, session.colour(&io::stdout()), width()),
        crate::cli::CheckFormat::Json => crate::commands::json(&report.document())?,
        crate::cli::CheckFormat::Github => report.github(safe),
    })?;
    for reason in &report.not_done {
        message(&format!("error: {}\n", text::line(reason)));
    }
    Ok(report.exit())
}

/// Runs every proof that was asked for, and notes those for which a tool is missing.
fn work(session: &Session, args: &AuthorCheck, report: &mut Report, progress: &Progress) -> Result<(), Error> {
    let thorough = args.thorough || args.stamp;
    proofs::prove(session, report, &Interpreters::Embedded(session.runner()?), thorough, progress)?;
    if args.stamp || args.python.is_some() {
        let wanted = args.python.as_deref().unwrap_or("auto".as_ref());
        match Interpreters::cpython(session, wanted) {
            Ok(found) => proofs::prove(session, report, &found, thorough, progress)?,
            Err(reason) => report.not_done.push(format!("not proved on CPython: {reason}")),
        }
    }
    if args.stamp || args.mypy {
        match mypy::check(report, progress) {
            Ok(version) => report.mypy = Some(version),
            Err(reason) => report.not_done.push(format!("`mypy --strict` was not run: {reason}")),
        }
    }
    Ok(())
}

/// The packs to check: those that were named, or those of `--content`, or those in the current folder. If that has no packs,
/// its folder `content` is used.
fn packs(session: &Session, paths: &[PathBuf]) -> Vec<DraftPack> {
    if !paths.is_empty() {
        return drafts::read(paths);
    }
    if !session.global.content.is_empty() {
        return drafts::read(&session.global.content);
    }
    let is_elsewhere = Path::new("content").is_dir() && !load::holds_questions(Path::new("."));
    drafts::read(&[if is_elsewhere { "content".into() } else { ".".into() }])
}

/// Applies the rules that need no run.
fn examine(packs: Vec<DraftPack>, args: &AuthorCheck, today: Date) -> Report {
    let mut report = Report::default();
    for (place, mut pack) in packs.into_iter().enumerate() {
        for mut draft in std::mem::take(&mut pack.drafts) {
            let mut stamp = if args.stamp { draft.set_aside_stamp() } else { Vec::new() };
            let usable = draft.usable().is_some();
            rules::apply(&mut draft, pack.words(), today, args.stale);
            if args.stamp {
                stamp.extend(draft.set_aside_stamp());
            }
            report.questions.push(Examined {
                pack: place,
                name: draft.name,
                file: draft.file,
                question: draft.question.filter(|_| usable).map(Arc::new),
                problems: draft.problems,
                stamp,
                programs: 0,
                cpython: Vec::new(),
                typed: false,
                stamped: false,
            });
        }
        report.packs.push((pack.name, pack.problems));
    }
    report
}

/// Writes a stamp into the file of each question that passed and does not have it yet. Problems of an old stamp that was not
/// replaced are reported again.
fn write_stamps(report: &mut Report, today: Date) {
    for examined in &mut report.questions {
        match stamp(examined, report.mypy.as_deref(), today) {
            Ok(stamped) => examined.stamped = stamped,
            Err(error) => report.not_done.push(error.in_one_line()),
        }
        if !examined.stamped {
            examined.problems.append(&mut examined.stamp);
        }
    }
}

/// Returns true if a stamp was written.
fn stamp(examined: &Examined, mypy: Option<&str>, today: Date) -> Result<bool, Error> {
    let (Some(question), Some(mypy)) = (&examined.question, mypy) else {
        return Ok(false);
    };
    if examined.cpython.is_empty() || !examined.typed || report::has_errors(&examined.problems) {
        return Ok(false);
    }
    let (python, mypy) = (examined.cpython.join(", "), mypy.to_owned());
    let new = Verified { python, mypy, on: today, hash: stamp::hash(question) };
    if question.verified.as_ref().is_some_and(|old| stamp::says_the_same(old, &new) && old.on <= today) {
        return Ok(false);
    }
    write_stamp(examined, question, &new).map(|()| true)
}

fn write_stamp(examined: &Examined, question: &Question, new: &Verified) -> Result<(), Error> {
    let path = &examined.file.path;
    let failed = |what: &str| Error::machinery(format!("the stamp of `{}` was not written: {what}", question.id));
    // The target of a link is written, and the link is kept.
    let real = path.canonicalize().map_err(|error| failed("its file is gone").because(error))?;
    let bytes = std::fs::read(&real).map_err(|error| failed("its file cannot be read").because(error))?;
    let written = String::from_utf8(bytes).map_err(|error| failed("its file has changed").because(error))?;
    if read::source(path, &written).text != examined.file.text {
        return Err(failed("its file was changed during the check").hint("run the check again"));
    }
    let stamped = stamp::stamped(&written, new).ok_or_else(|| failed("its file is no longer TOML"))?;
    replace(&real, &stamped).map_err(|error| failed("its file cannot be written").because(error))
}

/// Replaces a file with `text`, wholly or not at all.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut file = tempfile::Builder::new().prefix(".").tempfile_in(path.parent().unwrap_or(path))?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(path.metadata()?.permissions())?;
    file.persist(path)?;
    Ok(())
}
