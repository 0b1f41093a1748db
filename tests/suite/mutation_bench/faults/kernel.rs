//! Turns kernels into kernels that nobody ran, and regions into ones whose markers are wrong.
//!
//! Must not know fingerprints: a token that a compiler sees is code, and other code was not measured.

use std::collections::BTreeSet;
use std::ops::Range;

use lessonc::base::cuda::{self, Kind as Token};
use lessonc::course::source::Source;

use super::super::course::{Change, Course};
use super::super::random::Random;
use super::super::text::{digit, in_one_of, regex, slip};
use super::Kind;

pub(super) const KINDS: &[Kind] = &[
    Kind {
        what: "another number in a kernel",
        rule: "evidence-stale",
        count: 3,
        make: |course, random| token(course, random, false, number),
    },
    Kind {
        what: "another number in code of the host",
        rule: "evidence-stale",
        count: 3,
        make: |course, random| token(course, random, true, number),
    },
    Kind {
        what: "another operator in a kernel",
        rule: "evidence-stale",
        count: 3,
        make: |course, random| token(course, random, false, operator),
    },
    Kind {
        what: "another operator in code of the host",
        rule: "evidence-stale",
        count: 3,
        make: |course, random| token(course, random, true, operator),
    },
    Kind { what: "a statement of a kernel taken out", rule: "evidence-stale", count: 3, make: statement },
    Kind { what: "a region without its end", rule: "snippet-unclosed", count: 8, make: unclosed },
    Kind { what: "an end without its region", rule: "snippet-not-opened", count: 8, make: not_opened },
    Kind { what: "a marker with a slip in it", rule: "snippet-marker", count: 8, make: misspelt },
    Kind { what: "a region renamed in its source alone", rule: "snippet-missing", count: 8, make: renamed },
    Kind { what: "a region pasted twice", rule: "snippet-duplicate", count: 8, make: doubled },
    Kind { what: "a region emptied", rule: "snippet-empty", count: 8, make: emptied },
    Kind { what: "a region that nobody shows", rule: "snippet-unused", count: 8, make: unused },
];

/// The sources that pages stand on.
fn sources(course: &Course) -> Vec<&Source> {
    let used = course.feeding.iter().filter_map(|feeding| Some(feeding.job.sweep.source()?.0.to_owned()));
    let used: BTreeSet<String> = used.collect();
    used.iter().filter_map(|path| course.compiled.course.sources.get(path)).map(AsRef::as_ref).collect()
}

/// The bytes of `source` that a compiler of a sweep sees, on the host or the device: the regions that the manifest lists, or for
/// a device all but the host's.
fn compiled(course: &Course, source: &Source, host: bool) -> Vec<Range<usize>> {
    let line_start = |line: usize| source.text.split_inclusive('\n').take(line).map(str::len).sum::<usize>();
    let mut ranges = Vec::new();
    for feeding in &course.feeding {
        let (lessonc::course::sweep::Kind::Kernel(_) | lessonc::course::sweep::Kind::Compile(_)) = feeding.job.sweep.kind else { continue };
        let unit = match &feeding.job.sweep.kind {
            lessonc::course::sweep::Kind::Kernel(kernel) => &kernel.unit,
            lessonc::course::sweep::Kind::Compile(compile) => &compile.unit,
            _ => continue,
        };
        if unit.source != source.path {
            continue;
        }
        let lines = |names: &[(String, lessonc::base::span::Span)]| {
            names.iter().filter_map(|(name, _)| Some(source.region(name)?.lines.clone())).collect::<Vec<_>>()
        };
        let (device, of_host) = (lines(&unit.regions), lines(&unit.host_regions));
        let chosen = match (host, device.is_empty()) {
            (true, _) => of_host,
            (false, false) => device,
            (false, true) => (0..source.line_count())
                .map(|line| line..line + 1)
                .filter(|line| !of_host.iter().any(|host| host.contains(&line.start)))
                .collect(),
        };
        ranges.extend(chosen.into_iter().map(|lines| line_start(lines.start)..line_start(lines.end)));
    }
    ranges
}

/// One token of compiled code changed, directives aside: whether they change anything, only a preprocessor knows.
fn token(course: &Course, random: &mut Random, host: bool, change: fn(Token, &str, &mut Random) -> Option<String>) -> Option<Change> {
    let sources = sources(course);
    let source = random.pick(&sources)?;
    let text = &*source.text;
    let ranges = compiled(course, source, host);
    let tokens: Vec<_> = cuda::tokens(text)
        .into_iter()
        .filter(|token| !token.directive && ranges.iter().any(|range| range.contains(&token.start)))
        .filter(|token| change(token.kind, token.text(text), &mut Random::of("")).is_some())
        .collect();
    let token = random.pick(&tokens)?;
    let new = change(token.kind, token.text(text), random)?;
    Some(Change::of(&source.name, format!("{}{new}{}", &text[..token.start], &text[token.end..])))
}

fn number(kind: Token, text: &str, random: &mut Random) -> Option<String> {
    if kind == Token::Number { digit(text, random) } else { None }
}

fn operator(kind: Token, text: &str, _: &mut Random) -> Option<String> {
    const OTHERS: [(&str, &str); 12] = [
        ("+", "-"),
        ("-", "+"),
        ("*", "/"),
        ("/", "*"),
        ("<", "<="),
        ("<=", "<"),
        (">", ">="),
        ("+=", "-="),
        ("==", "!="),
        ("++", "--"),
        ("&&", "||"),
        ("<<", ">>"),
    ];
    let other = OTHERS.iter().find(|(operator, _)| *operator == text).filter(|_| kind == Token::Operator);
    other.map(|(_, other)| (*other).to_owned())
}

/// A line of a kernel that is one whole statement.
fn statement(course: &Course, random: &mut Random) -> Option<Change> {
    let sources = sources(course);
    let source = random.pick(&sources)?;
    let ranges = compiled(course, source, false);
    let mut at = 0;
    let mut lines = Vec::new();
    for line in source.text.split_inclusive('\n') {
        let is_statement = line.trim_end().ends_with(';')
            && line.matches('(').count() == line.matches(')').count()
            && !line.trim_start().starts_with("//");
        if is_statement && ranges.iter().any(|range| range.contains(&at)) {
            lines.push(at..at + line.len());
        }
        at += line.len();
    }
    let line = random.pick(&lines)?;
    Some(Change::of(&source.name, format!("{}{}", &source.text[..line.start], &source.text[line.end..])))
}

fn all_sources(course: &Course) -> Vec<String> {
    course.compiled.course.sources.values().filter(|source| !source.regions.is_empty()).map(|source| source.name.to_string()).collect()
}

const OPENING: &str = r"(?m)^[ \t]*// snippet: (?<name>\S+)\n";
const END: &str = r"(?m)^[ \t]*// end snippet.*\n";

/// An opening behind the end of another region, which nothing closes.
fn unclosed(course: &Course, random: &mut Random) -> Option<Change> {
    let name = random.pick(&all_sources(course))?.clone();
    let text = course.tree.text(&name);
    let last = regex(END).find_iter(text).last()?.end();
    let lines: Vec<usize> = text[last..].match_indices('\n').map(|(at, _)| last + at + 1).chain([last]).collect();
    let at = *random.pick(&lines)?;
    Some(Change::of(&name, format!("{}// snippet: more\n{}int more();\n", &text[..at], &text[at..])))
}

fn not_opened(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &all_sources(course), OPENING, random, |_, _| Some(String::new()))
}

/// A slip in the word of a marker, not in its name.
fn misspelt(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &all_sources(course), r"(?m)^[ \t]*// (?:end )?(?<here>snippet)\b", random, |_, random| {
        const SLIPS: [&str; 5] = ["snipet", "snippets", "snppet", "Snippet", "snipped"];
        random.pick(&SLIPS).map(|&slip| slip.to_owned())
    })
}

/// The name of a region that a lesson shows or a manifest lists, changed where it is defined.
fn renamed(course: &Course, random: &mut Random) -> Option<Change> {
    let sources: Vec<&Source> = course.compiled.course.sources.values().map(AsRef::as_ref).collect();
    let source = random.pick(&sources)?;
    let lists = |region: &str| {
        let of_source = course.compiled.course.sweeps.values().filter(|sweep| sweep.source().is_some_and(|(path, _)| path == source.path));
        of_source.flat_map(|sweep| sweep.regions()).any(|(name, _)| name == region)
    };
    let lessons: String = course.names("lessons", ".md").iter().map(|name| course.tree.text(name)).collect();
    let shows = |region: &str| {
        regex(&format!(r"(?m)^snippet: {}#{}(?: |$)", regex::escape(&source.path), regex::escape(region))).is_match(&lessons)
    };
    in_one_of(course, &[source.name.to_string()], r"(?m)^[ \t]*// snippet: (?<here>\S+)\n", random, |found, random| {
        let is_named = lists(&found["here"]) || shows(&found["here"]);
        if is_named { slip(&found["here"], random, |_| false) } else { None }
    })
}

fn doubled(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &all_sources(course), r"(?ms)^[ \t]*// snippet: \S+\n.*?^[ \t]*// end snippet[^\n]*\n", random, |found, _| {
        // A region that holds another begins twice before it ends.
        (found[0].matches("// snippet:").count() == 1).then(|| found[0].repeat(2))
    })
}

fn emptied(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &all_sources(course), r"(?ms)^[ \t]*// snippet: \S+\n(?<here>.*?)^[ \t]*// end snippet", random, |found, _| {
        (!found["here"].contains("// snippet:")).then(String::new)
    })
}

/// A remark outside of all regions, marked for a page that does not show it.
fn unused(course: &Course, random: &mut Random) -> Option<Change> {
    let sources: Vec<&Source> = course.compiled.course.sources.values().map(AsRef::as_ref).collect();
    let source = random.pick(&sources)?;
    let is_free = |line: usize| !source.regions.iter().any(|region| region.lines.start <= line + 1 && line <= region.lines.end);
    let remarks: Vec<usize> = (0..source.line_count()).filter(|&line| source.line(line).starts_with("//") && is_free(line)).collect();
    let &at = random.pick(&remarks)?;
    let mut lines: Vec<&str> = source.text.lines().collect();
    lines.insert(at + 1, "// end snippet");
    lines.insert(at, "// snippet: unseen");
    Some(Change::of(&source.name, lines.join("\n") + "\n"))
}
