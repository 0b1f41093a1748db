//! How fast lessonc is, beside others and beside itself: a course of any length, and what is timed and counted with it.
//!
//!     cargo bench --bench speed -- course --lessons 1000 --out DIR --for lessonc    writes such a course
//!
//! `benches/README.md` says more of each.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr, reason = "a program of its own")]

mod course;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser as _;

use course::Tool;

#[derive(clap::Parser)]
#[command(about = "How fast lessonc is, beside others and beside itself")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// What Cargo passes to every bench
    #[arg(long, global = true, hide = true)]
    bench: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Write a course, as one of the tools reads it
    Course {
        /// How many lessons
        #[arg(long, default_value_t = 1000)]
        lessons: usize,
        /// An empty folder, or one that is not there yet
        #[arg(long)]
        out: PathBuf,
        /// Who is to read it
        #[arg(long = "for", value_enum, default_value = "lessonc")]
        tool: Tool,
    },
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether all was as it should be.
fn run(command: Command) -> Result<bool> {
    match command {
        Command::Course { lessons, out, tool } => course::write(lessons, tool, &out).map(|()| true),
    }
}
