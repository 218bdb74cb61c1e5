//! Keeps the interpreter's own warning out of programs that await a cancelled task.
//!
//! RustPython passes an exception on to what a coroutine awaits with `throw(error, None, None)`, and the awaited object warns
//! that three arguments are deprecated, in the name of the program. A call with those arguments becomes `throw(error)`. Calls of
//! a program with a value or a traceback still warn.

use std::sync::OnceLock;

use rustpython::vm::builtins::{PyModule, PyType};
use rustpython::vm::function::FuncArgs;
use rustpython::vm::{Py, PyObjectRef, PyRef, PyResult, VirtualMachine};

type Exec = fn(&VirtualMachine, &Py<PyModule>) -> PyResult<()>;

/// The module with the class of what `await` gets from a task, and the name of that class.
pub(super) const MODULE: &str = "_asyncio";
const AWAITS_TASK: &str = "FutureIter";

/// Fills the module.
static FILL: OnceLock<Exec> = OnceLock::new();

/// Takes the warning out of the classes that are always there.
pub(super) fn install(vm: &VirtualMachine) {
    let types = &vm.ctx.types;
    for class in
        [types.coroutine_wrapper_type, types.async_generator_asend, types.async_generator_athrow, types.anext_awaitable]
    {
        without_warning(vm, class);
    }
}

/// Returns what fills the module with the class that awaits a task, without its warning.
pub(super) fn filling(fill: Exec) -> Exec {
    let _ = FILL.set(fill);
    |vm, module| {
        if let Some(fill) = FILL.get() {
            fill(vm, module)?;
        }
        let classes = vm.ctx.types.object_type.subclasses.read().clone();
        for class in classes.iter().filter_map(|class| class.upgrade()) {
            if let Ok(class) = class.downcast::<PyType>()
                && &*class.name() == AWAITS_TASK
            {
                let class: &'static PyRef<PyType> = Box::leak(Box::new(class));
                without_warning(vm, class);
            }
        }
        Ok(())
    }
}

fn without_warning(vm: &VirtualMachine, class: &'static Py<PyType>) {
    let name = vm.ctx.intern_str("throw");
    let Some(original) = class.get_attr(name) else { return };
    let throw = move |mut args: FuncArgs, vm: &VirtualMachine| -> PyResult {
        // Itself, the exception and the two that are nothing.
        if args.args.len() == 4 && args.args.iter().skip(2).all(|it: &PyObjectRef| vm.is_none(it)) {
            args.args.truncate(2);
        }
        original.call(args, vm)
    };
    class.set_attr(name, vm.new_method("throw", class, throw).into());
}
