//! Turns a run into its file while it goes on, line by line, and into evidence when it ends; nothing is ever overwritten.
//!
//! Must not know how rows are measured.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::evidence::lines::{self, LineRef};
use crate::evidence::record::{Header, Record, RowPlan, RowResult};
use crate::evidence::{name, privacy, transcript, verdict};

/// Folder of the course for what is not evidence yet; ignored by version control.
pub const SIDE: &str = ".lessonc";

/// A run that is being written.
pub struct Journal {
    file: File,
    path: PathBuf,
    record: Record,
    body: String,
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

impl Journal {
    /// Opens the file of a run that begins now. If one of the same sweep and device was killed before, its finished rows
    /// are put into the evidence first, marked incomplete; `rescued` is told its name.
    ///
    /// # Errors
    /// When another process measures the same sweep, when the disk refuses, or when the record would hold a path.
    pub fn begin(root: &Path, header: Header, rows: Vec<RowPlan>, rescued: &mut dyn FnMut(&str)) -> Result<Self> {
        let folder = side(root, "measure")?;
        let path = folder.join(format!("{}-{}.jsonl", header.sweep, header.device));
        let file =
            File::options().create(true).append(true).read(true).open(&path).with_context(|| format!("cannot write {}", path.display()))?;
        if file.try_lock().is_err() {
            bail!("another lessonc measures {} on {} at this moment", header.sweep, header.device);
        }
        if let Some(name) = rescue(root, &path)? {
            rescued(&name);
        }
        file.set_len(0).with_context(|| format!("cannot write {}", path.display()))?;
        let record = Record { header, rows, results: Vec::new(), canaries: Vec::new(), footer: None };
        if let Some((_, found)) = privacy::first_path(&record) {
            bail!("the record of {} would hold an absolute path, `{found}`; it is not begun", record.header.sweep);
        }
        let mut journal = Self { file, path, body: lines::print_body(&record), record };
        let text = journal.body.clone();
        journal.append(&text)?;
        Ok(journal)
    }

    /// Adds a result; it is on disk when this returns.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn add(&mut self, result: RowResult) -> Result<()> {
        let line = LineRef::Result(&result).print();
        self.append(&line)?;
        self.body.push_str(&line);
        self.record.results.push(result);
        Ok(())
    }

    fn append(&mut self, text: &str) -> Result<()> {
        self.file
            .write_all(text.as_bytes())
            .and_then(|()| self.file.flush())
            .with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Closes the run at `ended` and puts it into `folder` of the course (`evidence`, or another for what must not be
    /// evidence). `None` if it holds no result: nothing is left of it then.
    ///
    /// # Errors
    /// When the disk refuses, or when the record holds a path; its lines stay beside the evidence then.
    pub fn finish(mut self, root: &Path, folder: &str, ended: String) -> Result<Option<Written>> {
        if self.record.results.is_empty() {
            fs::remove_file(&self.path).with_context(|| format!("cannot remove {}", self.path.display()))?;
            return Ok(None);
        }
        close(&mut self.record, &self.body, ended);
        let written = put(root, folder, self.record)?;
        fs::remove_file(&self.path).with_context(|| format!("cannot remove {}", self.path.display()))?;
        Ok(Some(written))
    }
}

/// The folder `name` beside the evidence, made and kept out of version control.
fn side(root: &Path, name: &str) -> Result<PathBuf> {
    let side = root.join(SIDE);
    let folder = side.join(name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let ignore = side.join(".gitignore");
    if !ignore.exists() {
        fs::write(&ignore, "*\n").with_context(|| format!("cannot write {}", ignore.display()))?;
    }
    Ok(folder)
}

/// Adds the footer of `record`, whose lines are `body`.
fn close(record: &mut Record, body: &str, ended: String) {
    let planned = record.rows.iter().filter(|row| row.skipped.is_none()).count();
    let complete = record.results.len() == planned * record.header.identity.timing.rounds as usize;
    let tick = verdict::tick_ns(record.results.iter().flat_map(|result| result.spans_ns.iter().copied()));
    record.footer = Some(lines::footer(body, ended, complete, tick));
}

/// Puts `record` and its transcript into `folder`, under the first free name of its day.
fn put(root: &Path, folder: &str, record: Record) -> Result<Written> {
    if let Some((line, path)) = privacy::first_path(&record) {
        bail!("the record of {} holds an absolute path in line {line}, `{path}`; it is not taken as evidence", record.header.sweep);
    }
    let (text, transcript) = (lines::print(&record), transcript::transcript(&record));
    for suffix in 1.. {
        let stem = format!("{folder}{}", name::stem(&record.header, suffix).strip_prefix(name::FOLDER).unwrap_or_default());
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

/// Whether `record` is among the evidence, all but its footer: it was killed between being put there and being cleared away.
fn is_put(root: &Path, record: &Record) -> bool {
    let names = (1..).map(|suffix| root.join(format!("{}.jsonl", name::stem(&record.header, suffix))));
    let mut texts = names.map_while(|path| fs::read_to_string(path).ok());
    texts.any(|text| lines::parse(&text).is_ok_and(|there| Record { footer: None, ..there } == *record))
}

/// Puts what a killed run left at `path` into the evidence, if it holds a result: the name of its record.
fn rescue(root: &Path, path: &Path) -> Result<Option<String>> {
    let text = fs::read_to_string(path).unwrap_or_default();
    // A line that was cut short by the kill is no line.
    let whole = &text[..text.rfind('\n').map_or(0, |at| at + 1)];
    let Ok(mut record) = lines::parse(whole) else { return Ok(None) };
    let unfit = record.header.circumstance.replayed.is_some() || privacy::first_path(&record).is_some();
    if record.results.is_empty() || record.footer.is_some() || unfit || is_put(root, &record) {
        return Ok(None);
    }
    let modified = fs::metadata(path).and_then(|data| data.modified()).with_context(|| format!("cannot read {}", path.display()))?;
    close(&mut record, whole, super::time_text(modified.into()));
    if let Some(footer) = &mut record.footer {
        footer.complete = false;
    }
    Ok(Some(put(root, name::FOLDER, record)?.record_name))
}
