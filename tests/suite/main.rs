//! All integration tests, in one binary: linking takes seconds each time.

mod runner_basics;
mod runner_lives;
mod runner_programs;
