//! Turns conditions over each of some rows into one answer: of all, of any, of none, and from which row on.
//!
//! Must not know which sweep the rows are of.

use crate::base::quantity::{Amount, Quantity, Rational};

use super::condition::{all_true, any_true, in_row};
use super::evaluate::{column_of, describe, rows_at_hand, value};
use super::figure::{ENGLISH, plain_text};
use super::finding::{Asked, Finding, RowFinding, RowsFinding};
use super::functions::Site;
use super::problems::{self, NOT_MEASURED};
use super::scope::{Place, RowSet, Value};
use super::token::Fault;
use super::tree::{Argument, Kind, Node};

impl<'a> Site<'a> {
    /// The rows of the call, the arguments between, and the condition, which is the last.
    fn rows_and_condition(&self) -> Result<(RowSet, &'a [Argument], &'a Node), Fault> {
        let [before @ .., Argument { name: None, value: condition }] = self.call.arguments.as_slice() else { return Err(self.usage()) };
        match before {
            [first, rest @ ..] if !matches!(first.value.kind, Kind::Text(_)) => match value(&first.value, self.context)? {
                Value::Rows(rows) => Ok((rows, rest, condition)),
                other => {
                    let (start, end) = (first.value.start, first.value.end);
                    Err(problems::kind(start, end, format!("rows are needed here, and this is {}", describe(&other))))
                }
            },
            rest => Ok((rows_at_hand(self.node, self.context)?, rest, condition)),
        }
    }

    /// `all(rows, …)`, `any(rows, …)`, `none(rows, …)`
    pub(crate) fn quantified(&self, asked: Asked) -> Result<Value, Fault> {
        let (rows, [], condition) = self.rows_and_condition()? else { return Err(self.usage()) };
        let count = rows.sure.len() + rows.unsure.len();
        if count == 0 && asked != Asked::Any {
            return Err(self.failed("there are no rows, so that nothing is said of any".to_owned()));
        }
        let levels = match asked {
            Asked::Any => self.context.levels.any_of(count),
            Asked::None => self.context.levels.all_of(count).turned(),
            _ => self.context.levels.all_of(count),
        };
        let mut found = Vec::new();
        let mut truths = Vec::new();
        for (row, sure) in rows.members() {
            let finding = in_row(row, condition, self.context, levels)?;
            // A row that may not be meant can't decide.
            let wanted = asked == Asked::All;
            truths.push(finding.truth.filter(|truth| sure || *truth == wanted));
            found.push(finding);
        }
        let truth = match asked {
            Asked::Any => any_true(truths),
            Asked::None => any_true(truths).map(|any| !any),
            _ => all_true(truths),
        };
        if let (None, Some(lacking)) = (truth, found.iter().find_map(|row| row.unmeasured.as_ref())) {
            return Err(Fault { id: NOT_MEASURED, ..Fault::syntax(self.node.start, self.node.end, lacking.clone()) });
        }
        self.context.note(|| Finding::Rows(RowsFinding { truth, ..RowsFinding::at(self.node, asked, found) }));
        Ok(Value::Truth(truth))
    }

    /// `from(rows, "n", …)`: the least `n` from which on the condition holds for all rows, while before it it holds for none.
    pub(crate) fn from(&self) -> Result<Value, Fault> {
        let (rows, [Argument { name: None, value: column }], condition) = self.rows_and_condition()? else { return Err(self.usage()) };
        self.all_sure(&rows)?;
        let name = self.column_name(column, &rows)?;
        let mut ordered: Vec<(Quantity, Rational, RowFinding)> = Vec::new();
        let levels = self.context.levels.each_of(rows.sure.len());
        for row in &rows.sure {
            let Value::Quantity(at) = column_of(self.node, row, name)? else {
                return Err(self.failed(format!("`{name}` is no number in {}", row.title())));
            };
            let Some(amount) = at.as_exact() else {
                return Err(self.failed(format!("`{name}` was measured in {}; rows are put in order by an exact column", row.title())));
            };
            ordered.push((at, amount, in_row(row, condition, self.context, levels)?));
        }
        ordered.sort_by_key(|(_, amount, _)| *amount);
        let equal = |two: &&[(Quantity, Rational, RowFinding)]| matches!(two, [a, b] if a.1 == b.1);
        if let Some([(_, _, one), (at, _, two)]) = ordered.windows(2).find(equal) {
            let why = format!("the rows {} and {} have the same `{name}`, {}", one.label, two.label, at.text());
            return Err(self.failed(why).hint("choose among the rows: `from(rows where …, …)`"));
        }
        let places: Vec<Quantity> = ordered.iter().map(|(at, ..)| at.clone()).collect();
        let found: Vec<RowFinding> = ordered.into_iter().map(|(.., finding)| finding).collect();
        let place = place(&places, &found, name).ok_or_else(|| self.failed("there are no rows".to_owned()))?;
        self.context.note(|| {
            let why = if let Value::Place(place) = &place { Some(place.why.clone()) } else { None };
            Finding::Rows(RowsFinding { why, place: Some(plain_text(&place, &ENGLISH)), ..RowsFinding::at(self.node, Asked::From, found) })
        });
        Ok(place)
    }
}

/// Where the condition begins to hold for good: behind the last no, and at or before the first yes. Where it may be that it holds for
/// a row and not for a later one, there may be no such place.
fn place(places: &[Quantity], found: &[RowFinding], name: &str) -> Option<Value> {
    let first = found.iter().rposition(|row| row.truth == Some(false)).map_or(0, |no| no + 1);
    let yes = found.iter().position(|row| row.truth == Some(true));
    let at = |index: usize| places.get(index).map(Quantity::text).unwrap_or_default();
    let nowhere = |why: String| Some(Value::Place(Place { at: None, why }));
    let last = match yes {
        Some(yes) if yes < first => {
            let (yes, no) = (at(yes), at(first - 1));
            return nowhere(format!("it holds at {name} {yes} and not at {no}, so that there is no place from which on it does"));
        }
        Some(yes) => yes,
        None if places.is_empty() => return None,
        None if first == places.len() => return nowhere("it holds for no row".to_owned()),
        None => places.len() - 1,
    };
    let (low, high) = (places.get(first)?, places.get(last)?);
    let amount = if first == last { Amount::Exact(low.as_exact()?) } else { Amount::Between(low.as_exact()?, high.as_exact()?) };
    let quantity = Quantity { amount, unit: low.unit.clone() };
    let open = |rows: &[RowFinding]| rows.iter().filter(|row| row.truth.is_none()).count();
    let doubt = match yes {
        None => Some("the data can't tell that it holds for any row"),
        Some(yes) if open(&found[..first]) > 0 || open(&found[first..yes]) > 1 || open(&found[yes..]) > 0 => {
            Some("the data can't tell that it holds for all rows behind one for which it does")
        }
        Some(_) => None,
    };
    Some(match doubt {
        None => Value::Quantity(quantity),
        Some(why) => Value::Place(Place { at: Some(quantity), why: why.to_owned() }),
    })
}
