//! Every test that needs more than one module. One binary, because linking RustPython takes seconds.

mod author;
mod cli;
mod command;
mod diagnostics;
mod event_loop;
mod fix_journeys;
mod fix_screens;
mod fix_stories;
mod fixtures;
#[path = "../fuzz/mod.rs"]
mod fuzz;
mod journeys;
mod prediction_stories;
mod pty;
mod quiz_stories;
mod readme;
mod runner_allowed;
mod runner_basics;
mod runner_cpython;
mod runner_hostile;
mod runner_levels;
mod runner_lives;
mod runner_output;
mod runner_programs;
mod runner_scenario;
mod runner_trace;
mod schema;
mod screens;
mod shipped;
mod steps_screens;
mod steps_stories;
mod timeline_screens;
mod timeline_stories;
