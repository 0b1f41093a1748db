//! Turns what a sweep states of physics into limits for a row on a device.
//!
//! Must not know what was measured.

use crate::base::problem::Problem;
use crate::base::quantity::{Dimension, rational_to_f64};
use crate::course::sweep::Level;
use crate::expr::Expr;

use super::launch::DeviceFacts;
use super::values::{self, Known};
use super::{KernelJob, PlannedRow};

/// What a launch of a row can't exceed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Limits {
    /// Where its bytes come from, if the sweep says.
    pub level: Option<Level>,
    /// Bytes a second of that level, where it is not DRAM.
    pub bandwidth: Option<f64>,
    /// Floating-point operations a second.
    pub flops: Option<f64>,
    /// Cycles that its longest chain of operations takes.
    pub cycles: Option<f64>,
}

const RATE: Dimension = Dimension { bytes: 1, time: -1, ..Dimension::NONE };
const FLOPS: Dimension = Dimension { flop: 1, time: -1, ..Dimension::NONE };

impl KernelJob {
    /// What a launch of `row` on `device` can't exceed.
    ///
    /// # Errors
    /// At the manifest's expression: when it has no value, or one of another kind.
    pub fn limits(&self, row: &PlannedRow, device: &DeviceFacts) -> Result<Limits, Problem> {
        let known = self.known(row, device, None);
        let spec = &self.physics;
        let of = |expr: &Option<Expr>, what: &str, example: &str, dimension: Dimension| {
            expr.as_ref().map(|expr| number(expr, &known, what, example, dimension)).transpose()
        };
        let cycles = match &spec.chain {
            None => None,
            Some((operations, latency)) => {
                let operations = number(operations, &known, "the operations of a chain", "steps", Dimension::NONE)?;
                Some(operations * number(latency, &known, "the latency of an operation", "4 cycles", Dimension::CYCLES)?)
            }
        };
        Ok(Limits {
            level: spec.level,
            bandwidth: of(&spec.peak_bandwidth, "a peak of bandwidth", "10 TB/s", RATE)?,
            flops: of(&spec.peak_flops, "a peak of operations", "67 TFLOP/s", FLOPS)?,
            cycles,
        })
    }
}

/// The number above zero that `expr` is, in base units of `dimension`.
fn number(expr: &Expr, known: &Known<'_>, what: &str, example: &str, dimension: Dimension) -> Result<f64, Problem> {
    let quantity = values::quantity(expr, known)?;
    if quantity.dimension() != dimension {
        let message = format!("{what} can't be {}", quantity.unit.describe());
        return Err(Problem::error("expr-unit", expr.span(), message).hint(format!("as in `{example}`")));
    }
    match quantity.as_exact().map(rational_to_f64) {
        Some(number) if number > 0.0 => Ok(number),
        _ => Err(Problem::error("manifest-range", expr.span(), format!("{what} is above 0, not {}", quantity.text()))),
    }
}
