//! Turns lessons into ones with figures typed by hand, links that lead nowhere, expressions and front matter with slips.
//!
//! Must not know how a lesson is read.

use lessonc::base::statistics::median;

use super::super::course::{Change, Course};
use super::super::random::Random;
use super::super::text::{digit, in_one_of, one, regex, slip};
use super::Kind;
use super::record::kernel_run;

pub(super) const KINDS: &[Kind] = &[
    Kind { what: "a measured time typed in place of its expression", rule: "unbound-figure", count: 4, make: typed_time },
    Kind { what: "a rate, share, size or count typed in place of its expression", rule: "unbound-figure", count: 4, make: typed },
    Kind { what: "a figure typed into a heading, caption, title or summary", rule: "unbound-figure", count: 4, make: typed_elsewhere },
    Kind { what: "a figure typed into a manifest's or the course's texts", rule: "unbound-figure", count: 4, make: typed_beside },
    Kind { what: "another digit in a stated figure of the text", rule: "unbound-figure", count: 4, make: misquoted },
    Kind { what: "a measured figure passed off as stated", rule: "stated-measured", count: 8, make: passed_off },
    Kind { what: "a stated figure that the page does not say", rule: "stated-unused", count: 8, make: stated_unused },
    Kind { what: "a stated figure that is none", rule: "stated-unread", count: 8, make: stated_unread },
    Kind { what: "a link to no page, or to no heading", rule: "link-missing", count: 8, make: link },
    Kind { what: "a link that runs code", rule: "link-scheme", count: 8, make: scheme },
    Kind { what: "a row or column with a slip in it", rule: "expr-name", count: 8, make: name },
    Kind { what: "an expression with a parenthesis or quote too few", rule: "expr-syntax", count: 8, make: syntax },
    Kind { what: "a time added to a rate", rule: "expr-unit", count: 8, make: unit },
    Kind { what: "a row where a number belongs", rule: "expr-type", count: 8, make: type_of },
    Kind { what: "a figure cut by a table's cell", rule: "figure-torn", count: 8, make: torn },
    Kind { what: "a sweep with a slip in its name", rule: "sweep-missing", count: 8, make: sweep },
    Kind { what: "a key of front matter with a slip in it", rule: "toml-unknown-key", count: 4, make: key },
    Kind { what: "front matter that is never closed", rule: "front-matter-unclosed", count: 8, make: unclosed },
    Kind { what: "a translation with conditions of its own", rule: "claim-holds-in-translation", count: 8, make: translated_holds },
    Kind { what: "a translation's claim that the original does not make", rule: "claim-unknown", count: 8, make: translated_claim },
    Kind { what: "a translation without its original", rule: "translation-alone", count: 8, make: alone },
];

/// An expression in running text, outside of markers and tables.
const FIGURE: &str = r"(?m)^[^|`\n#+]*(?<here>`= [^`\n|]+`)";

pub(super) fn lessons(course: &Course) -> Vec<String> {
    course.names("lessons", ".md").into_iter().filter(|name| course.tree.text(name).starts_with("+++")).collect()
}

/// The median time of a row as its author would copy it, in milliseconds.
fn time(course: &Course, random: &mut Random) -> Option<String> {
    let run = kernel_run(course, random, true)?.run;
    let rounds: Vec<f64> = run.record.round_ns(random.below(run.record.rows.len())).into_iter().flatten().collect();
    Some(format!("{:.4} ms", median(&rounds)? / 1e6))
}

fn typed_time(course: &Course, random: &mut Random) -> Option<Change> {
    let time = time(course, random)?;
    in_one_of(course, &lessons(course), FIGURE, random, |_, _| Some(time))
}

/// A figure of some unit, with digits that nobody states.
fn figure(random: &mut Random) -> String {
    const UNITS: [&str; 10] = [" GB/s", " TB/s", " %", " µs", " MiB", " warps", " registers", " cycles", " times", " TFLOP/s"];
    format!("{}.{}{}{}", 11 + random.below(80), random.below(10), 1 + random.below(9), UNITS[random.below(UNITS.len())])
}

fn typed(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &lessons(course), FIGURE, random, |_, random| Some(figure(random)))
}

fn typed_elsewhere(course: &Course, random: &mut Random) -> Option<Change> {
    let places = r#"(?m)^##+ .*(?<here>)$|^(?:title|summary) = ".*(?<here1>)"$|caption = "[^"\n]*(?<here2>)""#;
    let name = random.pick(&lessons(course))?.clone();
    let text = course.tree.text(&name);
    let found: Vec<usize> =
        regex(places).captures_iter(text).filter_map(|found| Some(found.iter().skip(1).flatten().next()?.start())).collect();
    let at = *random.pick(&found)?;
    Some(Change::of(&name, format!("{}, {}{}", &text[..at], figure(random), &text[at..])))
}

fn typed_beside(course: &Course, random: &mut Random) -> Option<Change> {
    let mut names: Vec<String> = course.feeding.iter().map(|feeding| feeding.job.sweep.manifest.to_string()).collect();
    names.push("lessons/course.toml".to_owned());
    in_one_of(course, &names, r#"(?m)(?:about|^title|^summary|, title|\ben) = "[^"\n]*(?<here>)""#, random, |_, random| {
        Some(format!(", {}", figure(random)))
    })
}

/// A stated figure as the text says it, once in the whole lesson beside its entry.
fn misquoted(course: &Course, random: &mut Random) -> Option<Change> {
    let name = random.pick(&lessons(course))?.clone();
    let text = course.tree.text(&name);
    let stated: Vec<String> = regex(r#"(?m)^figure = "(.+)"$"#).captures_iter(text).map(|found| found[1].to_owned()).collect();
    let figure = random.pick(&stated)?;
    let body = text.match_indices("+++\n").nth(1)?.0;
    let at = body + text[body..].find(figure.as_str())?;
    (!text.contains("```")).then_some(())?;
    let other = digit(figure, random)?;
    (!stated.contains(&other)).then(|| Change::of(&name, format!("{}{other}{}", &text[..at], &text[at + figure.len()..])))
}

/// A stated entry more, behind the others.
fn with_stated(course: &Course, random: &mut Random, figure: &str, said: bool) -> Option<Change> {
    let name = random.pick(&lessons(course))?.clone();
    let text = course.tree.text(&name);
    let (close, _) = text.match_indices("\n+++\n").next()?;
    let entry = format!("\n\n[[stated]]\nfigure = \"{figure}\"\nsource = \"a data sheet\"");
    let text = format!("{}{entry}{}", &text[..close], &text[close..]);
    Some(Change::of(&name, if said { format!("{text}\nThe data sheet says {figure}.\n") } else { text }))
}

/// A time that a row of a sweep of the lesson was measured at.
fn passed_off(course: &Course, random: &mut Random) -> Option<Change> {
    let lessons: Vec<_> = course.compiled.course.lessons.iter().collect();
    let lesson = random.pick(&lessons)?;
    let (sweep, _) = random.pick(&lesson.sweeps)?;
    let feeding = course.feeding.iter().find(|feeding| feeding.job.sweep.name == *sweep && feeding.job.kernel().is_some())?;
    let rounds: Vec<f64> = feeding.run.record.round_ns(random.below(feeding.run.record.rows.len())).into_iter().flatten().collect();
    let figure = format!("{:.4} ms", median(&rounds)? / 1e6);
    let text = course.tree.text(&lesson.file);
    let (close, _) = text.match_indices("\n+++\n").next()?;
    let entry = format!("\n\n[[stated]]\nfigure = \"{figure}\"\nsource = \"a data sheet\"");
    Some(Change::of(&lesson.file, format!("{}{entry}{}\nThe data sheet says {figure}.\n", &text[..close], &text[close..])))
}

fn stated_unused(course: &Course, random: &mut Random) -> Option<Change> {
    let figure = figure(random);
    with_stated(course, random, &figure, false)
}

fn stated_unread(course: &Course, random: &mut Random) -> Option<Change> {
    let figure = ["fast", "quite often", "n/a", "see below"][random.below(4)];
    with_stated(course, random, figure, true)
}

/// A paragraph more, behind one of the others.
fn paragraph(course: &Course, random: &mut Random, words: &str) -> Option<Change> {
    let names = lessons(course);
    let name = random.pick(&names)?;
    let text = course.tree.text(name);
    // Between two paragraphs of plain text, outside of quotations, lists and code.
    let places: Vec<usize> =
        regex(r"(?m)^[A-Z][^\n]*\.\n(?<here>\n)[A-Z#]").captures_iter(text).map(|found| found.name("here").unwrap().start()).collect();
    let at = *random.pick(&places)?;
    Some(Change::of(name, format!("{}\n{words}\n{}", &text[..at], &text[at..])))
}

fn link(course: &Course, random: &mut Random) -> Option<Change> {
    let names: Vec<&str> = course.compiled.course.lessons.iter().map(|lesson| lesson.name.as_str()).collect();
    let name = (*random.pick(&names)?).to_owned();
    let target = match random.below(4) {
        0 => format!("{}.md", slip(&name, random, |slipped| names.contains(&slipped))?),
        1 => format!("{name}.md#no-such-{}", random.below(100)),
        2 => format!("#nowhere-{}", random.below(100)),
        _ => format!("figures/{name}-{}.png", random.below(100)),
    };
    paragraph(course, random, &format!("See [there]({target})."))
}

fn scheme(course: &Course, random: &mut Random) -> Option<Change> {
    let target = ["javascript:alert(1)", "JavaScript:void(0)", "data:text/html,x", "vbscript:x"][random.below(4)];
    paragraph(course, random, &format!("See [there]({target})."))
}

/// The label of a row, or the column behind it, as no sweep has it.
fn name(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &lessons(course), r"(?m)row\('(?:(?<here>[^']+)'\)|[^']+'\)\.(?<there>[a-z_]{2,})\b)", random, |found, _| {
        found.name("here").map(|label| format!("no {}", label.as_str()))
    })
    .or_else(|| {
        in_one_of(course, &lessons(course), r"(?m)row\('[^']+'\)\.(?<here>[a-z]+)\b", random, |found, _| {
            Some(format!("{}zq", &found["here"]))
        })
    })
}

fn syntax(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &lessons(course), r"`= [^`\n|]*(?<here>[)'])[^`\n]*`", random, |_, _| Some(String::new()))
}

/// A term of another kind, behind an expression that is a time or a rate and nothing else.
fn unit(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &lessons(course), r"`= [a-z_.]*row\('[^']+'\)(?:\.ms|\['GB/s'\])(?<here>)(?: \||`)", random, |_, random| {
        Some([" + 3 warps", " - 1 KiB", " + 5 registers", " - 2 threads"][random.below(4)].to_owned())
    })
}

fn type_of(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &lessons(course), r"`= [a-z_.]*row\('[^']+'\)(?<here>(?:\.\w+|\['[^']+'\]))[^`\n]*`", random, |_, random| {
        Some([" + 1", " * 2", " / 3"][random.below(3)].to_owned())
    })
}

fn torn(course: &Course, random: &mut Random) -> Option<Change> {
    let label = regex(r"`= (?<expr>[a-z_.]*row\('[^']+'\)(?:\.ms|\['GB/s'\]))");
    let names = lessons(course);
    let name = random.pick(&names)?;
    let found: Vec<String> = label.captures_iter(course.tree.text(name)).map(|found| found["expr"].to_owned()).collect();
    let expr = random.pick(&found)?;
    let text = course.tree.text(name);
    Some(Change::of(name, format!("{text}\n| what | value |\n| --- | --- |\n| a | `= {expr} | fixed(3)` |\n")))
}

fn sweep(course: &Course, random: &mut Random) -> Option<Change> {
    let known: Vec<&str> = course.compiled.course.sweeps.keys().map(String::as_str).collect();
    in_one_of(course, &lessons(course), r#"(?m)^sweeps = \[(?:"[^"]+", )*"(?<here>[^"]+)""#, random, |found, random| {
        slip(&found["here"], random, |name| known.contains(&name))
    })
}

fn key(course: &Course, random: &mut Random) -> Option<Change> {
    in_one_of(course, &lessons(course), r"(?m)^(?<here>summary|date|order|tags|sweeps|figure|source|of) = ", random, |found, random| {
        slip(&found["here"], random, |_| false)
    })
}

fn unclosed(course: &Course, random: &mut Random) -> Option<Change> {
    let name = random.pick(&lessons(course))?.clone();
    let text = course.tree.text(&name);
    let (at, _) = text.match_indices("\n+++\n").next()?;
    let fence = ["++", "---", "", "+ + +"][random.below(4)];
    Some(Change::of(&name, format!("{}\n{fence}\n{}", &text[..at], &text[at + 5..])))
}

/// A lesson copied as a translator begins, with the conditions of its claims taken out, and the name of its language.
fn translation(course: &Course, random: &mut Random, claim: impl Fn(&str, usize) -> String) -> Option<Change> {
    // A lesson that quotes claims in code would have them changed there as well.
    let is_plain =
        |lesson: &&std::sync::Arc<lessonc::course::lesson::Lesson>| !lesson.translation && !course.tree.text(&lesson.file).contains("```");
    let lessons: Vec<_> = course.compiled.course.lessons.iter().filter(is_plain).collect();
    let lesson = random.pick(&lessons)?;
    let text = course.tree.text(&lesson.file);
    let claims = regex(r"(?ms)^> claim: (?<name>[\w-]+) \{.*?\}$");
    let chosen = random.below(claims.find_iter(text).count().max(1));
    let mut index = 0;
    let new = claims.replace_all(text, |found: &regex::Captures<'_>| {
        index += 1;
        if index - 1 == chosen { claim(&found[0], chosen) } else { format!("> claim: {}", &found["name"]) }
    });
    let new = one(&new, r"(?m)^language = .*\n", random, |_, _| Some(String::new())).unwrap_or_else(|| new.into_owned());
    let languages = ["de", "fr", "it", "es"];
    let name = format!("lessons/{}.{}.md", lesson.name, languages[random.below(4)]);
    (course.tree.get(&name).is_none() && index > 0).then(|| Change::of(&name, new))
}

fn translated_holds(course: &Course, random: &mut Random) -> Option<Change> {
    translation(course, random, |claim, _| claim.to_owned())
}

fn translated_claim(course: &Course, random: &mut Random) -> Option<Change> {
    translation(course, random, |_, chosen| format!("> claim: of-mine-{chosen}"))
}

/// A translation of a lesson whose name nobody has.
fn alone(course: &Course, random: &mut Random) -> Option<Change> {
    let name = random.pick(&lessons(course))?.clone();
    let stem = name.strip_prefix("lessons/")?.strip_suffix(".md")?;
    let language = ["de", "fr", "it", "es"][random.below(4)];
    let text = course.tree.text(&name);
    let renamed = format!("lessons/{}.{language}.md", slip(stem.split('.').next()?, random, |_| false)?);
    (!stem.contains('.')).then(|| Change::of(&renamed, text))
}
