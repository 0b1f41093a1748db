//! `lessonc init`: turns an empty folder into a course that builds.
//!
//! Must not overwrite anything.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::starter::{self, Starter};
use super::{Ending, Terminal};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Folder of the new course; made if it is not there
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn run(arguments: &Arguments, terminal: &mut Terminal<'_>) -> Result<Ending> {
    let folder = &arguments.folder;
    if !starter::is_free(folder)? {
        bail!("{} is not empty; name a new folder, or add a lesson to a course with `lessonc new`", folder.display());
    }
    for name in starter::write_course(folder, Starter { name: "first", draft: false })? {
        writeln!(terminal.out, "{}", folder.join(name).display())?;
    }
    writeln!(
        terminal.err,
        "next: `lessonc serve --course {0}` to write, `lessonc build --course {0}` to publish; lessons/first.md says how to measure",
        folder.display()
    )?;
    Ok(Ending::Fine)
}
