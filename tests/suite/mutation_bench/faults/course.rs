//! Turns the course's configuration into one that promises more, or lets more pass, than it should.
//!
//! Must not know how it is read.

use super::super::course::{Change, Course};
use super::super::random::Random;
use super::super::text::{one, slip};
use super::Kind;

pub(super) const KINDS: &[Kind] = &[
    Kind { what: "a published device that nobody measured on", rule: "evidence-missing", count: 4, make: device },
    Kind { what: "a rule turned off that pages stand on", rule: "rule-fixed", count: 8, make: fixed },
    Kind { what: "a rule with a slip in its name", rule: "rule-unknown", count: 8, make: unknown },
    Kind { what: "an outline with a slip in it", rule: "outline-missing", count: 8, make: outline },
    Kind { what: "a key of the course with a slip in it", rule: "toml-unknown-key", count: 4, make: key },
    Kind { what: "a lesson that shows nothing of its sweep", rule: "nothing-shown", count: 8, make: bare },
];

const FILE: &str = "lessons/course.toml";

fn with(
    course: &Course,
    random: &mut Random,
    pattern: &str,
    change: impl FnOnce(&regex::Captures<'_>, &mut Random) -> Option<String>,
) -> Option<Change> {
    Some(Change::of(FILE, one(course.tree.text(FILE), pattern, random, change)?))
}

fn device(course: &Course, random: &mut Random) -> Option<Change> {
    with(course, random, r#"published = \["[^"]+"(?<here>)"#, |_, random| {
        const DEVICES: [&str; 6] =
            ["nvidia-h100", "nvidia-b200", "nvidia-h20", "nvidia-a100-sxm4-80gb", "nvidia-l4", "nvidia-h200-1g-18gb"];
        random.pick(&DEVICES).map(|device| format!(", \"{device}\""))
    })
}

fn weighed(course: &Course, rule: &str, level: &str) -> Option<Change> {
    let text = course.tree.text(FILE);
    Some(Change::of(FILE, format!("{}\n[rules]\n{rule} = {{ level = \"{level}\", reason = \"it is in the way\" }}\n", text.trim_end())))
}

/// Rules without which a page could say what nobody measured.
fn fixed(course: &Course, random: &mut Random) -> Option<Change> {
    const RULES: [&str; 8] = [
        "evidence-digest",
        "evidence-stale",
        "evidence-transcript",
        "evidence-unchecked",
        "claim-refuted",
        "site-edited",
        "physics-bandwidth",
        "marker-leaked",
    ];
    weighed(course, random.pick(&RULES)?, ["off", "warning"][random.below(2)])
}

fn unknown(course: &Course, random: &mut Random) -> Option<Change> {
    const RULES: [&str; 4] = ["unbound-figure", "snippet-unused", "sweep-unused", "stated-share"];
    let rule = slip(random.pick(&RULES)?, random, |_| false)?;
    weighed(course, &rule, "error")
}

fn outline(course: &Course, random: &mut Random) -> Option<Change> {
    let names: Vec<&str> = course.compiled.course.lessons.iter().map(|lesson| lesson.name.as_str()).collect();
    with(course, random, r#"\b(?:outline|lessons) = \[(?:"[^"]+", )*"(?<here>[^"]+)""#, |found, random| {
        slip(&found["here"], random, |name| names.contains(&name))
    })
}

fn key(course: &Course, random: &mut Random) -> Option<Change> {
    with(course, random, r"(?m)^(?<here>summary|language|outline|published|evidence_days) = ", |found, random| {
        slip(&found["here"], random, |_| false)
    })
}

fn bare(course: &Course, random: &mut Random) -> Option<Change> {
    let sweeps: Vec<&String> = course.compiled.course.sweeps.keys().collect();
    let sweep = random.pick(&sweeps)?;
    let name = ["bare", "words", "plain"][random.below(3)];
    Some(Change::of(&format!("lessons/{name}.md"), format!("+++\ntitle = \"Bare\"\nsweeps = [\"{sweep}\"]\n+++\n\nOnly words.\n")))
}
