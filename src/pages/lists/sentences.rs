//! Turns every checked sentence of a language into a list by lesson, each with its verdict on every published device.
//!
//! Must not judge: verdicts come in ready.

use std::collections::BTreeMap;

use minijinja::Value;
use serde::Serialize;

use crate::course::document::{Claim, Node};
use crate::pages::claim::{shown, told};
use crate::pages::links::claim_anchor;
use crate::pages::navigation::Edition;
use crate::pages::page::Page;
use crate::pages::search::plain_text;
use crate::pages::stock::Stock;

use super::{LessonLink, List, frame};

/// A checked sentence of a lesson.
#[derive(Debug, Clone)]
pub(crate) struct Sentence {
    anchor: String,
    /// As the page shows it, with its figures as they print.
    text: String,
    /// On each published device, in their order: the status as a class, and in words.
    verdicts: Vec<(&'static str, &'static str)>,
}

/// The checked sentences of a lesson whose `page` is written.
pub(crate) fn of(nodes: &[Node], page: &Page<'_>) -> Vec<Sentence> {
    let claims = nodes.iter().filter_map(|node| if let Node::Claim(claim) = node { Some(&**claim) } else { None });
    claims.map(|claim| sentence(claim, page)).collect()
}

fn sentence(claim: &Claim, page: &Page<'_>) -> Sentence {
    let verdict = |device: &String| told(claim, device, page);
    Sentence {
        anchor: claim_anchor(&claim.name),
        text: plain_text(shown(claim, page), page),
        verdicts: page.world.facts.devices().iter().map(verdict).collect(),
    }
}

#[derive(Serialize)]
struct View {
    about: &'static str,
    /// The published devices, by name.
    devices: Vec<String>,
    /// How often each verdict was reached, over all devices.
    totals: Vec<TotalView>,
    lessons: Vec<LessonView>,
}

#[derive(Serialize)]
struct TotalView {
    status: &'static str,
    word: &'static str,
    count: usize,
}

#[derive(Serialize)]
struct LessonView {
    #[serde(flatten)]
    lesson: LessonLink,
    sentences: Vec<SentenceView>,
}

#[derive(Serialize)]
struct SentenceView {
    href: String,
    text: String,
    verdicts: Vec<VerdictView>,
}

#[derive(Serialize)]
struct VerdictView {
    status: &'static str,
    word: &'static str,
    /// Where there are several.
    device: Option<String>,
}

pub(super) fn page(stock: &Stock, edition: &Edition) -> Value {
    let about = crate::pages::words::words(&edition.language).finding.sentences_about;
    let frame = frame(stock, edition, List::Sentences, about);
    let devices: Vec<String> = stock.facts.devices().iter().map(|device| stock.facts.device_name(device)).collect();
    let mut totals: BTreeMap<usize, TotalView> = BTreeMap::new();
    let mut lessons = Vec::new();
    for (_, made) in stock.lessons_of(edition) {
        let listed = &made.listed;
        if listed.sentences.is_empty() {
            continue;
        }
        let lesson = LessonLink::new(&made.entry, &frame.page.root);
        let sentences = listed.sentences.iter().map(|sentence| view(sentence, &lesson.href, &devices)).collect();
        for &(status, word) in listed.sentences.iter().flat_map(|sentence| &sentence.verdicts) {
            let place = ["supported", "refuted", "unresolved", "outdated"].iter().position(|known| *known == status).unwrap_or(4);
            totals.entry(place).or_insert(TotalView { status, word, count: 0 }).count += 1;
        }
        lessons.push(LessonView { lesson, sentences });
    }
    frame.around(View { about, devices, totals: totals.into_values().collect(), lessons })
}

fn view(sentence: &Sentence, lesson: &str, devices: &[String]) -> SentenceView {
    let verdict = |(&(status, word), device): (&(&'static str, &'static str), &String)| VerdictView {
        status,
        word,
        device: (devices.len() > 1).then(|| device.clone()),
    };
    SentenceView {
        href: format!("{lesson}#{}", sentence.anchor),
        text: sentence.text.clone(),
        verdicts: sentence.verdicts.iter().zip(devices).map(verdict).collect(),
    }
}
