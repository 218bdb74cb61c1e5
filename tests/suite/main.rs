//! Every test that needs more than one module. One binary, because linking RustPython takes seconds.

mod diagnostics;
mod runner_basics;
mod runner_programs;
mod schema;
mod shipped;
