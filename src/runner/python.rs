//! The embedded interpreter: how it starts, warms up and hands one program to the driver.
//!
//! The only file that names RustPython. Must not be used in the parent, but for its two constants: see `template.rs`
//! for the process that it lives in.

use std::io;
use std::sync::Arc;

use rustpython::vm::builtins::PyStr;
use rustpython::vm::compiler::Mode;
use rustpython::vm::function::ArgBytesLike;
use rustpython::vm::{AsObject, PyObjectRef, PyResult, Settings, VirtualMachine};
use rustpython::{InterpreterBuilder, InterpreterBuilderExt};

use super::protocol::Kind;
use super::template::Channel;

/// The interpreter's name.
pub(super) const NAME: &str = "RustPython";
/// Its version, which `Cargo.toml` pins.
pub(super) const VERSION: &str = "0.5.0";
/// The Python version that it speaks.
pub(super) const LANGUAGE: &str = "3.14.0";

/// What is loaded before a program asks for it, most wanted first. Forked children get it for nothing.
pub(super) const WARM_MODULES: &[&str] = &[
    "typing",
    "collections",
    "dataclasses",
    "random",
    "enum",
    "time",
    "datetime",
    "contextlib",
    "functools",
    "itertools",
    "re",
    "abc",
    "copy",
    "math",
    "heapq",
    "bisect",
    "queue",
    "string",
    "decimal",
    "fractions",
    "concurrent.futures",
    "concurrent.futures.thread",
    "asyncio",
    "hashlib",
    "hmac",
    "uuid",
    "secrets",
    "logging",
    "statistics",
    "textwrap",
    "inspect",
    "weakref",
    "contextvars",
    "sqlite3",
    "csv",
    "pprint",
    "unittest",
    "array",
    "struct",
    "base64",
];

const DRIVER: &str = include_str!("driver.py");
const DRIVER_NAME: &str = "<fencepost>";

/// An interpreter with its driver, for as long as it is entered.
pub(super) struct Python<'a> {
    vm: &'a VirtualMachine,
    run: PyObjectRef,
}

/// Starts an interpreter and works with it. Fails if the driver does not load.
pub(super) fn enter<R>(work: impl FnOnce(&Python<'_>) -> R) -> Result<R, String> {
    let mut settings = Settings::default();
    settings.isolated = true;
    settings.ignore_environment = true;
    settings.safe_path = true;
    settings.import_site = false;
    settings.user_site_directory = false;
    settings.write_bytecode = false;
    settings.install_signal_handlers = false;
    settings.utf8_mode = 1;
    let interpreter = InterpreterBuilder::new().settings(settings).init_stdlib().build();
    interpreter.enter(|vm| {
        let run = load_driver(vm).map_err(|error| in_words(vm, &error))?;
        Ok(work(&Python { vm, run }))
    })
}

fn load_driver(vm: &VirtualMachine) -> PyResult {
    let code = vm
        .compile(DRIVER, Mode::Exec, DRIVER_NAME.to_owned())
        .map_err(|error| vm.new_syntax_error(&error, Some(DRIVER)))?;
    let scope = vm.new_scope_with_builtins();
    scope.globals.set_item("__name__", vm.ctx.new_str(DRIVER_NAME).into(), vm)?;
    vm.run_code_obj(code, scope.clone())?;
    scope.globals.get_item("run", vm)
}

fn in_words(vm: &VirtualMachine, error: &rustpython::vm::builtins::PyBaseExceptionRef) -> String {
    let mut text = String::new();
    match vm.write_exception(&mut text, error) {
        Ok(()) => text,
        Err(_) => "an exception without words".to_owned(),
    }
}

impl Python<'_> {
    /// Loads a module. One that does not load is left to the program that wants it.
    pub(super) fn warm(&self, module: &'static str) {
        let _ = self.vm.import(module, 0);
    }

    /// Takes what is loaded out of the garbage collector's sight, so that children do not touch, and so copy, it.
    pub(super) fn freeze(&self) {
        let freeze = || -> PyResult<()> {
            let gc = self.vm.import("gc", 0)?;
            self.vm.call_method(&gc, "collect", ())?;
            self.vm.call_method(&gc, "freeze", ())?;
            Ok(())
        };
        // It saves time and nothing else.
        let _ = freeze();
    }

    /// Gives the driver its order and sends what it answers as the last frame. Fails if the driver did.
    pub(super) fn run(&self, order: &str, channel: Channel) -> io::Result<()> {
        let vm = self.vm;
        let channel = Arc::new(channel);
        let sender = Arc::clone(&channel);
        let send = vm.new_function("send", move |kind: u8, body: ArgBytesLike, vm: &VirtualMachine| -> PyResult<()> {
            // A program may get hold of this function. It can write with it, but not end with it.
            let kind = match kind {
                1 => Kind::Stdout,
                2 => Kind::Stderr,
                _ => return Err(vm.new_value_error("no such stream".to_owned())),
            };
            body.with_ref(|bytes| sender.send(kind, bytes)).map_err(|error| vm.new_os_error(error.to_string()))
        });
        let answer =
            self.run.call((order.to_owned(), send), vm).map_err(|error| io::Error::other(in_words(vm, &error)))?;
        let answer = answer.downcast_ref::<PyStr>().ok_or_else(|| io::Error::other("the driver gave no answer"))?;
        channel
            .send(Kind::Final, answer.as_object().str(vm).map_or_else(|_| String::new(), |s| s.to_string()).as_bytes())
    }
}
