//! Turns what was typed into what it means on this machine: which course, which folder, which day.
//!
//! Must not read a course beyond finding it.

use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use chrono::NaiveDate;

use crate::disk;
use crate::disk::read::FOLDERS;

/// The course that a command is about.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct CourseArgument {
    /// Folder of the course; by default the nearest one upwards with lessons/course.toml
    #[arg(long, value_name = "DIR")]
    course: Option<PathBuf>,
}

/// A course found on this machine.
#[derive(Debug, Clone)]
pub(super) struct CourseFolder {
    /// Its root, absolute.
    pub(super) root: PathBuf,
    /// What stands before a course's file name to make a path from the current folder: empty, or with a final `/`.
    pub(super) prefix: String,
}

impl CourseArgument {
    /// Whether a folder was named.
    pub(super) fn is_typed(&self) -> bool {
        self.course.is_some()
    }

    /// Finds the course.
    pub(super) fn find(&self) -> Result<CourseFolder> {
        let here = std::env::current_dir().context("cannot tell the current folder")?;
        let root = match &self.course {
            Some(folder) => {
                let root = std::fs::canonicalize(folder).with_context(|| format!("cannot open the course {}", folder.display()))?;
                if !root.join(disk::read::COURSE_FILE).is_file() {
                    bail!("{} is no course: it holds no {}", folder.display(), disk::read::COURSE_FILE);
                }
                root
            }
            None => disk::find_course(&here)?,
        };
        let prefix = prefix(&std::fs::canonicalize(&here).unwrap_or(here), &root);
        Ok(CourseFolder { root, prefix })
    }
}

/// The way from the folder `here` to the folder `root`, as text before a file name.
fn prefix(here: &Path, root: &Path) -> String {
    let (mut here, mut root) = (here.components().peekable(), root.components().peekable());
    while here.peek().is_some() && here.peek() == root.peek() {
        here.next();
        root.next();
    }
    let ups = here.count();
    let downs: Vec<_> = root.collect();
    if ups > 3 {
        return String::new(); // far away: names from the course's root say more
    }
    let mut prefix = "../".repeat(ups);
    for part in downs {
        if let Component::Normal(part) = part {
            prefix.push_str(&part.to_string_lossy());
            prefix.push('/');
        }
    }
    prefix
}

impl CourseFolder {
    /// `folder` as seen from the current folder, where it lies in the course.
    pub(super) fn shown(&self, folder: &Path) -> String {
        let below = folder.strip_prefix(&self.root);
        below.map_or_else(|_| folder.display().to_string(), |below| format!("{}{}", self.prefix, below.display()))
    }

    /// The folder that `build` writes to: `out` as typed, or `site` in the course. Never one whose files are inputs.
    pub(super) fn site(&self, out: Option<&Path>) -> Result<PathBuf> {
        let folder = match out {
            Some(out) => std::path::absolute(out).with_context(|| format!("cannot write to {}", out.display()))?,
            None => {
                let site = self.root.join("site");
                // A stranger's course could let it point at somebody's files.
                if std::fs::symlink_metadata(&site).is_ok_and(|file| file.is_symlink()) {
                    bail!("{} is a link; make it a folder, or name the one it leads to with --out", site.display());
                }
                site
            }
        };
        let leads_to = resolved(&folder);
        if let Some(inputs) = FOLDERS.iter().find(|inputs| leads_to.starts_with(self.root.join(inputs))) {
            bail!("{} lies in {inputs}/, where the course's inputs are; name another folder with --out", self.shown(&leads_to));
        }
        Ok(folder)
    }
}

/// Where the absolute path `path` leads: through links and `..`, as far as there is something, and then as it is written.
fn resolved(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|part| Some((std::fs::canonicalize(part).ok()?, path.strip_prefix(part).ok()?)));
    let Some((mut real, rest)) = there else { return path.to_owned() };
    for part in rest.components() {
        match part {
            Component::ParentDir => _ = real.pop(),
            Component::Normal(name) => real.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    real
}

/// The day that evidence is as old as: the one typed, or today by UTC.
pub(super) fn as_of(typed: Option<NaiveDate>) -> NaiveDate {
    typed.unwrap_or_else(|| chrono::Utc::now().date_naive())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_where_the_system_would_go() {
        let folder = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(root.join("kernels/deep")).unwrap();
        for (path, expected) in [
            ("kernels", "kernels"),
            ("kernels/../evidence", "evidence"),
            ("none/../kernels/new", "kernels/new"),
            ("kernels/deep/../../site/./a", "site/a"),
            ("none/deep/../../../kernels", "../kernels"),
        ] {
            let expected = expected.strip_prefix("../").map_or_else(|| root.join(expected), |name| root.parent().unwrap().join(name));
            assert_eq!(resolved(&root.join(path)), expected, "{path}");
        }
    }

    #[test]
    fn file_names_lead_from_where_one_stands() {
        let cases = [("/a/b", "/a/b", ""), ("/a", "/a/b/c", "b/c/"), ("/a/b/lessons", "/a/b", "../"), ("/x/y/z/u/v", "/a", "")];
        for (here, root, expected) in cases {
            assert_eq!(prefix(Path::new(here), Path::new(root)), expected, "from {here} to {root}");
        }
    }
}
