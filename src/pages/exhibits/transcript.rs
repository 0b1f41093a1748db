//! Turns `transcript: SWEEP` into lines of the current run's transcript, or of what a program printed, folded where they
//! are many.
//!
//! Must not know how a transcript is laid out.

use std::sync::Arc;

use serde::Serialize;

use crate::base::problem::Problem;
use crate::base::slice::Slice;
use crate::course::marker::Marker;
use crate::evidence::Run;
use crate::evidence::record::{Outcome, RunKind};
use crate::pages::block::Block;
use crate::pages::caption;
use crate::pages::page::Page;
use crate::pages::problems;
use crate::pages::provenance::Provenance;

use super::Exhibit;
use super::gap::{Gap, gap};

/// The kind.
pub(super) struct Transcript;

/// More lines than these are folded.
const UNFOLDED: usize = 30;

#[derive(Serialize)]
struct View {
    id: String,
    title: String,
    label: String,
    text: String,
    fold: Option<String>,
    source: Option<Provenance>,
    missing: Option<Gap>,
}

impl Exhibit for Transcript {
    fn kind(&self) -> &'static str {
        "transcript"
    }

    fn make(&self, marker: &Marker, page: &mut Page<'_>) -> Option<Block> {
        let mut keys = marker.keys("a transcript");
        let title = keys.text("title", &mut page.problems);
        let lines = keys.text("lines", &mut page.problems);
        let fold = keys.truth("fold", &mut page.problems);
        let row = keys.text("row", &mut page.problems);
        keys.finish(&mut page.problems);
        let sweep = marker.target.text();
        let title = caption::of_exhibit(title.as_ref(), sweep, page);
        let id = page.id("transcript");
        let label = format!("{}: {sweep}", page.words.transcript);
        let board = match page.board(sweep, &marker.target.whole()) {
            Ok(board) => board,
            Err(absent) => {
                let missing = Some(gap(sweep, absent, page)?);
                let view = View { id, title, label, text: String::new(), fold: None, source: None, missing };
                return Some(Block::of("transcript.html", view));
            }
        };
        let whole = page.problems.note(whole(&board.run, row.as_ref()))?;
        let count = whole.lines().count();
        let (first, last) = match &lines {
            Some(lines) => page.problems.note(range(lines, count))?,
            None => (1, count),
        };
        let text: Vec<&str> = whole.lines().skip(first - 1).take(last + 1 - first).collect();
        let fold = fold.unwrap_or(text.len() > UNFOLDED).then(|| page.words.folded_transcript.of(&[text.len()], &[]));
        let source = page.provenance(&board.run, None);
        // What a program printed has no lines of its own on the transcript's page.
        let source = if board.run.kind() == RunKind::Program { source } else { source.at_line(first) };
        Some(Block::of("transcript.html", View { id, title, label, text: text.join("\n"), fold, source: Some(source), missing: None }))
    }
}

/// What is shown of `run`: of a program what it printed itself, in the first round that went well, for its first row or the
/// one called `row`; of anything else the transcript.
fn whole(run: &Run, row: Option<&Slice>) -> Result<Arc<str>, Problem> {
    let record = &run.record;
    match (record.header.kind, row) {
        (RunKind::Program, row) => {
            let index = match row {
                Some(row) => record.row_index(row.text()).ok_or_else(|| {
                    let labels: Vec<&str> = record.rows.iter().map(|row| row.label.as_str()).collect();
                    problems::not_one_of("row", row.text(), &labels, &row.whole())
                })?,
                None => 0,
            };
            let output = record.outputs_of(index).find(|output| output.outcome == Outcome::Ok);
            Ok(output.map_or_else(|| run.expected_transcript().clone(), |output| output.stdout.as_str().into()))
        }
        (_, Some(row)) => Err(problems::no_own_output(run.sweep(), &row.whole())),
        (_, None) => Ok(run.expected_transcript().clone()),
    }
}

/// Reads `12-30` or `12`, within `count` lines.
fn range(lines: &Slice, count: usize) -> Result<(usize, usize), Problem> {
    let at = lines.whole();
    let text = lines.text().trim();
    let (first, last) = text.split_once(['-', '\u{2013}']).unwrap_or((text, text));
    let (Ok(first), Ok(last)) = (first.trim().parse::<usize>(), last.trim().parse::<usize>()) else {
        return Err(problems::bad_lines(format!("`{text}` is no range of lines"), &at));
    };
    if first == 0 || last < first || last > count {
        return Err(problems::bad_lines(format!("the transcript has lines 1 to {count}, not {first} to {last}"), &at));
    }
    Ok((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_one_and_stay_inside() {
        let read = |text: &str| range(&Slice::verbatim(&"a.md".into(), text, 0), 40).ok();
        let cases = [("12-30", Some((12, 30))), ("7", Some((7, 7))), ("1 - 40", Some((1, 40)))];
        for (text, expected) in cases {
            assert_eq!(read(text), expected, "{text}");
        }
        for text in ["0-3", "5-4", "1-41", "x", ""] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
