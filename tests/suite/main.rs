//! The one integration test binary: linking takes seconds, so every subject is a module of it.

mod fixtures;
mod quiz_stories;
mod screens;
