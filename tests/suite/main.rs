//! Every test that needs more than one module. One binary, because linking RustPython takes seconds.

mod diagnostics;
mod schema;
