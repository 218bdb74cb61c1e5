//! Watches for programs that set attributes of modules, or of their classes, while a check runs.
//!
//! The snapshot finds changes that remain after the check. This finds those that the program reverts.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rustpython::vm::builtins::{PyModule, PyStr, PyType};
use rustpython::vm::function::PySetterValue;
use rustpython::vm::{Py, PyObject, PyResult, VirtualMachine};

use super::code::PROGRAM;

type SetAttribute = fn(&PyObject, &Py<PyStr>, PySetterValue, &VirtualMachine) -> PyResult<()>;

/// The interpreter's own setters for modules and classes.
static OF_MODULES: OnceLock<SetAttribute> = OnceLock::new();
static OF_CLASSES: OnceLock<SetAttribute> = OnceLock::new();

/// Attributes that the program has set: `asyncio.run`.
pub(super) static SET: Notes<String> = Notes::new();

/// Notes on the program, taken only between `begin` and `end`.
pub(super) struct Notes<T> {
    is_on: AtomicBool,
    taken: Mutex<Vec<T>>,
}

impl<T> Notes<T> {
    pub(super) const fn new() -> Self {
        Self { is_on: AtomicBool::new(false), taken: Mutex::new(Vec::new()) }
    }

    pub(super) fn begin(&self) {
        drop(self.take());
        self.is_on.store(true, Ordering::SeqCst);
    }

    pub(super) fn end(&self) -> Vec<T> {
        self.is_on.store(false, Ordering::SeqCst);
        self.take()
    }

    /// True if notes are taken and the code that runs is the program's own.
    pub(super) fn concern(&self, vm: &VirtualMachine) -> bool {
        self.is_on.load(Ordering::Relaxed)
            && vm.current_frame().is_some_and(|frame| frame.code.source_path().as_str() == PROGRAM)
    }

    pub(super) fn add(&self, note: T) {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).push(note);
    }

    fn take(&self) -> Vec<T> {
        std::mem::take(&mut *self.taken.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Installs the watch.
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
    if SET.concern(vm) {
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
    if SET.concern(vm) {
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

/// The name of a module, unless it is the program itself.
fn foreign(name: Option<&PyObject>) -> Option<String> {
    let name = name.and_then(|name| name.downcast_ref::<PyStr>())?.to_string_lossy().into_owned();
    (name != "__main__").then_some(name)
}

fn note(of: &str, name: &Py<PyStr>) {
    SET.add(format!("{of}.{}", name.to_string_lossy()));
}
