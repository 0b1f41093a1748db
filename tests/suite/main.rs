//! Everything that is tested from outside the library, as one program.
#![allow(clippy::disallowed_methods, clippy::print_stderr, reason = "tests stand in for the world outside")]

mod anchors;
mod browser;
mod cases;
mod commands;
mod compiled;
mod documents;
mod figures;
mod fixture;
mod formats;
mod freshness;
mod killed;
mod mutation_bench;
mod mutations;
mod preview;
mod previewed;
mod profiled;
mod programs;
mod publishing;
mod reference;
mod search;
mod site;
mod support;
mod tidy;
mod trial;
