//! Turns changes of the course's files into the next thing shown.
//!
//! Must not write: nothing it does makes an event of its own. Reading does on some systems, so events of access are dropped.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, Result};

use crate::base::problem::{Problem, Problems};
use crate::disk::CourseFiles;
use crate::disk::read::FOLDERS;
use crate::pipeline::{self, Memo, Options};
use crate::rules::{self, Checked, Occasion, report};
use crate::tree::SourceTree;

use super::Report;
use super::editor::Editor;
use super::folders::Folders;
use super::measuring::{Bench, Measured, Measuring};
use super::preview::{Explain, Preview, Shown, Written};
use super::problems::{self, Places};
use super::settle::{Batch, State};

/// How long a lock of git's may be there before it is taken for one that was left behind.
const LOCKED: Duration = Duration::from_secs(5);

/// Watches a course until it is dropped.
pub(super) struct Watch {
    stop: Sender<Message>,
}

pub(super) enum Message {
    Changed(Vec<(PathBuf, State)>),
    /// The system lost count, or a folder came or went: look at everything.
    Rescan,
    /// A sweep that was saved was measured.
    Measured(Measured),
    Stop,
}

impl Watch {
    /// Begins to watch the course at `root`, then reads and compiles it, so that no edit between is lost.
    pub(super) fn start(
        root: &Path,
        prefix: &str,
        editor: Option<Editor>,
        poll: bool,
        measuring: Option<Measuring>,
        report: Report,
    ) -> Result<(Self, Arc<Preview>)> {
        let root = std::fs::canonicalize(root).with_context(|| format!("cannot open the course {}", root.display()))?;
        let (stop, messages) = mpsc::channel();
        let events = stop.clone();
        let tell = Arc::new(move |message| drop(events.send(message))); // fails only when nobody watches any more
        let mut folders = Folders::new(&root, poll, tell, &report)?;
        folders.watch_all(&report)?;
        let files = CourseFiles::read(&root)?;
        let sender = stop.clone();
        let tell = move |measured| drop(sender.send(Message::Measured(measured))); // fails only when nobody watches any more
        let bench = measuring.map(|measuring| Bench::start(measuring, tell)).transpose()?;
        let (lock, prefix) = (git_lock(&root), prefix.to_owned());
        let mut worker =
            Worker { files, written: Written::default(), folders, lock, prefix, editor, bench, report, memo: Memo::default(), last: None };
        worker.take_in_private()?;
        let begun = Instant::now();
        let (shown, told) = worker.compile(None);
        (worker.report)(&told.text(begun));
        let preview = Arc::new(Preview::new(shown, start_of_count()));
        let shared = preview.clone();
        std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || worker.run(&messages, &shared))
            .context("cannot start a thread")?;
        Ok((Self { stop }, preview))
    }
}

impl Drop for Watch {
    /// Doesn't wait for a compilation: who ends a preview wants its port and terminal back.
    fn drop(&mut self) {
        let _ = self.stop.send(Message::Stop);
    }
}

/// Generations of two servers on one port must differ, so that a page of the first learns that it knows nothing of the second.
fn start_of_count() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(0)
}

/// The file that is there while git changes the files of the repository around `root`.
fn git_lock(root: &Path) -> Option<PathBuf> {
    let git = root.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    if git.is_dir() {
        return Some(git.join("index.lock"));
    }
    // A second work tree: a file that says where its folder is.
    let text = std::fs::read_to_string(&git).ok()?;
    Some(git.parent()?.join(text.strip_prefix("gitdir:")?.trim()).join("index.lock"))
}

/// What to tell of a compilation.
struct Told {
    /// The problems, if they are others than before.
    new: Option<String>,
    tally: String,
}

impl Told {
    /// In words, at the end of what began at `begun`.
    fn text(&self, begun: Instant) -> String {
        let took = 1e3 * begun.elapsed().as_secs_f64();
        format!("{}compiled in {took:.1} ms: {}\n", self.new.as_deref().unwrap_or_default(), self.tally)
    }
}

struct Worker {
    files: CourseFiles,
    written: Written,
    folders: Folders,
    lock: Option<PathBuf>,
    prefix: String,
    editor: Option<Editor>,
    /// Who measures what is saved.
    bench: Option<Bench>,
    report: Report,
    memo: Memo,
    /// What was told last, not to be told again.
    last: Option<String>,
}

impl Worker {
    fn run(&mut self, messages: &Receiver<Message>, preview: &Preview) {
        while let Ok(message) = messages.recv() {
            let mut measured = Vec::new();
            let Some(batch) = self.gather(message, messages, &mut measured) else { return };
            let begun = Instant::now();
            let (changed, watched) = match batch.paths() {
                Some(paths) => (paths, Ok(())),
                None => (FOLDERS.iter().map(|folder| self.files.root().join(folder)).collect(), self.folders.watch_all(&self.report)),
            };
            let refreshed = watched.and_then(|()| self.files.refresh(changed));
            let taken = self.note(measured);
            match refreshed.and_then(|differs| Ok(differs | taken?)) {
                Ok(false) => {}
                Ok(true) => self.show(preview, None, begun),
                Err(error) => self.show(preview, Some(format!("{error:#}")), begun),
            }
        }
    }

    /// Takes note of what was `measured`, and says whether that changes anything.
    fn note(&mut self, measured: Vec<Measured>) -> Result<bool> {
        let (Some(bench), false) = (&mut self.bench, measured.is_empty()) else { return Ok(false) };
        measured.into_iter().for_each(|measured| bench.note(measured));
        self.take_in_private().map(|()| true)
    }

    /// Lets the pages show what was measured of what was saved.
    fn take_in_private(&mut self) -> Result<()> {
        self.bench.as_ref().map_or(Ok(()), |bench| self.files.take_in_private(bench.home()))
    }

    /// All that changes until it is whole; `None` to stop. What was measured meanwhile goes to `measured`.
    fn gather(&self, first: Message, messages: &Receiver<Message>, measured: &mut Vec<Measured>) -> Option<Batch> {
        let mut batch = Batch::new(Instant::now());
        let mut message = first;
        loop {
            let now = Instant::now();
            match message {
                Message::Stop => return None,
                Message::Rescan => batch.add_everything(now),
                Message::Measured(one) => measured.push(one),
                Message::Changed(changed) => changed.into_iter().for_each(|(path, state)| batch.add(path, state, now)),
            }
            message = loop {
                match messages.recv_timeout(batch.until().saturating_duration_since(Instant::now())) {
                    Ok(next) => break next,
                    Err(RecvTimeoutError::Timeout) if batch.is_burst() && self.git_is_at_work() => {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                    Err(RecvTimeoutError::Timeout) => return Some(batch),
                    Err(RecvTimeoutError::Disconnected) => return None,
                }
            };
        }
    }

    fn git_is_at_work(&self) -> bool {
        let lock = self.lock.as_ref().and_then(|lock| lock.metadata().ok());
        lock.and_then(|lock| lock.modified().ok()?.elapsed().ok()).is_some_and(|age| age < LOCKED)
    }

    /// Shows what the files are now, and then says so: a terminal may be slow.
    fn show(&mut self, preview: &Preview, trouble: Option<String>, begun: Instant) {
        let (shown, told) = self.compile(trouble);
        preview.show(shown);
        (self.report)(&told.text(begun));
    }

    /// Compiles what the files are now, and what to say of it; `trouble` is what the machine had to say.
    fn compile(&mut self, trouble: Option<String>) -> (Shown, Told) {
        let tree = self.files.tree();
        let mut problems = self.files.problems();
        let (compiled, found) = pipeline::compile(tree, &Options { draft: true }, &self.memo);
        problems.extend(found);
        let checked = Checked { memo: Some(&self.memo.rules), ..compiled.checked(tree) };
        rules::check(&checked, Occasion::Build, &mut problems);
        if let Some(bench) = &mut self.bench {
            bench.follow(&compiled.plan, &compiled.evidence);
            problems.extend(bench.problems());
        }
        if let Some(trouble) = trouble {
            problems.push(Problem::of_course("unreadable", trouble));
        }
        let problems = problems.sorted();
        let text = report::human(&problems, report::Context { tree, prefix: &self.prefix, colour: false });
        let is_new = self.last.as_ref() != Some(&text);
        let places = Places { root: self.files.root(), prefix: &self.prefix, editor: self.editor.as_ref() };
        let shown = Shown::new(compiled.site, self.written.follow(tree), problems::Shown::of(&problems, tree, &places), self.explain());
        let told = Told { new: is_new.then(|| text.clone()), tally: report::tally(&problems) };
        self.last = Some(text);
        (shown, told)
    }

    /// What shows the problem of a template, which is found when a page is asked for; it holds the templates of this moment.
    fn explain(&self) -> Explain {
        let mut templates = SourceTree::new();
        for (name, file) in self.files.tree().below("templates") {
            templates.insert(name, file.text().as_bytes(), &mut Problems::new());
        }
        let (root, prefix, editor) = (self.files.root().to_owned(), self.prefix.clone(), self.editor.clone());
        Box::new(move |problem| Places { root: &root, prefix: &prefix, editor: editor.as_ref() }.json(problem, &templates))
    }
}
