//! Turns a condition into the reason why it could not be false whatever was measured, as far as its form shows.
//!
//! Must not know what any name means.

use super::tree::{Call, Kind, Node, Operator};

/// Why the condition `root` could not be false; see [`super::Expr::cannot_fail`].
pub(crate) fn cannot_fail(root: &Node, timed: bool) -> Option<String> {
    settled(root, true, timed)
}

/// Why `node` could only be `wanted`. One part of all-of that is always so is enough: it asks for nothing.
fn settled(node: &Node, wanted: bool, timed: bool) -> Option<String> {
    match &node.kind {
        Kind::Not(part) => settled(part, !wanted, timed),
        // `not (a or b)` is all-of too.
        Kind::Binary(Operator::And | Operator::Or, left, right) => settled(left, wanted, timed).or_else(|| settled(right, wanted, timed)),
        Kind::Binary(Operator::In, row, rows) => {
            let best = is_call(row, &["best", "fastest"]);
            let everything = is_call(rows, &["near_best", "ties"]) || is_all_rows(rows);
            (wanted && best && everything).then(|| format!("`{row}` is always in `{rows}`"))
        }
        Kind::Binary(operator, left, right) if operator.compares() => compared(*operator, left, right, wanted, timed),
        Kind::Call(Call { name, arguments, .. }) => {
            called(name, &arguments.iter().map(|argument| &argument.value).collect::<Vec<_>>(), wanted, timed)
        }
        _ => None,
    }
}

fn called(name: &str, arguments: &[&Node], wanted: bool, timed: bool) -> Option<String> {
    match (name, arguments) {
        ("within" | "no_gain", [left, right, ..]) if wanted && left == right => Some(format!("both sides are `{left}`")),
        ("all" | "any", [.., condition]) => settled(condition, wanted, timed),
        ("none", [.., condition]) => settled(condition, !wanted, timed),
        _ => None,
    }
}

fn compared(operator: Operator, left: &Node, right: &Node, wanted: bool, timed: bool) -> Option<String> {
    let operator = if wanted { operator } else { opposite(operator)? };
    if left == right && matches!(operator, Operator::Equal | Operator::LessEqual | Operator::GreaterEqual) {
        return Some(format!("both sides are `{left}`"));
    }
    if let Some(why) = chosen(left, timed).or_else(|| chosen(right, timed)) {
        return Some(why);
    }
    // Each relation with the side that is asked to be the larger one first.
    let (large, small, or_equal) = match operator {
        Operator::Greater => (left, right, false),
        Operator::GreaterEqual => (left, right, true),
        Operator::Less => (right, left, false),
        Operator::LessEqual => (right, left, true),
        _ => return None,
    };
    if is_at_most_zero(small) && !may_be_negative(large) && !may_be_below(large, or_equal) {
        if or_equal {
            return Some(format!("`{large}` is never below zero"));
        }
        // Spills and counts may be zero; a time may not.
        if timed {
            return Some(format!("`{large}` is always above zero"));
        }
    }
    if or_equal && is_best_of_column(small, large) {
        return Some(format!("`{small}` is never above `{large}`: it is the least"));
    }
    let one = |node: &Node| matches!(&node.kind, Kind::Number(amount, _) if *amount.numer() <= *amount.denom());
    if or_equal && one(small) && counted(large).is_some_and(|rows| is_call(rows, &["near_best", "ties"])) {
        return Some(format!("`{large}` is never less than one: the best is among them"));
    }
    None
}

/// Why the rows that `node` counts are not chosen by any data: their condition always holds.
fn chosen(node: &Node, timed: bool) -> Option<String> {
    let Kind::Where(_, condition) = &counted(node)?.kind else { return None };
    let why = settled(condition, true, timed)?;
    // A condition that chooses by the plan as well is one that counts.
    let only = !matches!(condition.kind, Kind::Binary(Operator::And | Operator::Or, ..));
    only.then_some(why)
}

/// The rows that `node` counts.
fn counted(node: &Node) -> Option<&Node> {
    match &node.kind {
        Kind::Call(Call { name, arguments, .. }) if matches!(name.as_str(), "count" | "len") => {
            arguments.first().map(|argument| &argument.value)
        }
        _ => None,
    }
}

/// Whether `small` is the least of the column that `large` is of.
fn is_best_of_column(small: &Node, large: &Node) -> bool {
    match (&small.kind, &large.kind) {
        (Kind::Member(row, column), Kind::Member(_, other)) => {
            column == other && column == "ms" && is_call(row, &["fastest"]) || {
                let asked = if let Kind::Call(call) = &row.kind {
                    call.arguments.iter().find_map(|argument| text_of(&argument.value))
                } else {
                    None
                };
                column == other && column == "ms" && is_call(row, &["best"]) && asked == Some("ms")
            }
        }
        _ => false,
    }
}

fn text_of(node: &Node) -> Option<&str> {
    if let Kind::Text(text) = &node.kind { Some(text) } else { None }
}

fn is_call(node: &Node, names: &[&str]) -> bool {
    matches!(&node.kind, Kind::Call(call) if names.contains(&call.name.as_str()))
}

fn is_all_rows(node: &Node) -> bool {
    match &node.kind {
        Kind::Name(name) => name == "rows",
        Kind::Member(_, name) => name == "rows",
        _ => false,
    }
}

fn opposite(operator: Operator) -> Option<Operator> {
    Some(match operator {
        Operator::Less => Operator::GreaterEqual,
        Operator::LessEqual => Operator::Greater,
        Operator::Greater => Operator::LessEqual,
        Operator::GreaterEqual => Operator::Less,
        Operator::Unequal => Operator::Equal,
        _ => return None,
    })
}

fn is_at_most_zero(node: &Node) -> bool {
    match &node.kind {
        Kind::Number(amount, _) => *amount.numer() == 0,
        Kind::Negate(part) => matches!(part.kind, Kind::Number(..)),
        _ => false,
    }
}

/// Whether a value's form lets it be negative: it has a difference, a sign or a logarithm in it.
fn may_be_negative(node: &Node) -> bool {
    let mut may = false;
    node.walk(false, &mut |part, _| {
        may |= match &part.kind {
            Kind::Negate(_) | Kind::Binary(Operator::Subtract, ..) => true,
            Kind::Call(call) => matches!(call.name.as_str(), "ln" | "log2"),
            _ => false,
        };
    });
    may
}

/// Whether a value that is not negative may be zero, or not asked to be more: counts and what is rounded.
fn may_be_below(node: &Node, or_equal: bool) -> bool {
    let mut may = false;
    node.walk(false, &mut |part, _| {
        may |= matches!(&part.kind, Kind::Call(call) if matches!(call.name.as_str(), "count" | "len" | "floor" | "round" | "from"));
    });
    may && !or_equal
}
