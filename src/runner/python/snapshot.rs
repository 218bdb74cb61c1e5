//! Remembers what modules, their classes and their functions are made of, and puts it back after a program has run.
//!
//! A check is made of what it imports. A program that shares the interpreter could change that: a name in a module, a
//! method of a class, the code of a function, a value that a function keeps. The snapshot is taken before the program, most
//! of it in the template, and is out of the program's reach: no object of Python refers to it.
//!
//! To compare is cheap, because it reads pages and writes none: a child shares them with its template until it writes, and
//! counting a reference is a write.

use std::collections::{HashMap, HashSet};

use rustpython::vm::builtins::{
    PyClassMethod, PyDict, PyDictRef, PyFunction, PyList, PyModule, PyProperty, PyStaticMethod, PyStr, PyTuple, PyType,
};
use rustpython::vm::function::PySetterValue;
use rustpython::vm::object::Traverse;
use rustpython::vm::types::PyTypeFlags;
use rustpython::vm::{AsObject, Py, PyObject, PyObjectRef, PyRef, VirtualMachine};

/// How often what changed is put back. Putting back drops values of the program, whose finalizers may change it again.
const ROUNDS: usize = 4;

/// What a function is made of, besides its names.
const FUNCTION_PARTS: [&str; 3] = ["__code__", "__defaults__", "__kwdefaults__"];

/// What was remembered.
#[derive(Default)]
pub(super) struct Snapshot {
    /// The modules that were loaded, by name, and the dictionary that lists them.
    loaded: Option<(PyDictRef, Table)>,
    /// The names of each module, and of each table that a module or a class keeps.
    tables: Vec<(PyDictRef, Table)>,
    /// The lists that a module or a class keeps.
    lists: Vec<(PyRef<PyList>, Vec<PyObjectRef>)>,
    classes: Vec<Class>,
    functions: Vec<Function>,
    /// Modules, classes and objects of modules, with the place of their class.
    objects: Vec<(PyObjectRef, usize)>,
    /// Cells of closures, with the function or class that they hold.
    cells: Vec<(PyObjectRef, PyObjectRef)>,
    /// Everything above, by its place in memory. It is kept alive, so no other object can come to lie there.
    seen: HashSet<usize>,
}

/// The entries of a dictionary, in order.
struct Table {
    /// What it belongs to, in words for a report.
    of: String,
    entries: Vec<(PyObjectRef, PyObjectRef)>,
    /// Whether entries that were added stay: a registry that belongs to a module is made for that.
    grows: bool,
}

struct Class {
    class: PyRef<PyType>,
    attributes: Vec<(PyObjectRef, PyObjectRef)>,
    bases: Vec<usize>,
}

struct Function {
    function: PyRef<PyFunction>,
    of: String,
    /// Changes whenever one of the parts is set.
    version: u32,
    parts: [PyObjectRef; 3],
}

fn place(object: &PyObject) -> usize {
    std::ptr::from_ref(object).addr()
}

fn items(dict: &PyDict) -> Vec<(PyObjectRef, PyObjectRef)> {
    dict.items_vec()
}

/// The entries of a dictionary without counting a reference: keys and values in turn.
fn look_through(dict: &PyDict, mut see: impl FnMut(&PyObject)) {
    Traverse::traverse(dict, &mut |object: &PyObject| see(object));
}

impl Table {
    fn new(of: &str, grows: bool) -> Self {
        Self { of: of.to_owned(), entries: Vec::new(), grows }
    }

    /// Takes the entries as they are now. Returns those that differ from what was remembered.
    fn update(&mut self, dict: &PyDict) -> Vec<(PyObjectRef, PyObjectRef)> {
        let (mut at, mut key, mut fresh) = (0, None, Vec::new());
        let entries = &self.entries;
        look_through(dict, |object| match key.take() {
            None => key = Some(std::ptr::from_ref(object)),
            Some(it) => {
                let same =
                    entries.get(at).is_some_and(|(was, held)| place(was) == it.addr() && place(held) == place(object));
                if !same {
                    fresh.push((at, object.to_owned()));
                }
                at += 1;
            }
        });
        let mut changed = Vec::new();
        if fresh.is_empty() && at == self.entries.len() {
            return changed;
        }
        let keys = dict.keys_vec();
        self.entries.truncate(at);
        for (at, value) in fresh {
            let Some(key) = keys.get(at) else { continue };
            let entry = (key.clone(), value);
            changed.push(entry.clone());
            match self.entries.get_mut(at) {
                Some(old) => *old = entry,
                None => self.entries.push(entry),
            }
        }
        changed
    }

    fn is_in(&self, dict: &PyDict) -> bool {
        let mut expected = self.entries.iter().flat_map(|(key, value)| [key, value]).map(|object| place(object));
        let (mut same, mut more) = (true, false);
        look_through(dict, |object| match expected.next() {
            Some(wanted) => same &= wanted == place(object),
            None => more = true,
        });
        same && expected.next().is_none() && (self.grows || !more)
    }

    fn put_back(&self, dict: &Py<PyDict>, vm: &VirtualMachine) {
        if self.grows {
            for (key, value) in &self.entries {
                let _ = dict.set_item(&**key, value.clone(), vm);
            }
            return;
        }
        let old = items(dict);
        PyDict::clear(dict);
        for (key, value) in &self.entries {
            let _ = dict.set_item(&**key, value.clone(), vm);
        }
        // Only now may finalizers run: the table is whole.
        drop(old);
    }

    /// Entries that hold something else than they did, by name.
    fn changed<'a>(&'a self, dict: &'a Py<PyDict>, vm: &'a VirtualMachine) -> impl Iterator<Item = String> + 'a {
        self.entries.iter().filter_map(move |(key, value)| {
            let now = dict.get_item_opt(&**key, vm).ok().flatten();
            let same = now.is_some_and(|now| now.is(value));
            (!same && is_code(value, vm)).then(|| format!("{}.{}", self.of, word(key)))
        })
    }
}

/// A function, a class or a built-in function: what no module replaces while it works.
fn is_code(value: &PyObject, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    let kinds =
        [types.function_type, types.builtin_function_or_method_type, types.staticmethod_type, types.classmethod_type];
    value.downcast_ref::<PyType>().is_some() || kinds.iter().any(|kind| value.class().is(*kind))
}

fn word(key: &PyObject) -> String {
    key.downcast_ref::<PyStr>().map_or_else(|| "?".to_owned(), |text| text.to_string_lossy().into_owned())
}

impl Snapshot {
    /// Remembers every module that is loaded and was not remembered yet.
    pub(super) fn take(&mut self, vm: &VirtualMachine) {
        let Ok(Ok(modules)) = vm.sys_module.get_attr("modules", vm).map(|it| it.downcast::<PyDict>()) else { return };
        self.seen.insert(place(modules.as_object()));
        let (_, mut table) = self.loaded.take().unwrap_or_else(|| (modules.clone(), Table::new("sys.modules", false)));
        for (key, module) in table.update(&modules) {
            if let Some(module) = module.downcast_ref::<PyModule>()
                && word(&key) != "__main__"
            {
                self.add_object(module.as_object());
                self.add_table(module.dict(), &word(&key), false, vm);
            }
        }
        self.loaded = Some((modules, table));
    }

    /// Takes what these modules are made of now for what they are to be again: the driver has set its own streams in them.
    pub(super) fn accept(&mut self, modules: &[&str], vm: &VirtualMachine) {
        for name in modules {
            let Some((dict, table)) = self.tables.iter_mut().find(|(_, table)| table.of == *name && !table.grows)
            else {
                continue;
            };
            for (key, value) in table.update(&dict.clone()) {
                self.add(&value, &format!("{name}.{}", word(&key)), vm);
            }
        }
    }

    fn add_table(&mut self, dict: PyDictRef, of: &str, grows: bool, vm: &VirtualMachine) {
        if !self.seen.insert(place(dict.as_object())) {
            return;
        }
        let mut table = Table::new(of, grows);
        for (key, value) in table.update(&dict) {
            self.add(&value, &format!("{of}.{}", word(&key)), vm);
        }
        self.tables.push((dict, table));
    }

    /// Remembers a value of a module or a class, where it is something that is made of parts.
    fn add(&mut self, value: &PyObject, of: &str, vm: &VirtualMachine) {
        if let Some(class) = value.downcast_ref::<PyType>() {
            self.add_class(class, vm);
        } else if let Some(function) = value.downcast_ref::<PyFunction>() {
            self.add_function(function, of, vm);
        } else if let Some(method) = value.downcast_ref::<PyStaticMethod>() {
            let function = method.callable.lock().clone();
            self.add(&function, of, vm);
        } else if value.downcast_ref::<PyClassMethod>().is_some() {
            if let Ok(function) = value.get_attr("__func__", vm) {
                self.add(&function, of, vm);
            }
        } else if value.downcast_ref::<PyProperty>().is_some() {
            for part in ["fget", "fset", "fdel"] {
                if let Ok(function) = value.get_attr(part, vm) {
                    self.add(&function, of, vm);
                }
            }
        } else if value.class().is(vm.ctx.types.dict_type) {
            if let Ok(dict) = value.to_owned().downcast::<PyDict>() {
                self.add_table(dict, of, true, vm);
            }
        } else if value.class().is(vm.ctx.types.list_type)
            && let Ok(list) = value.to_owned().downcast::<PyList>()
            && self.seen.insert(place(value))
        {
            let held = list.borrow_vec().to_vec();
            self.lists.push((list, held));
        } else if !value.class().slots.flags.has_feature(PyTypeFlags::IMMUTABLETYPE)
            && !value.fast_isinstance(vm.ctx.types.int_type)
            && let Some(dict) = value.dict()
        {
            self.add_object(value);
            self.add_table(dict, of, false, vm);
        }
    }

    fn add_object(&mut self, object: &PyObject) {
        self.objects.push((object.to_owned(), place(object.class().as_object())));
    }

    fn add_class(&mut self, class: &Py<PyType>, vm: &VirtualMachine) {
        // Of a built-in class nothing can be changed.
        if class.slots.flags.has_feature(PyTypeFlags::IMMUTABLETYPE) || !self.seen.insert(place(class.as_object())) {
            return;
        }
        let attributes: Vec<(PyObjectRef, PyObjectRef)> =
            class.attributes.read().iter().map(|(name, value)| (name.to_object(), value.clone())).collect();
        let of = class.name().to_owned();
        for (name, value) in &attributes {
            self.add(value, &format!("{of}.{}", word(name)), vm);
        }
        let bases: Vec<PyRef<PyType>> = class.bases.read().clone();
        for base in &bases {
            self.add_class(base, vm);
        }
        self.add_object(class.as_object());
        let bases = bases.iter().map(|base| place(base.as_object())).collect();
        self.classes.push(Class { class: class.to_owned(), attributes, bases });
    }

    fn add_function(&mut self, function: &Py<PyFunction>, of: &str, vm: &VirtualMachine) {
        let object = function.as_object();
        if !self.seen.insert(place(object)) {
            return;
        }
        let part = |name| object.get_attr(name, vm).unwrap_or_else(|_| vm.ctx.none());
        let parts = FUNCTION_PARTS.map(part);
        // Keyword defaults are a dictionary, which can be changed in place.
        if let Ok(dict) = parts[2].clone().downcast::<PyDict>() {
            self.add_table(dict, of, false, vm);
        }
        // What a wrapper wraps. Other values that it keeps, such as a cache, are its own affair.
        if let Ok(closure) = part("__closure__").downcast::<PyTuple>() {
            for cell in closure.iter() {
                if let Ok(held) = cell.get_attr("cell_contents", vm)
                    && is_code(&held, vm)
                    && self.seen.insert(place(cell))
                {
                    self.add(&held, of, vm);
                    self.cells.push((cell.clone(), held));
                }
            }
        }
        let version = function.get_version_for_current_state();
        self.functions.push(Function { function: function.to_owned(), of: of.to_owned(), version, parts });
    }

    /// Puts back what has changed. Fails if it cannot be put back.
    pub(super) fn restore(&mut self, vm: &VirtualMachine) -> Result<(), Irreparable> {
        for _ in 0..ROUNDS {
            if !self.restore_once(vm)? {
                return Ok(());
            }
        }
        Err(Irreparable)
    }

    /// Puts back what has changed. Returns whether something had.
    fn restore_once(&mut self, vm: &VirtualMachine) -> Result<bool, Irreparable> {
        if self.objects.iter().any(|(object, class)| place(object.class().as_object()) != *class) {
            return Err(Irreparable);
        }
        let mut changed = false;
        for (dict, table) in self.tables.iter().chain(&self.loaded) {
            if !table.is_in(dict) {
                table.put_back(dict, vm);
                changed = true;
            }
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
        for class in &self.classes {
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

    /// Functions, classes and methods that are not what they were, in words: `asyncio.run`.
    pub(super) fn changed(&self, vm: &VirtualMachine) -> Vec<String> {
        let tables = self.tables.iter().filter(|(dict, table)| !table.is_in(dict));
        let entries = tables.flat_map(|(dict, table)| table.changed(dict, vm));
        let attributes = self.classes.iter().flat_map(|class| class.changed(vm));
        let functions = self.functions.iter().filter(|function| function.has_changed()).map(|it| it.of.clone());
        entries.chain(attributes).chain(functions).collect()
    }
}

/// Something cannot be put back as it was.
pub(super) struct Irreparable;

fn holds(cell: &PyObject, wanted: &PyObject) -> bool {
    let mut holds = false;
    Traverse::traverse(cell, &mut |held: &PyObject| holds |= place(held) == place(wanted));
    holds
}

impl Class {
    fn is_as_it_was(&self) -> bool {
        let now = self.class.attributes.read();
        now.len() == self.attributes.len()
            && now
                .iter()
                .zip(&self.attributes)
                .all(|((name, value), (was, held))| place((*name).as_object()) == place(was) && value.is(held))
    }

    fn restore(&self, vm: &VirtualMachine) -> Result<bool, Irreparable> {
        let bases_now = self.class.bases.read();
        if bases_now.len() != self.bases.len()
            || !bases_now.iter().zip(&self.bases).all(|(now, then)| place(now.as_object()) == *then)
        {
            return Err(Irreparable);
        }
        drop(bases_now);
        if self.is_as_it_was() {
            return Ok(false);
        }
        let now: Vec<PyObjectRef> = self.class.attributes.read().keys().map(|name| name.to_object()).collect();
        for name in now.iter().filter(|name| !self.attributes.iter().any(|(was, _)| was.is(*name))) {
            set(&self.class, name, PySetterValue::Delete, vm);
        }
        for (name, value) in &self.attributes {
            let same = {
                let attributes = self.class.attributes.read();
                attributes.iter().any(|(now, held)| place((*now).as_object()) == place(name) && held.is(value))
            };
            if !same {
                set(&self.class, name, PySetterValue::Assign(value.clone()), vm);
            }
        }
        // The order tells nothing, but it is part of the comparison.
        let mut ordered = self.class.attributes.write();
        for (name, _) in &self.attributes {
            let entry = ordered.iter().find(|(now, _)| place((**now).as_object()) == place(name));
            if let Some((now, value)) = entry.map(|(now, value)| (*now, value.clone())) {
                ordered.shift_remove(now);
                ordered.insert(now, value);
            }
        }
        Ok(true)
    }

    fn changed<'a>(&'a self, vm: &'a VirtualMachine) -> impl Iterator<Item = String> + 'a {
        let (mut now, mut of) = (HashMap::new(), String::new());
        if !self.is_as_it_was() {
            of = self.class.name().to_owned();
            for (name, value) in self.class.attributes.read().iter() {
                now.insert(place((*name).as_object()), place(value));
            }
        }
        let asked = !of.is_empty();
        self.attributes.iter().filter_map(move |(name, value)| {
            let differs = asked && is_code(value, vm) && now.get(&place(name)) != Some(&place(value));
            differs.then(|| format!("{of}.{}", word(name)))
        })
    }
}

/// Sets an attribute of a class by the rules of `type` itself, past what its metaclass makes of it.
fn set(class: &Py<PyType>, name: &PyObject, value: PySetterValue, vm: &VirtualMachine) {
    if let Some(name) = name.downcast_ref::<PyStr>()
        && let Some(setattro) = vm.ctx.types.type_type.slots.setattro.load()
    {
        let _ = setattro(class.as_object(), name, value, vm);
    }
}

impl Function {
    fn has_changed(&self) -> bool {
        self.function.func_version() != self.version
    }

    fn restore(&mut self, vm: &VirtualMachine) -> bool {
        if !self.has_changed() {
            return false;
        }
        for (name, part) in FUNCTION_PARTS.iter().zip(&self.parts) {
            let _ = self.function.as_object().set_attr(*name, part.clone(), vm);
        }
        self.version = self.function.get_version_for_current_state();
        true
    }
}
