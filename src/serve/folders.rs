//! Turns the folders of a course into news of what changes in them: from the system, or where that tells nothing, by looking.
//!
//! Must not write, nor know what becomes of the news. Reading makes events on some systems, so those of access are dropped.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use notify::{Config, Event, PollWatcher, RecursiveMode, Watcher};

use crate::disk::read::{FOLDERS, input_name};

use super::Report;
use super::settle::states;
use super::watch::Message;

/// How often files are looked at where the system doesn't tell of changes.
const INTERVAL: Duration = Duration::from_millis(500);

/// Takes the news.
pub(super) type Tell = Arc<dyn Fn(Message) + Send + Sync>;

/// The watched folders: the root itself, for folders that come later, and every folder of inputs with all below.
pub(super) struct Folders {
    root: PathBuf,
    tell: Tell,
    watcher: Box<dyn Watcher + Send>,
    /// Whether they are looked at, since the system tells nothing.
    polls: bool,
}

impl Folders {
    /// Watches the root; by looking where that is asked for, or where the system can't.
    pub(super) fn new(root: &Path, poll: bool, tell: Tell, report: &Report) -> Result<Self> {
        let of_system = || -> notify::Result<Box<dyn Watcher + Send>> {
            let mut watcher = notify::recommended_watcher(listener(root, tell.clone()))?;
            watcher.watch(root, RecursiveMode::NonRecursive)?;
            Ok(Box::new(watcher))
        };
        if !poll {
            match of_system() {
                Ok(watcher) => return Ok(Self { root: root.to_owned(), tell, watcher, polls: false }),
                Err(error) => report(&looks(&error)),
            }
        }
        let watcher = looking(root, &tell)?;
        Ok(Self { root: root.to_owned(), tell, watcher, polls: true })
    }

    /// Watches every folder of inputs that is there; asking again for one that is watched is harmless.
    pub(super) fn watch_all(&mut self, report: &Report) -> Result<()> {
        for folder in FOLDERS {
            let path = self.root.join(folder);
            let watched = self.watcher.watch(&path, RecursiveMode::Recursive);
            let Err(error) = watched.or_else(|error| if path.is_dir() { Err(error) } else { Ok(()) }) else { continue };
            if self.polls {
                report(&format!("warning: cannot watch {folder}/, so that changes in it may not be seen: {error}\n"));
                continue;
            }
            report(&looks(&error));
            (self.watcher, self.polls) = (looking(&self.root, &self.tell)?, true);
            return self.watch_all(report);
        }
        Ok(())
    }
}

fn looks(error: &notify::Error) -> String {
    let seconds = INTERVAL.as_secs_f64();
    format!("warning: the system does not tell of changes ({error}); the files are looked at every {seconds} s instead\n")
}

/// A watcher of the root that looks for itself.
fn looking(root: &Path, tell: &Tell) -> Result<Box<dyn Watcher + Send>> {
    let config = Config::default().with_poll_interval(INTERVAL);
    let mut watcher = PollWatcher::new(listener(root, tell.clone()), config).context("cannot watch files")?;
    watcher.watch(root, RecursiveMode::NonRecursive).with_context(|| format!("cannot watch {}", root.display()))?;
    Ok(Box::new(watcher))
}

/// What turns events below `root` into news.
fn listener(root: &Path, tell: Tell) -> impl FnMut(notify::Result<Event>) + Send + 'static {
    let inputs: BTreeSet<PathBuf> = FOLDERS.iter().map(|folder| root.join(folder)).collect();
    let base = root.to_owned();
    let is_input = move |path: &Path| path.strip_prefix(&base).ok().and_then(input_name).is_some();
    move |event| {
        let message = match event {
            Ok(event) if event.need_rescan() => Message::Rescan,
            Ok(event) => {
                let mut changed = states(event);
                if changed.iter().any(|(path, _)| inputs.contains(path)) {
                    Message::Rescan
                } else {
                    changed.retain(|(path, _)| is_input(path));
                    Message::Changed(changed)
                }
            }
            Err(_) => Message::Rescan,
        };
        if !matches!(&message, Message::Changed(changed) if changed.is_empty()) {
            tell(message);
        }
    }
}
