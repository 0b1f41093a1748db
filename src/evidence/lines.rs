//! Turns a record into its lines of JSON and lines of JSON into a record, to the same bytes and back.
//!
//! Must not know where the text is kept. `print(parse(text)) == text` for every text that [`parse`] accepts whole.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::base::digest::Digest;

use super::canary::CanaryResult;
use super::compiled::RowCompiled;
use super::output::Output;
use super::profiled::RowProfiled;
use super::record::{Footer, Header, Line, Outcome, Record, RowPlan, RowResult, RunKind, VERSION};

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
    /// The line as JSON with its LF.
    #[must_use]
    pub fn print(&self) -> String {
        printed(|out| self.print_to(out))
    }

    /// Writes the line to `out`, as far as that takes it.
    fn print_to(&self, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
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
    record.footer.iter().try_for_each(|footer| LineRef::Footer(footer).print_to(out))
}

/// All lines of `record` but its footer: what the footer's digest covers.
#[must_use]
pub fn print_body(record: &Record) -> String {
    printed(|out| body_to(record, out))
}

fn body_to(record: &Record, out: &mut impl Write) -> io::Result<()> {
    LineRef::Header(&record.header).print_to(out)?;
    record.rows.iter().try_for_each(|row| LineRef::Row(row).print_to(out))?;
    in_order(record).try_for_each(|line| line.print_to(out))?;
    record.compiled.iter().try_for_each(|compiled| LineRef::Compiled(compiled).print_to(out))?;
    record.profiled.iter().try_for_each(|profiled| LineRef::Profiled(profiled).print_to(out))?;
    record.outputs.iter().try_for_each(|output| LineRef::Output(output).print_to(out))
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
    let mut reader = LineReader::default();
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
                verify_footer(number, line, &text[..offset], &footer)?;
                record.footer = Some(footer);
            }
        }
        offset += line.len();
    }
    verify_results(&record)?;
    verify_canaries(&record)?;
    verify_print(&record, text)?;
    verify_compiled(&record)?;
    verify_profiled(&record)?;
    Ok(record)
}

/// How many results a record can have, by its plan.
fn most_results(record: &Record) -> usize {
    record.rows.len().saturating_mul(record.header.identity.timing.rounds as usize)
}

/// A record says what its lines say and nothing besides: no member twice, unknown or written otherwise.
fn verify_print(record: &Record, text: &str) -> Result<(), Unreadable> {
    // It is compared as it is printed: the text is not made once more, but for the error.
    let mut rest = Expecting(text.as_bytes());
    if print_to(record, &mut rest).is_ok() && rest.0.is_empty() {
        return Ok(());
    }
    let printed = print(record);
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
    match LineReader::default().read(number, line)? {
        Line::Header(header) if is_time(&header.started) => Ok(*header),
        Line::Header(header) => Err(Unreadable::new(number, format!("`{}` is no UTC time like 2026-01-31T12:00:00Z", header.started))),
        _ => Err(Unreadable::new(number, "the first line is no header")),
    }
}

/// Reads lines.
#[derive(Default)]
struct LineReader {
    /// Room for the members of a line.
    members: String,
}

impl LineReader {
    fn read(&mut self, number: usize, line: &str) -> Result<Line, Unreadable> {
        if !line.ends_with('\n') {
            return Err(Unreadable::new(number, "the last line is cut short"));
        }
        // Most lines are of these two kinds. They are read as what they say they are, where JSON with a tag is first read as anything;
        // what can't be read so is read once more, for the error.
        let quick = self.read_as(line, "result").map(Line::Result).or_else(|| self.read_as(line, "canary").map(Line::Canary));
        let read = quick.map_or_else(|| serde_json::from_str(line), Ok);
        read.map_err(|error| Unreadable::new(number, format!("the line is not as lessonc writes it: {error}")))
    }

    /// `line`, if it begins with the tag `kind`, as lessonc writes it.
    fn read_as<T: DeserializeOwned>(&mut self, line: &str, kind: &str) -> Option<T> {
        let rest = line.strip_prefix("{\"line\":\"")?.strip_prefix(kind)?.strip_prefix("\",")?;
        self.members.clear();
        self.members.extend(["{", rest]);
        serde_json::from_str(&self.members).ok()
    }
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
    if record.header.kind != RunKind::Program && !record.outputs.is_empty() {
        return Err(Unreadable::new(2 + record.rows.len(), "only a program prints"));
    }
    let mut seen = BTreeSet::new();
    for (index, (round, row)) in record.in_order().enumerate() {
        let fault = |message: String| Err(Unreadable::new(result_line(record, index), message));
        if row as usize >= record.rows.len() {
            return fault(format!("there is no row {row} among {}", record.rows.len()));
        }
        if let Some(message) = no_round(record, round) {
            return fault(message);
        }
        if !seen.insert((round, row)) {
            return fault(format!("row {row} has a second result in round {round}"));
        }
    }
    Ok(())
}

/// A canary speaks of a planned round, once.
fn verify_canaries(record: &Record) -> Result<(), Unreadable> {
    let mut seen = BTreeSet::new();
    for (index, result) in record.canaries.iter().enumerate() {
        let fault = |message: String| Err(Unreadable::new(canary_line(record, index), message));
        if let Some(message) = no_round(record, result.round) {
            return fault(message);
        }
        if !seen.insert((result.round, result.canary)) {
            return fault(format!("the canary `{}` has a second result in round {}", result.canary.word(), result.round));
        }
    }
    Ok(())
}

/// What was compiled speaks of planned rows, each once, in a run that is of compiling and of nothing else.
fn verify_compiled(record: &Record) -> Result<(), Unreadable> {
    let is_compile = record.header.kind == RunKind::Compile;
    if is_compile && !record.results.is_empty() {
        return Err(Unreadable::new(2 + record.rows.len(), "a run that only compiled has no results of rounds"));
    }
    let mut seen = BTreeSet::new();
    for (index, compiled) in record.compiled.iter().enumerate() {
        let number = 2 + record.rows.len() + record.results.len() + index;
        let row = compiled.row as usize;
        let fault = if !is_compile {
            "the run is not one of compiling".to_owned()
        } else if row >= record.rows.len() {
            format!("there is no row {row} among {}", record.rows.len())
        } else if !seen.insert(row) {
            format!("row {row} was compiled twice")
        } else if (compiled.outcome == Outcome::Ok) != compiled.facts.is_some() {
            format!("row {row} is `{}`, and its facts say otherwise", compiled.outcome.word())
        } else {
            continue;
        };
        return Err(Unreadable::new(number, fault));
    }
    Ok(())
}

/// What was profiled speaks of planned rows, each once, in a run that is of profiling and of nothing else.
fn verify_profiled(record: &Record) -> Result<(), Unreadable> {
    let is_profile = record.header.kind == RunKind::Profile;
    let first = 2 + record.rows.len();
    if is_profile && !(record.results.is_empty() && record.canaries.is_empty()) {
        return Err(Unreadable::new(first, "a run that only profiled has no results of rounds"));
    }
    let mut seen = BTreeSet::new();
    for (index, profiled) in record.profiled.iter().enumerate() {
        let row = profiled.row as usize;
        let fault = if !is_profile {
            "the run is not one of profiling".to_owned()
        } else if row >= record.rows.len() {
            format!("there is no row {row} among {}", record.rows.len())
        } else if !seen.insert(row) {
            format!("row {row} was profiled twice")
        } else {
            continue;
        };
        return Err(Unreadable::new(first + index, fault));
    }
    Ok(())
}

fn no_round(record: &Record, round: u32) -> Option<String> {
    let rounds = record.header.identity.timing.rounds;
    (round == 0 || round > rounds).then(|| format!("there is no round {round} among {rounds}"))
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
