//! Turns calls that ask whether values are about the same into conditions: two values, all of some rows, a gain that isn't one.
//!
//! Must not know what the values mean beyond their dimension.

use std::sync::Arc;

use crate::base::quantity::{Quantity, Rational};

use super::best::is_cost;
use super::compare::{Relation, decide_quantities};
use super::condition::{all_true, compare_quantities};
use super::evaluate::{column_of, quantity};
use super::finding::{Comparison, Finding};
use super::functions::{Site, label_of};
use super::problems;
use super::scope::{Row, Value};
use super::token::Fault;
use super::tree::{Argument, Node, cell_text};

impl Site<'_> {
    /// An exact number between 0 and 1.
    pub(crate) fn share(&self, node: &Node) -> Result<Rational, Fault> {
        let share = quantity(node, self.context)?;
        let (zero, one) = (Rational::from_integer(0), Rational::from_integer(1));
        let plain = share.as_exact().filter(|&amount| share.dimension().is_none() && amount > zero && amount < one);
        plain.ok_or_else(|| problems::call(node.start, node.end, "the share is an exact number between 0 and 1, such as `2%`"))
    }

    /// `within(a, b, 2%)`
    pub(crate) fn within(&self) -> Result<Value, Fault> {
        let [left, right, share] = self.call.arguments.as_slice() else { return Err(self.usage()) };
        let share = self.share(&share.value)?;
        self.compared(Relation::Within(share), &left.value, &right.value)
    }

    /// `no_gain(after, before, 2%)`: a time is a gain where it is less, all else where it is more.
    pub(crate) fn no_gain(&self) -> Result<Value, Fault> {
        let [after, before, share] = self.call.arguments.as_slice() else { return Err(self.usage()) };
        let share = self.share(&share.value)?;
        if is_cost(quantity(&after.value, self.context)?.dimension()) {
            return self.compared(Relation::NotAbove(share), &before.value, &after.value);
        }
        self.compared(Relation::NotAbove(share), &after.value, &before.value)
    }

    fn compared(&self, relation: Relation, left: &Node, right: &Node) -> Result<Value, Fault> {
        let sides = (quantity(left, self.context)?, quantity(right, self.context)?);
        compare_quantities(self.node, relation, (left, sides.0), (right, sides.1), self.context).map(Value::Truth)
    }

    /// `alike(rows, "ms", 3%)`: no two of the rows are farther apart. What decides is noted: two rows that are, or that may be, or
    /// those farthest apart.
    pub(crate) fn alike(&self) -> Result<Value, Fault> {
        let (rows, rest) = self.rows_and_rest()?;
        let [Argument { value: column, .. }, Argument { value: share, .. }] = rest else { return Err(self.usage()) };
        let (column, share) = (self.column_name(column, &rows)?, self.share(share)?);
        self.all_sure(&rows)?;
        let mut values = Vec::new();
        for row in &rows.sure {
            let Value::Quantity(quantity) = column_of(self.node, row, column)? else {
                return Err(self.failed(format!("`{column}` is no number in {}", row.title())));
            };
            values.push((row, quantity));
        }
        if values.len() < 2 {
            return Err(self.failed("fewer than two rows are left, and one is always like itself".to_owned()));
        }
        // The farthest apart come first, so that of equal answers theirs is the one that is shown.
        values.sort_by(|(_, a), (_, b)| b.typical().unwrap_or(0.0).total_cmp(&a.typical().unwrap_or(0.0)));
        let levels = self.context.levels.all_of(values.len() * (values.len() - 1));
        let mut found: Vec<Comparison> = Vec::new();
        for (high, left) in values.iter() {
            for (low, right) in values.iter().rev().filter(|(low, _)| !Arc::ptr_eq(high, low)) {
                let relation = Relation::NotAbove(share);
                let (truth, test) = decide_quantities(relation, left, right, levels).map_err(|why| self.absent(why))?;
                let text = |row: &Arc<dyn Row>| cell_text(label_of(row).as_deref().unwrap_or_default(), column);
                let (left_text, right_text) = (text(high), text(low));
                let (left, right): (Quantity, Quantity) = (left.clone(), right.clone());
                let times = Rational::from_integer(1);
                let range = (self.node.start, self.node.end);
                found.push(Comparison { relation, left, right, left_text, right_text, times, range, truth, test });
            }
        }
        let truth = all_true(found.iter().map(|comparison| comparison.truth));
        if let Some(decisive) = found.into_iter().find(|comparison| comparison.truth == truth) {
            self.context.note(|| Finding::Comparison(Box::new(decisive)));
        }
        Ok(Value::Truth(truth))
    }
}
