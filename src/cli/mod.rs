//! Turns a command line into calls of the stages, and their results into text and an exit code.
//!
//! Must not decide anything about a course: what is right and wrong in it is known above.

mod build;
mod changes;
mod clean;
mod doctor;
mod init;
mod measure;
mod new;
mod serve;
mod settings;
mod starter;
mod trial;
mod verify;

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::base::problem::{Problem, Severity};
use crate::cache::Cache;
use crate::disk;

/// How a command ended, as its exit code says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// 0: all is well.
    Fine,
    /// 1: the course has problems.
    Problems,
    /// 2: the command could not run.
    Failed,
}

impl Ending {
    /// The worse of two.
    fn and(self, other: Self) -> Self {
        if self == Self::Fine { other } else { self }
    }
}

impl Ending {
    /// How a command ended that found `problems`: warnings are no failure, unless it is `strict`.
    fn of(problems: &[Problem], strict: bool) -> Self {
        if fails(problems, strict) { Self::Problems } else { Self::Fine }
    }
}

/// Whether there is one among `problems` that a command must not pass over.
fn fails<'a>(problems: impl IntoIterator<Item = &'a Problem>, strict: bool) -> bool {
    problems.into_iter().any(|problem| strict || problem.severity == Severity::Error)
}

impl From<Ending> for u8 {
    fn from(ending: Ending) -> Self {
        match ending {
            Ending::Fine => 0,
            Ending::Problems => 1,
            Ending::Failed => 2,
        }
    }
}

/// Where a command's words go: results to `out`, all else to `err`.
pub struct Terminal<'a> {
    /// Standard output.
    pub out: &'a mut dyn Write,
    /// Standard error.
    pub err: &'a mut dyn Write,
    /// Whether `out` shows colours.
    pub out_colour: bool,
    /// Whether `err` shows colours.
    pub err_colour: bool,
    /// The builds that it remembers.
    pub builds: Cache,
}

/// Publish GPU lessons in which every measured figure comes from a dated run.
#[derive(Debug, Parser)]
#[command(name = "lessonc", version, max_term_width = 100, after_help = "Exit code: 0 fine, 1 problems in the course, 2 could not run.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the site; nothing is written if the course has an error
    Build(build::Arguments),
    /// Remove what `build` wrote, and nothing else
    Clean(clean::Arguments),
    /// Check that every page follows from the sources and the evidence; needs no GPU and runs nothing of the course
    Verify(verify::Arguments),
    /// Measure sweeps on a GPU; runs code of the course
    Measure(measure::Arguments),
    /// Show the site in a browser and keep it up to date while you write
    Serve(serve::Arguments),
    /// Show a lesson with the figures of your own GPU beside the published ones; runs code of the course
    ///
    /// Measures the sweeps that the lesson stands on with your GPU, and makes its page with your figures beside the published ones: tables,
    /// charts, figures in the text, and every checked sentence judged anew for your card.
    ///
    /// It compiles and runs code of the course, on the GPU and on this machine, as you: try lessons of courses that you trust. What it
    /// writes stays in .lessonc/try, which git ignores. Nothing in evidence/ or site/ changes, and nothing is sent anywhere.
    Try(trial::Arguments),
    /// Start a lesson
    New(new::Arguments),
    /// Start a course
    Init(init::Arguments),
    /// Say what this machine can do: driver, compilers, permissions, clocks, and the noise it measures with
    Doctor(doctor::Arguments),
    /// Print a script that completes lessonc's commands in a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// What `measure` starts for each round
    #[command(hide = true, name = crate::measure::process::COMMAND)]
    RoundProcess(measure::ProcessArguments),
    /// What `ncu` starts for each row of a profile sweep
    #[command(hide = true, name = crate::measure::profiling::COMMAND)]
    ProfileProcess(measure::ProfileArguments),
}

/// Runs the process's own command line.
#[must_use]
pub fn main() -> ExitCode {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let (out_colour, err_colour) = (!plain && std::io::stdout().is_terminal(), !plain && std::io::stderr().is_terminal());
    let (mut out, mut err) = (std::io::stdout().lock(), std::io::stderr());
    let ending = run(std::env::args_os(), &mut Terminal { out: &mut out, err: &mut err, out_colour, err_colour, builds: disk::builds() });
    let _ = out.flush();
    ExitCode::from(u8::from(ending))
}

/// Runs the command line `arguments`, the program's name first. May be called any number of times in a process.
pub fn run(arguments: impl IntoIterator<Item = OsString>, terminal: &mut Terminal<'_>) -> Ending {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            let (stream, colour) =
                if error.use_stderr() { (&mut terminal.err, terminal.err_colour) } else { (&mut terminal.out, terminal.out_colour) };
            let text = error.render();
            let _ = if colour { write!(stream, "{}", text.ansi()) } else { write!(stream, "{text}") };
            return if error.use_stderr() { Ending::Failed } else { Ending::Fine };
        }
    };
    let ending = match arguments.command {
        Command::Build(arguments) => build::run(&arguments, terminal),
        Command::Clean(arguments) => clean::run(&arguments, terminal),
        Command::Verify(arguments) => verify::run(&arguments, terminal),
        Command::Measure(arguments) => measure::run(&arguments, terminal),
        Command::RoundProcess(arguments) => measure::serve_requests(&arguments, terminal),
        Command::ProfileProcess(arguments) => measure::launch_for_profiler(&arguments),
        Command::Serve(arguments) => serve::run(&arguments, terminal),
        Command::Try(arguments) => trial::run(&arguments, terminal),
        Command::New(arguments) => new::run(&arguments, terminal),
        Command::Doctor(arguments) => doctor::run(&arguments, terminal),
        Command::Init(arguments) => init::run(&arguments, terminal),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Arguments::command(), "lessonc", &mut terminal.out);
            Ok(Ending::Fine)
        }
    };
    ending.unwrap_or_else(|error| {
        // A reader that went away (`lessonc verify | head`) is no failure worth a word.
        let closed = error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe);
        if !closed {
            let _ = writeln!(terminal.err, "lessonc: {error:#}");
        }
        Ending::Failed
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_errors_end_with_two_and_help_with_zero() {
        Arguments::command().debug_assert();
        let run = |line: &str| {
            let (mut out, mut err) = (Vec::new(), Vec::new());
            let mut terminal = Terminal { out: &mut out, err: &mut err, out_colour: false, err_colour: false, builds: Cache::default() };
            let ending = super::run(line.split(' ').map(OsString::from), &mut terminal);
            (ending, out.is_empty(), err.is_empty())
        };
        assert_eq!(run("lessonc --version"), (Ending::Fine, false, true));
        assert_eq!(run("lessonc completions bash"), (Ending::Fine, false, true));
        assert_eq!(run("lessonc nonsense"), (Ending::Failed, true, false));
        assert_eq!(run("lessonc build --course /nonexistent/course"), (Ending::Failed, true, false));
    }
}
