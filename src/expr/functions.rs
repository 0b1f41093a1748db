//! Turns calls into values: arithmetic helpers, rows by name and by rank, counts, conditions.
//!
//! Must not know any sweep; rows come from the scope or from what stands before the dot.

use std::sync::Arc;

use crate::base::quantity::{Amount, Quantity, Rational, Unit, Whole};

use super::best::{BestRow, Contest};
use super::compare::Relation;
use super::evaluate::{Context, absent, column_of, compare_quantities, describe, quantity, rows_at_hand, value};
use super::figure::{self, FORMATTERS};
use super::problems;
use super::scope::{Absent, Row, RowSet, Value};
use super::token::{Fault, Placed};
use super::tree::{Argument, Call, Kind, Node};

/// Every function: its name and how it is written.
const FUNCTIONS: [(&str, &str); 22] = [
    ("row", "row('label') or row(column = value)"),
    ("run", "run() or run('2026-11-30-nvidia-h200')"),
    ("best", "best(\"column\") or best(\"column\", lowest = true)"),
    ("worst", "worst(\"column\") or worst(\"column\", lowest = true)"),
    ("fastest", "fastest()"),
    ("ties", "ties(\"column\") or ties(\"column\", lowest = true)"),
    ("count", "count(rows where …)"),
    ("sum", "sum(rows, \"column\")"),
    ("min", "min(a, b, …) or min(rows, \"column\")"),
    ("max", "max(a, b, …) or max(rows, \"column\")"),
    ("abs", "abs(x)"),
    ("sqrt", "sqrt(x)"),
    ("log2", "log2(x)"),
    ("ln", "ln(x)"),
    ("ceil", "ceil(x)"),
    ("floor", "floor(x)"),
    ("round", "round(x)"),
    ("ceil_div", "ceil_div(a, b)"),
    ("within", "within(a, b, 2%)"),
    ("spread", "spread(x)"),
    ("text", "text(x)"),
    ("len", "len(rows)"),
];

pub(crate) fn exists(name: &str) -> bool {
    FUNCTIONS.iter().any(|function| function.0 == name)
}

/// That the name `found`, which is called, is that of a function: a slip there needs no run to be seen.
pub(crate) fn known(found: &Placed, name: &str) -> Result<(), Fault> {
    if exists(name) || FORMATTERS.contains(&name) { Ok(()) } else { Err(unknown(found.start, found.end, name)) }
}

fn unknown(start: usize, end: usize, name: &str) -> Fault {
    problems::no_name(start, end, "function", name, names())
}

/// The names of all functions and formatters.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|function| function.0).chain(FORMATTERS)
}

/// A call and where it stands.
struct Site<'a> {
    node: &'a Node,
    call: &'a Call,
    context: &'a Context<'a>,
}

pub(crate) fn call(node: &Node, call: &Call, context: &Context<'_>) -> Result<Value, Fault> {
    if FORMATTERS.contains(&call.name.as_str()) {
        return figure::inside(node, call, context);
    }
    let site = Site { node, call, context };
    if !matches!(call.name.as_str(), "row" | "best" | "worst" | "ties") {
        site.no_named_arguments()?;
    }
    match call.name.as_str() {
        "row" => site.row(),
        "run" => site.run(),
        "best" => site.ranked(false),
        "worst" => site.ranked(true),
        "fastest" => site.fastest(),
        "ties" => site.ties(),
        "count" | "len" => site.count(),
        "sum" => site.column_fold(Quantity::add),
        "min" => site.fold(Quantity::smaller),
        "max" => site.fold(Quantity::larger),
        "abs" => site.one(Quantity::absolute),
        "sqrt" => site.one(Quantity::square_root),
        "log2" => site.one(|x| x.of_plain("log2", libm::log2, |x| 1.0 / (x * std::f64::consts::LN_2))),
        "ln" => site.one(|x| x.of_plain("ln", libm::log, |x| 1.0 / x)),
        "ceil" => site.one(|x| x.whole(Whole::Up)),
        "floor" => site.one(|x| x.whole(Whole::Down)),
        "round" => site.one(|x| x.whole(Whole::Nearest)),
        "ceil_div" => site.ceil_div(),
        "within" => site.within(),
        "spread" => site.one(Quantity::relative_spread),
        "text" => site.text(),
        name => Err(unknown(node.start, node.end, name)),
    }
}

impl<'a> Site<'a> {
    fn usage(&self) -> Fault {
        let usage = FUNCTIONS.iter().find(|function| function.0 == self.call.name).map_or("", |function| function.1);
        problems::call(self.node.start, self.node.end, format!("`{}` is not given what it needs", self.call.name))
            .hint(format!("write {usage}"))
    }

    fn failed(&self, why: String) -> Fault {
        problems::value(self.node.start, self.node.end, why)
    }

    fn absent(&self, why: Absent) -> Fault {
        absent(self.node, why)
    }

    fn no_named_arguments(&self) -> Result<(), Fault> {
        match self.call.arguments.iter().find(|argument| argument.name.is_some()) {
            Some(_) => Err(self.usage()),
            None => Ok(()),
        }
    }

    fn one(&self, function: impl Fn(&Quantity) -> Result<Quantity, String>) -> Result<Value, Fault> {
        let [argument] = self.call.arguments.as_slice() else { return Err(self.usage()) };
        function(&quantity(&argument.value, self.context)?).map(Value::Quantity).map_err(|why| self.failed(why))
    }

    /// The rows that the call is about and its other arguments: rows given first, or the rows at hand.
    fn rows_and_rest(&self) -> Result<(RowSet, &'a [Argument]), Fault> {
        if let [first, rest @ ..] = self.call.arguments.as_slice()
            && first.name.is_none()
            && !matches!(first.value.kind, Kind::Text(_) | Kind::Number(..))
        {
            return match value(&first.value, self.context)? {
                Value::Rows(rows) => Ok((rows, rest)),
                other if self.call.form == super::tree::Form::Plain && self.call.name == "row" => {
                    Ok((self.given(other)?, &self.call.arguments))
                }
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

    fn row(&self) -> Result<Value, Fault> {
        let (rows, rest) = self.rows_and_rest()?;
        let rows: Vec<Arc<dyn Row>> = rows.sure.into_iter().chain(rows.unsure).collect();
        match rest {
            [Argument { name: None, value: label }] => {
                let Value::Text(text) = value(label, self.context)? else {
                    return Err(problems::kind(label.start, label.end, "a row's label is a text")
                        .hint("write `row('256')`, or `row(threads = 256)`"));
                };
                let labels: Vec<Arc<str>> = rows.iter().filter_map(label_of).collect();
                let found = rows.iter().find(|row| label_of(row).as_deref() == Some(&*text));
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
    fn run(&self) -> Result<Value, Fault> {
        let (rows, rest) = self.rows_and_rest()?;
        let name = match rest {
            [] => None,
            [Argument { name: None, value: Node { kind: Kind::Text(name), .. } }] => Some(name.as_str()),
            _ => return Err(self.usage()),
        };
        let history = rows.history.ok_or_else(|| self.failed("only a sweep has runs, and these are some of its rows".to_owned()))?;
        history.run(name).map(Value::Rows).map_err(|why| self.absent(why))
    }

    fn contest(&self, rows: &RowSet, rest: &[Argument]) -> Result<Contest, Fault> {
        let (column, lowest) = match rest {
            [Argument { name: None, value: column }] => (column, None),
            [Argument { name: None, value: column }, Argument { name: Some(name), value: lowest }] if name == "lowest" => {
                let Value::Truth(Some(truth)) = value(lowest, self.context)? else { return Err(self.usage()) };
                (column, Some(truth))
            }
            _ => return Err(self.usage()),
        };
        let Kind::Text(name) = &column.kind else {
            return Err(problems::call(column.start, column.end, "the column is named in quotes")
                .hint(format!("write `{}(\"ms\")`", self.call.name)));
        };
        for row in &rows.sure {
            if let known = row.columns()
                && !known.iter().any(|known| known == name)
            {
                return Err(problems::no_column(column.start, column.end, &row.title(), name, known.iter().map(String::as_str)));
            }
        }
        Contest::new(&rows.sure, name, lowest, self.context.alpha).map_err(|why| self.absent(why))
    }

    fn ranked(&self, reversed: bool) -> Result<Value, Fault> {
        let (rows, rest) = self.rows_and_rest()?;
        let mut contest = self.contest(&rows, rest)?;
        contest.lowest ^= reversed;
        self.winner(contest)
    }

    fn fastest(&self) -> Result<Value, Fault> {
        let (rows, rest) = self.rows_and_rest()?;
        if !rest.is_empty() {
            return Err(self.usage());
        }
        let contest = Contest::new(&rows.sure, "ms", None, self.context.alpha).map_err(|why| self.absent(why))?;
        self.winner(contest)
    }

    fn winner(&self, contest: Contest) -> Result<Value, Fault> {
        let best = BestRow::of(contest).ok_or_else(|| self.absent(Absent::unmeasured("no row has a value there")))?;
        Ok(Value::Row(Arc::new(best)))
    }

    fn ties(&self) -> Result<Value, Fault> {
        let (rows, rest) = self.rows_and_rest()?;
        Ok(Value::Rows(RowSet::of(self.contest(&rows, rest)?.ties())))
    }

    fn count(&self) -> Result<Value, Fault> {
        let (rows, []) = self.rows_and_rest()? else { return Err(self.usage()) };
        let whole = |count: usize| Rational::from_integer(count as i128);
        let (sure, possible) = (rows.sure.len(), rows.sure.len() + rows.unsure.len());
        let amount = if sure == possible { Amount::Exact(whole(sure)) } else { Amount::Between(whole(sure), whole(possible)) };
        Ok(Value::Quantity(Quantity { amount, unit: Unit::bare() }))
    }

    fn fold(&self, step: fn(&Quantity, &Quantity) -> Result<Quantity, String>) -> Result<Value, Fault> {
        if matches!(
            self.call.arguments.as_slice(),
            [_, Argument { value: Node { kind: Kind::Text(_), .. }, .. }] | [Argument { value: Node { kind: Kind::Text(_), .. }, .. }]
        ) {
            return self.column_fold(step);
        }
        let mut result: Option<Quantity> = None;
        for argument in &self.call.arguments {
            let next = quantity(&argument.value, self.context)?;
            result = Some(match result {
                Some(so_far) => step(&so_far, &next).map_err(|why| self.failed(why))?,
                None => next,
            });
        }
        result.map(Value::Quantity).ok_or_else(|| self.usage())
    }

    /// `function` over a column of rows, all of which must have a value.
    fn column_fold(&self, step: fn(&Quantity, &Quantity) -> Result<Quantity, String>) -> Result<Value, Fault> {
        let (rows, rest) = self.rows_and_rest()?;
        let [Argument { value: Node { kind: Kind::Text(column), .. }, .. }] = rest else { return Err(self.usage()) };
        if !rows.unsure.is_empty() {
            return Err(self.failed("the rounds can't tell which rows are meant".to_owned()));
        }
        let mut result: Option<Quantity> = None;
        for row in &rows.sure {
            let Value::Quantity(next) = column_of(self.node, row, column)? else {
                return Err(self.failed(format!("`{column}` is no number in {}", row.title())));
            };
            result = Some(match result {
                Some(so_far) => step(&so_far, &next).map_err(|why| self.failed(why))?,
                None => next,
            });
        }
        result.map(Value::Quantity).ok_or_else(|| self.failed("there are no rows".to_owned()))
    }

    fn ceil_div(&self) -> Result<Value, Fault> {
        let [left, right] = self.call.arguments.as_slice() else { return Err(self.usage()) };
        let (left, right) = (quantity(&left.value, self.context)?, quantity(&right.value, self.context)?);
        let result = left.negate().and_then(|negated| negated.divide_floor(&right)).and_then(|below| below.negate());
        result.map(Value::Quantity).map_err(|why| self.failed(why))
    }

    fn within(&self) -> Result<Value, Fault> {
        let [left, right, share] = self.call.arguments.as_slice() else { return Err(self.usage()) };
        let share_value = quantity(&share.value, self.context)?;
        let allowed = share_value
            .as_exact()
            .filter(|&share| share_value.dimension().is_none() && share > Rational::from_integer(0) && share < Rational::from_integer(1));
        let Some(allowed) = allowed else {
            return Err(problems::call(share.value.start, share.value.end, "the share is an exact number between 0 and 1, such as `2%`"));
        };
        let sides = (quantity(&left.value, self.context)?, quantity(&right.value, self.context)?);
        compare_quantities(self.node, Relation::Within(allowed), (&left.value, sides.0), (&right.value, sides.1), self.context)
            .map(Value::Truth)
    }

    fn text(&self) -> Result<Value, Fault> {
        let [argument] = self.call.arguments.as_slice() else { return Err(self.usage()) };
        Ok(Value::Text(figure::plain_text(&value(&argument.value, self.context)?).into()))
    }
}

/// What a row is called.
pub(crate) fn label_of(row: &Arc<dyn Row>) -> Option<Arc<str>> {
    match row.column("label") {
        Ok(Value::Text(label)) => Some(label),
        _ => None,
    }
}

/// Whether an exact column is what a named argument wants.
fn equals(found: &Value, wanted: &Value) -> Result<bool, String> {
    match (found, wanted) {
        (Value::Quantity(a), Value::Quantity(b)) => match a.compare_exact(b)? {
            Some(order) => Ok(order == std::cmp::Ordering::Equal),
            None => Err("a row can't be found by a measured value".to_owned()),
        },
        (Value::Text(a), Value::Text(b)) => Ok(a == b),
        (Value::Truth(Some(a)), Value::Truth(Some(b))) => Ok(a == b),
        (a, b) => Err(format!("the column is {}, and this is {}", describe(a), describe(b))),
    }
}
