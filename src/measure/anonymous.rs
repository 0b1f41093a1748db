//! Turns free text of compilers and drivers into text that does not say who measured where: no paths, no names.
//!
//! Must not touch text that lessonc or the author wrote.

use crate::device::paths::without_paths;

/// Names that say nothing of anybody, and that may well be words of a message.
const EVERYBODY: [&str; 10] = ["root", "user", "users", "admin", "ubuntu", "debian", "runner", "nobody", "localhost", "host"];

/// Knows which names must not be told.
#[derive(Debug, Clone, Default)]
pub struct Anonymous {
    names: Vec<String>,
}

impl Anonymous {
    /// Keeps `names` quiet; those of three letters or fewer are more likely a word than a name.
    #[must_use]
    pub fn of(names: impl IntoIterator<Item = String>) -> Self {
        let telling = |name: &String| name.chars().count() > 3 && !EVERYBODY.contains(&name.to_lowercase().as_str());
        Self { names: names.into_iter().map(|name| name.trim().to_owned()).filter(telling).collect() }
    }

    /// Keeps the names of this machine and of its user quiet.
    #[must_use]
    pub fn here() -> Self {
        let users = ["USER", "LOGNAME", "USERNAME", "HOSTNAME"].into_iter().filter_map(|name| std::env::var(name).ok());
        Self::of(users.chain(std::fs::read_to_string("/proc/sys/kernel/hostname")))
    }

    /// `text` without paths and names.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        self.names.iter().fold(without_paths(text), |text, name| without_word(&text, name))
    }
}

/// `text` with an ellipsis for every `word` that stands by itself.
fn without_word(text: &str, word: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(word) {
        let end = at + word.len();
        let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let alone = !part(rest[..at].chars().next_back().or(out.chars().next_back())) && !part(rest[end..].chars().next());
        out.push_str(&rest[..at]);
        out.push_str(if alone { "…" } else { word });
        rest = &rest[end..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_go_and_words_stay() {
        let quiet = Anonymous::of(["lovelace", "root", "gpu", "node17\n", ""].map(str::to_owned));
        let cases = [
            ("by lovelace@node17: x", "by …@…: x"),
            ("lovelaces and node170", "lovelaces and node170"),
            ("root of gpu", "root of gpu"),
            ("/home/lovelace/a.cu(3): error", "a.cu(3): error"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(quiet.text(text), expected, "{text}");
        }
    }
}
