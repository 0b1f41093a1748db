//! Turns a comparison into whether arithmetic alone makes it true: `2 * a > a`, `a + 1 ms > a`, `max(a, b) >= a`.
//!
//! Must not know what any value is: each is tried as many numbers, in exact arithmetic, and one that makes the comparison false shows
//! that it can fail.

use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, Signed, Zero};

use crate::base::quantity::Rational;

use super::certain::Least;
use super::compare::Relation;
use super::tree::{Call, Kind, Node, Operator};

/// How many choices of values are tried beside those where all values are equal.
const TRIES: usize = 400;

/// Whether `left relation right` is true whatever the values in it are; those of its columns are no less than `least` says.
pub(crate) fn always(relation: Relation, left: &Node, right: &Node, least: &dyn Fn(&str) -> Least) -> bool {
    let mut form = Form { values: Vec::new() };
    form.collect(left);
    form.collect(right);
    let pool = pool(&[left, right]);
    let mut held = 0_usize;
    let mut holds = |chosen: &[Rational]| {
        let sides = form.number(left, chosen).zip(form.number(right, chosen));
        // What is too large or too small to be computed shows nothing.
        sides.and_then(|(left, right)| relation_of(relation, left, right)).is_none_or(|holds| {
            held += usize::from(holds);
            holds
        })
    };
    let allowed = |value: &Node, number: Rational| match &value.kind {
        Kind::Member(_, name) | Kind::Name(name) => match least(name) {
            Least::BelowZero => true,
            Least::Zero | Least::NotOfRun => !number.is_negative(),
            Least::AboveZero => number.is_positive(),
        },
        _ => true,
    };
    let equal = pool.iter().filter(|&&number| form.values.iter().all(|value| allowed(value, number)));
    if !equal.map(|&number| vec![number; form.values.len()]).all(|chosen| holds(&chosen)) {
        return false;
    }
    // A generator of its own, so that the answer is the same everywhere.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % below
    };
    let fitting: Vec<Vec<Rational>> =
        form.values.iter().map(|value| pool.iter().copied().filter(|&number| allowed(value, number)).collect()).collect();
    for _ in 0..TRIES {
        let chosen: Vec<Rational> = fitting.iter().map(|fitting| fitting[next(fitting.len())]).collect();
        if !holds(&chosen) {
            return false;
        }
    }
    held > TRIES / 4
}

/// Numbers over many magnitudes of either sign, and about each number that is written in `nodes`.
fn pool(nodes: &[&Node]) -> Vec<Rational> {
    let mut pool = vec![Rational::zero()];
    let mut both = |number: Rational| pool.extend([number, -number]);
    for exponent in 0..=12_u32 {
        for times in [1, 3] {
            both(Rational::new(times * 10_i128.pow(exponent), 1));
            both(Rational::new(times, 10_i128.pow(exponent)));
        }
    }
    for node in nodes {
        node.walk(false, &mut |part, _| {
            let Kind::Number(amount, unit) = &part.kind else { return };
            for times in [Rational::new(1, 2), Rational::new(1, 1), Rational::new(2, 1)] {
                if let Some(number) = amount.checked_mul(&unit.scale).and_then(|number| number.checked_mul(&times)) {
                    both(number);
                }
            }
        });
    }
    pool
}

fn relation_of(relation: Relation, left: Rational, right: Rational) -> Option<bool> {
    Some(match relation {
        Relation::Less => left < right,
        Relation::LessEqual => left <= right,
        Relation::Greater => left > right,
        Relation::GreaterEqual => left >= right,
        Relation::Within(share) => left.checked_sub(&right)?.abs() <= right.abs().checked_mul(&share)?,
        _ => return None,
    })
}

/// Two sides, and the values in them that are no arithmetic.
struct Form<'a> {
    values: Vec<&'a Node>,
}

impl<'a> Form<'a> {
    fn collect(&mut self, node: &'a Node) {
        match parts(node) {
            Some(parts) => parts.into_iter().for_each(|part| self.collect(part)),
            None if self.values.contains(&node) => {}
            None => self.values.push(node),
        }
    }

    /// What `node` is where each of the values is as `chosen`.
    fn number(&self, node: &Node, chosen: &[Rational]) -> Option<Rational> {
        let of = |part: &Node| self.number(part, chosen);
        match (&node.kind, parts(node)) {
            (_, None) => self.values.iter().position(|value| *value == node).and_then(|index| chosen.get(index).copied()),
            (Kind::Number(amount, unit), _) => amount.checked_mul(&unit.scale),
            (Kind::Negate(part), _) => Some(-of(part)?),
            (Kind::Binary(operator, a, b), _) => {
                let (a, b) = (of(a)?, of(b)?);
                match operator {
                    Operator::Add => a.checked_add(&b),
                    Operator::Subtract => a.checked_sub(&b),
                    Operator::Multiply => a.checked_mul(&b),
                    _ => a.checked_div(&b),
                }
            }
            (Kind::Call(call), Some(parts)) => {
                let numbers: Vec<Rational> = parts.into_iter().map(of).collect::<Option<_>>()?;
                match call.name.as_str() {
                    "abs" => numbers.first().map(Signed::abs),
                    "max" => numbers.into_iter().max(),
                    _ => numbers.into_iter().min(),
                }
            }
            _ => None,
        }
    }
}

/// The parts that `node` is computed from by arithmetic; `None` where it is a value.
fn parts(node: &Node) -> Option<Vec<&Node>> {
    match &node.kind {
        Kind::Number(..) => Some(Vec::new()),
        Kind::Negate(part) => Some(vec![part]),
        Kind::Binary(Operator::Add | Operator::Subtract | Operator::Multiply | Operator::Divide, a, b) => Some(vec![a, b]),
        Kind::Call(Call { name, arguments, .. }) if matches!((name.as_str(), arguments.len()), ("abs", 1) | ("min" | "max", 2)) => {
            // `max(rows, "ms")` is of rows.
            let is_text = arguments.iter().any(|argument| matches!(argument.value.kind, Kind::Text(_)));
            (!is_text).then(|| arguments.iter().map(|argument| &argument.value).collect())
        }
        _ => None,
    }
}
