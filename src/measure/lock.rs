//! Turns "nobody else measures this course" into a value that is held, and that a dead process does not hold.
//!
//! Must not know what is measured. Two runs at once would share a GPU and disturb each other, whatever their sweeps are.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::side::side;

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
        match hold(&file) {
            Ok(true) => {}
            Ok(false) => {
                let mut holder = String::new();
                let _ = file.read_to_string(&mut holder);
                let holder = holder.trim().parse::<u32>().map(|process| format!(" (process {process})")).unwrap_or_default();
                bail!(
                    "another lessonc{holder} measures this course at this moment; two at once would disturb each other. Wait until it ends, or end it"
                );
            }
            Err(error) => return Err(error).with_context(|| format!("cannot lock {}", path.display())),
        }
        // Only a word for others: a full disk must not keep a run from going on that needs no more room than it has.
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Self(file))
    }
}

/// How long a lock is tried for before somebody is said to hold it.
const PATIENCE: Duration = Duration::from_secs(1);

/// Locks `file` until it is closed; `false` if somebody else holds it. A process that is just being started shares the locks of the
/// one that starts it until it has become another program, so a lock that was let go may look held for a moment.
///
/// # Errors
/// When the file system knows no locks.
pub(super) fn hold(file: &File) -> std::io::Result<bool> {
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if started.elapsed() >= PATIENCE => return Ok(false),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(20)),
            Err(TryLockError::Error(error)) => return Err(error),
        }
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
