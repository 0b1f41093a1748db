//! Turns a name into a folder beside the evidence, for what is kept and is no evidence: runs that are not finished, and private ones.
//!
//! Must not leave the course, nor let version control see what lies there.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

/// The folder of a course that is its machine's own.
pub const SIDE: &str = ".lessonc";

/// The folder `name` beside the evidence, made and kept out of version control.
///
/// # Errors
/// When a part of it is a link, or the disk refuses.
pub fn side(root: &Path, name: &str) -> Result<PathBuf> {
    let side = root.join(SIDE);
    let folder = side.join(name);
    // A course comes from others, and a link in it could lead into its evidence, or anywhere.
    let parts = folder.ancestors().take_while(|part| *part != root);
    if let Some(link) = parts.filter(|part| fs::symlink_metadata(part).is_ok_and(|file| file.is_symlink())).last() {
        bail!("{} is a link; remove it: what is kept there stays in the course and out of its evidence", link.display());
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let ignore = side.join(".gitignore");
    if !ignore.exists() {
        fs::write(&ignore, "*\n").with_context(|| format!("cannot write {}", ignore.display()))?;
    }
    Ok(folder)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_leads_nobody_into_evidence() {
        for (link, to) in [(".lessonc", "evidence"), (".lessonc/try", "../evidence"), (".lessonc/try/card", "../../evidence")] {
            let root = tempfile::tempdir().unwrap();
            let at = |name: &str| root.path().join(name);
            fs::create_dir(at("evidence")).unwrap();
            fs::create_dir_all(at(link).parent().unwrap()).unwrap();
            symlink(to, at(link)).unwrap();
            let refused = side(root.path(), "try/card").unwrap_err().to_string();
            assert!(refused.contains(&format!("{link} is a link")), "{refused}");
            assert_eq!(fs::read_dir(at("evidence")).unwrap().count(), 0);
        }
        let root = tempfile::tempdir().unwrap();
        assert!(side(root.path(), "try/card").unwrap().ends_with(".lessonc/try/card"));
        assert_eq!(fs::read_to_string(root.path().join(".lessonc/.gitignore")).unwrap(), "*\n");
    }
}
