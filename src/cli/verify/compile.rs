//! Turns the runs that feed pages into problems where their compiler says something else today.
//!
//! Must not run anything of the course: compiling needs no GPU and launches nothing.

use anyhow::Result;

use crate::base::problem::Problems;
use crate::rules::Checked;

use super::Terminal;

/// Compiles the code of every run that feeds a page again, where its version of NVRTC is installed, and says how far that went.
#[cfg(feature = "cuda")]
pub(super) fn check(checked: &Checked<'_>, problems: &mut Problems, terminal: &mut Terminal<'_>) -> Result<()> {
    use crate::base::problem::Problem;
    use crate::device::cuda::examine::Toolkit;
    use crate::evidence::record::RunKind;
    use crate::measure::recompile::{again, matching};

    let toolkit = Toolkit::find();
    let feeding = checked.feeding();
    if feeding.is_empty() {
        writeln!(terminal.err, "nothing was compiled again: no page stands on a run")?;
    }
    for (job, run) in feeding {
        let toolkit = match matching(&run.record, &toolkit) {
            Ok(toolkit) => toolkit,
            Err(why) => {
                writeln!(terminal.err, "{} was not compiled again: {why}", run.name)?;
                continue;
            }
        };
        let again = again(job, &run.record, toolkit);
        let (agree, nvrtc) = (again.rows - again.differences.len(), &toolkit.nvrtc);
        if again.rows == 0 {
            writeln!(terminal.err, "{} was not compiled again: no row of it has a launch", run.name)?;
            continue;
        }
        writeln!(terminal.err, "{}: NVRTC {nvrtc} says the same of {agree} of {} rows", run.name, again.rows)?;
        if let Some(why) = again.unchecked {
            writeln!(terminal.err, "{}: instructions were not compared: {why}", run.name)?;
        }
        for (row, what) in again.differences {
            let label = run.record.rows.get(row).map_or("?", |row| &row.label);
            let first = if run.kind() == RunKind::Compile { run.record.rows.len() } else { 0 };
            let at = checked.line_of(&run.name, 2 + first + row);
            problems.push(
                Problem::error("compile-differs", at, format!("NVRTC {nvrtc} says something else of row `{label}`: {what}"))
                    .hint("this is no evidence of the code and the toolkit that it names: find out why, and measure again"),
            );
        }
    }
    Ok(())
}

/// Says that this lessonc can't.
#[cfg(not(feature = "cuda"))]
pub(super) fn check(_: &Checked<'_>, _: &mut Problems, terminal: &mut Terminal<'_>) -> Result<()> {
    writeln!(terminal.err, "nothing was compiled again: this lessonc was built without support for NVRTC")?;
    Ok(())
}
