//! `fencepost doctor`: reports what works on this machine, what is missing, and why.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};

use serde::Serialize;

use crate::cli::{Doctor, Format};
use crate::commands::{Session, json, print};
use crate::content::catalog::Catalog;
use crate::content::diagnostic::{Diagnostic, Severity};
use crate::content::load;
use crate::error::{Error, Exit};
use crate::runner::cpython::Interpreter;
use crate::runner::{Engine, Missing};
use crate::script::report::Versioned;
use crate::settings::Places;
use crate::text::{self, counted};
use crate::tui::theme;

pub(super) fn run(session: &Session, args: &Doctor) -> Result<Exit, Error> {
    let report = examine(session);
    print(&match args.format {
        Format::Text => text::block(&report.page()).into_owned(),
        Format::Json => json(&Versioned::new(&report))?,
    })?;
    Ok(report.exit())
}

/// Findings. A part that cannot be examined says why instead.
#[derive(Serialize)]
struct Report {
    version: &'static str,
    system: String,
    runner: Runner,
    /// CPythons on the PATH that `--python` can use.
    cpythons: Vec<CPython>,
    terminal: Terminal,
    data: Data,
    packs: Vec<Pack>,
    /// Problems in the files of the packs.
    problems: Vec<Problem>,
    /// Error for the folders of `--content`.
    #[serde(skip_serializing_if = "Option::is_none")]
    content_error: Option<String>,
}

#[derive(Serialize)]
struct Runner {
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<Engine>,
    missing: Vec<Missing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct CPython {
    path: String,
    version: String,
}

#[derive(Serialize)]
struct Terminal {
    input: bool,
    output: bool,
    /// Columns and lines; `None` without a terminal.
    size: Option<(u16, u16)>,
    kind: Option<String>,
    colour: bool,
    unicode: bool,
}

#[derive(Serialize)]
struct Data {
    progress: Option<String>,
    settings: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct Pack {
    name: String,
    shipped: bool,
    questions: usize,
    errors: usize,
    warnings: usize,
}

#[derive(Serialize)]
struct Problem {
    file: String,
    /// From 1, like the column, which counts characters.
    line: usize,
    column: usize,
    severity: &'static str,
    code: &'static str,
    message: String,
    help: String,
}

fn examine(session: &Session) -> Report {
    let (catalog, content_error) = match load::load(&session.global.content) {
        Ok(catalog) => (catalog, None),
        Err(error) => (load::load(&[]).unwrap_or_default(), Some(error.to_string())),
    };
    Report {
        version: env!("CARGO_PKG_VERSION"),
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        runner: runner(session),
        cpythons: cpythons(),
        terminal: terminal(session),
        data: data(session),
        packs: packs(&catalog),
        problems: catalog.problems.iter().map(problem).collect(),
        content_error,
    }
}

fn runner(session: &Session) -> Runner {
    let inspected = session.runner().map_err(|error| error.to_string()).and_then(|runner| runner.inspect());
    match inspected {
        Ok(sandbox) => Runner { engine: Some(sandbox.engine), missing: sandbox.missing, error: None },
        Err(error) => Runner { engine: None, missing: Vec::new(), error: Some(error) },
    }
}

fn cpythons() -> Vec<CPython> {
    let found = Interpreter::find_all().into_iter();
    found.map(|it| CPython { path: it.executable.display().to_string(), version: it.version }).collect()
}

fn terminal(session: &Session) -> Terminal {
    let variable = |name: &str| std::env::var(name).ok();
    let output = io::stdout().is_terminal();
    Terminal {
        input: io::stdin().is_terminal(),
        output,
        size: if output { ratatui::crossterm::terminal::size().ok() } else { None },
        kind: variable("TERM"),
        colour: session.colour(&io::stdout()),
        unicode: !theme::needs_ascii(variable),
    }
}

fn data(session: &Session) -> Data {
    match session.places() {
        Ok(Places { progress, settings, .. }) => Data {
            progress: Some(progress.display().to_string()),
            settings: Some(settings.display().to_string()),
            error: None,
        },
        Err(error) => Data { progress: None, settings: None, error: Some(error.to_string()) },
    }
}

/// Lists the packs, including those without usable questions.
fn packs(catalog: &Catalog) -> Vec<Pack> {
    let mut packs: Vec<Pack> = catalog
        .packs
        .iter()
        .map(|pack| Pack { name: pack.name.clone(), shipped: pack.shipped, questions: 0, errors: 0, warnings: 0 })
        .collect();
    for entry in &catalog.questions {
        if let Some(pack) = packs.iter_mut().find(|pack| pack.name == entry.name.pack) {
            pack.questions += 1;
        }
    }
    for problem in &catalog.problems {
        let folder = problem.file.path.parent().and_then(|folder| folder.file_name());
        let name = folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let at = packs.iter().position(|pack| pack.name == name).unwrap_or_else(|| {
            packs.push(Pack { name, shipped: false, questions: 0, errors: 0, warnings: 0 });
            packs.len() - 1
        });
        if let Some(pack) = packs.get_mut(at) {
            match problem.severity {
                Severity::Error => pack.errors += 1,
                Severity::Warning | Severity::Note => pack.warnings += 1,
            }
        }
    }
    packs
}

fn problem(problem: &Diagnostic) -> Problem {
    let (line, column) = problem.position();
    Problem {
        file: problem.file.path.display().to_string(),
        line,
        column,
        severity: problem.severity.word(),
        code: problem.code.0,
        message: problem.message.clone(),
        help: problem.help.clone(),
    }
}

impl Report {
    fn exit(&self) -> Exit {
        if self.runner.error.is_some() {
            Exit::Machinery
        } else if self.content_error.is_some() || self.packs.iter().any(|pack| pack.errors > 0) {
            Exit::Content
        } else {
            Exit::Done
        }
    }

    fn page(&self) -> String {
        let mut out = format!("fencepost {} on {}\n", self.version, self.system);
        out.push_str("\nRunning programs\n");
        match &self.runner.engine {
            Some(engine) => {
                let _ = writeln!(out, "  engine     {} {}, Python {}", engine.name, engine.version, engine.python);
                let _ = writeln!(out, "  sandbox    {}", engine.sandbox);
            }
            None => {
                let _ =
                    writeln!(out, "  engine     failed to start: {}", self.runner.error.as_deref().unwrap_or_default());
            }
        }
        for missing in &self.runner.missing {
            let _ = writeln!(out, "  missing    {}: {}", missing.part.word(), missing.reason);
        }
        for python in &self.cpythons {
            let _ = writeln!(out, "  CPython    {} at {}", python.version, python.path);
        }
        if self.cpythons.is_empty() {
            out.push_str("  CPython    none on the PATH (optional)\n");
        }
        out.push_str("\nTerminal\n");
        match self.terminal.size {
            Some((columns, lines)) => {
                let _ = writeln!(out, "  size       {columns} columns, {lines} lines");
            }
            None => out.push_str("  size       the output is not a terminal\n"),
        }
        let _ = writeln!(out, "  kind       {}", self.terminal.kind.as_deref().unwrap_or("TERM is not set"));
        let _ = writeln!(out, "  colours    {}", if self.terminal.colour { "yes" } else { "no" });
        let _ = writeln!(
            out,
            "  characters {}",
            if self.terminal.unicode { "Unicode" } else { "ASCII, because of the locale" }
        );
        out.push_str("\nData\n");
        let missing = self.data.error.as_deref().unwrap_or_default();
        let _ = writeln!(out, "  progress   {}", self.data.progress.as_deref().unwrap_or(missing));
        let _ = writeln!(out, "  settings   {}", self.data.settings.as_deref().unwrap_or(missing));
        out.push_str("\nPacks\n");
        let names: Vec<_> = self.packs.iter().map(|pack| text::line(&pack.name)).collect();
        let width = names.iter().map(|name| text::width(name)).max().unwrap_or(0);
        for (pack, name) in self.packs.iter().zip(&names) {
            let gap = " ".repeat(width.saturating_sub(text::width(name)));
            let mut facts = vec![counted(pack.questions, "question")];
            if !pack.shipped {
                facts.push("not shipped".into());
            }
            if pack.errors > 0 {
                facts.push(counted(pack.errors, "error"));
            }
            if pack.warnings > 0 {
                facts.push(counted(pack.warnings, "warning"));
            }
            let _ = writeln!(out, "  {name}{gap}  {}", facts.join(", "));
        }
        if let Some(error) = &self.content_error {
            let _ = writeln!(out, "  {error}");
        }
        if !self.problems.is_empty() {
            out.push_str("\nProblems\n");
            for Problem { file, line, column, severity, code, message, .. } in &self.problems {
                let problem = format!("  {file}:{line}:{column}: {severity}[{code}]: {message}");
                let _ = writeln!(out, "{}", text::line(&problem));
            }
            out.push_str("  `fencepost list` shows each with its source and how to fix it.\n");
        }
        out
    }
}
