//! Turns the signatures beside records into who vouches for each run: somebody whom the course trusts, a stranger, or nobody.
//!
//! Must not decide whether a run needs a signature: a policy does.

use std::collections::BTreeMap;

use crate::base::digest::Checksum;
use crate::base::problem::Problems;
use crate::base::span::SourceName;
use crate::tree::SourceTree;

use super::signers::{self, Signers, Trust};
use super::{Evidence, Run, signature};

/// How a record is signed.
pub enum Signed<'a> {
    /// Not at all.
    Not,
    /// Not so that it counts: the signature's file, and why.
    Wrongly(SourceName, String),
    /// By a key that the signers say this of: the signature's file and the key's fingerprint.
    By(SourceName, String, Trust<'a>),
}

/// How the record of `run` is signed, as `signers` see it.
#[must_use]
pub fn signed<'a>(tree: &SourceTree, signers: &'a Signers, run: &Run) -> Signed<'a> {
    let name: SourceName = signature::name(&run.name).into();
    let Some(file) = tree.get(&name) else { return Signed::Not };
    match signature::key(tree.text(&run.name), &file.text()) {
        Err(why) => Signed::Wrongly(name, why),
        Ok(key) => {
            let ended = run.record.footer.as_ref().map_or(&run.record.header.started, |footer| &footer.ended);
            Signed::By(name, signature::fingerprint(&key), signers.trust(&key, ended))
        }
    }
}

/// The signers whom the course itself trusts.
#[must_use]
pub fn signers(tree: &SourceTree, problems: &mut Problems) -> Signers {
    match tree.get(signers::FILE) {
        Some(file) => Signers::read(&signers::FILE.into(), &file.text(), problems),
        None => Signers::default(),
    }
}

/// The runs that somebody whom the course trusts signed, by their records' names, with who that is.
#[derive(Debug, Default)]
pub struct Vouched(BTreeMap<SourceName, String>);

impl Vouched {
    /// The digest of who vouches for what.
    #[must_use]
    pub fn digest(&self) -> Checksum {
        Checksum::of(self.0.iter().map(|(run, who)| format!("{run} {who}\n")).collect::<String>())
    }

    /// Those of `evidence`.
    #[must_use]
    pub fn of(tree: &SourceTree, evidence: &Evidence) -> Self {
        let signers = signers(tree, &mut Problems::new());
        let by = |run: &std::sync::Arc<Run>| match signed(tree, &signers, run) {
            Signed::By(_, _, Trust::Trusted(who)) => Some((run.name.clone(), who.to_owned())),
            _ => None,
        };
        // Without a line of trust nobody's signature is looked at.
        Self(if signers.is_empty() { BTreeMap::new() } else { evidence.all().filter_map(by).collect() })
    }

    /// Who vouches for `run`.
    #[must_use]
    pub fn by(&self, run: &Run) -> Option<&str> {
        self.0.get(&run.name).map(String::as_str)
    }
}
