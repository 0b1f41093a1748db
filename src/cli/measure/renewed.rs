//! Turns the records of the evidence into their transcripts again, where the form of transcripts has changed since.
//!
//! Must not touch a record: a transcript is a pure function of one, so that nothing is lost by making it anew.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::evidence::name;
use crate::measure::lock::CourseLock;

use super::{Ending, Studied, Terminal};

/// Writes the transcripts of the runs of `sweeps`, or of all, where they are not what their records give.
pub(super) fn renew(studied: &Studied, sweeps: &[String], terminal: &mut Terminal<'_>) -> Result<Ending> {
    let _lock = CourseLock::take(&studied.folder.root)?;
    let of = |sweep: &str| sweeps.is_empty() || sweeps.iter().any(|wanted| wanted == sweep);
    let (mut renewed, mut kept) = (0, 0);
    for run in studied.evidence.all().filter(|run| of(run.sweep())) {
        if run.transcript_mismatch().is_none() {
            kept += 1;
            continue;
        }
        replace(&studied.folder.root, &run.transcript_name, run.expected_transcript())?;
        writeln!(terminal.out, "{}", run.transcript_name)?;
        renewed += 1;
    }
    writeln!(terminal.err, "{renewed} of {} transcripts made anew", renewed + kept)?;
    // A record that can't be read gives no transcript.
    let unread = studied.unread_evidence(&of);
    studied.report(&unread, terminal)?;
    Ok(Ending::of(&unread, false))
}

/// Gives the file `name` of the course at `root` the text `text`, whole or not at all.
fn replace(root: &Path, name: &str, text: &str) -> Result<()> {
    let path = root.join(name);
    let context = || format!("cannot write {}", path.display());
    let Some(folder) = path.parent().filter(|_| name.starts_with(name::FOLDER) && name.ends_with(".txt")) else {
        bail!("{name} is no transcript");
    };
    let mut beside = tempfile::NamedTempFile::new_in(folder).with_context(context)?;
    beside.write_all(text.as_bytes()).and_then(|()| beside.as_file().sync_all()).with_context(context)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // A temporary file is private by default; evidence is to be read by everyone.
        std::fs::set_permissions(beside.path(), std::fs::Permissions::from_mode(0o644)).with_context(context)?;
    }
    beside.persist(&path).with_context(context)?;
    Ok(())
}
