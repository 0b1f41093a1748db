//! How fast lessonc is, beside others and beside itself: a course of any length, and what is timed and counted with it.
//!
//!     cargo bench --bench speed -- course --lessons 1000 --out DIR --for lessonc    writes such a course
//!     cargo bench --bench speed -- compare                                          builds it with lessonc and others, in turn
//!     cargo bench --bench speed -- preview                                          edits it while lessonc and others show it
//!     cargo bench --bench speed -- micro                                            times inner loops, each for itself
//!     benches/instructions                                                          counts instructions of the main paths
//!
//! `benches/README.md` says more of each.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr, reason = "a program of its own")]

mod compare;
mod course;
mod instructions;
mod machine;
mod micro;
mod peers;
mod preview;
mod process;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

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
    /// Build a course with lessonc and with others, in turn, and print a table and the goals
    Compare(compare::Arguments),
    /// Edit a course while lessonc and others show it, and print how soon the edit was served
    Preview(preview::Arguments),
    /// Time inner loops, each for itself
    Micro {
        /// Only those with this in their names
        filter: Option<String>,
    },
    /// Count the instructions of the main paths, as `benches/instructions` asks for it
    Instructions(instructions::Arguments),
    /// Compile a course, then edit one lesson several times
    #[command(hide = true)]
    Recompile {
        #[arg(long)]
        course: PathBuf,
        #[arg(long)]
        edits: u32,
    },
    /// Run a command, and print what it took
    #[command(hide = true)]
    Timed {
        #[arg(long)]
        limit_s: u64,
        #[arg(last = true)]
        command: Vec<OsString>,
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
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Preview(arguments) => preview::run(&arguments),
        Command::Micro { filter } => micro::run(filter.as_deref()).map(|()| true),
        Command::Instructions(arguments) => instructions::run(&arguments),
        Command::Recompile { course, edits } => instructions::recompile(&course, edits).map(|()| true),
        Command::Timed { limit_s, command } => process::serve(&command, Duration::from_secs(limit_s)).map(|()| true),
    }
}
