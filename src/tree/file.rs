//! Turns the text of an input file into one that can be let go of, and that comes back when somebody asks for it.
//!
//! Must not know where files lie. What comes back is the very same text or none: the digest says which.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::input::normalise;
use crate::base::digest::Checksum;
use crate::base::span::{LineColumn, LineStarts, SourceName};

/// How a file is read once more, by its name: what it holds, if it can be read.
pub type Again = Arc<dyn Fn(&str) -> Option<Vec<u8>> + Send + Sync>;

/// One input file as text.
pub struct SourceFile {
    name: SourceName,
    /// The digest of its text, so the same on a checkout with CRLF.
    pub digest: Checksum,
    held: Mutex<Held>,
    /// The text for those who point into it; it stays then.
    kept: OnceLock<Arc<str>>,
    /// Where its lines begin; found when the first of its places is asked for.
    lines: OnceLock<LineStarts>,
}

enum Held {
    Here(Arc<str>),
    Gone(Again),
}

impl SourceFile {
    pub(super) fn new(name: &SourceName, text: Arc<str>, digest: Checksum) -> Self {
        Self { name: name.clone(), digest, held: Mutex::new(Held::Here(text)), kept: OnceLock::new(), lines: OnceLock::new() }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &SourceName {
        &self.name
    }

    /// Its text: UTF-8 without BOM or NUL, line ends as LF. If it was let go of, it is read again for who asks; empty if that gives
    /// another text by now, or none.
    #[must_use]
    pub fn text(&self) -> Arc<str> {
        self.whole().unwrap_or_default()
    }

    /// The same; `None` if it was let go of and can't be had again.
    #[must_use]
    pub fn whole(&self) -> Option<Arc<str>> {
        let again = match &*self.held() {
            Held::Here(text) => return Some(text.clone()),
            Held::Gone(again) => again.clone(),
        };
        self.kept.get().cloned().or_else(|| {
            let bytes = again(&self.name)?;
            let text = normalise(&bytes).ok().filter(|text| Checksum::of(&**text) == self.digest)?;
            Some(text.into())
        })
    }

    /// The same to point into: from now on it stays.
    pub(super) fn kept(&self) -> &str {
        self.kept.get_or_init(|| self.text())
    }

    pub(super) fn line_column(&self, offset: usize) -> LineColumn {
        let text = self.kept();
        self.lines.get_or_init(|| LineStarts::of(text)).line_column(text, offset)
    }

    /// Lets go of its text, which is had again by `again`.
    pub(super) fn let_go(&self, again: &Again) {
        *self.held() = Held::Gone(again.clone());
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.digest.short())
    }
}

impl PartialEq for SourceFile {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
    }
}

impl Eq for SourceFile {}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::SourceTree;
    use super::*;
    use crate::base::problem::Problems;

    #[test]
    fn a_text_that_was_let_go_of_is_the_same_one_or_none() {
        for (then, comes_back) in
            [(Some(&b"a\r\nb\n"[..]), true), (Some(b"\xEF\xBB\xBFa\nb\n"), true), (Some(b"a\nc\n"), false), (None, false)]
        {
            let reads = Arc::new(AtomicUsize::new(0));
            let mut tree = SourceTree::new();
            tree.insert("x/a", b"a\nb\n", &mut Problems::new());
            tree.let_go("x/a");
            assert_eq!(&*tree.get("x/a").unwrap().text(), "a\nb\n", "nobody knows how it is read again");
            let counted = reads.clone();
            tree.for_once(Arc::new(move |name| {
                counted.fetch_add(1, Ordering::Relaxed);
                then.filter(|_| name == "x/a").map(<[u8]>::to_vec)
            }));
            let file = tree.get("x/a").unwrap();
            tree.let_go("x/a");
            tree.let_go("x/b");
            assert_eq!(file.whole().as_deref(), comes_back.then_some("a\nb\n"));
            assert_eq!((&*file.text(), reads.load(Ordering::Relaxed)), (if comes_back { "a\nb\n" } else { "" }, 2));
            assert_eq!((tree.text("x/a"), tree.line_column("x/a", 2).line), if comes_back { ("a\nb\n", 2) } else { ("", 1) });
            assert_eq!((tree.text("x/a").len(), reads.load(Ordering::Relaxed)), (file.text().len(), 3), "who points into it keeps it");
        }
    }
}
