//! Turns calls into values: which functions there are, and those of numbers and texts. Those of rows have files of their own.
//!
//! Must not know any sweep; rows come from the scope or from what stands before the dot.

use std::sync::Arc;

use crate::base::quantity::{Quantity, Whole};

use super::evaluate::{Context, absent, column_of, quantity, value};
use super::figure::{self, FORMATTERS};
use super::finding::Asked;
use super::problems;
use super::range;
use super::scope::{Absent, Row, Value};
use super::token::{Fault, Placed};
use super::tree::{Argument, Call, Kind, Node};

/// Every function: its name and how it is written.
const FUNCTIONS: [(&str, &str); 33] = [
    ("row", "row('label') or row(column = value)"),
    ("run", "run() or run('2026-11-30-nvidia-h200')"),
    ("best", "best(\"column\") or best(\"column\", lowest = true)"),
    ("worst", "worst(\"column\") or worst(\"column\", lowest = true)"),
    ("fastest", "fastest()"),
    ("ties", "ties(\"column\") or ties(\"column\", lowest = true)"),
    ("near_best", "near_best(\"column\", 5%) or near_best(\"column\", 5%, lowest = true)"),
    ("pair", "pair(same = \"column\", apart = \"column\")"),
    ("first", "first(rows)"),
    ("last", "last(rows)"),
    ("count", "count(rows where …)"),
    ("all", "all(rows, …) with a condition over each row"),
    ("any", "any(rows, …) with a condition over each row"),
    ("none", "none(rows, …) with a condition over each row"),
    ("from", "from(rows, \"column\", …) with a condition over each row"),
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
    ("alike", "alike(rows, \"column\", 3%)"),
    ("no_gain", "no_gain(after, before, 2%)"),
    ("range", "range(a, b) or range(rows, \"column\")"),
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
pub(crate) struct Site<'a> {
    pub(crate) node: &'a Node,
    pub(crate) call: &'a Call,
    pub(crate) context: &'a Context<'a>,
}

pub(crate) fn call(node: &Node, call: &Call, context: &Context<'_>) -> Result<Value, Fault> {
    if FORMATTERS.contains(&call.name.as_str()) {
        return figure::inside(node, call, context);
    }
    let site = Site { node, call, context };
    if !matches!(call.name.as_str(), "row" | "best" | "worst" | "ties" | "near_best" | "pair") {
        site.no_named_arguments()?;
    }
    match call.name.as_str() {
        "row" => site.row(),
        "run" => site.run(),
        "best" => site.ranked(false),
        "worst" => site.ranked(true),
        "fastest" => site.fastest(),
        "ties" => site.ties(),
        "near_best" => site.near_best(),
        "pair" => site.pair(),
        "first" => site.end(false),
        "last" => site.end(true),
        "count" | "len" => site.count(),
        "all" => site.quantified(Asked::All),
        "any" => site.quantified(Asked::Any),
        "none" => site.quantified(Asked::None),
        "from" => site.from(),
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
        "alike" => site.alike(),
        "no_gain" => site.no_gain(),
        range::NAME => Err(range::misplaced(node)),
        "text" => site.text(),
        name => Err(unknown(node.start, node.end, name)),
    }
}

impl<'a> Site<'a> {
    pub(crate) fn usage(&self) -> Fault {
        let usage = FUNCTIONS.iter().find(|function| function.0 == self.call.name).map_or("", |function| function.1);
        problems::call(self.node.start, self.node.end, format!("`{}` is not given what it needs", self.call.name))
            .hint(format!("write {usage}"))
    }

    pub(crate) fn failed(&self, why: String) -> Fault {
        problems::value(self.node.start, self.node.end, why)
    }

    pub(crate) fn absent(&self, why: Absent) -> Fault {
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

    fn text(&self) -> Result<Value, Fault> {
        let [argument] = self.call.arguments.as_slice() else { return Err(self.usage()) };
        Ok(Value::Text(figure::plain_text(&value(&argument.value, self.context)?, &figure::ENGLISH).into()))
    }
}

/// What a row is called.
pub(crate) fn label_of(row: &Arc<dyn Row>) -> Option<Arc<str>> {
    match row.column("label") {
        Ok(Value::Text(label)) => Some(label),
        _ => None,
    }
}
