//! Turns the journal of a run that was cut short back into what it holds, and says whether a new run may go on with it.
//!
//! Must not write a journal.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context as _, Result};
use serde::Serialize;
use serde_json::Value;

use super::super::side::SIDE;
use super::{Between, RUNS, close, expected, put};
use crate::evidence::record::{Header, Record, Resumed, RowPlan};
use crate::evidence::{lines, name, privacy};

/// How much of a run of `sweep` on `device` was finished before it was cut short: results, and results of a whole run. `None`
/// if none was.
#[must_use]
pub fn cut_short(root: &Path, sweep: &str, device: &str) -> Option<(usize, usize)> {
    let record = Left::read(root, &root.join(SIDE).join(RUNS).join(format!("{sweep}-{device}.jsonl"))).ok()??.record;
    Some((record.tried(), expected(&record)))
}

/// Whether `record` is among the evidence, all but its footer: it was killed between being put there and being cleared away.
fn is_put(root: &Path, record: &Record) -> bool {
    let names = (1..).map(|suffix| root.join(format!("{}.jsonl", name::stem(&record.header, suffix))));
    let mut texts = names.map_while(|path| fs::read_to_string(path).ok());
    texts.any(|text| lines::parse(&text).is_ok_and(|there| Record { footer: None, ..there } == *record))
}

/// What a run that was cut short left in its journal.
pub(super) struct Left {
    pub(super) record: Record,
    /// The lines of the record.
    pub(super) body: String,
    /// Bytes of the file that hold whole lines.
    pub(super) length: u64,
    pub(super) resumed: Vec<Resumed>,
    /// When the file was last written.
    modified: SystemTime,
}

impl Left {
    /// Reads the journal at `path` of the course at `root`; `None` if it holds no result that is worth anything.
    pub(super) fn read(root: &Path, path: &Path) -> Result<Option<Self>> {
        let text = match fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        // A line that was cut short by the kill is no line.
        let whole = &text[..text.rfind('\n').map_or(0, |at| at + 1)];
        let (mut body, mut resumed) = (String::new(), Vec::new());
        for line in whole.split_inclusive('\n') {
            match serde_json::from_str(line) {
                Ok(Between::Resumed(here)) => resumed.push(here),
                Err(_) => body.push_str(line),
            }
        }
        let Ok(record) = lines::parse(&body) else { return Ok(None) };
        let unfit = record.footer.is_some() || privacy::first_path(&record).is_some();
        if record.tried() == 0 || unfit || is_put(root, &record) {
            return Ok(None);
        }
        let modified = fs::metadata(path).and_then(|data| data.modified()).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Some(Self { record, body, length: whole.len() as u64, resumed, modified }))
    }

    /// Puts it into the evidence, marked incomplete: the name of its record.
    pub(super) fn rescue(mut self, root: &Path) -> Result<String> {
        close(&mut self.record, &self.body, crate::measure::time_text(self.modified.into()), self.resumed, None);
        if let Some(footer) = &mut self.record.footer {
            footer.complete = false;
        }
        Ok(put(root, name::FOLDER, self.record)?.record_name)
    }
}

/// Why the run `begun` can't go on as the one that `header` and `rows` plan, if so. Launches in a sample were sized when it
/// began and stay as they were.
pub(super) fn difference(begun: &Record, header: &Header, rows: &[RowPlan]) -> Option<String> {
    let unsized_rows = |rows: &[RowPlan]| rows.iter().map(|row| RowPlan { launches_per_sample: 0, ..row.clone() }).collect::<Vec<_>>();
    let (before, now) = (&begun.header, header);
    let (then, here) = (&before.circumstance, &now.circumstance);
    if before.identity.fingerprint != now.identity.fingerprint {
        return Some("the code or the sweep has changed since".to_owned());
    }
    // Each look at it gave the run as many rounds as it was begun with.
    let mut planned = before.identity.clone();
    planned.timing.rounds /= then.looks.unwrap_or(1).max(1);
    if let Some(what) = first_difference(&planned, &now.identity) {
        return Some(format!("{what} is not the same"));
    }
    if then.uuid_digest != here.uuid_digest {
        return Some("it was begun on another card".to_owned());
    }
    if then.lessonc != here.lessonc {
        return Some(format!("lessonc {} began it, and this is {}", then.lessonc, here.lessonc));
    }
    if (&then.backend, &then.only_rows) != (&here.backend, &here.only_rows) {
        return Some("it was a run of other rows".to_owned());
    }
    (unsized_rows(&begun.rows) != unsized_rows(rows)).then(|| "the driver answers otherwise for its rows".to_owned())
}

/// The first field in which two values differ, such as `timing.rounds`.
fn first_difference(a: &impl Serialize, b: &impl Serialize) -> Option<String> {
    fn walk(at: &str, a: &Value, b: &Value) -> Option<String> {
        if a == b {
            return None;
        }
        let (Value::Object(a), Value::Object(b)) = (a, b) else { return Some(at.to_owned()) };
        a.keys().chain(b.keys()).find_map(|key| {
            let at = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
            walk(&at, a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null))
        })
    }
    // A value that JSON can't hold would not be in a record either.
    walk("", &serde_json::to_value(a).ok()?, &serde_json::to_value(b).ok()?)
}
