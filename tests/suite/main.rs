//! All integration tests, in one binary: linking takes seconds each time.

mod runner_basics;
mod runner_hostile;
mod runner_lives;
mod runner_programs;
mod runner_scenario;
mod runner_trace;
