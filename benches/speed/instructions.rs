//! Turns the main paths of lessonc into counts of instructions, and holds them to those that were committed.
//!
//! Must not depend on how busy a machine is: one thread, no clock. What is left of chance is far below what counts as growth.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use lessonc::base::problem::Problems;
use lessonc::pipeline::{self, Memo, Options};
use lessonc::rules::{self, Occasion};
use serde::{Deserialize, Serialize};

use crate::compare::{remove, source};
use crate::course::{MARK, Tool, path};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Write the counts down as those that later ones are held to
    #[arg(long)]
    update: bool,
}

/// Growth that is too much.
const GROWTH: f64 = 0.05;
/// Lessons of the course.
const LESSONS: usize = 100;
/// Edits of which the middle one counts.
const EDITS: u32 = 4;

/// What `instructions.toml` holds.
#[derive(Debug, Serialize, Deserialize)]
struct Baseline {
    /// Another compiler makes other code; counts of two are not compared.
    rustc: String,
    host: String,
    /// Millions of instructions.
    counts: Counts,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Counts {
    /// A cold build.
    build: f64,
    /// A verdict on the course and its site.
    verify: f64,
    /// What the preview does after an edit of one lesson: compile, look for problems, render the page.
    edit: f64,
}

impl Counts {
    fn named(self) -> [(&'static str, f64); 3] {
        [("build", self.build), ("verify", self.verify), ("edit", self.edit)]
    }
}

/// Counts, compares and prints; whether nothing grew too much.
///
/// # Errors
/// When Valgrind is missing, or something that is counted fails.
pub(crate) fn run(arguments: &Arguments) -> Result<bool> {
    let counts = count()?;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/instructions.toml");
    let [rustc, host] = compiler()?;
    if arguments.update {
        let text = toml::to_string(&Baseline { rustc, host, counts })?;
        let head = "# Millions of instructions, as `benches/instructions --update` counted them. Growth over 5 % is an error.\n\n";
        fs::write(&file, format!("{head}{text}")).with_context(|| format!("cannot write {}", file.display()))?;
        counts.named().iter().for_each(|(name, count)| println!("{name}: {count:.1} million instructions"));
        return Ok(true);
    }
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let baseline: Baseline = toml::from_str(&text).with_context(|| file.display().to_string())?;
    let is_comparable = baseline.rustc == rustc && baseline.host == host;
    let mut good = true;
    for ((name, now), (_, then)) in counts.named().into_iter().zip(baseline.counts.named()) {
        let growth = now / then - 1.0;
        let verdict = match growth {
            growth if growth > GROWTH && is_comparable => {
                good = false;
                ": too much; if it is worth it, `benches/instructions --update`"
            }
            growth if growth < -GROWTH && is_comparable => ": less; `benches/instructions --update` keeps it so",
            _ => "",
        };
        println!("{name}: {now:.1} million instructions, {then:.1} before, {:+.1} %{verdict}", 100.0 * growth);
    }
    if !is_comparable {
        println!("not held to what {} made on {}: this is {rustc} on {host}", baseline.rustc, baseline.host);
    }
    Ok(good)
}

/// The version and the target of the compiler.
fn compiler() -> Result<[String; 2]> {
    let output = Command::new("rustc").args(["--version", "--verbose"]).output().context("cannot run rustc")?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let field = |name: &str| said.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned());
    Ok([field("release:").context("rustc says no version")?, field("host:").context("rustc says no host")?])
}

fn count() -> Result<Counts> {
    let lessonc = PathBuf::from(env!("CARGO_BIN_EXE_lessonc"));
    let own = std::env::current_exe()?;
    let course = source(Tool::Lessonc, LESSONS)?;
    remove(&course.join("site"))?;
    let million = |program: &Path, words: &[&str]| -> Result<f64> { Ok(instructions(program, words, &course)? as f64 / 1e6) };
    let build = million(&lessonc, &["build", "--course"])?;
    let verify = million(&lessonc, &["verify", "--course"])?;
    let edits = |count: u32| million(&own, &["recompile", "--edits", &count.to_string(), "--course"]);
    // The first edit may fill what later ones find there.
    let edit = (edits(1 + EDITS)? - edits(1)?) / f64::from(EDITS);
    Ok(Counts { build, verify, edit })
}

/// Instructions of `program` with `words` and `course` behind them.
fn instructions(program: &Path, words: &[&str], course: &Path) -> Result<u64> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program).args(words).arg(course);
    let output = command.env("RAYON_NUM_THREADS", "1").output().context("cannot run valgrind")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {said}");
    let collected = said.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    match collected {
        Some(count) => Ok(count),
        None => bail!("valgrind tells no count: {said}"),
    }
}

/// The hidden command that is counted: compiles `course`, then edits one lesson `edits` times as the preview does.
///
/// # Errors
/// When the course can't be read, or has errors.
pub(crate) fn recompile(course: &Path, edits: u32) -> Result<()> {
    let (mut tree, mut problems) = lessonc::disk::read_course(course)?;
    let memo = Memo::default();
    let name = path(LESSONS / 2).1;
    let (file, page) = (format!("lessons/{name}.md"), format!("{name}.html"));
    for edit in 0..=edits {
        let text = tree.text(&file).replace(&format!("{MARK}{}", edit.saturating_sub(1) % 10), &format!("{MARK}{}", edit % 10));
        tree.insert(&file, text.as_bytes(), &mut problems);
        let (compiled, mut found) = pipeline::compile(&tree, &Options { draft: true }, &memo);
        rules::check(&compiled.checked(&tree), Occasion::Build, &mut found);
        let rendered = compiled.site.render(&page).with_context(|| format!("the site has no {page}"))?;
        let page = rendered.map_err(|problem| anyhow::anyhow!("{}", problem.message))?;
        let expected = format!("{MARK}{}", edit % 10);
        ensure!(page.windows(expected.len()).any(|window| window == expected.as_bytes()), "the page lacks {expected}");
        found.extend(std::mem::replace(&mut problems, Problems::new()));
        ensure!(found.errors() == 0, "the course has errors");
    }
    Ok(())
}
