//! The columns that every measured row has beside its own values and the manifest's: their names, and what each hangs on.
//!
//! Turns a name into what is known of the column before any run. Must not know values, nor how a page heads them.

/// What a value can depend on; the later, the more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Constants and the plan: the same on every device.
    Plan,
    /// What driver and compiler say of a device.
    Device,
    /// What was timed.
    Measured,
}

/// A column of every measured row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name in expressions and markers.
    pub name: &'static str,
    /// What its values depend on.
    pub standing: Standing,
    /// What it is, in a few words; empty where the name says it.
    pub about: &'static str,
}

const fn column(name: &'static str, standing: Standing, about: &'static str) -> BuiltIn {
    BuiltIn { name, standing, about }
}

/// The columns, in the order in which a row has them.
pub const BUILT_IN: [BuiltIn; 15] = [
    column("label", Standing::Plan, ""),
    column("ms", Standing::Measured, "time of one launch: the median of a round's samples, over the rounds"),
    column("clock", Standing::Measured, "the median SM clock around the samples"),
    column("grid", Standing::Device, "blocks launched"),
    column("block", Standing::Plan, "threads a block"),
    column("shared", Standing::Device, "dynamic shared memory a block"),
    column("blocks_per_sm", Standing::Device, "blocks that fit on an SM at once, as the driver answers"),
    column("registers", Standing::Device, "registers a thread, as compiled"),
    column("local_bytes", Standing::Device, "local memory a thread, as compiled; spills live there"),
    column("static_shared", Standing::Device, "static shared memory a block, as compiled"),
    column("max_threads", Standing::Device, "threads that a block of this kernel may have"),
    column("suggested_block", Standing::Device, "the block size that the driver suggests"),
    column("suggested_grid", Standing::Device, "the grid that the driver calls enough to fill the device"),
    column("bytes", Standing::Plan, "bytes that one launch moves, as the sweep declares"),
    column("flop", Standing::Plan, "floating-point operations of one launch, as the sweep declares"),
];

/// The columns of every row of a compile sweep besides the label, in order.
pub const COMPILED: [BuiltIn; 8] = [
    column("kernel", Standing::Plan, "the kernel that was compiled"),
    column("arch", Standing::Plan, "the architecture that it was compiled for"),
    column("registers", Standing::Device, "registers a thread"),
    column("stack", Standing::Device, "the kernel's own stack frame, a thread"),
    column("spill_stores", Standing::Device, "bytes stored to local memory for want of registers"),
    column("spill_loads", Standing::Device, "bytes loaded from there again"),
    column("static_shared", Standing::Device, "static shared memory a block"),
    column("const_bytes", Standing::Device, "constant memory that the unit declares"),
];

/// Whether every row of a compile sweep has a column `name`.
#[must_use]
pub fn is_compiled(name: &str) -> bool {
    COMPILED.iter().any(|column| column.name == name)
}

/// The columns that every row of a profile sweep has besides the label, its own values and what its launch was, in order.
pub const PROFILED: [BuiltIn; 4] = [
    column("achieved", Standing::Measured, "warps that were there on average while an SM was busy, of all that it can hold"),
    column("theoretical", Standing::Device, "warps that launch and kernel allow, of all that an SM can hold"),
    column("limited_by", Standing::Device, "what allows the fewest blocks on an SM"),
    column("dram_bytes", Standing::Measured, "bytes moved to and from memory by a launch, counted"),
];

/// Whether every row of a profile sweep has a column `name`.
#[must_use]
pub fn is_profiled(name: &str) -> bool {
    PROFILED.iter().any(|column| column.name == name)
}

/// The built-in column `name`.
#[must_use]
pub fn built_in(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|column| column.name == name)
}
