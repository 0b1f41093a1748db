//! Turns contradictions inside one sweep into problems: buffers that are not there, filled or checked.
//!
//! Must not know sources or values.

use crate::base::problem::{Problem, Problems};
use crate::base::span::{SourceName, Span};

use super::columns::is_compiled;
use super::sweep::{ArgumentSpec, Call, CheckSpec, Element, KernelSweep, Kind, ProgramSweep, Role, Sweep};

/// Checks `sweep`, which was read without its parts being held against each other.
pub(super) fn check(sweep: &Sweep, problems: &mut Problems) {
    rows_exist(sweep, problems);
    match &sweep.kind {
        Kind::Kernel(kernel) => check_kernel(kernel, &sweep.manifest, problems),
        Kind::Profile(_) => {
            let own = sweep.axes.first().map(|axis| &axis.at).or(sweep.explicit_rows.first().map(|row| &row.at));
            if let Some(at) = own {
                problems.push(
                    Problem::error("manifest-rows", at.clone(), "a sweep that profiles another one has that one's rows")
                        .hint("list some of them under `only`"),
                );
            }
        }
        Kind::Compile(_) => {
            let row = sweep.explicit_rows.first();
            for (name, expr) in row.into_iter().flat_map(|row| &row.values).filter(|(name, _)| is_compiled(name)) {
                problems.push(super::manifest::every_row_has(name, &expr.span()));
            }
        }
        Kind::Program(program) => check_program(sweep, program, problems),
    }
}

fn check_program(sweep: &Sweep, program: &ProgramSweep, problems: &mut Problems) {
    let printed = program.printed_names();
    let own = sweep.explicit_rows.first().into_iter().flat_map(|row| row.values.iter().map(|(name, _)| (name.as_str(), &row.at)));
    let derived = sweep.columns.iter().map(|column| (column.name.as_str(), &column.at));
    for (name, at) in own.chain(derived).filter(|(name, _)| printed.contains(name)) {
        problems.push(
            Problem::error("manifest-name", at.clone(), format!("`{name}` is read out of what the program prints"))
                .hint("choose another name"),
        );
    }
}

fn check_kernel(sweep: &KernelSweep, manifest: &SourceName, problems: &mut Problems) {
    let checked = sweep.check.as_ref().map(|check| match check {
        CheckSpec::Reference { call, .. } | CheckSpec::Predicate { call } => call,
    });
    let calls: Vec<&Call> = sweep.inputs.iter().chain(checked).collect();
    for arguments in calls.iter().map(|call| &call.arguments).chain([&sweep.launch.arguments]) {
        buffers_exist(sweep, arguments, problems);
    }
    for buffer in &sweep.buffers {
        let filled = sweep.inputs.iter().any(|call| names(&call.arguments, &buffer.name));
        if buffer.role.is_input() && !filled {
            problems.push(
                Problem::error("manifest-unfilled", buffer.at.clone(), format!("no call of `inputs` fills `{}`", buffer.name))
                    .hint("pass it to one, or make its role `out` or `scratch`"),
            );
        }
        if buffer.role.is_output()
            && let Some(call) = checked
            && !names(&call.arguments, &buffer.name)
        {
            problems.push(
                Problem::error("manifest-unchecked", buffer.at.clone(), format!("the check does not look at `{}`", buffer.name))
                    .related(call.at.clone(), "the check")
                    .hint("pass it to the check, or make its role `scratch`"),
            );
        }
    }
    reads_exist(sweep, problems);
    if checked.is_none() && sweep.is_measured() {
        problems.push(
            Problem::error("manifest-check", Span::top(manifest), "the sweep checks no output, so that nothing it measures may be shown")
                .hint("add `[check]` with a `reference` or a `predicate` of the host regions"),
        );
    }
    if let (true, Some(call)) = (sweep.unit.host_regions.is_empty(), calls.first()) {
        problems.push(
            Problem::error(
                "manifest-host",
                call.at.clone(),
                format!("`{}` is to be called, and the sweep names no host regions", call.function),
            )
            .hint("list the regions that define it: `host = [\"…\"]`"),
        );
    }
}

/// What is read back is of integers that a launch leaves.
fn reads_exist(sweep: &KernelSweep, problems: &mut Problems) {
    for read in &sweep.reads {
        let (name, at) = &read.buffer;
        let Some(buffer) = sweep.buffers.iter().find(|buffer| buffer.name == *name) else {
            problems.push(
                Problem::error("manifest-buffer", at.clone(), format!("there is no buffer `{name}`"))
                    .meant(name, sweep.buffers.iter().map(|buffer| &*buffer.name)),
            );
            continue;
        };
        let fault = if matches!(buffer.element, Element::F32 | Element::F64) {
            Some(("holds floating-point numbers, and what is read back are integers", "count in an integer type, such as `u64`"))
        } else if buffer.role == Role::In {
            Some(("is only read by the kernel", "make its role `scratch`, or `out` if it is to be checked"))
        } else {
            None
        };
        if let Some((why, hint)) = fault {
            let problem = Problem::error("manifest-read", at.clone(), format!("`{name}` {why}"));
            problems.push(problem.related(buffer.at.clone(), "the buffer").hint(hint));
        }
    }
}

fn rows_exist(sweep: &Sweep, problems: &mut Problems) {
    match (sweep.axes.first(), sweep.explicit_rows.first()) {
        (Some(axis), Some(row)) => problems.push(
            Problem::error("manifest-rows", row.at.clone(), "a sweep has `[axes]` or `[[rows]]`, not both")
                .related(axis.at.clone(), "an axis"),
        ),
        // A kernel that is compiled for several architectures has rows enough.
        (None, None) if matches!(sweep.kind, Kind::Compile(_) | Kind::Profile(_)) => {}
        // A program without rows is one command.
        (None, None) if matches!(sweep.kind, Kind::Program(_)) => {}
        (None, None) => problems
            .push(Problem::error("manifest-rows", Span::top(&sweep.manifest), "the sweep has no rows").hint("add `[axes]` or `[[rows]]`")),
        _ => {}
    }
}

fn names(arguments: &[ArgumentSpec], buffer: &str) -> bool {
    arguments.iter().any(|argument| matches!(argument, ArgumentSpec::Buffer(name, _) if name == buffer))
}

fn buffers_exist(sweep: &KernelSweep, arguments: &[ArgumentSpec], problems: &mut Problems) {
    for argument in arguments {
        let ArgumentSpec::Buffer(name, at) = argument else { continue };
        if !sweep.buffers.iter().any(|buffer| buffer.name == *name) {
            let problem = Problem::error("manifest-buffer", at.clone(), format!("there is no buffer `{name}`"));
            problems
                .push(problem.hint("scalars are written `{ u64 = \"…\" }`").meant(name, sweep.buffers.iter().map(|buffer| &*buffer.name)));
        }
    }
}
