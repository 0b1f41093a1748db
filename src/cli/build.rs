//! `lessonc build`: turns the course into files, or into problems and no file.
//!
//! Must not run anything of the course.

use std::mem::ManuallyDrop;
use std::path::PathBuf;

use anyhow::Result;

use crate::base::problem::{Problem, Problems};
use crate::disk::{self, Build, Published, Publishing};
use crate::pipeline::{self, Memo, Options};
use crate::rules::report::{self, Context};
use crate::rules::{self, Occasion};

use super::settings::CourseArgument;
use super::{Ending, Terminal, fails};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    course: CourseArgument,
    /// Folder to write to; by default `site` in the course
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Build lessons marked as drafts too, and write the site in spite of errors
    #[arg(long)]
    draft: bool,
    /// Take warnings as errors
    #[arg(long)]
    strict: bool,
}

pub(super) fn run(arguments: &Arguments, terminal: &mut Terminal<'_>) -> Result<Ending> {
    let course = arguments.course.find()?;
    let out = course.site(arguments.out.as_deref())?;
    let (tree, mut problems) = disk::read_course_once(&course.root)?;
    let build = Build::of(&tree, if arguments.draft { "with drafts" } else { "" }, &terminal.builds);
    if let Some(unchanged) = build.lies_in(&out).filter(|_| problems.is_empty()) {
        say(&Published { unchanged, ..Published::default() }, &course.shown(&out), &[], terminal)?;
        return Ok(Ending::Fine);
    }
    // Whether the folder may be written to matters only if something is to be written.
    let publishing = Publishing::begin(&out);
    let (compiled, found) = match &publishing {
        // With drafts a site is written in spite of errors, two files of one name among them: which of them counts is known in the end.
        Ok(publishing) if !arguments.draft => pipeline::compile_once(&tree, &|path, bytes| publishing.take(path, bytes)),
        _ => pipeline::compile(&tree, &Options { draft: arguments.draft }, &Memo::default()),
    };
    problems.extend(found);
    // The system takes a process's memory back at once, where giving back a course takes as long as reading it.
    let (tree, compiled) = (ManuallyDrop::new(tree), ManuallyDrop::new(compiled));
    let may_write = |problems: &Problems| arguments.draft || !fails(problems.iter(), arguments.strict);
    // What is written is published only when nothing is found.
    let rest = publishing.as_ref().ok().filter(|_| may_write(&problems));
    let check = |problems: &mut Problems| rules::check(&compiled.checked(&tree), Occasion::Build, problems);
    let (whole, ()) = rayon::join(|| rest.map(|publishing| publishing.rest(&compiled.site)), || check(&mut problems));
    let published = if may_write(&problems) {
        let publishing = publishing?;
        // What is an error by itself may be none by the course's own weights.
        match whole.unwrap_or_else(|| publishing.rest(&compiled.site))? {
            Ok(whole) => Some(publishing.finish(whole)?),
            Err(found) => {
                problems.extend(found);
                None
            }
        }
    } else {
        drop(publishing);
        None
    };
    let problems = problems.sorted();
    let context = Context { tree: &tree, prefix: &course.prefix, colour: terminal.err_colour };
    write!(terminal.err, "{}", report::human(&problems, context))?;
    match published {
        Some(published) => {
            if problems.is_empty() {
                build.remember(&published.manifest);
            }
            say(&published, &course.shown(&out), &problems, terminal)?;
            Ok(Ending::of(&problems, arguments.strict))
        }
        None => {
            writeln!(terminal.err, "nothing written: {}", report::tally(&problems))?;
            Ok(Ending::Problems)
        }
    }
}

/// Says what became of the site's folder `shown`.
fn say(published: &Published, shown: &str, problems: &[Problem], terminal: &mut Terminal<'_>) -> Result<()> {
    let written = report::plural(published.written.len(), "file");
    let (unchanged, removed) = (published.unchanged, published.removed.len());
    writeln!(terminal.out, "{shown}: {written} written, {unchanged} unchanged, {removed} removed; {}", report::tally(problems))?;
    Ok(())
}
