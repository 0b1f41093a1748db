//! Turns the course's version control into the two facts that a record keeps: its commit, and whether it was changed.
//!
//! Must not fail: what git does not tell is unknown, with the reason.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The commit of the course at `root` and whether anything of it that could matter is not committed.
pub fn commit(root: &Path, unknown: &mut BTreeMap<String, String>) -> (Option<String>, Option<bool>) {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(root).args(arguments).output().map_err(|_| "git is not installed".to_owned())?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
        } else {
            Err("the course is in no git repository with a commit".to_owned())
        }
    };
    let mut known = |name: &str, result: Result<String, String>| result.map_err(|why| unknown.insert(name.to_owned(), why)).ok();
    let commit = known("commit", git(&["rev-parse", "HEAD"]));
    let dirty = known("dirty", git(&["status", "--porcelain", "--", "kernels", "lessons"])).map(|text| !text.is_empty());
    (commit, dirty)
}
