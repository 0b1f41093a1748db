//! Turns what was typed into the folder that holds a reader's runs and page, apart for each card, and out of version control.
//!
//! Must not lead into the course's inputs, its evidence or its site.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::cli::settings::CourseFolder;
use crate::device::Machine;
use crate::measure::side::side;

/// The folder of the runs of readers, beside those that `measure` is about to finish.
const FOLDER: &str = "try";
/// What runs stand under that need no GPU.
const NO_GPU: &str = "no-gpu";

/// Where a reader's runs and page lie.
pub(super) struct Place {
    /// The folder of the card.
    home: PathBuf,
    /// The folder whose lock keeps two from measuring at once.
    locked: PathBuf,
}

impl Place {
    /// The place in the course's ignored folder, or below `out`, of the card of `machine`.
    pub(super) fn new(course: &CourseFolder, out: Option<&Path>, machine: Option<&Machine>) -> Result<Self> {
        let card = machine.map_or_else(|| NO_GPU.to_owned(), |machine| machine.gpu.slug());
        let Some(out) = out else {
            side(&course.root, FOLDER)?;
            return Ok(Self { home: side(&course.root, &format!("{FOLDER}/{card}"))?, locked: course.root.clone() });
        };
        let folder = course.site(Some(out))?;
        if folder == course.root || folder.starts_with(course.site(None)?) {
            bail!("{} holds what is published; name another folder with --out", folder.display());
        }
        let is_new = !folder.exists();
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        if is_new {
            let ignore = folder.join(".gitignore");
            fs::write(&ignore, "*\n").with_context(|| format!("cannot write {}", ignore.display()))?;
        }
        Ok(Self { home: folder.join(card), locked: folder })
    }

    /// The folder in which runs are written.
    pub(super) fn home(&self) -> &Path {
        &self.home
    }

    /// The folder of the site with them.
    pub(super) fn site(&self) -> PathBuf {
        self.home.join("site")
    }

    /// The folder to lock.
    pub(super) fn locked(&self) -> &Path {
        &self.locked
    }
}
