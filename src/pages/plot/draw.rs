//! Turns a plot into SVG elements at a given width.
//!
//! Must not choose colours: classes are named here, colours live in the style sheet.

use std::fmt::Write as _;

use crate::pages::html::{escape, in_its_direction};

use super::marks::{self, Above};
use super::names::Names;
use super::scale::{Scale, Spacing, Tick};
use super::{Along, Axis, Kind, Mark, Plot, Point, Series};

/// Room around the plotting area and the area itself, in user units.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    height: f64,
    x: Scale,
    y: Scale,
    /// The names of upright marks, between the axis's title and the area.
    pub(super) above: Vec<Above>,
}

impl Frame {
    pub(super) fn x(&self, value: f64) -> f64 {
        self.left + self.x.place(value) * self.width
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        self.top + (1.0 - self.y.place(value)) * self.height
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// Width of a character of the axis text, on average, in user units; labels are placed by it and need not be exact.
pub(super) const CHARACTER: f64 = 7.4;

/// Draws `plot`, `width` by `height` user units; `id` is unique on the page, `class` tells the widths apart.
pub(crate) fn draw(plot: &Plot, (width, height): (f64, f64), id: &str, class: &str) -> String {
    let names = Names::of(plot, &title(&plot.y), width);
    let frame = frame(plot, &names, width, height);
    let mut svg = format!(
        "<svg class=\"plot {class}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\n\
         <title id=\"{id}-t\">{}</title>\n<desc id=\"{id}-d\">{}</desc>\n",
        escape(&plot.title),
        escape(&plot.description)
    );
    axes(&mut svg, plot, &frame, width, height);
    marks::lines(&mut svg, plot, &frame);
    let count = plot.series.len();
    for (index, series) in plot.series.iter().enumerate() {
        let _ = writeln!(svg, "<g class=\"series s{}\">", index % 6);
        match plot.kind {
            Kind::Bar => bars(&mut svg, series, &frame, (index, count), plot.categories.len()),
            Kind::Dots => series.points.iter().for_each(|point| dot(&mut svg, point, &frame)),
            Kind::Line | Kind::Step | Kind::Scatter => {
                if plot.kind != Kind::Scatter {
                    line(&mut svg, series, &frame, plot.kind == Kind::Step);
                }
                for point in &series.points {
                    mark(&mut svg, point, &frame, index);
                }
            }
        }
        for (x, why) in &series.absent {
            let (x, y) = (frame.x(*x), frame.bottom() - 7.0);
            let _ = writeln!(
                svg,
                "<g class=\"absent\"><title>{}</title><path d=\"M{:.1} {:.1}l8 8m0 -8l-8 8\"/></g>",
                escape(why),
                x - 4.0,
                y - 4.0
            );
        }
        svg.push_str("</g>\n");
    }
    marks::names(&mut svg, plot, &frame);
    names.draw(&mut svg, plot, &frame, width);
    svg.push_str("</svg>");
    svg
}

/// How much room the axes' texts and the series' names need, and the scales in what is left.
fn frame(plot: &Plot, names: &Names, width: f64, height: f64) -> Frame {
    let values = || plot.series.iter().flat_map(|series| &series.points);
    let y = values().flat_map(|point| {
        let (low, high) = point.interval.unwrap_or((point.y, point.y));
        let (least, most) = point.range.unwrap_or((point.y, point.y));
        [point.y, low, high, least, most]
    });
    let marked = |along| plot.marks.iter().filter(move |mark: &&Mark| mark.along == along).map(|mark| mark.at);
    let y = Scale::over(plot.y.spacing, y.chain(marked(Along::Y)), 5);
    let longest = y.ticks(&plot.y.unit).iter().map(|tick| tick.label.chars().count()).max().unwrap_or(1);
    let left = longest as f64 * CHARACTER + 14.0;
    let right = names.right();
    let x_ticks = ((width - left - right) / 70.0).max(2.0) as usize;
    let x = match plot.x.spacing {
        Spacing::Category => Scale::over(Spacing::Category, std::iter::once(plot.categories.len() as f64), x_ticks),
        spacing => {
            let absent = plot.series.iter().flat_map(|series| series.absent.iter().map(|(x, _)| *x));
            Scale::over(spacing, values().map(|point| point.x).chain(absent).chain(marked(Along::X)), x_ticks)
        }
    };
    let inside = width - left - right;
    let above = marks::above(&plot.marks, |value| left + x.place(value) * inside, width);
    let top = 34.0 + marks::ROW * (marks::rows(&above) + names.rows()) as f64;
    Frame { left, top, width: inside, height: height - top - 52.0, x, y, above }
}

/// Grid, ticks and titles of both axes.
fn axes(svg: &mut String, plot: &Plot, frame: &Frame, width: f64, height: f64) {
    let right = frame.left + frame.width;
    let _ = writeln!(svg, "<g class=\"axes\">");
    for tick in frame.y.ticks(&plot.y.unit) {
        let y = frame.top + (1.0 - tick.at) * frame.height;
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{:.1} {y:.1}H{right:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            frame.left,
            frame.left - 8.0,
            y + 4.5,
            escape(&tick.label)
        );
    }
    let bottom = frame.bottom();
    for tick in x_ticks(plot, frame) {
        let x = frame.left + tick.at * frame.width;
        let _ = writeln!(
            svg,
            "<path class=\"tick\" d=\"M{x:.1} {bottom:.1}v5\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 20.0,
            escape(&tick.label)
        );
    }
    let _ = writeln!(svg, "<path class=\"base\" d=\"M{:.1} {bottom:.1}H{right:.1}\"/>", frame.left);
    let _ = writeln!(svg, "<text class=\"title\" x=\"0\" y=\"14\">{}</text>", escape(&title(&plot.y)));
    let _ = writeln!(
        svg,
        "<text class=\"title\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n</g>",
        right.min(width),
        height - 8.0,
        escape(&title(&plot.x))
    );
}

/// What an axis is called, with its unit.
fn title(axis: &Axis) -> String {
    let unit = if axis.beside.is_empty() { String::new() } else { format!(", {}", axis.beside) };
    in_its_direction(&axis.title, &unit)
}

/// The marks of the horizontal axis; of many categories, every n-th is named.
fn x_ticks(plot: &Plot, frame: &Frame) -> Vec<Tick> {
    if plot.x.spacing != Spacing::Category {
        return frame.x.ticks(&plot.x.unit);
    }
    let longest = plot.categories.iter().map(|name| name.chars().count()).max().unwrap_or(1) as f64;
    let fit = (frame.width / (longest * CHARACTER + 12.0)).max(1.0);
    let stride = (plot.categories.len() as f64 / fit).ceil().max(1.0) as usize;
    let ticks = plot.categories.iter().enumerate().step_by(stride);
    ticks.map(|(index, name)| Tick { at: frame.x.place(index as f64), label: name.clone() }).collect()
}

/// The line through a series' points, broken nowhere: a row without a value has its own mark. In steps, a value holds until the next.
fn line(svg: &mut String, series: &Series, frame: &Frame, steps: bool) {
    let mut path = String::new();
    for (index, point) in series.points.iter().enumerate() {
        let (x, y) = (frame.x(point.x), frame.y(point.y));
        let _ = match (index, steps) {
            (0, _) => write!(path, "M{x:.1} {y:.1}"),
            (_, true) => write!(path, "H{x:.1}V{y:.1}"),
            (_, false) => write!(path, "L{x:.1} {y:.1}"),
        };
    }
    if series.points.len() > 1 {
        let _ = writeln!(svg, "<path class=\"line\" d=\"{path}\"/>");
    }
}

/// How long a whisker is at most that the mark of its point covers.
const BEHIND: f64 = 1.0;

/// A point: the range of the rounds, the interval, then the mark, whose shape tells the series as its colour does.
fn mark(svg: &mut String, point: &Point, frame: &Frame, series: usize) {
    let (x, y) = (frame.x(point.x), frame.y(point.y));
    let _ = write!(svg, "<g><title>{}</title>", escape(&point.words));
    // Nobody sees what lies behind the mark.
    let is_behind = |ends: Option<(f64, f64)>| ends.is_none_or(|(one, other)| (frame.y(one) - frame.y(other)).abs() < BEHIND);
    if !is_behind(point.range) || !is_behind(point.interval) {
        whiskers(svg, point, frame, x);
    }
    shape(svg, series, x, y);
    svg.push_str("</g>\n");
}

/// The mark of the points of the series `series`, around `x` and `y`.
pub(super) fn shape(svg: &mut String, series: usize, x: f64, y: f64) {
    let _ = match series % 4 {
        0 => write!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>"),
        1 => write!(svg, "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"7.4\" height=\"7.4\"/>", x - 3.7, y - 3.7),
        2 => write!(svg, "<path class=\"mark\" d=\"M{x:.1} {:.1}l5 8.6h-10z\"/>", y - 5.4),
        _ => write!(svg, "<path class=\"mark\" d=\"M{x:.1} {:.1}l5 5l-5 5l-5 -5z\"/>", y - 5.0),
    };
}

/// One of many points.
fn dot(svg: &mut String, point: &Point, frame: &Frame) {
    let (x, y) = (frame.x(point.x), frame.y(point.y));
    let _ = writeln!(svg, "<g><title>{}</title><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.4\"/></g>", escape(&point.words));
}

/// The range and the interval of a point at `x`.
fn whiskers(svg: &mut String, point: &Point, frame: &Frame, x: f64) {
    if let Some((least, most)) = point.range {
        let _ = write!(svg, "<path class=\"range\" d=\"M{x:.1} {:.1}V{:.1}\"/>", frame.y(least), frame.y(most));
    }
    if let Some((low, high)) = point.interval {
        let (low, high) = (frame.y(low), frame.y(high));
        let _ =
            write!(svg, "<path class=\"interval\" d=\"M{x:.1} {low:.1}V{high:.1}M{:.1} {low:.1}h8M{:.1} {high:.1}h8\"/>", x - 4.0, x - 4.0);
    }
}

/// Bars of one series of several, side by side in each category.
fn bars(svg: &mut String, series: &Series, frame: &Frame, (index, count): (usize, usize), categories: usize) {
    let slot = frame.width / categories.max(1) as f64;
    let width = (slot * 0.72 / count as f64).min(56.0);
    let base = frame.top + (1.0 - frame.y.base()) * frame.height;
    for point in &series.points {
        let x = frame.x(point.x) + (index as f64 - (count as f64 - 1.0) / 2.0) * width;
        let y = frame.y(point.y);
        let (top, height) = if y < base { (y, base - y) } else { (base, y - base) };
        let _ = write!(
            svg,
            "<g><title>{}</title><rect class=\"bar\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{height:.1}\"/>",
            escape(&point.words),
            x - width / 2.0,
            (width - 1.0).max(1.0)
        );
        whiskers(svg, point, frame, x);
        svg.push_str("</g>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(kind: Kind, spacing: Spacing) -> Plot {
        let point = |x: f64, y: f64| Point { x, y, interval: Some((y - 9.0, y + 9.0)), range: None, words: format!("{x} <threads>: {y}") };
        let axis = |title: &str, unit: &str, spacing| Axis { title: title.into(), unit: unit.into(), beside: String::new(), spacing };
        Plot {
            kind,
            x: axis("threads", "", spacing),
            y: axis("GB/s", "GB/s", Spacing::Linear),
            series: vec![Series {
                name: "one".into(),
                points: vec![point(0.0, 90.0), point(1.0, 4100.0)],
                absent: vec![(2.0, "timeout".into())],
            }],
            series_title: String::new(),
            marks: Vec::new(),
            categories: ["16", "32", "64"].map(str::to_owned).into(),
            title: "a < b".into(),
            description: "d".into(),
        }
    }

    #[test]
    fn a_point_stands_where_its_value_is_and_nothing_leaves_the_picture() {
        let svg = draw(&plot(Kind::Line, Spacing::Category), (720.0, 360.0), "c1", "wide");
        // Of a scale from 0 to 5000 over 274 units from 34 on: 34 + (1 - 4100 / 5000) * 274.
        assert!(svg.contains("cy=\"83.3\""), "{svg}");
        assert!(svg.contains("<title id=\"c1-t\">a &lt; b</title>") && svg.contains("1 &lt;threads&gt;: 4100"));
        assert!(svg.contains("<title>timeout</title>"));
    }

    #[test]
    fn whiskers_show_that_are_longer_than_their_mark_is_thick() {
        let of = |half: f64| {
            let mut plot = plot(Kind::Line, Spacing::Category);
            plot.series[0].points.iter_mut().for_each(|point| point.interval = Some((point.y - half, point.y + half)));
            draw(&plot, (720.0, 360.0), "c1", "wide").matches("class=\"interval\"").count()
        };
        // A unit is 18.2 of a scale from 0 to 5000.
        assert_eq!((of(9.0), of(9.3)), (0, 2));
    }

    #[test]
    fn marks_widen_the_axes_and_are_named() {
        let mut marked = plot(Kind::Line, Spacing::Log2);
        marked.series[0].points = marked.series[0].points.iter().map(|point| Point { x: point.x + 1.0, ..point.clone() }).collect();
        let mark = |along, at, name: &str| Mark { along, at, name: name.into() };
        marked.marks = vec![mark(Along::X, 64.0, "L2 <60 MiB>"), mark(Along::Y, 9000.0, "peak")];
        let svg = draw(&marked, (720.0, 360.0), "c", "wide");
        assert_eq!(svg.matches("class=\"reference\"").count(), 2);
        assert!(svg.contains(">L2 &lt;60 MiB&gt;</text>") && svg.contains(">peak</text>"), "{svg}");
        // Of a scale from 0 to 10,000 over 257 units from 51 on: both ends lie inside.
        assert!(svg.contains("M58.4 76.7H"), "{svg}");
        let unmarked = draw(&plot(Kind::Line, Spacing::Category), (720.0, 360.0), "c", "wide");
        assert!(!unmarked.contains("reference"));
    }

    #[test]
    fn one_series_has_no_name_and_an_empty_plot_is_a_frame() {
        assert!(!draw(&plot(Kind::Bar, Spacing::Category), (720.0, 360.0), "c", "").contains("class=\"name"));
        let mut empty = plot(Kind::Line, Spacing::Log2);
        empty.series[0].points.clear();
        empty.series[0].absent.clear();
        let svg = draw(&empty, (320.0, 300.0), "c", "");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
