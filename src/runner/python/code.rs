//! The code of programs and checks, and how it is compiled.

use rustpython::vm::builtins::PyCode;
use rustpython::vm::bytecode::{CodeObject, ConstantData};
use rustpython::vm::compiler::{self, Mode};
use rustpython::vm::{PyRef, PyResult, VirtualMachine};

/// Names of the files that tracebacks show. The driver knows them too.
pub(super) const PROGRAM: &str = "program.py";
pub(super) const CHECK: &str = "check";

/// A check, and what it is on.
pub(super) struct Check<'a> {
    pub(super) source: &'a str,
    pub(super) code: &'a str,
    /// The program of the question, where `source` was handed in as a repair of it.
    pub(super) question: Option<&'a str>,
}

pub(super) fn compile(vm: &VirtualMachine, source: &str, file: &str) -> PyResult<PyRef<PyCode>> {
    vm.compile(source, Mode::Exec, file.to_owned()).map_err(|error| vm.new_syntax_error(&error, Some(source)))
}

/// Compiles a check into code whose names can still be pinned.
pub(super) fn compile_check(vm: &VirtualMachine, source: &str) -> PyResult<CodeObject<ConstantData>> {
    compiler::compile(source, Mode::Exec, CHECK, vm.compile_opts())
        .map_err(|error| vm.new_syntax_error(&error, Some(source)))
}
