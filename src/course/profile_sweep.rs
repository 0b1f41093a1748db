//! Turns what a manifest of the kind `profile` says into a sweep that reads hardware counters of another sweep's rows.
//!
//! Must not know the other sweep; the planner looks it up.
//!
//! ```toml
//! kind = "profile"
//! title = "How many warps were really there?"
//! of = "block-size"                         # the sweep whose rows are launched
//! only = ["32", "256"]                      # some of its rows by label; all by default
//! launches = 5                              # profiled launches of each, 3 at least
//!
//! [metrics]                                 # more of ncu's metrics, each a column
//! l1_bytes = { metric = "l1tex__t_bytes.sum", unit = "B" }
//! ```

use std::collections::BTreeMap;

use crate::base::problem::{Problem, Problems};
use crate::base::quantity::Unit;
use crate::base::slice::Slice;
use crate::base::span::Span;

use super::columns::is_profiled;
use super::keys::{Keys, unexpected};
use super::manifest;
use super::toml::Value;

/// Fewest launches that say how far counters repeat.
const LEAST_LAUNCHES: i64 = 3;
/// As many as a claim needs.
const LAUNCHES: u32 = 5;

/// Rows of another sweep, to be launched under a profiler.
#[derive(Debug, Clone)]
pub struct ProfileSweep {
    /// The sweep.
    pub of: Slice,
    /// Its rows by label; empty: all.
    pub only: Vec<Slice>,
    /// Profiled launches of each.
    pub launches: u32,
    /// Metrics that become columns.
    pub metrics: Vec<MetricColumn>,
}

/// A metric of ncu as a column.
#[derive(Debug, Clone)]
pub struct MetricColumn {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub at: Span,
    /// What ncu calls it.
    pub metric: String,
    /// What ncu's number counts; by default nothing.
    pub unit: Option<Unit>,
}

/// Reads what a profile sweep adds; `names` are those that are taken, to which the metrics are added.
pub(super) fn read(keys: &mut Keys<'_>, names: &mut BTreeMap<String, Span>, problems: &mut Problems) -> Option<ProfileSweep> {
    let of = keys.text("of", problems);
    let of = keys.required("of", of, problems);
    let only = keys.texts("only", problems);
    let launches = keys.integer("launches", LEAST_LAUNCHES, 1000, problems).and_then(|launches| launches.try_into().ok());
    let metrics = metrics(keys, names, problems);
    Some(ProfileSweep { of: of?, only, launches: launches.unwrap_or(LAUNCHES), metrics })
}

fn metrics(keys: &mut Keys<'_>, names: &mut BTreeMap<String, Span>, problems: &mut Problems) -> Vec<MetricColumn> {
    let mut columns = Vec::new();
    let Some(mut table) = keys.table("metrics", "`[metrics]`", problems) else { return columns };
    for (name, at, item) in table.all() {
        if is_profiled(name) {
            problems.push(manifest::every_row_has(name, at));
            continue;
        }
        manifest::take_name(name, at, names, problems);
        let Value::Table(fields) = &item.value else {
            problems.push(unexpected(item, &format!("a table for `{name}`, such as {{ metric = \"l1tex__t_bytes.sum\", unit = \"B\" }}")));
            continue;
        };
        let mut fields = Keys::of(fields, "a column of `[metrics]`", at.clone());
        let metric = fields.text("metric", problems);
        let metric = fields.required("metric", metric, problems);
        let unit = manifest::unit(&mut fields, problems);
        fields.finish(problems);
        let Some(metric) = metric else { continue };
        if !metric.text().bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.')) || metric.text().is_empty() {
            let message = format!("`{}` is no metric of ncu: they are made of letters, digits, `_` and `.`", metric.text());
            problems.push(Problem::error("manifest-value", metric.whole(), message));
            continue;
        }
        if metric.text().starts_with("gpu__time") {
            let problem = Problem::error("manifest-value", metric.whole(), "a time under a profiler is no time of the kernel");
            problems.push(problem.hint("times come from sweeps of the kind `kernel`"));
            continue;
        }
        columns.push(MetricColumn { name: name.to_owned(), at: at.clone(), metric: metric.text().to_owned(), unit });
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::span::SourceName;
    use crate::course::sweep::{self, Kind};

    #[test]
    fn a_sweep_is_read_and_mistakes_stand_where_they_are() {
        let cases: &[(&str, &[(&str, &str)])] = &[
            ("of = 'copy'\nonly = ['1', '4']\nlaunches = 3\n[metrics]\nl1 = { metric = 'l1tex__t_bytes.sum', unit = 'B' }\n", &[]),
            ("of = 'copy'\n", &[]),
            ("launches = 3\n", &[("toml-missing-key", "")]),
            ("of = 'copy'\nlaunches = 2\n", &[("toml-value", "2")]),
            ("of = 'copy'\n[axes]\na = [1]\n", &[("manifest-rows", "a")]),
            ("of = 'copy'\n[metrics]\nachieved = { metric = 'x' }\n", &[("manifest-name", "achieved")]),
            ("of = 'copy'\n[metrics]\na = { metric = 'x y' }\n", &[("manifest-value", "x y")]),
            ("of = 'copy'\n[metrics]\na = { metric = 'gpu__time_duration.sum' }\n", &[("manifest-value", "gpu__time_duration.sum")]),
            ("of = 'copy'\n[metrics]\na = 'x'\n", &[("toml-type", "'x'")]),
            ("of = 'copy'\n[timing]\nrounds = 5\n", &[("toml-unknown-key", "timing")]),
        ];
        for (more, expected) in cases {
            let text = format!("kind = 'profile'\ntitle = 'T'\n{more}");
            let name: SourceName = "kernels/a.toml".into();
            let mut problems = Problems::new();
            let sweep = sweep::read(&name, "a", &text, &mut problems);
            let place = |problem: &Problem| problem.at.as_ref().map(|at| text[at.start..at.end].to_owned()).unwrap_or_default();
            let found: Vec<(&str, String)> = problems.sorted().iter().map(|problem| (problem.id, place(problem))).collect();
            let found: Vec<(&str, &str)> = found.iter().map(|(id, at)| (*id, at.as_str())).collect();
            assert_eq!(found, *expected, "{more}");
            if expected.is_empty() {
                assert!(matches!(sweep.expect("it is whole").kind, Kind::Profile(profile) if profile.of.text() == "copy"));
            }
        }
    }
}
