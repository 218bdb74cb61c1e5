//! Notes when a submitted program reads an attribute that leads into the interpreter, even under a name built at run time.
//! `names.rs` finds the names in its code before it runs.

use rustpython::vm::builtins::{PyGetSet, PyType};
use rustpython::vm::function::PySetterValue;
use rustpython::vm::{AsObject, Py, PyObjectRef, PyPayload, PyResult, VirtualMachine};

use super::watch::Notes;

/// Attributes that the program has read, in order.
pub(super) static READ: Notes<&'static str> = Notes::new();

/// Wraps the attributes of functions, frames, tracebacks, generators and coroutines that lead on.
pub(super) fn install(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    let attributes: [(&'static Py<PyType>, &[&'static str]); 6] = [
        (
            types.function_type,
            &["__builtins__", "__closure__", "__code__", "__defaults__", "__globals__", "__kwdefaults__"],
        ),
        (types.frame_type, &["f_back", "f_builtins", "f_code", "f_globals", "f_locals", "f_trace"]),
        (types.traceback_type, &["tb_frame"]),
        (types.generator_type, &["gi_code", "gi_frame"]),
        (types.coroutine_type, &["cr_code", "cr_frame"]),
        (types.async_generator, &["ag_code", "ag_frame"]),
    ];
    for (class, names) in attributes {
        for name in names {
            note(vm, class, name);
        }
    }
}

/// Replaces an attribute by one that notes each read and otherwise behaves the same.
fn note(vm: &VirtualMachine, class: &'static Py<PyType>, name: &'static str) {
    let interned = vm.ctx.intern_str(name);
    let Some(original) = class.get_attr(interned) else { return };
    let read = original.clone();
    let get = move |object: PyObjectRef, vm: &VirtualMachine| -> PyResult {
        if READ.concern(vm) {
            READ.add(name);
        }
        match read.class().slots.descr_get.load() {
            Some(get) => {
                let class = object.class().to_owned();
                get(read.clone(), Some(object), Some(class.into()), vm)
            }
            None => Ok(read.clone()),
        }
    };
    let set = move |object: PyObjectRef, value: PyObjectRef, vm: &VirtualMachine| -> PyResult<()> {
        match original.class().slots.descr_set.load() {
            Some(set) => set(&original, object, PySetterValue::Assign(value), vm),
            None => Err(vm.new_attribute_error(format!("attribute `{name}` cannot be set"))),
        }
    };
    let noting = PyGetSet::new(name.to_owned(), class).with_get(get).with_set(set);
    class.set_attr(interned, noting.into_ref(&vm.ctx).into());
}
