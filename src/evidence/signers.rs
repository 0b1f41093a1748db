//! Turns an allowed-signers file into whom a course trusts to vouch for its evidence, and since when.
//!
//! Must not know any record. The file has the form of `ssh-keygen`'s ALLOWED SIGNERS, so that either program can check the other.

use ssh_key::PublicKey;
use ssh_key::public::KeyData;

use crate::base::problem::{Problem, Problems};
use crate::base::span::{SourceName, Span};

use super::signature::{NAMESPACE, taken};

/// The file in the course.
pub const FILE: &str = "lessons/allowed_signers";

/// Whom a course trusts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signers(Vec<Signer>);

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signer {
    /// The names of who holds the key, as written.
    pub principals: String,
    key: KeyData,
    /// Whether it may sign evidence, and not only other things.
    for_evidence: bool,
    /// `YYYYMMDDHHMMSS`, UTC.
    after: Option<String>,
    before: Option<String>,
}

/// What the file says of a key that signed at some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust<'a> {
    /// It is trusted; the names of who holds it.
    Trusted(&'a str),
    /// It is listed, and not for that time.
    OtherTime(&'a str),
    /// It is listed, and not for evidence.
    OtherPurpose(&'a str),
    /// It is not listed.
    Unknown,
}

impl Signers {
    /// Reads the file `name` of text `text`; a line that can't be read is a problem, and trusts nobody.
    #[must_use]
    pub fn read(name: &SourceName, text: &str, problems: &mut Problems) -> Self {
        let mut signers = Vec::new();
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.trim_start().starts_with('#') {
                continue;
            }
            match signer(line) {
                Ok(signer) => signers.push(signer),
                Err(why) => problems.push(
                    Problem::error("signers-unread", Span::line(name, text, index + 1), why)
                        .hint("a line is `NAME namespaces=\"lessonc-evidence\" ssh-ed25519 AAAA…`, as `ssh-keygen` reads it"),
                ),
            }
        }
        Self(signers)
    }

    /// Whether nobody is trusted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is known of `key`, which signed at the UTC time `at`, `YYYY-MM-DDTHH:MM:SSZ`.
    #[must_use]
    pub fn trust(&self, key: &KeyData, at: &str) -> Trust<'_> {
        let at: String = at.chars().filter(char::is_ascii_digit).collect();
        let mut found = Trust::Unknown;
        for signer in self.0.iter().filter(|signer| signer.key == *key) {
            let early = signer.after.as_deref().is_some_and(|after| *at < *after);
            let late = signer.before.as_deref().is_some_and(|before| *at >= *before);
            found = match (signer.for_evidence, early || late) {
                (true, false) => return Trust::Trusted(&signer.principals),
                (true, true) => Trust::OtherTime(&signer.principals),
                (false, _) => Trust::OtherPurpose(&signer.principals),
            };
        }
        found
    }
}

/// Reads a line: principals, options if any, and a public key.
fn signer(line: &str) -> Result<Signer, String> {
    let (principals, rest) = word(line.trim_start()).ok_or("the line names nobody")?;
    let (first, after_first) = word(rest).ok_or("the line has no key")?;
    let (options, key) = if is_key_kind(first) { ("", rest) } else { (first, after_first) };
    let mut signer = Signer {
        principals: principals.trim_matches('"').to_owned(),
        key: public_key(key)?,
        for_evidence: true,
        after: None,
        before: None,
    };
    for option in split(options, ',') {
        let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value.trim_matches('"'))));
        match (name.to_ascii_lowercase().as_str(), value) {
            ("namespaces", Some(list)) => signer.for_evidence = list.split(',').any(|pattern| matches(pattern.trim(), NAMESPACE)),
            ("valid-after", Some(time)) => signer.after = Some(moment(time)?),
            ("valid-before", Some(time)) => signer.before = Some(moment(time)?),
            ("cert-authority", None) => return Err("authorities of certificates are not supported; list the keys themselves".to_owned()),
            _ => return Err(format!("`{option}` is no option that is known here")),
        }
    }
    Ok(signer)
}

fn is_key_kind(word: &str) -> bool {
    ["ssh-", "ecdsa-", "sk-"].iter().any(|kind| word.starts_with(kind))
}

fn public_key(text: &str) -> Result<KeyData, String> {
    let text = text.trim();
    match PublicKey::from_openssh(text) {
        Ok(key) => taken(key.key_data()).map(|()| key.key_data().clone()),
        Err(error) => Err(format!("the key can't be read: {error}")),
    }
}

/// The first word of `text`, in which a pair of quotes holds white space together, and what follows it.
fn word(text: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    let end = text.find(|c: char| {
        quoted ^= c == '"';
        c.is_whitespace() && !quoted
    });
    let end = end.unwrap_or(text.len());
    (end > 0).then(|| (&text[..end], text[end..].trim_start()))
}

/// The parts of `text` between `separator`s outside of quotes; none of an empty text.
fn split(text: &str, separator: char) -> Vec<&str> {
    let mut quoted = false;
    let parts = text.split(|c: char| {
        quoted ^= c == '"';
        c == separator && !quoted
    });
    parts.filter(|part| !part.is_empty()).collect()
}

/// Whether `text` is of the form `pattern`, in which `*` stands for anything and `?` for one character.
fn matches(pattern: &str, text: &str) -> bool {
    let mut letters = pattern.chars();
    match letters.next() {
        None => text.is_empty(),
        Some('*') => (0..=text.len()).filter(|&at| text.is_char_boundary(at)).any(|at| matches(letters.as_str(), &text[at..])),
        Some(letter) => {
            let mut rest = text.chars();
            rest.next().is_some_and(|next| letter == '?' || letter == next) && matches(letters.as_str(), rest.as_str())
        }
    }
}

/// A time such as `20261130`, `202611301200` or `20261130120000Z` as 14 digits; always read as UTC, so that it means the same everywhere.
fn moment(text: &str) -> Result<String, String> {
    let digits = text.strip_suffix('Z').unwrap_or(text);
    if matches!(digits.len(), 8 | 12 | 14) && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        Ok(format!("{digits:0<14}"))
    } else {
        Err(format!("`{text}` is no time; write YYYYMMDD, or YYYYMMDDHHMM"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::signature::tests::test_key;
    use super::*;

    fn line(seed: u8) -> String {
        test_key(seed).public_key().to_openssh().unwrap()
    }

    fn read(text: &str) -> (Signers, Vec<String>) {
        let mut problems = Problems::new();
        let signers = Signers::read(&FILE.into(), text, &mut problems);
        (signers, problems.iter().map(|problem| problem.message.clone()).collect())
    }

    #[test]
    fn a_line_says_who_for_what_and_when() {
        use Trust::{OtherPurpose, OtherTime, Trusted, Unknown};
        let key = line(1);
        let cases = [
            (format!("ada@example.org {key}"), Trusted("ada@example.org")),
            (format!("\n# of the lab\n  ada,bob {key}\n"), Trusted("ada,bob")),
            (format!("\"ada l\" namespaces=\"git,lessonc-evidence\" {key}"), Trusted("ada l")),
            (format!("ada namespaces=\"lessonc-*\" {key}"), Trusted("ada")),
            (format!("ada NAMESPACES=lessonc-?vidence {key}"), Trusted("ada")),
            (format!("ada namespaces=\"git, file\" {key}"), OtherPurpose("ada")),
            (format!("ada valid-after=\"20261130\",valid-before=\"20261201\" {key}"), Trusted("ada")),
            (format!("ada valid-after=20261201 {key}"), OtherTime("ada")),
            (format!("ada valid-before=\"202611301200Z\" {key}"), OtherTime("ada")),
            (format!("ada valid-before=20261130120001 {key}"), Trusted("ada")),
            (format!("ada valid-before=\"20250101\" {key}\nada {key}"), Trusted("ada")),
            (format!("eve {}", line(2)), Unknown),
            (String::new(), Unknown),
        ];
        for (text, expected) in cases {
            let (signers, problems) = read(&text);
            assert_eq!(problems, [""; 0], "{text}");
            assert_eq!(signers.trust(test_key(1).public_key().key_data(), "2026-11-30T12:00:00Z"), expected, "{text}");
        }
    }

    #[test]
    fn what_can_not_be_read_trusts_nobody() {
        let key = line(1);
        let cases = [
            ("ada".to_owned(), "no key"),
            ("ada ssh-ed25519 AAAA".to_owned(), "can't be read"),
            ("ada ssh-rsa AAAA".to_owned(), "can't be read"),
            (format!("ada cert-authority {key}"), "authorities"),
            (format!("ada verify-required {key}"), "`verify-required`"),
            (format!("ada valid-after=soon {key}"), "`soon` is no time"),
            (format!("{key} ada"), "can't be read"),
        ];
        for (text, expected) in cases {
            let (signers, problems) = read(&text);
            assert!(signers.is_empty() && problems.len() == 1 && problems[0].contains(expected), "{text}: {problems:?}");
        }
    }
}
