//! The small nouns that every stage speaks in: places, problems, digests, names, quantities, statistics, tokens.
//!
//! Turns nothing into anything by itself. Must not know what a lesson, a sweep or a record is.

pub mod cuda;
pub mod digest;
pub mod last;
pub mod leaf;
pub mod memo;
pub mod name;
pub mod path;
pub mod pattern;
pub mod problem;
pub mod quantity;
pub mod row;
pub mod sass;
pub mod series;
pub mod share;
pub mod slice;
pub mod span;
pub mod stamp;
pub mod statistics;
