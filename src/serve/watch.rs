//! Turns changes of the course's files into the next thing shown.
//!
//! Must not write: nothing it does makes an event of its own. Reading does on some systems, so events of access are dropped.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, Result};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::base::problem::Problem;
use crate::disk::CourseFiles;
use crate::disk::read::FOLDERS;
use crate::pipeline::{self, Memo, Options};
use crate::rules::{self, Occasion, report};

use super::Report;
use super::preview::{Preview, Shown};

/// How long files must be quiet before they are read; editors write in several steps.
const QUIET: Duration = Duration::from_millis(15);

/// How long a busy folder (a checkout of another branch) is waited for at most.
const PATIENCE: Duration = Duration::from_millis(400);

/// Watches a course until it is dropped.
pub(super) struct Watch {
    stop: Sender<Message>,
    thread: Option<std::thread::JoinHandle<()>>,
}

enum Message {
    Changed(Vec<PathBuf>),
    /// The system lost count, or a folder came or went: look at everything.
    Rescan,
    Stop,
}

impl Watch {
    /// Begins to watch the course at `root`, then reads and compiles it, so that no edit between is lost.
    pub(super) fn start(root: &Path, prefix: &str, report: Report) -> Result<(Self, Arc<Preview>)> {
        let root = std::fs::canonicalize(root).with_context(|| format!("cannot open the course {}", root.display()))?;
        let (stop, messages) = mpsc::channel();
        let mut folders = Folders::new(&root, stop.clone())?;
        folders.watch_all();
        let mut worker = Worker {
            files: CourseFiles::read(&root)?,
            folders,
            prefix: prefix.to_owned(),
            report,
            generation: start_of_count(),
            memo: Memo::default(),
            last: None,
        };
        let preview = Arc::new(Preview::new(worker.compile(None)));
        let shared = preview.clone();
        let thread = std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || worker.run(&messages, &shared))
            .context("cannot start a thread")?;
        Ok((Self { stop, thread: Some(thread) }, preview))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.stop.send(Message::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Generations of two servers on one port must differ, so that a page of the first reloads when it meets the second.
fn start_of_count() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(0)
}

/// The watched folders: the root itself, for folders that come later, and every folder of inputs with all below.
struct Folders {
    root: PathBuf,
    watcher: RecommendedWatcher,
}

impl Folders {
    fn new(root: &Path, sender: Sender<Message>) -> Result<Self> {
        let inputs: BTreeSet<PathBuf> = FOLDERS.iter().map(|folder| root.join(folder)).collect();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let message = match event {
                Ok(event) if event.need_rescan() => Message::Rescan,
                Ok(event) if matches!(event.kind, EventKind::Access(_)) => return,
                Ok(event) if event.paths.iter().any(|path| inputs.contains(path)) => Message::Rescan,
                Ok(event) => Message::Changed(event.paths),
                Err(_) => Message::Rescan,
            };
            let _ = sender.send(message); // fails only when nobody watches any more
        })
        .context("cannot watch files")?;
        watcher.watch(root, RecursiveMode::NonRecursive).with_context(|| format!("cannot watch {}", root.display()))?;
        Ok(Self { root: root.to_owned(), watcher })
    }

    /// Watches every folder of inputs that is there; asking again for one that is watched is harmless.
    fn watch_all(&mut self) {
        for folder in FOLDERS {
            let path = self.root.join(folder);
            if path.is_dir() {
                let _ = self.watcher.watch(&path, RecursiveMode::Recursive); // gone again: the root's event says so
            }
        }
    }
}

struct Worker {
    files: CourseFiles,
    folders: Folders,
    prefix: String,
    report: Report,
    generation: u64,
    memo: Memo,
    /// What was told last, not to be told again.
    last: Option<String>,
}

impl Worker {
    fn run(&mut self, messages: &Receiver<Message>, preview: &Preview) {
        while let Ok(message) = messages.recv() {
            let Some(changed) = gather(message, messages) else { return };
            let all: Vec<PathBuf>;
            let changed = match changed {
                Some(paths) => paths,
                None => {
                    self.folders.watch_all();
                    all = FOLDERS.iter().map(|folder| self.files.root().join(folder)).collect();
                    all
                }
            };
            match self.files.refresh(changed) {
                Ok(false) => {}
                Ok(true) => preview.show(self.compile(None)),
                Err(error) => preview.show(self.compile(Some(format!("{error:#}")))),
            }
        }
    }

    /// Compiles what the files are now; `trouble` is what the machine had to say.
    fn compile(&mut self, trouble: Option<String>) -> Shown {
        let begun = Instant::now();
        let tree = self.files.tree();
        let mut problems = self.files.problems();
        let (compiled, found) = pipeline::compile(tree, &Options { draft: true }, &self.memo);
        problems.extend(found);
        rules::check(&compiled.checked(tree), Occasion::Build, &mut problems);
        if let Some(trouble) = trouble {
            problems.push(Problem::of_course("unreadable", trouble));
        }
        let errors = problems.errors();
        let problems = problems.sorted();
        let text = report::human(&problems, report::Context { tree, prefix: &self.prefix, colour: false });
        let took = begun.elapsed().as_millis();
        if self.last.as_ref() != Some(&text) {
            (self.report)(&format!("{text}compiled in {took} ms: {}\n", report::tally(&problems)));
            self.last = Some(text.clone());
        } else {
            (self.report)(&format!("compiled in {took} ms: {}\n", report::tally(&problems)));
        }
        self.generation += 1;
        Shown::new(self.generation, compiled.site, text, errors)
    }
}

/// All that changes until it is quiet: the paths, or `Some(None)` for everything; `None` to stop.
fn gather(first: Message, messages: &Receiver<Message>) -> Option<Option<Vec<PathBuf>>> {
    let begun = Instant::now();
    let mut changed = Some(Vec::new());
    let mut message = first;
    loop {
        match message {
            Message::Stop => return None,
            Message::Rescan => changed = None,
            Message::Changed(paths) => {
                if let Some(changed) = &mut changed {
                    changed.extend(paths);
                }
            }
        }
        if begun.elapsed() > PATIENCE {
            return Some(changed);
        }
        match messages.recv_timeout(QUIET) {
            Ok(next) => message = next,
            Err(RecvTimeoutError::Timeout) => return Some(changed),
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}
