//! Describes a program step by step: where it is, and what has changed and was printed since the learner last listened.

use std::fmt::Write as _;

use crate::content::question::{LineNo, lines};
use crate::plain::programs;
use crate::quiz::Sitting;
use crate::quiz::describe;
use crate::quiz::state::{Program, Programs};
use crate::quiz::steps::Walk;
use crate::quiz::trace::is_class_body;
use crate::runner::recording::Recording;
use crate::runner::{Chunk, Ending, Step, StepKind};
use crate::text;

/// Columns of a value, where it is not asked for in full.
const VALUE: usize = 80;

/// The step that the learner is at, with what happened since step `from`; what there is to do where there is none.
pub fn here(sitting: &Sitting, from: Option<usize>) -> String {
    let steps = sitting.steps();
    if sitting.is_running() || sitting.is_predicting() || sitting.is_asking() {
        return String::new();
    }
    let Some(leader) = steps.leader() else { return nothing(sitting) };
    let mut out = String::new();
    if let Some(missed) = steps.missed() {
        let _ = writeln!(out, "{}.", text::line(&describe::missed(missed)));
        return out;
    }
    tell(&mut out, sitting, steps.programs().leader(), leader, from);
    if let (Programs::Both, Some(fixed)) = (steps.programs(), steps.walk(Program::Fixed)) {
        if let Some(waits) = describe::waits(steps.relation()) {
            let _ = writeln!(out, "{waits}");
        }
        tell(&mut out, sitting, Program::Fixed, fixed, None);
    }
    out
}

/// The first step, and how the learner goes on.
pub fn begin(sitting: &Sitting) -> String {
    let mut out = here(sitting, None);
    if sitting.steps().leader().is_some() {
        out.push_str("Enter alone goes to the next step; `help` says how else to move.\n");
    }
    out
}

fn nothing(sitting: &Sitting) -> String {
    let walk = sitting.steps().walk(sitting.steps().programs().leader());
    match walk.and_then(|walk| walk.trace().ending()) {
        Some(ending) => {
            format!("The {} took no step: {}.\n", name(sitting.steps().programs().leader()), detail(ending))
        }
        None => "`steps` runs the program and notes every step.\n".to_owned(),
    }
}

/// The end of a program, as part of a sentence.
pub fn detail(ending: &Ending) -> String {
    text::line(ending.detail.trim_end_matches('.')).into_owned()
}

fn name(program: Program) -> String {
    format!("{} program", describe::program(program))
}

fn tell(out: &mut String, sitting: &Sitting, program: Program, walk: &Walk, from: Option<usize>) {
    let (Some(step), trace, at) = (walk.step(), walk.trace(), walk.at()) else { return };
    let source = sitting.source(program);
    let happens = text::line(&happens(step, source)).into_owned();
    let _ = writeln!(out, "Step {} of {}, {}. {happens}", at + 1, trace.steps.len(), name(program));
    let (inside, outside) = changes(trace, from.filter(|from| *from < at), at);
    if !inside.is_empty() {
        let _ = writeln!(out, "Now {}.", inside.join(", "));
    }
    if !outside.is_empty() {
        let _ = writeln!(out, "Where it was called from, now {}.", outside.join(", "));
    }
    if let Some(from) = from.filter(|from| *from < at) {
        let before = trace.output_until(from).iter().map(|chunk| chunk.text.len()).sum();
        programs::printed(out, &format!("The {}", name(program)), &behind(trace.output_until(at), before));
    }
    if at + 1 == trace.steps.len() {
        the_end(out, sitting, program, trace);
    }
}

/// Describes a step: "Line 7 of 14 comes next, in put, indent 8: ...".
fn happens(step: &Step, source: &str) -> String {
    let function = match step.function.as_str() {
        "<module>" => "the program",
        function => function,
    };
    let all = lines(source);
    let line = format!("line {} of {}", step.line, all.len());
    let class = is_class_body(source, function);
    let what = match step.kind {
        StepKind::Call if function == "the program" => "The program begins.".to_owned(),
        StepKind::Call if class => format!("The body of class {function} begins, {line}."),
        StepKind::Return if class => format!("The body of class {function} ends, {line}."),
        StepKind::Call => format!("The function {function} is called, {line}."),
        StepKind::Line => {
            let inside = if function == "the program" { String::new() } else { format!(", in {function}") };
            let code = LineNo::new(step.line).and_then(|number| all.get(number.index())).copied().unwrap_or_default();
            let indent = programs::indent(code);
            format!("L{} comes next{inside}{indent}: {}", line.get(1..).unwrap_or_default(), code.trim())
        }
        StepKind::Return if function == "the program" => "The program ends.".to_owned(),
        StepKind::Return if step.value.is_empty() => format!("The function {function} ends by the exception, {line}."),
        StepKind::Return => format!("The function {function} returns {}, {line}.", short(&step.value)),
        StepKind::Exception => format!("An exception comes up in {line}: {}", short(&step.value)),
    };
    if step.thread.is_empty() { what } else { format!("In the thread {}: {what}", step.thread) }
}

fn short(value: &str) -> String {
    text::shorten(&text::line(value), VALUE).into_owned()
}

/// Changes of variables in the functions that are on the stack at step `at`: since step `from`, or in the step itself. First
/// what belongs to the function of that step, then what belongs to those that called it.
fn changes(trace: &Recording, from: Option<usize>, at: usize) -> (Vec<String>, Vec<String>) {
    let Some(now) = trace.step(at) else { return Default::default() };
    // A function's depth, then its variable, and the value of that; nothing where it is gone.
    let mut changed: Vec<(u32, &str, Option<&str>)> = Vec::new();
    let first = from.map_or(at, |from| from + 1);
    for step in (first..=at).filter_map(|index| trace.step(index)).filter(|step| step.thread == now.thread) {
        let entered = step.kind == StepKind::Call;
        changed.retain(|(depth, ..)| *depth < step.depth || (*depth == step.depth && !entered));
        let set = step.changed.iter().map(|variable| (variable.name.as_str(), Some(variable.value.as_str())));
        for (name, value) in set.chain(step.gone.iter().map(|name| (name.as_str(), None))) {
            changed.retain(|(depth, known, _)| (*depth, *known) != (step.depth, name));
            changed.push((step.depth, name, value));
        }
    }
    let said = |(_, name, value): &(u32, &str, Option<&str>)| match value {
        Some(value) => format!("{} is {}", text::line(name), short(value)),
        None => format!("{} is gone", text::line(name)),
    };
    let (inside, outside): (Vec<_>, Vec<_>) = changed.into_iter().partition(|(depth, ..)| *depth == now.depth);
    (inside.iter().map(said).collect(), outside.iter().map(said).collect())
}

fn behind(chunks: Vec<Chunk>, mut bytes: usize) -> Vec<Chunk> {
    let mut rest = Vec::new();
    for chunk in chunks {
        let cut = bytes.min(chunk.text.len());
        bytes -= cut;
        match chunk.text.get(cut..) {
            Some(text) if !text.is_empty() => rest.push(Chunk { text: text.to_owned(), ..chunk }),
            _ => {}
        }
    }
    rest
}

/// Says at the last step how the program or its trace ended.
fn the_end(out: &mut String, sitting: &Sitting, program: Program, trace: &Recording) {
    let _ = match (trace.trace_full, trace.ending()) {
        (Some(limit), _) => writeln!(out, "{}", describe::trace_limit(limit)),
        (None, Some(ending)) => writeln!(out, "That was the last step. The {}: {}.", name(program), detail(ending)),
        (None, None) => Ok(()),
    };
    if program == Program::Buggy
        && let Some(result) = sitting.prediction_result()
    {
        programs::sentence(out, &result.said);
    }
}

/// Every variable at the step, in full, the innermost function first.
pub fn variables(sitting: &Sitting) -> String {
    of_shown(sitting, |out, program, walk| {
        let count = lines(sitting.source(program)).len();
        for (above, frame) in walk.stack().iter().enumerate() {
            let function = match frame.function.as_str() {
                "<module>" => "the program".to_owned(),
                function => format!("the function {}", text::line(function)),
            };
            // Values are noted when a function itself takes a step.
            let as_of = if above == 0 { "" } else { ", when it called" };
            let _ = writeln!(out, "In {function}, at line {} of {count}{as_of}:", frame.line);
            for local in &frame.variables {
                let changed = if local.changed { " Just changed." } else { "" };
                let _ =
                    writeln!(out, "The variable {} is {}.{changed}", text::line(&local.name), text::line(&local.value));
            }
            if frame.variables.is_empty() {
                out.push_str("No variables.\n");
            }
        }
    })
}

/// Output up to the step.
pub fn output(sitting: &Sitting) -> String {
    of_shown(sitting, |out, program, walk| {
        let written = walk.trace().output_until(walk.at());
        if written.is_empty() {
            let _ = writeln!(out, "The {} has printed nothing so far.", name(program));
        }
        programs::printed(out, &format!("The {}", name(program)), &written);
    })
}

/// Describes the program that is shown, or both.
fn of_shown(sitting: &Sitting, tell: impl Fn(&mut String, Program, &Walk)) -> String {
    let steps = sitting.steps();
    let mut out = String::new();
    for program in [Program::Buggy, Program::Fixed] {
        let shown = steps.programs() == Programs::Both || steps.programs().leader() == program;
        if let Some(walk) = steps.walk(program).filter(|walk| shown && !walk.trace().steps.is_empty()) {
            let _ = writeln!(out, "Step {} of {}, {}.", walk.at() + 1, walk.trace().steps.len(), name(program));
            tell(&mut out, program, walk);
        }
    }
    out
}
