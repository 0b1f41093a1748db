//! Turns the names of series into SVG: beside their last points where there is room, else in rows above the picture.
//!
//! Must not know what the series are. A name stands behind the mark of its points, so that it is found without colours too.

use std::fmt::Write as _;

use crate::pages::html::{escape, in_its_direction};

use super::draw::{Frame, shape};
use super::marks::{ROW, width as wide};
use super::{Kind, Plot, Series};

/// Room for the mark before a name.
const SWATCH: f64 = 15.0;

/// Between the picture and the names beside it, and between names in a row.
const GAP: f64 = 12.0;

/// The share of a drawing's width that names beside the picture may take.
const SHARE: f64 = 0.27;

/// Where the names of a plot's series go, and the room that they take.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Names {
    /// A single series needs none.
    None,
    /// Beside the last points, in so much room.
    Beside {
        /// Room at the right.
        right: f64,
        /// Rows above the picture that what the names count takes: none where it fits behind the axis's title.
        rows: usize,
    },
    /// In rows above the picture: where each name stands, and in which row.
    Above(Vec<(f64, usize)>),
}

impl Names {
    /// The names of `plot` in a drawing of the width `width`, whose vertical axis is called `title`.
    pub(super) fn of(plot: &Plot, title: &str, width: f64) -> Self {
        if plot.series.len() < 2 {
            return Self::None;
        }
        let longest = plot.series.iter().map(|series| wide(&series.name)).fold(0.0, f64::max);
        let right = longest + SWATCH + GAP;
        if right <= width * SHARE {
            let collide = !plot.series_title.is_empty() && wide(title) + wide(&plot.series_title) + 2.0 * GAP > width;
            return Self::Beside { right, rows: usize::from(collide) };
        }
        let (mut x, mut row) = (if plot.series_title.is_empty() { 0.0 } else { wide(&plot.series_title) + GAP }, 0);
        let place = |series: &Series| {
            let room = SWATCH + wide(&series.name);
            if x > 0.0 && x + room > width {
                (x, row) = (0.0, row + 1);
            }
            let place = (x, row);
            x += room + GAP;
            place
        };
        Self::Above(plot.series.iter().map(place).collect())
    }

    /// Rows that they take above the picture.
    pub(super) fn rows(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Beside { rows, .. } => *rows,
            Self::Above(places) => places.last().map_or(0, |(_, row)| row + 1),
        }
    }

    /// Room that they take at the right.
    pub(super) fn right(&self) -> f64 {
        if let Self::Beside { right, .. } = self { *right } else { 14.0 }
    }

    /// The names, and what they count, in a drawing of the width `width`.
    pub(super) fn draw(&self, svg: &mut String, plot: &Plot, frame: &Frame, width: f64) {
        let title = |svg: &mut String, x: f64, y: f64, anchor: &str| {
            if !plot.series_title.is_empty() {
                let words = escape(&in_its_direction(&plot.series_title, ""));
                let _ = writeln!(svg, "<text class=\"title\" x=\"{x:.1}\" y=\"{y:.1}\"{anchor}>{words}</text>");
            }
        };
        match self {
            Self::None => {}
            Self::Beside { rows, .. } => {
                title(svg, width, 14.0 + ROW * *rows as f64, " text-anchor=\"end\"");
                for (index, y) in apart(plot, frame).into_iter().enumerate() {
                    name(svg, plot, index, frame.left + frame.width + GAP, y);
                }
            }
            Self::Above(places) => {
                title(svg, 0.0, 14.0 + ROW, "");
                for (index, (x, row)) in places.iter().enumerate() {
                    name(svg, plot, index, *x, 9.5 + ROW * (*row + 1) as f64);
                }
            }
        }
    }
}

/// How high the name of each series stands: beside its last point, pushed apart where they would touch, within the picture.
fn apart(plot: &Plot, frame: &Frame) -> Vec<f64> {
    let last = |series: &Series| series.points.last().map_or(frame.bottom(), |point| frame.y(point.y));
    let mut places: Vec<(f64, usize)> = plot.series.iter().enumerate().map(|(index, series)| (last(series), index)).collect();
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut floor = f64::NEG_INFINITY;
    for (y, _) in &mut places {
        *y = y.max(floor);
        floor = *y + ROW;
    }
    let mut ceiling = frame.bottom();
    for (y, _) in places.iter_mut().rev() {
        *y = y.min(ceiling);
        ceiling = *y - ROW;
    }
    places.sort_by_key(|(_, index)| *index);
    places.into_iter().map(|(y, _)| y).collect()
}

/// The name of the series `index` and its mark, which stands at `x` and `y`.
fn name(svg: &mut String, plot: &Plot, index: usize, x: f64, y: f64) {
    let class = index % 6;
    let _ = write!(svg, "<g class=\"series s{class}\">");
    match plot.kind {
        Kind::Bar => drop(write!(svg, "<rect class=\"bar\" x=\"{:.1}\" y=\"{:.1}\" width=\"9\" height=\"9\"/>", x, y - 4.5)),
        Kind::Dots => drop(write!(svg, "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"3\"/>", x + 4.5)),
        Kind::Line | Kind::Step | Kind::Scatter => shape(svg, index, x + 4.5, y),
    }
    let words = escape(&in_its_direction(&plot.series[index].name, ""));
    let _ = writeln!(svg, "<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\">{words}</text></g>", x + SWATCH, y + 4.5);
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Spacing};
    use super::*;

    fn plot(names: &[&str], title: &str) -> Plot {
        let axis = || Axis { title: "GB/s".into(), unit: String::new(), beside: String::new(), spacing: Spacing::Linear };
        let series = names.iter().map(|name| Series { name: (*name).into(), points: Vec::new(), absent: Vec::new() });
        Plot {
            kind: Kind::Line,
            x: axis(),
            y: axis(),
            series: series.collect(),
            series_title: title.into(),
            marks: Vec::new(),
            categories: Vec::new(),
            title: String::new(),
            description: String::new(),
        }
    }

    #[test]
    fn short_names_stand_beside_the_points_and_long_ones_above_in_as_few_rows_as_hold_them() {
        let long = ["an eighth of the warps", "all of the warps"];
        let cases: [(&[&str], &str, f64, usize, bool); 6] = [
            (&["1"], "items", 330.0, 0, false),
            (&["1", "2"], "items", 330.0, 0, true),
            // What they count has no room behind the axis's title.
            (&["1", "2"], "what a thread asks for before it waits", 330.0, 1, true),
            (&long, "", 720.0, 0, true),
            (&long, "", 330.0, 1, false),
            (&long, "a title", 330.0, 2, false),
        ];
        for (names, title, width, rows, beside) in cases {
            let names = Names::of(&plot(names, title), "GB/s", width);
            assert_eq!((names.rows(), matches!(names, Names::Beside { .. })), (rows, beside), "{title} {width}: {names:?}");
        }
    }

    #[test]
    fn names_never_touch_and_stay_within_the_picture() {
        let svg = super::super::draw(&plot(&["a", "b", "c", "d"], ""), (330.0, 300.0), "n", "narrow");
        let heights =
            svg.split("class=\"name\"").skip(1).filter_map(|text| text.split("y=\"").nth(1)?.split('"').next()?.parse::<f64>().ok());
        let mut heights: Vec<f64> = heights.collect();
        heights.sort_by(f64::total_cmp);
        assert_eq!(heights.len(), 4);
        assert!(
            heights.windows(2).all(|pair| pair[1] - pair[0] >= ROW - 0.2) && heights.iter().all(|y| (0.0..300.0).contains(y)),
            "{heights:?}"
        );
    }
}
