//! Turns reference lines into SVG: where each runs, and where its name has room.
//!
//! Must not know what they stand for. Names of upright lines stand above the picture, where no point is; names of level lines
//! stand on them, at the end where there is more room.

use std::fmt::Write as _;

use crate::pages::html::escape;

use super::draw::{CHARACTER, Frame};
use super::{Along, Mark, Plot};

/// Height of a row of names above the picture.
pub(super) const ROW: f64 = 17.0;

/// Between a line and its name.
const GAP: f64 = 5.0;

/// The name of an upright line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Above {
    /// Where the line stands.
    x: f64,
    /// Which row of names it is in; 0 is next to the picture.
    row: usize,
    /// Whether it stands before its line, for want of room behind it.
    before: bool,
    /// How far it is moved back across its line, where neither side has room for it.
    moved: f64,
    name: String,
}

/// The names of upright lines at the places that `x` gives them, in as few rows as keep them apart; nothing passes `right`.
pub(super) fn above(marks: &[Mark], x: impl Fn(f64) -> f64, right: f64) -> Vec<Above> {
    let mut lines: Vec<(f64, &Mark)> = marks.iter().filter(|mark| mark.along == Along::X).map(|mark| (x(mark.at), mark)).collect();
    // From the last one on: a name behind its line then never crosses the line of one below it.
    lines.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut taken: Vec<(f64, f64, usize)> = Vec::new();
    let name = |(x, mark): (f64, &Mark)| {
        let width = width(&mark.name) + GAP;
        let before = x + width > right && x - width >= 0.0;
        // As far as the picture's left edge, where even the whole picture is too narrow.
        let moved = if before { 0.0 } else { (x + width - right).clamp(0.0, x.max(0.0)) };
        let (from, to) = if before { (x - width, x + 1.0) } else { (x - 1.0 - moved, x + width - moved) };
        let touched = taken.iter().filter(|(start, end, _)| from < end + 4.0 && *start < to + 4.0);
        let row = touched.map(|(_, _, row)| row + 1).max().unwrap_or(0);
        taken.push((from, to, row));
        Above { x, row, before, moved, name: mark.name.clone() }
    };
    lines.into_iter().map(name).collect()
}

/// How many rows `names` take.
pub(super) fn rows(names: &[Above]) -> usize {
    names.iter().map(|name| name.row + 1).max().unwrap_or(0)
}

/// The lines, to be drawn below all that was measured.
pub(super) fn lines(svg: &mut String, plot: &Plot, frame: &Frame) {
    for name in &frame.above {
        let top = frame.top - 12.0 - ROW * name.row as f64;
        let _ = writeln!(svg, "<path class=\"reference\" d=\"M{:.1} {top:.1}V{:.1}\"/>", name.x, frame.bottom());
    }
    for mark in level(plot) {
        let (y, right) = (frame.y(mark.at), frame.left + frame.width);
        let _ = writeln!(svg, "<path class=\"reference\" d=\"M{:.1} {y:.1}H{right:.1}\"/>", frame.left);
    }
}

/// Their names, to be drawn above all else.
pub(super) fn names(svg: &mut String, plot: &Plot, frame: &Frame) {
    let mut text = |x: f64, y: f64, anchor: &str, name: &str| {
        let _ = writeln!(
            svg,
            "<text class=\"reference-name\" x=\"{x:.1}\" y=\"{y:.1}\"{}>{}</text>",
            if anchor == "end" { " text-anchor=\"end\"" } else { "" },
            escape(name)
        );
    };
    for name in &frame.above {
        let (x, anchor) = if name.before { (name.x - GAP, "end") } else { (name.x + GAP - name.moved, "start") };
        text(x, frame.top - 5.0 - ROW * name.row as f64, anchor, &name.name);
    }
    for mark in level(plot) {
        let (y, width) = (frame.y(mark.at) - GAP, width(&mark.name));
        let (left, right) = (frame.left + GAP, frame.left + frame.width - GAP);
        if room(plot, frame, right - width, y) > room(plot, frame, left, y) {
            text(right, y, "end", &mark.name);
        } else {
            text(left, y, "start", &mark.name);
        }
    }
}

fn level(plot: &Plot) -> impl Iterator<Item = &Mark> {
    plot.marks.iter().filter(|mark| mark.along == Along::Y)
}

/// How far above or below the line of text at `y` the next point is, of those over a name that begins at `from`.
fn room(plot: &Plot, frame: &Frame, from: f64, y: f64) -> f64 {
    const NEAR: f64 = 130.0;
    let points = plot.series.iter().flat_map(|series| &series.points);
    let near = points.filter(|point| (from - 20.0..from + NEAR).contains(&frame.x(point.x)));
    near.map(|point| (frame.y(point.y) - (y - 5.0)).abs()).fold(f64::INFINITY, f64::min)
}

/// How wide `name` is drawn, about. What sets the direction of its parts is not seen.
pub(super) fn width(name: &str) -> f64 {
    let seen = name.chars().filter(|c| !matches!(c, '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{ad}'));
    seen.count() as f64 * CHARACTER
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(at: f64, name: &str) -> Mark {
        Mark { along: Along::X, at, name: name.into() }
    }

    #[test]
    fn names_share_a_row_where_they_have_room_and_stay_inside() {
        type Place = (f64, &'static str);
        type Expected = (usize, bool);
        // For each from the right: its row, and whether it stands before its line.
        let cases: [(&[Place], &[Expected]); 5] = [
            (&[(100.0, "L1"), (400.0, "L2")], &[(0, false), (0, false)]),
            (&[(100.0, "a name of some length"), (180.0, "L2")], &[(0, false), (1, false)]),
            (&[(100.0, "L1"), (690.0, "L2: 60 MiB")], &[(0, true), (0, false)]),
            // What is not seen takes no room.
            (&[(630.0, "\u{2066}L2\u{2069}\u{2066}: 60\u{2069}")], &[(0, false)]),
            (&[], &[]),
        ];
        for (marks, expected) in cases {
            let marks: Vec<Mark> = marks.iter().map(|&(at, name)| mark(at, name)).collect();
            let names = above(&marks, |value| value, 700.0);
            assert_eq!(names.iter().map(|name| (name.row, name.before)).collect::<Vec<_>>(), expected, "{marks:?}");
            assert_eq!(rows(&names), expected.iter().map(|(row, _)| row + 1).max().unwrap_or(0));
        }
    }

    #[test]
    fn a_name_wider_than_either_side_crosses_its_line_and_stays_in_the_picture() {
        for (at, name) in [
            (150.0, "a name of some thirty letters."),
            (20.0, "L2"),
            (290.0, "L2"),
            (150.0, "one that is wider than all of a narrow picture is"),
        ] {
            let [name] = above(&[mark(at, name)], |value| value, 300.0).try_into().expect("one name");
            let wide = width(&name.name);
            let (from, to) =
                if name.before { (name.x - GAP - wide, name.x) } else { (name.x + GAP - name.moved, name.x + GAP - name.moved + wide) };
            assert!(from >= 0.0 && (to <= 300.0 || name.moved == name.x), "{name:?}: {from} to {to}");
        }
    }
}
