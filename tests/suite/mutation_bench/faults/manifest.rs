//! Turns manifests into ones that describe another measurement, or that can't be read as they were meant.
//!
//! Must not know fingerprints: a number of the rows, buffers, inputs, check, launch or timing is a part of what was measured.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::course::{Change, Course};
use super::super::random::Random;
use super::super::text::{digit, in_one_of, one, regex, slip};
use super::Kind;

pub(super) const KINDS: &[Kind] = &[
    Kind { what: "another number in what was measured", rule: "evidence-stale", count: 3, make: number },
    Kind { what: "another option for the compiler", rule: "evidence-stale", count: 3, make: option },
    Kind { what: "a wider tolerance", rule: "evidence-stale", count: 3, make: tolerance },
    Kind { what: "a row more", rule: "evidence-stale", count: 3, make: axis },
    Kind { what: "a key with a slip in it", rule: "toml-unknown-key", count: 8, make: key },
    Kind { what: "a key twice", rule: "toml-duplicate-key", count: 8, make: twice },
    Kind { what: "a key left out", rule: "toml-missing-key", count: 8, make: left_out },
    Kind { what: "a number where a text belongs", rule: "toml-type", count: 8, make: type_of },
    Kind { what: "a quote or bracket that is never closed", rule: "toml-syntax", count: 8, make: syntax },
    Kind { what: "a source that is not there", rule: "manifest-source", count: 8, make: source },
    Kind { what: "a buffer that is not declared", rule: "manifest-buffer", count: 8, make: buffer },
    Kind { what: "a column that stands on a name nobody knows", rule: "expr-name", count: 6, make: column },
    Kind { what: "a column in a unit of another kind", rule: "manifest-unit", count: 8, make: unit },
    Kind { what: "a sweep that checks nothing", rule: "manifest-check", count: 8, make: unchecked },
];

/// The manifests of sweeps that feed pages.
fn used(course: &Course) -> Vec<String> {
    course.feeding.iter().filter(|feeding| feeding.job.kernel().is_some()).map(|feeding| feeding.job.sweep.manifest.to_string()).collect()
}

fn every(course: &Course) -> Vec<String> {
    course.compiled.course.sweeps.values().map(|sweep| sweep.manifest.to_string()).collect()
}

/// The lines of `text` below the headings of the tables `names`, `a.b` and `[[a]]` among them.
fn tables(text: &str, names: &[&str]) -> Vec<Range<usize>> {
    let headings: Vec<_> = regex(r"(?m)^\[+(?<name>[a-z]+)[^\]\n]*\]+")
        .captures_iter(text)
        .map(|found| (found.get(0).unwrap().range(), found["name"].to_owned()))
        .collect();
    let ends = headings.iter().skip(1).map(|(range, _)| range.start).chain([text.len()]);
    headings.iter().zip(ends).filter(|((_, name), _)| names.contains(&name.as_str())).map(|((range, _), end)| range.end..end).collect()
}

/// Numbers of `text` that stand for themselves, comments and names aside, within `ranges`.
fn numbers(text: &str, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let comments: Vec<Range<usize>> = regex(r"(?m)^#.*$").find_iter(text).map(|found| found.range()).collect();
    let is_within = |ranges: &[Range<usize>], at: usize| ranges.iter().any(|range| range.contains(&at));
    let pattern = regex(r"(?:^|[^\w.'])(?<here>\d+(?:\.\d+)?(?:e-?\d+)?)\b");
    let found = pattern.captures_iter(text).map(|found| found.name("here").unwrap().range());
    found.filter(|number| is_within(ranges, number.start) && !is_within(&comments, number.start)).collect()
}

/// The constants that the measured part of a manifest names, or that those name in turn: one that only a column names changes no
/// measurement, and the pages follow.
fn measured_constants(text: &str) -> BTreeSet<String> {
    let part = |names: &[&str]| tables(text, names).into_iter().map(|range| &text[range]).collect::<Vec<_>>().join("\n");
    let constants = part(&["constants"]);
    let lines: Vec<(&str, &str)> = constants.lines().filter_map(|line| line.split_once(" = ")).collect();
    let mut reached = part(&MEASURED);
    let mut named = BTreeSet::new();
    loop {
        let more: Vec<_> = lines
            .iter()
            .filter(|(name, _)| !named.contains(*name) && regex(&format!(r"\b{}\b", regex::escape(name))).is_match(&reached))
            .collect();
        if more.is_empty() {
            return named;
        }
        for (name, value) in more {
            named.insert((*name).to_owned());
            reached += value;
        }
    }
}

const MEASURED: [&str; 6] = ["axes", "rows", "buffers", "inputs", "check", "launch"];

fn number(course: &Course, random: &mut Random) -> Option<Change> {
    let name = random.pick(&used(course))?.clone();
    let text = course.tree.text(&name);
    let constants = measured_constants(text);
    let mut places = numbers(text, &tables(text, &MEASURED));
    places.extend(numbers(text, &tables(text, &["constants"])).into_iter().filter(|number| {
        let line = text[..number.start].rsplit('\n').next().unwrap_or("");
        line.split_once(" = ").is_some_and(|(constant, _)| constants.contains(constant))
    }));
    let at = random.pick(&places)?;
    Some(Change::of(&name, format!("{}{}{}", &text[..at.start], digit(&text[at.clone()], random)?, &text[at.end..])))
}

fn option(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &used(course), r#"(?m)^options = \[(?<here>)""#, random, |_, random| {
        const OPTIONS: [&str; 4] = ["\"--use_fast_math\", ", "\"--fmad=false\", ", "\"--maxrregcount=32\", ", "\"-DN=2\", "];
        random.pick(&OPTIONS).map(|&option| option.to_owned())
    })
}

fn tolerance(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &used(course), r"(?m)^(?:relative|absolute) = (?<here>\S+)", random, |_, random| {
        Some(format!("{}e-{}", 1 + random.below(9), 2 + random.below(2)))
    })
}

fn axis(course: &Course, random: &mut Random) -> Option<Change> {
    // A launch may name a list of numbers too: the sides of its block.
    in_one_of(course, &used(course), r"values = \[(?<here>)\d|(?m)^\w+ = \[(?<here2>)\d+, ", random, |found, random| {
        (!found[0].starts_with("block") && !found[0].starts_with("grid")).then(|| format!("{}, ", 2000 + 32 * random.below(30)))
    })
}

/// Keys that have one meaning; those of constants, axes, buffers and columns are names that the author gives.
const KEYS: &str = r#"(?m)(?:^|[{,] )(?<here>title|source|host|options|call|arguments|reference|kernel|block|grid|bytes|cache|role|type|count|value|unit|about) = "#;

fn key(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &every(course), KEYS, random, |found, random| slip(&found["here"], random, |_| false))
}

fn twice(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(
        course,
        &every(course),
        r#"(?m)^(?:title|source|host|options|label|kernel|block|call|cache|reference) = .*[^\[]\n"#,
        random,
        |found, _| Some(found[0].repeat(2)),
    )
}

/// A line of a key that its table can't do without.
fn left_out(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &every(course), r"(?m)^(?:source|kernel|block|grid|call|of) = .*\n", random, |_, _| Some(String::new()))
}

fn type_of(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(
        course,
        &every(course),
        r#"(?m)(?:^|[{,] )(?:title|source|call|reference|about|role|type|unit) = (?<here>"[^"\n]*")"#,
        random,
        |_, random| Some(random.below(100).to_string()),
    )
}

fn syntax(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &every(course), r#"(?m)^[a-z]+ = .*(?<here>["\]}])$"#, random, |_, _| Some(String::new()))
}

fn source(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &every(course), r#"(?m)^source = "(?<here>[^"]+)\.cu""#, random, |found, random| {
        slip(&found["here"], random, |_| false)
    })
}

fn buffer(course: &Course, random: &mut Random) -> Option<Change> {
    let name = random.pick(&used(course))?.clone();
    let text = course.tree.text(&name);
    let declared: BTreeSet<&str> = tables(text, &["buffers"])
        .into_iter()
        .flat_map(|range| text[range].lines())
        .filter_map(|line| Some(line.split_once(" = ")?.0))
        .collect();
    let new = one(text, r#"(?m)^arguments = \[.*?"(?<here>\w+)""#, random, |found, random| {
        slip(&found["here"], random, |name| declared.contains(name))
    })?;
    Some(Change::of(&name, new))
}

fn column(course: &Course, random: &mut Random) -> Option<Change> {
    // A second slip makes sure of it: no name of any length is two letters away from another that is known.
    in_one_of(course, &used(course), r#"(?m)value = "(?:[^"]*[ (])?(?<here>[a-z]{4,})(?: [-+*/]|")"#, random, |found, random| {
        let once = slip(&found["here"], random, |_| false)?;
        Some(format!("{once}q"))
    })
}

fn unit(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &every(course), r#"(?m)unit = "(?<here>[^"\n]+)""#, random, |found, random| {
        // Another plain word would be a unit as good as any, of what somebody counts.
        const UNITS: [&str; 5] = ["GBs", "mss", "per cent", "GB/", "s^x"];
        random.pick(&UNITS).filter(|&&unit| unit != &found["here"]).map(|&unit| unit.to_owned())
    })
}

fn unchecked(course: &Course, random: &mut Random) -> Option<Change> {
    // What is neither timed nor read back computes nothing that a page shows.
    let checked: Vec<String> = every(course).into_iter().filter(|name| !course.tree.text(name).contains("\ntime = false")).collect();
    in_one_of(course, &checked, r"(?ms)^\[check\]\n.*?(?:\n\n|\z)", random, |_, _| Some(String::new()))
}
