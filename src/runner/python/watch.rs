//! Watches for programs that set attributes of modules, or of classes of modules, while a check runs on them.
//!
//! What is changed when the check has ended is found without this. This finds what was put back in between.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rustpython::vm::builtins::{PyModule, PyStr, PyType};
use rustpython::vm::function::PySetterValue;
use rustpython::vm::{Py, PyObject, PyResult, VirtualMachine};

use super::code::PROGRAM;

type SetAttribute = fn(&PyObject, &Py<PyStr>, PySetterValue, &VirtualMachine) -> PyResult<()>;

/// How the interpreter sets an attribute of a module and of a class.
static OF_MODULES: OnceLock<SetAttribute> = OnceLock::new();
static OF_CLASSES: OnceLock<SetAttribute> = OnceLock::new();

static IS_WATCHING: AtomicBool = AtomicBool::new(false);
static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Puts the watch in place. It costs nothing until [`begin`].
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

/// Begins to watch.
pub(super) fn begin() {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).clear();
    IS_WATCHING.store(true, Ordering::SeqCst);
}

/// Ends the watch. Returns what the program has set: `asyncio.run`.
pub(super) fn end() -> Vec<String> {
    IS_WATCHING.store(false, Ordering::SeqCst);
    std::mem::take(&mut *SEEN.lock().unwrap_or_else(PoisonError::into_inner))
}

fn set_of_module(module: &PyObject, name: &Py<PyStr>, value: PySetterValue, vm: &VirtualMachine) -> PyResult<()> {
    if IS_WATCHING.load(Ordering::Relaxed) && is_by_program(vm) {
        let of =
            module.downcast_ref::<PyModule>().and_then(|module| module.dict().get_item_opt("__name__", vm).ok()?);
        if let Some(of) = foreign(of.as_deref()) {
            note(&of, name);
        }
    }
    match OF_MODULES.get() {
        Some(set) => set(module, name, value, vm),
        None => Ok(()),
    }
}

fn set_of_class(class: &PyObject, name: &Py<PyStr>, value: PySetterValue, vm: &VirtualMachine) -> PyResult<()> {
    if IS_WATCHING.load(Ordering::Relaxed) && is_by_program(vm) {
        let module = vm.ctx.intern_str("__module__");
        if let Some(class) = class.downcast_ref::<PyType>()
            && foreign(class.attributes.read().get(module).map(|of| &**of)).is_some()
        {
            note(&class.name(), name);
        }
    }
    match OF_CLASSES.get() {
        Some(set) => set(class, name, value, vm),
        None => Ok(()),
    }
}

/// True if the code that runs is the program's own.
pub(super) fn is_by_program(vm: &VirtualMachine) -> bool {
    vm.current_frame().is_some_and(|frame| frame.code.source_path().as_str() == PROGRAM)
}

/// The name of a module, unless it is the program itself.
fn foreign(name: Option<&PyObject>) -> Option<String> {
    let name = name.and_then(|name| name.downcast_ref::<PyStr>())?.to_string_lossy().into_owned();
    (name != "__main__").then_some(name)
}

fn note(of: &str, name: &Py<PyStr>) {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{of}.{}", name.to_string_lossy()));
}
