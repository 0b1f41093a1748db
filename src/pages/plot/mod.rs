//! Turns points with intervals into a drawing: static SVG, coloured by the page's style sheet, the same bytes everywhere.
//!
//! Must not know rows, sweeps or units' arithmetic: numbers and words come in ready.

#[cfg(test)]
mod colours;
mod draw;
mod marks;
mod names;
mod scale;

pub(crate) use self::draw::draw;
pub(crate) use self::scale::Spacing;

/// Width and height of a drawing on a page with room for it.
pub(crate) const WIDE: (f64, f64) = (720.0, 360.0);

/// The same on a phone: about as many units as it has pixels, so that letters keep their size.
pub(crate) const NARROW: (f64, f64) = (330.0, 290.0);

/// A chart, ready to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plot {
    /// How points are joined.
    pub kind: Kind,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The series; one needs no name.
    pub series: Vec<Series>,
    /// What their names count or tell, as a heading over them; may be empty.
    pub series_title: String,
    /// Lines to read them by.
    pub marks: Vec<Mark>,
    /// Names of the places on a horizontal axis of categories, in order; a point's `x` is an index into them.
    pub categories: Vec<String>,
    /// What the drawing is called, for those who can't see it.
    pub title: String,
    /// What it shows, for those who can't see it.
    pub description: String,
}

/// How points are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Points joined in the order of x.
    Line,
    /// Points joined by steps: each value holds until the next.
    Step,
    /// Bars from zero.
    Bar,
    /// Points alone.
    Scatter,
    /// Points alone and small, for where there are many.
    Dots,
}

/// One axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    /// Its words, without the unit.
    pub title: String,
    /// Its unit's symbol; empty for a bare number.
    pub unit: String,
    /// The unit as it is written beside the title; empty where the title says it.
    pub beside: String,
    /// How numbers are spaced along it.
    pub spacing: Spacing,
}

/// The axis that a value lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Along {
    /// The horizontal one: its line stands upright.
    X,
    /// The vertical one.
    Y,
}

/// A line across the picture at a value that no row measured.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mark {
    /// The axis of its value.
    pub along: Along,
    /// The value, in the axis's unit.
    pub at: f64,
    /// What is written at the line.
    pub name: String,
}

/// Points that belong together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Series {
    /// Its name, drawn beside its last point.
    pub name: String,
    /// Its points, by x.
    pub points: Vec<Point>,
    /// Where on x a row has no value, and why.
    pub absent: Vec<(f64, String)>,
}

/// One measured row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Point {
    /// Where on x, in the axis's unit, or the index of its category.
    pub x: f64,
    /// Its value, in the axis's unit.
    pub y: f64,
    /// The interval that holds the mean of the rounds with 99 % confidence.
    pub interval: Option<(f64, f64)>,
    /// Least and most of the rounds.
    pub range: Option<(f64, f64)>,
    /// The row, its value and spread in words.
    pub words: String,
}
