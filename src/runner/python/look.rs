//! Looks at a program that was handed in: how it reaches into the interpreter, and how its values can lie.

use std::collections::{BTreeSet, HashSet};

use rustpython::vm::builtins::{PyCode, PyFunction, PyType};
use rustpython::vm::{AsObject, Py, PyRef, VirtualMachine};

use super::check::{PROGRAM, compile, tampered};
use super::names::Names;
use crate::runner::protocol::{Final, Tampering};
use crate::runner::reach;

/// What is known of a program that was handed in before it runs.
pub(super) struct Looked {
    /// Methods that it defines and its question does not, with which a value can lie about itself.
    pub(super) overloads: BTreeSet<String>,
    /// Its code, unless it does not compile: then its run says so.
    pub(super) code: Option<PyRef<PyCode>>,
    makes_classes: bool,
}

/// Looks at a program that was handed in before it runs. Returns the end if it reaches into the interpreter, where its
/// question does not.
pub(super) fn look_at(vm: &VirtualMachine, source: &str, question: &str) -> Result<Looked, Final> {
    let Ok(code) = compile(vm, source, PROGRAM) else {
        return Ok(Looked { overloads: BTreeSet::new(), code: None, makes_classes: false });
    };
    let names = Names::of(&code);
    let reaching = unknown(names.reaching(), question);
    if !reaching.is_empty() {
        return Err(tampered(Tampering::Reaches, reaching.into_iter().collect()));
    }
    let overloads = unknown(names.overloads(), question);
    Ok(Looked { overloads, code: Some(code), makes_classes: names.makes_classes() })
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

/// The names that the question's program does not have.
fn unknown(found: Vec<&'static str>, question: &str) -> BTreeSet<String> {
    let known = reach::named_in(question);
    found.into_iter().filter(|name| !known.contains(name)).map(str::to_owned).collect()
}

/// The methods with which a value can lie about itself that the program's own code defines, in all classes that there are.
fn methods_of_program(vm: &VirtualMachine) -> Vec<&'static str> {
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
        for name in reach::OVERLOADS {
            let method = attributes.get(vm.ctx.intern_str(*name)).and_then(|it| it.downcast_ref::<PyFunction>());
            if method.is_some_and(|method| is_of_program(method, vm)) {
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
