//! Turns block markers into exhibits: code, tables, charts, transcripts, each by its own file.
//!
//! Must not know where on a page an exhibit stands. To add a kind: a file here, a line in [`EXHIBITS`], a template.

mod chart;
mod columns;
mod comparison;
mod gap;
mod history;
mod marks;
mod rounds;
mod rows;
mod snippet;
mod table;
mod transcript;

use crate::base::problem::Problem;
use crate::course::marker::Marker;

use super::block::{Block, on_devices};
use super::page::Page;

/// A kind of exhibit.
pub(crate) trait Exhibit: Sync {
    /// The word before the colon.
    fn kind(&self) -> &'static str;
    /// The exhibit that `marker` asks for; `None` if it can't be shown, and the page's problems say why.
    fn make(&self, marker: &Marker, page: &mut Page<'_>) -> Option<Block>;
}

/// Every kind of exhibit.
pub(crate) static EXHIBITS: &[&dyn Exhibit] =
    &[&snippet::Snippet, &table::Table, &chart::Chart, &rounds::Rounds, &comparison::Comparison, &transcript::Transcript];

/// Makes the exhibit that `marker` asks for: one, or one for each device where they differ.
pub(crate) fn make(marker: &Marker, page: &mut Page<'_>) -> Vec<Block> {
    on_devices(page.on_each(|page| on_device(marker, page)))
}

fn on_device(marker: &Marker, page: &mut Page<'_>) -> Block {
    let before = page.problems.errors();
    let made = match EXHIBITS.iter().find(|exhibit| exhibit.kind() == marker.kind) {
        Some(exhibit) => exhibit.make(marker, page),
        None => {
            let message = format!("`{}:` can't stand here", marker.kind);
            page.problems.push(Problem::error("marker-kind", marker.at.clone(), message).hint("it belongs at the head of a quotation"));
            None
        }
    };
    made.unwrap_or_else(|| {
        let why = page.problems.iter().skip(before).last().map(|problem| problem.message.clone());
        Block::problem(&format!("{}: {}", marker.kind, marker.target.text()), why.as_deref().unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::marker::KINDS;

    #[test]
    fn every_kind_of_marker_is_an_exhibit_or_heads_a_quotation() {
        let mut known: Vec<&str> = EXHIBITS.iter().map(|exhibit| exhibit.kind()).collect();
        known.extend(["claim", "otherwise", "answer", "aside", "tab", "term"]);
        assert_eq!(known, KINDS);
    }
}
