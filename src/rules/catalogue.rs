//! Turns all that can be found wrong with a course into a list of rules: what each protects, an example, and how far a course may
//! weigh it otherwise.
//!
//! Must not find anything itself. Every id of a problem belongs to one rule of this list, and a test holds the two to each other.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::json;

use super::RULES;
use crate::base::problem::Severity;
use crate::course::policy::Weight;

/// A rule: what is held to, whoever finds that it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The ids of its problems.
    pub ids: &'static [&'static str],
    /// What it protects the reader or the author from.
    pub protects: &'static str,
    /// An example of what it finds.
    pub example: &'static str,
}

/// How far a course may weigh the problems of an id otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leeway {
    /// Not at all: with such a problem, a page could say what nobody measured, or be no page.
    Fixed,
    /// They may be warnings.
    Warning,
    /// They may be left out.
    Off,
}

/// The ids that a course may weigh otherwise. Whatever is not named here is fixed, so that a new rule is.
const LEEWAY: [(&str, Leeway); 20] = [
    ("claim-not-measured", Leeway::Warning),
    ("claim-unresolved", Leeway::Warning),
    ("evidence-missing", Leeway::Warning),
    ("evidence-old", Leeway::Off),
    ("evidence-removed", Leeway::Off),
    ("front-matter-missing", Leeway::Off),
    ("heading-level", Leeway::Off),
    ("kernel-warning", Leeway::Off),
    ("link-missing", Leeway::Warning),
    ("nothing-shown", Leeway::Off),
    ("outline-missing", Leeway::Warning),
    ("printed-unread", Leeway::Warning),
    ("snippet-unused", Leeway::Off),
    ("stated-measured", Leeway::Warning),
    ("stated-share", Leeway::Off),
    ("stated-unused", Leeway::Off),
    ("sweep-unused", Leeway::Off),
    ("template-unused", Leeway::Off),
    ("unbound-figure", Leeway::Off),
    ("vacuous-claim", Leeway::Warning),
];

/// What other stages find while they read, plan and judge.
const OTHERS: [Entry; 22] = [
    Entry {
        ids: &["course-missing", "file-changed", "file-name", "not-text", "unreadable"],
        protects: "the author from a course of which a part was passed over in silence",
        example: "`lessonc verify --course docs`, and docs/lessons/course.toml is not there",
    },
    Entry {
        ids: &["toml-duplicate-key", "toml-missing-key", "toml-syntax", "toml-type", "toml-unknown-key", "toml-value"],
        protects: "the author from a key that is misspelt and does nothing",
        example: "`evidence_day = 365` under `[policy]`",
    },
    Entry {
        ids: &[
            "alias-name",
            "alias-taken",
            "front-matter-language",
            "front-matter-missing",
            "lesson-empty",
            "front-matter-unclosed",
            "heading-duplicate-id",
            "lesson-name",
            "lesson-place",
            "outline-missing",
            "translation-alone",
            "translation-language",
        ],
        protects: "readers from a course that lacks a lesson its author wrote",
        example: "lessons/occupancy.he.md translates a lesson that is not there",
    },
    Entry {
        ids: &[
            "alert-kind",
            "answer-empty",
            "footnote-duplicate",
            "footnote-missing",
            "footnote-unused",
            "heading-level",
            "html-refused",
            "html-unclosed",
            "marker-doubled",
            "marker-in-heading",
            "marker-in-table",
            "marker-kind",
            "marker-place",
            "marker-split",
            "marker-target",
            "marker-trailing",
            "math-syntax",
            "picture-no-text",
            "picture-unread",
            "term-duplicate",
        ],
        protects: "readers from a page that lost an exhibit, or shows how it was asked for",
        example: "`tabel: block-size` in a paragraph of its own",
    },
    Entry {
        ids: &[
            "snippet-crossed",
            "snippet-duplicate",
            "snippet-empty",
            "snippet-end-name",
            "snippet-marker",
            "snippet-missing",
            "snippet-name",
            "snippet-not-opened",
            "snippet-unclosed",
        ],
        protects: "readers from code that is not the region the author meant",
        example: "`snippet: luma.cu#lmua`, and luma.cu has only `luma`",
    },
    Entry {
        ids: &[
            "header-ambiguous",
            "header-missing",
            "kernel-compile",
            "kernel-warning",
            "manifest-buffer",
            "manifest-check",
            "manifest-host",
            "manifest-kind",
            "manifest-label",
            "manifest-name",
            "manifest-opcode",
            "manifest-pattern",
            "manifest-range",
            "manifest-read",
            "manifest-regions-overlap",
            "manifest-rows",
            "manifest-source",
            "manifest-unchecked",
            "manifest-unfilled",
            "manifest-unit",
            "manifest-value",
            "sweep-missing",
        ],
        protects: "the author from a run that measures something else than was meant, or checks nothing",
        example: "an `out` buffer that no check looks at",
    },
    Entry {
        ids: &["fake-device"],
        protects: "the tests of a course from a description of the fake device that describes nothing",
        example: "a fault in the row `i8`, which the sweep does not have",
    },
    Entry {
        ids: &["evidence-copied", "evidence-digest", "evidence-inconsistent", "evidence-name", "evidence-unreadable", "evidence-version"],
        protects: "readers from figures that somebody edited into a record, or that belong to another run",
        example: "a sample of round 3 was changed by hand, and the record's footer vouches for another",
    },
    Entry {
        ids: &["evidence-fake", "evidence-replayed"],
        protects: "readers from figures that no device measured",
        example: "a record of the fake device that calls its device nvidia-h200",
    },
    Entry {
        ids: &["evidence-private"],
        protects: "readers from a quick look that somebody took for themselves",
        example: "a record of `lessonc try` was copied into evidence/",
    },
    Entry {
        ids: &["evidence-path"],
        protects: "whoever measured from telling the world their name and folders",
        example: "a compiler's message in a record names an absolute path",
    },
    Entry {
        ids: &["compile-differs"],
        protects: "readers from registers and spills that this compiler does not give",
        example: "asked with `--compile`, NVRTC 13.0 gives 40 registers where the record says 32",
    },
    Entry {
        ids: &["printed-unread"],
        protects: "readers from a number that was read out of the wrong place of a program's output",
        example: "a column `ms` that two tables of the output have",
    },
    Entry {
        ids: &["expr-call", "expr-name", "expr-syntax", "expr-type", "expr-unit", "expr-value"],
        protects: "readers from a figure or condition that means something else than it seems to",
        example: "`row('256').ms < 4 GB/s`: a time is never less than a rate",
    },
    Entry {
        ids: &["figure-not-measured", "figure-torn"],
        protects: "readers from a gap where a figure belongs",
        example: "`= row('1024').ms`, and the row 1024 was wrong in every round",
    },
    Entry {
        ids: &["exhibit-column", "exhibit-option", "exhibit-runs", "exhibit-sweep"],
        protects: "readers from a table or chart that leaves out what its author asked for",
        example: "`columns = [\"GBs\"]` of a sweep that has \"GB/s\"",
    },
    Entry {
        ids: &["claim-not-measured", "claim-otherwise", "claim-refuted", "claim-unresolved"],
        protects: "readers from a sentence that the evidence does not support",
        example: "`holds = \"row('64')['GB/s'] > 1.3 * row('32')['GB/s']\"`, and the rounds say 1.18 times",
    },
    Entry {
        ids: &["claim-duplicate", "claim-holds-in-translation", "claim-no-holds", "claim-no-sentence", "claim-unknown", "vacuous-claim"],
        protects: "readers from a sentence that looks checked and could not fail",
        example: "`holds = \"row('64').ms > 0 ms\"`",
    },
    Entry {
        ids: &["link-broken", "link-missing", "link-out-of-course", "link-scheme"],
        protects: "readers from links that lead nowhere, and from pages that run code of a stranger",
        example: "`[other](othr.md)`",
    },
    Entry {
        ids: &["site-collision", "template", "template-unused"],
        protects: "readers from a site that lacks a page, or has another in its place",
        example: "the sources a.cu and A.cu, which many disks take for one",
    },
    Entry {
        ids: &["signers-unread"],
        protects: "the author from a signer who is listed and not trusted",
        example: "a line of lessons/allowed_signers without a key",
    },
    Entry {
        ids: &["stated-unread"],
        protects: "the author from a source that vouches for no figure",
        example: "`figure = \"fast\"` in the `stated` list",
    },
];

/// Every rule: those that look at the finished course, then what other stages find.
#[must_use]
pub fn entries() -> Vec<Entry> {
    let own = RULES.iter().map(|rule| Entry { ids: std::slice::from_ref(&rule.id), protects: rule.protects, example: rule.example });
    own.chain(OTHERS).collect()
}

/// How far a course may weigh the problems of `id` otherwise; `None` where there is no such id.
#[must_use]
pub fn leeway(id: &str) -> Option<Leeway> {
    let is_known = entries().iter().any(|entry| entry.ids.contains(&id));
    let named = LEEWAY.iter().find(|(known, _)| *known == id).map(|(_, leeway)| *leeway);
    is_known.then(|| named.unwrap_or(Leeway::Fixed))
}

/// What an id means, by the list that is a part of the program's documents.
pub(super) fn meaning(id: &str) -> &'static str {
    let line = include_str!("problems.md").lines().find_map(|line| line.strip_prefix("| `")?.strip_prefix(id)?.strip_prefix("` | "));
    line.map_or("", |meaning| meaning.trim_end_matches([' ', '|']))
}

/// A leeway in words.
pub(super) fn words(leeway: Leeway) -> &'static str {
    match leeway {
        Leeway::Fixed => "always on",
        Leeway::Warning => "may be a warning",
        Leeway::Off => "may be a warning, or off",
    }
}

fn level(weight: &Weight) -> &'static str {
    match weight.severity {
        Some(Severity::Error) => "error",
        Some(Severity::Warning) => "warning",
        None => "off",
    }
}

/// The rules as people read them, with what a course makes of them.
#[must_use]
pub fn human(weights: &BTreeMap<String, Weight>) -> String {
    let mut text = String::new();
    for entry in entries() {
        for id in entry.ids {
            let _ = writeln!(text, "{id}: {} [{}]", meaning(id), words(leeway(id).unwrap_or(Leeway::Fixed)));
            if let Some(weight) = weights.get(*id) {
                let _ = writeln!(text, "  in this course: {}, because: {}", level(weight), weight.reason);
            }
        }
        let _ = writeln!(text, "  protects {}\n  example: {}\n", entry.protects, entry.example);
    }
    text
}

/// The rules as one JSON object.
#[must_use]
pub fn json(weights: &BTreeMap<String, Weight>) -> String {
    let problem = |id: &&str| {
        let may = match leeway(id) {
            Some(Leeway::Off) => vec!["error", "warning", "off"],
            Some(Leeway::Warning) => vec!["error", "warning"],
            Some(Leeway::Fixed) | None => vec![],
        };
        let here = weights.get(*id).map(|weight| json!({ "level": level(weight), "reason": weight.reason }));
        json!({ "id": id, "meaning": meaning(id), "may_be": may, "here": here })
    };
    let rule = |entry: &Entry| {
        json!({
            "problems": entry.ids.iter().map(problem).collect::<Vec<_>>(),
            "protects": entry.protects,
            "example": entry.example,
        })
    };
    format!("{:#}\n", json!({ "version": 1, "rules": entries().iter().map(rule).collect::<Vec<_>>() }))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_id_of_a_problem_belongs_to_one_rule() {
        let listed: BTreeSet<&str> =
            include_str!("problems.md").lines().filter_map(|line| Some(line.strip_prefix("| `")?.split_once('`')?.0)).collect();
        let ids: Vec<&str> = entries().iter().flat_map(|entry| entry.ids).copied().collect();
        let unique: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(unique.len(), ids.len(), "an id belongs to two rules");
        let lost: Vec<_> = listed.symmetric_difference(&unique).collect();
        assert!(lost.is_empty(), "in problems.md or in the catalogue alone: {lost:?}");
        assert!(LEEWAY.iter().all(|(id, _)| unique.contains(id)) && LEEWAY.is_sorted_by_key(|(id, _)| *id));
        assert!(ids.iter().all(|id| !meaning(id).is_empty()));
    }

    #[test]
    fn what_a_page_stands_on_is_always_on() {
        let fixed = [
            "evidence-digest",
            "evidence-stale",
            "evidence-transcript",
            "evidence-inconsistent",
            "evidence-unchecked",
            "evidence-fake",
            "claim-refuted",
            "claim-otherwise",
            "physics-bandwidth",
            "site-edited",
            "marker-leaked",
            "nothing-checked",
            "link-scheme",
        ];
        for id in fixed {
            assert_eq!(leeway(id), Some(Leeway::Fixed), "{id}");
        }
        assert_eq!(
            (leeway("unbound-figure"), leeway("evidence-missing"), leeway("no-such")),
            (Some(Leeway::Off), Some(Leeway::Warning), None)
        );
    }

    #[test]
    fn the_list_says_what_a_course_makes_of_a_rule() {
        let at = crate::base::span::Span::top(&"lessons/course.toml".into());
        let weights = BTreeMap::from([("unbound-figure".to_owned(), Weight { severity: None, reason: "old pages".to_owned(), at })]);
        let text = human(&weights);
        assert!(text.contains("[may be a warning, or off]\n  in this course: off, because: old pages\n"), "{text}");
        assert!(
            text.contains("evidence-digest: A record's lines are not those that its footer vouches for: it was edited. [always on]"),
            "{text}"
        );
        let value: serde_json::Value = serde_json::from_str(&json(&weights)).unwrap();
        let problems = value["rules"].as_array().unwrap().iter().flat_map(|rule| rule["problems"].as_array().unwrap());
        let here: Vec<_> = problems.filter(|problem| !problem["here"].is_null()).collect();
        assert_eq!((here.len(), here[0]["here"]["level"].as_str()), (1, Some("off")));
    }
}
