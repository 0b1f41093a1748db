//! Turns the bytes of every input file of a course into one value, [`SourceTree`]: normalised text, or bytes, and their digest.
//!
//! Must not know where the bytes came from (disk, a test, a fuzzer), nor what any file means.

mod file;
mod input;
pub mod snapshot;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

use crate::base::digest::Checksum;
use crate::base::problem::{Problem, Problems};
use crate::base::span::{LineColumn, SourceName};

pub use self::file::{Again, SourceFile};
pub use self::input::Input;

use self::input::{Content, Noted};

/// One input file that is no text: a picture, a font.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinaryFile {
    /// What is in it.
    pub bytes: Arc<[u8]>,
    /// The digest of that.
    pub digest: Checksum,
}

/// Every input file of a course by its path from the course's root. The only thing that the pure core reads.
#[derive(Clone, Default)]
pub struct SourceTree {
    files: BTreeMap<SourceName, Arc<SourceFile>>,
    binaries: BTreeMap<SourceName, BinaryFile>,
    /// The names and contents of the files together, those of a kind apart; few kinds, so that looking through them costs little.
    states: Vec<State>,
    /// The files that came, changed or went last, the latest last, some of them often.
    recent: VecDeque<SourceName>,
    /// How its files are read again; `None` where nobody lets go of any.
    again: Option<Again>,
}

/// So many files are recent. A save is one or two; where more change at once, looking at all costs little beside what is made anew.
const RECENT: usize = if cfg!(test) { 4 } else { 64 };

impl fmt::Debug for SourceTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.digests()).finish()
    }
}

impl PartialEq for SourceTree {
    fn eq(&self, other: &Self) -> bool {
        self.files == other.files && self.binaries == other.binaries
    }
}

impl Eq for SourceTree {}

/// What there is of files of one kind.
#[derive(Debug, Clone)]
struct State {
    /// The first folder of their paths.
    folder: Box<str>,
    /// What their names end in, without a dot.
    ending: Box<str>,
    digest: Checksum,
    /// Of their names alone.
    names: Checksum,
}

impl SourceTree {
    /// A tree of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes `bytes` in as the file `name` (again: replaces it). A file that is no text becomes a problem, not an entry, unless it
    /// is a picture or the like, or will be published as it is.
    pub fn insert(&mut self, name: &str, bytes: &[u8], problems: &mut Problems) {
        problems.extend(self.add(Input::of(name, bytes)));
    }

    /// Takes `input` in (again: replaces it), or gives the problem that it is.
    pub fn add(&mut self, Input { name, content, noted }: Input) -> Option<Problem> {
        self.remove(&name);
        self.remember(&name);
        if let Some(noted) = noted {
            self.note(&name, noted);
        }
        match content {
            Content::Text(file) => _ = self.files.insert(name, file),
            Content::Binary(file) => _ = self.binaries.insert(name, file),
            Content::Nothing => {}
            Content::Wrong(problem) => return Some(problem),
        }
        None
    }

    /// Forgets the file `name`, as when it was deleted.
    pub fn remove(&mut self, name: &str) -> bool {
        let gone = self.digest(name);
        if let Some(digest) = gone {
            self.note(name, Noted::of(name, digest));
            self.remember(&name.into());
        }
        self.files.remove(name);
        self.binaries.remove(name);
        gone.is_some()
    }

    /// Notes that the file `name` comes, or that it goes: one undoes the other.
    fn note(&mut self, name: &str, Noted { name: names, whole: digest }: Noted) {
        let (folder, ending) = kind(name);
        match self.states.iter_mut().find(|state| *state.folder == *folder && *state.ending == *ending) {
            Some(state) => (state.digest, state.names) = (state.digest.with(digest), state.names.with(names)),
            None => self.states.push(State { folder: folder.into(), ending: ending.into(), digest, names }),
        }
    }

    /// Notes that the file `name` may be another now.
    fn remember(&mut self, name: &SourceName) {
        self.recent.push_back(name.clone());
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
    }

    /// A digest of the names and contents of all files in the folder `folder` at the root, and below it, whose names' endings are
    /// `wanted`. It is known already, however many there are.
    #[must_use]
    pub fn state(&self, folder: &str, wanted: impl Fn(&str) -> bool) -> Checksum {
        let states = self.states.iter().filter(|state| *state.folder == *folder && wanted(&state.ending));
        states.fold(Checksum::default(), |all, state| all.with(state.digest))
    }

    /// The same of their names, whatever is in them.
    #[must_use]
    pub fn names_state(&self, folder: &str, wanted: impl Fn(&str) -> bool) -> Checksum {
        let states = self.states.iter().filter(|state| *state.folder == *folder && wanted(&state.ending));
        states.fold(Checksum::default(), |all, state| all.with(state.names))
    }

    /// The folders at the root that hold files, or once held some.
    fn folders(&self) -> BTreeSet<&str> {
        self.states.iter().map(|state| &*state.folder).collect()
    }

    /// The file `name`, if it is no text.
    #[must_use]
    pub fn binary(&self, name: &str) -> Option<&BinaryFile> {
        self.binaries.get(name)
    }

    /// From now on texts may be let go of: the tree is compiled once, and files are read `again` for whoever asks later.
    pub fn for_once(&mut self, again: Again) {
        self.again = Some(again);
    }

    /// Whether it is compiled once.
    #[must_use]
    pub fn is_for_once(&self) -> bool {
        self.again.is_some()
    }

    /// Nobody needs the text of the file `name` any longer, unless to show it. It goes if the tree is compiled once.
    pub fn let_go(&self, name: &str) {
        if let Some((file, again)) = self.files.get(name).zip(self.again.as_ref()) {
            file.let_go(again);
        }
    }

    /// The file `name`, if it is text.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<SourceFile>> {
        self.files.get(name)
    }

    /// The text of the file `name`, empty where there is none: for showing the line of a problem. It stays from now on.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.files.get(name).map_or("", |file| file.kept())
    }

    /// The line and column of byte `offset` of the file `name`; the first of both where there is no such file.
    #[must_use]
    pub fn line_column(&self, name: &str, offset: usize) -> LineColumn {
        match self.files.get(name) {
            Some(file) => file.line_column(offset),
            None => LineColumn { line: 1, column: 1 },
        }
    }

    /// The digest of the file `name`, text or not, if there is one.
    #[must_use]
    pub fn digest(&self, name: &str) -> Option<Checksum> {
        self.files.get(name).map(|file| file.digest).or_else(|| self.binaries.get(name).map(|file| file.digest))
    }

    /// The digest of every file by its name, text or not.
    pub fn digests(&self) -> impl Iterator<Item = (&SourceName, Checksum)> {
        let texts = self.files.iter().map(|(name, file)| (name, file.digest));
        texts.chain(self.binaries.iter().map(|(name, file)| (name, file.digest)))
    }

    /// The file `name`, or the files below the folder `name`, text or not, each with its digest.
    #[must_use]
    pub fn at_or_below(&self, name: &str) -> Vec<(SourceName, Checksum)> {
        let itself = self.get(name).map(|file| file.digest).or_else(|| self.binary(name).map(|file| file.digest));
        let texts = below(&self.files, name).map(|(name, file)| (name.clone(), file.digest));
        let binaries = below(&self.binaries, name).map(|(name, file)| (name.clone(), file.digest));
        itself.map(|digest| (name.into(), digest)).into_iter().chain(texts).chain(binaries).collect()
    }

    /// The names of the files below `folder` (given without a final `/`), text or not.
    pub fn names_below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> + 'a {
        let binaries = below(&self.binaries, folder).map(|(name, _)| &**name);
        self.below(folder).map(|(name, _)| &**name).chain(binaries)
    }

    /// All files that are text, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&SourceName, &SourceFile)> {
        self.files.iter().map(|(name, file)| (name, &**file))
    }

    /// The files below `folder` (given without a final `/`) that are text, by name.
    pub fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = (&'a SourceName, &'a SourceFile)> + 'a {
        below(&self.files, folder).map(|(name, file)| (name, &**file))
    }
}

/// The first folder of the path `name`, and the ending of its last part.
fn kind(name: &str) -> (&str, &str) {
    let (folder, below) = name.split_once('/').unwrap_or(("", name));
    (folder, below.rsplit('/').next().and_then(|file| file.rsplit_once('.')).map_or("", |(_, ending)| ending))
}

/// The entries of `files` below `folder`.
fn below<'a, F>(files: &'a BTreeMap<SourceName, F>, folder: &'a str) -> impl Iterator<Item = (&'a SourceName, &'a F)> + Clone + 'a {
    files
        .range::<str, _>((Bound::Included(folder), Bound::Unbounded))
        .take_while(move |(name, _)| name.starts_with(folder))
        .filter(move |(name, _)| name.as_bytes().get(folder.len()) == Some(&b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_and_bom_do_not_count() {
        let mut problems = Problems::new();
        let mut tree = SourceTree::new();
        tree.insert("a", b"x\ny\n", &mut problems);
        tree.insert("b", b"\xEF\xBB\xBFx\r\ny\r\n", &mut problems);
        assert_eq!(tree.get("a"), tree.get("b"));
        tree.insert("c", b"\xFF", &mut problems);
        tree.insert("d", b"a\0b", &mut problems);
        assert_eq!(problems.errors(), 2);
        assert!(tree.get("c").is_none() && tree.get("d").is_none());
    }

    #[test]
    fn pictures_are_kept_as_bytes_and_so_is_all_that_is_published_as_it_is() {
        let (mut tree, mut problems) = (SourceTree::new(), Problems::new());
        let files: [(&str, &[u8]); 4] = [
            ("lessons/a.png", b"text\r\n"),
            ("lessons/static/a.bin", b"\0"),
            ("lessons/static/a.txt", b"x\r\n"),
            ("lessons/b.svg", b"<svg/>"),
        ];
        for (name, bytes) in files {
            tree.insert(name, bytes, &mut problems);
        }
        assert!(problems.is_empty());
        assert_eq!(tree.binary("lessons/a.png").map(|file| &*file.bytes), Some(&b"text\r\n"[..]));
        assert!(tree.binary("lessons/static/a.bin").is_some() && tree.get("lessons/b.svg").is_some());
        assert_eq!(tree.text("lessons/static/a.txt"), "x\n");
        assert_eq!(tree.names_below("lessons/static").collect::<Vec<_>>(), ["lessons/static/a.txt", "lessons/static/a.bin"]);
        assert_eq!(tree.digests().count(), 4);
        tree.insert("lessons/static/a.bin", b"text now", &mut problems);
        assert!(tree.binary("lessons/static/a.bin").is_none() && tree.remove("lessons/static/a.bin") && tree.remove("lessons/a.png"));
        assert_eq!(tree.digests().count(), 2);
    }

    #[test]
    fn a_state_is_that_of_the_files_there_are_however_they_came() {
        let mut tree = SourceTree::new();
        let state = |tree: &SourceTree| (tree.state("a", |_| true), tree.state("a", |ending| ending == "md"), tree.state("b", |_| true));
        let put = |tree: &mut SourceTree, name: &str, text: &str| {
            tree.insert(name, text.as_bytes(), &mut Problems::new());
            state(tree)
        };
        let first = put(&mut tree, "a/x.md", "one");
        let second = put(&mut tree, "a/deep/y.png", "two");
        assert!(first.0 != second.0 && first.1 == second.1 && second.2 == Checksum::default(), "a picture is no text");
        assert_ne!(put(&mut tree, "a/x.md", "other").1, second.1);
        assert_eq!(put(&mut tree, "a/x.md", "one"), second);
        assert!(put(&mut tree, "b", "one").2 == Checksum::default() && put(&mut tree, "b/x.d/y", "one").2 != Checksum::default());
        assert!(tree.remove("a/deep/y.png") && !tree.remove("a/deep/y.png"));
        let names = tree.names_state("a", |_| true);
        assert!(put(&mut tree, "a/x.md", "third").0 != first.0 && tree.names_state("a", |_| true) == names);
        assert_eq!(put(&mut tree, "a/x.md", "one").1, first.1);
        assert_eq!((state(&tree).0, state(&tree).1), (first.0, first.1));
        assert!(tree.remove("a/x.md"));
        assert_eq!(put(&mut tree, "a/y.md", "one").1, tree.state("a", |_| true));
        assert!(state(&tree).1 != first.1 && tree.names_state("a", |_| true) != names, "a name counts");
    }

    #[test]
    fn below_takes_a_folder_and_not_its_namesakes() {
        let mut tree = SourceTree::new();
        for name in ["kernels/a.cu", "kernels-old/b.cu", "kernels.txt", "lessons/c.md"] {
            tree.insert(name, b"", &mut Problems::new());
        }
        assert_eq!(tree.below("kernels").map(|(name, _)| &**name).collect::<Vec<_>>(), ["kernels/a.cu"]);
    }
}
