//! Holds every run to the plan: what was launched is what the manifest gives for the device and the driver's answers.
//!
//! Must not know what was measured. That code, data, timing and rows are the plan's, the fingerprint says already.

use super::{Check, Checked, Occasion, Rule, line_of};
use crate::base::problem::{Problem, Problems};
use crate::evidence::Run;
use crate::evidence::record::RowPlan;
use crate::plan::launch::Launch;
use crate::plan::program::ProgramJob;
use crate::plan::{Job, KernelJob, Work};

pub(super) static RULE: Rule = Rule {
    id: "evidence-planned",
    protects: "figures of a launch that the sweep does not describe: other grids, arguments or bytes moved",
    example: "a record says that a row moved 4 GiB, and the manifest's `bytes` gives 2 GiB",
    occasion: Occasion::Build,
    check: Check::Run(check),
};

fn check(checked: &Checked<'_>, job: &Job, run: &Run, problems: &mut Problems) {
    for (index, row) in run.record.rows.iter().enumerate() {
        let difference = match &job.work {
            Work::Kernel(kernel) => difference(job, kernel, run, row),
            Work::Program(program) => command(job, program, run, row),
            Work::Compile(_) | Work::Profile(_) => None,
        };
        if let Some(why) = difference {
            let message = format!("row `{}` was not launched as the sweep says: {why}", row.label);
            problems.push(
                Problem::error(RULE.id, line_of(checked.tree, &run.name, 2 + index), message)
                    .hint("this is no evidence: find out why, and measure again"),
            );
            break; // one line of a run says it
        }
    }
}

/// What of the launch of `row` is not what `job` gives.
fn difference(job: &Job, kernel: &KernelJob, run: &Run, row: &RowPlan) -> Option<String> {
    let (Some(launch), Some(residency)) = (&row.launch, &row.residency) else { return None };
    let Some(planned) = job.rows.iter().find(|planned| planned.label == row.label) else {
        return Some("it has no such row".to_owned());
    };
    match kernel.launch(planned, run.record.header.identity.gpu.as_ref()?, residency) {
        Ok(planned) => parts(launch, &planned),
        Err(problem) => Some(problem.message),
    }
}

/// What of the commands that built and ran `row` is not what `job` gives.
fn command(job: &Job, program: &ProgramJob, run: &Run, row: &RowPlan) -> Option<String> {
    let identity = &run.record.header.identity;
    let planned = job.rows.iter().find(|planned| planned.label == row.label)?;
    let command = program.command(planned, &identity.architecture);
    let build = program.build(&identity.architecture).map(|commands| commands.iter().map(|command| command.join(" ")).collect::<Vec<_>>());
    match (command, build) {
        (Ok(command), _) if command != row.command => {
            Some(format!("command `{}`, and it gives `{}`", row.command.join(" "), command.join(" ")))
        }
        (_, Ok(build)) if build != identity.compile_options => {
            Some(format!("built by `{}`, and it gives `{}`", identity.compile_options.join("`, `"), build.join("`, `")))
        }
        _ => None,
    }
}

fn parts(recorded: &Launch, planned: &Launch) -> Option<String> {
    let work = |work: Option<u64>| work.map_or_else(|| "none".to_owned(), |work| work.to_string());
    let parts = [
        ("kernel", recorded.shape.kernel.clone(), planned.shape.kernel.clone()),
        ("blocks", format!("{:?}", recorded.grid), format!("{:?}", planned.grid)),
        ("threads a block", format!("{:?}", recorded.shape.block), format!("{:?}", planned.shape.block)),
        ("options", recorded.shape.options.join(" "), planned.shape.options.join(" ")),
        ("shared memory", recorded.shape.shared_bytes.to_string(), planned.shape.shared_bytes.to_string()),
        ("bytes", work(recorded.bytes), work(planned.bytes)),
        ("operations", work(recorded.flop), work(planned.flop)),
        ("arguments", format!("{:?}", recorded.arguments), format!("{:?}", planned.arguments)),
    ];
    let differing = parts.into_iter().find(|(_, recorded, planned)| recorded != planned);
    differing.map(|(what, recorded, planned)| format!("{what} {recorded}, and it gives {planned}"))
}
