//! Turns a lesson's name into its first files: a page, a kernel that compiles, and a sweep that can be measured.
//!
//! Must not promise a figure: what is not measured says so.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::base::name::{is_name, title};

/// What a lesson starts from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Starter<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// Whether `build` leaves it out until the author says that it is ready.
    pub(super) draft: bool,
}

const LESSON: &str = include_str!("starter/lesson.md");
const KERNEL: &str = include_str!("starter/kernel.cu");
const SWEEP: &str = include_str!("starter/sweep.toml");
const COURSE: &str = include_str!("starter/course.toml");

impl Starter<'_> {
    /// The files of the lesson by their paths in the course.
    ///
    /// # Errors
    /// When the name can't be a file's and a page's.
    fn files(self) -> Result<[(String, String); 3]> {
        let Self { name, draft } = self;
        if !is_name(name) || name.contains('.') || matches!(name, "index" | "course") {
            bail!("`{name}` can't name a lesson: use letters, digits, `-` and `_`, as in `block-size`; `index` and `course` are taken");
        }
        let fill = |text: &str| {
            text.replace("{title}", &title(name)).replace("{draft}", if draft { "draft = true\n" } else { "" }).replace("{name}", name)
        };
        Ok([
            (format!("lessons/{name}.md"), fill(LESSON)),
            (format!("kernels/{name}.cu"), fill(KERNEL)),
            (format!("kernels/{name}.toml"), fill(SWEEP)),
        ])
    }

    /// Writes the lesson into the course at `root`; nothing, if one of its files is there already.
    ///
    /// # Errors
    /// When a file exists, the name is none, or the disk refuses.
    pub(super) fn write(self, root: &Path) -> Result<Vec<String>> {
        write_new(root, self.files()?.into())
    }
}

/// Writes the first files of a course.
///
/// # Errors
/// When a file exists or the disk refuses.
pub(super) fn write_course(root: &Path, lesson: Starter<'_>) -> Result<Vec<String>> {
    let mut files = vec![
        ("lessons/course.toml".to_owned(), COURSE.replace("{name}", lesson.name)),
        (".gitattributes".to_owned(), "* text=auto eol=lf\nsite/** linguist-generated=true\nevidence/** -diff\n".to_owned()),
    ];
    files.extend(lesson.files()?);
    write_new(root, files)
}

fn write_new(root: &Path, files: Vec<(String, String)>) -> Result<Vec<String>> {
    if let Some((name, _)) = files.iter().find(|(name, _)| fs::symlink_metadata(root.join(name)).is_ok()) {
        bail!("{name} is there already; nothing was written");
    }
    let mut written = Vec::new();
    for (name, text) in files {
        let path = root.join(&name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).with_context(|| format!("cannot make the folder {}", parent.display()))?;
        }
        let mut file = fs::File::create_new(&path).with_context(|| format!("cannot write {}", path.display()))?;
        file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
        written.push(name);
    }
    Ok(written)
}

/// Whether `folder` is fit for a new course: not there, or empty but for hidden files.
///
/// # Errors
/// When it can't be read.
pub(super) fn is_free(folder: &Path) -> Result<bool> {
    match fs::read_dir(folder) {
        Ok(entries) => {
            for entry in entries {
                let name = entry.with_context(|| format!("cannot read {}", folder.display()))?.file_name();
                if !name.to_string_lossy().starts_with('.') {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error).with_context(|| format!("cannot open the folder {}", folder.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_no_page_can_have_are_refused() {
        for name in ["", "a b", "../x", "a.he", "index", "-x"] {
            assert!(Starter { name, draft: true }.files().is_err(), "{name}");
        }
        let files = Starter { name: "block-size", draft: true }.files().unwrap();
        assert!(files[0].1.contains("title = \"Block size\"") && files[0].1.contains("draft = true\n"));
        assert!(files.iter().all(|(_, text)| !text.contains("{name}") && !text.contains("{title}") && !text.contains("{draft}")));
    }
}
