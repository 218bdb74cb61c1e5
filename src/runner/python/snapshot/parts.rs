//! Remembers and restores one dictionary, class or function.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use rustpython::vm::builtins::{PyDict, PyFunction, PyModule, PyStr, PyType};
use rustpython::vm::function::PySetterValue;
use rustpython::vm::object::Traverse;
use rustpython::vm::{AsObject, Py, PyObject, PyObjectRef, PyRef, VirtualMachine};

/// Parts of a function.
pub(super) const FUNCTION_PARTS: [&str; 3] = ["__code__", "__defaults__", "__kwdefaults__"];

/// The entries of a dictionary, in order.
pub(super) struct Table {
    /// Owner, for reports.
    pub(super) of: String,
    pub(super) entries: Vec<(PyObjectRef, PyObjectRef)>,
    /// True if entries that were added stay: a registry that belongs to a module is made for that.
    pub(super) grows: bool,
}

pub(super) struct Class {
    pub(super) class: PyRef<PyType>,
    /// Changes whenever an attribute is set, here or in a base.
    pub(super) version: u32,
    pub(super) attributes: Vec<(PyObjectRef, PyObjectRef)>,
    pub(super) bases: Vec<usize>,
}

pub(super) struct Function {
    pub(super) function: PyRef<PyFunction>,
    pub(super) of: String,
    /// Changes whenever one of the parts is set.
    pub(super) version: u32,
    pub(super) parts: [PyObjectRef; 3],
}

pub(super) fn place(object: &PyObject) -> usize {
    std::ptr::from_ref(object).addr()
}

/// The entries of a dictionary without counting a reference: keys and values in turn.
pub(super) fn look_through(dict: &PyDict, mut see: impl FnMut(&PyObject)) {
    Traverse::traverse(dict, &mut |object: &PyObject| see(object));
}

impl Table {
    pub(super) fn new(of: &str, grows: bool) -> Self {
        Self { of: of.to_owned(), entries: Vec::new(), grows }
    }

    /// Takes the entries as they are now. Returns those that differ from what was remembered.
    pub(super) fn update(&mut self, dict: &PyDict) -> Vec<(PyObjectRef, PyObjectRef)> {
        let mut remembered = self.entries.iter().flat_map(|(key, value)| [place(key), place(value)]);
        let mut differs = Vec::new();
        let mut count = 0;
        look_through(dict, |object| {
            if remembered.next() != Some(place(object)) {
                differs.push(count / 2);
            }
            count += 1;
        });
        differs.dedup();
        self.entries.truncate(count / 2);
        // Only what differs is touched: see above.
        let (mut at, mut key, mut changed) = (0, None, Vec::new());
        let mut wanted = differs.iter().peekable();
        look_through(dict, |object| {
            if wanted.peek().is_some_and(|wanted| **wanted == at / 2) {
                match key.take() {
                    None => key = Some(object.to_owned()),
                    Some(key) => {
                        changed.push((key, object.to_owned()));
                        wanted.next();
                    }
                }
            }
            at += 1;
        });
        for (at, entry) in differs.into_iter().zip(&changed) {
            match self.entries.get_mut(at) {
                Some(old) => *old = entry.clone(),
                None => self.entries.push(entry.clone()),
            }
        }
        changed
    }

    pub(super) fn is_in(&self, dict: &PyDict) -> bool {
        let mut expected = self.entries.iter().flat_map(|(key, value)| [key, value]).map(|object| place(object));
        let (mut same, mut more) = (true, false);
        look_through(dict, |object| match expected.next() {
            Some(wanted) => same &= wanted == place(object),
            None => more = true,
        });
        same && expected.next().is_none() && (self.grows || !more)
    }

    /// Puts the entries back where something has changed. Returns whether something had.
    pub(super) fn restore(&self, dict: &Py<PyDict>, vm: &VirtualMachine) -> bool {
        let same = self.is_in(dict);
        if !same {
            self.put_back(dict, vm);
        }
        !same
    }

    fn put_back(&self, dict: &Py<PyDict>, vm: &VirtualMachine) {
        if self.grows {
            for (key, value) in &self.entries {
                let _ = dict.set_item(&**key, value.clone(), vm);
            }
            return;
        }
        let old = dict.items_vec();
        PyDict::clear(dict);
        for (key, value) in &self.entries {
            let _ = dict.set_item(&**key, value.clone(), vm);
        }
        // Only now may finalizers run: the table is whole.
        drop(old);
    }

    /// Entries that hold something else than they did, by name.
    pub(super) fn changed<'a>(
        &'a self,
        dict: &'a Py<PyDict>,
        vm: &'a VirtualMachine,
    ) -> impl Iterator<Item = String> + 'a {
        self.entries.iter().filter_map(move |(key, value)| {
            let now = dict.get_item_opt(&**key, vm).ok().flatten();
            let same = now.is_some_and(|now| now.is(value));
            (!same && is_code(value, vm)).then(|| format!("{}.{}", self.of, word(key)))
        })
    }
}

/// A function, a class, a module or a built-in function: what no module replaces while it works.
pub(super) fn is_code(value: &PyObject, vm: &VirtualMachine) -> bool {
    let types = &vm.ctx.types;
    let kinds =
        [types.function_type, types.builtin_function_or_method_type, types.staticmethod_type, types.classmethod_type];
    value.downcast_ref::<PyType>().is_some()
        || value.downcast_ref::<PyModule>().is_some()
        || kinds.iter().any(|kind| value.class().is(*kind))
}

pub(super) fn word(key: &PyObject) -> String {
    key.downcast_ref::<PyStr>().map_or_else(|| "?".to_owned(), |text| text.to_string_lossy().into_owned())
}

/// A change of the program that cannot be undone.
pub(in crate::runner::python) struct Irreparable;

impl Class {
    fn is_as_it_was(&self) -> bool {
        if self.version != 0 && self.class.tp_version_tag.load(Ordering::Relaxed) == self.version {
            return true;
        }
        let now = self.class.attributes.read();
        now.len() == self.attributes.len()
            && now
                .iter()
                .zip(&self.attributes)
                .all(|((name, value), (was, held))| place((*name).as_object()) == place(was) && value.is(held))
    }

    pub(super) fn restore(&mut self, vm: &VirtualMachine) -> Result<bool, Irreparable> {
        if self.version != 0 && self.class.tp_version_tag.load(Ordering::Relaxed) == self.version {
            return Ok(false);
        }
        let bases_now = self.class.bases.read();
        if bases_now.len() != self.bases.len()
            || !bases_now.iter().zip(&self.bases).all(|(now, then)| place(now.as_object()) == *then)
        {
            return Err(Irreparable);
        }
        drop(bases_now);
        if self.is_as_it_was() {
            self.version = self.class.assign_version_tag();
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
        drop(ordered);
        self.version = self.class.assign_version_tag();
        Ok(true)
    }

    pub(super) fn changed<'a>(&'a self, vm: &'a VirtualMachine) -> impl Iterator<Item = String> + 'a {
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
pub(super) fn set(class: &Py<PyType>, name: &PyObject, value: PySetterValue, vm: &VirtualMachine) {
    if let Some(name) = name.downcast_ref::<PyStr>()
        && let Some(setattro) = vm.ctx.types.type_type.slots.setattro.load()
    {
        let _ = setattro(class.as_object(), name, value, vm);
    }
}

impl Function {
    pub(super) fn has_changed(&self) -> bool {
        self.function.func_version() != self.version
    }

    pub(super) fn restore(&mut self, vm: &VirtualMachine) -> bool {
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

/// True if every key of a namespace is plain text. Others run code of the program whenever a name is looked for.
pub(in crate::runner::python) fn has_plain_names(dict: &PyDict, vm: &VirtualMachine) -> bool {
    let (mut is_key, mut plain) = (true, true);
    look_through(dict, |object| {
        plain &= !is_key || object.class().is(vm.ctx.types.str_type);
        is_key = !is_key;
    });
    plain
}
