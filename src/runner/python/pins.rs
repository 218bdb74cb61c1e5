//! Gives names in a check's code a meaning that the program cannot change by binding the same name.
//!
//! A check runs in the program's namespace, where the program may bind `all` or `asyncio` to something else, also while the
//! check runs. So the check's code asks for those names under another name, which no program binds.

use std::collections::BTreeMap;

use rustpython::vm::bytecode::{CodeObject, CodeUnit, CodeUnits, ConstantData, Instruction, OpArgByte, OpArgState};

/// Replaces names in the code of a module, wherever it reads or binds them as globals.
pub(super) fn pin(code: &mut CodeObject<ConstantData>, pins: &BTreeMap<String, String>) {
    replace(code, pins, true);
}

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
