//! Turns what people call things into names that can be looked up, and a miss into the name that was meant.
//!
//! Must not know what is being named.

use std::collections::BTreeSet;

/// What [`is_name`] asks for, in the author's words.
pub const RULE: &str = "a name begins with a letter or digit and goes on with letters, digits, `.`, `_` and `-`";

/// Whether `text` may name a region, a sweep, a claim or a lesson: `[A-Za-z0-9][A-Za-z0-9._-]*`.
#[must_use]
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
}

/// `text` in lower case with every run of other characters than letters and digits as one `-`: "NVIDIA H200" is
/// `nvidia-h200`. Letters of every script stay, so that a Hebrew heading keeps a readable anchor.
#[must_use]
pub fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

/// A name as a title: `block-size` is "Block size".
#[must_use]
pub fn title(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A name as expressions spell it, where `-` and `.` mean other things: `block-size` is `block_size`.
#[must_use]
pub fn in_expressions(name: &str) -> String {
    name.replace(['-', '.'], "_")
}

/// Whether two labels of rows read the same: an amount in a label may be joined to its unit by a no-break space, which no author
/// types and nobody sees.
#[must_use]
pub fn same_label(a: &str, b: &str) -> bool {
    typed_label(a) == typed_label(b)
}

/// A row's label as an author types it, with plain spaces.
#[must_use]
pub fn typed_label(label: &str) -> String {
    label.replace(['\u{a0}', '\u{202f}'], " ")
}

/// The one of `known` that `missed` most likely meant, if any is near enough to be worth saying.
pub fn nearest<'a>(missed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let tolerance = (missed.chars().count() / 3).clamp(1, 3);
    known
        .into_iter()
        .map(|name| (strsim::osa_distance(&missed.to_lowercase(), &name.to_lowercase()), name))
        .filter(|&(distance, _)| distance <= tolerance)
        .min()
        .map(|(_, name)| name)
}

/// "did you mean `x`?" for the nearest of `known`, or a list of them while that is short, or `None`.
pub fn did_you_mean<'a>(missed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    // What goes by one name in several languages is one to choose from.
    let mut seen = BTreeSet::new();
    let known: Vec<&str> = known.into_iter().filter(|name| seen.insert(*name)).collect();
    if let Some(name) = nearest(missed, known.iter().copied()) {
        return Some(format!("did you mean `{name}`?"));
    }
    match known.len() {
        1..=12 => Some(format!("known here: {}", known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_slugs() {
        assert!(is_name("luma-kernel") && is_name("8x8.tile_2") && !is_name("-x") && !is_name("") && !is_name("a b"));
        let cases = [("NVIDIA H200", "nvidia-h200"), ("  A — B! ", "a-b"), ("כמה חוטים בבלוק?", "כמה-חוטים-בבלוק"), ("***", "")];
        for (text, expected) in cases {
            assert_eq!(slug(text), expected);
        }
    }

    #[test]
    fn labels_are_the_same_whichever_spaces_they_have() {
        assert!(same_label("16\u{a0}KiB", "16 KiB") && same_label("16 KiB", "16\u{202f}KiB") && same_label("256", "256"));
        assert!(!same_label("16KiB", "16 KiB") && !same_label("16 KiB", "16 KiBs") && !same_label("16 KiB", "16 MiB"));
    }

    #[test]
    fn a_near_miss_is_named_and_a_far_one_is_not() {
        assert_eq!(nearest("ocupancy", ["occupancy", "warps"]), Some("occupancy"));
        assert_eq!(nearest("ms", ["GB/s", "threads"]), None);
        assert_eq!(did_you_mean("qqqq", ["a", "b"]).as_deref(), Some("known here: `a`, `b`"));
    }
}
