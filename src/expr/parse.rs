//! Turns tokens into a tree, by operator precedence.
//!
//! Must not know what any name means. Functions are a closed list, so that a slip there is one of spelling.

use super::figure::FORMATTERS;
use super::functions;
use super::problems;
use super::token::{Fault, Placed, Token, tokens};
use super::tree::{Argument, Call, Form, Kind, Node, Operator, binding};

/// How deep an expression may nest, chains of operators included.
const DEEPEST: usize = 64;

/// How deep conditions over rows may lie in one another: each looks at all rows for each row of the one around it.
const DEEPEST_CONDITION: usize = 3;

/// The tree of `text`.
pub(crate) fn parse(text: &str) -> Result<Node, Fault> {
    let node = whole(text)?;
    match condition_too_deep(&node, 0) {
        Some((start, end)) => Err(Fault::syntax(start, end, format!("conditions over rows are nested more than {DEEPEST_CONDITION} deep"))
            .hint("give parts of it names, as columns of the sweep")),
        None => Ok(node),
    }
}

/// Where the first condition over rows lies that is in more than the deepest.
fn condition_too_deep(node: &Node, depth: usize) -> Option<(usize, usize)> {
    if depth > DEEPEST_CONDITION {
        return Some((node.start, node.end));
    }
    match &node.kind {
        Kind::Number(..) | Kind::Text(_) | Kind::Truth(_) | Kind::Name(_) => None,
        Kind::Member(part, _) | Kind::Negate(part) | Kind::Not(part) => condition_too_deep(part, depth),
        Kind::Binary(_, left, right) => condition_too_deep(left, depth).or_else(|| condition_too_deep(right, depth)),
        Kind::Where(rows, condition) => condition_too_deep(rows, depth).or_else(|| condition_too_deep(condition, depth + 1)),
        Kind::Call(call) => {
            let predicate = call.predicate();
            let deeper = |index| depth + usize::from(predicate == Some(index));
            call.arguments.iter().enumerate().find_map(|(index, argument)| condition_too_deep(&argument.value, deeper(index)))
        }
    }
}

pub(crate) fn whole(text: &str) -> Result<Node, Fault> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0 };
    if parser.peek().token == Token::End {
        return Err(Fault::syntax(0, text.len(), "the expression is empty"));
    }
    let (node, _) = parser.expression(0, 0)?;
    match parser.peek() {
        Placed { token: Token::End, .. } => Ok(node),
        extra => Err(parser.unexpected(&extra.clone(), "an operator or the end")),
    }
}

struct Parser {
    tokens: Vec<Placed>,
    at: usize,
}

/// A node and how deep it is.
type Deep = (Node, usize);

impl Parser {
    fn peek(&self) -> &Placed {
        // The last token is the end, and nothing steps over it.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Placed {
        let placed = self.peek().clone();
        self.at += 1;
        placed
    }

    fn takes(&mut self, mark: &str) -> bool {
        let is_it = matches!(self.peek().token, Token::Mark(found) if found == mark);
        self.at += usize::from(is_it);
        is_it
    }

    fn previous_end(&self) -> usize {
        self.tokens.get(self.at.wrapping_sub(1)).map_or(0, |placed| placed.end)
    }

    fn needs(&mut self, mark: &'static str, opened: usize) -> Result<(), Fault> {
        if self.takes(mark) {
            return Ok(());
        }
        let found = self.peek().clone();
        let fault = self.unexpected(&found, &format!("`{mark}`"));
        Err(if found.token == Token::End { Fault { start: opened, end: opened + 1, ..fault } } else { fault })
    }

    fn unexpected(&self, found: &Placed, wanted: &str) -> Fault {
        let what = match &found.token {
            Token::End => "the expression ends".to_owned(),
            Token::Mark(mark) => format!("`{mark}` stands"),
            Token::Name(name) => format!("the name `{name}` stands"),
            Token::Number(..) => "a number stands".to_owned(),
            Token::Text(_) => "a text stands".to_owned(),
        };
        let fault = Fault::syntax(found.start, found.end, format!("{what} where {wanted} is needed"));
        let after_percent = self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).is_some_and(|before| {
            matches!(&before.token, Token::Number(_, unit) if &*unit.symbol == "%") && !matches!(found.token, Token::End | Token::Mark(_))
        });
        match found.token {
            _ if after_percent => fault.hint("the remainder is written with spaces: `a % b`; without, `5%` is a number"),
            Token::Mark("=") => fault.hint("equality is `==`"),
            _ => fault,
        }
    }

    fn deeper(depth: usize, node: &Node) -> Result<usize, Fault> {
        if depth < DEEPEST {
            return Ok(depth + 1);
        }
        Err(Fault::syntax(node.start, node.end.max(node.start), format!("the expression is nested more than {DEEPEST} deep"))
            .hint("give parts of it names, as columns of the sweep"))
    }

    /// An expression whose operators all bind at least as tightly as `least`; `nesting` counts the way in, the depth in
    /// the result the way down.
    fn expression(&mut self, least: u8, nesting: usize) -> Result<Deep, Fault> {
        if nesting >= DEEPEST {
            let found = self.peek();
            return Err(Fault::syntax(found.start, found.end, format!("the expression is nested more than {DEEPEST} deep")));
        }
        let mut left = self.prefix(least, nesting + 1)?;
        loop {
            let found = self.peek().clone();
            let Token::Mark(mark) = found.token else { return Ok(left) };
            let operator = Operator::ALL.into_iter().find(|operator| operator.symbol() == mark);
            left = match (mark, operator) {
                ("|", _) if binding::PIPE >= least => self.piped(left, nesting + 1)?,
                ("where", _) if binding::WHERE >= least => {
                    self.at += 1;
                    let right = self.expression(binding::OR, nesting + 1)?;
                    Self::joined(left, right, Kind::Where)?
                }
                (_, Some(operator)) if operator.binding() >= least => self.binary(left, operator, nesting + 1)?,
                _ => return Ok(left),
            };
        }
    }

    fn joined(left: Deep, right: Deep, kind: impl FnOnce(Box<Node>, Box<Node>) -> Kind) -> Result<Deep, Fault> {
        let (start, end) = (left.0.start, right.0.end);
        let depth = left.1.max(right.1);
        let node = Node { kind: kind(Box::new(left.0), Box::new(right.0)), start, end };
        let depth = Self::deeper(depth, &node)?;
        Ok((node, depth))
    }

    fn binary(&mut self, left: Deep, operator: Operator, nesting: usize) -> Result<Deep, Fault> {
        let at = self.next();
        let own = operator.binding();
        // In parentheses a comparison starts before its left side does.
        let chains = |node: &Node| matches!(&node.kind, Kind::Binary(before, first, _) if before.compares() && first.start == node.start);
        if operator.compares() && chains(&left.0) {
            return Err(Fault::syntax(at.start, at.end, "comparisons don't chain").hint("write `a < b and b < c`"));
        }
        let right = self.expression(if operator == Operator::Power { binding::NEGATE } else { own + 1 }, nesting)?;
        Self::joined(left, right, |left, right| Kind::Binary(operator, left, right))
    }

    fn piped(&mut self, left: Deep, nesting: usize) -> Result<Deep, Fault> {
        self.at += 1;
        let found = self.next();
        let Token::Name(name) = &found.token else {
            self.at -= 1;
            return Err(self.unexpected(&found, "a formatter such as `fixed(3)`"));
        };
        if !functions::exists(name) && !FORMATTERS.contains(&name.as_str()) {
            return Err(problems::no_name(found.start, found.end, "formatter", name, FORMATTERS));
        }
        let start = left.0.start;
        let (mut arguments, mut depth) = (vec![Argument { name: None, value: left.0 }], left.1);
        if let Placed { token: Token::Mark("("), start: opened, .. } = *self.peek() {
            self.at += 1;
            depth = depth.max(self.arguments(opened, &mut arguments, nesting)?);
        }
        let node = Node { kind: Kind::Call(Call { name: name.clone(), form: Form::Piped, arguments }), start, end: self.previous_end() };
        let depth = Self::deeper(depth, &node)?;
        Ok((node, depth))
    }

    fn prefix(&mut self, least: u8, nesting: usize) -> Result<Deep, Fault> {
        let found = self.peek().clone();
        let (kind, own): (fn(Box<Node>) -> Kind, u8) = match found.token {
            Token::Mark("-") => (Kind::Negate, binding::NEGATE),
            Token::Mark("not") if least <= binding::NOT => (Kind::Not, binding::NOT),
            Token::Mark("not") => {
                return Err(Fault::syntax(found.start, found.end, "`not` binds less tightly than what stands before it")
                    .hint("put parentheses around `not …`"));
            }
            _ => return self.postfix(nesting),
        };
        self.at += 1;
        let (part, depth) = self.expression(own, nesting)?;
        let node = Node { start: found.start, end: part.end, kind: kind(Box::new(part)) };
        let depth = Self::deeper(depth, &node)?;
        Ok((node, depth))
    }

    fn postfix(&mut self, nesting: usize) -> Result<Deep, Fault> {
        let (mut node, mut depth) = self.primary(nesting)?;
        loop {
            let start = node.start;
            let opened = self.peek().start;
            let kind = if self.takes(".") {
                let found = self.next();
                let Token::Name(name) = found.token.clone() else {
                    self.at -= 1;
                    return Err(self.unexpected(&found, "a column's name").hint("columns with odd names are written `[\"GB/s\"]`"));
                };
                if matches!(self.peek().token, Token::Mark("(")) {
                    functions::known(&found, &name)?;
                    let opened = self.next().start;
                    let mut arguments = vec![Argument { name: None, value: node }];
                    depth = depth.max(self.arguments(opened, &mut arguments, nesting)?);
                    Kind::Call(Call { name, form: Form::Method, arguments })
                } else {
                    Kind::Member(Box::new(node), name)
                }
            } else if self.takes("[") {
                let found = self.next();
                let Token::Text(name) = found.token.clone() else {
                    self.at -= 1;
                    return Err(self.unexpected(&found, "a column's name in quotes"));
                };
                self.needs("]", opened)?;
                Kind::Member(Box::new(node), name)
            } else {
                return Ok((node, depth));
            };
            node = Node { kind, start, end: self.previous_end() };
            depth = Self::deeper(depth, &node)?;
        }
    }

    fn primary(&mut self, nesting: usize) -> Result<Deep, Fault> {
        let found = self.next();
        let kind = match found.token.clone() {
            Token::Number(amount, unit) => Kind::Number(amount, unit),
            Token::Text(text) => Kind::Text(text),
            Token::Mark("true") => Kind::Truth(true),
            Token::Mark("false") => Kind::Truth(false),
            Token::Name(name) => {
                let Placed { token: Token::Mark("("), start: opened, .. } = *self.peek() else {
                    return Ok((Node { kind: Kind::Name(name), start: found.start, end: found.end }, 1));
                };
                functions::known(&found, &name)?;
                self.at += 1;
                let mut arguments = Vec::new();
                let depth = self.arguments(opened, &mut arguments, nesting)?;
                let node =
                    Node { kind: Kind::Call(Call { name, form: Form::Plain, arguments }), start: found.start, end: self.previous_end() };
                let depth = Self::deeper(depth, &node)?;
                return Ok((node, depth));
            }
            Token::Mark("(") => {
                let (node, depth) = self.expression(0, nesting)?;
                self.needs(")", found.start)?;
                return Ok((Node { start: found.start, end: self.previous_end(), ..node }, depth));
            }
            _ => {
                self.at -= 1;
                return Err(self.unexpected(&found, "a value"));
            }
        };
        Ok((Node { kind, start: found.start, end: found.end }, 1))
    }

    /// The arguments up to the closing parenthesis, added to `arguments`; the depth of the deepest.
    fn arguments(&mut self, opened: usize, arguments: &mut Vec<Argument>, nesting: usize) -> Result<usize, Fault> {
        let mut deepest = 0;
        while !self.takes(")") {
            let named = matches!(
                (&self.peek().token, self.tokens.get(self.at + 1)),
                (Token::Name(_), Some(Placed { token: Token::Mark("="), .. }))
            );
            let name = if named {
                let Token::Name(name) = self.next().token else { return Ok(deepest) };
                self.at += 1;
                Some(name)
            } else {
                None
            };
            let (value, depth) = self.expression(0, nesting)?;
            deepest = deepest.max(depth);
            arguments.push(Argument { name, value });
            if !self.takes(",") {
                self.needs(")", opened)?;
                break;
            }
        }
        Ok(deepest)
    }
}
