//! Turns a folder of runs that are no evidence into files of a source tree that stand beside the course's own.
//!
//! Must not write, nor follow a link: the folder is this machine's own, and may hold anything.

use std::path::Path;

use anyhow::{Context as _, Result};
use walkdir::WalkDir;

use super::read_plain;
use crate::base::problem::Problems;
use crate::evidence::name;
use crate::tree::SourceTree;

/// Makes the private runs of `tree` those below `home`, the folder that they were written in; none where there is no such folder.
///
/// # Errors
/// When a file can't be read.
pub fn take_in_private(tree: &mut SourceTree, home: &Path) -> Result<()> {
    let stale: Vec<String> = tree.names_below(name::PRIVATE).map(str::to_owned).collect();
    for name in stale {
        tree.remove(&name);
    }
    let folder = home.join(name::FOLDER);
    for entry in WalkDir::new(&folder).min_depth(2).max_depth(2).into_iter().filter_map(Result::ok) {
        let below = entry.path().strip_prefix(&folder).ok().and_then(Path::to_str).map(|path| path.replace('\\', "/"));
        let Some(below) = below.filter(|below| entry.file_type().is_file() && (below.ends_with(".jsonl") || below.ends_with(".txt")))
        else {
            continue;
        };
        let bytes = read_plain(entry.path()).with_context(|| format!("cannot read {}", entry.path().display()))?;
        tree.insert(&format!("{}/{below}", name::PRIVATE), &bytes, &mut Problems::new());
    }
    Ok(())
}
