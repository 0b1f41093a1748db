//! Turns what a profiler counted into values over the profiled launches: the columns of a profile sweep.
//!
//! Must not know profilers; a time is none of these values.

use crate::base::quantity::{self, Dimension, Quantity, Rational, Unit, rational_to_f64};
use crate::course::sweep::MetricColumn;
use crate::evidence::Run;
use crate::evidence::profiled::{ACHIEVED, DRAM_BYTES};
use crate::expr::{Absent, Value};

/// The value of the column `name` in row `row` of `run`; `title` names the row.
pub(super) fn value(name: &str, metrics: &[MetricColumn], run: &Run, row: usize, title: &str) -> Result<Value, Absent> {
    let Some(profiled) = run.record.profiled_of(row).filter(|profiled| !profiled.launches.is_empty()) else {
        let why = run.record.profiled_of(row).and_then(|profiled| profiled.outcome.why()).unwrap_or("the run says nothing of it");
        return Err(Absent::unmeasured(format!("{title} was not profiled: {why}")));
    };
    let percent = || Unit::scaled("%").unwrap_or_else(|| Unit::automatic(Dimension::NONE));
    let (metric, unit, quantum) = match name {
        "limited_by" => {
            let words =
                profiled.limited_by.as_deref().ok_or_else(|| Absent::unmeasured(format!("ncu does not say what limits {title}")))?;
            return Ok(Value::Text(words.into()));
        }
        "theoretical" => {
            let (threads, all) = run.record.theoretical(row).ok_or_else(|| Absent::unmeasured(format!("{title} was not launched")))?;
            let amount = quantity::Amount::Exact(Rational::new(threads.into(), i128::from(all.max(1))));
            return Ok(Value::Quantity(Quantity { amount, unit: percent() }));
        }
        "achieved" => (ACHIEVED, percent(), 0.01),
        "dram_bytes" => (DRAM_BYTES, Unit::automatic(Dimension::BYTES), 1.0),
        _ => {
            let column = metrics.iter().find(|column| column.name == name);
            let column = column.ok_or_else(|| Absent::from(format!("a profile sweep has no column `{name}`")))?;
            (column.metric.as_str(), column.unit.clone().unwrap_or_else(Unit::bare), 1.0)
        }
    };
    let scale = rational_to_f64(unit.scale);
    let values: std::sync::Arc<[Option<f64>]> =
        profiled.launches.iter().map(|launch| launch.get(metric).map(|value| value * scale)).collect();
    if values.iter().all(Option::is_none) {
        return Err(Absent::unmeasured(format!("ncu gave no `{metric}` for {title}")));
    }
    let rounds = quantity::Rounds::new(run.name.clone(), values, quantum * scale);
    Ok(Value::Quantity(Quantity::measured(rounds, unit)))
}
