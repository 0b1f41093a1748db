//! Turns the record of a compile sweep into its transcript: what was compiled with what, and what each kernel uses.
//!
//! Must not know which instructions a page counts; it says how many there are.

use std::fmt::Write as _;

use super::record::{Outcome, Record};
use super::transcript::{align, commit, complete, known, lines_of, one_line, opening, unknown, value};

/// The transcript of `record`, which is of a compile sweep.
pub(super) fn transcript(record: &Record) -> String {
    let header = &record.header;
    let (identity, circumstance) = (&header.identity, &header.circumstance);
    let mut lines = opening(record);
    lines.extend([
        ("Compiled", "for every architecture below; launched nowhere".to_owned()),
        ("NVRTC", known(&identity.nvrtc)),
        ("Disassembler", known(&identity.disassembler)),
        ("Architectures", identity.architecture.clone()),
        ("Host", format!("{}, {}", known(&circumstance.host_cpu), known(&circumstance.kernel))),
        ("Commit", commit(record)),
        ("lessonc", circumstance.lessonc.clone()),
        ("Fingerprint", identity.fingerprint.to_string()),
    ]);
    if !record.is_complete() {
        lines.insert(4, ("Complete", complete(record)));
    }
    let mut text = lines_of(&lines);
    text.push('\n');
    text.push_str(&table(record));
    for section in [outcomes(record), unknown(record)].iter().filter(|section| !section.is_empty()) {
        text.push('\n');
        text.push_str(section);
    }
    text
}

/// The table of rows: their values, and what the compiler says of each.
pub(super) fn table(record: &Record) -> String {
    let names: Vec<&String> = record.rows.first().map(|row| row.values.iter().map(|(name, _)| name).collect()).unwrap_or_default();
    let fixed = ["registers", "stack", "spill stores", "spill loads", "shared", "constants", "instructions", "outcome"];
    let mut rows =
        vec![["row"].into_iter().chain(names.iter().map(|name| name.as_str())).chain(fixed).map(str::to_owned).collect::<Vec<_>>()];
    for (index, row) in record.rows.iter().enumerate() {
        let mut cells = vec![row.label.clone()];
        cells.extend(names.iter().map(|&name| value(row, name)));
        let absent = || "-".to_owned();
        match record.compile_facts(index) {
            Some(facts) => {
                let numbers = [facts.registers, facts.stack_bytes, facts.spill_store_bytes, facts.spill_load_bytes];
                cells.extend(numbers.iter().chain(&[facts.static_shared_bytes, facts.const_bytes]).map(u32::to_string));
                cells.push(facts.opcodes.as_ref().map_or_else(absent, |opcodes| opcodes.len().to_string()));
            }
            None => cells.extend((0..7).map(|_| absent())),
        }
        let outcome = record.compiled.iter().find(|compiled| compiled.row as usize == index);
        cells.push(outcome.map_or("not tried", |compiled| compiled.outcome.word()).to_owned());
        rows.push(cells);
    }
    align(&rows, 1)
}

/// A line for each row that did not compile.
fn outcomes(record: &Record) -> String {
    let mut text = String::new();
    for compiled in record.compiled.iter().filter(|compiled| compiled.outcome != Outcome::Ok) {
        let label = record.rows.get(compiled.row as usize).map_or("?", |row| &row.label);
        let _ = writeln!(text, "  {label}: {}: {}", compiled.outcome.word(), one_line(compiled.outcome.why().unwrap_or_default()));
    }
    if text.is_empty() { text } else { format!("Not ok\n{text}") }
}
