//! Turns the rows of a plan, and a run if there is one, into rows with values.
//!
//! Must not know which run counts, nor derived columns.

use std::sync::Arc;

use crate::evidence::Run;
use crate::expr::{Absent, Row as _};
use crate::plan::{Job, PlannedRow, Work};

use super::columns::{Column, ColumnKind};
use super::row::{ReadFacts, RowFacts};
use super::{compiled, profiled};

/// The rows that the plan of a kernel or of compiling has, as far as they are known without derived columns.
pub(super) fn rows(
    job: &Job,
    run: Option<&Run>,
    (name, columns, names): (&Arc<str>, &[Column], &Arc<[String]>),
    lacking: &Absent,
) -> Vec<Arc<RowFacts>> {
    let row = |(index, planned): (usize, &PlannedRow)| {
        let reads = ReadFacts::of_row(job, index);
        let measured = run.and_then(|run| {
            let index = run.record.row_index(&planned.label)?;
            Some((run, index, run.record.rows.get(index)?))
        });
        let lacking = match run {
            Some(run) => Absent::unmeasured(format!("the run {} has no row {}", run.name, planned.label)),
            None => lacking.clone(),
        };
        let row = RowFacts::new(name, columns, names, (planned, &reads), measured, &lacking);
        if let Work::Compile(compile) = &job.work {
            let said = |column: &Column| column.kind == ColumnKind::Compiled && planned.values.iter().all(|(name, _)| *name != column.name);
            for (index, column) in columns.iter().enumerate().filter(|(_, column)| said(column)) {
                let known = measured.map(|(run, at, _)| compiled::value(&column.name, &compile.sass, &run.record, at, &row.title()));
                row.fill(index, known.unwrap_or_else(|| Err(lacking.clone())));
            }
        }
        if let Work::Profile(profile) = &job.work {
            for (index, column) in columns.iter().enumerate().filter(|(_, column)| column.kind == ColumnKind::Profiled) {
                let known = measured.map(|(run, at, _)| profiled::value(&column.name, &profile.metrics, run, at, &row.title()));
                row.fill(index, known.unwrap_or_else(|| Err(lacking.clone())));
            }
        }
        Arc::new(row)
    };
    let architectures = run.map(|run| run.record.architectures()).unwrap_or_default();
    job.rows_for(&architectures).iter().enumerate().map(row).collect()
}
