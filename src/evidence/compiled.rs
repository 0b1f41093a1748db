//! Turns what compiling a kernel for one architecture came to into a line of a record.
//!
//! Must not know compilers. These are exact facts of a toolkit: they need no GPU, no rounds and no statistics.

use serde::{Deserialize, Serialize};

use crate::base::sass::Opcodes;
use crate::plan::OwnValue;
use crate::plan::fingerprint::Fingerprint;
use crate::plan::lines as planned;

use super::consistent::{Contradiction, footer, holds, time};
use super::record::{Outcome, Record};

/// A row of a compile sweep: one kernel, compiled for one architecture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowCompiled {
    /// Index of the row among the planned rows.
    pub row: u32,
    /// How it ended: `ok`, or `skipped` with what the compiler said.
    pub outcome: Outcome,
    /// What the compiler said of the kernel, if it compiled.
    pub facts: Option<CompileFacts>,
}

/// What a compiler says of a kernel for one architecture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompileFacts {
    /// Registers a thread.
    pub registers: u32,
    /// The kernel's own stack frame, bytes a thread.
    pub stack_bytes: u32,
    /// Bytes of registers that are stored to local memory for want of room, by all instructions that do so together.
    pub spill_store_bytes: u32,
    /// Bytes of them that are loaded again.
    pub spill_load_bytes: u32,
    /// Static shared memory a block, bytes.
    pub static_shared_bytes: u32,
    /// Constant memory that the unit declares (`__constant__`), bytes.
    pub const_bytes: u32,
    /// The opcodes of the kernel in the order of its code, padding left out; `None` without a disassembler.
    pub opcodes: Option<Opcodes>,
}

impl Record {
    /// The architectures that the run's rows are of.
    #[must_use]
    pub fn architectures(&self) -> Vec<String> {
        self.header.identity.architecture.split_whitespace().map(str::to_owned).collect()
    }

    /// What the compiler said of row `row`.
    #[must_use]
    pub fn compile_facts(&self, row: usize) -> Option<&CompileFacts> {
        self.compiled.iter().find(|compiled| compiled.row as usize == row)?.facts.as_ref()
    }
}

/// Most registers that a thread can have.
const MOST_REGISTERS: u32 = 255;

/// The first line at which `record`, which is of a compile sweep, contradicts itself.
pub(super) fn first_fault(record: &Record) -> Result<(), (usize, String)> {
    header(record).map_err(|why| (1, why))?;
    let architectures = record.architectures();
    for (index, row) in record.rows.iter().enumerate() {
        let arch = row.values.iter().find(|(name, _)| name == "arch").map(|(_, value)| value);
        let is = |architecture: &String| arch.is_some_and(|arch| OwnValue::parse(arch) == Ok(OwnValue::Text(architecture.as_str().into())));
        let known = architectures.iter().any(is);
        holds(known, || format!("row `{}` is of none of the architectures that the run names", row.label))
            .map_err(|why| (2 + index, why))?;
    }
    let asked = record.asked();
    for (index, compiled) in record.compiled.iter().enumerate() {
        let in_order = asked.get(index) == Some(&compiled.row);
        holds(in_order, || format!("row {} comes out of order", compiled.row)).map_err(|why| (2 + record.rows.len() + index, why))?;
        facts(record, compiled).map_err(|why| (2 + record.rows.len() + index, format!("row {} {why}", compiled.row)))?;
    }
    let all = record.compiled.len() == record.rows.len();
    let last = 2 + record.rows.len() + record.compiled.len();
    holds(all || !record.is_complete(), || "the run is said to be complete, and rows are missing".to_owned()).map_err(|why| (last, why))?;
    footer(record).map_err(|why| (last, why))
}

fn header(record: &Record) -> Contradiction {
    let (header, identity) = (&record.header, &record.header.identity);
    time(&header.started)?;
    let toolkit = identity.nvrtc.as_ref().map(|version| format!("nvrtc-{version}"));
    holds(toolkit.as_ref() == Some(&header.device), || format!("the compiler is not the one that `{}` names", header.device))?;
    holds(identity.gpu.is_none() && header.circumstance.backend == "nvrtc", || "nothing was launched, and the run names a GPU".to_owned())?;
    let lines = &header.fingerprint_lines;
    let digest = Fingerprint::of(lines.clone()).digest;
    holds(digest == identity.fingerprint, || "the fingerprint is not the digest of its lines".to_owned())?;
    let code: Vec<&String> = lines.iter().filter(|line| line.starts_with("device: ") || line.starts_with("header ")).collect();
    let same = code.into_iter().eq(planned::code(&header.code).iter());
    holds(same, || "the code is not the code of the fingerprint".to_owned())
}

fn facts(record: &Record, compiled: &RowCompiled) -> Contradiction {
    let ok = compiled.outcome == Outcome::Ok;
    holds(ok == compiled.facts.is_some(), || format!("is `{}` and has {} facts", compiled.outcome.word(), if ok { "no" } else { "its" }))?;
    let Some(facts) = &compiled.facts else { return Ok(()) };
    holds((1..=MOST_REGISTERS).contains(&facts.registers), || format!("has {} registers a thread", facts.registers))?;
    holds(facts.opcodes.is_none() || record.header.identity.disassembler.is_some(), || "has opcodes that nothing listed".to_owned())?;
    holds(facts.opcodes.as_ref().is_none_or(|opcodes| !opcodes.is_empty()), || "has code of no instruction".to_owned())
}
