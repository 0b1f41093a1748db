//! Turns the names of columns into the line that holds them in order, and that line into a layout.
//!
//! Must not know rows.

use super::Trouble;
use super::split::{Extent, Layout, chunks_of, delimited, words_of};

/// The separators that a table may be drawn with, the ones that no name holds first.
const SEPARATORS: [char; 5] = ['|', '│', '\t', ';', ','];

/// The head of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    /// Its line, from 0.
    pub(super) line: usize,
    /// How its cells are told apart.
    pub(super) layout: Layout,
    /// How many columns the line has; those that nobody asked for among them.
    pub(super) width: usize,
    /// For each name the column that it heads.
    pub(super) columns: Vec<usize>,
}

/// The header with `names` among `lines`, below the line `from`.
pub(super) fn find(lines: &[&str], from: usize, names: &[&str]) -> Result<Header, Trouble> {
    let found: Vec<Header> = lines.iter().enumerate().skip(from).filter_map(|(at, line)| of(at, line, names)).collect();
    match found.as_slice() {
        [header] => Ok(header.clone()),
        [] => Err(missing(lines, from, names)),
        several => {
            let lines: Vec<usize> = several.iter().map(|header| header.line + 1).collect();
            Err(Trouble::at(
                lines[0],
                format!("the columns stand in the lines {}; say which table is meant by `after`", super::list(&lines)),
            ))
        }
    }
}

/// Which line comes nearest, and what it lacks.
fn missing(lines: &[&str], from: usize, names: &[&str]) -> Trouble {
    let has = |line: &str| names.iter().filter(|name| occurrences(line, name).next().is_some()).count();
    let nearest = lines.iter().enumerate().skip(from).map(|(at, line)| (has(line), at)).max_by_key(|&(count, at)| (count, usize::MAX - at));
    let quoted = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match nearest {
        Some((count, at)) if count > 0 && 2 * count >= names.len() => {
            let lacking: Vec<&str> = names.iter().copied().filter(|name| occurrences(lines[at], name).next().is_none()).collect();
            let message = match lacking.as_slice() {
                [] => format!("the line has the columns {}, but in another order", quoted(names)),
                lacking => format!("the line has {count} of the {} columns, and not {}", names.len(), quoted(lacking)),
            };
            Trouble::at(at + 1, message)
        }
        _ => Trouble::of_text(format!("no line has the columns {}", quoted(names))),
    }
}

/// The header that `line` is, if it has all `names` in order.
fn of(at: usize, line: &str, names: &[&str]) -> Option<Header> {
    let separated = SEPARATORS.iter().filter(|&&separator| line.contains(separator)).find_map(|&separator| {
        let parts = delimited(line, separator);
        let columns = in_order(&parts, names)?;
        Some(Header { line: at, layout: Layout::By(separator), width: parts.len(), columns })
    });
    separated.or_else(|| spaced(at, line, names))
}

/// Where `names` stand among `parts`, in order.
fn in_order(parts: &[String], names: &[&str]) -> Option<Vec<usize>> {
    let mut from = 0;
    let mut columns = Vec::new();
    for name in names {
        let at = from + parts.get(from..)?.iter().position(|part| part == name)?;
        columns.push(at);
        from = at + 1;
    }
    Some(columns)
}

fn spaced(at: usize, line: &str, names: &[&str]) -> Option<Header> {
    let mut places: Vec<Extent> = Vec::new();
    for name in names {
        let from = places.last().map_or(0, |place| place.1);
        let here = || occurrences(line, name).filter(|place| place.0 >= from);
        // A name by itself is more likely meant than one that is a word of another name.
        places.push(here().find(|&place| stands_apart(line, place)).or_else(|| here().next())?);
    }
    let is_aligned = chunks_of(line).len() > 1 || words_of(line).len() == 1;
    // What nobody asked for is a column too, or its cells would fall to its neighbours.
    let rest = rest(line, &places);
    let others: Vec<Extent> = if is_aligned { chunks_of(&rest) } else { words_of(&rest) }.into_iter().map(|(extent, _)| extent).collect();
    let mut all: Vec<Extent> = places.iter().copied().chain(others).collect();
    all.sort_unstable();
    let columns = places.iter().filter_map(|place| all.iter().position(|other| other == place)).collect();
    let width = all.len();
    let layout = if is_aligned { Layout::Places(all) } else { Layout::Words(width) };
    Some(Header { line: at, layout, width, columns })
}

/// `line` with the columns at `places` blanked out, so that what stands beside them is not joined across them.
fn rest(line: &str, places: &[Extent]) -> String {
    line.chars().enumerate().map(|(at, c)| if places.iter().any(|place| (place.0..place.1).contains(&at)) { ' ' } else { c }).collect()
}

/// Where `name` stands in `line` with blanks or ends on both sides.
fn occurrences(line: &str, name: &str) -> impl Iterator<Item = Extent> {
    let (text, wanted): (Vec<char>, Vec<char>) = (line.chars().collect(), name.chars().collect());
    let length = wanted.len().max(1);
    let is_edge = |c: Option<&char>| c.is_none_or(|c| c.is_whitespace() || SEPARATORS.contains(c));
    let found: Vec<Extent> = (0..(text.len() + 1).saturating_sub(length))
        .filter(|&at| {
            text[at..at + length] == wanted[..]
                && is_edge(at.checked_sub(1).and_then(|before| text.get(before)))
                && is_edge(text.get(at + length))
        })
        .map(|at| (at, at + length))
        .collect();
    found.into_iter()
}

/// Whether two blanks or an end are on both sides.
fn stands_apart(line: &str, place: Extent) -> bool {
    chunks_of(line).iter().any(|(extent, _)| *extent == place)
}

/// Whether `line` only draws: dashes, bars, corners. A lone dash is an empty cell's.
pub(super) fn is_rule(line: &str) -> bool {
    let text = line.trim();
    let drawn = |c: char| matches!(c, '-' | '=' | '+' | '|' | '_' | '*' | '~' | ':' | ' ' | '\t') || ('\u{2500}'..='\u{257f}').contains(&c);
    text.chars().all(drawn) && words_of(text).iter().any(|(_, word)| word.chars().count() > 1)
}

/// The places of the dashes of a rule line, for a table whose rule draws each column by itself.
pub(super) fn ruled(line: &str) -> Vec<Extent> {
    words_of(line).into_iter().map(|(extent, _)| extent).collect()
}
