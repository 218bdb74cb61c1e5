//! Examines a submitted program: how it reaches into the interpreter, and how its values can lie.

use std::collections::{BTreeSet, HashSet};

use rustpython::vm::builtins::{PyCode, PyFunction, PyStr, PyType};
use rustpython::vm::{AsObject, Py, PyRef, VirtualMachine};

use super::code::{PROGRAM, compile};
use super::names::Names;
use super::reached;
use crate::runner::protocol::{Final, Tampering};
use crate::runner::reach;

/// Facts about a submitted program before it runs.
pub(super) struct Looked {
    /// Methods that it defines and its question does not, with which a value can lie about itself.
    pub(super) overloads: BTreeSet<String>,
    /// Its code, unless it does not compile: then its run says so.
    pub(super) code: Option<PyRef<PyCode>>,
    makes_classes: bool,
}

/// Examines a submitted program before it runs. Fails if it reaches into the interpreter and its question does not.
pub(super) fn look_at(vm: &VirtualMachine, source: &str, question: &str) -> Result<Looked, Final> {
    let Ok(code) = compile(vm, source, PROGRAM) else {
        return Ok(Looked { overloads: BTreeSet::new(), code: None, makes_classes: false });
    };
    let names = Names::of(&code);
    let reaching = unknown(names.reaching(), question);
    if !reaching.is_empty() {
        return Err(Final::tampered(Tampering::Reaches, reaching));
    }
    let overloads = unknown(names.overloads(), question);
    Ok(Looked { overloads, code: Some(code), makes_classes: names.makes_classes() })
}

/// Returns the end of a program that has read attributes which lead into the interpreter, unless its question uses them.
pub(super) fn has_reached(question: &str) -> Option<Final> {
    let names = unknown(reached::READ.end(), question);
    (!names.is_empty()).then(|| Final::tampered(Tampering::Reaches, names))
}

impl Looked {
    /// Adds the methods of classes that the program made while it ran. Returns whether there are more now.
    pub(super) fn look_again(&mut self, vm: &VirtualMachine, question: &str) -> bool {
        let before = self.overloads.len();
        if self.makes_classes {
            self.overloads.extend(unknown(methods_of_program(vm), question));
        }
        self.overloads.len() > before
    }
}

/// Returns the names that the question's program lacks.
pub(super) fn unknown(found: Vec<&'static str>, question: &str) -> BTreeSet<String> {
    let known = reach::named_in(question);
    found.into_iter().filter(|name| !known.contains(name)).map(str::to_owned).collect()
}

/// Returns methods with which values can lie about themselves, in classes that the program has made. Generated methods of data
/// classes do not count.
pub(super) fn methods_of_program(vm: &VirtualMachine) -> Vec<&'static str> {
    let mut found = BTreeSet::new();
    let mut to_visit = vec![vm.ctx.types.object_type.to_owned()];
    let mut seen = HashSet::new();
    while let Some(class) = to_visit.pop() {
        for subclass in class.subclasses.read().iter().filter_map(|it| it.upgrade()) {
            if let Ok(subclass) = subclass.downcast::<PyType>()
                && seen.insert(subclass.get_id())
            {
                to_visit.push(subclass);
            }
        }
        let attributes = class.attributes.read();
        let module = attributes.get(vm.ctx.intern_str("__module__")).and_then(|it| it.downcast_ref::<PyStr>());
        let is_own_class = module.is_some_and(|module| module.to_string_lossy() == "__main__");
        for name in reach::OVERLOADS {
            let Some(method) = attributes.get(vm.ctx.intern_str(*name)) else { continue };
            let is_own = match method.downcast_ref::<PyFunction>() {
                Some(function) => is_of_program(function, vm),
                None => !vm.is_none(method) && is_own_class,
            };
            if is_own {
                found.insert(*name);
            }
        }
    }
    found.into_iter().collect()
}

fn is_of_program(function: &Py<PyFunction>, vm: &VirtualMachine) -> bool {
    let code = function.as_object().get_attr("__code__", vm).ok().and_then(|code| code.downcast::<PyCode>().ok());
    code.is_some_and(|code| code.source_path().as_str() == PROGRAM)
}
