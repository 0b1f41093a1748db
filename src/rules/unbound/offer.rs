//! Turns a typed figure into the expression that would print it: a value of a row, a constant, a fact of the device, or how two rows
//! compare.
//!
//! Must not guess: what it offers was evaluated, and prints what was typed.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::name::in_expressions;
use crate::base::quantity::{Dimension, Quantity, Unit, rational_to_f64};
use crate::base::slice::Slice;
use crate::base::span::SourceName;
use crate::claims::{LessonScope, RowFacts, SweepFacts};
use crate::course::figures::Typed;
use crate::course::lesson::Lesson;
use crate::course::mention::{self, Mention, Number, Place};
use crate::expr::{self, Expr, Row as _, Scope as _, Value};
use crate::rules::Checked;

/// Rows of larger sweeps are compared only where the text names them.
const MOST_PAIRED: usize = 48;

/// Looks for what prints as a lesson's typed figures.
pub(super) struct Seeker<'a> {
    scope: LessonScope,
    sweeps: Vec<&'a SweepFacts>,
    /// Values that belong to no row: how they are spelled, and what they are.
    named: Vec<(String, Quantity)>,
}

/// An expression that prints as wanted; the least is the best.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Hit {
    /// Rows of it that the text around does not name.
    strangers: usize,
    kind: Kind,
    /// How much had to be said about the digits.
    style: usize,
    text: String,
}

/// What an expression computes, the likeliest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Column,
    Named,
    Ratio,
    Change,
    Difference,
}

/// One number of a typed figure.
struct Target<'a> {
    number: &'a Number,
    mention: &'a Mention,
    /// In base units.
    value: f64,
    /// The words around it, labels of rows among them.
    around: &'a BTreeSet<&'a str>,
}

impl<'a> Seeker<'a> {
    pub(super) fn new(checked: &Checked<'a>, lesson: &Lesson) -> Self {
        let device = checked.facts.devices().first().map_or("", String::as_str);
        let scope = checked.facts.scope(lesson, device);
        let sweeps = lesson.sweeps.iter().filter_map(|(name, _)| checked.facts.sweep(name, device)).collect();
        let named = named(&scope);
        Self { scope, sweeps, named }
    }

    /// An expression for each number of `typed`, as a code span; `None` where one has none.
    pub(super) fn offer(&self, typed: &Typed) -> Option<Vec<String>> {
        let around: BTreeSet<&str> = typed.around.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))).collect();
        let around = around.iter().map(|word| word.trim_matches(['.', '-'])).collect();
        let mention = &typed.mention;
        let offers = mention.numbers.iter().zip(mention.values()).map(|(number, value)| {
            let target = Target { number, mention, value, around: &around };
            self.best(&target)
        });
        let offers: Vec<String> = offers.collect::<Option<_>>()?;
        if let [low, high] = &offers[..]
            && !offers.iter().any(|offer| offer.contains('|'))
        {
            return Some(vec![format!("`= range({low}, {high})`")]);
        }
        Some(offers.iter().map(|offer| format!("`= {offer}`")).collect())
    }

    fn best(&self, target: &Target<'_>) -> Option<String> {
        let mut hits = Vec::new();
        for (text, value) in &self.named {
            hits.extend(self.hit(target, Kind::Named, text, value, 0));
        }
        for sweep in &self.sweeps {
            self.columns(target, sweep, &mut hits);
        }
        if hits.iter().all(|hit| hit.strangers > 0) {
            for sweep in &self.sweeps {
                self.pairs(target, sweep, &mut hits);
            }
        }
        hits.into_iter().min().map(|hit| hit.text)
    }

    fn row(&self, sweep: &SweepFacts, row: &RowFacts) -> Option<String> {
        let label = quoted(&row.label)?;
        Some(if self.sweeps.len() > 1 { format!("{}.row({label})", in_expressions(&sweep.name)) } else { format!("row({label})") })
    }

    fn columns(&self, target: &Target<'_>, sweep: &SweepFacts, hits: &mut Vec<Hit>) {
        for row in &sweep.rows {
            for column in &sweep.columns {
                let Ok(Value::Quantity(value)) = row.column(&column.name) else { continue };
                if target.could_be(&value)
                    && let Some(text) = self.row(sweep, row).zip(spelled(&column.name)).map(|(row, column)| row + &column)
                {
                    hits.extend(self.hit(target, Kind::Column, &text, &value, target.strangers(&[row])));
                }
            }
        }
    }

    /// How two rows compare in one column.
    fn pairs(&self, target: &Target<'_>, sweep: &SweepFacts, hits: &mut Vec<Hit>) {
        let is_ratio = is_ratio(&target.mention.unit);
        let rows: Vec<&Arc<RowFacts>> =
            sweep.rows.iter().filter(|row| sweep.rows.len() <= MOST_PAIRED || target.strangers(&[row]) == 0).take(MOST_PAIRED).collect();
        for column in sweep.columns.iter().filter(|column| column.measured) {
            let values = rows.iter().filter_map(|row| match row.column(&column.name) {
                Ok(Value::Quantity(value)) => Some((*row, value)),
                _ => None,
            });
            let values: Vec<(&Arc<RowFacts>, Quantity)> = values.collect();
            for (row, value) in &values {
                for (other, under) in values.iter().filter(|(other, _)| other.label != row.label) {
                    let strangers = target.strangers(&[row, other]);
                    // Two digits are hit by chance; then the text has to name the rows.
                    if target.number.digits < 3 && strangers > 0 {
                        continue;
                    }
                    let texts =
                        (|| Some((self.row(sweep, row)? + &spelled(&column.name)?, self.row(sweep, other)? + &spelled(&column.name)?)))();
                    let Some((over, below)) = texts else { continue };
                    let found = if is_ratio {
                        let Ok(ratio) = value.divide(under) else { continue };
                        let one = Quantity::count(1);
                        let more = ratio.subtract(&one).map(|more| (Kind::Change, format!("{over} / {below} - 1"), more));
                        let less = one.subtract(&ratio).map(|less| (Kind::Change, format!("1 - {over} / {below}"), less));
                        [Ok((Kind::Ratio, format!("{over} / {below}"), ratio)), more, less].into_iter().flatten().collect()
                    } else {
                        let difference = value.subtract(under).map(|value| (Kind::Difference, format!("{over} - {below}"), value));
                        Vec::from_iter(difference)
                    };
                    for (kind, text, value) in found {
                        if target.could_be(&value) {
                            hits.extend(self.hit(target, kind, &text, &value, strangers));
                        }
                    }
                }
            }
        }
    }

    /// `text`, whose value is `value`, with the formatters that make it print as wanted.
    fn hit(&self, target: &Target<'_>, kind: Kind, text: &str, value: &Quantity, strangers: usize) -> Option<Hit> {
        if !target.could_be(value) {
            return None;
        }
        let (places, digits) = (target.number.places, target.number.digits);
        let inner = if matches!(kind, Kind::Column | Kind::Named) { text.to_owned() } else { format!("({text})") };
        let unit = &target.mention.unit;
        let formats = match &*unit.symbol {
            "%" => vec![" | percent".to_owned(), format!(" | percent({places})"), format!(" | percent | digits({digits})")],
            "×" => vec![" | times".to_owned(), format!(" | times({places})"), format!(" | times | digits({digits})")],
            symbol => {
                let convert = if unit.dimension == Dimension::NONE { String::new() } else { format!(" | unit('{symbol}')") };
                ["", &convert]
                    .into_iter()
                    .flat_map(|convert| {
                        ["".to_owned(), format!(" | fixed({places})"), format!(" | digits({digits})")]
                            .map(|digits| format!("{convert}{digits}"))
                    })
                    .collect()
            }
        };
        let plain = std::iter::once(String::new()).chain(formats);
        for (style, format) in plain.enumerate() {
            // Without a formatter, no parentheses are needed.
            let text = if format.is_empty() { text.to_owned() } else { format!("{inner}{format}") };
            if self.prints(&text).is_some_and(|printed| target.is(&printed)) {
                return Some(Hit { strangers, kind, style, text });
            }
        }
        None
    }

    /// What the expression `text` prints.
    fn prints(&self, text: &str) -> Option<String> {
        let file: SourceName = "".into();
        let expr = Expr::parse(&Slice::verbatim(&file, text, 0)).ok()?;
        expr::figure(&expr, &self.scope).ok().map(|figured| figured.text)
    }
}

impl Target<'_> {
    /// How many of `rows` the text around does not name.
    fn strangers(&self, rows: &[&Arc<RowFacts>]) -> usize {
        rows.iter().filter(|row| !self.around.contains(row.label.as_str())).count()
    }

    /// Whether `value`, rounded as the number is, could print as it; a first look that is cheap.
    fn could_be(&self, value: &Quantity) -> bool {
        if !is_comparable(&self.mention.unit, value) {
            return false;
        }
        let Some(amount) = value.number_in(&Unit { scale: 1.into(), ..value.unit.clone() }) else { return false };
        let scale = self.mention.factor as f64 * rational_to_f64(self.mention.unit.scale);
        let typed = rational_to_f64(self.number.value).abs();
        let last = if self.number.places > 0 {
            libm::pow(10.0, -f64::from(self.number.places))
        } else {
            libm::pow(10.0, libm::floor(libm::log10(typed.max(1.0))) + 1.0 - f64::from(self.number.digits))
        };
        (amount - self.value).abs() <= 0.51 * last * scale
    }

    /// Whether a figure that prints as `printed` is the one wanted.
    fn is(&self, printed: &str) -> bool {
        let one = Mention { numbers: vec![self.number.clone()], ..self.mention.clone() };
        match &mention::find(printed, &Place::Prose)[..] {
            [found] => found.is_said_by([&one]),
            // Counts of a compiler have no unit of their own; the text has it.
            [] => {
                let is_count = one.unit.dimension == Dimension::NONE && !is_ratio(&one.unit);
                is_count && Quantity::parse_exact(printed).ok().and_then(|value| value.as_exact()) == Some(self.number.value)
            }
            _ => false,
        }
    }
}

/// The values in `scope` that belong to no row: constants, what a program printed beside its tables, facts of the device.
fn named(scope: &LessonScope) -> Vec<(String, Quantity)> {
    let mut named = Vec::new();
    for name in scope.names() {
        match scope.name(&name) {
            Some(Ok(Value::Quantity(value))) => named.push((name, value)),
            Some(Ok(Value::Row(row))) => named.extend(fields(&name, &*row)),
            Some(Ok(Value::Rows(set))) => named.extend(set.values.iter().flat_map(|values| fields(&name, &**values))),
            _ => {}
        }
    }
    named
}

fn fields(name: &str, row: &dyn expr::Row) -> Vec<(String, Quantity)> {
    let field = |column: String| match row.column(&column) {
        Ok(Value::Quantity(value)) => Some((format!("{name}{}", spelled(&column)?), value)),
        _ => None,
    };
    row.columns().into_iter().filter_map(field).collect()
}

fn is_ratio(unit: &Unit) -> bool {
    matches!(&*unit.symbol, "%" | "×")
}

/// Whether a figure in `unit` and `value` can be the same: of one dimension, and without one both shares or both counts of one
/// thing. A bare whole number is a count.
pub(in crate::rules) fn is_comparable(unit: &Unit, value: &Quantity) -> bool {
    let own = &value.unit;
    let is_bare = own.symbol.is_empty();
    unit.dimension == own.dimension
        && (unit.dimension != Dimension::NONE
            || if is_ratio(unit) {
                is_ratio(own) || is_bare && value.as_integer().is_none()
            } else {
                is_bare || mention::same_kind(unit, own)
            })
}

fn quoted(text: &str) -> Option<String> {
    ['\'', '"'].into_iter().find(|&quote| !text.contains([quote, '\\', '`'])).map(|quote| format!("{quote}{text}{quote}"))
}

/// How an expression asks a row for the column `name`: `.ms`, `['GB/s']`.
pub(in crate::rules) fn spelled(name: &str) -> Option<String> {
    let is_word =
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_word { Some(format!(".{name}")) } else { quoted(name).map(|name| format!("[{name}]")) }
}
