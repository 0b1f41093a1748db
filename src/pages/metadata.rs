//! Turns what a page is into what search engines and previews read of it: structured data by schema.org.
//!
//! Must not know templates. Addresses in it are whole, so there is none where nobody says where the site is published.

use serde_json::{Value, json};

use crate::course::lesson::Lesson;

use super::frame::Frame;
use super::navigation::Navigation;

/// The data of a lesson's page: the lesson as a part of its course, and the way down to it.
pub(crate) fn of_lesson(frame: &Frame, lesson: &Lesson, navigation: &Navigation) -> Option<String> {
    let address = frame.page.address.as_ref()?;
    let course = course(frame, navigation)?;
    let data = json!({
        "@type": ["TechArticle", "LearningResource"],
        "headline": frame.page.title,
        "description": frame.page.description,
        "url": address,
        "inLanguage": frame.page.language,
        "datePublished": lesson.date,
        "dateModified": lesson.updated.as_ref().or(lesson.date.as_ref()),
        "keywords": (!lesson.tags.is_empty()).then(|| lesson.tags.join(", ")),
        "isPartOf": course,
    });
    let path = |href: &str| href.strip_prefix(&*frame.page.root).unwrap_or(href).to_owned();
    let crumbs = frame.page.crumbs.iter().map(|crumb| (crumb.title.as_str(), navigation.course.config.address(&path(&crumb.href))));
    let crumbs = crumbs.chain([(frame.page.title.as_str(), Some(address.clone()))]).enumerate();
    let item = |(index, (name, item)): (usize, (&str, Option<String>))| json!({ "@type": "ListItem", "position": index + 1, "name": name, "item": item });
    let way = json!({ "@type": "BreadcrumbList", "itemListElement": crumbs.map(item).collect::<Vec<_>>() });
    Some(script(&json!({ "@context": "https://schema.org", "@graph": [told(data), way] })))
}

/// The data of a list of lessons: the course.
pub(crate) fn of_course(frame: &Frame, navigation: &Navigation) -> Option<String> {
    let mut data = course(frame, navigation)?;
    data["@context"] = json!("https://schema.org");
    data["description"] = json!(frame.page.description);
    Some(script(&told(data)))
}

fn course(frame: &Frame, navigation: &Navigation) -> Option<Value> {
    let address = navigation.course.config.address(&navigation.home(&frame.page.language))?;
    Some(json!({ "@type": "Course", "name": frame.course.title, "url": address, "inLanguage": frame.page.language }))
}

/// `data` without what is not known.
fn told(mut data: Value) -> Value {
    if let Some(entries) = data.as_object_mut() {
        entries.retain(|_, value| !value.is_null());
    }
    data
}

/// `data` as the text of a script element, which nothing in it can end.
fn script(data: &Value) -> String {
    data.to_string().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_the_script() {
        let text = script(&json!({ "a": "</script><!--", "b": null }));
        assert!(!text.contains('<'));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["a"], "</script><!--");
        assert_eq!(told(json!({ "a": 1, "b": null })), json!({ "a": 1 }));
    }
}
