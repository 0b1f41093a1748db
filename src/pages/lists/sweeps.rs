//! Turns the sweeps that lessons of a language stand on into a list: the question, the source, the runs that count, the lessons.
//!
//! Must not know what was measured.

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::Value;
use serde::Serialize;

use crate::course::sweep::Sweep;
use crate::pages::frame::Frame;
use crate::pages::links::source_path;
use crate::pages::navigation::Edition;
use crate::pages::provenance::Provenance;
use crate::pages::stock::Stock;

use super::{LessonLink, List, frame};

#[derive(Serialize)]
struct View {
    about: &'static str,
    sweeps: Vec<SweepView>,
}

#[derive(Serialize)]
struct SweepView {
    name: String,
    title: String,
    /// The file that it measures, and the way to its page.
    source: String,
    href: Option<String>,
    /// The run that counts on each device that has one.
    runs: Vec<Provenance>,
    lessons: Vec<LessonLink>,
}

pub(super) fn page(stock: &Stock, edition: &Edition) -> Value {
    let about = crate::pages::words::words(&edition.language).finding.sweeps_about;
    let frame = frame(stock, edition, List::Sweeps, about);
    let mut lessons: BTreeMap<&str, Vec<LessonLink>> = BTreeMap::new();
    for (index, made) in stock.lessons_of(edition) {
        for (sweep, _) in &stock.navigation.lessons[index].sweeps {
            lessons.entry(sweep).or_default().push(LessonLink::new(&made.entry, &frame.page.root));
        }
    }
    let known = stock.course.sweeps.values();
    let sweeps = known.filter_map(|sweep| Some(view(stock, &frame, sweep, lessons.remove(&*sweep.name)?))).collect();
    frame.around(View { about, sweeps })
}

fn view(stock: &Stock, frame: &Frame, sweep: &Arc<Sweep>, lessons: Vec<LessonLink>) -> SweepView {
    let facts = &stock.facts;
    let run = |device: &String| {
        let run = facts.sweep(&sweep.name, device)?.run.as_ref()?;
        // Only runs that a lesson shows something of have a page.
        stock.runs.get(&*run.name).map(|run| Provenance::new(run, None, &frame.page.root, frame.words))
    };
    let path = sweep.source().map_or("", |(path, _)| path);
    let source = stock.course.sources.get(path);
    SweepView {
        name: sweep.name.clone(),
        title: sweep.title.clone(),
        href: source.map(|source| format!("{}{}", frame.page.root, source_path(source))),
        source: path.to_owned(),
        runs: facts.devices().iter().filter_map(run).collect(),
        lessons,
    }
}
