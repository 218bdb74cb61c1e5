//! Watches for programs that set attributes of modules, or of classes of modules, while a check runs on them.
//!
//! The snapshot finds changes that are still there at the end. This finds changes that were undone before.

use std::sync::OnceLock;

use rustpython::vm::builtins::{PyModule, PyStr, PyType};
use rustpython::vm::function::PySetterValue;
use rustpython::vm::{Py, PyObject, PyResult, VirtualMachine};

use super::notes::Notes;

type SetAttribute = fn(&PyObject, &Py<PyStr>, PySetterValue, &VirtualMachine) -> PyResult<()>;

/// The interpreter's own functions that set attributes.
static OF_MODULES: OnceLock<SetAttribute> = OnceLock::new();
static OF_CLASSES: OnceLock<SetAttribute> = OnceLock::new();

/// Attributes that the program has set, such as `asyncio.run`.
pub(super) static SET: Notes = Notes::new();

/// Puts the watch in place. It costs nothing until [`SET`] is begun.
pub(super) fn install(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    for (class, original, watched) in [
        (types.module_type, &OF_MODULES, set_of_module as SetAttribute),
        (types.type_type, &OF_CLASSES, set_of_class as SetAttribute),
    ] {
        if let Some(set) = class.slots.setattro.load() {
            let _ = original.set(set);
            replace(class, set, watched);
        }
    }
}

/// Replaces how `class` sets attributes, and those that have inherited it, such as `ABCMeta`.
fn replace(class: &Py<PyType>, original: SetAttribute, watched: SetAttribute) {
    if class.slots.setattro.load().is_some_and(|set| std::ptr::fn_addr_eq(set, original)) {
        class.slots.setattro.store(Some(watched));
    }
    for subclass in class.subclasses.read().iter() {
        if let Some(subclass) = subclass.upgrade()
            && let Some(subclass) = subclass.downcast_ref::<PyType>()
        {
            replace(subclass, original, watched);
        }
    }
}

fn set_of_module(module: &PyObject, name: &Py<PyStr>, value: PySetterValue, vm: &VirtualMachine) -> PyResult<()> {
    if SET.takes(vm) {
        let of =
            module.downcast_ref::<PyModule>().and_then(|module| module.dict().get_item_opt("__name__", vm).ok()?);
        if let Some(of) = foreign(of.as_deref()) {
            SET.add(&format!("{of}.{}", name.to_string_lossy()));
        }
    }
    match OF_MODULES.get() {
        Some(set) => set(module, name, value, vm),
        None => Ok(()),
    }
}

fn set_of_class(class: &PyObject, name: &Py<PyStr>, value: PySetterValue, vm: &VirtualMachine) -> PyResult<()> {
    if SET.takes(vm) {
        let module = vm.ctx.intern_str("__module__");
        if let Some(class) = class.downcast_ref::<PyType>()
            && foreign(class.attributes.read().get(module).map(|of| &**of)).is_some()
        {
            SET.add(&format!("{}.{}", class.name(), name.to_string_lossy()));
        }
    }
    match OF_CLASSES.get() {
        Some(set) => set(class, name, value, vm),
        None => Ok(()),
    }
}

/// The name of a module, unless it is the program itself.
fn foreign(name: Option<&PyObject>) -> Option<String> {
    let name = name.and_then(|name| name.downcast_ref::<PyStr>())?.to_string_lossy().into_owned();
    (name != "__main__").then_some(name)
}
