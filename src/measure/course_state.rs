//! Turns the course's version control into the two facts that a record keeps: its commit, and whether it was changed.
//!
//! Must not fail: what git does not tell is unknown, with the reason.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Names the commit of a course that was copied to the machine with the GPU without its history: the full hash, with
/// `-dirty` behind it when the copy holds changes (what `git describe --always --abbrev=40 --dirty` prints).
pub const COMMIT_VARIABLE: &str = "LESSONC_COMMIT";

/// The commit of the course at `root` and whether anything of it that could matter is not committed.
pub fn commit(root: &Path, unknown: &mut BTreeMap<String, String>) -> (Option<String>, Option<bool>) {
    let found = from_git(root).or_else(|why| match std::env::var(COMMIT_VARIABLE) {
        Ok(told) => told_commit(&told),
        Err(_) => Err(why),
    });
    match found {
        Ok((commit, dirty)) => (Some(commit), Some(dirty)),
        Err(why) => {
            for name in ["commit", "dirty"] {
                unknown.insert(name.to_owned(), why.clone());
            }
            (None, None)
        }
    }
}

/// What git says; evidence and the site are left out, since a run can't depend on them.
fn from_git(root: &Path) -> Result<(String, bool), String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(root).args(arguments).output().map_err(|_| "git is not installed".to_owned())?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
        } else {
            Err(format!("the course is in no git repository with a commit, and {COMMIT_VARIABLE} is not set"))
        }
    };
    let commit = git(&["rev-parse", "HEAD"])?;
    let changes = git(&["status", "--porcelain", "--", "kernels", "lessons"])?;
    Ok((commit, !changes.is_empty()))
}

/// What [`COMMIT_VARIABLE`] says, if it has the form of a commit.
fn told_commit(told: &str) -> Result<(String, bool), String> {
    let (hash, dirty) = match told.strip_suffix("-dirty") {
        Some(hash) => (hash, true),
        None => (told, false),
    };
    if hash.len() == 40 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
        Ok((hash.to_owned(), dirty))
    } else {
        Err(format!("{COMMIT_VARIABLE} holds no commit of 40 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_told_commit_is_a_whole_hash() {
        let hash = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(told_commit(hash), Ok((hash.to_owned(), false)));
        assert_eq!(told_commit(&format!("{hash}-dirty")), Ok((hash.to_owned(), true)));
        for wrong in ["", "main", "0123456", &hash.to_uppercase(), &format!("{hash}-dirty-dirty")] {
            assert!(told_commit(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_folder_outside_git_has_neither_commit_nor_dirt() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut unknown = BTreeMap::new();
        let (commit, dirty) = commit(folder.path(), &mut unknown);
        assert_eq!(commit.is_some(), dirty.is_some());
        assert_eq!(commit.is_none(), unknown.contains_key("commit") && unknown.contains_key("dirty"));
    }
}
