//! Turns a condition into the reason why it could not be false whatever was measured, as far as its form shows.
//!
//! Must not know what any name means.

use super::compare::Relation;
use super::probe;
use super::tree::{Call, Kind, Node, Operator};

/// How little the values of a column may be, whatever a run finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Least {
    /// Below zero: a difference, or what a program printed.
    BelowZero,
    /// Nothing: spills, counts of instructions, bytes that a counter saw.
    Zero,
    /// More than nothing: a time, a clock.
    AboveZero,
    /// The name is of no column that a run fills, but of the plan or of the device.
    NotOfRun,
}

/// What is known of columns besides their names.
#[derive(Clone, Copy)]
struct Known<'a> {
    least: &'a dyn Fn(&str) -> Least,
}

/// Why the condition `root` could not be false; see [`super::Expr::cannot_fail`].
pub(crate) fn cannot_fail(root: &Node, least: &dyn Fn(&str) -> Least) -> Option<String> {
    settled(root, true, Known { least })
}

/// How little the value of `node` may be, by its form and by its columns.
pub(crate) fn least(node: &Node, of_column: &dyn Fn(&str) -> Least) -> Least {
    if may_be_negative(node, of_column) {
        return Least::BelowZero;
    }
    let mut least = Least::NotOfRun;
    node.walk(false, &mut |part, in_predicate| {
        least = least.min(match &part.kind {
            // What rows are chosen by says nothing of the value that is looked at; a text may be the name of that.
            _ if in_predicate => Least::NotOfRun,
            Kind::Member(_, name) | Kind::Name(name) | Kind::Text(name) => of_column(name),
            Kind::Binary(Operator::DivideFloor | Operator::Remainder, ..) => Least::Zero,
            Kind::Call(call) if matches!(call.name.as_str(), "count" | "len" | "floor" | "round" | "from") => Least::Zero,
            _ => Least::NotOfRun,
        });
    });
    least
}

/// Why `node` could only be `wanted`. One part of all-of that is always so is enough: it asks for nothing.
fn settled(node: &Node, wanted: bool, known: Known<'_>) -> Option<String> {
    match &node.kind {
        Kind::Not(part) => settled(part, !wanted, known),
        // `not (a or b)` is all-of too.
        Kind::Binary(operator @ (Operator::And | Operator::Or), left, right) => {
            let any_of = (*operator == Operator::Or) == wanted;
            let covered = || (any_of && is_one_of_both(left, right, wanted)).then(|| format!("`{left}` and `{right}` leave nothing out"));
            settled(left, wanted, known).or_else(|| settled(right, wanted, known)).or_else(covered)
        }
        Kind::Binary(Operator::In, row, rows) => {
            let best = is_call(row, &["best", "fastest"]);
            let everything = is_call(rows, &["near_best", "ties"]) || is_all_rows(rows);
            (wanted && best && everything).then(|| format!("`{row}` is always in `{rows}`"))
        }
        Kind::Binary(operator, left, right) if operator.compares() => compared(*operator, left, right, wanted, known),
        Kind::Call(Call { name, arguments, .. }) => {
            called(name, &arguments.iter().map(|argument| &argument.value).collect::<Vec<_>>(), wanted, known)
        }
        _ => None,
    }
}

/// Whether `a` or `b` is `wanted` whatever the values are: they compare the same two, and leave nothing out.
fn is_one_of_both(a: &Node, b: &Node, wanted: bool) -> bool {
    let (Kind::Binary(one, left, right), Kind::Binary(other, second_left, second_right)) = (&a.kind, &b.kind) else { return false };
    let of_wanted = |operator: Operator| if wanted { Some(operator) } else { opposite(operator) };
    let other = if left == second_left && right == second_right {
        Some(*other)
    } else if left == second_right && right == second_left {
        turned(*other)
    } else {
        None
    };
    let (Some(one), Some(other)) = (of_wanted(*one), other.and_then(of_wanted)) else { return false };
    let less = |operator| matches!(operator, Operator::Less | Operator::LessEqual);
    let greater = |operator| matches!(operator, Operator::Greater | Operator::GreaterEqual);
    // Of what was measured nothing is exactly equal, so that no room is left between `<` and `>` either.
    less(one) && greater(other) || greater(one) && less(other)
}

fn called(name: &str, arguments: &[&Node], wanted: bool, known: Known<'_>) -> Option<String> {
    match (name, arguments) {
        ("within" | "no_gain", [left, right, ..]) if wanted && left == right => Some(format!("both sides are `{left}`")),
        ("within", [left, right, share]) if wanted => {
            let Kind::Number(share, unit) = &share.kind else { return None };
            let relation = Relation::Within(*share * unit.scale);
            probe::always(relation, left, right, known.least).then(|| format!("arithmetic makes `{left}` about the same as `{right}`"))
        }
        ("all" | "any", [.., condition]) => settled(condition, wanted, known),
        ("none", [.., condition]) => settled(condition, !wanted, known),
        _ => None,
    }
}

fn compared(operator: Operator, left: &Node, right: &Node, wanted: bool, known: Known<'_>) -> Option<String> {
    let operator = if wanted { operator } else { opposite(operator)? };
    if left == right && matches!(operator, Operator::Equal | Operator::LessEqual | Operator::GreaterEqual) {
        return Some(format!("both sides are `{left}`"));
    }
    if let Some(why) = chosen(left, known).or_else(|| chosen(right, known)) {
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
    if is_at_most_zero(small) {
        match least(large, known.least) {
            Least::Zero | Least::AboveZero | Least::NotOfRun if or_equal => return Some(format!("`{large}` is never below zero")),
            Least::AboveZero => return Some(format!("`{large}` is always above zero")),
            _ => {}
        }
    }
    if or_equal && is_best_of_column(small, large) {
        return Some(format!("`{small}` is never above `{large}`: it is the least"));
    }
    let one = |node: &Node| matches!(&node.kind, Kind::Number(amount, _) if *amount.numer() <= *amount.denom());
    if or_equal && one(small) && counted(large).is_some_and(|rows| is_call(rows, &["near_best", "ties"])) {
        return Some(format!("`{large}` is never less than one: the best is among them"));
    }
    let (relation, words) = if or_equal { (Relation::GreaterEqual, "no less") } else { (Relation::Greater, "more") };
    probe::always(relation, large, small, known.least).then(|| format!("arithmetic makes `{large}` {words} than `{small}`"))
}

/// Why the rows that `node` counts are not chosen by any data: their condition always holds.
fn chosen(node: &Node, known: Known<'_>) -> Option<String> {
    let Kind::Where(_, condition) = &counted(node)?.kind else { return None };
    let why = settled(condition, true, known)?;
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

/// The relation of the same two sides in the other order.
fn turned(operator: Operator) -> Option<Operator> {
    Some(match operator {
        Operator::Less => Operator::Greater,
        Operator::LessEqual => Operator::GreaterEqual,
        Operator::Greater => Operator::Less,
        Operator::GreaterEqual => Operator::LessEqual,
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

/// Whether a value's form lets it be negative: it has a difference, a sign, a logarithm or a column in it that may be below zero.
fn may_be_negative(node: &Node, least: &dyn Fn(&str) -> Least) -> bool {
    let mut may = false;
    node.walk(false, &mut |part, _| {
        may |= match &part.kind {
            Kind::Negate(_) | Kind::Binary(Operator::Subtract, ..) => true,
            Kind::Call(call) => matches!(call.name.as_str(), "ln" | "log2"),
            Kind::Member(_, name) | Kind::Name(name) => least(name) == Least::BelowZero,
            _ => false,
        };
    });
    may
}
