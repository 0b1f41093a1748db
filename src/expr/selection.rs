//! Turns calls about rows into rows: by name, by rank, by how near they are to the best, and in pairs.
//!
//! Must not know any sweep; rows come from the scope or from what stands before the dot.

use std::sync::Arc;

use crate::base::name::same_label;
use crate::base::quantity::{Amount, Quantity, Rational, Unit};

use super::best::{BestRow, Contest};
use super::evaluate::{column_of, describe, rows_at_hand, value};
use super::finding::{Asked, Finding, RowsFinding};
use super::functions::{Site, label_of};
use super::problems::{self, NOT_MEASURED};
use super::scope::{Absent, Row, RowSet, Value};
use super::token::Fault;
use super::tree::{Argument, Form, Kind, Node};

impl<'a> Site<'a> {
    /// The rows that the call is about and its other arguments: rows given first, or the rows at hand.
    pub(crate) fn rows_and_rest(&self) -> Result<(RowSet, &'a [Argument]), Fault> {
        if let [first, rest @ ..] = self.call.arguments.as_slice()
            && first.name.is_none()
            && !matches!(first.value.kind, Kind::Text(_) | Kind::Number(..))
        {
            return match value(&first.value, self.context)? {
                Value::Rows(rows) => Ok((rows, rest)),
                other if self.call.form == Form::Plain && self.call.name == "row" => Ok((self.given(other)?, &self.call.arguments)),
                other => Err(problems::kind(
                    first.value.start,
                    first.value.end,
                    format!("rows are needed here, and this is {}", describe(&other)),
                )),
            };
        }
        Ok((rows_at_hand(self.node, self.context)?, &self.call.arguments))
    }

    /// The rows at hand, for a label that is computed.
    fn given(&self, label: Value) -> Result<RowSet, Fault> {
        match label {
            Value::Text(_) => rows_at_hand(self.node, self.context),
            _ => Err(self.usage()),
        }
    }

    pub(crate) fn row(&self) -> Result<Value, Fault> {
        let (rows, rest) = self.rows_and_rest()?;
        let rows: Vec<Arc<dyn Row>> = rows.sure.into_iter().chain(rows.unsure).collect();
        match rest {
            [Argument { name: None, value: label }] => {
                let Value::Text(text) = value(label, self.context)? else {
                    return Err(problems::kind(label.start, label.end, "a row's label is a text")
                        .hint("write `row('256')`, or `row(threads = 256)`"));
                };
                let labels: Vec<Arc<str>> = rows.iter().filter_map(label_of).collect();
                let found = rows.iter().find(|row| label_of(row).is_some_and(|label| same_label(&label, &text)));
                found
                    .cloned()
                    .map(Value::Row)
                    .ok_or_else(|| problems::no_name(label.start, label.end, "row", &text, labels.iter().map(|label| &**label)))
            }
            [] => Err(self.usage()),
            named => self.row_by_columns(&rows, named),
        }
    }

    fn row_by_columns(&self, rows: &[Arc<dyn Row>], named: &[Argument]) -> Result<Value, Fault> {
        let mut found = rows.to_vec();
        for argument in named {
            let Some(name) = &argument.name else { return Err(self.usage()) };
            let wanted = value(&argument.value, self.context)?;
            let mut fitting = Vec::new();
            for row in found {
                if equals(&column_of(&argument.value, &row, name)?, &wanted)
                    .map_err(|why| problems::kind(argument.value.start, argument.value.end, why))?
                {
                    fitting.push(row);
                }
            }
            found = fitting;
        }
        match found.as_slice() {
            [row] => Ok(Value::Row(row.clone())),
            [] => Err(self.failed("no row has these values".to_owned())),
            several => {
                let labels: Vec<String> = several.iter().filter_map(label_of).map(|label| format!("`{label}`")).collect();
                Err(self.failed(format!("{} rows have these values: {}", several.len(), labels.join(", "))))
            }
        }
    }

    /// The rows of a run: of the one that is named, or of the one that counts.
    pub(crate) fn run(&self) -> Result<Value, Fault> {
        let (rows, rest) = self.rows_and_rest()?;
        let name = match rest {
            [] => None,
            [Argument { name: None, value: Node { kind: Kind::Text(name), .. } }] => Some(name.as_str()),
            _ => return Err(self.usage()),
        };
        let history = rows.history.ok_or_else(|| self.failed("only a sweep has runs, and these are some of its rows".to_owned()))?;
        history.run(name).map(Value::Rows).map_err(|why| self.absent(why))
    }

    /// The column that `rest` begins with, and after `more` other arguments, which end is the best.
    fn contest(&self, rows: &RowSet, rest: &[Argument], more: usize) -> Result<Contest, Fault> {
        let [Argument { name: None, value: column }, others @ ..] = rest else { return Err(self.usage()) };
        let lowest = match others.get(more..) {
            Some([]) => None,
            Some([Argument { name: Some(name), value: lowest }]) if name == "lowest" => {
                let Value::Truth(Some(truth)) = value(lowest, self.context)? else { return Err(self.usage()) };
                Some(truth)
            }
            _ => return Err(self.usage()),
        };
        let name = self.column_name(column, rows)?;
        self.contest_in(rows, name, lowest)
    }

    /// The contest of `rows` in `column`. No row only may be meant that has a value there, and so could be the best.
    fn contest_in(&self, rows: &RowSet, column: &str, lowest: Option<bool>) -> Result<Contest, Fault> {
        if rows.unsure.iter().any(|row| row.column(column).is_ok()) {
            self.all_sure(rows)?;
        }
        let alpha = self.context.levels.yes.min(self.context.levels.no);
        Contest::new(&rows.sure, column, lowest, alpha).map_err(|why| self.absent(why))
    }

    /// The name of a column that all `rows` have, as `column` gives it.
    pub(crate) fn column_name<'n>(&self, column: &'n Node, rows: &RowSet) -> Result<&'n str, Fault> {
        let Kind::Text(name) = &column.kind else {
            return Err(problems::call(column.start, column.end, "the column is named in quotes")
                .hint(format!("write `{}(\"ms\")`", self.call.name)));
        };
        for (row, _) in rows.members() {
            if !row.has(name) {
                let known = row.columns();
                return Err(problems::no_column(column.start, column.end, &row.title(), name, known.iter().map(String::as_str)));
            }
        }
        Ok(name)
    }

    pub(crate) fn ranked(&self, reversed: bool) -> Result<Value, Fault> {
        let (rows, rest) = self.rows_and_rest()?;
        let mut contest = self.contest(&rows, rest, 0)?;
        contest.lowest ^= reversed;
        self.winner(contest)
    }

    pub(crate) fn fastest(&self) -> Result<Value, Fault> {
        let (rows, rest) = self.rows_and_rest()?;
        if !rest.is_empty() {
            return Err(self.usage());
        }
        self.winner(self.contest_in(&rows, "ms", None)?)
    }

    fn winner(&self, contest: Contest) -> Result<Value, Fault> {
        let best = BestRow::of(contest).ok_or_else(|| self.absent(Absent::unmeasured("no row has a value there")))?;
        Ok(Value::Row(Arc::new(best)))
    }

    pub(crate) fn ties(&self) -> Result<Value, Fault> {
        let (rows, rest) = self.rows_and_rest()?;
        Ok(Value::Rows(RowSet::of(self.contest(&rows, rest, 0)?.ties())))
    }

    pub(crate) fn count(&self) -> Result<Value, Fault> {
        let (rows, []) = self.rows_and_rest()? else { return Err(self.usage()) };
        let whole = |count: usize| Rational::from_integer(count as i128);
        let (sure, possible) = (rows.sure.len(), rows.sure.len() + rows.unsure.len());
        let amount = if sure == possible { Amount::Exact(whole(sure)) } else { Amount::Between(whole(sure), whole(possible)) };
        Ok(Value::Quantity(Quantity { amount, unit: Unit::bare() }))
    }

    /// The rows that are within a share of the best, for sure and possibly.
    pub(crate) fn near_best(&self) -> Result<Value, Fault> {
        let (rows, rest) = self.rows_and_rest()?;
        let share = rest.get(1).filter(|share| share.name.is_none()).ok_or_else(|| self.usage())?;
        let share = self.share(&share.value)?;
        let contest = self.contest(&rows, rest, 1)?;
        let (set, found) = contest.near(share, self.context.levels).map_err(|why| self.absent(why))?;
        self.context.note(|| Finding::Rows(RowsFinding::at(self.node, Asked::Near, found)));
        Ok(Value::Rows(set))
    }

    /// The two rows that are the same in one column and farthest apart in another, the lower one first.
    pub(crate) fn pair(&self) -> Result<Value, Fault> {
        let (rows, rest) = self.rows_and_rest()?;
        let named = |wanted: &str| rest.iter().find(|argument| argument.name.as_deref() == Some(wanted));
        let ([_, _], Some(same), Some(apart)) = (rest, named("same"), named("apart")) else { return Err(self.usage()) };
        let (same, apart) = (self.column_name(&same.value, &rows)?, self.column_name(&apart.value, &rows)?);
        self.all_sure(&rows)?;
        let mut candidates = Vec::new();
        for row in &rows.sure {
            match (column_of(self.node, row, same), column_of(self.node, row, apart)) {
                (Ok(key), Ok(Value::Quantity(size))) if size.as_exact().is_some() => candidates.push((row, key, size)),
                (Ok(_), Ok(_)) => return Err(self.failed(format!("`{apart}` is no exact number in {}", row.title()))),
                // A row of which the device says nothing is in no pair.
                (Err(fault), _) | (_, Err(fault)) if fault.id == NOT_MEASURED => {}
                (Err(fault), _) | (_, Err(fault)) => return Err(fault),
            }
        }
        let mut farthest: Option<(Quantity, [Arc<dyn Row>; 2])> = None;
        for (index, (row, key, size)) in candidates.iter().enumerate() {
            for (other, other_key, other_size) in &candidates[index + 1..] {
                let distance = other_size.subtract(size).map_err(|why| self.failed(why))?;
                let upwards = distance.as_exact() > Some(Rational::from_integer(0));
                let distance = distance.absolute().map_err(|why| self.failed(why))?;
                let farther = farthest.as_ref().map_or(Some(Rational::from_integer(0)), |(so_far, _)| so_far.as_exact());
                if distance.as_exact() > farther && equals(key, other_key).map_err(|why| self.failed(why))? {
                    let two = if upwards { [row, other] } else { [other, row] };
                    farthest = Some((distance, two.map(|row| (*row).clone())));
                }
            }
        }
        match farthest {
            Some((_, two)) => Ok(Value::Rows(RowSet::of(two.to_vec()))),
            None => Err(self.absent(Absent::unmeasured(format!("no two rows have the same `{same}` and another `{apart}`")))),
        }
    }

    /// The first or the last of the rows.
    pub(crate) fn end(&self, last: bool) -> Result<Value, Fault> {
        let (rows, []) = self.rows_and_rest()? else { return Err(self.usage()) };
        self.all_sure(&rows)?;
        let row = if last { rows.sure.last() } else { rows.sure.first() };
        row.cloned().map(Value::Row).ok_or_else(|| self.failed("there are no rows".to_owned()))
    }

    /// That the data can tell which rows are meant.
    pub(crate) fn all_sure(&self, rows: &RowSet) -> Result<(), Fault> {
        if rows.unsure.is_empty() { Ok(()) } else { Err(self.failed("the rounds can't tell which rows are meant".to_owned())) }
    }
}

/// Whether an exact column is what a named argument wants.
fn equals(found: &Value, wanted: &Value) -> Result<bool, String> {
    match (found, wanted) {
        (Value::Quantity(a), Value::Quantity(b)) => match a.compare_exact(b)? {
            Some(order) => Ok(order == std::cmp::Ordering::Equal),
            None => Err("a row can't be found by a measured value".to_owned()),
        },
        (Value::Text(a), Value::Text(b)) => Ok(same_label(a, b)),
        (Value::Truth(Some(a)), Value::Truth(Some(b))) => Ok(a == b),
        (a, b) => Err(format!("the column is {}, and this is {}", describe(a), describe(b))),
    }
}
