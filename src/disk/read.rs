//! Turns a course's folders into a [`SourceTree`], whole or file by file as they change.
//!
//! Must not know what any file means, nor how the files of a folder are found.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use rayon::prelude::*;

use crate::base::problem::{Problem, Problems};
use crate::base::share;
use crate::base::span::SourceName;
use crate::tree::{Input, SourceTree};

use super::found::Found;
pub use super::found::input_name;

/// The file that makes a folder a course.
pub const COURSE_FILE: &str = crate::course::config::FILE;

/// The folders whose files are inputs; nothing else of a course is ever read.
pub const FOLDERS: [&str; 4] = ["evidence", "kernels", "lessons", "templates"];

/// The root of the course that `start` lies in: the nearest folder upwards that holds [`COURSE_FILE`].
///
/// # Errors
/// When there is none.
pub fn find_course(start: &Path) -> Result<PathBuf> {
    let start = fs::canonicalize(start).with_context(|| format!("cannot open the folder {}", start.display()))?;
    match start.ancestors().find(|folder| folder.join(COURSE_FILE).is_file()) {
        Some(root) => Ok(root.to_owned()),
        None => bail!(
            "no course here: neither {} nor a folder above it holds {COURSE_FILE}; name one with --course, or make one with `lessonc init DIR`",
            start.display()
        ),
    }
}

/// All input files of the course at `root`, and what was wrong with some of them.
///
/// # Errors
/// When `root` is no course, or a file can't be read.
pub fn read_course(root: &Path) -> Result<(SourceTree, Problems)> {
    let files = CourseFiles::read(root)?;
    let problems = files.problems();
    Ok((files.tree, problems))
}

/// The same for a course that is compiled once: texts that nobody needs any longer go, and are read again for whoever does after all.
///
/// # Errors
/// As there.
pub fn read_course_once(root: &Path) -> Result<(SourceTree, Problems)> {
    let files = CourseFiles::read(root)?;
    let problems = files.problems();
    let CourseFiles { root, mut tree, .. } = files;
    tree.for_once(Arc::new(move |name| fs::read(root.join(name)).ok()));
    Ok((tree, problems))
}

/// The input files of a course, kept up to date file by file.
#[derive(Debug, Clone)]
pub struct CourseFiles {
    root: PathBuf,
    tree: SourceTree,
    problems: BTreeMap<SourceName, Vec<Problem>>,
    /// The links among them, to files and folders of the course: what they lead to changes under another name.
    links: BTreeSet<String>,
}

impl CourseFiles {
    /// Reads the course at `root`.
    ///
    /// # Errors
    /// When `root` is no course, or a file can't be read.
    pub fn read(root: &Path) -> Result<Self> {
        let root = fs::canonicalize(root).with_context(|| format!("cannot open the course {}", root.display()))?;
        if !root.join(COURSE_FILE).is_file() {
            bail!("{} is no course: it holds no {COURSE_FILE}", root.display());
        }
        let mut files = Self { root, tree: SourceTree::new(), problems: BTreeMap::new(), links: BTreeSet::new() };
        files.take_in(&FOLDERS)?;
        Ok(files)
    }

    /// The course's root, absolute and without links.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The files as text.
    #[must_use]
    pub fn tree(&self) -> &SourceTree {
        &self.tree
    }

    /// Makes the private runs among the files those below `home`, the folder that they were written in.
    ///
    /// # Errors
    /// When a file can't be read.
    pub fn take_in_private(&mut self, home: &Path) -> Result<()> {
        super::take_in_private(&mut self.tree, home)
    }

    /// What was wrong with files as files.
    #[must_use]
    pub fn problems(&self) -> Problems {
        let mut problems = Problems::new();
        problems.extend(self.problems.values().flatten().cloned());
        problems
    }

    /// Reads again what lies at `changed` (absolute paths of files or folders, there or gone). Returns whether the
    /// inputs differ from before: a file that was only touched, or is no input at all, changes nothing.
    ///
    /// # Errors
    /// When a file can't be read.
    pub fn refresh(&mut self, changed: impl IntoIterator<Item = PathBuf>) -> Result<bool> {
        let mut names: BTreeSet<String> = changed.into_iter().filter_map(|path| input_name(path.strip_prefix(&self.root).ok()?)).collect();
        if !names.is_empty() {
            names.extend(self.links.iter().cloned());
        }
        let (mut differs, mut trouble) = (false, None);
        for name in names {
            let (files, problems) = (self.tree.at_or_below(&name), self.problems_at_or_below(&name));
            for (file, _) in &files {
                self.tree.remove(file);
            }
            for (file, _) in &problems {
                self.problems.remove(file);
            }
            self.links.retain(|link| !is_at_or_below(link, &name));
            if let Err(error) = self.take_in(&[&name]) {
                trouble.get_or_insert(error); // the other files are read all the same
            }
            differs |= files != self.tree.at_or_below(&name) || problems != self.problems_at_or_below(&name);
        }
        trouble.map_or(Ok(differs), Err)
    }

    fn problems_at_or_below(&self, name: &str) -> Vec<(SourceName, Vec<Problem>)> {
        let from = self.problems.range::<str, _>((Bound::Included(name), Bound::Unbounded));
        let near = from.take_while(|(file, _)| file.starts_with(name)).filter(|(file, _)| is_at_or_below(file, name));
        near.map(|(file, problems)| (file.clone(), problems.clone())).collect()
    }

    /// Reads the files or folders `names`, where they are there, into the tree.
    fn take_in(&mut self, names: &[&str]) -> Result<()> {
        let found: Vec<Found> = names.par_iter().map(|name| Found::below(&self.root, name)).collect::<Result<_>>()?;
        let mut paths = Vec::new();
        for Found { files, links, problems } in found {
            paths.extend(files);
            self.links.extend(links);
            problems.into_iter().for_each(|(name, problem)| self.note(&name, [problem]));
        }
        let read: Vec<Result<Input>> = paths
            .into_par_iter()
            .with_max_len(share::LARGEST)
            .filter_map(|(name, path)| match fs::read(&path) {
                Ok(bytes) => Some(Ok(Input::of(&name, &bytes))),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => None, // gone since it was listed
                Err(error) => Some(Err(error).with_context(|| format!("cannot read {}", path.display()))),
            })
            .collect();
        for file in read {
            let file = file?;
            let name = file.name().clone();
            let problem = self.tree.add(file);
            self.note(&name, problem);
        }
        Ok(())
    }

    fn note(&mut self, name: &str, problems: impl IntoIterator<Item = Problem>) {
        let mut problems = problems.into_iter().peekable();
        if problems.peek().is_some() {
            self.problems.entry(name.into()).or_default().extend(problems);
        }
    }
}

fn is_at_or_below(file: &str, name: &str) -> bool {
    file.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn names(tree: &SourceTree) -> Vec<&str> {
        tree.iter().map(|(name, _)| &**name).collect()
    }

    #[test]
    fn only_inputs_are_read_and_the_course_is_found_from_within() {
        let folder = course(&[
            ("lessons/course.toml", ""),
            ("lessons/a.md", "x\r\n"),
            ("lessons/.a.md.swp", "x"),
            ("lessons/a.md~", "x"),
            ("lessons/4913", ""),
            ("kernels/deep/b.cuh", ""),
            ("kernels/.git/config", ""),
            ("site/index.html", ""),
            ("README.md", ""),
        ]);
        let root = find_course(&folder.path().join("kernels/deep")).unwrap();
        let (tree, problems) = read_course(&root).unwrap();
        assert_eq!(names(&tree), ["kernels/deep/b.cuh", "lessons/a.md", "lessons/course.toml"]);
        assert_eq!(tree.text("lessons/a.md"), "x\n");
        assert!(problems.is_empty());
        assert!(read_course(&root.join("kernels")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_inside_or_are_problems() {
        use std::os::unix::fs::symlink;
        let folder = course(&[("lessons/course.toml", ""), ("lessons/a.md", "a"), ("kernels/k.cu", "k")]);
        let elsewhere = course(&[("secret.md", "s"), ("sub/x.md", "x")]);
        let at = |name: &str| folder.path().join(name);
        symlink("a.md", at("lessons/same.md")).unwrap();
        symlink(elsewhere.path().join("secret.md"), at("lessons/out.md")).unwrap();
        symlink(elsewhere.path().join("sub"), at("lessons/outside")).unwrap();
        symlink("nowhere.md", at("lessons/nowhere.md")).unwrap();
        symlink("..", at("lessons/round")).unwrap();
        let (tree, problems) = read_course(folder.path()).unwrap();
        assert_eq!(names(&tree), ["kernels/k.cu", "lessons/a.md", "lessons/course.toml", "lessons/same.md"]);
        let ids: Vec<_> = problems.sorted().into_iter().map(|problem| (problem.id, problem.at.unwrap().file)).collect();
        assert_eq!(
            ids,
            [
                ("link-broken", "lessons/nowhere.md".into()),
                ("link-out-of-course", "lessons/out.md".into()),
                ("link-out-of-course", "lessons/outside".into()),
                ("link-broken", "lessons/round".into()),
            ]
        );
    }

    #[test]
    fn a_course_that_is_read_once_reads_again_what_it_let_go_of() {
        let folder = course(&[("lessons/course.toml", ""), ("lessons/a.md", "a\r\n"), ("lessons/b.md", "b"), ("lessons/c.md", "c")]);
        let (tree, _) = read_course_once(folder.path()).unwrap();
        ["lessons/a.md", "lessons/b.md", "lessons/c.md"].into_iter().for_each(|name| tree.let_go(name));
        fs::write(folder.path().join("lessons/b.md"), "other").unwrap();
        fs::remove_file(folder.path().join("lessons/c.md")).unwrap();
        let whole = |name: &str| tree.get(name).unwrap().whole();
        assert_eq!(whole("lessons/a.md").as_deref(), Some("a\n"));
        assert_eq!((whole("lessons/b.md"), whole("lessons/c.md"), tree.text("lessons/b.md")), (None, None, ""));
    }

    #[test]
    fn a_refresh_sees_edits_deletions_and_moved_folders() {
        let folder = course(&[("lessons/course.toml", ""), ("lessons/a.md", "a"), ("kernels/old/k.cu", "k")]);
        let mut files = CourseFiles::read(folder.path()).unwrap();
        let root = files.root().to_owned();
        let at = |name: &str| root.join(name);
        assert!(!files.refresh([at("lessons/a.md")]).unwrap(), "touched, but equal");
        fs::write(at("lessons/a.md"), b"\xFF").unwrap();
        assert!(files.refresh([at("lessons/a.md")]).unwrap());
        assert_eq!(files.problems().errors(), 1);
        fs::write(at("lessons/a.md"), "b").unwrap();
        fs::rename(at("kernels/old"), at("kernels/new")).unwrap();
        assert!(files.refresh([at("lessons/a.md"), at("kernels/old"), at("kernels/new")]).unwrap());
        assert_eq!(files.problems().errors(), 0);
        assert_eq!(names(files.tree()), ["kernels/new/k.cu", "lessons/a.md", "lessons/course.toml"]);
        assert!(!files.refresh([at("site/index.html"), PathBuf::from("/elsewhere")]).unwrap());
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]
        #[test]
        fn a_refreshed_course_is_as_one_read_anew(edits in proptest::collection::vec((0..6_usize, 0..4_usize), 1..12)) {
            const FILES: [&str; 6] =
                ["lessons/a.md", "lessons/course.toml", "lessons/static/a.png", "kernels/k.cu", "kernels/deep/k.cu", "site/index.html"];
            let folder = course(&[("lessons/course.toml", ""), ("kernels/k.cu", "k")]);
            let mut files = CourseFiles::read(folder.path()).unwrap();
            for (file, edit) in edits {
                let path = files.root().join(FILES[file]);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                let before = (files.tree.clone(), files.problems.clone());
                match edit {
                    0 if FILES[file] != COURSE_FILE => _ = fs::remove_file(&path),
                    1 => fs::write(&path, b"\xFF").unwrap(),
                    edit => fs::write(&path, format!("text {edit}\r\n")).unwrap(),
                }
                let differs = files.refresh([path]).unwrap();
                let anew = CourseFiles::read(folder.path()).unwrap();
                proptest::prop_assert_eq!((&files.tree, &files.problems), (&anew.tree, &anew.problems));
                proptest::prop_assert_eq!(differs, before != (anew.tree, anew.problems));
            }
        }
    }
}
