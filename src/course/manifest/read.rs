//! Turns `[read]` of a manifest into figures that are read back from buffers.
//!
//! Must not know values, nor whether the buffers are there.

use std::collections::BTreeMap;

use crate::base::problem::{Problem, Problems};
use crate::base::quantity::Unit;
use crate::base::span::Span;
use crate::course::keys::{Keys, unexpected};
use crate::course::sweep::Take;
use crate::course::toml::Value;
use crate::expr::Expr;

use super::{one_of, take_name, unit};

/// A figure that is read back from a buffer after each sample.
#[derive(Debug, Clone)]
pub struct ReadSpec {
    /// The column that it makes.
    pub name: String,
    /// Where it stands.
    pub at: Span,
    /// The buffer, and where it is named.
    pub buffer: (String, Span),
    /// What is taken of it.
    pub take: TakeSpec,
    /// What the integer is divided by, a plain number over the constants and the row's values.
    pub per: Option<Expr>,
    /// The unit of the integer.
    pub unit: Option<Unit>,
    /// The column's heading on pages; by default its name.
    pub title: Option<String>,
    /// Words that explain it.
    pub about: Option<String>,
}

/// What is taken of a buffer that is read back.
#[derive(Debug, Clone)]
pub enum TakeSpec {
    /// The element of this index, over the constants and the row's values.
    At(Expr),
    /// The first element, or one of all.
    Of(Take),
}

/// The figures, in order. Each takes a name, as a constant does.
pub(super) fn reads(keys: &mut Keys<'_>, names: &mut BTreeMap<String, Span>, problems: &mut Problems) -> Vec<ReadSpec> {
    let mut reads = Vec::new();
    let Some(mut table) = keys.table("read", "`[read]`", problems) else { return reads };
    for (name, at, item) in table.all() {
        take_name(name, at, names, problems);
        let Value::Table(fields) = &item.value else {
            problems.push(unexpected(item, &format!("a table for `{name}`: {{ buffer = \"…\", at = 0, per = \"…\", unit = \"…\" }}")));
            continue;
        };
        let mut fields = Keys::of(fields, "a figure that is read back", at.clone());
        let buffer = fields.text("buffer", problems);
        let buffer = fields.required("buffer", buffer, problems);
        let take = take(&mut fields, problems);
        let (per, unit) = (fields.expr("per", problems), unit(&mut fields, problems));
        let (title, about) = (fields.string("title", problems), fields.string("about", problems));
        fields.finish(problems);
        if let (Some(buffer), Some(take)) = (buffer, take) {
            let buffer = (buffer.text().to_owned(), buffer.whole());
            reads.push(ReadSpec { name: name.to_owned(), at: at.clone(), buffer, take, per, unit, title, about });
        }
    }
    reads
}

fn take(fields: &mut Keys<'_>, problems: &mut Problems) -> Option<TakeSpec> {
    match (fields.entry("at").map(|(at, _)| at.clone()), fields.item("take").is_some()) {
        (Some(at), true) => {
            problems.push(Problem::error("manifest-value", at, "a figure is one element, `at`, or one of all, `take`, not both"));
            None
        }
        (Some(_), false) => fields.expr("at", problems).map(TakeSpec::At),
        (None, true) => one_of(fields, "take", &Take::WORDS, Take::name, problems).map(TakeSpec::Of),
        (None, false) => Some(TakeSpec::Of(Take::At(0))),
    }
}
