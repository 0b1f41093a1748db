//! Turns a record into its lines of JSON and lines of JSON into a record, to the same bytes and back.
//!
//! Must not know where the text is kept. `print(parse(text)) == text` for every text that [`parse`] accepts whole. A record is read and
//! printed as the version that its header names.

mod exact;
mod short;
mod verify;

use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::{fmt, iter};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::base::digest::Digest;

use super::canary::CanaryResult;
use super::compiled::RowCompiled;
use super::output::Output;
use super::profiled::RowProfiled;
use super::record::{Footer, Header, Line, Record, RowPlan, RowResult, VERSION};

/// The version whose lines tell all of a row in a round, and of a canary, at length.
const LONG: u32 = 1;
/// The versions that this program reads.
const VERSIONS: RangeInclusive<u32> = LONG..=VERSION;

/// A line to be written, borrowed; the same JSON as [`Line`], but for what is told shortly.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "line", rename_all = "lowercase")]
pub enum LineRef<'a> {
    /// The first.
    Header(&'a Header),
    /// A planned row.
    Row(&'a RowPlan),
    /// A row in a round.
    Result(&'a RowResult),
    /// A canary in a round.
    Canary(&'a CanaryResult),
    /// A row of a compile sweep.
    Compiled(&'a RowCompiled),
    /// A row of a profile sweep.
    Profiled(&'a RowProfiled),
    /// What a program printed for a row in a round.
    Output(&'a Output),
    /// The last.
    Footer(&'a Footer),
}

impl LineRef<'_> {
    /// The line of a record of version `version`, as JSON with its LF.
    #[must_use]
    pub fn print(self, version: u32) -> String {
        printed(|out| self.print_to(version, out))
    }

    /// Writes the line to `out`, as far as that takes it.
    fn print_to(self, version: u32, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Result(result) if version > LONG => short::print_result(result, out),
            Self::Canary(result) if version > LONG => short::print_canary(result, out),
            _ => {
                serde_json::to_writer(&mut *out, &self)?;
                out.write_all(b"\n")
            }
        }
    }

    /// Whether it is printed as `text`, which is of the same place in a record of version `version` that was read from there.
    fn is_printed_as(self, version: u32, text: &str) -> bool {
        match self {
            // These were read as what is spelled in one way only.
            Self::Result(_) if version > LONG => text.starts_with(short::RESULT),
            Self::Canary(_) if version > LONG => text.starts_with(short::CANARY),
            _ => {
                // It is compared as it is printed: the text is not made once more.
                let mut expecting = Expecting(text.as_bytes());
                self.print_to(version, &mut expecting).is_ok() && expecting.0.is_empty()
            }
        }
    }
}

/// What `print` writes, which is JSON.
fn printed(print: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    // Every map of a record has text for keys, the only thing that JSON can refuse.
    print(&mut out).expect("a record's line is representable in JSON");
    String::from_utf8(out).expect("JSON is UTF-8")
}

/// Takes what is expected of it and nothing else.
struct Expecting<'a>(&'a [u8]);

impl Write for Expecting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.strip_prefix(bytes).ok_or(io::ErrorKind::InvalidData)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write(bytes).map(drop)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
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
    printed(|out| print_to(record, out))
}

fn print_to(record: &Record, out: &mut impl Write) -> io::Result<()> {
    body_to(record, out)?;
    record.footer.iter().try_for_each(|footer| LineRef::Footer(footer).print_to(record.header.version, out))
}

/// All lines of `record` but its footer: what the footer's digest covers.
#[must_use]
pub fn print_body(record: &Record) -> String {
    printed(|out| body_to(record, out))
}

fn body_to(record: &Record, out: &mut impl Write) -> io::Result<()> {
    body(record).try_for_each(|line| line.print_to(record.header.version, out))
}

/// The lines of `record` but its footer, in order.
fn body(record: &Record) -> impl Iterator<Item = LineRef<'_>> {
    let planned = iter::once(LineRef::Header(&record.header)).chain(record.rows.iter().map(LineRef::Row));
    let told = record.compiled.iter().map(LineRef::Compiled).chain(record.profiled.iter().map(LineRef::Profiled));
    planned.chain(in_order(record)).chain(told).chain(record.outputs.iter().map(LineRef::Output))
}

/// The results and canaries of `record` as its lines have them: the canaries of a round before its rows.
fn in_order(record: &Record) -> impl Iterator<Item = LineRef<'_>> {
    let (mut canaries, mut results) = (record.canaries.iter().peekable(), record.results.iter().peekable());
    std::iter::from_fn(move || {
        let round = results.peek().map_or(u32::MAX, |result| result.round);
        let canary = canaries.next_if(|canary| canary.round <= round).map(LineRef::Canary);
        canary.or_else(|| results.next().map(LineRef::Result))
    })
}

/// The line (from 1) of the result `index` of `record`.
#[must_use]
pub fn result_line(record: &Record, index: usize) -> usize {
    nth_line(record, index, |line| matches!(line, LineRef::Result(_)))
}

/// The line (from 1) of the canary `index` of `record`.
#[must_use]
pub fn canary_line(record: &Record, index: usize) -> usize {
    nth_line(record, index, |line| matches!(line, LineRef::Canary(_)))
}

/// The line of the `index`-th of those that `counts`; the one after all of them where there are fewer.
fn nth_line(record: &Record, index: usize, counts: impl Fn(&LineRef<'_>) -> bool) -> usize {
    let first = 2 + record.rows.len();
    let mut found = in_order(record).enumerate().filter(|(_, line)| counts(line));
    found.nth(index).map_or(first + record.results.len() + record.canaries.len(), |(line, _)| first + line)
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
    let mut record = Record::begun(header, Vec::new());
    let mut offset = text.find('\n').map_or(text.len(), |at| at + 1);
    let mut reader = LineReader::new(record.header.version);
    for (number, line) in lines {
        if record.footer.is_some() {
            return Err(Unreadable::new(number, "the record goes on after its footer"));
        }
        match reader.read(number, line)? {
            Line::Header(_) => return Err(Unreadable::new(number, "the record has a second header")),
            Line::Row(row) if record.tried() + record.canaries.len() == 0 => record.rows.push(*row),
            Line::Row(_) => return Err(Unreadable::new(number, "a planned row follows a result")),
            Line::Result(result) => {
                if record.results.is_empty() {
                    // Records stay for as long as their course, and most of one is its results.
                    record.results.reserve_exact(most_results(&record).min(text.len() / line.len() + 1));
                }
                record.results.push(*result);
            }
            Line::Canary(result) => record.canaries.push(*result),
            Line::Compiled(compiled) => record.compiled.push(*compiled),
            Line::Profiled(profiled) => record.profiled.push(*profiled),
            Line::Output(output) => record.outputs.push(*output),
            Line::Footer(footer) => {
                verify_footer(number, line, &text[..offset], &footer, record.header.version)?;
                record.footer = Some(footer);
            }
        }
        offset += line.len();
    }
    verify::results(&record)?;
    verify::canaries(&record)?;
    verify_print(&record, text)?;
    verify::compiled(&record)?;
    verify::profiled(&record)?;
    Ok(record)
}

/// How many results a record can have, by its plan.
fn most_results(record: &Record) -> usize {
    record.rows.len().saturating_mul(record.header.identity.timing.rounds as usize)
}

/// A record says what its lines say and nothing besides: no member twice, unknown or written otherwise, and no line elsewhere.
fn verify_print(record: &Record, text: &str) -> Result<(), Unreadable> {
    let mut lines = text.split_inclusive('\n');
    let printed = body(record).chain(record.footer.iter().map(LineRef::Footer));
    let mut pairs = printed.map(|line| lines.next().is_some_and(|text| line.is_printed_as(record.header.version, text)));
    let odd = pairs.position(|same| !same);
    odd.map_or(Ok(()), |index| Err(Unreadable::new(index + 1, "the line is not as lessonc writes it")))
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
    if !VERSIONS.contains(&opening.version) {
        let (first, last) = VERSIONS.into_inner();
        let message = format!("the record is of version {}; this lessonc reads versions {first} to {last}", opening.version);
        return Err(Unreadable { id: "evidence-version", line: number, message });
    }
    match LineReader::new(opening.version).read(number, line)? {
        Line::Header(header) if is_time(&header.started) => Ok(*header),
        Line::Header(header) => Err(Unreadable::new(number, format!("`{}` is no UTC time like 2026-01-31T12:00:00Z", header.started))),
        _ => Err(Unreadable::new(number, "the first line is no header")),
    }
}

/// Reads lines.
struct LineReader {
    version: u32,
    /// Room for the members of a line.
    members: String,
}

impl LineReader {
    fn new(version: u32) -> Self {
        Self { version, members: String::new() }
    }

    fn read(&mut self, number: usize, line: &str) -> Result<Line, Unreadable> {
        if !line.ends_with('\n') {
            return Err(Unreadable::new(number, "the last line is cut short"));
        }
        let odd = |why: &dyn fmt::Display| Unreadable::new(number, format!("the line is not as lessonc writes it: {why}"));
        // Most lines are of these two kinds.
        if self.version > LONG && line.starts_with(short::RESULT) {
            return short::read_result(line).map(|result| Line::Result(result.into())).map_err(|off| odd(&off));
        }
        if self.version > LONG && line.starts_with(short::CANARY) {
            return short::read_canary(line).map(|result| Line::Canary(result.into())).map_err(|off| odd(&off));
        }
        // They are read as what they say they are, where JSON with a tag is first read as anything; what can't be read so is read once
        // more, for the error.
        let quick = self.read_as(line, "result").map(Line::Result).or_else(|| self.read_as(line, "canary").map(Line::Canary));
        quick.map_or_else(|| serde_json::from_str(line), Ok).map_err(|error| odd(&error))
    }

    /// `line`, if it begins with the tag `kind`, as lessonc writes it.
    fn read_as<T: DeserializeOwned>(&mut self, line: &str, kind: &str) -> Option<T> {
        let rest = line.strip_prefix("{\"line\":\"")?.strip_prefix(kind)?.strip_prefix("\",")?;
        self.members.clear();
        self.members.extend(["{", rest]);
        serde_json::from_str(&self.members).ok()
    }
}

fn verify_footer(number: usize, line: &str, body: &str, footer: &Footer, version: u32) -> Result<(), Unreadable> {
    let digest = Digest::of(body);
    if footer.digest != digest {
        let message = format!("the footer's digest is {}, the lines above it give {}", footer.digest.short(), digest.short());
        return Err(Unreadable { id: "evidence-digest", line: number, message });
    }
    // The digest can't cover its own line, so the line is held to the one way in which it is written.
    if !LineRef::Footer(footer).is_printed_as(version, line) {
        return Err(Unreadable { id: "evidence-digest", line: number, message: "the footer is not as lessonc writes it".to_owned() });
    }
    if !is_time(&footer.ended) {
        return Err(Unreadable::new(number, format!("`{}` is no UTC time like 2026-01-31T12:00:00Z", footer.ended)));
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
    Footer { ended, complete, tick_ns, resumed: Vec::new(), wall_ms: None, digest: Digest::of(body) }
}

#[cfg(test)]
mod tests;
