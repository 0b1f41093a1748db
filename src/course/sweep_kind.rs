//! Turns a sweep into what its kind says of it: its source, its regions, the columns that its rows have.
//!
//! Must not know how a manifest says it.

use crate::base::span::Span;

use super::columns::BuiltIn;
use super::sweep::{Kind, Sweep, UnitSpec};

impl Sweep {
    /// The source that it is cut from, by its path from `kernels/`, and where the manifest names it.
    #[must_use]
    pub fn source(&self) -> Option<(&str, &Span)> {
        match &self.kind {
            Kind::Program(program) => Some((&program.source, &program.source_at)),
            _ => self.unit().map(|unit| (&*unit.source, &unit.source_at)),
        }
    }

    fn unit(&self) -> Option<&UnitSpec> {
        match &self.kind {
            Kind::Kernel(kernel) => Some(&kernel.unit),
            Kind::Compile(compile) => Some(&compile.unit),
            Kind::Profile(_) | Kind::Program(_) => None,
        }
    }

    /// Whether its rows have the built-in column `column`: one that is not timed has no times, and one that measures nothing
    /// has no clock either.
    #[must_use]
    pub fn has(&self, column: &BuiltIn) -> bool {
        match (&self.kind, column.name) {
            (Kind::Kernel(kernel), "ms") => kernel.timing.time,
            (Kind::Kernel(kernel), "clock") => kernel.is_measured(),
            _ => true,
        }
    }

    /// The regions that it names, for the device and for the host.
    pub fn regions(&self) -> impl Iterator<Item = &(String, Span)> {
        self.unit().into_iter().flat_map(|unit| unit.regions.iter().chain(&unit.host_regions))
    }
}
