//! Turns terms with their postings into a tree of small files: leaves that hold terms, and nodes that say which leaf holds which.
//!
//! Must not know sections. However many terms there are, a look-up reads one file a level; a level more comes with every few hundred
//! times as many.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use super::code;
use super::postings::{LEVELS, Posting, Terms};

/// Bytes of a leaf before it is packed, of one term's postings in it, of the postings of all terms that begin alike, and of a node.
const LEAF: usize = 6_500;
const TERM: usize = 3_600;
const ALIKE: usize = 600;
const NODE: usize = 2_000;
/// Letters from which on the beginning of a word is looked up.
const SHORTEST: usize = 2;
/// Stands before the beginning of a word under which all terms that begin so are found together, and sorts before any term.
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
struct Entry<'a> {
    term: Cow<'a, str>,
    postings: String,
}

impl Entry<'_> {
    fn len(&self) -> usize {
        self.term.len() + self.postings.len() + 2
    }
}

/// The tree of `terms`, which are found in `sections` sections.
pub(super) fn of(terms: &Terms, sections: usize) -> Tree {
    let entries: Vec<Entry<'_>> = (0..terms.names().len())
        .into_par_iter()
        .map(|index| {
            let postings = terms.postings(index);
            Entry { term: Cow::Borrowed(&terms.names()[index]), postings: code::postings(postings, postings.len(), TERM) }
        })
        .collect();
    let beginnings = beginnings(terms, &entries, sections);
    let (mut level, mut keys) = leaves(beginnings.iter().chain(&entries));
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

/// An entry for each beginning that more terms have than a reader should have to load, in order.
fn beginnings(terms: &Terms, entries: &[Entry<'_>], sections: usize) -> Vec<Entry<'static>> {
    let groups: Vec<Range<usize>> = alike(terms.names(), 0..entries.len(), SHORTEST).collect();
    let of_group = |together: &mut Together, group: Range<usize>| {
        let mut found = Vec::new();
        below(terms, entries, group, together, &mut found);
        found
    };
    let found: Vec<_> = groups.into_par_iter().map_init(|| Together::of(sections), of_group).collect();
    found.into_iter().flatten().collect()
}

/// Adds an entry for what all terms of `group` begin with, if they are many, and for longer beginnings of some of them that are many
/// still. Beginnings of different lengths that the same terms have share an entry, the longest one's.
fn below(terms: &Terms, entries: &[Entry<'_>], group: Range<usize>, together: &mut Together, out: &mut Vec<Entry<'static>>) {
    let bytes: usize = entries[group.clone()].iter().map(Entry::len).sum();
    if bytes <= LEAF || group.len() < 2 {
        return;
    }
    let (first, last) = (&terms.names()[group.start], &terms.names()[group.end - 1]);
    let letters = first.chars().zip(last.chars()).take_while(|(one, other)| one == other).count();
    let head = beginning(first, letters).unwrap_or(first);
    out.push(Entry { term: format!("{ALL}{head}").into(), postings: together.postings(terms, group.clone()) });
    for group in alike(terms.names(), group, letters + 1) {
        below(terms, entries, group, together, out);
    }
}

/// The ranges within `range` of terms whose first `letters` letters are the same.
fn alike(names: &[String], range: Range<usize>, letters: usize) -> impl Iterator<Item = Range<usize>> {
    let mut next = range.start;
    std::iter::from_fn(move || {
        while next < range.end {
            let start = next;
            let head = beginning(&names[start], letters);
            next += head.map_or(1, |head| names[start..range.end].partition_point(|name| name.starts_with(head)));
            if head.is_some() {
                return Some(start..next);
            }
        }
        None
    })
}

/// Puts the postings of several terms together.
struct Together {
    /// One more than the highest level of each section.
    levels: Vec<u8>,
    /// The sections that have one.
    sections: Vec<u32>,
}

impl Together {
    /// For sections below `sections`.
    fn of(sections: usize) -> Self {
        Self { levels: vec![0; sections], sections: Vec::new() }
    }

    /// The best postings of the terms at `group`: each section once, at its highest level.
    fn postings(&mut self, terms: &Terms, group: Range<usize>) -> String {
        for posting in group.flat_map(|index| terms.postings(index)) {
            let level = &mut self.levels[posting.section() as usize];
            if *level == 0 {
                self.sections.push(posting.section());
            }
            *level = (*level).max(posting.level() + 1);
        }
        let mut counts = [0; LEVELS as usize];
        for section in &self.sections {
            counts[usize::from(self.levels[*section as usize]) - 1] += 1;
        }
        // A posting takes a byte at least, so that no others are needed.
        let mut enough = 0;
        let least = (0..LEVELS).rev().find(|level| {
            enough += counts[usize::from(*level)];
            enough >= ALIKE
        });
        let all = self.sections.len();
        let mut best = Vec::new();
        for section in self.sections.drain(..) {
            let level = std::mem::take(&mut self.levels[section as usize]) - 1;
            if level >= least.unwrap_or(0) {
                best.push(Posting::new(section, level));
            }
        }
        best.sort_unstable();
        code::postings(&best, all, ALIKE)
    }
}

/// The first `letters` letters of `term`, if it has so many.
fn beginning(term: &str, letters: usize) -> Option<&str> {
    let mut ends = term.char_indices().map(|(at, letter)| at + letter.len_utf8());
    ends.nth(letters - 1).map(|end| &term[..end])
}

/// The texts of the leaves, and the least word that tells each from the one before.
fn leaves<'a>(entries: impl Iterator<Item = &'a Entry<'a>>) -> (Vec<String>, Vec<String>) {
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
    use super::super::packed::Packer;
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

    /// The bytes of the file of `text`.
    fn size(text: &str) -> usize {
        Packer::new().script("en/0-0", text.as_bytes()).len()
    }

    impl Tree {
        /// The numbers of the leaves that hold words from `from` to `to`, and the bytes of the nodes on the way.
        fn leaves(&self, from: &str, to: &str) -> (std::ops::RangeInclusive<usize>, usize) {
            let mut bytes = 0;
            let mut at = |word: &str| {
                let mut node = &self.top;
                for level in self.levels.iter().skip(1).rev() {
                    node = &level[child(node, word)];
                    bytes += size(node);
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
            (found.map(|(_, postings)| read_postings(postings)), nodes + size(leaf))
        }

        /// The postings of every term that begins so, and the bytes read for them.
        pub(in super::super) fn begin(&self, head: &str) -> (Vec<Posting>, usize) {
            let all = format!("{ALL}{head}");
            let (range, mut bytes) = self.leaves(&all, &all);
            let Some(leaf) = self.levels[0].get(*range.start()) else { return (Vec::new(), bytes) };
            bytes += size(leaf);
            if let Some((_, postings)) = read_words(leaf).into_iter().find(|(word, _)| word.starts_with(&all)) {
                return (read_postings(postings).1, bytes);
            }
            let (range, nodes) = self.leaves(head, &format!("{head}\u{ffff}"));
            bytes += nodes;
            let mut found = Vec::new();
            for leaf in range {
                let leaf = &self.levels[0][leaf];
                bytes += size(leaf);
                for (_, postings) in read_words(leaf).into_iter().filter(|(word, _)| word.starts_with(head)) {
                    found.extend(read_postings(postings).1);
                }
            }
            found.sort_unstable_by_key(|posting: &Posting| (posting.section(), std::cmp::Reverse(posting.level())));
            found.dedup_by_key(|posting| posting.section());
            (found, bytes)
        }
    }

    #[test]
    fn every_term_is_found_whatever_the_size() {
        for count in [0_u32, 1, 7, 3_000, 40_000] {
            let mut terms: Vec<String> = (0..count).map(|index| format!("{:x}", index.wrapping_mul(2_654_435_761))).collect();
            terms.sort();
            let postings = |section: u32| vec![Posting::new(section, 3)];
            let tree = of(&Terms::from_iter(terms.iter().cloned().zip((0..).map(postings))), count as usize);
            assert!(tree.levels[0].iter().all(|leaf| leaf.len() <= LEAF + 60) && tree.top.len() <= NODE + 60);
            assert!(tree.levels.len() <= 2, "{} levels", tree.levels.len());
            for (section, term) in (0..).zip(&terms).step_by(1 + terms.len() / 500) {
                assert_eq!(tree.get(term).0, Some((0, postings(section))), "{term}");
                let (begun, bytes) = tree.begin(beginning(term, 3).unwrap_or(term));
                assert!(bytes <= 5 * LEAF, "{bytes} bytes");
                assert!(!begun.is_empty());
            }
            assert_eq!(tree.get("no such").0, None);
        }
    }

    #[test]
    fn what_begins_alike_is_found_together_by_any_beginning() {
        let names = ["issue", "issue_rate", "issue_slot", "issued", "item", "iteration"];
        let sections = 5_000;
        // Each in as many sections as fill half a leaf.
        let postings = |index: u32| {
            (0..sections).filter(|section| section % 6 != index).map(|section| Posting::new(section, (index % 3) as u8)).collect()
        };
        let tree = of(&Terms::from_iter(names.iter().map(|name| (*name).to_owned()).zip((0..).map(postings))), sections as usize);
        for (head, alike) in
            [("is", 4), ("iss", 4), ("issue", 4), ("issue_", 2), ("issue_sl", 1), ("it", 2), ("ite", 2), ("iter", 1), ("if", 0)]
        {
            let (found, _) = tree.begin(head);
            assert_eq!(found.is_empty(), alike == 0, "{head}");
            // The best are of the level that is the highest among them.
            let best = names.iter().zip(0..).filter(|(name, _)| name.starts_with(head)).map(|(_, index)| index % 3).max();
            assert_eq!(found.iter().map(|posting| posting.level()).max(), best, "{head}");
            assert!(alike == 1 || found.len() <= ALIKE, "{head}: {}", found.len());
        }
    }

    #[test]
    fn keys_are_short() {
        for (before, term, expected) in [("", "warp", "w"), ("warm", "warp", "warp"), ("var", "warp", "w"), ("wa", "warp", "war")] {
            assert_eq!(least_between(before, term), expected);
        }
    }
}
