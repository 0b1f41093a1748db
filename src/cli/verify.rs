//! `lessonc verify`: turns the course and its published site into a verdict.
//!
//! Must not write anything, nor run anything of the course.

mod compile;
mod fresh;

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use chrono::NaiveDate;

use crate::base::name::did_you_mean;
use crate::base::problem::Problems;
use crate::course::config;
use crate::disk;
use crate::evidence::signers::Signers;
use crate::pipeline::{self, Memo, Options};
use crate::rules::history::History;
use crate::rules::report::{self, Context};
use crate::rules::{self, Checked, Occasion, catalogue, coverage};

use super::settings::{CourseArgument, as_of};
use super::{Ending, Terminal};

/// How problems are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// With the source line and a caret
    Human,
    /// One a line: `path:line:column: severity[id]: message`
    Short,
    /// One JSON object
    Json,
    /// A SARIF 2.1.0 log, for code scanners and editors
    Sarif,
    /// Annotations for a GitHub workflow
    Github,
}

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    course: CourseArgument,
    /// How problems are printed
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    /// Print which fingerprinted lines of a sweep differ from what was measured, and nothing else
    #[arg(long, value_name = "SWEEP")]
    explain: Option<String>,
    /// Compile the code of the evidence again, where its version of NVRTC is installed, and compare registers, spills and
    /// instructions; needs no GPU
    #[arg(long)]
    compile: bool,
    /// Compare a run with the record that counts of its sweep and device, row by row, and do nothing else: a record of the course
    /// by path or stem, or a file elsewhere. Fine only if every row is the same
    #[arg(long, value_name = "RUN", conflicts_with_all = ["explain", "compile"])]
    fresh: Option<String>,
    /// With --fresh: compare two versions of the code, too
    #[arg(long, requires = "fresh")]
    across_code: bool,
    /// Take warnings as errors
    #[arg(long)]
    strict: bool,
    /// Print each page's coverage, too: figures bound, stated and free, sentences checked, regions shown
    #[arg(long)]
    coverage: bool,
    /// List every rule with what it protects and an example, and do nothing else; needs no course
    #[arg(long, conflicts_with_all = ["explain", "compile", "fresh", "coverage"])]
    rules: bool,
    /// Print the JSON schema of what `--format json` prints, and do nothing else; needs no course
    #[arg(long, conflicts_with_all = ["explain", "compile", "fresh", "coverage", "rules", "course", "format"])]
    schema: bool,
    /// Hold runs to the signers of this file, in the place of the course's own, and require their signatures. A file from elsewhere is out
    /// of reach of whoever changes the course
    #[arg(long, value_name = "FILE")]
    signers: Option<PathBuf>,
    /// Judge the evidence's age as of this day; by default today
    #[arg(long, value_name = "DATE")]
    as_of: Option<NaiveDate>,
}

pub(super) fn run(arguments: &Arguments, terminal: &mut Terminal<'_>) -> Result<Ending> {
    if arguments.schema {
        terminal.out.write_all(report::SCHEMA.as_bytes())?;
        return Ok(Ending::Fine);
    }
    if arguments.rules {
        return list_rules(arguments, terminal);
    }
    let course = arguments.course.find()?;
    let (tree, mut problems) = disk::read_course_once(&course.root)?;
    let (compiled, found) = pipeline::compile(&tree, &Options { draft: false }, &Memo::default());
    problems.extend(found);
    // The system takes a process's memory back at once.
    let (mut tree, compiled) = (ManuallyDrop::new(tree), ManuallyDrop::new(compiled));
    if let Some(sweep) = &arguments.explain {
        return explain(sweep, &compiled.checked(&tree), terminal);
    }
    if let Some(run) = &arguments.fresh {
        return fresh::fresh(run, arguments.across_code, &course, &compiled.checked(&tree), terminal);
    }
    let published = disk::published(&course.site(None)?)?;
    let history = disk::history(&course.root);
    let signers = arguments.signers.as_deref().map(signers).transpose()?;
    let checked = Checked {
        published: Some(&published),
        as_of: Some(as_of(arguments.as_of)),
        history: history.as_ref().ok(),
        signers: signers.as_ref(),
        ..compiled.checked(&tree)
    };
    rules::check(&checked, Occasion::Verify, &mut problems);
    if arguments.compile {
        compile::check(&checked, &mut problems, terminal)?;
    }
    let anchors = anchors(&checked, &history);
    // Edited pages are no inputs, but their lines are worth showing.
    for (path, text) in &published.edited {
        tree.insert(&format!("site/{path}"), text.as_bytes(), &mut Problems::new());
    }
    let problems = problems.sorted();
    let from = |prefix| Context { tree: &tree, prefix, colour: terminal.out_colour };
    let repository = disk::course_in_repository(&course.root);
    let counted = (&compiled.counts, &*compiled.course);
    let text = match arguments.format {
        Format::Human => report::human(&problems, from(&course.prefix)),
        Format::Short => report::short(&problems, from(&course.prefix)),
        Format::Json => report::json(&problems, counted, from("")),
        Format::Sarif => report::sarif(&problems, counted, from(&repository)),
        Format::Github => report::github(&problems, from(&repository)),
    };
    terminal.out.write_all(text.as_bytes())?;
    let summary = format!("checked {}: {}", report::counts(&compiled.counts), report::tally(&problems));
    let summary = format!("{summary}\n{anchors}");
    let mut summary = format!("{summary}\ncoverage: {}", coverage::line(coverage::total(&compiled.course)));
    if arguments.coverage {
        summary = format!("{}{summary}", coverage::pages(&compiled.course));
    }
    for (rule, weight) in &compiled.course.config.policy.rules {
        summary += &format!("\n{} weighs {rule} otherwise: {}", config::FILE, weight.reason);
    }
    match arguments.format {
        Format::Human => writeln!(terminal.out, "{summary}")?,
        Format::Short | Format::Json | Format::Sarif | Format::Github => writeln!(terminal.err, "{summary}")?,
    }
    let strangers: Vec<&str> = published.strangers().collect();
    if !strangers.is_empty() {
        writeln!(terminal.err, "site/ also holds what no build wrote: {}", strangers.join(", "))?;
    }
    Ok(Ending::of(&problems, arguments.strict))
}

/// The signers that `file` names. A line that can't be read is trouble of who asks, and not of the course.
fn signers(file: &Path) -> Result<Signers> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut problems = Problems::new();
    let signers = Signers::read(&file.display().to_string().into(), &text.replace("\r\n", "\n"), &mut problems);
    match problems.iter().next() {
        Some(problem) => bail!("{}: {}", file.display(), problem.message),
        None => Ok(signers),
    }
}

/// What speaks for the records besides themselves, in words.
fn anchors(checked: &Checked<'_>, history: &Result<History, String>) -> String {
    let commits = match history {
        Ok(_) => rules::history::line(checked).unwrap_or_default(),
        Err(why) => format!("records were not held to commits: {why}"),
    };
    let (signed, feeding) = rules::signatures::vouched(checked);
    format!("{commits}; {signed} of {} signed by people whom the course trusts", report::plural(feeding, "run"))
}

/// Prints the rules, and what the course makes of them where there is one.
fn list_rules(arguments: &Arguments, terminal: &mut Terminal<'_>) -> Result<Ending> {
    let course = match arguments.course.find() {
        Err(error) if arguments.course.is_typed() => return Err(error),
        found => found.ok(),
    };
    let tree = course.map(|course| disk::read_course(&course.root)).transpose()?.map(|(tree, _)| tree);
    let weights = tree.map(|tree| config::read(&tree, &mut Problems::new()).policy.rules).unwrap_or_default();
    let text = if arguments.format == Format::Json { catalogue::json(&weights) } else { catalogue::human(&weights) };
    terminal.out.write_all(text.as_bytes())?;
    Ok(Ending::Fine)
}

/// Prints what differs between the course now and each published device's latest run of `sweep`.
fn explain(sweep: &str, checked: &Checked<'_>, terminal: &mut Terminal<'_>) -> Result<Ending> {
    if !checked.plan.jobs.contains_key(sweep) {
        let hint = did_you_mean(sweep, checked.plan.jobs.keys().map(String::as_str)).unwrap_or_default();
        bail!("there is no sweep `{sweep}` that could be planned; {hint}");
    }
    let (text, fresh) = rules::fingerprints::explain(checked, sweep);
    terminal.out.write_all(text.as_bytes())?;
    Ok(if fresh { Ending::Fine } else { Ending::Problems })
}
