//! Folders that vanish, and the command line called in this process.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use lessonc::cache::Cache;
use lessonc::cli::{self, Ending, Terminal};
use walkdir::WalkDir;

/// This repository.
pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What a command said and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) ending: Ending,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs `lessonc` with `arguments` in this process.
pub(crate) fn lessonc<const N: usize>(arguments: [&dyn AsRef<std::ffi::OsStr>; N]) -> Said {
    lessonc_with(&arguments)
}

/// The same, of any number of arguments.
pub(crate) fn lessonc_with(arguments: &[&dyn AsRef<std::ffi::OsStr>]) -> Said {
    lessonc_remembering(arguments, Cache::default())
}

/// The same, by one who remembers builds in `builds`.
pub(crate) fn lessonc_remembering(arguments: &[&dyn AsRef<std::ffi::OsStr>], builds: Cache) -> Said {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut terminal = Terminal { out: &mut out, err: &mut err, out_colour: false, err_colour: false, builds };
    let arguments = std::iter::once(OsString::from("lessonc")).chain(arguments.iter().map(|argument| (*argument).as_ref().to_owned()));
    let ending = cli::run(arguments, &mut terminal);
    Said { ending, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

/// A folder in the system's place for temporary files, gone when dropped.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A copy of `source`, as it lies there.
    pub(crate) fn copy_of(source: &Path) -> Self {
        let folder = Self::new();
        for entry in WalkDir::new(source) {
            let entry = entry.unwrap();
            let target = folder.path().join(entry.path().strip_prefix(source).unwrap());
            if entry.file_type().is_dir() {
                fs::create_dir_all(target).unwrap();
            } else {
                fs::copy(entry.path(), target).unwrap();
            }
        }
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Replaces the one place where `name` says `old`.
    pub(crate) fn edit(&self, name: &str, old: &str, new: &str) {
        let text = self.read(name);
        assert_eq!(text.matches(old).count(), 1, "{name} must say `{old}` once");
        self.write(name, &text.replace(old, new));
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.path().join(name)).unwrap();
    }

    /// The files below, by names with `/`, in order.
    pub(crate) fn files(&self, below: &str) -> Vec<String> {
        files(&self.path().join(below)).into_iter().map(|name| format!("{below}/{name}")).collect()
    }
}

/// The files below `folder`, by names with `/`, in order.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let relative: PathBuf = entry.path().strip_prefix(folder).unwrap().to_owned();
            names.push(relative.components().map(|part| part.as_os_str().to_str().unwrap()).collect::<Vec<_>>().join("/"));
        }
    }
    names
}

/// Whether expectations are to be written anew instead of compared.
pub(crate) fn updating() -> bool {
    std::env::var_os("LESSONC_UPDATE").is_some_and(|value| value == "1")
}
