//! Turns "nobody else measures this course" into a value that is held, and that a dead process does not hold.
//!
//! Must not know what is measured. Two runs at once would share a GPU and disturb each other, whatever their sweeps are.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use super::journal::side;

/// The right to measure a course. The system takes it back when the process ends, however it ends.
#[derive(Debug)]
pub struct CourseLock(#[allow(dead_code, reason = "held, not read")] File);

impl CourseLock {
    /// Takes the right to measure the course at `root`.
    ///
    /// # Errors
    /// When another process has it, which is named; or when the course can't be written.
    pub fn take(root: &Path) -> Result<Self> {
        let path = side(root, "measure")?.join("lock");
        let context = || format!("cannot write {}", path.display());
        let mut file = File::options().create(true).truncate(false).read(true).write(true).open(&path).with_context(context)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = file.read_to_string(&mut holder);
                let holder = holder.trim().parse::<u32>().map(|process| format!(" (process {process})")).unwrap_or_default();
                bail!(
                    "another lessonc{holder} measures this course at this moment; two at once would disturb each other. Wait until it ends, or end it"
                );
            }
            Err(std::fs::TryLockError::Error(error)) => return Err(error).with_context(|| format!("cannot lock {}", path.display())),
        }
        // Only a word for others: a full disk must not keep a run from going on that needs no more room than it has.
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Self(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_and_the_other_is_named() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let first = CourseLock::take(root.path()).expect("nobody measures");
        let error = CourseLock::take(root.path()).expect_err("somebody does").to_string();
        assert!(error.contains(&format!("(process {}) measures this course", std::process::id())), "{error}");
        drop(first);
        CourseLock::take(root.path()).expect("nobody measures any more");
    }
}
