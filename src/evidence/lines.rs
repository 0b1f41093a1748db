//! Turns a record into its lines of JSON and lines of JSON into a record, to the same bytes and back.
//!
//! Must not know where the text is kept. `print(parse(text)) == text` for every text that [`parse`] accepts whole.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::base::digest::Digest;

use super::record::{Footer, Header, Line, Record, RowPlan, RowResult, VERSION};

/// A line to be written, borrowed; the same JSON as [`Line`].
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "line", rename_all = "lowercase")]
pub enum LineRef<'a> {
    /// The first.
    Header(&'a Header),
    /// A planned row.
    Row(&'a RowPlan),
    /// A row in a round.
    Result(&'a RowResult),
    /// The last.
    Footer(&'a Footer),
}

impl LineRef<'_> {
    /// The line as JSON with its LF.
    #[must_use]
    pub fn print(&self) -> String {
        // Every map of a record has text for keys, the only thing that JSON can refuse.
        let mut text = serde_json::to_string(self).expect("a record's line is representable in JSON");
        text.push('\n');
        text
    }
}

/// Why a text is no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Stable identifier of the kind of problem.
    pub id: &'static str,
    /// The line at fault, from 1.
    pub line: usize,
    /// One sentence without a full stop.
    pub message: String,
}

impl Unreadable {
    fn new(line: usize, message: impl Into<String>) -> Self {
        Self { id: "evidence-unreadable", line, message: message.into() }
    }
}

/// All lines of `record`.
#[must_use]
pub fn print(record: &Record) -> String {
    let mut text = print_body(record);
    if let Some(footer) = &record.footer {
        text.push_str(&LineRef::Footer(footer).print());
    }
    text
}

/// All lines of `record` but its footer: what the footer's digest covers.
#[must_use]
pub fn print_body(record: &Record) -> String {
    let mut text = LineRef::Header(&record.header).print();
    record.rows.iter().for_each(|row| text.push_str(&LineRef::Row(row).print()));
    record.results.iter().for_each(|result| text.push_str(&LineRef::Result(result).print()));
    text
}

/// Reads a record. A text without a footer is one that was cut short; its record says so by having none.
///
/// # Errors
/// The first line that is not as lessonc writes it, and a digest that does not agree.
pub fn parse(text: &str) -> Result<Record, Unreadable> {
    let mut lines = text.split_inclusive('\n').enumerate().map(|(index, line)| (index + 1, line));
    let header = match lines.next() {
        Some((number, line)) => parse_header(number, line)?,
        None => return Err(Unreadable::new(1, "the record is empty")),
    };
    let mut record = Record { header, rows: Vec::new(), results: Vec::new(), footer: None };
    let mut offset = text.find('\n').map_or(text.len(), |at| at + 1);
    for (number, line) in lines {
        if record.footer.is_some() {
            return Err(Unreadable::new(number, "the record goes on after its footer"));
        }
        match parse_line(number, line)? {
            Line::Header(_) => return Err(Unreadable::new(number, "the record has a second header")),
            Line::Row(row) if record.results.is_empty() => record.rows.push(*row),
            Line::Row(_) => return Err(Unreadable::new(number, "a planned row follows a result")),
            Line::Result(result) => record.results.push(*result),
            Line::Footer(footer) => {
                verify_footer(number, line, &text[..offset], &footer)?;
                record.footer = Some(footer);
            }
        }
        offset += line.len();
    }
    verify_results(&record)?;
    verify_print(&record, text)?;
    Ok(record)
}

/// A record says what its lines say and nothing besides: no member twice, unknown or written otherwise.
fn verify_print(record: &Record, text: &str) -> Result<(), Unreadable> {
    let printed = print(record);
    if printed == text {
        return Ok(());
    }
    let same = printed.split_inclusive('\n').zip(text.split_inclusive('\n')).take_while(|(printed, line)| printed == line).count();
    Err(Unreadable::new(same + 1, "the line is not as lessonc writes it"))
}

/// The header alone, without the lines that follow it.
///
/// # Errors
/// When the first line is no header of a version that this program knows.
pub fn parse_header(number: usize, line: &str) -> Result<Header, Unreadable> {
    #[derive(Deserialize)]
    struct Opening {
        line: String,
        version: u32,
    }
    let opening: Opening =
        serde_json::from_str(line).map_err(|_| Unreadable::new(number, "the first line is no header of a record of lessonc"))?;
    if opening.line != "header" {
        return Err(Unreadable::new(number, format!("the first line is a `{}`, not a header", opening.line)));
    }
    if opening.version != VERSION {
        let message = format!("the record is of version {}; this lessonc reads version {VERSION}", opening.version);
        return Err(Unreadable { id: "evidence-version", line: number, message });
    }
    match parse_line(number, line)? {
        Line::Header(header) if is_time(&header.started) => Ok(*header),
        Line::Header(header) => Err(Unreadable::new(number, format!("`{}` is no UTC time like 2026-01-31T12:00:00Z", header.started))),
        _ => Err(Unreadable::new(number, "the first line is no header")),
    }
}

fn parse_line(number: usize, line: &str) -> Result<Line, Unreadable> {
    if !line.ends_with('\n') {
        return Err(Unreadable::new(number, "the last line is cut short"));
    }
    serde_json::from_str(line).map_err(|error| Unreadable::new(number, format!("the line is not as lessonc writes it: {error}")))
}

fn verify_footer(number: usize, line: &str, body: &str, footer: &Footer) -> Result<(), Unreadable> {
    let digest = Digest::of(body);
    if footer.digest != digest {
        let message = format!("the footer's digest is {}, the lines above it give {}", footer.digest.short(), digest.short());
        return Err(Unreadable { id: "evidence-digest", line: number, message });
    }
    // The digest can't cover its own line, so the line is held to the one way in which it is written.
    if LineRef::Footer(footer).print() != line {
        return Err(Unreadable { id: "evidence-digest", line: number, message: "the footer is not as lessonc writes it".to_owned() });
    }
    if !is_time(&footer.ended) {
        return Err(Unreadable::new(number, format!("`{}` is no UTC time like 2026-01-31T12:00:00Z", footer.ended)));
    }
    Ok(())
}

/// Results speak of planned rows and rounds, each once, so that later stages may index without looking.
fn verify_results(record: &Record) -> Result<(), Unreadable> {
    if let Some(index) = record.rows.iter().position(|row| row.launches_per_sample == 0) {
        return Err(Unreadable::new(index + 2, "the row has no launches in a sample"));
    }
    let mut seen = BTreeSet::new();
    for (index, result) in record.results.iter().enumerate() {
        let number = 2 + record.rows.len() + index;
        if result.row as usize >= record.rows.len() {
            return Err(Unreadable::new(number, format!("there is no row {} among {}", result.row, record.rows.len())));
        }
        if result.round == 0 || result.round > record.header.identity.timing.rounds {
            let message = format!("there is no round {} among {}", result.round, record.header.identity.timing.rounds);
            return Err(Unreadable::new(number, message));
        }
        if !seen.insert((result.round, result.row)) {
            return Err(Unreadable::new(number, format!("row {} has a second result in round {}", result.row, result.round)));
        }
    }
    Ok(())
}

/// Whether `text` is `YYYY-MM-DDTHH:MM:SSZ`; the shape only, since it is compared and shown, never computed with.
#[must_use]
pub fn is_time(text: &str) -> bool {
    text.len() == 20
        && text.bytes().zip(b"0000-00-00T00:00:00Z").all(|(byte, &shape)| if shape == b'0' { byte.is_ascii_digit() } else { byte == shape })
}

/// The footer that closes `body`, the lines so far.
#[must_use]
pub fn footer(body: &str, ended: String, complete: bool, tick_ns: Option<u64>) -> Footer {
    Footer { ended, complete, tick_ns, digest: Digest::of(body) }
}
