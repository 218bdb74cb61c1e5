//! Reads the names that compiled code uses: what it imports, what it reads and binds as globals, and how it reaches into
//! the interpreter.

use std::collections::{BTreeMap, BTreeSet};

use rustpython::vm::bytecode::{BorrowedConstant, CodeObject, Constant, Instruction, OpArgState};

use crate::runner::reach;

/// The names of a program, of all its functions and classes together.
#[derive(Default)]
pub(super) struct Names {
    /// Modules that it imports, and names that it imports from them, which may be modules as well: `(module, name)`.
    pub(super) imports: BTreeSet<(String, String)>,
    /// Globals that an import binds, each with the module and the name in it, if it is one.
    pub(super) imported: BTreeMap<String, (String, String)>,
    /// Globals or built-in names that it reads.
    pub(super) reads: BTreeSet<String>,
    /// Globals that it binds.
    pub(super) binds: BTreeSet<String>,
    /// Attributes that it reads.
    attributes: BTreeSet<String>,
    /// Names that its classes define, and attributes that it sets.
    pub(super) defines: BTreeSet<String>,
    /// Every name in its code, whatever for.
    all: BTreeSet<String>,
    /// Words of its text constants, as far as they are names: text with blanks is for people.
    text: BTreeSet<String>,
}

impl Names {
    /// Reads the names of a module's code.
    pub(super) fn of<C: Constant>(code: &CodeObject<C>) -> Self {
        let mut names = Self::default();
        names.read(code, true);
        names
    }

    fn read<C: Constant>(&mut self, code: &CodeObject<C>, is_module: bool) {
        let name = |at: u32| code.names.get(at as usize).map_or("", |name| name.as_ref()).to_owned();
        let mut state = OpArgState::default();
        let (mut module, mut member) = (String::new(), None);
        for unit in code.instructions.iter() {
            let (instruction, arg) = state.get(*unit);
            match instruction {
                Instruction::ImportName { namei } => {
                    module = name(namei.get(arg));
                    member = Some(String::new());
                    self.imports.insert((module.clone(), String::new()));
                }
                Instruction::ImportFrom { namei } => {
                    let found = name(namei.get(arg));
                    self.attributes.insert(found.clone());
                    self.imports.insert((module.clone(), found.clone()));
                    member = Some(found);
                }
                Instruction::LoadGlobal { namei } => drop(self.reads.insert(name(namei.get(arg) >> 1))),
                Instruction::LoadName { namei } => drop(self.reads.insert(name(namei.get(arg)))),
                Instruction::StoreGlobal { namei } => drop(self.binds.insert(name(namei.get(arg)))),
                Instruction::StoreName { namei } if is_module => {
                    if let Some(member) = member.take() {
                        self.imported.insert(name(namei.get(arg)), (module.clone(), member));
                    }
                    self.binds.insert(name(namei.get(arg)));
                }
                Instruction::StoreName { namei } => drop(self.defines.insert(name(namei.get(arg)))),
                Instruction::LoadAttr { namei } => drop(self.attributes.insert(name(namei.get(arg).name_idx()))),
                Instruction::StoreAttr { namei } => drop(self.defines.insert(name(namei.get(arg)))),
                _ => {}
            }
        }
        self.all.extend(code.names.iter().map(|name| name.as_ref().to_owned()));
        for constant in code.constants.iter() {
            self.read_constant(constant);
        }
    }

    fn read_constant<C: Constant>(&mut self, constant: &C) {
        match constant.borrow_constant() {
            BorrowedConstant::Code { code } => self.read(code, false),
            BorrowedConstant::Str { value } => {
                let text = value.to_string_lossy();
                if !text.contains(char::is_whitespace) {
                    self.text.extend(reach::words(&text).map(str::to_owned));
                }
            }
            BorrowedConstant::Tuple { elements } | BorrowedConstant::Frozenset { elements } => {
                elements.iter().for_each(|element| self.read_constant(element));
            }
            _ => {}
        }
    }

    /// Returns the names with which it reaches into the interpreter, sorted.
    pub(super) fn reaching(&self) -> Vec<&'static str> {
        let imports = |name: &str| self.imports.iter().any(|(module, _)| module.split('.').next() == Some(name));
        let attributes =
            reach::ATTRIBUTES.iter().filter(|name| self.all.contains(**name) || self.text.contains(**name));
        let only_attributes = reach::ONLY_ATTRIBUTES.iter().filter(|name| self.attributes.contains(**name));
        let modules = reach::MODULES.iter().filter(|name| imports(name));
        // A name of its own, or one that it imports, runs no text.
        let run_text =
            reach::RUN_TEXT.iter().filter(|name| self.reads.contains(**name) && !self.binds.contains(**name));
        let found: BTreeSet<_> = attributes.chain(only_attributes).chain(modules).chain(run_text).copied().collect();
        found.into_iter().collect()
    }

    /// Methods that it defines or names in text, and modules that it imports, with which a value can lie about itself; in
    /// order.
    pub(super) fn overloads(&self) -> Vec<&'static str> {
        let named = |name: &&&str| {
            self.defines.contains(**name) || self.text.contains(**name) || self.attributes.contains(**name)
        };
        let imported = |name: &&&str| self.imports.iter().any(|(module, _)| module.split('.').next() == Some(**name));
        // Every class reads its own name so.
        let methods =
            reach::OVERLOADS.iter().filter(named).filter(|name| **name != "__class__" || self.defines.contains(**name));
        methods.chain(reach::LYING_MODULES.iter().filter(imported)).copied().collect()
    }

    /// True if it can make classes or methods under names that are put together while it runs.
    pub(super) fn makes_classes(&self) -> bool {
        let reads = ["type", "setattr", "vars", "locals"].iter().any(|name| self.reads.contains(*name));
        let asks = ["__setattr__", "__dict__", "new_class", "make_dataclass", "__new__"];
        reads || asks.iter().any(|name| self.all.contains(*name))
    }

    /// True if it may replace something of this name: it sets such an attribute, or has the name in text.
    pub(super) fn may_replace(&self, name: &str) -> bool {
        self.defines.contains(name) || self.text.contains(name)
    }
}
