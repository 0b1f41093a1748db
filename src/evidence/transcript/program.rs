//! Turns the record of a program into the parts of a transcript: how it was built and run, and all that it printed.
//!
//! Must not know what is read out of the output.

use std::fmt::Write as _;

use crate::evidence::record::{Outcome, Record};
use crate::plan::launch::DeviceFacts;

use super::{align, commit, complete, known, lines_of, opening, value, word};

/// The lines above the table.
pub(super) fn heading(record: &Record) -> String {
    let header = &record.header;
    let (identity, circumstance) = (&header.identity, &header.circumstance);
    let mut lines = opening(record);
    lines.extend([
        ("Complete", complete(record)),
        ("Device", identity.gpu.as_ref().map_or_else(|| "none: the program needs no GPU".to_owned(), DeviceFacts::title)),
    ]);
    if let Some(gpu) = &identity.gpu {
        let (major, minor) = gpu.compute_capability;
        lines.push(("", format!("compute capability {major}.{minor}, {} SMs, architecture {}", gpu.sms, identity.architecture)));
        lines.push(("Driver", format!("{}, CUDA {}", known(&circumstance.driver), known(&identity.driver_cuda))));
        lines.push(("Toolkit", known(&identity.toolkit)));
    }
    let builds = identity.compile_options.iter().enumerate().map(|(at, command)| (if at == 0 { "Built by" } else { "" }, command.clone()));
    lines.extend(builds);
    lines.push(("Host compiler", known(&identity.host_compiler)));
    lines.push((
        "Host",
        format!("{}, {}, hypervisor {}", known(&circumstance.host_cpu), known(&circumstance.kernel), known(&circumstance.hypervisor)),
    ));
    lines.push(("Commit", commit(record)));
    lines.push(("lessonc", circumstance.lessonc.clone()));
    let timing = &identity.timing;
    let rounds = format!("{}, each a fresh process; limit {} s; order from seed {}", timing.rounds, timing.limit_s, header.order_seed);
    lines.push(("Rounds", rounds));
    lines.push(("Fingerprint", identity.fingerprint.to_string()));
    lines_of(&lines)
}

/// The table of rows: their values, their commands and how they ended.
pub(super) fn table(record: &Record) -> String {
    let names: Vec<&String> = record.rows.first().map(|row| row.values.iter().map(|(name, _)| name).collect()).unwrap_or_default();
    let mut head = vec!["row".to_owned()];
    head.extend(names.iter().map(|name| (*name).clone()));
    head.extend(["rounds", "outcome", "command"].map(str::to_owned));
    let mut rows = vec![head];
    for (index, row) in record.rows.iter().enumerate() {
        let mut cells = vec![row.label.clone()];
        cells.extend(names.iter().map(|name| value(row, name)));
        let ok = record.outputs_of(index).filter(|output| output.outcome == Outcome::Ok).count();
        cells.push(format!("{ok}/{}", record.header.identity.timing.rounds));
        cells.push(word(record, index).to_owned());
        cells.push(row.command.join(" "));
        rows.push(cells);
    }
    align(&rows, 1)
}

/// All that was printed, row by row and round by round.
pub(super) fn outputs(record: &Record) -> String {
    let mut text = String::new();
    for (index, row) in record.rows.iter().enumerate() {
        for output in record.outputs_of(index) {
            for (stream, printed) in [("prints", &output.stdout), ("prints on standard error", &output.stderr)] {
                if printed.trim().is_empty() {
                    continue;
                }
                let gap = if text.is_empty() { "" } else { "\n" };
                let _ = writeln!(text, "{gap}{} in round {} {stream}:", row.label, output.round);
                printed.trim_end().lines().for_each(|line| _ = writeln!(text, "{}", line.trim_end()));
            }
        }
    }
    text
}
