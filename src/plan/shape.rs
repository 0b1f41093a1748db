//! Turns a planned row with a device's answers into its shape and its launch.
//!
//! Must not ask a device anything itself: its answers come in as values.

use std::sync::Arc;

use crate::base::problem::Problem;
use crate::base::quantity::Dimension;
use crate::course::sweep::KernelSpec;
use crate::expr::{Expr, Row};

use super::launch::{DeviceFacts, Launch, Residency, Shape};
use super::values::{self, Known};
use super::{KernelJob, PlannedRow, compiling, facts};

/// Whole numbers of more than 32 bits: bytes and operations of a launch.
const LONG: (i128, i128) = (0, u64::MAX as i128);

impl KernelJob {
    /// What must be known of `row` before the driver can be asked for its residency on `device`.
    ///
    /// # Errors
    /// At the manifest's expression: when it has no value, or one that no launch can have.
    pub fn shape(&self, row: &PlannedRow, device: &DeviceFacts) -> Result<Shape, Problem> {
        let known = self.known(row, device, None);
        let launch = &self.launch;
        let kernel = match &launch.kernel {
            KernelSpec::Name(name) => name.text().to_owned(),
            KernelSpec::Expression(expr) => values::text(expr, &known)?,
        };
        let shared = match &launch.shared {
            Some(expr) => values::whole(expr, &known, "the shared memory of a block", Dimension::BYTES, (0, u32::MAX.into())),
            None => Ok(0),
        };
        let block = dimensions(&launch.block, &known, "a block's size")?;
        Ok(Shape { kernel, block, shared_bytes: narrow(shared?), options: self.options(row)? })
    }

    /// The launch of `row` on `device`, whose driver gave `residency` for its shape.
    ///
    /// # Errors
    /// As for [`KernelJob::shape`].
    pub fn launch(&self, row: &PlannedRow, device: &DeviceFacts, residency: &Residency) -> Result<Launch, Problem> {
        let shape = self.shape(row, device)?;
        let known = self.known(row, device, Some(residency));
        let launch = &self.launch;
        let work = |expr: &Option<Expr>, what: &str, dimension: Dimension| {
            let work = expr.as_ref().map(|expr| values::whole(expr, &known, what, dimension, LONG)).transpose();
            work.map(|work| work.and_then(|work| u64::try_from(work).ok()))
        };
        Ok(Launch {
            shape,
            grid: dimensions(&launch.grid, &known, "a grid's size")?,
            arguments: values::arguments(&launch.arguments, &known)?,
            bytes: work(&launch.bytes, "the bytes that a launch moves", Dimension::BYTES)?,
            flop: work(&launch.flop, "the operations of a launch", Dimension::FLOP)?,
        })
    }

    /// The options that are `row`'s own; one that comes out empty is left out.
    pub(super) fn options(&self, row: &PlannedRow) -> Result<Vec<String>, Problem> {
        let known = Known::exact(&self.constants, &row.values);
        let mut options = Vec::new();
        for spec in &self.launch.options {
            let option = compiling::option(spec, &known)?;
            options.extend(Some(option.trim().to_owned()).filter(|option| !option.is_empty()));
        }
        Ok(options)
    }

    pub(super) fn known<'a>(&'a self, row: &'a PlannedRow, device: &DeviceFacts, residency: Option<&Residency>) -> Known<'a> {
        let residency = residency.map(|answer| -> Arc<dyn Row> { facts::residency(answer) });
        Known { constants: &self.constants, row: &row.values, device: Some(facts::device(device)), residency }
    }
}

/// One to three sizes; those not given are 1.
fn dimensions(exprs: &[Expr], known: &Known<'_>, what: &str) -> Result<[u32; 3], Problem> {
    let mut sizes = [1; 3];
    for (size, expr) in sizes.iter_mut().zip(exprs) {
        *size = narrow(values::whole(expr, known, what, Dimension::NONE, (1, u32::MAX.into()))?);
    }
    Ok(sizes)
}

/// A number whose range was checked.
fn narrow(number: i128) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
