//! Turns the place of a lesson in its course into what the sidebar beside it shows: the lessons and the parts around it.
//!
//! Must not know what is on a page. It stays the same size however long the course is; the lines of it that many pages share are made once.

use std::ops::Range;
use std::sync::Arc;

use minijinja::Value;
use serde::Serialize;

use crate::base::series::Series;
use crate::course::Course;
use crate::course::lesson::Lesson;

use super::block::from_view;
use super::frame::{LinkView, root_of};
use super::links::lesson_path;
use super::navigation::{Edition, Navigation, beside, part_id};
use super::words::{Counted, words};

/// A part of the course with so many lessons, and a course of so many parts, stands whole in a page's sidebar.
const WHOLE: usize = 15;
/// Of more, so many are named: those around the page. The list of lessons is a step away, and each page would carry them.
const AROUND: usize = 9;

/// What the sidebar of a lesson shows of the course.
#[derive(Serialize)]
pub(crate) struct SideView {
    /// The part of the course that the lesson stands in, if it has a title.
    part: Option<LinkView>,
    /// Lessons around it, each a [`StepView`].
    lessons: Vec<Value>,
    /// How many more lessons of the part come before those and after them, in words.
    before: Option<String>,
    after: Option<String>,
    /// Parts around it, each a [`StepView`]; none if the course has no others.
    parts: Vec<Value>,
    /// Whether there are more.
    more_parts: bool,
    /// The way to the list of lessons.
    index: String,
}

/// A lesson or a part in the sidebar.
#[derive(Serialize)]
struct StepView<'a> {
    /// Its number in the course.
    number: usize,
    title: &'a str,
    href: String,
    current: bool,
}

/// What sidebars show of an edition.
#[derive(Default)]
pub(super) struct Steps {
    lessons: Vec<Step>,
    /// The parts that have a title, each with its place among all parts.
    parts: Vec<(usize, Step)>,
}

/// A lesson or a part: in the sidebars of all other pages, and where it is the current one.
struct Step {
    other: Value,
    current: Value,
}

impl Step {
    fn of(number: usize, title: &str, href: &str) -> Self {
        let [other, current] = [false, true].map(|current| from_view(StepView { number, title, href: href.to_owned(), current }));
        Self { other, current }
    }

    fn seen(&self, current: bool) -> Value {
        if current { self.current.clone() } else { self.other.clone() }
    }
}

impl Steps {
    /// Those of `edition`, whose lessons are among `lessons`. All of its pages stand equally deep.
    pub(super) fn of(course: &Course, lessons: &Series<Arc<Lesson>>, edition: &Edition) -> Self {
        let home = beside(course, &edition.language, "index.html");
        let root = root_of(&home);
        let lesson = |(place, &index): (usize, &usize)| {
            let lesson = &lessons[index];
            Step::of(place + 1, &lesson.plain_title(), &format!("{root}{}", lesson_path(lesson, &course.config.language)))
        };
        let titled = edition.parts.iter().enumerate().filter_map(|(part, known)| Some((part, known.title.as_deref()?)));
        let part =
            |(at, (part, title)): (usize, (usize, &str))| (part, Step::of(at + 1, title, &format!("{root}{home}#{}", part_id(part))));
        Self { lessons: edition.lessons.iter().enumerate().map(lesson).collect(), parts: titled.enumerate().map(part).collect() }
    }
}

impl Navigation {
    /// What the sidebar of the lesson at `index` shows.
    pub(crate) fn side(&self, index: usize) -> SideView {
        let (edition, place) = self.place(index);
        let words = &words(&edition.language).frame;
        let home = self.home(&edition.language);
        let root = root_of(&home);
        let (part, Steps { lessons, parts }) = (edition.part_of(place), &edition.steps);
        let range = edition.parts[part].lessons.clone();
        let shown = window(range.clone(), place);
        let at = parts.partition_point(|(other, _)| *other < part);
        let parts_shown = window(0..parts.len(), at.min(parts.len().saturating_sub(1)));
        let has_others = parts.iter().any(|(other, _)| *other != part);
        SideView {
            part: self.part(index, &root),
            before: more(&words.earlier, shown.start - range.start),
            after: more(&words.later, range.end - shown.end),
            lessons: shown.map(|at| lessons[at].seen(at == place)).collect(),
            more_parts: has_others && parts_shown.len() < parts.len(),
            parts: if has_others { parts[parts_shown].iter().map(|(other, step)| step.seen(*other == part)).collect() } else { Vec::new() },
            index: root + &home,
        }
    }
}

/// That there are `count` more, in words; nothing where there are none.
fn more(words: &Counted, count: usize) -> Option<String> {
    (count > 0).then(|| words.of(&[count], &[]))
}

/// The places of `range` that are named beside `at`: all of them where they fit, and those around it where they don't.
fn window(range: Range<usize>, at: usize) -> Range<usize> {
    if range.len() <= WHOLE {
        return range;
    }
    let start = at.saturating_sub(AROUND / 2).min(range.end - AROUND).max(range.start);
    start..start + AROUND
}

#[cfg(test)]
mod tests {
    use super::super::navigation::tests::{course, owned};
    use super::*;

    /// What the step says of itself as `name`.
    fn said(step: &Value, name: &str) -> String {
        step.get_attr(name).unwrap().to_string()
    }

    fn is_current(step: &Value) -> bool {
        step.get_attr("current").unwrap().is_true()
    }

    /// `side` in short: the part, lessons and parts, the current ones in brackets.
    fn shape(side: &SideView) -> String {
        let step = |step: &Value| if is_current(step) { format!("[{}]", said(step, "title")) } else { said(step, "title") };
        let steps = |steps: &[Value]| steps.iter().map(step).collect::<Vec<_>>().join(", ");
        let part = side.part.as_ref().map_or("", |part| part.title.as_str());
        format!("{part}: {}; {}", steps(&side.lessons), steps(&side.parts))
    }

    #[test]
    fn a_sidebar_shows_the_part_and_the_way_to_the_others() {
        let config =
            "title = 'C'\noutline = ['a', { title = { en = 'P', he = 'פ' }, lessons = ['b', 'c'] }, { title = 'Q', lessons = ['d'] }]";
        let course = course(config, &owned(&["a", "b", "c", "c.he", "d", "e"]));
        let navigation = Navigation::new(&course, true, Vec::new());
        let shapes: Vec<String> = (0..course.lessons.len()).map(|index| shape(&navigation.side(index))).collect();
        assert_eq!(
            shapes,
            [": [T a]; P, Q", "P: [T b], T c; [P], Q", "P: T b, [T c]; [P], Q", "פ: [T c.he]; ", "Q: [T d]; P, [Q]", ": [T e]; P, Q",]
        );
        let side = navigation.side(4);
        let (number, href) = (said(&side.lessons[0], "number"), said(&side.lessons[0], "href"));
        assert_eq!((&*number, &*href, &*said(&side.parts[0], "href")), ("4", "d.html", "index.html#part-2"));
        assert_eq!((said(&side.parts[0], "number"), side.index), ("1".to_owned(), "index.html".to_owned()));
        let side = navigation.side(3);
        assert_eq!((&*said(&side.lessons[0], "href"), &*side.index), ("../he/c.html", "../he/index.html"));
    }

    #[test]
    fn a_sidebar_stays_small_in_a_long_course() {
        let names: Vec<String> = (100..400).map(|number| format!("l{number}")).collect();
        let parts: String = names.chunks(3).map(|names| format!("{{ title = '{}', lessons = {names:?} }},", names[0])).collect();
        for (config, part) in [("title = 'C'".to_owned(), 300), (format!("title = 'C'\noutline = [{parts}]"), 3)] {
            let course = course(&config, &names);
            let navigation = Navigation::new(&course, true, Vec::new());
            let current = |steps: &[Value]| steps.iter().filter(|step| is_current(step)).count();
            for index in 0..course.lessons.len() {
                let side = navigation.side(index);
                assert_eq!(side.lessons.len(), AROUND.min(part), "{index}");
                assert!(current(&side.lessons) == 1 && side.parts.len() <= AROUND, "{index}");
                assert!(part == 300 || current(&side.parts) == 1, "{index}");
            }
            let (first, last) = (navigation.side(0), navigation.side(299));
            assert!(first.before.is_none() && last.after.is_none() && first.after.is_some() == (part == 300), "{config}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_window_holds_what_it_is_around(start in 0_usize..40, length in 1_usize..60, at in 0_usize..60) {
            let (range, at) = (start..start + length, start + at % length);
            let window = window(range.clone(), at);
            proptest::prop_assert!(window.contains(&at) && window.start >= range.start && window.end <= range.end);
            proptest::prop_assert_eq!(window.len(), if length <= WHOLE { length } else { AROUND });
        }
    }
}
