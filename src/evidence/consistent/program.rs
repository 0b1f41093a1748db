//! Turns the record of a program into the first place where it contradicts itself, if any.
//!
//! Must not know what is read out of the outputs.

use crate::evidence::output::Output;
use crate::evidence::record::{Outcome, Record, RowPlan};
use crate::plan::program::{self as planned, HOST};

use super::{Contradiction, Fault, at, beginning, digest, footer, holds, in_order, of_gpu, row_lines, rows, run};

pub(super) fn check(record: &Record) -> Result<(), Fault> {
    header(record).map_err(at(1))?;
    for (index, row) in record.rows.iter().enumerate() {
        self::row(row).map_err(|why| at(2 + index)(format!("row `{}` {why}", row.label)))?;
    }
    rows(record).map_err(at(2))?;
    let outputs = 2 + record.rows.len();
    holds(record.results.is_empty(), || "a program is not timed by lessonc".to_owned()).map_err(at(outputs))?;
    for (index, output) in record.outputs.iter().enumerate() {
        let label = record.rows.get(output.row as usize).map_or("?", |row| &row.label);
        ended(output).map_err(|why| at(outputs + index)(format!("row `{label}` in round {} {why}", output.round)))?;
    }
    in_order(record).map_err(|(index, why)| at(outputs + index)(why))?;
    footer(record).map_err(at(outputs + record.outputs.len()))
}

fn header(record: &Record) -> Contradiction {
    run(record)?;
    let (header, identity) = (&record.header, &record.header.identity);
    match &identity.gpu {
        Some(gpu) => of_gpu(record, gpu)?,
        None => {
            holds(header.device == HOST, || format!("a program that needs no GPU runs on the device `{HOST}`, not `{}`", header.device))?
        }
    }
    digest(record)?;
    let code = planned::code(&header.code);
    let same = beginning(&header.fingerprint_lines, &["source: ", "file "]) == code;
    holds(same, || "the code is not the code of the fingerprint".to_owned())?;
    let none = identity.buffers.is_empty() && identity.inputs.is_empty() && identity.check.is_none() && identity.flush_bytes.is_none();
    holds(none, || "a program has no buffers of lessonc's".to_owned())?;
    row_lines(record)
}

fn row(row: &RowPlan) -> Contradiction {
    let plain = row.launch.is_none() && row.residency.is_none() && row.skipped.is_none() && row.launches_per_sample == 1;
    holds(plain && !row.command.is_empty(), || "is not the row of a program".to_owned())
}

/// Only an exit code of 0 is `ok`.
fn ended(output: &Output) -> Contradiction {
    let fits = match output.outcome {
        Outcome::Ok => output.exit == Some(0),
        Outcome::Runtime(_) => output.exit != Some(0),
        Outcome::Timeout(_) | Outcome::Launch(_) => output.exit.is_none(),
        _ => false,
    };
    let code = output.exit.map_or_else(|| "none".to_owned(), |code| code.to_string());
    holds(fits, || format!("is {} with the exit code {code}", output.outcome.word()))
}
