//! Runs a program and one check on it, and decides how the check ended.
//!
//! Rust decides, because the program shares its interpreter with the check and can reach every Python object in it. The check's
//! code object ends in a frame with nothing of the program above it, and that end is the result. Changes of the program to
//! modules and built-in names are undone before: see `snapshot.rs`. The check's own names are out of its reach: see `pins.rs`.

use std::collections::BTreeSet;
use std::time::Duration;

use rustpython::vm::builtins::{PyBaseExceptionRef, PyCode, PyModule, PyStr};

use rustpython::vm::common::rc::PyRc;

use rustpython::vm::scope::Scope;
use rustpython::vm::{AsObject, PyObjectRef, PyRef, PyResult, VirtualMachine};

use super::Python;
use super::code::{CHECK, Check, PROGRAM, compile, compile_check};
use super::import::load;
use super::look::{has_reached, methods_of_program, unknown};
use super::names::Names;
use super::pins::Pins;
use super::reached;
use super::snapshot::has_plain_names;
use super::watch;
use crate::runner::protocol::{Final, Tampering};
use crate::runner::sandbox;
use crate::runner::{CheckOutcome, Unreached, reach};

/// Pause between looks at the program's threads.
const THREAD_PAUSE: Duration = Duration::from_millis(1);

/// Modules in which the driver has put streams and hooks of its own.
const DRIVEN: &[&str] = &["sys", "os", "_thread", "threading"];

/// Statement that must fail after every program. If it passes, the interpreter can no longer be trusted.
const CANARY: &str = "assert False or not [1] == [1] or all([False]) or any([]) or isinstance(1, str) or issubclass(int, str) \
    or len([]) or sum([]) or list(range(0)) or sorted([]) or tuple(()) or dict() or set() or max(1, 2) == 1 or min(1, 2) == 2 \
    or abs(-1) == 2 or repr(1) == str(2) or type(1) is str or bool(0) or int('0') or hasattr(1, 'missing') \
    or round(0.1) or next(iter([0])) or list(map(int, [])) or list(zip([], [])) or list(filter(None, [0]))";

/// Statement that must fail before a check that runs coroutines.
const ASYNC_CANARY: &str = "import asyncio\nasync def fails():\n    assert False\nasyncio.run(fails())";

impl Python<'_> {
    /// Runs the program, then the check. `send` is how the driver writes to the parent.
    ///
    /// Returns how the check ended, and methods with which values of a program that was handed in can lie, as far as it has
    /// made them while it ran.
    pub(super) fn check(&self, check: &Check<'_>, send: PyObjectRef) -> PyResult<(Final, Vec<String>)> {
        reached::READ.begin();
        let last = self.run_check(check, send)?;
        let Some(question) = check.question else { return Ok((last, Vec::new())) };
        if let Some(tampered) = has_reached(question) {
            return Ok((tampered, Vec::new()));
        }
        let makes_classes = compile(self.vm, check.source, PROGRAM).is_ok_and(|code| Names::of(&code).makes_classes());
        let overloads = if makes_classes { unknown(methods_of_program(self.vm), question) } else { BTreeSet::new() };
        Ok((last, overloads.into_iter().collect()))
    }

    fn run_check(&self, check: &Check<'_>, send: PyObjectRef) -> PyResult<Final> {
        let vm = self.vm;
        let module = self.driver.begin_check.call((check.source, send), vm)?;
        let module = module.downcast::<PyModule>().map_err(|_| vm.new_type_error("the driver made no module"))?;
        let names = module.dict();
        let builtins: PyObjectRef = vm.builtins.clone().into();

        let program = match compile(vm, check.source, PROGRAM) {
            Ok(program) => program,
            Err(error) => return Ok(self.unreached(&error)),
        };
        let code = compile_check(vm, check.code);
        let asynchronous = check.code.contains("asyncio");
        let uses = code.as_ref().map(Names::of).unwrap_or_default();
        let own = Names::of(&program);
        let pins = Pins::of(vm, check, &uses)?;
        load(vm, &own);
        load(vm, &uses);
        let recursion_limit = vm.recursion_limit.get();
        let mut snapshot = self.snapshot.borrow_mut();
        snapshot.take(vm);
        snapshot.accept(DRIVEN, vm);
        // A check may also use what the program has imported.
        let shared = own.imported.iter().filter(|(name, _)| uses.reads.contains(*name)).map(|(_, from)| from);
        let imports: Vec<String> =
            uses.imports.iter().chain(shared).map(|(module, name)| format!("{module}.{name}")).collect();
        let within = snapshot.reach(imports.iter().map(|name| name.trim_end_matches('.')));

        let idle = PyRc::strong_count(&vm.state);
        if let Err(error) = vm.run_code_obj(program, Scope::with_builtins(None, names.clone(), vm)) {
            return Ok(self.unreached(&error));
        }
        self.end_threads(idle);
        stop_watching(vm);
        vm.recursion_limit.set(recursion_limit);
        if snapshot.restore(&within, vm).is_err() {
            return Ok(Final::tampered(Tampering::Changed, Vec::new()));
        }
        names.set_item("__builtins__", builtins.clone(), vm)?;
        let mut code = match code {
            Ok(code) => code,
            Err(error) => return Ok(Final::Checked { result: CheckOutcome::Error, message: self.headline(&error) }),
        };
        pins.put_in(&mut code);
        let code = vm.ctx.new_code(code);
        if !has_plain_names(&names, vm) {
            return Ok(Final::tampered(Tampering::Changed, Vec::new()));
        }
        if let Some(last) = self.try_canaries(asynchronous) {
            return Ok(last);
        }

        let pinned: Vec<String> = pins.values.iter().map(|(name, _)| name.clone()).collect();
        for (name, value) in pins.values {
            vm.builtins.dict().set_item(name.as_str(), value, vm)?;
        }
        watch::SET.begin();
        let ended = vm.run_code_obj(code, Scope::with_builtins(None, names.clone(), vm));

        let set = watch::SET.end();
        stop_watching(vm);
        // A question's own program may do so, and a repair of it then, too.
        let question: BTreeSet<&str> = reach::words(check.question.unwrap_or(check.source)).collect();
        let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        let set = set.into_iter().filter(|name| !question.contains(last(name).as_str()));
        let changed = snapshot.changed(&within, vm).into_iter().filter(|name| !uses.may_replace(&last(name)));
        let replaced: BTreeSet<String> = set.chain(changed).collect();
        let same = names.get_item_opt("__builtins__", vm)?.is_some_and(|now| now.is(&builtins));
        let is_hidden = |name: &String| names.contains_key(name.as_str(), vm);
        if !replaced.is_empty() || !same || !has_plain_names(&names, vm) || pinned.iter().any(is_hidden) {
            return Ok(Final::tampered(Tampering::Changed, replaced));
        }
        // The program must not read its check.
        let _ = self.driver.remember_lines.call((CHECK, check.code), vm);
        Ok(match ended {
            Ok(_) => Final::Checked { result: CheckOutcome::Passed, message: String::new() },
            Err(error) => self.failed(&error),
        })
    }

    fn failed(&self, error: &PyBaseExceptionRef) -> Final {
        let exceptions = &self.vm.ctx.exceptions;
        let (result, message) = if error.fast_isinstance(exceptions.assertion_error) {
            (CheckOutcome::Failed, self.words(&self.driver.failure, error))
        } else if error.fast_isinstance(exceptions.system_exit) {
            (CheckOutcome::Error, "the check left with SystemExit".to_owned())
        } else {
            (CheckOutcome::Error, self.headline(error))
        };
        Final::Checked { result, message }
    }

    fn unreached(&self, error: &PyBaseExceptionRef) -> Final {
        if error.fast_isinstance(self.vm.ctx.exceptions.system_exit) {
            let message = "the program left before its check".to_owned();
            return Final::Unreached { because: Unreached::Left, message };
        }
        let message = format!("the program ended before its check: {}", self.headline(error));
        Final::Unreached { because: Unreached::Raised, message }
    }

    fn headline(&self, error: &PyBaseExceptionRef) -> String {
        self.words(&self.driver.headline, error)
    }

    /// Asks the driver for words about an exception. They decide nothing.
    fn words(&self, function: &PyObjectRef, error: &PyBaseExceptionRef) -> String {
        let words = function.call((error.clone(),), self.vm).ok();
        words
            .and_then(|words| words.downcast_ref::<PyStr>().map(|text| text.to_string_lossy().into_owned()))
            .unwrap_or_default()
    }

    /// Waits until no thread of the program is left, however long that takes: the parent looks at the clock. Each thread
    /// holds the interpreter's state from before it begins until after it has ended, and `idle` is how many hold it besides.
    fn end_threads(&self, idle: usize) {
        let threads = || PyRc::strong_count(&self.vm.state) > idle;
        if threads() {
            // Threads that wait for work of an executor end when they are told.
            let _ = self.driver.end_executors.call((), self.vm);
        }
        while threads() {
            self.vm.allow_threads(|| std::thread::sleep(THREAD_PAUSE));
        }
    }

    /// The statements that must fail, compiled.
    pub(super) fn canaries(&self) -> &[PyRef<PyCode>] {
        self.canaries.get_or_init(|| {
            [CANARY, ASYNC_CANARY].iter().filter_map(|code| compile(self.vm, code, "canary").ok()).collect()
        })
    }

    /// Runs the canaries. Returns the end of the check if one passes.
    fn try_canaries(&self, asynchronous: bool) -> Option<Final> {
        let vm = self.vm;
        let passes = |code: &PyRef<PyCode>| {
            vm.run_code_obj(code.clone(), Scope::with_builtins(None, vm.ctx.new_dict(), vm)).is_ok()
        };
        let canaries = self.canaries();
        let count = if asynchronous { 2 } else { 1 };
        let passed = canaries.len() < 2 || canaries.iter().take(count).any(passes);
        passed.then(|| Final::tampered(Tampering::Canary, Vec::new()))
    }
}

/// Removes all hooks by which the program could run during the check.
fn stop_watching(vm: &VirtualMachine) {
    vm.use_tracing.set(false);
    vm.trace_func.replace(vm.ctx.none());
    vm.profile_func.replace(vm.ctx.none());
    drop(vm.state.global_trace_func.lock().take());
    drop(vm.state.global_profile_func.lock().take());
    {
        let mut monitoring = vm.state.monitoring.lock();
        monitoring.global_events = Default::default();
        monitoring.local_events.clear();
        monitoring.callbacks.clear();
    }
    vm.state.monitoring_events.store(0);
    vm.async_gen_firstiter.replace(None);
    vm.async_gen_finalizer.replace(None);
    vm.asyncio_running_loop.replace(None);
    vm.asyncio_running_task.replace(None);
    sandbox::stop_timers();
    // What is due is handled now.
    let _ = vm.check_signals();
}
