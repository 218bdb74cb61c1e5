//! The one integration test binary: linking takes seconds, so every subject is a module of it.

mod fixtures;
mod journeys;
mod pty;
mod quiz_stories;
mod screens;
