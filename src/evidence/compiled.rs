//! Turns what compiling a kernel for one architecture came to into a line of a record.
//!
//! Must not know compilers. These are exact facts of a toolkit: they need no GPU, no rounds and no statistics.

use serde::{Deserialize, Serialize};

use crate::base::sass::Opcodes;

use super::record::Outcome;

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
