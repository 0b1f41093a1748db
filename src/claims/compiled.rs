//! Turns what a compiler said of a row's kernel into exact values: the columns of a compile sweep.
//!
//! Must not know compilers; counts of instructions are computed here from the opcodes that the run keeps.

use crate::base::quantity::Quantity;
use crate::course::sweep::SassColumn;
use crate::evidence::record::Record;
use crate::expr::{Absent, Value};

/// The value of the column `name` in row `row` of `record`; `title` names the row.
pub(super) fn value(name: &str, sass: &[SassColumn], record: &Record, row: usize, title: &str) -> Result<Value, Absent> {
    let Some(facts) = record.compile_facts(row) else {
        let compiled = record.compiled.iter().find(|compiled| compiled.row as usize == row);
        let why = compiled.and_then(|compiled| compiled.outcome.why()).unwrap_or("the run says nothing of it");
        return Err(Absent::unmeasured(format!("{title} was not compiled: {why}")));
    };
    let value = match name {
        "registers" => Quantity::counted(facts.registers, "registers"),
        "stack" => Quantity::bytes(facts.stack_bytes),
        "spill_stores" => Quantity::bytes(facts.spill_store_bytes),
        "spill_loads" => Quantity::bytes(facts.spill_load_bytes),
        "static_shared" => Quantity::bytes(facts.static_shared_bytes),
        "const_bytes" => Quantity::bytes(facts.const_bytes),
        _ => return counted(name, sass, record, row, title),
    };
    Ok(Value::Quantity(value))
}

fn counted(name: &str, sass: &[SassColumn], record: &Record, row: usize, title: &str) -> Result<Value, Absent> {
    let column = sass.iter().find(|column| column.name == name);
    let column = column.ok_or_else(|| Absent::from(format!("a compile sweep has no column `{name}`")))?;
    let Some(opcodes) = record.compile_facts(row).and_then(|facts| facts.opcodes.as_ref()) else {
        let why = record.header.unknown.get("opcodes").map_or("the run does not say why", String::as_str);
        return Err(Absent::unmeasured(format!("the instructions of {title} are not known: {why}")));
    };
    let count = if column.before.is_empty() {
        opcodes.count(&column.count)
    } else {
        opcodes.count_before(&column.count, &column.before).ok_or_else(|| {
            let ends: Vec<String> = column.before.iter().map(|end| format!("`{end}`")).collect();
            Absent::from(format!("{title} has no {} before which `{}` could be counted", ends.join(" or "), column.count))
        })?
    };
    Ok(Value::Quantity(Quantity::counted(count, "instructions")))
}
