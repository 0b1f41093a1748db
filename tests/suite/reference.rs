//! The reference for authors names all there is, and what it shows works.

use std::collections::BTreeSet;
use std::fs;

use lessonc::cli::Ending;
use lessonc::course::columns::{BUILT_IN, COMPILED, PROFILED};
use lessonc::course::marker::KINDS;
use lessonc::course::sweep::{CachePolicy, Element, Role};
use lessonc::device::fake::{self, FaultKind};
use lessonc::expr::{self, Row};
use lessonc::plan::facts;

use super::documents::blocks;
use super::support::{Folder, lessonc, repository};

const KERNEL: &str = r#"
// snippet: fill
inline void fill(float* x, unsigned long long n) { for (unsigned long long i = 0; i < n; ++i) x[i] = 0.5f; }
// end snippet

// snippet: double
inline void double_all(float* x, unsigned long long n) { for (unsigned long long i = 0; i < n; ++i) x[i] *= 2.0f; }
// end snippet

// snippet: right
inline bool right(const float* sums, unsigned long long n) { return sums[0] == static_cast<float>(n); }
// end snippet

// snippet: sum
template <int Items> __global__ void sum(const float* x, float* sums, unsigned long long n)
{
    extern __shared__ float part[];
}
// end snippet
"#;

const LESSON: &str = r#"+++
title = "What `= row('i1').items` items take"
summary = "At most `= max(rows, 'ms')`."
date = 2026-11-30
order = 1
language = "en"
tags = ["reduction"]
sweeps = ["reference"]
draft = false
headings = { items = "Items a thread" }
[[stated]]
figure = "4.8 TB/s"
source = "the data sheet"
+++

Memory gives 4.8 TB/s.

snippet: reference.cu#sum { title = "The kernel", highlight = ["__shared__"] }

snippet: reference.cu#double { diff = "reference.cu#fill" }

table: reference { columns = ["label", "ms", "GB/s", "rate", "of best"], caption = "`= len(rows)` rows", rows = "items > 0", sort = "-ms", best = "GB/s" }

chart: reference { x = "items", y = "GB/s", kind = "bar", log = "y", rows = "items < 4", caption = "Bars", marks = [{ y = "best('GB/s')['GB/s']", label = "best" }, { y = "worst('GB/s')['GB/s']" }] }

chart: reference { x = "ms", y = "GB/s", kind = "scatter", series = "items" }

chart: reference { x = "items", y = "ms", kind = "line", log = "x" }

On `= run().date` there were `= run().rounds` of `= run().samples`, a tick of `= run().tick`, and canaries of `= run().copy`
and `= reference.run().fma`; the first row spread by `= spread(row('i1').ms)`.

comparison: reference { across_code = false, caption = "Two runs" }

rounds: reference { rows = "items < 4", caption = "Rounds" }

transcript: reference { title = "For people", lines = "1-5", fold = true }

> claim: alike { holds = ["within(row('i1').ms, row('i2').ms, 5%)", "row('i1').registers <= 255"] }
> One item or two: `= row('i1').ms | fixed(2)`.

> claim: halved { holds = "row('i1').ms < 0.5 * row('i2').ms" }
> Half the time.
>
> otherwise: { holds = "row('i1').ms > 0.5 * row('i2').ms" }
> It takes `= row('i1').ms / row('i2').ms | times` the time, `= row('i2')["of best"] | digits(2)` of the best.
"#;

fn reference() -> String {
    fs::read_to_string(repository().join("src/course/reference.md")).unwrap().replace("\r\n", "\n")
}

/// The block of TOML in the reference that holds `mark`.
fn block(mark: &str) -> String {
    let text = reference();
    let found: Vec<&str> = blocks(&text, "toml").into_iter().filter(|block| block.contains(mark)).collect();
    assert_eq!(found.len(), 1, "one block holds `{mark}`");
    format!("{}\n", found[0])
}

/// The course that the reference's examples make, measured on the fake device.
fn course() -> Folder {
    let folder = Folder::new();
    folder.write("lessons/course.toml", &block("[devices]"));
    folder.write("lessons/reference.md", LESSON);
    folder.write("kernels/reference.toml", &block("[launch]").replace("call = \"double\"", "call = \"double_all\""));
    folder.write("kernels/reference.cu", KERNEL);
    folder.write("kernels/reference.fake.toml", &block("[[faults]]"));
    folder
}

#[test]
fn what_the_reference_shows_works() {
    let folder = course();
    let again = ["measure", "--device", "fake", "--force"];
    for command in [&["measure", "--device", "fake"][..], &again, &["build"], &["verify"]] {
        let words: Vec<&str> = command.to_vec();
        let course = folder.path().display().to_string();
        let said = match words.as_slice() {
            [a, b, c, d] => lessonc([a, b, c, d, &"--course", &course]),
            [a, b, c] => lessonc([a, b, c, &"--course", &course]),
            [a] => lessonc([a, &"--course", &course]),
            _ => unreachable!(),
        };
        assert_eq!(said.ending, Ending::Fine, "{command:?}: {said:#?}");
    }
    let page = folder.read("site/reference.html");
    assert!(page.contains("It takes") && page.contains("<td>same</td>") && !page.contains("class=\"problem\""), "{page}");
}

/// Kernel, size, set in KiB, loads, warps, threads and what a launch takes in microseconds.
const SIZES: [(&str, u32, u32, u32, u32, u32, u32); 8] = [
    ("plain", 1, 64, 2, 8, 32, 100),
    ("plain", 2, 128, 4, 8, 1024, 101),
    ("plain", 4, 256, 8, 8, 128, 200),
    ("plain", 8, 512, 16, 8, 256, 400),
    ("tiled", 1, 64, 2, 16, 32, 160),
    ("tiled", 2, 128, 4, 16, 1024, 140),
    ("tiled", 4, 256, 8, 16, 128, 141),
    ("tiled", 8, 512, 16, 16, 256, 142),
];

/// The conditions of the reference's table of claims.
fn conditions() -> Vec<String> {
    let text = reference();
    let (_, table) = text.split_once("| | `holds` |").unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.flat_map(|line| line.rsplit_once(" | ").unwrap().1.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[test]
fn what_the_reference_claims_can_be_claimed() {
    let folder = course();
    let mut sweep = block("[launch]").replace("call = \"double\"", "call = \"double_all\"");
    let (before, axes) = sweep.split_once("[axes]").unwrap();
    let rows = SIZES.map(|(kind, n, set, loads, warps, threads, t)| {
        format!("[[rows]]\nkind = \"{kind}\"\nn = {n}\nset = \"{set} KiB\"\nloads = {loads}\nwarps = {warps}\nthreads = {threads}\nt = {t}\nitems = 1\n")
    });
    sweep = format!("{before}{}\n{}", rows.concat(), &axes[axes.find("[buffers]").unwrap()..]);
    sweep = sweep.replace("label = \"'i' + text(items)\"", "label = \"kind + n\"").replace("threads = \"256\"", "lanes = \"256\"");
    sweep = sweep.replace("ceil_div(elements, threads)", "ceil_div(elements, lanes)").replace("threads * items", "lanes * items");
    sweep = sweep.replace("block = \"threads\"", "block = \"lanes\"").replace("4 B * threads", "4 B * lanes");
    folder.write("kernels/claims.toml", &sweep.replace("\"64 * 1024 * 1024\"", "\"1024 * 1024\""));
    folder.write("kernels/claims.fake.toml", "ms = \"t * 1 µs\"\nnoise = 0.001\nseed = 3\n");
    let conditions = conditions();
    assert!(conditions.len() >= 15, "{conditions:?}");
    let page = |title: &str, sweeps: &str, wanted: fn(&String) -> bool| {
        let claims = conditions.iter().enumerate().filter(|(_, condition)| wanted(condition));
        let claims: String =
            claims.map(|(index, condition)| format!("> claim: c{index} {{ holds = \"{condition}\" }}\n> So it is.\n\n")).collect();
        folder.write(&format!("lessons/{title}.md"), &format!("+++\ntitle = \"{title}\"\nsweeps = [{sweeps}]\n+++\n\n{claims}"));
    };
    page("forms", "\"claims\"", |condition| !condition.contains("claims."));
    page("sweeps", "\"claims\", \"reference\"", |condition| condition.contains("claims."));
    let at = folder.path().display().to_string();
    for command in [&["measure", "--device", "fake"][..], &["build"]] {
        let words: Vec<&dyn AsRef<std::ffi::OsStr>> = command.iter().map(|word| word as &dyn AsRef<std::ffi::OsStr>).collect();
        let said = match words.as_slice() {
            [a, b, c] => lessonc([*a, *b, *c, &"--course", &at]),
            [a] => lessonc([*a, &"--course", &at]),
            _ => unreachable!(),
        };
        assert_eq!(said.ending, Ending::Fine, "{command:?}: {said:#?}");
    }
    let (forms, sweeps) = (folder.read("site/forms.html"), folder.read("site/sweeps.html"));
    let supported = |page: &str| page.matches("class=\"claim supported\"").count();
    assert_eq!(supported(&forms) + supported(&sweeps), conditions.len());
    assert!(sweeps.contains("over 7 + 7 rounds"), "{sweeps}");
}

/// The words in code spans of the reference.
fn words() -> BTreeSet<String> {
    let text = reference();
    let spans = text.split('`').skip(1).step_by(2).map(str::to_owned);
    let inside = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'))).map(str::to_owned);
    spans.chain(inside).collect()
}

#[test]
fn the_reference_names_every_word_of_the_language() {
    let words = words();
    let mut known: Vec<String> = expr::function_names().map(str::to_owned).collect();
    known.extend(KINDS.map(str::to_owned));
    known.extend(BUILT_IN.iter().chain(&COMPILED).chain(&PROFILED).map(|column| column.name.to_owned()));
    known.extend(Element::ALL.map(|one| one.name().to_owned()));
    known.extend(Role::ALL.map(|one| one.name().to_owned()));
    known.extend(CachePolicy::ALL.map(|one| one.name().to_owned()));
    known.extend(FaultKind::WORDS.map(|(word, _)| word.to_owned()));
    known.extend(facts::device(&fake::facts()).columns());
    let missing: Vec<&String> = known.iter().filter(|word| !words.contains(*word)).collect();
    assert!(missing.is_empty(), "src/course/reference.md does not name {missing:?}");
}

/// What lessonc says is known where the key `zzzzzzzz` is not.
fn keys_beside(folder: &Folder, command: &[&str]) -> Vec<String> {
    let course = folder.path().display().to_string();
    let said = match command {
        [a] => lessonc([a, &"--course", &course]),
        [a, b, c] => lessonc([a, b, c, &"--course", &course]),
        other => panic!("{other:?}"),
    };
    let (_, hint) = said.err.split_once("has no key `zzzzzzzz`").unwrap_or_else(|| panic!("{said:#?}"));
    // Nothing is named where all keys are there already, and thus in the reference.
    let hint = hint.split("\n\n").next().unwrap_or(hint);
    let line = hint.lines().find(|line| line.contains("known here: ")).unwrap_or_default();
    line.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_reference_names_every_key() {
    const SWEEP: &str = "kernels/reference.toml";
    const TEXT: &str = "lessons/reference.md";
    // A file, what in it to replace so that a key is there that nobody knows, and how to have it read.
    let places: [(&str, &str, &str); 20] = [
        ("lessons/course.toml", "title = \"GPU", "zzzzzzzz = 1\ntitle = \"GPU"),
        ("lessons/course.toml", "[devices]", "[devices]\nzzzzzzzz = 1"),
        ("lessons/course.toml", "[site]", "[site]\nzzzzzzzz = 1"),
        ("lessons/course.toml", "[policy]", "[policy]\nzzzzzzzz = 1"),
        ("lessons/course.toml", "{ level = \"error\",", "{ zzzzzzzz = 1, level = \"error\","),
        (TEXT, "order = 1", "zzzzzzzz = 1"),
        (TEXT, "source = \"the data sheet\"", "source = \"the data sheet\"\nzzzzzzzz = 1"),
        (TEXT, "title = \"The kernel\"", "zzzzzzzz = 1"),
        (TEXT, "caption = \"`= len(rows)` rows\"", "zzzzzzzz = 1"),
        (TEXT, "caption = \"Bars\"", "zzzzzzzz = 1"),
        (TEXT, "label = \"best\"", "zzzzzzzz = 1"),
        (TEXT, "across_code = false", "zzzzzzzz = 1"),
        (TEXT, "title = \"For people\"", "zzzzzzzz = 1"),
        (TEXT, "otherwise: { holds", "otherwise: { zzzzzzzz"),
        (SWEEP, "options = [\"--std=c++17\"]", "zzzzzzzz = 1"),
        (SWEEP, "sums = { role", "sums = { zzzzzzzz = 1, role"),
        (SWEEP, "flop = \"1 FLOP * elements\"", "zzzzzzzz = 1"),
        (SWEEP, "limit_s = 30", "zzzzzzzz = 1"),
        (SWEEP, "title = \"Additions\"", "zzzzzzzz = 1"),
        ("kernels/reference.fake.toml", "seed = 1", "zzzzzzzz = 1"),
    ];
    let words = words();
    let mut seen = BTreeSet::new();
    for (file, old, new) in places {
        let folder = course();
        let command: &[&str] = if file.ends_with(".fake.toml") { &["measure", "--device", "fake"] } else { &["build"] };
        folder.edit(file, old, new);
        for key in keys_beside(&folder, command) {
            assert!(words.contains(&key), "src/course/reference.md does not name `{key}`, a key of {file}");
            seen.insert(key);
        }
    }
    assert!(seen.len() > 10, "{seen:?}");
}
