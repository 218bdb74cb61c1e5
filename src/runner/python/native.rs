//! Removes native modules and functions that give access to memory.
//!
//! A program must not read or write the memory of its process: the key of its frames is there, and with it a program could
//! report its own end. What gives access to memory is taken out of the interpreter's own tables before it starts, so that
//! nothing in Python leads to it.

use super::{throw, zones};
use rustpython::vm::builtins::{PyCode, PyModuleDef, PyModuleSlots};
use rustpython::vm::frozen::FrozenLib;
use rustpython::vm::function::{FuncArgs, PyMethodDef, PyMethodFlags};
use rustpython::vm::{Context, PyPayload, PyRef, PyResult, VirtualMachine, common::rc::PyRc, py_freeze};

/// Modules that cannot be imported: native calls and raw memory, semaphores and memory shared with other processes by
/// address or name, and the memory of other interpreters. `_posixsubprocess` has a stand-in.
const LEFT_OUT: [&str; 5] = ["_ctypes", "_multiprocessing", "_posixshmem", "_posixsubprocess", "_remote_debugging"];

/// The package in Python that is made of `_ctypes` alone.
const PACKAGE_LEFT_OUT: &str = "ctypes";

/// Functions that are left out of modules: they make code objects of any bytes. The interpreter runs what the compiler never
/// writes without a check, and such code can take a number for an address.
const FUNCTIONS_LEFT_OUT: [(&str, &[&str]); 2] = [("marshal", &["load", "loads"]), ("_imp", &["get_frozen_object"])];

/// The flag that `types.coroutine` adds to the code of a generator.
const ITERABLE_COROUTINE: u32 = 0x100;

/// Replaces a module that `subprocess` and asyncio import. No process can be started in the sandbox.
pub(super) static STAND_INS: &FrozenLib = py_freeze!(
    source = "\
def fork_exec(*arguments):
    raise PermissionError(1, 'no process can be started in the sandbox')
",
    module_name = "_posixsubprocess",
    crate_name = "rustpython::vm"
);

/// Takes out of an interpreter that has not started what a program must not reach.
pub(super) fn leave_out(vm: &mut VirtualMachine) {
    if let Some(state) = PyRc::get_mut(&mut vm.state) {
        for name in LEFT_OUT {
            state.module_defs.remove(name);
        }
        state.frozen.retain(|name, _| name.split('.').next() != Some(PACKAGE_LEFT_OUT));
        for (module, functions) in FUNCTIONS_LEFT_OUT {
            if let Some(def) = state.module_defs.get_mut(module) {
                *def = without(def, functions);
            }
        }
        state.module_defs.insert(zones::MODULE, zones::module(&vm.ctx));
        if let Some(def) = state.module_defs.get_mut(throw::MODULE) {
            let fill = def.slots.exec.map(throw::filling);
            *def = Box::leak(Box::new(PyModuleDef {
                name: def.name,
                doc: def.doc,
                methods: def.methods,
                slots: PyModuleSlots { create: def.slots.create, exec: fill },
            }));
        }
    }
    keep_code_whole(&vm.ctx);
}

/// The same module without some of its functions.
fn without(def: &'static PyModuleDef, functions: &[&str]) -> &'static PyModuleDef {
    let mut methods: Vec<PyMethodDef> =
        def.methods.iter().filter(|method| !functions.contains(&method.name)).cloned().collect();
    if functions.contains(&FROZEN_OBJECT.name) {
        methods.push(FROZEN_OBJECT);
    }
    Box::leak(Box::new(PyModuleDef {
        name: def.name,
        doc: def.doc,
        methods: methods.leak(),
        slots: PyModuleSlots { create: def.slots.create, exec: def.slots.exec },
    }))
}

/// The code of a module that is frozen into this program, by its name. The function that this replaces takes other code as well.
const FROZEN_OBJECT: PyMethodDef =
    PyMethodDef::new_const("get_frozen_object", frozen_object, PyMethodFlags::EMPTY, None);

fn frozen_object(name: String, vm: &VirtualMachine) -> PyResult<PyRef<PyCode>> {
    rustpython::vm::import::make_frozen(vm, &name)
}

/// Code objects come from the compiler only. What `types.coroutine` and tools that rename code need stays possible.
fn keep_code_whole(context: &Context) {
    let code = context.types.code_type;
    code.slots.new.store(Some(|_, _, vm| Err(refused(vm))));
    for name in ["replace", "__replace__"] {
        let method = PyMethodDef::new_const(name, replace, PyMethodFlags::METHOD, None);
        let method: &'static PyMethodDef = Box::leak(Box::new(method));
        code.set_attr(context.intern_str(name), method.to_proper_method(code, context));
    }
}

fn replace(code: PyRef<PyCode>, parts: FuncArgs, vm: &VirtualMachine) -> PyResult<PyRef<PyCode>> {
    let flags = code.code.flags.bits();
    for (name, part) in &parts.kwargs {
        let harmless = match name.as_str() {
            "co_name" | "co_qualname" | "co_filename" => true,
            "co_flags" => part.try_to_value::<u32>(vm)? | ITERABLE_COROUTINE == flags | ITERABLE_COROUTINE,
            _ => false,
        };
        if !harmless {
            return Err(refused(vm));
        }
    }
    Ok(code.replace(parts.bind(vm)?, vm)?.into_ref(&vm.ctx))
}

fn refused(vm: &VirtualMachine) -> rustpython::vm::builtins::PyBaseExceptionRef {
    vm.new_not_implemented_error("code is made by the compiler only, not from parts".to_owned())
}
