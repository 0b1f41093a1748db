//! Turns the published site into one that was edited by hand, or that an older build left.
//!
//! Must not know manifests beyond that they list what a build wrote.

use lessonc::rules::published::MANIFEST;

use super::super::course::{Change, Course, Files, seal};
use super::super::random::Random;
use super::super::text::{digit, in_one_of, one};
use super::Kind;

pub(super) const KINDS: &[Kind] = &[
    Kind { what: "a figure made rounder in the site", rule: "site-edited", count: 6, make: edited },
    Kind { what: "a page or an asset taken off the site", rule: "site-edited", count: 4, make: removed },
    Kind { what: "a manifest of the site in pieces", rule: "site-edited", count: 2, make: torn },
    Kind { what: "an edit of the site that its manifest agrees with", rule: "site-stale", count: 3, make: sealed },
    Kind { what: "a lesson reworded and no build", rule: "site-stale", count: 3, make: reworded },
    Kind { what: "a page that no build makes, and the manifest lists", rule: "site-stale", count: 3, make: added },
    Kind { what: "a template that never ends", rule: "template", count: 4, make: endless },
    Kind { what: "a template with a name that no view has", rule: "template", count: 6, make: unknown },
    Kind { what: "a template that shows a marker", rule: "marker-leaked", count: 8, make: leaking },
    Kind { what: "a template under a name that nothing uses", rule: "template-unused", count: 8, make: unused },
];

/// A digit of a page.
fn with_edit(course: &Course, random: &mut Random) -> Option<Files> {
    let mut site = course.site.clone();
    let pages: Vec<String> = site.keys().filter(|path| path.ends_with(".html") || path.ends_with(".csv")).cloned().collect();
    let page = random.pick(&pages)?;
    let text = String::from_utf8(site.get(page)?.clone()).ok()?;
    let text = one(&text, r"\d+(?:\.\d+)?", random, |found, random| digit(&found[0], random))?;
    site.insert(page.clone(), text.into_bytes());
    Some(site)
}

fn edited(course: &Course, random: &mut Random) -> Option<Change> {
    Some(Change::default().with_site(with_edit(course, random)?))
}

fn removed(course: &Course, random: &mut Random) -> Option<Change> {
    let mut site = course.site.clone();
    let files: Vec<String> = site.keys().filter(|path| *path != MANIFEST).cloned().collect();
    site.remove(random.pick(&files)?);
    Some(Change::default().with_site(site))
}

fn torn(course: &Course, random: &mut Random) -> Option<Change> {
    let mut site = course.site.clone();
    let text = String::from_utf8(site.get(MANIFEST)?.clone()).ok()?;
    let at = *random.pick(&text.match_indices('\n').map(|(at, _)| at + 1).collect::<Vec<_>>())?;
    site.insert(MANIFEST.to_owned(), format!("{}<<<<<<< HEAD\n{}", &text[..at], &text[at..]).into_bytes());
    Some(Change::default().with_site(site))
}

fn sealed(course: &Course, random: &mut Random) -> Option<Change> {
    let mut site = with_edit(course, random)?;
    seal(&mut site);
    Some(Change::default().with_site(site))
}

/// Two words of a paragraph change places, and the site is that of before.
fn reworded(course: &Course, random: &mut Random) -> Option<Change> {
    let words = r"(?m)^[A-Z][a-z]+ [a-z ]*\b(?<here>[a-z]{3,} [a-z]{3,})\b";
    let change = in_one_of(course, &course.names("lessons", ".md"), words, random, |found, _| {
        let (first, second) = found["here"].split_once(' ')?;
        Some(format!("{second} {first}"))
    })?;
    Some(change.with_site(course.site.clone()))
}

fn added(course: &Course, random: &mut Random) -> Option<Change> {
    let mut site = course.site.clone();
    site.insert(format!("more-{}.html", random.below(1000)), b"<!doctype html>\n".to_vec());
    seal(&mut site);
    Some(Change::default().with_site(site))
}

/// Templates that every build fills.
const FILLED: [&str; 5] =
    ["templates/base.html", "templates/index.html", "templates/404.html", "templates/lesson.html", "templates/source-page.html"];

/// A place in a template's `block content`, which is filled with every page of it.
fn in_template(course: &Course, random: &mut Random, more: &str) -> Option<Change> {
    let names: Vec<String> = FILLED.iter().map(|name| (*name).to_owned()).collect();
    in_one_of(course, &names, r"(?m)^\{% block content %\}\n|<body[^>]*>\n", random, |found, random| {
        Some(format!("{}{}", &found[0], more.replace("NUMBER", &random.below(10_000).to_string())))
    })
}

fn endless(course: &Course, random: &mut Random) -> Option<Change> {
    in_template(course, random, "{% for a in range(99999) %}{% for b in range(99999) %}{{ NUMBER }}{% endfor %}{% endfor %}\n")
}

fn unknown(course: &Course, random: &mut Random) -> Option<Change> {
    in_template(course, random, "{{ no_such_NUMBER }}\n")
}

fn leaking(course: &Course, random: &mut Random) -> Option<Change> {
    in_template(course, random, "<pre>\n<i>// snippet: region-NUMBER</i>\n</pre>\n")
}

fn unused(_: &Course, random: &mut Random) -> Option<Change> {
    let stem = ["lessons", "charts", "tabel", "style", "script"][random.below(5)];
    let ending = ["css", "js", "svg"][random.below(3)];
    Some(Change::of(&format!("templates/{stem}.{ending}"), "/* mine */\n"))
}
