//! Protects names in a check's code from the program's own names.
//!
//! A check runs in the program's namespace, where the program may bind `all` or `asyncio`, even while the check runs. So the
//! check's code uses other names for them, which no program binds.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use rustpython::vm::bytecode::{CodeObject, CodeUnit, CodeUnits, ConstantData, Instruction, OpArgByte, OpArgState};
use rustpython::vm::{PyObjectRef, PyResult, VirtualMachine};

use super::code::{Check, PROGRAM, compile};
use super::import::imported_value;
use super::names::Names;
use crate::runner::reach;

/// Built-in functions that show a namespace by its names.
const LOOKUPS: &[&str] = &["dir", "globals", "locals", "vars"];

/// Protected names of a check, and their values.
#[derive(Default)]
pub(super) struct Pins {
    names: BTreeMap<String, String>,
    /// Values of those names that the check does not bind itself.
    pub(super) values: Vec<(String, PyObjectRef)>,
}

impl Pins {
    /// Decides the meaning of names in the check's code, whatever the program binds to them.
    pub(super) fn of(vm: &VirtualMachine, check: &Check<'_>, uses: &Names) -> PyResult<Self> {
        // The question's own program may give a name another meaning.
        let question = check.question.unwrap_or(check.source);
        let theirs = OnceCell::new();
        let theirs =
            || theirs.get_or_init(|| compile(vm, question, PROGRAM).map(|code| Names::of(&code)).unwrap_or_default());
        let is_import =
            |line: &&str| line.trim_start().starts_with("import ") || line.trim_start().starts_with("from ");
        let imported: BTreeSet<&str> = question.lines().filter(is_import).flat_map(reach::words).collect();
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|error| vm.new_os_error(error.to_string()))?;
        let random = u64::from_ne_bytes(random);

        let mut pins = Self::default();
        // A module has names such as `__name__` of its own.
        for name in uses.reads.difference(&uses.binds).filter(|name| !name.starts_with("__")) {
            let value = if imported.contains(name.as_str()) {
                theirs().imported.get(name).and_then(|(module, member)| imported_value(vm, module, member))
            } else {
                let builtin = vm.builtins.dict().get_item_opt(name.as_str(), vm)?;
                builtin.filter(|_| !reach::may_bind(question, name) || !theirs().binds.contains(name))
            };
            if let Some(value) = value {
                pins.add(name, random, Some(value));
            }
        }
        // What the check binds is its own, unless it gives the program another meaning of a name with it. Text that it runs
        // knows nothing of pins, and a class is looked for by its name.
        let looks_up = reach::RUN_TEXT.iter().chain(LOOKUPS).any(|name| uses.reads.contains(*name));
        let is_class = |name: &str| check.code.contains(&format!("class {name}"));
        for name in uses.binds.iter().filter(|name| !looks_up && !name.starts_with("__") && !is_class(name)) {
            let is_shared = reach::words(question).any(|word| word == name);
            let is_the_same = || {
                let from = uses.imported.get(name);
                from.is_some() && imported.contains(name.as_str()) && theirs().imported.get(name) == from
            };
            if !is_shared || is_the_same() {
                pins.add(name, random, None);
            }
        }
        pins.names.retain(|name, _| !uses.defines.contains(name));
        Ok(pins)
    }

    /// Replaces the names in the check's code.
    pub(super) fn put_in(&self, code: &mut CodeObject<ConstantData>) {
        replace(code, &self.names, true);
    }

    fn add(&mut self, name: &str, random: u64, value: Option<PyObjectRef>) {
        let pinned = format!("{name} {random:016x}");
        self.values.extend(value.map(|value| (pinned.clone(), value)));
        self.names.insert(name.to_owned(), pinned);
    }
}

/// Replaces names in code, wherever it reads or binds them as globals.
fn replace(code: &mut CodeObject<ConstantData>, pins: &BTreeMap<String, String>, is_module: bool) {
    let mut names = code.names.to_vec();
    let mut state = OpArgState::default();
    let mut is_extended = false;
    let mut units = Vec::with_capacity(code.instructions.len());
    for unit in code.instructions.iter() {
        let (instruction, arg) = state.get(*unit);
        // `LoadGlobal` has a mark beside the index.
        let found = match instruction {
            Instruction::LoadGlobal { namei } => Some((namei.get(arg) >> 1, 1)),
            Instruction::LoadName { namei }
            | Instruction::StoreGlobal { namei }
            | Instruction::DeleteGlobal { namei } => Some((namei.get(arg), 0)),
            Instruction::LoadFromDictOrGlobals { i } => Some((i.get(arg), 0)),
            Instruction::StoreName { namei } | Instruction::DeleteName { namei } if is_module => {
                Some((namei.get(arg), 0))
            }
            _ => None,
        };
        let pinned = found.and_then(|(at, shift)| {
            let name = pins.get(names.get(at as usize)?)?;
            let place = names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.clone());
                names.len() - 1
            });
            let mark = u32::from(arg) & shift;
            u8::try_from((u32::try_from(place).ok()? << shift) | mark).ok()
        });
        // A name whose index needs more than one byte stays what it is: no check has so many.
        let arg = pinned.filter(|_| !is_extended).map_or(unit.arg, OpArgByte::from);
        units.push(CodeUnit { op: unit.op, arg });
        is_extended = matches!(instruction, Instruction::ExtendedArg);
    }
    code.instructions = CodeUnits::from(units);
    code.names = names.into();
    let constants = code.constants.iter().cloned().map(|constant| match constant {
        ConstantData::Code { mut code } => {
            replace(&mut code, pins, false);
            ConstantData::Code { code }
        }
        other => other,
    });
    code.constants = constants.collect();
}
