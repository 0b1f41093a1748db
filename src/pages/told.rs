//! Turns a lesson into its checked sentences as they stand on one device, without markup: what a terminal shows of a page.
//!
//! Must not judge: verdicts come in ready.

use crate::claims::ClaimOutcome;
use crate::claims::verdicts::Shows;
use crate::course::document::Claim;
use crate::course::lesson::Lesson;

use super::block::Block;
use super::html::plain;
use super::links::lesson_path;
use super::page::{Page, World};
use super::text;

/// A checked sentence of a lesson on a device.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The claim's name.
    pub claim: String,
    /// The sentence that the page shows there, with its figures as they print there.
    pub sentence: String,
    /// What the evidence says of it.
    pub outcome: Option<ClaimOutcome>,
}

/// The checked sentences of `lesson` on the device `device`, in the order of the page; none where the page does not show that device.
pub(crate) fn told(world: World<'_>, lesson: &Lesson, device: &str) -> Vec<Told> {
    let mut page = Page::new(world, lesson);
    let Some(index) = page.devices.iter().position(|known| known == device) else { return Vec::new() };
    page.write_for(index);
    lesson.document().claims().map(|claim| one(claim, device, &mut page)).collect()
}

fn one(claim: &Claim, device: &str, page: &mut Page<'_>) -> Told {
    let outcome = page.world.verdicts.of(&page.lesson.name, &claim.name, device);
    let nodes = match (outcome.map(|outcome| outcome.shows), &claim.otherwise) {
        (Some(Shows::Otherwise), Some(otherwise)) => &otherwise.sentence,
        _ => &claim.sentence,
    };
    let html = |block: &Block| if let Block::Html { html } = block { html.text().to_owned() } else { String::new() };
    let text = plain(&text::blocks(nodes, page).iter().map(html).collect::<String>());
    let sentence = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Told { claim: claim.name.clone(), sentence, outcome: outcome.cloned() }
}

/// The path of the page of `lesson` on the site.
pub(crate) fn path(world: World<'_>, lesson: &Lesson) -> String {
    lesson_path(lesson, &world.course.config.language)
}
