//! `lessonc clean`: takes away what `build` wrote.
//!
//! Must not touch anything else: what a site's folder holds of others stays.

use std::path::PathBuf;

use anyhow::Result;

use crate::disk;
use crate::rules::report;

use super::settings::CourseArgument;
use super::{Ending, Terminal};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    course: CourseArgument,
    /// Folder that was written to; by default `site` in the course
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, terminal: &mut Terminal<'_>) -> Result<Ending> {
    let course = arguments.course.find()?;
    let out = course.site(arguments.out.as_deref())?;
    let removed = disk::clean(&out)?;
    writeln!(terminal.out, "{}: {} removed", course.shown(&out), report::plural(removed.len(), "file"))?;
    Ok(Ending::Fine)
}
