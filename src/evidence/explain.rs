//! Turns two lists of fingerprint lines into the lines that differ: why a run no longer speaks for the code.
//!
//! Must not know what a line means.

use similar::{ChangeTag, DiffOp, TextDiff};

use super::record::Record;

/// The difference between what `record` measured and what `lines` (the job's now) would measure: `-` lines were measured,
/// `+` lines are in the course now, with two lines of surroundings; behind those, what `place` says of where they stand, by their
/// index in `lines`. Empty where nothing differs.
#[must_use]
pub fn explain(lines: &[String], record: &Record, place: &dyn Fn(usize) -> Option<String>) -> String {
    let (old, new) = (texts(&record.header.fingerprint_lines), texts(lines));
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
            let place = change.new_index().filter(|_| change.tag() == ChangeTag::Insert).and_then(place);
            if let Some(place) = place {
                text.push_str("    # ");
                text.push_str(&place);
            }
            text.push('\n');
        }
    }
    text
}

/// A stretch of lines that differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Lines that are new or others: the first of them by its index.
    To(usize),
    /// Lines that are gone: the first of them.
    Gone(String),
}

/// Each stretch in which `lines` are not what `record` measured.
#[must_use]
pub fn changes(lines: &[String], record: &Record) -> Vec<Change> {
    let (old, new) = (texts(&record.header.fingerprint_lines), texts(lines));
    let change = |op: &DiffOp| match *op {
        DiffOp::Equal { .. } => None,
        DiffOp::Insert { new_index, .. } | DiffOp::Replace { new_index, .. } => Some(Change::To(new_index)),
        DiffOp::Delete { old_index, .. } => old.get(old_index).map(|line| Change::Gone((*line).to_owned())),
    };
    TextDiff::from_slices(&old, &new).ops().iter().filter_map(change).collect()
}

fn texts(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
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
        let place = |line: usize| (line < 5).then(|| format!("x.cu:{line}"));
        assert_eq!(explain(&lines("a b c d e f g"), &record, &place), "");
        assert_eq!(explain(&lines("a b c d E f g"), &record, &place), "  c\n  d\n- e\n+ E    # x.cu:4\n  f\n  g\n");
        assert_eq!(explain(&lines("a b c d e f"), &record, &place), "  e\n  f\n- g\n");
        assert_eq!(explain(&lines("a b c d e f g h"), &record, &place), "  f\n  g\n+ h\n", "nothing is known of its place");
        assert_eq!(changes(&lines("x y b c d E f g h"), &record), [Change::To(0), Change::To(5), Change::To(8)]);
        assert_eq!(changes(&lines("a b e f g"), &record), [Change::Gone("c".to_owned())]);
    }
}
