//! The embedded interpreter: how it starts, warms up and runs one program.
//!
//! Only this file and those below it use RustPython. They run in the template and its children, never in the parent: see
//! `template.rs`.

mod check;
mod code;
mod import;
mod look;
mod names;
mod native;
mod pins;
mod reached;
mod snapshot;
mod throw;
mod watch;
mod zones;

use std::cell::{OnceCell, RefCell};
use std::io;
use std::sync::Arc;

use rustpython::vm::frozen::FrozenLib;

use rustpython::vm::builtins::{PyCode, PyStr};
use rustpython::vm::frame::Frame;
use rustpython::vm::function::ArgBytesLike;
use rustpython::vm::scope::Scope;
use rustpython::vm::{AsObject, PyObjectRef, PyPayload, PyRef, PyResult, Settings, VirtualMachine, py_freeze};
use rustpython::{InterpreterBuilder, InterpreterBuilderExt};
use serde_json::Value;

use self::code::Check;
use self::look::{Looked, has_reached, look_at};
use self::snapshot::Snapshot;
use super::protocol::{Kind, Order, Uses};
use super::template::Channel;
use super::{Engine, Level};

/// The interpreter's name.
pub(super) const NAME: &str = "RustPython";
/// Describes the interpreter, whose version `Cargo.toml` pins.
pub(super) fn engine(sandbox: Level) -> Engine {
    Engine { name: NAME.to_owned(), version: "0.5.0".to_owned(), python: "3.14.0".to_owned(), sandbox }
}

/// Modules to load in advance, most used first. Rare ones are left out: each page in use makes every fork slower.
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
    "asyncio",
    "concurrent.futures.thread",
];

/// The driver for a real CPython, whose parts share one namespace.
pub(super) const DRIVER: &str = concat!(
    include_str!("driver/words.py"),
    include_str!("driver/trace.py"),
    include_str!("driver/streams.py"),
    include_str!("driver/report.py"),
    include_str!("driver/rehearsal.py"),
    include_str!("driver/check.py"),
    include_str!("driver.py"),
);

/// The driver for this interpreter, without the checks, which are done in Rust. It is compiled with this program: to compile
/// it takes as long as half of the interpreter's start.
static COMPILED: [&FrozenLib; 6] = [
    py_freeze!(file = "driver/words.py", module_name = "<fencepost>", crate_name = "rustpython::vm"),
    py_freeze!(file = "driver/trace.py", module_name = "<fencepost>", crate_name = "rustpython::vm"),
    py_freeze!(file = "driver/streams.py", module_name = "<fencepost>", crate_name = "rustpython::vm"),
    py_freeze!(file = "driver/report.py", module_name = "<fencepost>", crate_name = "rustpython::vm"),
    py_freeze!(file = "driver/rehearsal.py", module_name = "<fencepost>", crate_name = "rustpython::vm"),
    py_freeze!(file = "driver.py", module_name = "<fencepost>", crate_name = "rustpython::vm"),
];
const DRIVER_NAME: &str = "<fencepost>";

/// Rounds of the rehearsal in the template, after which the interpreter makes no new notes, and in a child.
const TEMPLATE_ROUNDS: usize = 3;
const CHILD_ROUNDS: usize = 1;

/// An interpreter with its driver, for as long as it is entered.
pub(super) struct Python<'a> {
    vm: &'a VirtualMachine,
    driver: Driver,
    /// Contents of the loaded modules.
    snapshot: RefCell<Snapshot>,
    canaries: OnceCell<Vec<PyRef<PyCode>>>,
}

/// The functions of the driver that are called from here.
struct Driver {
    run: PyObjectRef,
    rehearse: PyObjectRef,
    keep_modules: PyObjectRef,
    begin_check: PyObjectRef,
    end_executors: PyObjectRef,
    failure: PyObjectRef,
    headline: PyObjectRef,
    remember_lines: PyObjectRef,
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
    let interpreter = InterpreterBuilder::new()
        .settings(settings)
        .init_stdlib()
        .add_frozen_modules(native::STAND_INS)
        .add_frozen_modules(zones::STAND_IN)
        .init_hook(native::leave_out)
        .build();
    interpreter.enter(|vm| {
        // Nothing that is loaded before the first program is garbage, so there is no use in looking for any.
        collector(vm, "disable");
        let driver = load_driver(vm).map_err(|error| in_words(vm, &error))?;
        forbid_jumps(vm);
        watch::install(vm);
        reached::install(vm);
        throw::install(vm);
        Ok(work(&Python { vm, driver, snapshot: RefCell::default(), canaries: OnceCell::new() }))
    })
}

fn load_driver(vm: &VirtualMachine) -> PyResult<Driver> {
    // A copy of the built-in names, so that a program which replaces some does not replace them for the driver.
    let names = vm.ctx.new_dict();
    let builtins = vm.builtins.dict().copy();
    names.set_item("__builtins__", builtins.into_ref(&vm.ctx).into(), vm)?;
    let scope = Scope::with_builtins(None, names, vm);
    scope.globals.set_item("__name__", vm.ctx.new_str(DRIVER_NAME).into(), vm)?;
    for (_, part) in COMPILED.into_iter().flatten() {
        vm.run_code_obj(vm.ctx.new_code(part.code), scope.clone())?;
    }
    let named = |name| scope.globals.get_item(name, vm);
    Ok(Driver {
        run: named("run")?,
        rehearse: named("rehearse")?,
        keep_modules: named("keep_modules")?,
        begin_check: named("begin_check")?,
        end_executors: named("end_executors")?,
        failure: named("failure")?,
        headline: named("headline")?,
        remember_lines: named("remember_lines")?,
    })
}

/// Takes away from frames that a program sets their line: it could jump over the assertions of a check that calls it.
fn forbid_jumps(vm: &VirtualMachine) {
    let frame = vm.ctx.types.frame_type;
    let line = vm.ctx.new_readonly_getset("f_lineno", frame, |frame: PyRef<Frame>| frame.f_lineno());
    frame.set_attr(vm.ctx.intern_str("f_lineno"), line.into());
}

/// Calls a function of the module `gc`. They save time and nothing else.
fn collector(vm: &VirtualMachine, function: &'static str) {
    let _ = vm.import("gc", 0).and_then(|gc| vm.call_method(&gc, function, ()));
}

/// A value of JSON as Python has it.
fn to_python(vm: &VirtualMachine, value: Value) -> PyResult {
    Ok(match value {
        Value::Null => vm.ctx.none(),
        Value::Bool(value) => vm.ctx.new_bool(value).into(),
        Value::Number(number) => match number.as_u64() {
            Some(number) => vm.ctx.new_int(number).into(),
            None => return Err(vm.new_value_error("an order has only whole numbers".to_owned())),
        },
        Value::String(text) => vm.ctx.new_str(text).into(),
        Value::Array(items) => {
            let items = items.into_iter().map(|item| to_python(vm, item)).collect::<PyResult<Vec<_>>>()?;
            vm.ctx.new_list(items).into()
        }
        Value::Object(items) => {
            let names = vm.ctx.new_dict();
            for (name, item) in items {
                names.set_item(name.as_str(), to_python(vm, item)?, vm)?;
            }
            names.into()
        }
    })
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

    /// Runs once through what every program needs, then takes what is loaded out of the garbage collector's sight: all
    /// so that children touch, and so copy, as little of this process as they can.
    pub(super) fn settle(&self) {
        // What goes wrong here goes wrong again in a child, which can say so.
        let _ = self.driver.keep_modules.call((), self.vm);
        let _ = self.driver.rehearse.call((TEMPLATE_ROUNDS,), self.vm);
        self.snapshot.borrow_mut().take(self.vm);
        let _ = self.canaries();
        collector(self.vm, "collect");
        collector(self.vm, "freeze");
    }

    /// In a child that waits for a program: runs through what every program needs, so that the pages which that touches
    /// are its own already when one comes.
    pub(super) fn rehearse(&self) {
        let _ = self.driver.rehearse.call((CHILD_ROUNDS,), self.vm);
        collector(self.vm, "collect");
    }

    /// Does what is ordered and sends how it ended as the last frame. Fails if the driver did.
    pub(super) fn run(&self, order: Order, channel: Channel) -> io::Result<()> {
        let vm = self.vm;
        collector(vm, "enable");
        let failed = |error| io::Error::other(in_words(vm, &error));
        let channel = Arc::new(channel);
        let last = match &order {
            Order::Check { source, code, question, .. } => {
                let check = Check { source, code, question: question.as_deref() };
                let (last, overloads) = self.check(&check, self.sender(&channel)).map_err(failed)?;
                if !overloads.is_empty() {
                    channel.send(Kind::Uses, &serde_json::to_vec(&Uses { overloads })?)?;
                }
                serde_json::to_vec(&last)?
            }
            Order::Grade { source, question } => match look_at(vm, source, question) {
                Ok(mut looked) => {
                    let tell = |looked: &Looked| {
                        let uses = Uses { overloads: looked.overloads.iter().cloned().collect() };
                        channel.send(Kind::Uses, &serde_json::to_vec(&uses)?)
                    };
                    tell(&looked)?;
                    reached::READ.begin();
                    let last = self.drive(&order, looked.code.take(), &channel)?;
                    let last = match has_reached(question) {
                        Some(tampered) => serde_json::to_vec(&tampered)?,
                        None => last,
                    };
                    if looked.look_again(vm, question) {
                        tell(&looked)?;
                    }
                    last
                }
                Err(last) => serde_json::to_vec(&last)?,
            },
            Order::Run { .. } | Order::Trace { .. } | Order::Scenario { .. } => self.drive(&order, None, &channel)?,
        };
        channel.send(Kind::Final, &last)
    }

    /// Gives the driver its order, with the program compiled if it is. Returns the body of the last frame.
    fn drive(&self, order: &Order, code: Option<PyRef<PyCode>>, channel: &Arc<Channel>) -> io::Result<Vec<u8>> {
        let vm = self.vm;
        let failed = |error| io::Error::other(in_words(vm, &error));
        let order = to_python(vm, serde_json::to_value(order)?).map_err(failed)?;
        let answer = self
            .driver
            .run
            .call((order, self.sender(channel), vm.unwrap_or_none(code.map(Into::into))), vm)
            .map_err(failed)?;
        let answer = answer.downcast_ref::<PyStr>().ok_or_else(|| io::Error::other("the driver gave no answer"))?;
        Ok(answer.as_object().str(vm).map_or_else(|_| String::new(), |s| s.to_string()).into_bytes())
    }

    /// The function with which the driver writes to the parent. A program may get hold of it: it can report with it, but not
    /// end with it.
    fn sender(&self, channel: &Arc<Channel>) -> PyObjectRef {
        let channel = Arc::clone(channel);
        let send = move |kind: u8, body: ArgBytesLike, vm: &VirtualMachine| -> PyResult<()> {
            let kind = match kind {
                1 => Kind::Stdout,
                2 => Kind::Stderr,
                3 => Kind::Step,
                4 => Kind::Row,
                _ => return Err(vm.new_value_error("no such kind of message".to_owned())),
            };
            body.with_ref(|bytes| channel.send(kind, bytes)).map_err(|error| vm.new_os_error(error.to_string()))
        };
        self.vm.new_function("send", send).into()
    }
}
