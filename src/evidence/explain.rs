//! Turns two lists of fingerprint lines into the lines that differ: why a run no longer speaks for the code.
//!
//! Must not know what a line means.

use similar::{ChangeTag, TextDiff};

use super::record::Record;

/// The difference between what `record` measured and what `lines` (the job's now) would measure: `-` lines were measured,
/// `+` lines are in the course now, with two lines of surroundings. Empty where nothing differs.
#[must_use]
pub fn explain(lines: &[String], record: &Record) -> String {
    let old: Vec<&str> = record.header.fingerprint_lines.iter().map(String::as_str).collect();
    let new: Vec<&str> = lines.iter().map(String::as_str).collect();
    let diff = TextDiff::from_slices(&old, &new);
    let mut text = String::new();
    for (index, group) in diff.grouped_ops(2).iter().enumerate() {
        if index > 0 {
            text.push_str("  …\n");
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Delete => "- ",
                ChangeTag::Insert => "+ ",
                ChangeTag::Equal => "  ",
            };
            text.push_str(sign);
            text.push_str(change.value().trim_end());
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::record::tests::sample;

    #[test]
    fn only_what_differs_is_shown() {
        let mut record = sample();
        let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        record.header.fingerprint_lines = lines("a b c d e f g");
        assert_eq!(explain(&lines("a b c d e f g"), &record), "");
        assert_eq!(explain(&lines("a b c d E f g"), &record), "  c\n  d\n- e\n+ E\n  f\n  g\n");
    }
}
