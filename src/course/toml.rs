//! Turns a TOML text of the author's into values that know where they stand, and its mistakes into problems.
//!
//! Must not know which keys a file may have; [`super::keys`] asks for keys, and reports what nobody asked for.

use std::collections::BTreeMap;
use std::ops::Range;

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue, Error};

use crate::base::problem::{Problem, Problems};
use crate::base::slice::Slice;
use crate::base::span::Span;

/// A TOML value that knows its place.
#[derive(Debug, Clone)]
pub struct Item {
    /// The value.
    pub value: Value,
    /// Where the value stands.
    pub at: Span,
}

impl Item {
    /// The items of a list, or the item by itself.
    #[must_use]
    pub fn each(&self) -> &[Self] {
        match &self.value {
            Value::Array(items) => items,
            _ => std::slice::from_ref(self),
        }
    }

    /// The strings among [`Item::each`].
    #[must_use]
    pub fn texts(&self) -> Vec<&Slice> {
        self.each().iter().filter_map(|item| if let Value::Text(text) = &item.value { Some(text) } else { None }).collect()
    }
}

/// A TOML value.
#[derive(Debug, Clone)]
pub enum Value {
    /// A string, with the place of each byte (escapes taken into account), so that an expression in it can be pointed at.
    Text(Slice),
    /// An integer; the slice is its decimal text at its place.
    Integer(i64, Slice),
    /// A float, as written but for underscores.
    Float(Slice),
    /// A truth value.
    Truth(bool),
    /// A date or time, in TOML's own form.
    Date(String),
    /// An array.
    Array(Vec<Item>),
    /// A table.
    Table(Table),
}

impl Value {
    /// What it is, in the author's words.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Integer(..) => "an integer",
            Self::Float(_) => "a number",
            Self::Truth(_) => "true or false",
            Self::Date(_) => "a date or time",
            Self::Array(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

/// A TOML table in the author's order.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// Keys with their places and values, in the author's order.
    pub entries: Vec<(String, Span, Item)>,
    /// Which entry a key is.
    pub index: BTreeMap<String, usize>,
}

impl Table {
    /// The value of `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Item> {
        self.entry(key).map(|(_, item)| item)
    }

    /// The place of `key` and its value.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<(&Span, &Item)> {
        self.index.get(key).and_then(|&at| self.entries.get(at)).map(|(_, at, item)| (at, item))
    }
}

/// The table that the TOML document `source` holds; all its mistakes go to `problems`, and what is sound around them stays.
pub fn document(source: &Slice, problems: &mut Problems) -> Table {
    let (table, errors) = DeTable::parse_recoverable(source.text());
    report(source, errors, problems);
    lift_table(source, table.get_ref())
}

/// The table that the inline table `source` (`{ … }`, line breaks and trailing commas welcome) holds.
pub fn inline_table(source: &Slice, problems: &mut Problems) -> Table {
    let (value, errors) = DeValue::parse_recoverable(source.text());
    let sound = errors.is_empty();
    report(source, errors, problems);
    match value.get_ref() {
        DeValue::Table(table) => lift_table(source, table),
        _ => {
            if sound {
                problems.push(Problem::error("toml-syntax", source.whole(), "expected options in braces, `{ key = value }`"));
            }
            Table::default()
        }
    }
}

fn report(source: &Slice, mut errors: Vec<Error>, problems: &mut Problems) {
    let whole = 0..source.text().len();
    errors.sort_by_key(|error| error.span().map_or(0, |range| range.start));
    let mut reported_line = None;
    for error in errors {
        let range = error.span().unwrap_or(whole.clone());
        let (start, end) = (clamp(source, range.start), clamp(source, range.end));
        // What the parser finds after its first fault on a line mostly follows from that one.
        let line = source.text()[..start].matches('\n').count();
        if reported_line.replace(line) == Some(line) {
            continue;
        }
        let at = source.span(start, end.max(start));
        let message = error.message();
        if message == "duplicate key" {
            let key = source.text().get(start..end).unwrap_or_default().trim_matches(['"', '\'']);
            problems.push(
                Problem::error("toml-duplicate-key", at, format!("the key `{key}` is set twice"))
                    .hint("keep one of the two, or rename one"),
            );
            continue;
        }
        // What the parser expected next is its own grammar's words; the first half says what is wrong.
        let fault = message.split(", expected").next().unwrap_or(message);
        let problem = Problem::error("toml-syntax", at, format!("this is not TOML: {fault}"));
        problems.push(match advice(message) {
            Some(hint) => problem.hint(hint),
            None => problem,
        });
    }
}

/// What most often is behind a message of the TOML parser.
fn advice(message: &str) -> Option<&'static str> {
    let cases = [
        ("string", "text stands in quotes; a \" or \\ inside \"…\" is written \\\" or \\\\, or use '…', which takes everything as it is"),
        ("unclosed table", "a table's head is closed by `]`"),
        ("unclosed array", "the list is never closed by `]`"),
        ("unclosed inline table", "the options are never closed by `}`"),
        ("missing comma", "separate the entries by a comma"),
        ("extra comma", "take one of the commas out"),
        ("key with no value", "a key is followed by `=` and its value"),
        ("missing value", "a key is followed by `=` and its value"),
        ("missing assignment", "a key is followed by `=` and its value"),
        ("bare", "a name with other characters than letters, digits, `_` and `-` stands in quotes"),
        ("unquoted", "a name with other characters than letters, digits, `_` and `-` stands in quotes"),
    ];
    cases.iter().find(|(part, _)| message.contains(part)).map(|&(_, hint)| hint)
}

fn clamp(source: &Slice, at: usize) -> usize {
    crate::base::span::floor_char(source.text(), at)
}

fn place(source: &Slice, range: &Range<usize>) -> Span {
    source.span(clamp(source, range.start), clamp(source, range.end))
}

fn lift_table(source: &Slice, table: &DeTable<'_>) -> Table {
    let mut entries: Vec<_> = table.iter().collect();
    // The parser sorts by name; what was written first is first again.
    entries.sort_by_key(|(key, _)| key.span().start);
    let mut lifted = Table::default();
    for (key, value) in entries {
        lifted.index.insert(key.get_ref().to_string(), lifted.entries.len());
        lifted.entries.push((key.get_ref().to_string(), place(source, &key.span()), lift(source, value)));
    }
    lifted
}

fn lift(source: &Slice, value: &Spanned<DeValue<'_>>) -> Item {
    let range = value.span();
    let range = clamp(source, range.start)..clamp(source, range.end);
    let number = |text: String| {
        let mut slice = Slice::empty(source.file());
        slice.push(&text, source.source_offset(range.start));
        slice
    };
    let lifted = match value.get_ref() {
        DeValue::String(decoded) => Value::Text(string(source, &range, decoded)),
        // Too large for 64 bits: kept as text, so that whoever asks for an integer says what was found.
        DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(whole) => Value::Integer(whole, number(whole.to_string())),
            Err(_) => Value::Float(number(integer.as_str().to_owned())),
        },
        DeValue::Float(float) => Value::Float(number(float.as_str().to_owned())),
        DeValue::Boolean(truth) => Value::Truth(*truth),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(items) => Value::Array(items.iter().map(|item| lift(source, item)).collect()),
        DeValue::Table(table) => Value::Table(lift_table(source, table)),
    };
    Item { value: lifted, at: source.span(range.start, range.end) }
}

/// The string that stands at `range`, quotes included, with the place of each of its characters. `decoded` is what the
/// parser read; should the two ever differ, its word counts and the places are those of the string's start.
fn string(source: &Slice, range: &Range<usize>, decoded: &str) -> Slice {
    let raw = source.text().get(range.clone()).unwrap_or_default();
    let slice = decode(source, raw, range.start);
    if slice.text() == decoded {
        return slice;
    }
    let mut slice = Slice::empty(source.file());
    slice.push(decoded, source.source_offset(range.start));
    slice
}

fn decode(source: &Slice, raw: &str, start: usize) -> Slice {
    let mut slice = Slice::empty(source.file());
    let (quote, literal) = match raw.as_bytes() {
        [b'"', b'"', b'"', ..] => (3, false),
        [b'\'', b'\'', b'\'', ..] => (3, true),
        [b'"', ..] => (1, false),
        [b'\'', ..] => (1, true),
        _ => return slice,
    };
    // Where the parser gave up on a string, no quote closes it.
    let end = raw.strip_suffix(&raw[..quote]).map_or(raw.len(), str::len).max(quote);
    let mut at = quote;
    if quote == 3 && raw[at.min(raw.len())..].starts_with('\n') {
        at += 1;
    }
    // An empty string still stands just after its quote.
    slice.push("", source.source_offset(start + at));
    while at < end {
        let next = if literal { end } else { raw[at..end].find('\\').map_or(end, |found| at + found) };
        if next > at {
            slice.append(source, start + at, start + next);
            at = next;
            continue;
        }
        let (character, length) = escape(&raw[at..end]);
        if let Some(character) = character {
            slice.push(character.encode_utf8(&mut [0; 4]), source.source_offset(start + at));
        }
        at += length;
    }
    slice
}

/// The character that the escape at the start of `text` means and the bytes it takes; a line continuation means none.
fn escape(text: &str) -> (Option<char>, usize) {
    let Some(kind) = text[1..].chars().next() else { return (None, 1) };
    let digits = match kind {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        ' ' | '\t' | '\n' => {
            let rest = text[1..].trim_start_matches([' ', '\t', '\n']);
            return (None, text.len() - rest.len());
        }
        _ => {
            let meant = match kind {
                'b' => '\u{8}',
                't' => '\t',
                'n' => '\n',
                'f' => '\u{c}',
                'r' => '\r',
                'e' => '\u{1b}',
                other => other,
            };
            return (Some(meant), 1 + kind.len_utf8());
        }
    };
    match text.get(2..2 + digits) {
        Some(hex) => (u32::from_str_radix(hex, 16).ok().and_then(char::from_u32), 2 + digits),
        None => (None, 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Table, Vec<Problem>) {
        let mut problems = Problems::new();
        let table = document(&Slice::verbatim(&"a.toml".into(), text, 0), &mut problems);
        (table, problems.into_iter().collect())
    }

    /// Reads `text`, whose value `a` is a string that holds `x`, and checks that `x` is found where `text` has it.
    #[track_caller]
    fn points_at_x(text: &str, value: &str) {
        let (table, problems) = read(text);
        assert_eq!(problems, [], "{text}");
        let Some(Value::Text(slice)) = table.get("a").map(|item| &item.value) else { panic!("{text} has no string a") };
        assert_eq!(slice.text(), value, "{text}");
        let at = slice.text().find('x').expect("an x");
        assert_eq!(slice.span(at, at + 1).start, text.find('x').expect("an x"), "{text}");
    }

    #[test]
    fn strings_point_through_their_escapes() {
        points_at_x(r#"a = "x""#, "x");
        points_at_x(r#"a = "1 \"b\" \t x""#, "1 \"b\" \t x");
        points_at_x(r#"a = "\u00e9\U0001F600\e x""#, "é\u{1F600}\u{1b} x");
        points_at_x(r"a = '\n x'", "\\n x");
        points_at_x("a = \"\"\"\nab\\\n   c x\"\"\"", "abc x");
        points_at_x("a = '''\nab\nx'''", "ab\nx");
        points_at_x("a = '''x'b''''", "x'b'");
    }

    #[test]
    fn order_is_the_authors_and_inline_tables_may_break_lines() {
        let (table, problems) = read("z = { b = 1,\n a = [1, 2,],\n}\n[y]\nk = 0x10\n[a]\nd = 2026-01-02\n");
        assert_eq!(problems, []);
        assert_eq!(table.entries.iter().map(|(key, ..)| &**key).collect::<Vec<_>>(), ["z", "y", "a"]);
        let Some(Value::Table(z)) = table.get("z").map(|item| &item.value) else { panic!("no table z") };
        assert_eq!(z.entries.iter().map(|(key, ..)| &**key).collect::<Vec<_>>(), ["b", "a"]);
        let Some(Value::Table(y)) = table.get("y").map(|item| &item.value) else { panic!("no table y") };
        assert!(matches!(&y.get("k").expect("k").value, Value::Integer(16, text) if text.text() == "16"));
        let Some(Value::Table(a)) = table.get("a").map(|item| &item.value) else { panic!("no table a") };
        assert!(matches!(&a.get("d").expect("d").value, Value::Date(date) if date == "2026-01-02"));
    }

    #[test]
    fn every_mistake_is_reported_at_its_place() {
        let cases: [(&str, &[(&str, usize)]); 6] = [
            ("a = 1\na = 2\n", &[("toml-duplicate-key", 6)]),
            ("a = b\n", &[("toml-syntax", 4)]),
            ("a = \nb = 1\nc = \n", &[("toml-syntax", 4), ("toml-syntax", 15)]),
            ("a = \"x\n", &[("toml-syntax", 6)]),
            ("a = { b = 1 b = 2 }", &[("toml-syntax", 10)]),
            ("[a]\n[a]\n", &[("toml-duplicate-key", 5)]),
        ];
        for (text, expected) in cases {
            let (_, problems) = read(text);
            let found: Vec<_> = problems.iter().map(|problem| (problem.id, problem.at.as_ref().map_or(0, |at| at.start))).collect();
            assert_eq!(found, expected, "{text:?}: {problems:#?}");
        }
    }
}
