//! Turns how a sweep goes on into a bar or lines, and what it came to, or why to nothing, into words for the author.
//!
//! Must not know what is done with the sweep.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use crate::device::DeviceError;
use crate::evidence::record::Record;
use crate::evidence::transcript;
use crate::measure::journal::Written;
use crate::measure::{Progress, Stop, compile_log};
use crate::rules::report;

use super::super::Terminal;
use super::course::Studied;
use super::{End, progress};

/// Lets `work` tell how it goes on with `sweep`, whose code is from `source`: compilers' warnings in the author's lines.
pub(in super::super) fn heard<T>(
    studied: &Studied,
    sweep: &str,
    source: &str,
    terminal: &mut Terminal<'_>,
    work: impl FnOnce(&mut dyn Progress) -> T,
) -> T {
    let context = studied.context(terminal);
    let words = |logs: &BTreeMap<String, String>| {
        let warnings = logs.iter().flat_map(|(name, log)| compile_log::warnings(name, log, source, &studied.tree));
        report::human(&warnings.collect::<Vec<_>>(), context)
    };
    let inner: Box<dyn Progress> =
        if terminal.err_colour { Box::new(progress::Bar::new(sweep)) } else { Box::new(progress::Lines::new(sweep, &mut *terminal.err)) };
    work(&mut progress::WithWarnings { inner, words: Box::new(words) })
}

/// Prints the rows of what was written, and where it lies.
pub(super) fn summary(written: &Written, terminal: &mut Terminal<'_>) -> Result<()> {
    let record = &written.record;
    writeln!(terminal.out, "{}", record.header.sweep)?;
    terminal.out.write_all(transcript::table(record).as_bytes())?;
    writeln!(terminal.out, "record {}\ntranscript {}", written.record_name, written.transcript_name)?;
    Ok(())
}

/// Says of a record of some rows only that it does not count.
pub(super) fn partial(record: &Record, terminal: &mut Terminal<'_>) -> Result<()> {
    if !record.is_complete() {
        writeln!(terminal.err, "{}: only some rows were asked for; the run is kept, and is not current", record.header.sweep)?;
    }
    Ok(())
}

/// Says why `sweep`, whose code is from `source`, came to no end.
pub(super) fn stopped(studied: &Studied, sweep: &str, source: &str, stop: Stop, terminal: &mut Terminal<'_>) -> Result<End> {
    match stop {
        Stop::Device(DeviceError::Compile { compiler, log }) => {
            studied.report(&compile_log::problems(&compiler, &log, source, &studied.tree), terminal)?;
            Ok(End::Problems)
        }
        Stop::Problems(problems) => {
            studied.report(&problems, terminal)?;
            Ok(End::Problems)
        }
        Stop::Interrupted { finished: 0 } => bail!("{sweep}: interrupted before any row was measured"),
        Stop::Interrupted { finished } => {
            let rows = if finished == 1 { "1 finished row is".to_owned() } else { format!("{finished} finished rows are") };
            writeln!(terminal.err, "{sweep}: interrupted; {rows} kept, and the same command goes on with them")?;
            Ok(End::Interrupted)
        }
        Stop::Busy(reasons) => bail!(
            "the GPU is busy: {}; wait until it is idle, choose another one with --gpu, or go on with --allow-busy, which the record will say",
            reasons.join("; ")
        ),
        stop => Err(stop.into_error().context(format!("cannot measure {sweep}"))),
    }
}
