//! Turns a file or folder of a course into the paths of the inputs there.
//!
//! Must not read any of them, nor leave the course: a link that leads out of it is a problem, never followed.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, Result};
use walkdir::WalkDir;

use super::read::FOLDERS;
use crate::base::problem::Problem;
use crate::base::span::Span;

/// What lies at a place of a course.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The inputs by name, each with its path.
    pub(super) files: Vec<(String, PathBuf)>,
    /// The names of the links among them, to files and folders of the course or to nothing.
    pub(super) links: Vec<String>,
    /// What is wrong with some, by name.
    pub(super) problems: Vec<(String, Problem)>,
}

impl Found {
    /// At or below `name` in the course at `root`.
    ///
    /// # Errors
    /// When a folder can't be read.
    pub(super) fn below(root: &Path, name: &str) -> Result<Self> {
        let (mut found, start) = (Self::default(), root.join(name));
        if fs::symlink_metadata(&start).is_err() {
            return Ok(found);
        }
        let mut entries = WalkDir::new(&start).follow_links(true).sort_by_file_name().into_iter();
        while let Some(entry) = entries.next() {
            let path = match &entry {
                Ok(entry) => entry.path(),
                Err(error) => error.path().unwrap_or(&start),
            };
            let relative = path.strip_prefix(root).unwrap_or(path);
            let Some(name) = input_name(relative) else {
                if let Ok(entry) = &entry {
                    if relative.to_str().is_none() {
                        found.note_unreadable_name(&relative.to_string_lossy());
                    }
                    if entry.file_type().is_dir() {
                        entries.skip_current_dir();
                    }
                }
                continue;
            };
            match entry {
                Err(error) => found.note_unreachable(name, error)?,
                Ok(entry) if entry.path_is_symlink() && !stays_inside(root, entry.path()) => {
                    found.note_outside(name);
                    if entry.file_type().is_dir() {
                        entries.skip_current_dir();
                    }
                }
                Ok(entry) => {
                    if entry.path_is_symlink() {
                        found.links.push(name.clone());
                    }
                    if entry.file_type().is_file() {
                        found.files.push((name, entry.into_path()));
                    }
                }
            }
        }
        Ok(found)
    }

    fn note_unreadable_name(&mut self, shown: &str) {
        let problem = Problem::error("file-name", Span::top(&shown.into()), format!("the name of {shown} is not UTF-8")).hint("rename it");
        self.problems.push((shown.to_owned(), problem));
    }

    fn note_outside(&mut self, name: String) {
        let problem = Problem::error(
            "link-out-of-course",
            Span::top(&name.as_str().into()),
            format!("{name} is a link that leads out of the course"),
        )
        .hint("copy the file into the course, so that a reader of the repository has it too");
        self.problems.push((name, problem));
    }

    /// A link that leads nowhere or in a circle is the course's problem; anything else is the machine's.
    fn note_unreachable(&mut self, name: String, error: walkdir::Error) -> Result<()> {
        let is_link = error.path().is_some_and(|path| fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_symlink()));
        if error.loop_ancestor().is_none() && !is_link {
            return Err(error).with_context(|| format!("cannot read {name}"));
        }
        let message = format!("{name} is a link that leads nowhere or in a circle");
        let problem = Problem::error("link-broken", Span::top(&name.as_str().into()), message)
            .hint("remove it, or let it point at a file of the course");
        self.links.push(name.clone());
        self.problems.push((name, problem));
        Ok(())
    }
}

/// Whether what `link` leads to is among the inputs of the course at `root`.
fn stays_inside(root: &Path, link: &Path) -> bool {
    fs::canonicalize(link)
        .is_ok_and(|target| target.strip_prefix(root).is_ok_and(|relative| FOLDERS.iter().any(|folder| relative.starts_with(folder))))
}

/// The name in the tree of the path `relative` to the root, or `None` if it is no input: outside the input folders,
/// hidden, or the temporary file of an editor.
#[must_use]
pub fn input_name(relative: &Path) -> Option<String> {
    let parts: Vec<&str> = relative
        .components()
        .map(|part| match part {
            Component::Normal(part) => part.to_str(),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let is_input = FOLDERS.contains(parts.first()?) && !parts.iter().any(|part| is_passed_over(part));
    is_input.then(|| parts.join("/"))
}

/// Whether a file or folder of this name is nobody's work: hidden, or left by an editor or a version control tool.
fn is_passed_over(name: &str) -> bool {
    const ENDINGS: [&str; 8] = ["~", ".swp", ".swo", ".swx", ".tmp", ".bak", ".orig", ".rej"];
    name.starts_with('.')
        || (name.starts_with('#') && name.ends_with('#'))
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || name.contains("___jb_")
        || name == "4913" // vim's probe of a folder
        || matches!(name, "Thumbs.db" | "desktop.ini")
}
