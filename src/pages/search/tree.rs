//! Turns terms with their postings into a tree of small files: leaves that hold terms, and nodes that say which leaf holds which.
//!
//! Must not know sections. However many terms there are, a look-up reads one file a level; a level more comes with every few hundred
//! times as many.

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

/// The postings of all terms as leaves hold them.
struct Written {
    /// Those of [`TOGETHER`] terms each, one behind the other, and where each of them ends.
    texts: Vec<(String, Vec<u32>)>,
}

/// Terms whose postings are written into one text.
const TOGETHER: usize = 512;

impl Written {
    fn of(terms: &Terms<'_>) -> Self {
        let count = terms.names().len();
        let some = |writer: &mut code::Writer, part: usize| {
            let (mut text, mut ends) = (String::new(), Vec::with_capacity(TOGETHER));
            for index in part * TOGETHER..count.min((part + 1) * TOGETHER) {
                let mut all = 0;
                for posting in terms.postings(index) {
                    writer.add(posting);
                    all += 1;
                }
                writer.write(all, TERM, &mut text);
                ends.push(text.len() as u32);
            }
            text.shrink_to_fit();
            (text, ends)
        };
        Self { texts: (0..count.div_ceil(TOGETHER)).into_par_iter().map_init(code::Writer::default, some).collect() }
    }

    /// The postings of the term at `index`.
    fn postings(&self, index: usize) -> &str {
        let ((text, ends), at) = (&self.texts[index / TOGETHER], index % TOGETHER);
        let start = at.checked_sub(1).map_or(0, |before| ends[before]);
        &text[start as usize..ends[at] as usize]
    }
}

/// Bytes of a term and its postings in a leaf.
fn bytes(term: &str, postings: &str) -> usize {
    term.len() + postings.len() + 2
}

/// The tree of `terms`, which are found in `sections` sections.
pub(super) fn of(terms: &Terms<'_>, sections: usize) -> Tree {
    let written = Written::of(terms);
    let beginnings = beginnings(terms, &written, sections);
    let entries = terms.names().iter().enumerate().map(|(index, term)| (*term, written.postings(index)));
    let (mut level, mut keys) = leaves(beginnings.iter().map(|(term, postings)| (&**term, &**postings)).chain(entries));
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

/// What stands for all terms that begin alike, and their postings.
type Beginning = (String, String);

/// One for each beginning that more terms have than a reader should have to load, in order.
fn beginnings(terms: &Terms<'_>, written: &Written, sections: usize) -> Vec<Beginning> {
    let groups: Vec<Range<usize>> = alike(terms.names(), 0..terms.names().len(), SHORTEST).collect();
    let of_group = |together: &mut Together, group: Range<usize>| {
        let mut found = Vec::new();
        below(terms, written, group, together, &mut found);
        found
    };
    let found: Vec<_> = groups.into_par_iter().map_init(|| Together::of(sections), of_group).collect();
    found.into_iter().flatten().collect()
}

/// Adds what all terms of `group` begin with, if they are many, and longer beginnings of some of them that are many still. Of beginnings
/// of different lengths that the same terms have, the longest is added.
fn below(terms: &Terms<'_>, written: &Written, group: Range<usize>, together: &mut Together, out: &mut Vec<Beginning>) {
    let all: usize = group.clone().map(|index| bytes(terms.names()[index], written.postings(index))).sum();
    if all <= LEAF || group.len() < 2 {
        return;
    }
    let (first, last) = (terms.names()[group.start], terms.names()[group.end - 1]);
    let letters = first.chars().zip(last.chars()).take_while(|(one, other)| one == other).count();
    let head = beginning(first, letters).unwrap_or(first);
    out.push((format!("{ALL}{head}"), together.postings(terms, group.clone())));
    for group in alike(terms.names(), group, letters + 1) {
        below(terms, written, group, together, out);
    }
}

/// The ranges within `range` of terms whose first `letters` letters are the same.
fn alike(names: &[&str], range: Range<usize>, letters: usize) -> impl Iterator<Item = Range<usize>> {
    let mut next = range.start;
    std::iter::from_fn(move || {
        while next < range.end {
            let start = next;
            let head = beginning(names[start], letters);
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
    writer: code::Writer,
}

impl Together {
    /// For sections below `sections`.
    fn of(sections: usize) -> Self {
        Self { levels: vec![0; sections], sections: Vec::new(), writer: code::Writer::default() }
    }

    /// The best postings of the terms at `group`: each section once, at its highest level.
    fn postings(&mut self, terms: &Terms<'_>, group: Range<usize>) -> String {
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
        let mut out = String::new();
        best.into_iter().for_each(|posting| self.writer.add(posting));
        self.writer.write(all, ALIKE, &mut out);
        out
    }
}

/// The first `letters` letters of `term`, if it has so many.
fn beginning(term: &str, letters: usize) -> Option<&str> {
    let mut ends = term.char_indices().map(|(at, letter)| at + letter.len_utf8());
    ends.nth(letters - 1).map(|end| &term[..end])
}

/// The texts of the leaves, and the least word that tells each from the one before, of terms with their postings.
fn leaves<'a>(entries: impl Iterator<Item = (&'a str, &'a str)>) -> (Vec<String>, Vec<String>) {
    let (mut leaves, mut keys) = (Vec::<String>::new(), Vec::new());
    let mut before = "";
    for (term, postings) in entries {
        let full = leaves.last().is_none_or(|leaf| leaf.len() + bytes(term, postings) > LEAF);
        if full {
            keys.push(least_between(before, term));
            leaves.push(String::new());
            before = "";
        }
        let Some(leaf) = leaves.last_mut() else { continue };
        if !leaf.is_empty() {
            leaf.push('\n');
        }
        code::word(term, before, leaf);
        leaf.push(' ');
        leaf.push_str(postings);
        before = term;
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
    use super::super::postings::Counted;
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

    fn tree<Name: AsRef<str>>(terms: impl Iterator<Item = (Name, Vec<Posting>)>, sections: usize) -> Tree {
        of(&Terms::of(&[Counted::from_iter(terms)]), sections)
    }

    #[test]
    fn every_term_is_found_whatever_the_size() {
        for count in [0_u32, 1, 7, 3_000, 40_000] {
            let mut terms: Vec<String> = (0..count).map(|index| format!("{:x}", index.wrapping_mul(2_654_435_761))).collect();
            terms.sort();
            let postings = |section: u32| vec![Posting::new(section, 3)];
            let tree = tree(terms.iter().zip((0..).map(postings)), count as usize);
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
        let tree = tree(names.iter().zip((0..).map(postings)), sections as usize);
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
