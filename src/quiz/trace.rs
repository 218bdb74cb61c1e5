//! Replays the steps of a recorded program into a call stack with variables.
//!
//! Reading a step's state costs one pass over the steps before it.

use crate::content::question::LineNo;
use crate::runner::recording::Recording;
use crate::runner::{Chunk, Step, StepKind};

/// A function that is on the stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its name, `<module>` outside of all functions.
    pub function: String,
    /// The line that it is at.
    pub line: u32,
    /// The number of the program's own functions above it on the stack.
    pub depth: u32,
    /// Its variables, in the order in which they came up.
    pub variables: Vec<Local>,
    /// True if its last step left it.
    left: bool,
}

/// A variable of a function that is on the stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// The name, or `name.attribute`.
    pub name: String,
    /// The value in words. Not yet safe to draw.
    pub value: String,
    /// True if the current step created or changed it.
    pub changed: bool,
}

/// A direction in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Later.
    On,
    /// Earlier.
    Back,
}

/// A variable, wherever it stands on the stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The function that it belongs to.
    pub function: String,
    /// Its name, or `name.attribute`.
    pub name: String,
}

impl Recording {
    /// Step `at`, counted from 0.
    pub fn step(&self, at: usize) -> Option<&Step> {
        self.steps.get(at)
    }

    /// Output before step `at`. At the last step that is everything, also what came after it.
    pub fn output_until(&self, at: usize) -> Vec<Chunk> {
        let mut left = match self.written.get(at) {
            Some(written) if at + 1 < self.steps.len() => *written,
            _ => self.size,
        };
        let mut until = Vec::new();
        for chunk in &self.output {
            let text = chunk.text.get(..left.min(chunk.text.len())).unwrap_or(&chunk.text);
            if text.is_empty() {
                break;
            }
            left -= text.len();
            until.push(Chunk { stream: chunk.stream, text: text.to_owned() });
        }
        until
    }

    /// The call stack in the thread of step `at`, the innermost function last.
    pub fn frames(&self, at: usize) -> Vec<Frame> {
        let Some(now) = self.step(at) else { return Vec::new() };
        let mut frames: Vec<Frame> = Vec::new();
        for (index, step) in self.steps.iter().enumerate().take(at + 1).filter(|(_, step)| step.thread == now.thread) {
            while frames.last().is_some_and(|top| is_gone(top, step)) {
                frames.pop();
            }
            if frames.last().is_none_or(|top| top.depth < step.depth) {
                frames.push(Frame {
                    function: step.function.clone(),
                    line: step.line,
                    depth: step.depth,
                    variables: Vec::new(),
                    left: false,
                });
            }
            if let Some(frame) = frames.last_mut() {
                frame.line = step.line;
                frame.left = step.kind == StepKind::Return;
                apply(&mut frame.variables, step, index == at);
            }
        }
        frames
    }

    pub(super) fn has(&self, name: &Name) -> bool {
        let has = |step: &Step| step.changed.iter().any(|variable| variable.name == name.name);
        self.steps.iter().any(|step| step.function == name.function && has(step))
    }

    /// The next step from `from` on that is `wanted`, not `from` itself.
    pub fn seek(&self, from: usize, way: Way, wanted: impl Fn(&Step) -> bool) -> Option<usize> {
        let is_wanted = |at: &usize| self.step(*at).is_some_and(&wanted);
        match way {
            Way::On => (from.saturating_add(1)..self.steps.len()).find(is_wanted),
            Way::Back => (0..from.min(self.steps.len())).rev().find(is_wanted),
        }
    }
}

/// True if the function `top` is no longer on the stack at `step`.
fn is_gone(top: &Frame, step: &Step) -> bool {
    let replaced = top.left || step.kind == StepKind::Call || top.function != step.function;
    top.depth > step.depth || (top.depth == step.depth && replaced)
}

/// Brings variables up to `step`, which is the one that is looked at if it is `now`.
fn apply(variables: &mut Vec<Local>, step: &Step, now: bool) {
    if !step.gone.is_empty() {
        variables.retain(|local| !step.gone.contains(&local.name));
    }
    for variable in &step.changed {
        match variables.iter_mut().find(|local| local.name == variable.name) {
            Some(local) => {
                local.value.clone_from(&variable.value);
                local.changed = now;
            }
            None => {
                let local = Local { name: variable.name.clone(), value: variable.value.clone(), changed: now };
                variables.insert(place(variables, &variable.name), local);
            }
        }
    }
}

/// The index of a new name: an attribute after its object, everything else at the end.
fn place(variables: &[Local], name: &str) -> usize {
    let Some((object, _)) = name.split_once('.') else { return variables.len() };
    let is_of = |local: &Local| local.name.split('.').next() == Some(object);
    variables.iter().rposition(is_of).map_or(variables.len(), |last| last + 1)
}

/// True if `function` is the body of a class of the program `source`, which Python runs like a function.
pub fn is_class_body(source: &str, function: &str) -> bool {
    let head =
        |line: &str| Some(line.trim_start().strip_prefix("class ")?.trim_start().strip_prefix(function)?.to_owned());
    let ends = |rest: String| rest.trim_start().starts_with([':', '(', '[']);
    source.lines().filter_map(head).any(ends)
}

/// True if `step` is about to run `line`.
pub fn visits(step: &Step, line: LineNo) -> bool {
    step.kind == StepKind::Line && step.line == line.get()
}
