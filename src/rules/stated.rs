//! Holds the front matter's stated figures to their purpose: each is on the page, none is one that was measured, and they are few.
//!
//! Must not judge sources; readers do.

use super::unbound::{is_comparable, spelled};
use super::{Check, Checked, Occasion, Rule};
use crate::base::problem::{Problem, Problems};
use crate::base::quantity::{Dimension, Quantity, Rational, Unit, rational_to_f64};
use crate::base::span::Span;
use crate::claims::SweepFacts;
use crate::course::lesson::Lesson;
use crate::course::stated::Stated;
use crate::expr::{Row as _, Value};

pub(super) static UNUSED: Rule = Rule {
    id: "stated-unused",
    protects: "a list of sources that says what the page stands on, and no more",
    example: "`4.8 TB/s` is in the `stated` list of the front matter, and no longer in the text",
    occasion: Occasion::Build,
    check: Check::Lesson(unused),
};

pub(super) static MEASURED: Rule = Rule {
    id: "stated-measured",
    protects: "readers from a measured figure that is passed off as stated, and stays when the next run says otherwise",
    example: "`4160 GB/s` is stated with a source, and the row 256 was measured at 4159 GB/s",
    occasion: Occasion::Build,
    check: Check::Lesson(measured),
};

pub(super) static SHARE: Rule = Rule {
    id: "stated-share",
    protects: "a course on measurements from pages that quote more than they measure",
    example: "9 of 40 figures of the page are stated, and lessons/course.toml allows 15 %",
    occasion: Occasion::Build,
    check: Check::Lesson(share),
};

/// How near a measured value may come to a stated one, as a share of it.
const NEAR: f64 = 0.02;

fn unused(_: &Checked<'_>, lesson: &Lesson, problems: &mut Problems) {
    for (index, entry) in lesson.stated.iter().enumerate() {
        let text = entry.figure.text();
        if let Some(first) = lesson.stated[..index].iter().find(|first| entry.mention.is_said_by([&first.mention])) {
            let message = format!("`{text}` is stated twice");
            problems.push(Problem::warning(UNUSED.id, entry.figure.whole(), message).related(first.figure.whole(), "the first"));
        } else if !entry.is_on_page_of(lesson) {
            let message = format!("`{text}` is stated, and the page does not say it");
            problems.push(Problem::warning(UNUSED.id, entry.figure.whole(), message).hint("take the entry out of `stated`"));
        }
    }
}

fn measured(checked: &Checked<'_>, lesson: &Lesson, problems: &mut Problems) {
    for entry in lesson.stated.iter().filter(|entry| entry.of.is_none()) {
        let nearest = checked.facts.devices().iter().flat_map(|device| {
            let sweeps = lesson.sweeps.iter().filter_map(|(name, _)| checked.facts.sweep(name, device));
            sweeps.filter_map(|sweep| nearest(entry, sweep)).map(move |near| (device, near))
        });
        let Some((device, near)) = nearest.min_by(|a, b| a.1.off.total_cmp(&b.1.off)) else { continue };
        let text = entry.figure.text();
        let value = near.text.replace('\u{a0}', " ");
        let message = format!("`{text}` is stated, and {} was measured on {device} as {value}", near.what);
        problems.push(Problem::error(MEASURED.id, entry.figure.whole(), message).hint(format!(
            "write `= {}` on the page and take the entry out; if it is a figure of something else that only comes as near, say of what: of = \"…\"",
            near.expression
        )));
    }
}

fn share(checked: &Checked<'_>, lesson: &Lesson, problems: &mut Problems) {
    let Some(limit) = checked.course.config.policy.stated_at_most else { return };
    let coverage = checked.course.coverage(lesson);
    let (stated, figures) = (coverage.stated, coverage.figures());
    if figures > 0 && Rational::new(stated as i128, figures as i128) > limit {
        let at = lesson.stated.first().map_or_else(|| Span::top(&lesson.file), |first| first.at.clone());
        let message = format!(
            "{stated} of {figures} figures of the page are stated, and the course allows {} %",
            rational_to_f64(limit * Rational::from_integer(100))
        );
        problems.push(Problem::error(SHARE.id, at, message).hint("bind more of them to what was measured, or leave some out"));
    }
}

/// A measured value that lies near a stated one.
struct Near {
    off: f64,
    what: String,
    expression: String,
    text: String,
}

/// The measured value of `sweep` nearest to the stated figure, if one is near.
fn nearest(entry: &Stated, sweep: &SweepFacts) -> Option<Near> {
    let mut nearest: Option<Near> = None;
    for row in &sweep.rows {
        for column in sweep.columns.iter().filter(|column| column.measured) {
            let Ok(Value::Quantity(value)) = row.column(&column.name) else { continue };
            let Some(off) = off(entry, &value).filter(|&off| off <= NEAR && nearest.as_ref().is_none_or(|near| off < near.off)) else {
                continue;
            };
            nearest = Some(Near {
                off,
                what: format!("`{}` in {}", column.name, row.title()),
                expression: format!("row('{}'){}", row.label, spelled(&column.name).unwrap_or_default()),
                text: value.text(),
            });
        }
    }
    nearest
}

/// How far the stated figure is from `value`, as a share of it; `None` where they are of different kinds, such as a share and a factor.
fn off(entry: &Stated, value: &Quantity) -> Option<f64> {
    let unit = &entry.mention.unit;
    let is_share = |unit: &Unit| &*unit.symbol == "%";
    if !value.is_measured() || !is_comparable(unit, value) || unit.dimension == Dimension::NONE && is_share(unit) != is_share(&value.unit) {
        return None;
    }
    let measured = value.number_in(&Unit { scale: 1.into(), ..value.unit.clone() }).filter(|measured| *measured != 0.0)?;
    entry.mention.values().into_iter().map(|stated| ((stated - measured) / measured).abs()).min_by(f64::total_cmp)
}
