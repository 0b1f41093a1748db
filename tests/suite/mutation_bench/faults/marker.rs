//! Turns markers of lessons into ones that ask for something that is not there, or that are no markers any more.
//!
//! Must not know how a marker is read.

use super::super::course::{Change, Course};
use super::super::random::Random;
use super::super::text::{in_one_of, slip};
use super::Kind;
use super::lesson::lessons;

pub(super) const KINDS: &[Kind] = &[
    Kind { what: "a marker of a kind with a slip in it", rule: "marker-kind", count: 8, make: kind },
    Kind { what: "a marker with words behind it", rule: "marker-trailing", count: 8, make: trailing },
    Kind { what: "a marker whose options are never closed", rule: "marker-split", count: 8, make: split },
    Kind { what: "a marker without the line that parts it from the next", rule: "marker-doubled", count: 8, make: doubled },
    Kind { what: "a marker in a heading", rule: "marker-in-heading", count: 8, make: heading },
    Kind { what: "a marker that does not say what it shows", rule: "marker-target", count: 8, make: target },
    Kind { what: "a region with a slip in its name", rule: "snippet-missing", count: 8, make: region },
    Kind { what: "a column that the sweep does not have", rule: "exhibit-column", count: 8, make: column },
    Kind { what: "a table, chart or comparison of no sweep", rule: "exhibit-sweep", count: 8, make: sweep },
    Kind { what: "an option with a slip in its name", rule: "toml-unknown-key", count: 4, make: option },
];

const MARKER: &str = r"(?m)^(?:> )?(?:snippet|table|chart|transcript|comparison): ";

fn kind(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &lessons(course), r"(?m)^(?<here>snippet|table|chart|transcript|comparison): ", random, |found, random| {
        // One letter less or two in each other's place: a slip that leaves the word to be recognised.
        let word = &found["here"];
        let at = 1 + random.below(word.len() - 2);
        Some(match random.below(2) {
            0 => format!("{}{}", &word[..at], &word[at + 1..]),
            _ => format!("{}{}{}{}", &word[..at], &word[at + 1..at + 2], &word[at..=at], &word[at + 2..]),
        })
    })
}

fn trailing(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &lessons(course), &format!(r"{MARKER}[^\n{{]+(?:\{{[^\n]*\}})?(?<here>)\n\n"), random, |_, random| {
        Some([" as said above", "\nas said above", " (see there)", "\nand more"][random.below(4)].to_owned())
    })
}

fn split(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &lessons(course), &format!(r"(?s){MARKER}[^\n{{]+\{{[^}}]*?(?<here>\}})\n\n"), random, |_, _| Some(String::new()))
}

fn doubled(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &lessons(course), &format!(r"{MARKER}[^\n]+\n(?<here>\n)"), random, |_, random| {
        Some(["table: more\n\n", "snippet: a.cu#b\n\n", "chart: more\n\n", "transcript: more\n\n"][random.below(4)].to_owned())
    })
}

fn heading(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &lessons(course), r"(?m)^(?<here>)(?:snippet|table|chart|transcript|comparison): [^\n]*$", random, |_, random| {
        Some(["# ", "## ", "### "][random.below(3)].to_owned())
    })
}

fn target(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &lessons(course), r"(?m)^(?:snippet|table|chart|transcript|comparison): (?<here>[^ \n]+)", random, |_, _| {
        Some(String::new())
    })
}

fn region(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &lessons(course), r"(?m)^snippet: (?:(?<file>[\w-]+)\.cu#)?(?<here>[\w-]+)", random, |found, random| {
        // A file has other regions, and a slip may fall on one.
        let text = course.tree.text(&format!("kernels/{}.cu", found.name("file")?.as_str()));
        slip(&found["here"], random, |name| text.contains(&format!("snippet: {name}\n")))
    })
}

fn column(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(
        course,
        &lessons(course),
        r#"(?m)(?:columns = \[(?:"[^"]+", )*|\b[xy] = |best = )"(?<here>[^"]+)""#,
        random,
        |found, random| {
            // With a point it is an expression.
            let is_column = !found["here"].contains('.');
            is_column.then(|| format!("{}{}", &found["here"], [" 2", "q", "/s/s", "_"][random.below(4)]))
        },
    )
}

fn sweep(course: &Course, random: &mut Random) -> Option<Change> {
    let known: Vec<&str> = course.compiled.course.sweeps.keys().map(String::as_str).collect();
    in_one_of(course, &lessons(course), r"(?m)^(?:table|chart|transcript|comparison): (?<here>[\w-]+)", random, |found, random| {
        slip(&found["here"], random, |name| known.contains(&name))
    })
}

fn option(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &lessons(course), r"(?m)(?:\{ ?|, |^  )(?<here>columns|caption|title|log|best|series) = ", random, |found, random| {
        slip(&found["here"], random, |_| false)
    })
}
