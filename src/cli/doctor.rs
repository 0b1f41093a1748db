//! `lessonc doctor`: turns this machine into a list of what measuring needs, what of it is there, and what to do about the rest.
//!
//! Must not change the machine, nor the course, and must not fail for want of a GPU: to say so is its purpose.

mod machine;
mod noise;
mod tools;

use std::path::Path;

use anyhow::Result;

use crate::device::choice::GpuChoice;

use super::measure::DeviceChoice;
use super::settings::CourseArgument;
use super::{Ending, Terminal};

#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code: 0 when lessonc can measure here, 2 when it can't. What is missing and not needed to measure a kernel \
    (nvcc, a disassembler, ncu, git) leaves it at 0.")]
pub(super) struct Arguments {
    #[command(flatten)]
    course: CourseArgument,
    /// What to measure on: `cuda` or `fake`
    #[arg(long, value_name = "DEVICE", default_value = "cuda")]
    device: DeviceChoice,
    /// Which GPU: its number among those that CUDA shows, or its UUID as `nvidia-smi -L` prints it
    #[arg(long, value_name = "N|UUID")]
    gpu: Option<GpuChoice>,
    /// Leave out the ten seconds in which the noise is measured
    #[arg(long)]
    quick: bool,
}

/// How something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ok,
    /// It is there, and not as it should be.
    Poor,
    Missing,
    Unknown,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Poor => "poor",
            Self::Missing => "missing",
            Self::Unknown => "unknown",
        }
    }
}

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    name: &'static str,
    state: State,
    words: String,
    /// What to do about it.
    remedy: Option<String>,
    /// Whether nothing can be measured without it.
    needed: bool,
}

impl Finding {
    fn new(name: &'static str, state: State, words: impl Into<String>) -> Self {
        Self { name, state, words: words.into(), remedy: None, needed: false }
    }

    fn ok(name: &'static str, words: impl Into<String>) -> Self {
        Self::new(name, State::Ok, words)
    }

    fn remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }

    fn needed(self) -> Self {
        Self { needed: true, ..self }
    }
}

pub(super) fn run(arguments: &Arguments, terminal: &mut Terminal<'_>) -> Result<Ending> {
    if matches!(arguments.device, DeviceChoice::Replay(_)) {
        anyhow::bail!("a replay measures nothing; doctor looks at `cuda` or `fake`");
    }
    let fake = arguments.device == DeviceChoice::Fake;
    let mut lacking = Vec::new();
    let (out, err) = (&mut *terminal.out, &mut *terminal.err);
    let mut show = |findings: Vec<Finding>| -> Result<()> {
        for finding in findings {
            if finding.needed && finding.state == State::Missing {
                lacking.push(finding.name);
            }
            out.write_all(line(&finding).as_bytes())?;
        }
        Ok(out.flush()?)
    };
    show(course(arguments)?)?;
    // What only a GPU needs can't keep the fake device from measuring.
    let of_gpu = |findings: Vec<Finding>| findings.into_iter().map(|finding| Finding { needed: finding.needed && !fake, ..finding });
    show(of_gpu(tools::tools()).collect())?;
    let (found, reachable) = machine::machine(fake, arguments.gpu.as_ref());
    show(found)?;
    if reachable && !arguments.quick {
        writeln!(err, "measuring the noise takes ten seconds")?;
        show(noise::noise(fake, arguments.gpu.as_ref()))?;
    }
    if lacking.is_empty() {
        writeln!(terminal.out, "lessonc can measure here")?;
        return Ok(Ending::Fine);
    }
    writeln!(terminal.out, "lessonc can't measure here, for want of: {}", lacking.join(", "))?;
    Ok(Ending::Failed)
}

/// A finding in one line, what to do in another.
fn line(finding: &Finding) -> String {
    let first = format!("{:<8} {:<15} {}\n", finding.state.word(), finding.name, finding.words);
    finding.remedy.as_ref().map_or_else(|| first.clone(), |remedy| format!("{first}{:25}{remedy}\n", ""))
}

/// The course that one stands in, if one does.
fn course(arguments: &Arguments) -> Result<Vec<Finding>> {
    let course = match arguments.course.find() {
        Ok(course) => course,
        // A folder that was named must be one.
        Err(error) if arguments.course.is_typed() => return Err(error),
        Err(_) => {
            return Ok(vec![
                Finding::new("course", State::Unknown, "none here")
                    .remedy("Stand in one, or name one with --course, to see whether it can be written"),
            ]);
        }
    };
    let written = |folder: &Path| tempfile::tempfile_in(folder).map(drop);
    let evidence = course.root.join("evidence");
    let writable = written(&course.root).and_then(|()| if evidence.is_dir() { written(&evidence) } else { Ok(()) });
    let mut findings = vec![match writable {
        Ok(()) => Finding::ok("course", "can be written"),
        Err(error) => Finding::new("course", State::Missing, format!("can't be written: {error}"))
            .remedy("Evidence is written below the course: give yourself the right, or copy the course")
            .needed(),
    }];
    let mut unknown = std::collections::BTreeMap::new();
    findings.push(match crate::measure::course_state::commit(&course.root, &mut unknown) {
        (Some(commit), dirty) => {
            let changed = if dirty == Some(true) { ", with changes that are not committed" } else { "" };
            Finding::ok("commit", format!("{}{changed}", commit.get(..12).unwrap_or(&commit)))
        }
        (None, _) => Finding::new("commit", State::Unknown, unknown.remove("commit").unwrap_or_default())
            .remedy("A record then doesn't say which commit was measured; `git init` and a commit let it"),
    });
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    /// Runs `lessonc doctor` with `words`.
    fn doctor(words: &str) -> (Ending, String, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut terminal =
            Terminal { out: &mut out, err: &mut err, out_colour: false, err_colour: false, builds: crate::cache::Cache::default() };
        let arguments = ["lessonc", "doctor"].into_iter().chain(words.split_whitespace()).map(OsString::from);
        let ending = super::super::run(arguments, &mut terminal);
        (ending, String::from_utf8_lossy(&out).into_owned(), String::from_utf8_lossy(&err).into_owned())
    }

    #[test]
    fn with_the_fake_device_all_that_is_needed_is_there() {
        let (ending, out, err) = doctor("--device fake");
        assert_eq!(ending, Ending::Fine, "{out}{err}");
        for name in
            ["course", "commit", "git", "C++ compiler", "NVRTC", "nvcc", "disassembler", "ncu", "device", "timer tick", "clocks", "noise"]
        {
            assert!(out.lines().any(|line| line.get(9..).is_some_and(|rest| rest.starts_with(name))), "{name}: {out}");
        }
        assert!(out.contains("ok       timer tick      32 ns"), "{out}");
        assert!(out.ends_with("lessonc can measure here\n"), "{out}");
        let words = ["ok", "poor", "missing", "unknown"];
        assert!(
            out.lines().rev().skip(1).all(|line| line.starts_with("         ") || words.iter().any(|word| line.starts_with(word))),
            "{out}"
        );
        let (ending, out, _) = doctor("--device fake --quick");
        assert_eq!((ending, out.contains("noise")), (Ending::Fine, false));
    }

    #[test]
    fn a_finding_says_what_to_do() {
        let finding = Finding::new("NVRTC", State::Missing, "not found").remedy("Install it").needed();
        assert_eq!(line(&finding), "missing  NVRTC           not found\n                         Install it\n");
        assert_eq!(doctor("--device replay:x").0, Ending::Failed);
        let (ending, _, err) = doctor("--device fake --course /nonexistent/course");
        assert_eq!(ending, Ending::Failed, "{err}");
    }
}
