//! Turns runs that were just written into signed ones: a signature beside each record, as `ssh-keygen -Y sign` makes it.
//!
//! Must not sign what this command did not write: who signs says that they measured it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use ssh_key::{HashAlg, LineEnding, PrivateKey, PublicKey};

use crate::base::problem::Problems;
use crate::disk;
use crate::evidence::signature::{self, NAMESPACE};
use crate::evidence::signers::{self, Signers, Trust};

use super::{Studied, Terminal};

/// Keys that are looked for where none is named, below the home folder.
const USUAL: [&str; 2] = [".ssh/id_ed25519", ".ssh/id_ecdsa"];

/// Who signs.
pub(super) enum Signer {
    /// A private key in a file without a passphrase.
    Key(Box<PrivateKey>),
    /// `ssh-keygen` with this file: it asks for a passphrase, the agent, or a touch of a security key.
    Program(PathBuf),
}

impl Signer {
    /// The signer with the key in `file`, or with the usual one. Asked before anything is measured, so that a slip costs no run.
    pub(super) fn open(file: Option<&Path>) -> Result<Self> {
        let file = match file {
            Some(file) => file.to_owned(),
            None => usual().context("there is no key in ~/.ssh; name one with --sign=KEY, or make one with `ssh-keygen -t ed25519`")?,
        };
        let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read the key {}", file.display()))?;
        match PrivateKey::from_openssh(text.trim_start()) {
            Ok(key) if !key.is_encrypted() && signature::taken(key.public_key().key_data()).is_ok() && !is_in_hardware(&key) => {
                Ok(Self::Key(Box::new(key)))
            }
            Ok(_) => Ok(Self::Program(file)),
            // ssh-keygen knows more kinds of keys and files, and public halves of keys that an agent holds.
            Err(_) if text.contains("PRIVATE KEY-----") || PublicKey::from_openssh(text.trim()).is_ok() => Ok(Self::Program(file)),
            Err(error) => bail!("{} is no key of OpenSSH: {error}", file.display()),
        }
    }

    /// Signs every record that lies in the evidence now and did not when the course was `studied`.
    pub(super) fn sign_new(&self, studied: &Studied, terminal: &mut Terminal<'_>) -> Result<()> {
        let root = &studied.folder.root;
        let (tree, _) = disk::read_course(root)?;
        let new = tree.below("evidence").filter(|(name, _)| name.ends_with(".jsonl") && studied.tree.get(name).is_none());
        let mut used = None;
        for (name, file) in new {
            let signed = signature::name(name);
            self.sign(root, name, &file.text()).with_context(|| {
                format!("{name} is written and not signed; sign it with `ssh-keygen -Y sign -n {NAMESPACE} -f KEY {name}`")
            })?;
            writeln!(terminal.out, "signature {signed}")?;
            used = Some((file.text(), signed));
        }
        let Some((text, signed)) = used else { return Ok(()) };
        let pem = std::fs::read_to_string(root.join(&signed)).with_context(|| format!("cannot read {signed}"))?;
        let key = signature::key(&text, &pem).map_err(|why| anyhow::anyhow!("{signed} would not be taken: {why}"))?;
        let signers = Signers::read(&signers::FILE.into(), tree.text(signers::FILE), &mut Problems::new());
        let now = crate::measure::time_text(chrono::Utc::now());
        if !matches!(signers.trust(&key, &now), Trust::Trusted(_)) {
            let key = PublicKey::new(key, "").to_openssh().context("cannot print the key")?;
            writeln!(
                terminal.err,
                "{} does not trust this key yet; whoever answers for the course adds the line\n  NAME namespaces=\"{NAMESPACE}\" {key}",
                signers::FILE
            )?;
        }
        Ok(())
    }

    /// Writes the signature of the record `name` of text `text` beside it; never over another.
    fn sign(&self, root: &Path, name: &str, text: &str) -> Result<()> {
        let path = root.join(signature::name(name));
        if std::fs::symlink_metadata(&path).is_ok() {
            bail!("{} is there already", path.display());
        }
        match self {
            Self::Key(key) => {
                let signed = key.sign(NAMESPACE, HashAlg::Sha512, text.as_bytes()).context("the key can't sign")?;
                let pem = signed.to_pem(LineEnding::LF).context("cannot print the signature")?;
                let mut file = std::fs::File::create_new(&path).with_context(|| format!("cannot write {}", path.display()))?;
                file.write_all(pem.trim_end().as_bytes()).and_then(|()| file.write_all(b"\n")).context("cannot write the signature")
            }
            Self::Program(key) => {
                let mut command = Command::new("ssh-keygen");
                command.args(["-q", "-Y", "sign", "-n", NAMESPACE, "-f"]).arg(key).arg(root.join(name));
                let status = command.status().context("cannot start ssh-keygen, which this kind of key needs")?;
                if status.success() { Ok(()) } else { bail!("ssh-keygen ended with {status}") }
            }
        }
    }
}

/// Whether the file only names a key that a security key holds.
fn is_in_hardware(key: &PrivateKey) -> bool {
    matches!(key.algorithm(), ssh_key::Algorithm::SkEd25519 | ssh_key::Algorithm::SkEcdsaSha2NistP256)
}

fn usual() -> Option<PathBuf> {
    let home = std::env::home_dir()?;
    USUAL.iter().map(|name| home.join(name)).find(|file| file.is_file())
}
