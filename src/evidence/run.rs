//! Turns one record in the tree into a run: the record with its name, its transcript, and what both should be.
//!
//! Must not know other runs, nor whether this one is current.

use std::sync::{Arc, OnceLock};

use crate::base::problem::Problem;
use crate::base::span::{SourceName, Span};

use super::consistent;
use super::privacy;
use super::record::{Private, Record, RunKind};
use super::{lines, name, transcript};

/// The backend that a record of the fake device names, and the only device slug under which it may stand.
pub const FAKE: &str = "fake";

/// The slug of the device that a reader's own runs stand under, whatever the card is called: it may be of the published kind, and is
/// shown beside it.
pub const YOURS: &str = "yours";

/// What the device `device` (a slug) is called in a sentence about what is lacking on it.
#[must_use]
pub fn spoken(device: &str) -> &str {
    match device {
        YOURS => "your card",
        "" => "any device",
        _ => device,
    }
}

/// A record of the course, read and found whole.
#[derive(Debug)]
pub struct Run {
    /// The record's file in the tree, `evidence/SWEEP/DATE-DEVICE.jsonl`.
    pub name: SourceName,
    /// Its transcript's file, `….txt`; it need not exist.
    pub transcript_name: SourceName,
    /// What was measured.
    pub record: Arc<Record>,
    /// The text of the transcript's file, if there is one.
    pub transcript: Option<Arc<str>>,
    /// The number at the end of the file's name when a day has several runs; 1 for the first.
    pub suffix: u32,
    expected: OnceLock<Arc<str>>,
    /// The times of its rows, which facts, rules and charts all ask for.
    rounds_ns: OnceLock<Vec<Vec<Option<f64>>>>,
}

/// Where a transcript differs from what its record gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The first line that differs, from 1.
    pub line: usize,
    /// What the record gives there; `None`: the transcript should have ended.
    pub expected: Option<String>,
    /// What stands there; `None`: the transcript ends too early.
    pub found: Option<String>,
}

impl Run {
    /// The run in the file `name`, `evidence/SWEEP/STEM.jsonl`, of text `text`.
    ///
    /// # Errors
    /// What is wrong with the record; a record with a fault is not evidence.
    pub fn read(name: &SourceName, text: &str, transcript: Option<Arc<str>>) -> Result<Self, Problem> {
        let at_line = |line: usize| Span::line(name, text, line);
        let record = lines::parse(text).map_err(|fault| {
            let problem = Problem::error(fault.id, at_line(fault.line), fault.message);
            match fault.id {
                "evidence-digest" => {
                    problem.hint("a record is never edited: restore it from version control, or delete it and measure again")
                }
                "evidence-version" => problem.hint("use the lessonc that wrote it, or measure again"),
                _ => problem,
            }
        })?;
        if let Some((line, path)) = privacy::first_path(&record) {
            let message = format!("the record holds an absolute path: `{path}`");
            return Err(Problem::error("evidence-path", at_line(line), message).hint("measure again; paths say who measured and where"));
        }
        let suffix = name::agrees(name, &record.header).map_err(|why| {
            Problem::error("evidence-name", at_line(1), why)
                .hint("evidence is named evidence/SWEEP/YYYY-MM-DD-DEVICE.jsonl by its own header")
        })?;
        if record.header.circumstance.backend == FAKE && record.header.device != FAKE {
            let message = format!("the record was made by the fake device and calls itself `{}`", record.header.device);
            return Err(Problem::error("evidence-fake", at_line(1), message));
        }
        if let Some(replayed) = &record.header.circumstance.replayed {
            let message = format!("the record replays {replayed} and measured nothing");
            return Err(Problem::error("evidence-replayed", at_line(1), message).hint("delete it; the run that it replays is the evidence"));
        }
        if let Some(private) = record.header.circumstance.private.filter(|_| !name::is_private(name)) {
            let message = format!("the record was made by `{}` and is no evidence", private.command());
            return Err(Problem::error("evidence-private", at_line(1), message)
                .hint("delete it; `lessonc measure` makes records that are evidence"));
        }
        if let Some(fault) = consistent::first_fault(&record) {
            return Err(Problem::error(
                "evidence-inconsistent",
                at_line(fault.line),
                format!("the record contradicts itself: {}", fault.message),
            )
            .hint("no run of lessonc writes this: restore the record from version control, or delete it and measure again"));
        }
        Ok(Self::whole(name, record, transcript, suffix))
    }

    /// The run of a record that was found whole.
    pub(crate) fn whole(name: &SourceName, record: Record, transcript: Option<Arc<str>>, suffix: u32) -> Self {
        let transcript_name = name::transcript_name(name);
        Self {
            name: name.clone(),
            transcript_name,
            record: Arc::new(record),
            transcript,
            suffix,
            expected: OnceLock::new(),
            rounds_ns: OnceLock::new(),
        }
    }

    /// [`Record::round_ns`] of row `row`, worked out once; empty for a row that there is not.
    #[must_use]
    pub fn round_ns(&self, row: usize) -> &[Option<f64>] {
        self.rounds_ns.get_or_init(|| self.record.rounds_ns()).get(row).map_or(&[], Vec::as_slice)
    }

    /// The record's name without its ending: what the files that belong to the run have in common.
    #[must_use]
    pub fn stem(&self) -> &str {
        name::stem_of(&self.name)
    }

    /// What it is called beside its sweep's name: the end of [`Run::stem`], `2026-11-30-nvidia-h200-2`.
    #[must_use]
    pub fn short_name(&self) -> &str {
        self.stem().rsplit('/').next().unwrap_or_default()
    }

    /// Whether an author means it by `name`: a private run may have the name of one that is published, and nobody means it.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        self.private().is_none() && self.short_name() == name
    }

    /// The sweep.
    #[must_use]
    pub fn sweep(&self) -> &str {
        &self.record.header.sweep
    }

    /// The slug of the device that it stands under: that of what it was made on, unless it is a reader's own.
    #[must_use]
    pub fn device(&self) -> &str {
        if self.private() == Some(Private::Try) { YOURS } else { &self.record.header.device }
    }

    /// Whom it was made for, where it is no evidence.
    #[must_use]
    pub fn private(&self) -> Option<Private> {
        self.record.header.circumstance.private
    }

    /// What it did for each row.
    #[must_use]
    pub fn kind(&self) -> RunKind {
        self.record.header.kind
    }

    /// What it was made on, by name: the GPU with its MIG profile, the compiler where nothing was launched, or the host.
    #[must_use]
    pub fn made_on(&self) -> String {
        let identity = &self.record.header.identity;
        match (&identity.gpu, &identity.nvrtc) {
            (Some(gpu), _) => gpu.title(),
            (None, Some(version)) => format!("NVRTC {version}"),
            (None, None) => self.record.header.device.clone(),
        }
    }

    /// The UTC date, `YYYY-MM-DD`.
    #[must_use]
    pub fn date(&self) -> &str {
        &self.record.header.started[..10]
    }

    /// Whether every row was tried in every round.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.record.is_complete()
    }

    /// Whether the fake device made it. A course publishes such runs only if its `devices` name `fake`, since the slug of
    /// a fake run's device is always `fake`; that makes it a test course.
    #[must_use]
    pub fn is_fake(&self) -> bool {
        self.record.header.circumstance.backend == FAKE
    }

    /// The transcript that the record gives.
    #[must_use]
    pub fn expected_transcript(&self) -> &Arc<str> {
        self.expected.get_or_init(|| transcript::transcript(&self.record).into())
    }

    /// The line of the transcript, from 1, that says what became of the row `label`: where a table begins a line with it.
    #[must_use]
    pub fn transcript_line(&self, label: &str) -> Option<usize> {
        let is_of_row = |line: &str| line.strip_prefix(label).is_some_and(|rest| rest.starts_with("  "));
        let lines = self.expected_transcript().lines();
        // The lines before the first empty one are of the run as a whole.
        lines.enumerate().skip_while(|(_, line)| !line.is_empty()).find(|(_, line)| is_of_row(line)).map(|(at, _)| at + 1)
    }

    /// The first line in which the transcript's file differs from what the record gives; a missing file differs in line 1.
    #[must_use]
    pub fn transcript_mismatch(&self) -> Option<Mismatch> {
        let expected = self.expected_transcript();
        let found = self.transcript.as_deref().unwrap_or_default();
        if **expected == *found {
            return None;
        }
        let (mut expected, mut found) = (expected.split_inclusive('\n'), found.split_inclusive('\n'));
        for line in 1.. {
            let pair = (expected.next(), found.next());
            if pair.0 != pair.1 {
                return Some(Mismatch { line, expected: pair.0.map(str::to_owned), found: pair.1.map(str::to_owned) });
            }
        }
        None
    }
}
