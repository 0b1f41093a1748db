//! `lessonc new`: turns a name into the first files of a lesson.
//!
//! Must not overwrite anything.

use anyhow::Result;

use super::settings::CourseArgument;
use super::starter::Starter;
use super::{Ending, Terminal};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Name of the lesson, as in `block-size`
    lesson: String,
    #[command(flatten)]
    course: CourseArgument,
}

pub(super) fn run(arguments: &Arguments, terminal: &mut Terminal<'_>) -> Result<Ending> {
    let course = arguments.course.find()?;
    for name in (Starter { name: &arguments.lesson, draft: true }).write(&course.root)? {
        writeln!(terminal.out, "{}{name}", course.prefix)?;
    }
    writeln!(terminal.err, "a draft: `lessonc serve` shows it, `lessonc build` leaves it out until you remove `draft = true`")?;
    Ok(Ending::Fine)
}
