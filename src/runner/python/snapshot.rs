//! Remembers the contents of modules, classes and functions, and restores them after a program has run.
//!
//! A check depends on its imports. A program in the same interpreter could change them: a name in a module, a method of a
//! class, the code of a function, a value that a function keeps. The snapshot is taken before the program, most
//! of it in the template, and is out of the program's reach: no object of Python refers to it.
//!
//! Comparing must be cheap. A child shares its pages with the template until it writes, and counting a reference or locking a
//! dictionary is a write. So classes and functions are compared by version, and only modules that the check can reach from
//! its imports are compared.

mod parts;

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use rustpython::vm::builtins::{
    PyClassMethod, PyDict, PyDictRef, PyFunction, PyList, PyModule, PyProperty, PyStaticMethod, PyTuple, PyType,
};
use rustpython::vm::object::Traverse;
use rustpython::vm::types::PyTypeFlags;
use rustpython::vm::{AsObject, Py, PyObject, PyObjectRef, PyRef, VirtualMachine};

pub(super) use self::parts::has_plain_names;
use self::parts::{Class, FUNCTION_PARTS, Function, Irreparable, Table, is_code, place, word};

/// Most rounds of restoring. It drops values of the program, whose finalizers may make new changes.
const ROUNDS: usize = 4;

/// Modules that every check needs: how it imports, and what `isinstance` asks.
const ALWAYS: &[&str] = &["builtins", "sys", "_frozen_importlib", "abc", "_abc", "_py_abc", "_collections_abc"];

/// The place of no module.
const NO_MODULE: usize = usize::MAX;

/// Remembered modules.
#[derive(Default)]
pub(super) struct Snapshot {
    /// The modules that were loaded, by name, and the dictionary that lists them.
    loaded: Option<(PyDictRef, Table)>,
    modules: Vec<Module>,
    /// Everything that was remembered, by its place in memory, with the module that it was first seen in. It is kept alive,
    /// so no other object can come to lie there.
    seen: HashMap<usize, usize>,
}

/// Contents of a module.
#[derive(Default)]
struct Module {
    name: String,
    /// The modules that its values come from.
    needs: BTreeSet<usize>,
    /// Its names, and the tables that it and its classes keep.
    tables: Vec<(PyDictRef, Table)>,
    /// The lists that it and its classes keep.
    lists: Vec<(PyRef<PyList>, Vec<PyObjectRef>)>,
    classes: Vec<Class>,
    functions: Vec<Function>,
    /// Itself, its classes and its objects, with the place of their class.
    objects: Vec<(PyObjectRef, usize)>,
    /// Cells of closures, with the function or class that they hold.
    cells: Vec<(PyObjectRef, PyObjectRef)>,
}

impl Snapshot {
    /// Remembers every module that is loaded and was not remembered yet.
    pub(super) fn take(&mut self, vm: &VirtualMachine) {
        let Ok(Ok(modules)) = vm.sys_module.get_attr("modules", vm).map(|it| it.downcast::<PyDict>()) else { return };
        // It belongs to no module, though `sys` has it.
        self.seen.insert(place(modules.as_object()), NO_MODULE);
        let (_, mut table) = self.loaded.take().unwrap_or_else(|| (modules.clone(), Table::new("sys.modules", false)));
        let mut fresh = Vec::new();
        for (key, module) in table.update(&modules) {
            let Some(module) = module.downcast_ref::<PyModule>().filter(|_| word(&key) != "__main__") else { continue };
            let at = self.modules.len();
            if let Entry::Vacant(entry) = self.seen.entry(place(module.dict().as_object())) {
                entry.insert(at);
                self.modules.push(Module { name: word(&key), ..Module::default() });
                fresh.push((at, module.to_owned()));
            }
        }
        self.loaded = Some((modules, table));
        // Only now does each value find the module that it comes from.
        for (at, module) in fresh {
            self.module(at).add_object(module.as_object());
            self.add_table(at, module.dict(), &word_of(&self.modules, at), false, vm);
        }
    }

    /// Takes what these modules are made of now for what they are to be again: the driver has set its own streams in them.
    pub(super) fn accept(&mut self, modules: &[&str], vm: &VirtualMachine) {
        for at in 0..self.modules.len() {
            let module = self.module(at);
            if !modules.contains(&module.name.as_str()) {
                continue;
            }
            // The first table of a module is its own names.
            let Some((dict, table)) = module.tables.first_mut() else { continue };
            let dict = dict.clone();
            let of = table.of.clone();
            for (key, value) in table.update(&dict) {
                self.add(at, &value, &format!("{of}.{}", word(&key)), vm);
            }
        }
    }

    /// The modules that these names can lead to.
    pub(super) fn reach<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<usize> {
        let mut wanted: BTreeSet<&str> = ALWAYS.iter().copied().collect();
        for name in names {
            // With a module, its packages are loaded.
            let packages = name.match_indices('.').filter_map(|(at, _)| name.get(..at));
            wanted.extend(packages.chain([name]));
        }
        let named = self.modules.iter().enumerate().filter(|(_, module)| wanted.contains(module.name.as_str()));
        let mut to_visit: Vec<usize> = named.map(|(at, _)| at).collect();
        let mut found = BTreeSet::new();
        while let Some(at) = to_visit.pop() {
            if found.insert(at)
                && let Some(module) = self.modules.get(at)
            {
                to_visit.extend(&module.needs);
            }
        }
        found.into_iter().collect()
    }

    /// The module at a place, which [`Snapshot::take`] made.
    fn module(&mut self, at: usize) -> &mut Module {
        if at >= self.modules.len() {
            self.modules.resize_with(at + 1, Module::default);
        }
        &mut self.modules[at]
    }

    /// Notes that `at` has come upon an object. Returns whether it is new.
    fn meets(&mut self, at: usize, object: &PyObject) -> bool {
        match self.seen.entry(place(object)) {
            Entry::Vacant(entry) => {
                entry.insert(at);
                true
            }
            Entry::Occupied(entry) => {
                let owner = *entry.get();
                if owner != at {
                    self.module(at).needs.insert(owner);
                }
                false
            }
        }
    }

    fn add_table(&mut self, at: usize, dict: PyDictRef, of: &str, grows: bool, vm: &VirtualMachine) {
        let mut table = Table::new(of, grows);
        let entries = table.update(&dict);
        self.module(at).tables.push((dict, table));
        for (key, value) in entries {
            self.add(at, &value, &format!("{of}.{}", word(&key)), vm);
        }
    }

    /// Remembers a value of a module or a class, where it is something that is made of parts.
    fn add(&mut self, at: usize, value: &PyObject, of: &str, vm: &VirtualMachine) {
        let kind = value.class();
        if let Some(class) = value.downcast_ref::<PyType>() {
            self.add_class(at, class, vm);
        } else if let Some(function) = value.downcast_ref::<PyFunction>() {
            self.add_function(at, function, of, vm);
        } else if let Some(method) = value.downcast_ref::<PyStaticMethod>() {
            let function = method.callable.lock().clone();
            self.add(at, &function, of, vm);
        } else if value.downcast_ref::<PyClassMethod>().is_some() {
            self.add_parts(at, value, &["__func__"], of, vm);
        } else if value.downcast_ref::<PyProperty>().is_some() {
            self.add_parts(at, value, &["fget", "fset", "fdel"], of, vm);
        } else if let Some(module) = value.downcast_ref::<PyModule>() {
            self.meets(at, module.dict().as_object());
        } else if kind.is(vm.ctx.types.dict_type) {
            if let Ok(dict) = value.to_owned().downcast::<PyDict>()
                && self.meets(at, value)
            {
                self.add_table(at, dict, of, true, vm);
            }
        } else if kind.is(vm.ctx.types.list_type) {
            if let Ok(list) = value.to_owned().downcast::<PyList>()
                && self.meets(at, value)
            {
                let held = list.borrow_vec().to_vec();
                self.module(at).lists.push((list, held));
            }
        } else if !kind.slots.flags.has_feature(PyTypeFlags::IMMUTABLETYPE)
            && !value.fast_isinstance(vm.ctx.types.int_type)
            && let Some(dict) = value.dict()
            && self.meets(at, value)
        {
            self.add_class(at, kind, vm);
            self.module(at).add_object(value);
            self.add_table(at, dict, of, false, vm);
        }
    }

    fn add_parts(&mut self, at: usize, value: &PyObject, parts: &[&'static str], of: &str, vm: &VirtualMachine) {
        for part in parts {
            if let Ok(part) = value.get_attr(*part, vm) {
                self.add(at, &part, of, vm);
            }
        }
    }

    fn add_class(&mut self, at: usize, class: &Py<PyType>, vm: &VirtualMachine) {
        // Of a built-in class nothing can be changed.
        if class.slots.flags.has_feature(PyTypeFlags::IMMUTABLETYPE) || !self.meets(at, class.as_object()) {
            return;
        }
        let attributes: Vec<(PyObjectRef, PyObjectRef)> =
            class.attributes.read().iter().map(|(name, value)| (name.to_object(), value.clone())).collect();
        let of = class.name().to_owned();
        for (name, value) in &attributes {
            self.add(at, value, &format!("{of}.{}", word(name)), vm);
        }
        let bases: Vec<PyRef<PyType>> = class.bases.read().clone();
        for base in &bases {
            self.add_class(at, base, vm);
        }
        let bases = bases.iter().map(|base| place(base.as_object())).collect();
        let module = self.module(at);
        module.add_object(class.as_object());
        let version = class.assign_version_tag();
        module.classes.push(Class { class: class.to_owned(), version, attributes, bases });
    }

    fn add_function(&mut self, at: usize, function: &Py<PyFunction>, of: &str, vm: &VirtualMachine) {
        let object = function.as_object();
        if !self.meets(at, object) {
            return;
        }
        let part = |name| object.get_attr(name, vm).unwrap_or_else(|_| vm.ctx.none());
        // It works in the names of the module that it was written in. Those may be no module's, of a function that was made
        // of text: then nothing leads there.
        if let Some(owner) = self.seen.get(&place(&part("__globals__"))).copied()
            && owner != at
        {
            self.module(at).needs.insert(owner);
        }
        let parts = FUNCTION_PARTS.map(part);
        // Keyword defaults are a dictionary, which can be changed in place.
        if let Ok(dict) = parts[2].clone().downcast::<PyDict>()
            && self.meets(at, dict.as_object())
        {
            self.add_table(at, dict, of, false, vm);
        }
        // What a wrapper wraps. Other values that it keeps, such as a cache, are its own affair.
        if let Ok(closure) = part("__closure__").downcast::<PyTuple>() {
            for cell in closure.iter() {
                if let Ok(held) = cell.get_attr("cell_contents", vm)
                    && is_code(&held, vm)
                    && self.meets(at, cell)
                {
                    self.add(at, &held, of, vm);
                    self.module(at).cells.push((cell.clone(), held));
                }
            }
        }
        let version = function.get_version_for_current_state();
        let function = Function { function: function.to_owned(), of: of.to_owned(), version, parts };
        self.module(at).functions.push(function);
    }

    /// Puts back what has changed in these modules, and which modules are loaded. Fails if something cannot be put back.
    pub(super) fn restore(&mut self, reach: &[usize], vm: &VirtualMachine) -> Result<(), Irreparable> {
        for _ in 0..ROUNDS {
            let mut changed = false;
            if let Some((dict, table)) = &self.loaded {
                changed |= table.restore(dict, vm);
            }
            for at in reach {
                if let Some(module) = self.modules.get_mut(*at) {
                    changed |= module.restore(vm)?;
                }
            }
            if !changed {
                return Ok(());
            }
        }
        Err(Irreparable)
    }

    /// Functions, classes and methods of these modules that are not what they were, in words: `asyncio.run`.
    pub(super) fn changed(&self, reach: &[usize], vm: &VirtualMachine) -> Vec<String> {
        let modules = reach.iter().filter_map(|at| self.modules.get(*at));
        let loaded = self.loaded.iter().filter(|(dict, table)| !table.is_in(dict));
        let loaded = loaded.flat_map(|(dict, table)| table.changed(dict, vm));
        modules.flat_map(|module| module.changed(vm)).chain(loaded).collect()
    }
}

fn word_of(modules: &[Module], at: usize) -> String {
    modules.get(at).map_or_else(String::new, |module| module.name.clone())
}

impl Module {
    fn add_object(&mut self, object: &PyObject) {
        self.objects.push((object.to_owned(), place(object.class().as_object())));
    }

    /// Puts back what has changed. Returns whether something had.
    fn restore(&mut self, vm: &VirtualMachine) -> Result<bool, Irreparable> {
        if self.objects.iter().any(|(object, class)| place(object.class().as_object()) != *class) {
            return Err(Irreparable);
        }
        let mut changed = false;
        for (dict, table) in &self.tables {
            changed |= table.restore(dict, vm);
        }
        for (list, held) in &self.lists {
            let same = {
                let now = list.borrow_vec();
                now.len() == held.len() && now.iter().zip(held).all(|(now, then)| now.is(then))
            };
            if !same {
                let old = std::mem::replace(&mut *list.borrow_vec_mut(), held.clone());
                drop(old);
                changed = true;
            }
        }
        for class in &mut self.classes {
            changed |= class.restore(vm)?;
        }
        for function in &mut self.functions {
            changed |= function.restore(vm);
        }
        for (cell, held) in &self.cells {
            if !holds(cell, held) {
                cell.set_attr("cell_contents", held.clone(), vm).map_err(|_| Irreparable)?;
                changed = true;
            }
        }
        Ok(changed)
    }

    fn changed(&self, vm: &VirtualMachine) -> Vec<String> {
        let tables = self.tables.iter().filter(|(dict, table)| !table.is_in(dict));
        let entries = tables.flat_map(|(dict, table)| table.changed(dict, vm));
        let attributes = self.classes.iter().flat_map(|class| class.changed(vm));
        let functions = self.functions.iter().filter(|function| function.has_changed()).map(|it| it.of.clone());
        entries.chain(attributes).chain(functions).collect()
    }
}

fn holds(cell: &PyObject, wanted: &PyObject) -> bool {
    let mut holds = false;
    Traverse::traverse(cell, &mut |held: &PyObject| holds |= place(held) == place(wanted));
    holds
}
