//! Turns one printed line into the cells of a table whose columns are known.
//!
//! Must not know names or values of columns. Programs align by spaces, to the left or right and not always well; so the
//! cells are dealt out in the way that moves them least from where their columns stand, and a tie is said, not settled.

/// From one character of a line to another, counted from 0, the end excluded.
pub(super) type Extent = (usize, usize);

/// How the cells of a line are told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Layout {
    /// By this character.
    By(char),
    /// By single blanks: the columns don't line up, and every word is a cell.
    Words(usize),
    /// By where they stand: the places of the columns' names, widened to those of the rule line below.
    Places(Vec<Extent>),
}

/// What a line is to a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// A row: a text for every column, empty where the line has a gap.
    Cells(Vec<String>),
    /// Like a row, but it can't be dealt out; why.
    Ragged(String),
    /// Something else.
    Other,
}

/// What an empty cell costs, in characters that a cell could be moved instead.
const EMPTY: usize = 4;
/// Words in a line beyond which it is prose, or no table of ours.
const MOST_WORDS: usize = 256;

impl Layout {
    /// The cells of `line` in a table of `columns` columns.
    pub(super) fn split(&self, line: &str, columns: usize) -> Line {
        match self {
            Self::By(separator) => by(line, *separator, columns),
            Self::Words(_) => words(line, columns),
            Self::Places(places) => placed(line, places),
        }
    }
}

/// The words of `line` with their extents.
pub(super) fn words_of(line: &str) -> Vec<(Extent, String)> {
    let mut words: Vec<(Extent, String)> = Vec::new();
    let mut open = false;
    for (at, c) in line.chars().enumerate() {
        if c.is_whitespace() {
            open = false;
        } else if let (true, Some((extent, word))) = (open, words.last_mut()) {
            extent.1 = at + 1;
            word.push(c);
        } else {
            words.push(((at, at + 1), c.to_string()));
            open = true;
        }
    }
    words
}

/// The words of `line`, those with a single blank between them as one.
pub(super) fn chunks_of(line: &str) -> Vec<(Extent, String)> {
    let mut chunks: Vec<(Extent, String)> = Vec::new();
    let tabs: Vec<bool> = line.chars().map(|c| c == '\t').collect();
    for (extent, word) in words_of(line) {
        match chunks.last_mut() {
            Some((before, text)) if before.1 + 1 == extent.0 && tabs.get(before.1) != Some(&true) => {
                before.1 = extent.1;
                text.push(' ');
                text.push_str(&word);
            }
            _ => chunks.push((extent, word)),
        }
    }
    chunks
}

/// The parts of `line` between `separator`s; bars may stand at both ends, and tabs in runs.
pub(super) fn delimited(line: &str, separator: char) -> Vec<String> {
    if separator == '\t' {
        return line.split('\t').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect();
    }
    let mut line = line.trim();
    if matches!(separator, '|' | '│') {
        line = line.strip_prefix(separator).unwrap_or(line);
        line = line.strip_suffix(separator).unwrap_or(line);
    }
    line.split(separator).map(|part| part.trim().to_owned()).collect()
}

fn by(line: &str, separator: char, columns: usize) -> Line {
    if !line.contains(separator) && columns > 1 {
        return Line::Other;
    }
    let cells = delimited(line, separator);
    if cells.len() == columns { Line::Cells(cells) } else { Line::Ragged(count(cells.len(), columns)) }
}

fn count(cells: usize, columns: usize) -> String {
    let plural = if cells == 1 { "" } else { "s" };
    format!("{cells} cell{plural} in a table of {columns} columns")
}

fn words(line: &str, columns: usize) -> Line {
    let mut words: Vec<String> = words_of(line).into_iter().map(|(_, word)| word).collect();
    // `0.35 ms` is one cell, where a word too many allows it.
    let mut at = 1;
    while words.len() > columns && at < words.len() {
        let is_unit = super::number::unit_word(&words[at]).is_some_and(|unit| !unit.dimension.is_none() || &*unit.symbol == "%");
        if is_unit && super::number::read(&words[at - 1], None).is_ok() {
            let unit = words.remove(at);
            words[at - 1] = format!("{} {unit}", words[at - 1]);
        } else {
            at += 1;
        }
    }
    if words.len() == columns {
        return Line::Cells(words);
    }
    let is_row = words.iter().any(|word| super::number::read(word, None).is_ok());
    if is_row { Line::Ragged(count(words.len(), columns)) } else { Line::Other }
}

/// A way to deal words out: how far they are moved, and how many of the columns it filled by which words.
#[derive(Clone)]
struct Deal {
    cost: usize,
    /// The end of each column's words.
    ends: Vec<usize>,
    /// Whether another way costs the same.
    tied: bool,
}

fn placed(line: &str, places: &[Extent]) -> Line {
    let words = words_of(line);
    let chunks = chunks_of(line).len();
    if words.is_empty() || words.len() > MOST_WORDS {
        return Line::Other;
    }
    let Some(deal) = deal(&words, places) else {
        // More parts, each two blanks from the next, than there are columns.
        return if chunks > places.len() { Line::Ragged(count(chunks, places.len())) } else { Line::Other };
    };
    let mut start = 0;
    let mut cells = Vec::with_capacity(places.len());
    let (mut filled, mut aligned) = (0, 0);
    for (&end, &place) in deal.ends.iter().zip(places) {
        let cell = &words[start..end];
        cells.push(cell.iter().map(|(_, word)| word.as_str()).collect::<Vec<_>>().join(" "));
        if let (Some(first), Some(last)) = (cell.first(), cell.last()) {
            filled += 1;
            aligned += usize::from(moved((first.0.0, last.0.1), place) <= 1);
        }
        start = end;
    }
    let columns = places.len();
    // A sentence has no wide gaps. A row may have none either, but then its cells are single words or numbers with units,
    // and they stand where they should.
    let joined = cells.iter().skip(1).any(|cell| cell.contains(' ') && super::number::read(cell, None).is_err());
    let is_prose = chunks == 1 && words.len() > 1 && (joined || deal.cost > columns);
    if filled == columns && !is_prose {
        return if deal.tied { Line::Ragged(tie(&cells)) } else { Line::Cells(cells) };
    }
    let is_row = filled >= 2 && aligned >= 2 && 2 * aligned >= columns && !is_prose;
    match (is_row, deal.tied) {
        (true, true) => Line::Ragged(tie(&cells)),
        (true, false) => Line::Cells(cells),
        // Several parts with wide gaps and yet no row: too much like one to be passed over.
        (false, _) if chunks > 1 && 2 * chunks >= columns => Line::Ragged(count(chunks, columns)),
        (false, _) => Line::Other,
    }
}

fn tie(cells: &[String]) -> String {
    format!(
        "it can't be told which column each of `{}` belongs to",
        cells.iter().filter(|cell| !cell.is_empty()).cloned().collect::<Vec<_>>().join("`, `")
    )
}

/// How far a cell stands from its column: not at all within it or flush with either side of it.
fn moved(cell: Extent, place: Extent) -> usize {
    if cell.0 >= place.0 && cell.1 <= place.1 { 0 } else { cell.0.abs_diff(place.0).min(cell.1.abs_diff(place.1)) }
}

/// The cheapest way to deal `words` out to `places`, in order. Words share a cell only with a single blank between them.
fn deal(words: &[(Extent, String)], places: &[Extent]) -> Option<Deal> {
    // best[n]: the first n words dealt out to the columns so far.
    let mut best: Vec<Option<Deal>> = vec![None; words.len() + 1];
    best[0] = Some(Deal { cost: 0, ends: Vec::new(), tied: false });
    for &place in places {
        let mut next: Vec<Option<Deal>> = vec![None; words.len() + 1];
        for (from, before) in best.iter().enumerate() {
            let Some(before) = before else { continue };
            for to in from..=words.len() {
                if to > from + 1 && words[to - 1].0.0 != words[to - 2].0.1 + 1 {
                    break;
                }
                let cost = before.cost + if to == from { EMPTY } else { moved((words[from].0.0, words[to - 1].0.1), place) };
                let slot = &mut next[to];
                match slot {
                    Some(there) if there.cost < cost => {}
                    Some(there) if there.cost == cost => there.tied = true,
                    _ => {
                        let mut ends = before.ends.clone();
                        ends.push(to);
                        *slot = Some(Deal { cost, ends, tied: before.tied });
                    }
                }
            }
        }
        best = next;
    }
    best.pop().flatten()
}
