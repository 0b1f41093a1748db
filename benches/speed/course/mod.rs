//! Turns a number of lessons into a course of that length, the same in content for every tool that is compared.
//!
//! Must not know how long anything takes. Equal numbers give equal bytes, so that courses can be compared over time.

mod blocks;
mod lesson;
mod prose;
mod sweep;
mod tools;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context as _, Result, ensure};
use rayon::prelude::*;

use self::lesson::Lesson;

pub(crate) use self::lesson::{MARK, MARK_IN_SHARED, path};
pub(crate) use self::tools::{SHARED, Tool};

/// Lessons of a module.
const MODULE: usize = 20;

/// How long a course is.
#[derive(Debug, Clone, Copy)]
struct Length {
    lessons: usize,
}

impl Length {
    fn modules(self) -> impl Iterator<Item = usize> {
        0..self.lessons.div_ceil(MODULE)
    }

    /// The lessons of the module `module`.
    fn of_module(self, module: usize) -> std::ops::Range<usize> {
        module * MODULE..self.lessons.min((module + 1) * MODULE)
    }

    /// Whether lesson `index` is one of the ten that show the shared region.
    fn shares(self, index: usize) -> bool {
        let step = (self.lessons / 10).max(1);
        index.is_multiple_of(step) && index / step < 10
    }
}

/// Writes a course of `lessons` lessons for `tool` into `out`.
///
/// # Errors
/// When the folder holds something, or the disk refuses.
pub(crate) fn write(lessons: usize, tool: Tool, out: &Path) -> Result<()> {
    ensure!(lessons > 0, "a course has at least one lesson");
    let is_empty = fs::read_dir(out).map_or(true, |mut entries| entries.next().is_none());
    ensure!(is_empty, "{} is not empty", out.display());
    let (length, folder) = (Length { lessons }, Folder::new(out));
    tool.frame(length, &folder)?;
    let each = |index: usize| tool.lesson(&Lesson::new(index, length), &folder);
    (0..lessons).into_par_iter().try_for_each(each)?;
    if tool == Tool::Lessonc { sweep::measure(out) } else { Ok(()) }
}

/// A folder that files are put into.
struct Folder<'a> {
    root: &'a Path,
    made: Mutex<BTreeSet<PathBuf>>,
}

impl<'a> Folder<'a> {
    fn new(root: &'a Path) -> Self {
        Self { root, made: Mutex::default() }
    }

    fn put(&self, name: &str, text: &str) -> Result<()> {
        let path = self.root.join(name);
        let folder = path.parent().unwrap_or(self.root);
        let known = |made: &Mutex<BTreeSet<PathBuf>>| made.lock().map(|mut made| !made.insert(folder.to_owned())).unwrap_or(false);
        if !known(&self.made) {
            fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}
