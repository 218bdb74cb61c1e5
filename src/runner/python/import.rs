//! Loads modules as an import of a program or of a check would.

use rustpython::vm::{PyObjectRef, PyResult, VirtualMachine};

use super::names::Names;

/// Loads the imports of a program or a check, so that the snapshot has them. Errors appear when they run.
pub(super) fn load(vm: &VirtualMachine, names: &Names) {
    for (module, name) in &names.imports {
        if module.is_empty() {
            continue;
        }
        let Ok(loaded) = import(vm, module) else { continue };
        // `from package import module` loads a module of its own.
        if !name.is_empty() && loaded.get_attr(&*vm.ctx.new_str(name.as_str()), vm).is_err() {
            let _ = import(vm, &format!("{module}.{name}"));
        }
    }
}

fn import(vm: &VirtualMachine, name: &str) -> PyResult {
    let name = vm.ctx.new_str(name);
    vm.import(&*name, 0)?;
    vm.sys_module.get_attr("modules", vm)?.get_item(&*name, vm)
}

/// Returns the value that `import module` or `from module import member` binds.
pub(super) fn imported_value(vm: &VirtualMachine, module: &str, member: &str) -> Option<PyObjectRef> {
    if member.is_empty() {
        return import(vm, module.split('.').next().unwrap_or_default()).ok();
    }
    let whole = import(vm, module).ok()?;
    // `import a.b as c` looks the same as `from a.b import b`.
    let is_last = module.contains('.') && module.rsplit('.').next() == Some(member);
    whole.get_attr(&*vm.ctx.new_str(member), vm).ok().or_else(|| is_last.then_some(whole))
}
