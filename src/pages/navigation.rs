//! Turns the published lessons into the ways between pages: the parts of the course in each language, what comes before and after
//! a lesson, and the same page in other languages.
//!
//! Must not know what is on a page. What a page shows of the course stays the same size however many lessons there are.

use std::ops::Range;
use std::sync::Arc;

use crate::base::digest::Checksum;
use crate::base::last::Last;
use crate::base::series::Series;
use crate::base::stamp::Stamp;
use crate::course::Course;
use crate::course::lesson::Lesson;

use super::devices::DeviceView;
use super::frame::LinkView;
use super::links::lesson_path;
use super::lists::{self, List, TagLinks};
use super::sidebar::Steps;

/// The ways through a course.
pub(crate) struct Navigation {
    /// The course.
    pub course: Arc<Course>,
    /// Its published lessons in every language, in the order of the course.
    pub lessons: Series<Arc<Lesson>>,
    ways: Arc<Ways>,
    /// The devices between which readers choose; none where there is no choice.
    pub devices: Vec<DeviceView>,
}

/// What stays as it is however the texts of lessons change.
pub(crate) struct Ways {
    /// The course in each of its languages, its own first.
    editions: Vec<Edition>,
    /// Of each of the lessons, its edition and its place there.
    places: Vec<(usize, usize)>,
    /// What pages show of the course and of each other's places in it.
    outline: Stamp,
}

/// The course in one language.
#[derive(Default)]
pub(crate) struct Edition {
    /// The language.
    pub language: String,
    /// Its lessons, as indices of [`Navigation::lessons`].
    pub lessons: Vec<usize>,
    /// Its parts, in order, none empty; they cover all of its lessons.
    pub parts: Vec<Part>,
    /// The lists that its lessons put something into.
    pub lists: Vec<List>,
    /// The anchors of its lessons' tags.
    pub tags: TagLinks,
    /// Whether a lesson of it has a date.
    dated: bool,
    /// What sidebars show of it.
    pub(super) steps: Steps,
}

/// A part of the course in one language.
pub(crate) struct Part {
    /// What it is called; `None` for lessons outside of every part.
    pub title: Option<String>,
    /// Which of the edition's lessons it has.
    pub lessons: Range<usize>,
}

impl Navigation {
    /// The ways between the lessons of `course` that are to be published, drafts among them or not, and its `devices`.
    #[cfg(test)]
    pub(crate) fn new(course: &Arc<Course>, draft: bool, devices: Vec<DeviceView>) -> Self {
        Self::again(course, draft, devices, &Last::default())
    }

    /// The same, with the help of what `memo` holds of the time before.
    pub(crate) fn again(course: &Arc<Course>, draft: bool, devices: Vec<DeviceView>, memo: &Last<Arc<Ways>>) -> Self {
        let published = |part: &[Arc<Lesson>]| part.iter().filter(|lesson| !lesson.draft).cloned().collect();
        let lessons = if draft { course.lessons.clone() } else { course.lessons.each_part(None, published) };
        let mut stamp = Stamp::default();
        stamp.same(&course.face);
        stamp.same(&course.config);
        stamp.equal(draft.then(Checksum::default));
        let names = devices.iter().flat_map(|device| [&*device.slug, &*device.name]);
        stamp.equal(Some(Checksum::of(names.collect::<Vec<_>>().join("\n"))));
        let ways = memo.again(stamp, |_| Arc::new(Ways::between(course, &lessons, &devices)));
        Self { course: course.clone(), lessons, ways, devices }
    }

    /// Adds all ways to what `stamp` says that something was made from.
    pub(crate) fn add_to(&self, stamp: &mut Stamp) {
        stamp.same(&self.ways);
    }

    /// What pages show of the course and of each other's places in it.
    pub(crate) fn outline(&self) -> &Stamp {
        &self.ways.outline
    }

    /// The course in each of its languages, its own first.
    pub(crate) fn editions(&self) -> &[Edition] {
        &self.ways.editions
    }

    /// The edition that the lesson at `index` is of, and its place there.
    pub(super) fn place(&self, index: usize) -> (&Edition, usize) {
        let (edition, place) = self.ways.places[index];
        (&self.ways.editions[edition], place)
    }

    /// The path on the site of the list of lessons in `language`.
    pub(crate) fn home(&self, language: &str) -> String {
        self.beside(language, "index.html")
    }

    /// The course in `language`, if it has that.
    pub(crate) fn edition(&self, language: &str) -> Option<&Edition> {
        self.ways.editions.iter().find(|edition| edition.language == language)
    }

    /// The path on the site of `list` in `language`.
    pub(crate) fn list(&self, language: &str, list: List) -> String {
        self.beside(language, list.file())
    }

    /// The path on the site of the feed of `language`: there is one where a lesson has a date and the site an address.
    pub(crate) fn feed(&self, language: &str) -> Option<String> {
        let dated = self.course.config.base_url.is_some() && self.edition(language)?.dated;
        dated.then(|| self.beside(language, "feed.xml"))
    }

    fn beside(&self, language: &str, file: &str) -> String {
        beside(&self.course, language, file)
    }

    /// The lessons before and after the one at `index`, in its language, seen from a page that stands `root` away from the site's root.
    pub(crate) fn neighbours(&self, index: usize, root: &str) -> (Option<LinkView>, Option<LinkView>) {
        let (edition, place) = self.place(index);
        let link = |place: usize| edition.lessons.get(place).map(|&index| self.link(index, root));
        (place.checked_sub(1).and_then(link), link(place + 1))
    }

    /// The page of the lesson at `index` in each of its languages, with their paths; its own among them.
    pub(crate) fn versions(&self, index: usize) -> Vec<(String, String)> {
        let lesson = &self.lessons[index];
        // A course keeps a lesson and its translations side by side.
        let at = |place: usize| self.lessons.get(place).filter(|other| other.name == lesson.name);
        let first = (0..index).rev().take_while(|&place| at(place).is_some()).last().unwrap_or(index);
        (first..).map_while(at).map(|lesson| (lesson.language.clone(), lesson_path(lesson, &self.course.config.language))).collect()
    }

    /// The way to the part of the course that the lesson at `index` stands in, if it has a title.
    pub(crate) fn part(&self, index: usize, root: &str) -> Option<LinkView> {
        let (edition, place) = self.place(index);
        let part = edition.part_of(place);
        let href = format!("{root}{}#{}", self.home(&edition.language), part_id(part));
        let title = edition.parts[part].title.clone()?;
        Some(LinkView { title, href, language: edition.language.clone() })
    }

    fn link(&self, index: usize, root: &str) -> LinkView {
        let lesson = &self.lessons[index];
        LinkView {
            title: lesson.plain_title(),
            href: format!("{root}{}", lesson_path(lesson, &self.course.config.language)),
            language: lesson.language.clone(),
        }
    }
}

/// The path on the site of a file that each language of the course has for itself.
pub(super) fn beside(course: &Course, language: &str, file: &str) -> String {
    if language == course.config.language { file.to_owned() } else { format!("{language}/{file}") }
}

impl Ways {
    /// Those between `lessons`, with the choice of `devices`.
    fn between(course: &Course, lessons: &Series<Arc<Lesson>>, devices: &[DeviceView]) -> Self {
        let mut languages: Vec<&str> = lessons.iter().map(|lesson| lesson.language.as_str()).collect();
        languages.push(&course.config.language);
        languages.sort_unstable_by_key(|language| (*language != course.config.language, *language));
        languages.dedup();
        let mut editions: Vec<Edition> =
            languages.iter().map(|language| Edition { language: (*language).to_owned(), ..Edition::default() }).collect();
        let mut places = Vec::with_capacity(lessons.len());
        for (index, lesson) in lessons.iter().enumerate() {
            let edition = languages.iter().position(|language| *language == lesson.language).unwrap_or_default();
            places.push((edition, editions[edition].lessons.len()));
            editions[edition].lessons.push(index);
        }
        for edition in &mut editions {
            edition.parts = parts(course, lessons, edition);
            let own = edition.lessons.iter().map(|&index| &*lessons[index]);
            edition.lists = lists::of(own.clone());
            edition.tags = TagLinks::of(own.clone());
            edition.dated = own.clone().any(|lesson| lesson.date.is_some() && !lesson.draft);
            edition.steps = Steps::of(course, lessons, edition);
        }
        let outline = outline(course, lessons, &editions, devices);
        Self { editions, places, outline }
    }
}

/// What pages show of the course and of each other's places in it.
fn outline(course: &Course, lessons: &Series<Arc<Lesson>>, editions: &[Edition], devices: &[DeviceView]) -> Stamp {
    let mut text = String::new();
    devices.iter().for_each(|device| text.extend([&device.slug, " ", &device.name, "\n"]));
    editions.iter().for_each(|edition| text += &format!("{:?} {}\n", edition.lists, edition.dated));
    for lesson in lessons.iter() {
        let Lesson { name, language, draft, tags, aliases, .. } = &**lesson;
        let aliases: Vec<&String> = aliases.iter().map(|(alias, _)| alias).collect();
        // Quoted, so that no two outlines are one text.
        text += &format!("{name:?} {language:?} {draft} {:?} {tags:?} {aliases:?}\n", lesson.plain_title());
    }
    let mut stamp = Stamp::default();
    stamp.same(&course.config);
    stamp.equal(Some(Checksum::of(text)));
    stamp
}

impl Edition {
    /// The part that the lesson at `place` stands in.
    pub(super) fn part_of(&self, place: usize) -> usize {
        self.parts.partition_point(|part| part.lessons.end <= place).min(self.parts.len().saturating_sub(1))
    }
}

/// The anchor in the list of lessons of the part at `index`.
pub(crate) fn part_id(index: usize) -> String {
    format!("part-{}", index + 1)
}

/// The parts of an edition whose lessons are known: those of the outline that it has lessons of, and the rest.
fn parts(course: &Course, lessons: &Series<Arc<Lesson>>, edition: &Edition) -> Vec<Part> {
    let outline = &course.config.outline;
    let mut parts: Vec<Part> = Vec::new();
    let mut last = None;
    for (place, &index) in edition.lessons.iter().enumerate() {
        let part = outline.part_of(&lessons[index].name);
        match parts.last_mut() {
            Some(open) if last == Some(part) => open.lessons.end = place + 1,
            _ => {
                let title = part.and_then(|part| outline.parts()[part].title.as_ref());
                parts.push(Part { title: title.map(|title| title.of(&edition.language).to_owned()), lessons: place..place + 1 });
            }
        }
        last = Some(part);
    }
    parts
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::base::problem::Problems;
    use crate::tree::SourceTree;

    /// A course with this configuration and these lessons; a name with a language is a translation.
    pub(in crate::pages) fn course(config: &str, lessons: &[String]) -> Arc<Course> {
        let mut tree = SourceTree::new();
        let mut problems = Problems::new();
        tree.insert("lessons/course.toml", config.as_bytes(), &mut problems);
        for name in lessons {
            tree.insert(&format!("lessons/{name}.md"), format!("+++\ntitle = 'T {name}'\n+++\n").as_bytes(), &mut problems);
        }
        let course = crate::course::read(&tree, &mut problems);
        assert!(problems.is_empty(), "{problems:?}");
        Arc::new(course)
    }

    pub(in crate::pages) fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn neighbours_and_versions_are_of_one_language() {
        let course = course("title = 'C'", &owned(&["a", "b", "c", "c.he", "d", "e"]));
        let navigation = Navigation::new(&course, true, Vec::new());
        let titles = |(before, after): (Option<LinkView>, Option<LinkView>)| [before, after].map(|link| link.map(|link| link.title));
        assert_eq!(titles(navigation.neighbours(4, "")), [Some("T c".into()), Some("T e".into())]);
        assert_eq!(titles(navigation.neighbours(3, "../")), [None, None]);
        assert_eq!(navigation.versions(2), [("en".into(), "c.html".into()), ("he".into(), "he/c.html".into())]);
        assert_eq!(navigation.versions(4), [("en".into(), "d.html".into())]);
    }
}
