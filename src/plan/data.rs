//! Turns buffers, input calls and the check into what each row works on, every number known; what rows share is there once.
//!
//! Must not know devices.

use std::collections::BTreeMap;

use crate::base::problem::{Problem, Problems};
use crate::base::quantity::{Dimension, Quantity};
use crate::course::sweep::{CheckSpec, KernelSweep};

use super::PlannedRow;
use super::launch::{BufferPlan, Check, Data};
use super::lines;
use super::values::{self, Known};

/// Far more than any device's memory.
const MOST_BYTES: i128 = 1 << 48;

/// What the rows work on, each once and in an order of its own, so that it does not hang on the order of rows; and which of
/// it each row works on.
pub(super) fn of_rows(
    sweep: &KernelSweep,
    constants: &[(String, Quantity)],
    rows: &[PlannedRow],
    problems: &mut Problems,
) -> (Vec<Data>, Vec<u32>) {
    let mut of_rows = Vec::new();
    for row in rows {
        match of_row(sweep, &Known::exact(constants, &row.values)) {
            Ok(data) => of_rows.push(data),
            // What is wrong for one row is mostly wrong for all.
            Err(problem) => {
                problems.push(problem);
                return (Vec::new(), Vec::new());
            }
        }
    }
    let mut distinct: BTreeMap<Vec<String>, (u32, Data)> = BTreeMap::new();
    let keys: Vec<Vec<String>> = of_rows.iter().map(lines::data).collect();
    for (key, data) in keys.iter().zip(of_rows) {
        distinct.entry(key.clone()).or_insert((0, data));
    }
    for (number, (index, _)) in (0..).zip(distinct.values_mut()) {
        *index = number;
    }
    let data_of = keys.iter().map(|key| distinct.get(key).map_or(0, |&(index, _)| index)).collect();
    (distinct.into_values().map(|(_, data)| data).collect(), data_of)
}

fn of_row(sweep: &KernelSweep, known: &Known<'_>) -> Result<Data, Problem> {
    let mut buffers = Vec::new();
    for buffer in &sweep.buffers {
        let most = MOST_BYTES / i128::from(buffer.element.bytes());
        let what = format!("the number of elements of `{}`", buffer.name);
        let count = values::whole(&buffer.count, known, &what, Dimension::NONE, (1, most))?;
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        buffers.push(BufferPlan { name: buffer.name.clone(), role: buffer.role, element: buffer.element, count });
    }
    let inputs = sweep.inputs.iter().map(|call| values::host_call(call, known)).collect::<Result<_, _>>()?;
    let check = match &sweep.check {
        None => None,
        Some(CheckSpec::Reference { call, relative, absolute }) => {
            Some(Check::Reference { call: values::host_call(call, known)?, relative: *relative, absolute: *absolute })
        }
        Some(CheckSpec::Predicate { call }) => Some(Check::Predicate { call: values::host_call(call, known)? }),
    };
    Ok(Data { buffers, inputs, check })
}
