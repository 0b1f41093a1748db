//! Turns terms with their postings into a tree of small files: leaves that hold terms, and nodes that say which leaf holds which.
//!
//! Must not know sections. However many terms there are, a look-up reads one file a level; a level more comes with every few hundred
//! times as many.

use super::code;
use super::postings::{Posting, together};

/// Bytes of a leaf, of one term's postings in it, of the postings of all terms that begin alike, and of a node.
const LEAF: usize = 4_000;
const TERM: usize = 3_600;
const PREFIX: usize = 600;
const NODE: usize = 2_000;
/// Letters from which on the beginning of a word is looked up.
const SHORTEST: usize = 2;
/// Ends the beginning of a word under which all terms that begin so are found together. No term holds it.
const ALL: char = '*';

/// The files of a tree: the levels from the leaves up, and the text of the node that stands above them all.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Level by level, each file's text by its number.
    pub levels: Vec<Vec<String>>,
    /// The node above the highest level.
    pub top: String,
}

/// A term as a leaf holds it.
struct Entry {
    term: String,
    postings: String,
}

impl Entry {
    fn len(&self) -> usize {
        self.term.len() + self.postings.len() + 2
    }
}

/// The tree of `terms`, which are sorted.
pub(super) fn of(terms: &[(String, Vec<Posting>)]) -> Tree {
    let entry = |(term, postings): &(String, Vec<Posting>)| Entry { term: term.clone(), postings: code::postings(postings, TERM) };
    let mut entries: Vec<Entry> = terms.iter().map(entry).collect();
    let mut beginnings = Vec::new();
    alike(terms, &entries, SHORTEST, &mut beginnings);
    entries.extend(beginnings);
    entries.sort_unstable_by(|a, b| a.term.cmp(&b.term));
    let (mut level, mut keys) = leaves(&entries);
    let mut levels = Vec::new();
    loop {
        let (nodes, above) = nodes(&keys);
        levels.push(level);
        if nodes.len() < 2 {
            return Tree { levels, top: nodes.into_iter().next().unwrap_or_default() };
        }
        (level, keys) = (nodes, above);
    }
}

/// Adds an entry for each beginning of `letters` letters, and of more, that more terms have than a reader should have to load.
fn alike(terms: &[(String, Vec<Posting>)], entries: &[Entry], letters: usize, out: &mut Vec<Entry>) {
    let mut start = 0;
    while start < terms.len() {
        let Some(head) = beginning(&terms[start].0, letters) else {
            start += 1;
            continue;
        };
        let end = start + terms[start..].iter().take_while(|(term, _)| term.starts_with(head)).count();
        let bytes: usize = entries[start..end].iter().map(Entry::len).sum();
        if bytes > LEAF && end > start + 1 {
            let all = together(terms[start..end].iter().map(|(_, postings)| &postings[..]));
            out.push(Entry { term: format!("{head}{ALL}"), postings: code::postings(&all, PREFIX) });
            alike(&terms[start..end], &entries[start..end], letters + 1, out);
        }
        start = end;
    }
}

/// The first `letters` letters of `term`, if it has so many.
fn beginning(term: &str, letters: usize) -> Option<&str> {
    let mut ends = term.char_indices().map(|(at, letter)| at + letter.len_utf8());
    ends.nth(letters - 1).map(|end| &term[..end])
}

/// The texts of the leaves, and the least word that tells each from the one before.
fn leaves(entries: &[Entry]) -> (Vec<String>, Vec<String>) {
    let (mut leaves, mut keys) = (Vec::<String>::new(), Vec::new());
    let mut before = "";
    for entry in entries {
        let full = leaves.last().is_none_or(|leaf| leaf.len() + entry.len() > LEAF);
        if full {
            keys.push(least_between(before, &entry.term));
            leaves.push(String::new());
            before = "";
        }
        let Some(leaf) = leaves.last_mut() else { continue };
        if !leaf.is_empty() {
            leaf.push('\n');
        }
        code::word(&entry.term, before, leaf);
        leaf.push(' ');
        leaf.push_str(&entry.postings);
        before = &entry.term;
    }
    (leaves, keys)
}

/// The shortest beginning of `term` that sorts behind `before`.
fn least_between(before: &str, term: &str) -> String {
    let end = term.char_indices().map(|(at, letter)| at + letter.len_utf8()).find(|&end| &term[..end] > before);
    term[..end.unwrap_or(term.len())].to_owned()
}

/// The texts of the nodes over files that begin at `keys`, and where each of the nodes begins: in a node, the number of its first
/// file, then the words at which its files begin.
fn nodes(keys: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut nodes, mut above) = (Vec::<String>::new(), Vec::new());
    let mut before = "";
    for (index, key) in keys.iter().enumerate() {
        if nodes.last().is_none_or(|node| node.len() + key.len() + 2 > NODE) {
            nodes.push(index.to_string());
            above.push(key.clone());
            before = "";
        }
        let Some(node) = nodes.last_mut() else { continue };
        node.push('\n');
        code::word(key, before, node);
        before = key;
    }
    (nodes, above)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::code::tests::{read_number, read_postings};
    use super::*;

    /// The words of a text, one a line, each with what stands behind it.
    fn read_words(text: &str) -> Vec<(String, &str)> {
        let mut found: Vec<(String, &str)> = Vec::new();
        for line in text.lines() {
            let mut rest = line.as_bytes();
            let shared = read_number(&mut rest) as usize;
            let (word, behind) = line[1..].split_once(' ').unwrap_or((&line[1..], ""));
            let before: String = found.last().map(|(word, _)| word.chars().take(shared).collect()).unwrap_or_default();
            found.push((before + word, behind));
        }
        found
    }

    /// The number of the file below `node` that would hold `word`.
    fn child(node: &str, word: &str) -> usize {
        let (first, keys) = node.split_once('\n').unwrap_or((node, ""));
        let below = read_words(keys).iter().take_while(|(key, _)| &**key <= word).count();
        first.parse::<usize>().unwrap_or(0) + below.saturating_sub(1)
    }

    impl Tree {
        /// The numbers of the leaves that hold words from `from` to `to`, and the bytes of the nodes on the way.
        fn leaves(&self, from: &str, to: &str) -> (std::ops::RangeInclusive<usize>, usize) {
            let mut bytes = 0;
            let mut at = |word: &str| {
                let mut node = &self.top;
                for level in self.levels.iter().skip(1).rev() {
                    node = &level[child(node, word)];
                    bytes += node.len();
                }
                child(node, word)
            };
            let range = at(from)..=at(to);
            (range, bytes)
        }

        /// The postings left out, the others, and the bytes read for them.
        pub(in super::super) fn get(&self, term: &str) -> (Option<(u32, Vec<Posting>)>, usize) {
            let (range, nodes) = self.leaves(term, term);
            let Some(leaf) = self.levels.first().and_then(|leaves| leaves.get(*range.start())) else { return (None, nodes) };
            let found = read_words(leaf).into_iter().find(|(word, _)| word == term);
            (found.map(|(_, postings)| read_postings(postings)), nodes + leaf.len())
        }

        /// The postings of every term that begins so, and the bytes read for them.
        pub(in super::super) fn begin(&self, head: &str) -> (Vec<Posting>, usize) {
            if let (Some((_, postings)), bytes) = self.get(&format!("{head}{ALL}")) {
                return (postings, bytes);
            }
            let (range, mut bytes) = self.leaves(head, &format!("{head}\u{ffff}"));
            let mut found = Vec::new();
            for leaf in range {
                let leaf = &self.levels[0][leaf];
                bytes += leaf.len();
                let words = read_words(leaf).into_iter().filter(|(word, _)| word.starts_with(head) && !word.ends_with(ALL));
                found.extend(words.map(|(_, postings)| read_postings(postings).1));
            }
            (together(found.iter().map(|postings| &postings[..])), bytes)
        }
    }

    #[test]
    fn every_term_is_found_whatever_the_size() {
        for count in [0_u32, 1, 7, 3_000, 40_000] {
            let mut terms: Vec<String> = (0..count).map(|index| format!("{:x}", index.wrapping_mul(2_654_435_761))).collect();
            terms.sort();
            let terms: Vec<(String, Vec<Posting>)> =
                terms.into_iter().zip(0..).map(|(term, section)| (term, vec![Posting { section, level: 3 }])).collect();
            let tree = of(&terms);
            assert!(tree.levels[0].iter().all(|leaf| leaf.len() <= LEAF + 60) && tree.top.len() <= NODE + 60);
            assert!(tree.levels.len() <= 2, "{} levels", tree.levels.len());
            for (term, postings) in terms.iter().step_by(1 + terms.len() / 500) {
                assert_eq!(tree.get(term).0, Some((0, postings.clone())), "{term}");
                let (begun, bytes) = tree.begin(beginning(term, 3).unwrap_or(term));
                assert!(bytes <= 5 * LEAF, "{bytes} bytes");
                assert!(!begun.is_empty());
            }
            assert_eq!(tree.get("no such").0, None);
        }
    }

    #[test]
    fn keys_are_short() {
        for (before, term, expected) in [("", "warp", "w"), ("warm", "warp", "warp"), ("var", "warp", "w"), ("wa", "warp", "war")] {
            assert_eq!(least_between(before, term), expected);
        }
    }
}
