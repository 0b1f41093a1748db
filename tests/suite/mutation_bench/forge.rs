//! Turns a record and a lie into a record with that lie in it and all made afresh that can be: tick, digest, transcript.
//!
//! Must not know lies. What is found then is found by what the record says.

use lessonc::evidence::record::Record;
use lessonc::evidence::{Run, lines, name, transcript, verdict};

use super::course::Change;

/// The run after `lie`, under its own name.
pub(super) fn forge(run: &Run, lie: impl FnOnce(&mut Record) -> Option<()>) -> Option<Change> {
    let mut record = (*run.record).clone();
    lie(&mut record)?;
    Some(files(run.stem(), record))
}

/// The run after `lie`, which lies where its header then says.
pub(super) fn forge_and_rename(run: &Run, lie: impl FnOnce(&mut Record) -> Option<()>) -> Option<Change> {
    let mut record = (*run.record).clone();
    lie(&mut record)?;
    let stem = name::stem(&record.header, run.suffix);
    let change = files(&stem, record);
    Some(if stem == run.stem() { change } else { change.without(&run.name).without(&run.transcript_name) })
}

/// The files of `record` under the name `stem`.
pub(super) fn files(stem: &str, mut record: Record) -> Change {
    if let Some(old) = record.footer.take() {
        let spans = record.results.iter().flat_map(|result| result.spans_ns.iter().copied());
        let tick = verdict::tick_ns(spans);
        let fresh = lines::footer(&lines::print_body(&record), old.ended.clone(), old.complete, tick);
        record.footer = Some(lessonc::evidence::record::Footer { digest: fresh.digest, tick_ns: tick, ..old });
    }
    Change::of(&format!("{stem}.jsonl"), lines::print(&record)).and(&format!("{stem}.txt"), transcript::transcript(&record))
}
