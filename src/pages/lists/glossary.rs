//! Turns the terms that lessons of a language define into a glossary in the order of the alphabet, each with the way back.
//!
//! Must not know how a definition looks in its lesson.

use minijinja::Value;
use serde::Serialize;

use crate::course::document::{Definition, Document, Node};
use crate::pages::navigation::Edition;
use crate::pages::page::Page;
use crate::pages::search::plain_text;
use crate::pages::stock::Stock;

use super::{LessonLink, List, frame};

/// A term that a lesson defines.
#[derive(Debug, Clone)]
pub(crate) struct Term {
    name: String,
    also: Vec<String>,
    anchor: String,
    /// The definition, with its figures as they print.
    text: String,
}

/// The terms of a lesson whose `page` is written.
pub(super) fn of(document: &Document, page: &Page<'_>) -> Vec<Term> {
    let term = |(definition, nodes): (&Definition, &[Node])| Term {
        name: definition.name.clone(),
        also: definition.also.clone(),
        anchor: definition.anchor(),
        text: plain_text(nodes, page),
    };
    document.terms().map(term).collect()
}

#[derive(Serialize)]
struct View {
    about: &'static str,
    terms: Vec<TermView>,
}

#[derive(Serialize)]
struct TermView {
    anchor: String,
    name: String,
    also: Vec<String>,
    text: String,
    /// The way to the definition in its lesson.
    href: String,
    lesson: LessonLink,
}

pub(super) fn page(stock: &Stock, edition: &Edition) -> Value {
    let about = crate::pages::words::words(&edition.language).finding.glossary_about;
    let frame = frame(stock, edition, List::Glossary, about);
    let mut terms = Vec::new();
    for (_, made) in stock.lessons_of(edition) {
        for term in &made.listed.terms {
            let lesson = LessonLink::new(&made.entry, &frame.page.root);
            terms.push(TermView {
                anchor: term.anchor.clone(),
                name: term.name.clone(),
                also: term.also.clone(),
                text: term.text.clone(),
                href: format!("{}#{}", lesson.href, term.anchor),
                lesson,
            });
        }
    }
    terms.sort_by_cached_key(|term| (term.name.to_lowercase(), term.name.clone()));
    frame.around(View { about, terms })
}
