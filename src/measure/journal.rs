//! Turns a run into its file while it goes on, line by line, and into evidence when it ends; nothing is ever overwritten.
//!
//! Must not know how rows are measured.

mod left;

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};

use crate::evidence::canary::CanaryResult;
use crate::evidence::compiled::RowCompiled;
use crate::evidence::lines::{self, LineRef};
use crate::evidence::output::Output;
use crate::evidence::profiled::RowProfiled;
use crate::evidence::record::{Footer, Header, Private, Record, Resumed, RowPlan, RowResult, RunKind};
use crate::evidence::{name, privacy, transcript, verdict};

use self::left::{Left, difference};

pub use self::left::cut_short;

use super::lock::hold;
use super::side::side;

/// Folder beside the evidence for runs that are being written.
const RUNS: &str = "measure";
/// Folder beside the evidence for replays.
const REPLAYS: &str = "replay";
/// Time between two requests to the disk to hold what was written.
const SYNC: Duration = Duration::from_secs(1);

/// A run that is being written.
pub struct Journal {
    file: File,
    path: PathBuf,
    /// Bytes of the file that hold whole lines.
    length: u64,
    /// When the disk was last asked to hold what was written.
    synced: Instant,
    record: Record,
    body: String,
    resumed: Vec<Resumed>,
}

/// A run that was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// Its record, from the course's root.
    pub record_name: String,
    /// Its transcript, from the course's root.
    pub transcript_name: String,
    /// The record.
    pub record: Record,
    /// The transcript.
    pub transcript: String,
}

/// A line of a journal that is no line of a record: the run goes on here.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "lowercase")]
enum Between {
    Resumed(Resumed),
}

/// The line of a journal that says that the run goes on.
fn between(resumed: &Resumed) -> Result<String> {
    let line = serde_json::to_string(&Between::Resumed(resumed.clone())).context("cannot print a line of the journal")?;
    Ok(line + "\n")
}

impl Journal {
    /// Opens the file of a run that begins now. If one of the same sweep and device was cut short before, this run goes on
    /// with it: its header, rows and order are kept, and [`Journal::record`] has its results. If that can't be, since it was
    /// another identity or `anew` is asked for, its finished rows are put into the evidence first, marked incomplete. `note`
    /// is told either.
    ///
    /// # Errors
    /// When another process measures the same sweep, when the disk refuses, or when the record would hold a path.
    pub fn begin(root: &Path, header: Header, rows: Vec<RowPlan>, anew: bool, note: &mut dyn FnMut(&str)) -> Result<Self> {
        let path = place(root, &header)?;
        let file =
            File::options().create(true).append(true).read(true).open(&path).with_context(|| format!("cannot write {}", path.display()))?;
        if !hold(&file).unwrap_or(false) {
            bail!("another lessonc measures {} on {} at this moment", header.sweep, header.device);
        }
        let left = if header.circumstance.replayed.is_none() { Left::read(root, &path)? } else { None };
        if let Some(left) = left {
            let why = if anew { Some("a new one is asked for".to_owned()) } else { difference(&left.record, &header, &rows) };
            match why {
                None => return Self::go_on(file, path, left, header.started, note),
                Some(why) => {
                    let finished = plural(left.record.tried(), "finished row");
                    let name = left.rescue(root)?;
                    note(&format!("a run that was cut short can't go on: {why}; its {finished} stay as {name}, marked incomplete"));
                }
            }
        }
        file.set_len(0).with_context(|| format!("cannot write {}", path.display()))?;
        let record = Record::begun(header, rows);
        if let Some((_, found)) = privacy::first_path(&record) {
            bail!("the record of {} would hold an absolute path, `{found}`; it is not begun", record.header.sweep);
        }
        let mut journal =
            Self { file, path, length: 0, synced: Instant::now(), body: lines::print_body(&record), record, resumed: Vec::new() };
        let text = journal.body.clone();
        journal.append(&text)?;
        Ok(journal)
    }

    /// Goes on with what `left` holds, at the time `at`.
    fn go_on(file: File, path: PathBuf, left: Left, at: String, note: &mut dyn FnMut(&str)) -> Result<Self> {
        let Left { record, body, length, mut resumed, .. } = left;
        file.set_len(length).with_context(|| format!("cannot write {}", path.display()))?;
        let finished = record.tried();
        note(&format!(
            "goes on with the run of {} that was cut short: {} are kept",
            record.header.started,
            plural(finished, "finished row")
        ));
        let mut journal = Self { file, path, length, synced: Instant::now(), body, record, resumed: Vec::new() };
        let this = Resumed { at, results: u32::try_from(finished).unwrap_or(u32::MAX) };
        journal.append(&between(&this)?)?;
        resumed.push(this);
        journal.resumed = resumed;
        Ok(journal)
    }

    /// The record so far.
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Adds a result; a kill can't lose it when this returns.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn add(&mut self, result: RowResult) -> Result<()> {
        self.line(LineRef::Result(&result))?;
        self.record.results.push(result);
        Ok(())
    }

    /// Adds the result of a canary, before those of its round's rows.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn add_canary(&mut self, result: CanaryResult) -> Result<()> {
        self.line(LineRef::Canary(&result))?;
        self.record.canaries.push(result);
        Ok(())
    }

    /// Adds what a program printed.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn add_output(&mut self, output: Output) -> Result<()> {
        self.line(LineRef::Output(&output))?;
        self.record.outputs.push(output);
        Ok(())
    }

    /// Adds what a compiler said of a row.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn add_compiled(&mut self, compiled: RowCompiled) -> Result<()> {
        self.line(LineRef::Compiled(&compiled))?;
        self.record.compiled.push(compiled);
        Ok(())
    }

    /// Adds what a profiler counted of a row.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn add_profiled(&mut self, profiled: RowProfiled) -> Result<()> {
        self.line(LineRef::Profiled(&profiled))?;
        self.record.profiled.push(profiled);
        Ok(())
    }

    fn line(&mut self, line: LineRef<'_>) -> Result<()> {
        let text = line.print(self.record.header.version);
        self.append(&text)?;
        self.body.push_str(&text);
        Ok(())
    }

    /// Gives the run `rounds` rounds in all, after `looks` looks at what it has so far.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn extend(&mut self, rounds: u32, looks: u32) -> Result<()> {
        self.record.header.identity.timing.rounds = rounds;
        self.record.header.circumstance.looks = Some(looks);
        self.replace()
    }

    /// Says in the header why `field` is not known, unless it says so already.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn unknown(&mut self, field: &str, why: String) -> Result<()> {
        if self.record.header.unknown.contains_key(field) {
            return Ok(());
        }
        self.record.header.unknown.insert(field.to_owned(), why);
        self.replace()
    }

    /// Writes the file anew, after its header changed. It is replaced whole: a kill finds either the old run or the new one.
    fn replace(&mut self) -> Result<()> {
        let context = || format!("cannot write {}", self.path.display());
        self.body = lines::print_body(&self.record);
        let beside = self.path.with_extension("next");
        let mut file = File::options().create(true).append(true).read(true).open(&beside).with_context(context)?;
        // Locked before it gets its name, so that no other process can take the run over in between.
        if !hold(&file).unwrap_or(false) {
            bail!("another lessonc writes {}", beside.display());
        }
        let mut text = self.body.clone();
        for resumed in &self.resumed {
            text.push_str(&between(resumed)?);
        }
        file.set_len(0).and_then(|()| file.write_all(text.as_bytes())).and_then(|()| file.sync_all()).with_context(context)?;
        fs::rename(&beside, &self.path).with_context(context)?;
        (self.file, self.length, self.synced) = (file, text.len() as u64, Instant::now());
        Ok(())
    }

    /// The record as it would be if the run ended now.
    #[must_use]
    pub fn as_if_ended(&self) -> Record {
        let mut record = self.record.clone();
        let started = record.header.started.clone();
        close(&mut record, &self.body, started, self.resumed.clone(), None);
        record
    }

    fn append(&mut self, text: &str) -> Result<()> {
        let sync = |journal: &mut Self| {
            // A kill loses nothing that was written; only a failing machine does, and for it once a second is often enough.
            if journal.synced.elapsed() < SYNC {
                return Ok(());
            }
            journal.synced = Instant::now();
            journal.file.sync_data()
        };
        let written = self.file.write_all(text.as_bytes()).and_then(|()| sync(self));
        if let Err(error) = written {
            // A part of a line is no line: what follows it after a later start would be lost with it.
            let _ = self.file.set_len(self.length);
            let finished = self.record.tried();
            let kept = if finished > 0 {
                format!("; {} are kept there, and measuring again goes on with them", plural(finished, "finished row"))
            } else {
                String::new()
            };
            return Err(error).with_context(|| format!("cannot write {}{kept}", self.path.display()));
        }
        self.length += text.len() as u64;
        Ok(())
    }

    /// Leaves the run as it is, to be gone on with; how many results it holds. Nothing is left of one without any.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn keep(self) -> Result<usize> {
        let results = self.record.tried();
        let circumstance = &self.record.header.circumstance;
        // Who replays or only looks at what an edit does begins anew.
        if results == 0 || circumstance.replayed.is_some() || circumstance.private == Some(Private::Preview) {
            self.discard()?;
        }
        Ok(results)
    }

    /// Leaves nothing of the run.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn discard(self) -> Result<()> {
        fs::remove_file(&self.path).with_context(|| format!("cannot remove {}", self.path.display()))
    }

    /// Closes the run at `ended`, after `wall` on the wall where all of it was one, and puts it into `folder` of the course
    /// (`evidence`, or another for what must not be evidence). `None` if it holds no result: nothing is left of it then.
    ///
    /// # Errors
    /// When the disk refuses, or when the record holds a path; its lines stay beside the evidence then.
    pub fn finish(mut self, root: &Path, folder: &str, ended: String, wall: Duration) -> Result<Option<Written>> {
        if self.record.tried() == 0 {
            self.keep()?;
            return Ok(None);
        }
        let wall = if self.resumed.is_empty() { u64::try_from(wall.as_millis()).ok() } else { None };
        close(&mut self.record, &self.body, ended, self.resumed, wall);
        let written = put(root, folder, self.record).with_context(|| {
            format!("the finished rows are kept in {}, and measuring again puts them into the evidence", self.path.display())
        })?;
        fs::remove_file(&self.path).with_context(|| format!("cannot remove {}", self.path.display()))?;
        Ok(Some(written))
    }
}

/// The file of the run that `header` opens. A run of some rows only has one of its own, so that a quick look at a row never
/// stands in the way of a whole run that was cut short.
fn place(root: &Path, header: &Header) -> Result<PathBuf> {
    let folder = side(root, if header.circumstance.replayed.is_some() { REPLAYS } else { RUNS })?;
    let part = if header.circumstance.only_rows.is_empty() { "" } else { ".rows" };
    Ok(folder.join(format!("{}-{}{part}.jsonl", header.sweep, header.device)))
}

/// The results that `record` has when every row was tried in every round; where there are no rounds, when every row was.
fn expected(record: &Record) -> usize {
    let rows = record.rows.iter().filter(|row| row.skipped.is_none()).count();
    match record.header.kind {
        RunKind::Kernel | RunKind::Program => rows * record.header.identity.timing.rounds as usize,
        RunKind::Compile | RunKind::Profile => rows,
    }
}

/// Adds the footer of `record`, whose lines are `body`.
fn close(record: &mut Record, body: &str, ended: String, resumed: Vec<Resumed>, wall_ms: Option<u64>) {
    let complete = record.tried() == expected(record);
    let tick = verdict::tick_ns(record.results.iter().flat_map(|result| result.spans_ns.iter().copied()));
    record.footer = Some(Footer { resumed, wall_ms, ..lines::footer(body, ended, complete, tick) });
}

/// Puts `record` and its transcript into `folder`, under the first free name of its day.
fn put(root: &Path, folder: &str, record: Record) -> Result<Written> {
    if let Some((line, path)) = privacy::first_path(&record) {
        bail!("the record of {} holds an absolute path in line {line}, `{path}`; it is not taken as evidence", record.header.sweep);
    }
    let (text, transcript) = (lines::print(&record), transcript::transcript(&record));
    for suffix in 1.. {
        let stem = name::stem_in(folder, &record.header, suffix);
        let (record_name, transcript_name) = (format!("{stem}.jsonl"), format!("{stem}.txt"));
        let target = root.join(&record_name);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        }
        if root.join(&transcript_name).exists() || !create(&target, &text)? {
            continue;
        }
        // The record is the evidence; a crash between the two leaves a transcript to be made again, never a false one.
        create(&root.join(&transcript_name), &transcript)?;
        return Ok(Written { record_name, transcript_name, record, transcript });
    }
    bail!("no name is free for the record of {}", record.header.sweep)
}

/// Makes the file `path` with `text`, whole or not at all; `false` if there is one already.
fn create(path: &Path, text: &str) -> Result<bool> {
    let context = || format!("cannot write {}", path.display());
    let folder = path.parent().with_context(context)?;
    let mut beside = tempfile::NamedTempFile::new_in(folder).with_context(context)?;
    beside.write_all(text.as_bytes()).and_then(|()| beside.as_file().sync_all()).with_context(context)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // A temporary file is private by default; evidence is to be read by everyone.
        fs::set_permissions(beside.path(), fs::Permissions::from_mode(0o644)).with_context(context)?;
    }
    match beside.persist_noclobber(path) {
        Ok(_) => Ok(true),
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error).with_context(context),
    }
}

/// `1 row`, `2 rows`.
fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
