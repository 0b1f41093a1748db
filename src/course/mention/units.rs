//! Turns what stands behind a number into the unit that makes it look measured, in English and in Hebrew.
//!
//! Must not know numbers. Threads, blocks, elements and their like are what an author sets, and no such units.

use std::borrow::Cow;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::base::quantity::{Dimension, Rational, Unit};

/// A unit by its symbol, and the ways to write it: symbols by case, words in lower case, Hebrew without quotes and hyphens.
type Spellings = (&'static str, &'static [&'static str], &'static [&'static str]);

const SPELLINGS: [Spellings; 37] = [
    (
        "ms",
        &["ms", "msec"],
        &["millisecond", "milliseconds", "מילישנייה", "מילישניה", "מילישניות", "אלפיתשנייה", "אלפיותשנייה", "אלפיותהשנייה"],
    ),
    (
        "µs",
        &["µs", "μs", "us", "usec"],
        &[
            "microsecond",
            "microseconds",
            "מיקרושנייה",
            "מיקרושניה",
            "מיקרושניות",
            "מיליוניתהשנייה",
            "מיליוניותהשנייה",
            "מיליוניתשנייה",
            "מיליוניותשנייה",
        ],
    ),
    ("ns", &["ns", "nsec"], &["nanosecond", "nanoseconds", "ננושנייה", "ננושניה", "ננושניות"]),
    ("ps", &["ps"], &["picosecond", "picoseconds", "פיקושנייה", "פיקושניות"]),
    ("s", &["s", "sec"], &["second", "seconds", "secs", "שנייה", "שניה", "שניות"]),
    ("min", &["min"], &["minute", "minutes", "דקה", "דקות"]),
    ("h", &["h"], &["hour", "hours", "שעה", "שעות"]),
    ("kB", &["kB", "KB", "kb"], &["kilobyte", "kilobytes", "קילובייט", "קילובייטים", "קילובתים", "קילובית", "קב"]),
    ("MB", &["MB", "mb"], &["megabyte", "megabytes", "מגהבייט", "מגהבייטים", "מגהבתים", "מב"]),
    ("GB", &["GB", "gb"], &["gigabyte", "gigabytes", "גיגהבייט", "גיגהבייטים", "גיגהבתים", "גב"]),
    ("TB", &["TB", "tb"], &["terabyte", "terabytes", "טרהבייט", "טרהבייטים", "טרהבתים", "טב"]),
    ("PB", &["PB"], &["petabyte", "petabytes"]),
    ("KiB", &["KiB"], &["kibibyte", "kibibytes", "קיביבייט"]),
    ("MiB", &["MiB"], &["mebibyte", "mebibytes", "מביבייט"]),
    ("GiB", &["GiB"], &["gibibyte", "gibibytes", "גיביבייט"]),
    ("TiB", &["TiB"], &["tebibyte", "tebibytes"]),
    ("B", &["B"], &["byte", "bytes", "בית", "בתים", "בייט", "בייטים"]),
    ("kbit", &["kbit", "Kbit"], &["kilobit", "kilobits", "קילוביט"]),
    ("Mbit", &["Mbit", "Mb"], &["megabit", "megabits", "מגהביט"]),
    ("Gbit", &["Gbit", "Gb"], &["gigabit", "gigabits", "גיגהביט"]),
    ("kFLOP", &["kFLOP"], &[]),
    ("MFLOP", &["MFLOP", "MFLOPs"], &["megaflop", "megaflops"]),
    ("GFLOP", &["GFLOP", "GFLOPs"], &["gigaflop", "gigaflops"]),
    ("TFLOP", &["TFLOP", "TFLOPs"], &["teraflop", "teraflops"]),
    ("FLOP", &["FLOP", "FLOPs"], &["flop", "flops"]),
    ("kHz", &["kHz"], &["kilohertz", "קילוהרץ"]),
    ("MHz", &["MHz"], &["megahertz", "מגההרץ", "מגהרץ"]),
    ("GHz", &["GHz"], &["gigahertz", "גיגההרץ", "גיגהרץ"]),
    ("Hz", &["Hz"], &["hertz", "הרץ"]),
    ("W", &["W", "kW"], &["watt", "watts", "ואט", "וואט"]),
    ("cycles", &[], &["cycle", "cycles", "clocks", "clk", "clks", "מחזור", "מחזורים", "מחזורי"]),
    ("registers", &[], &["register", "registers", "regs", "אוגר", "אוגרים", "אוגרי", "רגיסטר", "רגיסטרים"]),
    ("warps", &[], &["warp", "warps", "וורפ", "וורפים", "ווארפ", "ווארפים", "ורפ", "ורפים", "וארפ", "וארפים"]),
    ("instructions", &[], &["instruction", "instructions", "הוראה", "הוראות", "פקודה", "פקודות"]),
    ("sectors", &[], &["sector", "sectors", "סקטור", "סקטורים"]),
    ("transactions", &[], &["transaction", "transactions", "טרנזקציה", "טרנזקציות"]),
    ("SMs", &["SMs"], &["multiprocessor", "multiprocessors"]),
];

/// Which of [`SPELLINGS`] has a spelling, the first if two do: whatever stands behind any number of a course is looked up.
struct Spelt {
    symbols: FxHashMap<&'static str, usize>,
    words: FxHashMap<&'static str, usize>,
}

static SPELT: LazyLock<Spelt> = LazyLock::new(|| {
    let by = |spellings: fn(&Spellings) -> &'static [&'static str]| {
        let mut known = FxHashMap::default();
        for (index, unit) in SPELLINGS.iter().enumerate() {
            spellings(unit).iter().for_each(|spelling| _ = known.entry(*spelling).or_insert(index));
        }
        known
    };
    Spelt { symbols: by(|unit| unit.1), words: by(|unit| unit.2) }
});

/// Units that hold a rate already.
const RATES: [(&str, &str); 9] = [
    ("MFLOPS", "MFLOP/s"),
    ("GFLOPS", "GFLOP/s"),
    ("TFLOPS", "TFLOP/s"),
    ("PFLOPS", "PFLOP/s"),
    ("FLOPS", "FLOP/s"),
    ("MBps", "MB/s"),
    ("GBps", "GB/s"),
    ("TBps", "TB/s"),
    ("Gbps", "Gbit/s"),
];

/// Words between a number and what it counts, in order.
const BETWEEN: [&str; 34] = [
    "active",
    "additional",
    "architectural",
    "clock",
    "core",
    "dependent",
    "different",
    "dynamic",
    "eligible",
    "empty",
    "executed",
    "extra",
    "fewer",
    "full",
    "further",
    "gpu",
    "hardware",
    "idle",
    "issued",
    "less",
    "live",
    "machine",
    "memory",
    "more",
    "physical",
    "ready",
    "resident",
    "sass",
    "sm",
    "spilled",
    "stall",
    "total",
    "wait",
    "whole",
];

/// What makes a rate of anything countable: behind `/`, `per`, `a`, `every`.
const UNDER: [(&str, &str); 12] = [
    ("s", "s"),
    ("sec", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("שנייה", "s"),
    ("שניה", "s"),
    ("clk", "cycle"),
    ("clock", "cycle"),
    ("cycle", "cycle"),
    ("מחזור", "cycle"),
    ("B", "B"),
    ("byte", "B"),
];

/// A unit and how many bytes of the text it is.
pub(super) struct Found {
    pub(super) unit: Unit,
    /// How many of the unit one is: a thousand in "4 thousand cycles".
    pub(super) factor: i128,
    pub(super) length: usize,
    /// As it is written, up to its first `/`.
    pub(super) word: String,
}

/// The unit that `symbol` names.
fn unit(symbol: &str) -> Unit {
    let scaled =
        |dimension, numerator, denominator| Unit { dimension, scale: Rational::new(numerator, denominator), symbol: symbol.into() };
    match symbol {
        "ps" => scaled(Dimension::TIME, 1, 1_000_000_000_000),
        "min" => scaled(Dimension::TIME, 60, 1),
        "h" => scaled(Dimension::TIME, 3600, 1),
        "kbit" => scaled(Dimension::BYTES, 1000, 8),
        "Mbit" => scaled(Dimension::BYTES, 1_000_000, 8),
        "Gbit" => scaled(Dimension::BYTES, 1_000_000_000, 8),
        _ => Unit::parse(symbol).unwrap_or_else(|_| Unit::noun(symbol)),
    }
}

/// The unit of ratios.
pub(super) fn ratio() -> Unit {
    unit("×")
}

/// The unit of percentages.
pub(super) fn percent() -> Unit {
    unit("%")
}

/// The unit of rates of what has no unit.
fn rate_of_things(under: &str) -> Unit {
    unit(&format!("1/{under}"))
}

fn is_gap(c: char) -> bool {
    // Marks of direction may stand there, too, and what has no width.
    c.is_whitespace()
        || matches!(c, '\u{200b}'..='\u{200d}' | '\u{feff}' | '\u{ad}' | '\u{200e}' | '\u{200f}' | '\u{2066}'..='\u{2069}' | '\u{2060}')
}

/// The word that `text` begins with, as it is looked up, and its length: letters, in Hebrew with the quotes and hyphens within.
fn word(text: &str) -> (Cow<'_, str>, usize) {
    let is_hebrew = |c: char| ('\u{5d0}'..='\u{5ea}').contains(&c);
    let Some(first) = text.chars().next() else { return (Cow::Borrowed(""), 0) };
    if is_hebrew(first) {
        let mut end = 0;
        for (at, c) in text.char_indices() {
            let joins = matches!(c, '\'' | '"' | '׳' | '״' | '’' | '”' | '-' | '־') && text[at + c.len_utf8()..].starts_with(is_hebrew);
            if !is_hebrew(c) && !joins {
                break;
            }
            end = at + c.len_utf8();
        }
        return (text[..end].chars().filter(|&c| is_hebrew(c)).collect(), end);
    }
    let end = text.find(|c: char| !c.is_alphabetic() || is_hebrew(c)).unwrap_or(text.len());
    (Cow::Borrowed(&text[..end]), end)
}

/// `word` in lower case, as most words are already.
pub(super) fn lower_case(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) { Cow::Borrowed(word) } else { Cow::Owned(word.to_lowercase()) }
}

/// The unit whose spelling `text` begins with.
fn atom(text: &str) -> Option<(&'static str, usize)> {
    if text.starts_with(['%', '٪', '％']) {
        return Some(("%", text.chars().next().map_or(1, char::len_utf8)));
    }
    let (written, length) = word(text);
    if written.is_empty() {
        return None;
    }
    let lower = lower_case(&written);
    if matches!(&*lower, "percent" | "pct" | "אחוז" | "אחוזים" | "אחוזי") || lower == "per" && text[length..].starts_with(" cent")
    {
        return Some(("%", if lower == "per" { length + " cent".len() } else { length }));
    }
    if let Some((_, rate)) = RATES.iter().find(|(name, _)| *name == written) {
        return Some((rate, length));
    }
    let bare = lower.strip_prefix('ה').unwrap_or(&lower);
    let found = [SPELT.symbols.get(&*written), SPELT.words.get(&*lower), SPELT.words.get(bare)];
    if let Some(&index) = found.into_iter().flatten().min() {
        return Some((SPELLINGS[index].0, length));
    }
    // "מגה בייט" in two words.
    let (second, more) = text[length..].strip_prefix([' ', '\u{a0}']).map(word).unwrap_or_default();
    if second.is_empty() || bare.is_ascii() {
        return None;
    }
    let joined = format!("{bare}{second}");
    let &index = SPELT.words.get(joined.as_str())?;
    Some((SPELLINGS[index].0, length + (text[length..].len() - text[length..].trim_start_matches([' ', '\u{a0}']).len()) + more))
}

/// Whether the unit that ends at `end` of `text` ends as a word does.
fn is_whole(text: &str, end: usize, symbol: &str) -> bool {
    let rest = &text[end..];
    let mut after = rest.chars();
    match (after.next(), after.next()) {
        (Some(c), _) if c == '_' || c.is_alphanumeric() && (c.is_ascii() || !('\u{590}'..='\u{5ff}').contains(&c)) => false,
        // B-trees, s-curves; second-level caches.
        (Some('-' | '\u{2011}'), Some(c)) if c.is_alphabetic() && c.is_ascii() => end > 1 && !text[..end].ends_with("second"),
        (Some('\'' | '’'), Some(c)) if c.is_alphabetic() => symbol != "s" && symbol != "B",
        _ => true,
    }
}

fn multiplier(text: &str) -> Option<(i128, usize)> {
    let (written, length) = word(text);
    let factor = match &*lower_case(&written) {
        "hundred" => 100,
        "thousand" | "אלף" | "אלפי" => 1_000,
        "million" | "מיליון" | "מיליוני" => 1_000_000,
        "billion" | "מיליארד" | "מיליארדי" => 1_000_000_000,
        "trillion" | "טריליון" => 1_000_000_000_000,
        _ => return None,
    };
    Some((factor, length))
}

fn gap(text: &str) -> usize {
    text.len() - text.trim_start_matches(is_gap).len()
}

/// The unit that follows a number at the beginning of `text`, if one does: `4 ms`, `128-byte`, `4 thousand clock cycles`,
/// `2 loads a second`.
pub(super) fn after(text: &str) -> Option<Found> {
    let mut at = match text.chars().next() {
        Some(c @ ('-' | '\u{2010}' | '\u{2011}' | '־')) => c.len_utf8(),
        _ => gap(text),
    };
    let mut factor = 1_i128;
    while let Some((more, length)) = multiplier(&text[at..]) {
        factor = factor.checked_mul(more)?;
        at += length;
        at += gap(&text[at..]);
    }
    let first = at;
    // What is counted may have words before it; what is measured has none.
    for skipped in 0..3 {
        if let Some((symbol, length)) = atom(&text[at..])
            && is_whole(&text[at..], length, symbol)
            && (skipped == 0 || matches!(symbol, "cycles" | "registers" | "warps" | "instructions" | "sectors" | "transactions" | "SMs"))
        {
            let word = text[at..at + length].to_owned();
            let slots =
                text[at + length..].strip_prefix([' ', '\u{a0}']).map(self::word).filter(|(word, _)| matches!(&**word, "slot" | "slots"));
            let length = length
                + slots
                    .filter(|_| symbol == "warps")
                    .map_or(0, |(_, more)| text[at + length..].chars().next().map_or(0, char::len_utf8) + more);
            let (unit, end) = with_denominators(text, symbol, at + length);
            return Some(Found { unit, factor, length: end, word });
        }
        let (between, length) = word(&text[at..]);
        if BETWEEN.binary_search(&&*lower_case(&between)).is_err() {
            break;
        }
        at += length;
        at += gap(&text[at..]);
    }
    things_in_time(text, first, factor)
}

/// `loads per second`, `additions a cycle`: anything that is counted in a time.
fn things_in_time(text: &str, mut at: usize, factor: i128) -> Option<Found> {
    for _ in 0..2 {
        let (thing, length) = word(&text[at..]);
        if length == 0 || matches!(&*thing, "per" | "a" | "to" | "and" | "of" | "times" | "x") {
            break;
        }
        at += length;
        if let Some((under, length)) = denominator(&text[at..]) {
            return Some(Found { unit: rate_of_things(under), factor, length: at + length, word: thing.into_owned() });
        }
        at += gap(&text[at..]);
    }
    None
}

/// What a unit is over, and how many bytes say so.
fn denominator(text: &str) -> Option<(&'static str, usize)> {
    let direct = text.strip_prefix('/').map(|rest| rest.trim_start());
    let rest = match direct {
        Some(rest) => rest,
        None => {
            let rest = text.trim_start_matches(is_gap);
            if rest.len() == text.len() {
                return None;
            }
            let (joint, length) = word(rest);
            match &*joint {
                "per" | "a" | "each" | "every" | "לכל" | "בכל" => rest[length..].trim_start_matches(is_gap),
                // "לשנייה", "בשנייה", "למחזור": the preposition is a letter of the word.
                _ => rest.strip_prefix(['ל', 'ב'])?,
            }
        }
    };
    let (name, length) = word(rest);
    let &(_, under) = UNDER.iter().find(|(known, _)| *known == name)?;
    Some((under, text.len() - rest.len() + length))
}

fn with_denominators(text: &str, symbol: &str, mut end: usize) -> (Unit, usize) {
    let mut found = unit(symbol);
    if let Some((under, length)) = denominator(&text[end..]) {
        let below = unit(under);
        if let Some(dimension) = found.dimension.times(below.dimension, -1) {
            found = Unit { dimension, scale: found.scale, symbol: format!("{symbol}/{under}").into() };
            end += length;
        }
    } else if let Some(rest) = text[end..].strip_prefix('/') {
        // "warps/SM": what it is over is a part of the word, and no other unit.
        end += 1 + word(rest).1;
    }
    (found, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_spelling_is_looked_up() {
        assert!(BETWEEN.is_sorted());
        for (symbol, symbols, words) in SPELLINGS {
            for spelling in symbols.iter().chain(words) {
                assert_eq!(atom(spelling), Some((symbol, spelling.len())), "{spelling}");
            }
        }
        assert_eq!(atom("Milliseconds"), Some(("ms", "Milliseconds".len())));
        assert_eq!((atom("MS"), atom("elements")), (None, None));
    }
}
