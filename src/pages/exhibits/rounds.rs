//! Turns `rounds: SWEEP` into a drawing of every round of one run or several: how far its time lies from its row's median.
//!
//! Must not judge: what a distance means is said by claims and comparisons.

use std::sync::Arc;

use serde::Serialize;

use crate::base::statistics::{median, median_of};
use crate::course::marker::Marker;
use crate::evidence::Run;
use crate::pages::block::Block;
use crate::pages::caption;
use crate::pages::html::plain;
use crate::pages::page::Page;
use crate::pages::plot::{self, Axis, Kind, Plot, Point, Series, Spacing};
use crate::pages::provenance::Provenance;
use crate::pages::words::fill;

use super::columns::column;
use super::comparison::named;
use super::gap::{self, Gap};
use super::{Exhibit, rows};

/// The kind.
pub(super) struct Rounds;

/// The share of a row's place on the axis that its rounds take.
const FILLED: f64 = 0.8;

#[derive(Default, Serialize)]
struct View {
    id: String,
    caption: String,
    wide: String,
    narrow: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    sources: Vec<Provenance>,
    missing: Option<Gap>,
}

impl Exhibit for Rounds {
    fn kind(&self) -> &'static str {
        "rounds"
    }

    fn make(&self, marker: &Marker, page: &mut Page<'_>) -> Option<Block> {
        page.counts.charts += 1;
        let mut keys = marker.keys("rounds");
        let (filter, wanted) = (keys.text("rows", &mut page.problems), keys.texts("runs", &mut page.problems));
        let caption = keys.text("caption", &mut page.problems);
        keys.finish(&mut page.problems);
        let sweep = marker.target.text();
        let caption = caption::of_exhibit(caption.as_ref(), sweep, page);
        let mut view = View { id: page.id("rounds"), caption, ..View::default() };
        let board = match page.board(sweep, &marker.target.whole()) {
            Ok(board) => board,
            Err(absent) => {
                view.missing = Some(gap::gap(sweep, absent, page)?);
                return Some(Block::of("rounds.html", view));
            }
        };
        let shown = rows::chosen(board.sweep, filter.as_ref(), None, page)?;
        let heading = column("label", &marker.target.whole(), board.sweep, &shown, page)?.title;
        let labels: Vec<String> = shown.iter().filter_map(|&index| Some(board.run.record.rows.get(index)?.label.clone())).collect();
        let facts = board.sweep;
        let mut runs: Vec<Arc<Run>> = Vec::new();
        for name in &wanted {
            runs.push(named(name, facts, page)?);
        }
        if runs.is_empty() {
            runs.push(board.run.clone());
        }
        let drawn: Vec<Drawn> = runs.iter().map(|run| Drawn { mark: format!("[{}]", page.cite(run)), run }).collect();
        let mut plot = plot(&labels, &drawn, &heading, page);
        plot.title = plain(&view.caption);
        view.wide = plot::draw(&plot, plot::WIDE, &format!("{}-w", view.id), "wide");
        view.narrow = plot::draw(&plot, plot::NARROW, &format!("{}-n", view.id), "narrow");
        (view.head, view.rows) = table(&labels, &drawn, &heading, page);
        view.sources = runs.iter().map(|run| Provenance { mark: Some(page.cite(run)), ..page.provenance(run, None) }).collect();
        Some(Block::of("rounds.html", view))
    }
}

/// A run and how the page cites it.
struct Drawn<'a> {
    mark: String,
    run: &'a Run,
}

impl Drawn<'_> {
    /// The times of row `label` by round, nanoseconds; `None` for a round that was lost.
    fn rounds(&self, label: &str) -> &[Option<f64>] {
        let row = self.run.record.rows.iter().position(|row| row.label == label);
        row.map(|row| self.run.round_ns(row)).unwrap_or_default()
    }

    fn median(&self, label: &str) -> Option<f64> {
        median_of(self.rounds(label).iter().flatten().copied())
    }
}

/// How far `time` lies from `middle`, in percent of it.
fn off(time: f64, middle: f64) -> f64 {
    (time / middle - 1.0) * 100.0
}

/// Where round `round` of `rounds` of run `run` of `runs` stands in a row's place, from -0.5 to 0.5: run by run, in order.
fn place((round, rounds): (usize, usize), (run, runs): (usize, usize)) -> f64 {
    let width = FILLED / runs as f64;
    (run as f64 * width - FILLED / 2.0) + (round as f64 + 0.5) / rounds.max(1) as f64 * width
}

/// The drawing of the rows `labels` below `heading`, without a title.
fn plot(labels: &[String], drawn: &[Drawn<'_>], heading: &str, page: &Page<'_>) -> Plot {
    let words = &page.words.rounds_chart;
    let series = drawn.iter().enumerate().map(|(index, one)| {
        let mut series = Series { name: one.mark.clone(), points: Vec::new(), absent: Vec::new() };
        for (row, label) in labels.iter().enumerate() {
            let Some(middle) = drawn.first().and_then(|first| first.median(label)) else { continue };
            let rounds = one.rounds(label);
            for (round, time) in rounds.iter().enumerate() {
                let x = row as f64 + place((round, rounds.len()), (index, drawn.len()));
                let number = (round + 1).to_string();
                match time {
                    Some(time) => {
                        let y = off(*time, middle);
                        let said = fill(words.point, &[label, &number, &format!("{:.4}", time / 1e6), &format!("{y:+.2}")]);
                        series.points.push(Point { x, y, interval: None, range: None, words: said });
                    }
                    None => series.absent.push((x, fill(words.lost, &[label, &number]))),
                }
            }
        }
        series
    });
    let series: Vec<Series> = series.collect();
    let far = series.iter().flat_map(|series| &series.points).max_by(|a, b| a.y.abs().total_cmp(&b.y.abs()));
    let description = far.map(|point| fill(words.farthest, &[&point.words])).unwrap_or_default();
    let axis = |title: &str, unit: &str, spacing| Axis { title: title.to_owned(), unit: unit.to_owned(), beside: unit.to_owned(), spacing };
    Plot {
        kind: Kind::Dots,
        x: axis(heading, "", Spacing::Category),
        y: axis(words.from_median, "%", Spacing::Linear),
        series,
        series_title: words.run.to_owned(),
        marks: Vec::new(),
        categories: labels.to_vec(),
        title: String::new(),
        description,
    }
}

/// The same as rows: each row and run with its median, and the least and the largest of its rounds beside the first run's median.
fn table(labels: &[String], drawn: &[Drawn<'_>], heading: &str, page: &Page<'_>) -> (Vec<String>, Vec<Vec<String>>) {
    let words = &page.words.rounds_chart;
    let head = [heading, words.run, words.median, words.least, words.most].map(str::to_owned).to_vec();
    let mut rows = Vec::new();
    for label in labels {
        let Some(middle) = drawn.first().and_then(|first| first.median(label)) else { continue };
        for one in drawn {
            let rounds: Vec<f64> = one.rounds(label).iter().flatten().copied().collect();
            let Some(own) = median(&rounds) else { continue };
            let (least, most) = rounds.iter().fold((own, own), |(least, most), &time| (least.min(time), most.max(time)));
            let percent = |time: f64| format!("{:+.2}", off(time, middle));
            rows.push(vec![label.clone(), one.mark.clone(), format!("{:.4}", own / 1e6), percent(least), percent(most)]);
        }
    }
    (head, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_stand_in_order_run_by_run_and_stay_in_their_rows_place() {
        for runs in 1..4 {
            let places: Vec<f64> = (0..runs).flat_map(|run| (0..11).map(move |round| place((round, 11), (run, runs)))).collect();
            assert!(places.is_sorted_by(|a, b| a < b), "{places:?}");
            assert!(places.iter().all(|place| place.abs() < FILLED / 2.0));
            let sum: f64 = places.iter().sum();
            assert!(sum.abs() < 1e-9, "they are in the middle: {sum}");
        }
    }

    #[test]
    fn a_distance_is_a_share_of_the_median() {
        assert!((off(1.02, 1.0) - 2.0).abs() < 1e-9 && (off(0.5, 1.0) + 50.0).abs() < 1e-9);
    }
}
