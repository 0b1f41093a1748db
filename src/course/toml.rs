//! Turns a TOML text of the author's into values that know where they stand, and its mistakes into problems.
//!
//! Must not know which keys a file may have; readers ask for keys, and what nobody asked for is reported.

use std::collections::BTreeMap;

use crate::base::slice::Slice;
use crate::base::span::Span;

/// A TOML value that knows its place.
#[derive(Debug, Clone)]
pub struct Item {
    /// The value.
    pub value: Value,
    /// Where the value stands.
    pub at: Span,
}

/// A TOML value.
#[derive(Debug, Clone)]
pub enum Value {
    /// A string, with the place of each byte (escapes taken into account), so that an expression in it can be pointed at.
    Text(Slice),
    /// An integer.
    Integer(i64),
    /// A float, as written.
    Float(String),
    /// A truth value.
    Truth(bool),
    /// A date or time, as written.
    Date(String),
    /// An array.
    Array(Vec<Item>),
    /// A table.
    Table(Table),
}

/// A TOML table in the author's order.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// Keys with their places and values, in the author's order.
    pub entries: Vec<(String, Span, Item)>,
    /// Which entry a key is.
    pub index: BTreeMap<String, usize>,
}
