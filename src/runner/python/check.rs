//! Runs a program and one check on it, and decides how the check ended.
//!
//! The decision is made here and not in Python: the program shares its interpreter with the check and can reach every
//! object of it. What decides is how the check's code object ended, in a frame with nothing of the program above it, on
//! modules and built-in names that are as they were before the program. See `snapshot.rs`.

use std::collections::BTreeSet;
use std::time::Duration;

use rustpython::vm::builtins::{PyBaseExceptionRef, PyCode, PyDictRef, PyModule, PyStr};
use rustpython::vm::common::rc::PyRc;
use rustpython::vm::compiler::Mode;
use rustpython::vm::scope::Scope;
use rustpython::vm::{AsObject, PyObjectRef, PyRef, PyResult, VirtualMachine};

use super::Python;
use super::names::Names;
use super::watch;
use crate::runner::protocol::{Final, Tampering};
use crate::runner::sandbox;
use crate::runner::{CheckOutcome, Unreached, reach};

/// How often to look whether the program's threads have ended.
const THREAD_PAUSE: Duration = Duration::from_millis(1);

/// Modules in which the driver has put streams and hooks of its own.
const DRIVEN: &[&str] = &["sys", "os", "_thread", "threading"];

/// Names of the files that tracebacks show. The driver knows them too.
pub(super) const PROGRAM: &str = "program.py";
const CHECK: &str = "check";

/// A statement that must fail after every program. If it passes, the interpreter no longer does what it says.
const CANARY: &str = "assert False or not [1] == [1] or all([False]) or any([]) or isinstance(1, str) or issubclass(int, str) \
    or len([]) or sum([]) or list(range(0)) or sorted([]) or tuple(()) or dict() or set() or max(1, 2) == 1 or min(1, 2) == 2 \
    or abs(-1) == 2 or repr(1) == str(2) or type(1) is str or bool(0) or int('0') or hasattr(1, 'missing') \
    or round(0.1) or next(iter([0])) or list(map(int, [])) or list(zip([], [])) or list(filter(None, [0]))";

/// The same for a check that runs coroutines.
const ASYNC_CANARY: &str = "import asyncio\nasync def fails():\n    assert False\nasyncio.run(fails())";

/// A check, and what it is on.
pub(super) struct Check<'a> {
    pub(super) source: &'a str,
    pub(super) code: &'a str,
    /// The program of the question, where `source` was handed in as a repair of it.
    pub(super) question: Option<&'a str>,
}

/// Looks at a program that was handed in before it runs.
///
/// Returns methods that it defines and its question does not, with which a value can lie about itself, and its code; or how
/// it reaches into the interpreter. A program that does not compile is left to its run.
pub(super) fn look_at(
    vm: &VirtualMachine,
    source: &str,
    question: &str,
) -> Result<(Vec<String>, Option<PyRef<PyCode>>), Final> {
    let Ok(code) = compile(vm, source, PROGRAM) else { return Ok((Vec::new(), None)) };
    let names = Names::of(&code);
    let known = reach::named_in(question);
    let unknown = |found: Vec<&'static str>| -> Vec<String> {
        found.into_iter().filter(|name| !known.contains(name)).map(str::to_owned).collect()
    };
    let reaching = unknown(names.reaching());
    if !reaching.is_empty() {
        return Err(tampered(Tampering::Reaches, reaching));
    }
    Ok((unknown(names.overloads()), Some(code)))
}

fn tampered(how: Tampering, names: Vec<String>) -> Final {
    Final::Tampered { how, names }
}

fn compile(vm: &VirtualMachine, source: &str, file: &str) -> PyResult<PyRef<PyCode>> {
    vm.compile(source, Mode::Exec, file.to_owned()).map_err(|error| vm.new_syntax_error(&error, Some(source)))
}

impl Python<'_> {
    /// Runs the program, then the check. `send` is how the driver writes to the parent.
    pub(super) fn check(&self, check: &Check<'_>, send: PyObjectRef) -> PyResult<Final> {
        let vm = self.vm;
        let module = self.driver.begin_check.call((check.source, check.code, send), vm)?;
        let module = module.downcast::<PyModule>().map_err(|_| vm.new_type_error("the driver made no module"))?;
        let names = module.dict();
        let builtins: PyObjectRef = vm.builtins.clone().into();

        let program = match compile(vm, check.source, PROGRAM) {
            Ok(program) => program,
            Err(error) => return Ok(self.unreached(&error)),
        };
        let code = compile(vm, check.code, CHECK);
        let asynchronous = check.code.contains("asyncio");
        let uses = code.as_ref().map(|code| Names::of(code)).unwrap_or_default();
        let own = Names::of(&program);
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
            return Ok(tampered(Tampering::Changed, Vec::new()));
        }
        names.set_item("__builtins__", builtins.clone(), vm)?;
        let code = match code {
            Ok(code) => code,
            Err(error) => return Ok(Final::Checked { result: CheckOutcome::Error, message: self.headline(&error) }),
        };
        let hidden = || {
            let name = self.hidden_builtin(check, &uses, &own, &names);
            let name = name.or_else(|| self.hidden_import(check, &uses, &names))?;
            let message = format!("the program gives `{name}` another meaning, and the check uses it");
            Some(Final::Checked { result: CheckOutcome::Error, message })
        };
        if let Some(last) = hidden() {
            return Ok(last);
        }
        if let Some(last) = self.try_canaries(asynchronous) {
            return Ok(last);
        }

        watch::begin();
        let ended = vm.run_code_obj(code, Scope::with_builtins(None, names.clone(), vm));

        let set = watch::end();
        stop_watching(vm);
        // A question's own program may do so, and a repair of it then, too.
        let question: BTreeSet<&str> = reach::words(check.question.unwrap_or(check.source)).collect();
        let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        let set = set.into_iter().filter(|name| !question.contains(last(name).as_str()));
        let changed = snapshot.changed(&within, vm).into_iter().filter(|name| !uses.may_replace(&last(name)));
        let replaced: BTreeSet<String> = set.chain(changed).collect();
        let same = names.get_item_opt("__builtins__", vm)?.is_some_and(|now| now.is(&builtins));
        if !replaced.is_empty() || !same {
            return Ok(tampered(Tampering::Changed, replaced.into_iter().collect()));
        }
        if let Some(last) = hidden() {
            return Ok(last);
        }
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

    /// An exception in words of the driver. They decide nothing.
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

    /// A built-in name that the check uses and the program gives another meaning, where its question does not.
    fn hidden_builtin(&self, check: &Check<'_>, uses: &Names, program: &Names, names: &PyDictRef) -> Option<String> {
        let vm = self.vm;
        let question = check.question?;
        let hidden = |name: &&String| {
            let Some(builtin) = vm.builtins.dict().get_item_opt(name.as_str(), vm).ok().flatten() else { return false };
            let own = names.get_item_opt(name.as_str(), vm).ok().flatten();
            program.binds.contains(*name) || own.is_some_and(|own| !own.is(&builtin))
        };
        // A module has names such as `__name__` of its own.
        let read = uses.reads.difference(&uses.binds).filter(|name| !name.starts_with("__"));
        let found: Vec<&String> = read.filter(hidden).collect();
        if found.is_empty() {
            return None;
        }
        let theirs = compile(vm, question, PROGRAM).map(|code| Names::of(&code)).unwrap_or_default();
        found.into_iter().find(|name| !theirs.binds.contains(*name)).cloned()
    }

    /// A name that the question's program imports, the check uses, and the program gives another meaning.
    fn hidden_import(&self, check: &Check<'_>, uses: &Names, names: &PyDictRef) -> Option<String> {
        let vm = self.vm;
        let question = check.question?;
        let imports = |line: &&str| line.trim_start().starts_with("import ") || line.trim_start().starts_with("from ");
        let words: BTreeSet<&str> = question.lines().filter(imports).flat_map(reach::words).collect();
        let own = |name: &str| names.get_item_opt(name, vm).ok().flatten();
        let shared = uses.reads.difference(&uses.binds).filter(|name| words.contains(name.as_str()));
        let shared: Vec<(&String, PyObjectRef)> = shared.filter_map(|name| Some((name, own(name)?))).collect();
        // Most often it is a module, and then this one.
        let is_loaded = |name: &str, value: &PyObjectRef| import(vm, name).is_ok_and(|module| module.is(value));
        let unclear: Vec<_> = shared.into_iter().filter(|(name, value)| !is_loaded(name, value)).collect();
        if unclear.is_empty() {
            return None;
        }
        let theirs = compile(vm, question, PROGRAM).map(|code| Names::of(&code)).unwrap_or_default();
        let is_theirs = |name: &str, value: &PyObjectRef| {
            let Some((module, member)) = theirs.imported.get(name) else { return true };
            let package = module.split('.').next().unwrap_or_default();
            let whole = import(vm, module);
            let part = whole.as_ref().ok().and_then(|it| it.get_attr(&*vm.ctx.new_str(member.as_str()), vm).ok());
            [whole.ok(), part, import(vm, package).ok()].iter().flatten().any(|it| it.is(value))
        };
        unclear.into_iter().find(|(name, value)| !is_theirs(name, value)).map(|(name, _)| name.clone())
    }

    /// The statements that must fail, compiled.
    pub(super) fn canaries(&self) -> &[PyRef<PyCode>] {
        self.canaries.get_or_init(|| {
            // They are known to compile.
            [CANARY, ASYNC_CANARY].iter().filter_map(|code| compile(self.vm, code, "canary").ok()).collect()
        })
    }

    /// Runs what must fail. Returns the end of the check if something passes.
    fn try_canaries(&self, asynchronous: bool) -> Option<Final> {
        let vm = self.vm;
        let passes = |code: &PyRef<PyCode>| {
            vm.run_code_obj(code.clone(), Scope::with_builtins(None, vm.ctx.new_dict(), vm)).is_ok()
        };
        let canaries = self.canaries();
        let count = if asynchronous { 2 } else { 1 };
        let passed = canaries.len() < 2 || canaries.iter().take(count).any(passes);
        passed.then(|| tampered(Tampering::Canary, Vec::new()))
    }
}

/// Loads what a program or a check imports, so that the snapshot has it. What does not load, they find out themselves.
fn load(vm: &VirtualMachine, names: &Names) {
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

/// Takes away all with which a program can be called while the check runs, without the check calling it.
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
