//! Turns a parsed expression back into text that parses to the same expression.
//!
//! Must not know how anything is computed.

use std::fmt::{self, Write as _};

use crate::base::quantity::{Rational, Unit};

/// A part of an expression and the bytes of the author's text it stands for.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Two parts are the same when they say the same, wherever they stand.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// A literal: an amount in a unit.
    Number(Rational, Unit),
    Text(String),
    Truth(bool),
    Name(String),
    /// `row.column` or `row["column"]`.
    Member(Box<Node>, String),
    /// `name(…)`, `on.name(…)`, `first | name(…)`.
    Call(Call),
    Negate(Box<Node>),
    Not(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    /// `rows where predicate`.
    Where(Box<Node>, Box<Node>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// How the first argument is written.
    pub(crate) form: Form,
    /// The arguments; of `on.name(…)` and `first | name(…)` the first is what stands before.
    pub(crate) arguments: Vec<Argument>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Plain,
    Method,
    Piped,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Argument {
    pub(crate) name: Option<String>,
    pub(crate) value: Node,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    Add,
    Subtract,
    Multiply,
    Divide,
    DivideFloor,
    Remainder,
    Power,
}

/// How tightly the parts of the language bind.
pub(crate) mod binding {
    pub(crate) const PIPE: u8 = 1;
    pub(crate) const WHERE: u8 = 2;
    pub(crate) const OR: u8 = 3;
    pub(crate) const AND: u8 = 4;
    pub(crate) const NOT: u8 = 5;
    pub(crate) const COMPARE: u8 = 6;
    pub(crate) const ADD: u8 = 7;
    pub(crate) const MULTIPLY: u8 = 8;
    pub(crate) const NEGATE: u8 = 9;
    pub(crate) const POWER: u8 = 10;
    pub(crate) const POSTFIX: u8 = 11;
}

impl Operator {
    pub(crate) const ALL: [Self; 16] = [
        Self::Or,
        Self::And,
        Self::Equal,
        Self::Unequal,
        Self::Less,
        Self::LessEqual,
        Self::Greater,
        Self::GreaterEqual,
        Self::In,
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::Divide,
        Self::DivideFloor,
        Self::Remainder,
        Self::Power,
    ];

    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Or => "or",
            Self::And => "and",
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::In => "in",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::DivideFloor => "//",
            Self::Remainder => "%",
            Self::Power => "**",
        }
    }

    pub(crate) fn binding(self) -> u8 {
        match self {
            Self::Or => binding::OR,
            Self::And => binding::AND,
            Self::Add | Self::Subtract => binding::ADD,
            Self::Multiply | Self::Divide | Self::DivideFloor | Self::Remainder => binding::MULTIPLY,
            Self::Power => binding::POWER,
            _ => binding::COMPARE,
        }
    }

    pub(crate) fn compares(self) -> bool {
        self.binding() == binding::COMPARE
    }
}

impl Node {
    fn binding(&self) -> u8 {
        match &self.kind {
            Kind::Binary(operator, ..) => operator.binding(),
            Kind::Where(..) => binding::WHERE,
            Kind::Not(_) => binding::NOT,
            Kind::Negate(_) => binding::NEGATE,
            Kind::Call(Call { form: Form::Piped, .. }) => binding::PIPE,
            // Behind `GB/s` a dot or bracket would make `s` a name.
            Kind::Number(_, unit) if unit.symbol.contains('/') => binding::POWER,
            _ => binding::POSTFIX,
        }
    }

    /// Writes the part, in parentheses where it binds less tightly than `least`.
    fn write(&self, f: &mut fmt::Formatter<'_>, least: u8) -> fmt::Result {
        if self.binding() < least {
            f.write_char('(')?;
            self.write(f, 0)?;
            return f.write_char(')');
        }
        match &self.kind {
            Kind::Number(amount, unit) => {
                write_decimal(f, *amount)?;
                match unit.symbol.as_ref() {
                    "" => Ok(()),
                    symbol @ ("%" | "×") => f.write_str(symbol),
                    symbol => write!(f, " {symbol}"),
                }
            }
            Kind::Text(text) => write_text(f, text),
            Kind::Truth(truth) => write!(f, "{truth}"),
            Kind::Name(name) => f.write_str(name),
            Kind::Member(on, name) => {
                on.write(f, binding::POSTFIX)?;
                if is_plain_name(name) {
                    return write!(f, ".{name}");
                }
                f.write_char('[')?;
                write_text(f, name)?;
                f.write_char(']')
            }
            Kind::Call(call) => call.write(f),
            Kind::Negate(part) => {
                f.write_char('-')?;
                part.write(f, binding::NEGATE)
            }
            Kind::Not(part) => {
                f.write_str("not ")?;
                part.write(f, binding::NOT)
            }
            Kind::Binary(operator, left, right) => {
                let own = operator.binding();
                // A power takes its right side with a sign, and leans right; comparisons don't chain.
                let (on_left, on_right) = match operator {
                    Operator::Power => (binding::POSTFIX, binding::NEGATE),
                    operator if operator.compares() => (own + 1, own + 1),
                    _ => (own, own + 1),
                };
                left.write(f, on_left)?;
                write!(f, " {} ", operator.symbol())?;
                right.write(f, on_right)
            }
            Kind::Where(rows, predicate) => {
                rows.write(f, binding::WHERE)?;
                f.write_str(" where ")?;
                predicate.write(f, binding::OR)
            }
        }
    }

    /// Calls `visit` for this part and all parts in it, with whether the part stands in a predicate over rows.
    pub(crate) fn walk(&self, in_predicate: bool, visit: &mut impl FnMut(&Node, bool)) {
        visit(self, in_predicate);
        match &self.kind {
            Kind::Number(..) | Kind::Text(_) | Kind::Truth(_) | Kind::Name(_) => {}
            Kind::Member(part, _) | Kind::Negate(part) | Kind::Not(part) => part.walk(in_predicate, visit),
            Kind::Call(call) => {
                let predicate = call.predicate();
                for (index, argument) in call.arguments.iter().enumerate() {
                    argument.value.walk(in_predicate || predicate == Some(index), visit);
                }
            }
            Kind::Binary(_, left, right) => {
                left.walk(in_predicate, visit);
                right.walk(in_predicate, visit);
            }
            Kind::Where(rows, predicate) => {
                rows.walk(in_predicate, visit);
                predicate.walk(true, visit);
            }
        }
    }
}

/// Functions whose last argument is a condition over each of the rows.
pub(crate) const QUANTIFIERS: [&str; 4] = ["all", "any", "none", "from"];

impl Call {
    /// Which argument is a condition over rows.
    pub(crate) fn predicate(&self) -> Option<usize> {
        if QUANTIFIERS.contains(&self.name.as_str()) { self.arguments.len().checked_sub(1) } else { None }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skip = usize::from(self.form != Form::Plain);
        if let (Some(first), true) = (self.arguments.first(), skip == 1) {
            let piped = self.form == Form::Piped;
            first.value.write(f, if piped { binding::PIPE } else { binding::POSTFIX })?;
            f.write_str(if piped { " | " } else { "." })?;
        }
        f.write_str(&self.name)?;
        if self.form == Form::Piped && self.arguments.len() == 1 {
            return Ok(());
        }
        f.write_char('(')?;
        for (index, argument) in self.arguments.iter().skip(skip).enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            if let Some(name) = &argument.name {
                write!(f, "{name} = ")?;
            }
            argument.value.write(f, 0)?;
        }
        f.write_char(')')
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

/// How a column of a row is written.
pub(crate) fn cell_text(label: &str, column: &str) -> String {
    let node = |kind| Node { kind, start: 0, end: 0 };
    let label = Argument { name: None, value: node(Kind::Text(label.to_owned())) };
    let row = node(Kind::Call(Call { name: "row".to_owned(), form: Form::Plain, arguments: vec![label] }));
    node(Kind::Member(Box::new(row), column.to_owned())).to_string()
}

fn is_plain_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !super::token::KEYWORDS.contains(&name)
}

fn write_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    // The language has no escapes: a text never holds the quote it was written with.
    let quote = if text.contains('\'') { '"' } else { '\'' };
    write!(f, "{quote}{text}{quote}")
}

/// A literal's amount; it came from decimal digits, so that some number of places is enough.
fn write_decimal(f: &mut fmt::Formatter<'_>, amount: Rational) -> fmt::Result {
    let (numerator, denominator) = (*amount.numer(), *amount.denom());
    for places in 0..=38_u32 {
        let power = 10_i128.pow(places);
        if power % denominator == 0
            && let Some(digits) = numerator.checked_mul(power / denominator)
        {
            let places = places as usize;
            let digits = format!("{digits:0>width$}", width = places + 1);
            let (whole, fraction) = digits.split_at(digits.len() - places);
            return if fraction.is_empty() { f.write_str(whole) } else { write!(f, "{whole}.{fraction}") };
        }
    }
    write!(f, "{numerator} / {denominator}")
}
