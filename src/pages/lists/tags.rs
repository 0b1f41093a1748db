//! Turns the tags of a language's lessons into a list, and each lesson's tags into links to it.
//!
//! Must not know what a tag means. Tags that differ in case only are one.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::Value;
use serde::Serialize;

use crate::base::name::slug;
use crate::course::lesson::Lesson;
use crate::pages::navigation::Edition;
use crate::pages::stock::Stock;

use super::{LessonLink, List, frame};

/// The anchor of each tag of a language, by the tag in lower case.
#[derive(Debug, Default)]
pub(crate) struct TagLinks(BTreeMap<String, String>);

impl TagLinks {
    /// Of the tags of `lessons`.
    pub(crate) fn of<'a>(lessons: impl Iterator<Item = &'a Lesson>) -> Self {
        let tags: BTreeSet<String> = lessons.flat_map(|lesson| &lesson.tags).map(|tag| tag.to_lowercase()).collect();
        let mut taken = BTreeSet::new();
        let anchor = |tag: String| {
            let slug = format!("tag-{}", slug(&tag));
            // `C` and `C++` are two tags.
            let mut ids = (1..).map(|number| if number == 1 { slug.clone() } else { format!("{slug}-{number}") });
            let id = ids.find(|id| taken.insert(id.clone())).unwrap_or_default();
            (tag, id)
        };
        Self(tags.into_iter().map(anchor).collect())
    }

    /// The anchor of `tag`.
    pub(crate) fn anchor(&self, tag: &str) -> &str {
        self.0.get(&tag.to_lowercase()).map_or("", String::as_str)
    }
}

#[derive(Serialize)]
struct View {
    about: &'static str,
    tags: Vec<TagView>,
}

#[derive(Serialize)]
struct TagView {
    id: String,
    name: String,
    lessons: Vec<LessonLink>,
}

pub(super) fn page(stock: &Stock, edition: &Edition) -> Value {
    let about = crate::pages::words::words(&edition.language).finding.tags_about;
    let frame = frame(stock, edition, List::Tags, about);
    let mut tags: BTreeMap<String, TagView> = BTreeMap::new();
    for (index, made) in stock.lessons_of(edition) {
        for tag in &stock.navigation.lessons[index].tags {
            let view = || TagView { id: edition.tags.anchor(tag).to_owned(), name: tag.clone(), lessons: Vec::new() };
            let link = LessonLink::new(&made.entry, &frame.page.root);
            let lessons = &mut tags.entry(tag.to_lowercase()).or_insert_with(view).lessons;
            if lessons.last().is_none_or(|last| last.href != link.href) {
                lessons.push(link);
            }
        }
    }
    frame.around(View { about, tags: tags.into_values().collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tag_has_an_anchor_of_its_own() {
        let lesson = |tags: &[&str]| {
            let front = format!("+++\ntitle = 'T'\ntags = {tags:?}\n+++\n");
            crate::course::lesson::read(
                &"lessons/a.md".into(),
                &front.as_str().into(),
                &crate::course::config::Config::default(),
                &mut crate::base::problem::Problems::new(),
            )
            .unwrap()
        };
        let lessons = [lesson(&["C++", "L2 cache"]), lesson(&["c", "l2 Cache", "זיכרון"])];
        let links = TagLinks::of(lessons.iter());
        assert_eq!(links.anchor("L2 CACHE"), "tag-l2-cache");
        assert_eq!((links.anchor("C"), links.anchor("c++")), ("tag-c", "tag-c-2"));
        assert_eq!(links.anchor("זיכרון"), "tag-זיכרון");
    }
}
