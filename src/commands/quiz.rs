//! `fencepost quiz`: grades a file of answers.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use crate::cli::{Format, Quiz};
use crate::commands::{Session, find, json, message, print, width};
use crate::content::catalog::{Catalog, Entry};
use crate::content::diagnostic::SourceFile;
use crate::content::{read, render};
use crate::error::{Error, Exit};
use crate::script::{answers, report};
use crate::tui::text;

pub(super) fn run(session: &Session, args: &Quiz) -> Result<Exit, Error> {
    let catalog = Arc::new(session.catalog()?);
    let questions = select(&catalog, &args.questions)?;
    let file = read_answers(&args.answers)?;
    let answers = match answers::parse(&file, &catalog) {
        Ok(answers) => answers,
        Err(problems) => {
            let colour = session.colour(&io::stderr());
            message(&render::diagnostics(&problems, |words| text::line(words).into_owned(), colour, width()));
            return Ok(Exit::Usage);
        }
    };
    let report = report::grade_all(&catalog, &questions, &answers);
    print(&match args.format {
        Format::Text => text::block(&report.text()).into_owned(),
        Format::Json => json(&report)?,
    })?;
    Ok(if report.passed { Exit::Done } else { Exit::Failed })
}

/// The named questions, each once and in their order; all of them where none is named.
fn select(catalog: &Catalog, named: &[String]) -> Result<Vec<Arc<Entry>>, Error> {
    if named.is_empty() {
        if catalog.questions.is_empty() {
            return Err(Error::content("there is no question to ask"));
        }
        return Ok(catalog.questions.clone());
    }
    let mut selected: Vec<Arc<Entry>> = Vec::new();
    for text in named {
        let entry = find(catalog, text)?;
        if !selected.iter().any(|earlier| earlier.name == entry.name) {
            selected.push(entry.clone());
        }
    }
    Ok(selected)
}

fn read_answers(path: &Path) -> Result<Arc<SourceFile>, Error> {
    if path.as_os_str() != "-" {
        return read::named_file(path).map_err(|problem| Error::usage(problem.message).hint(problem.help));
    }
    let failed = |error: io::Error| {
        Error::usage("cannot read the answers from standard input").hint("name a file: `--answers FILE`").because(error)
    };
    let mut bytes = Vec::new();
    io::stdin().lock().take(read::LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > read::LARGEST {
        return Err(Error::usage("the answers on standard input are longer than 1 MiB"));
    }
    read::decode(Path::new("<stdin>"), bytes)
        .map_err(|problem| Error::usage(problem.message).hint("answers are UTF-8 text"))
}
