//! The documents say what is so: commands in README are run, names in ARCHITECTURE are there.

use std::collections::BTreeSet;
use std::fs;

use lessonc::cli::Ending;

use super::support::{Folder, lessonc, repository};

fn document(name: &str) -> String {
    fs::read_to_string(repository().join(name)).unwrap().replace("\r\n", "\n")
}

/// The blocks of `text` fenced as `kind`.
pub(crate) fn blocks<'a>(text: &'a str, kind: &str) -> Vec<&'a str> {
    let fence = format!("```{kind}\n");
    text.split(&fence).skip(1).map(|rest| rest.split("\n```").next().unwrap_or(rest)).collect()
}

#[test]
fn the_consoles_of_the_readme_work() {
    let readme = document("README.md");
    let folder = Folder::new();
    let mut run = 0;
    // A console block is a line `$ lessonc …` each; later lines are what it prints, with `…` for what may differ.
    for block in blocks(&readme, "console") {
        for step in block.split("$ ").skip(1) {
            let (line, printed) = step.split_once('\n').unwrap_or((step, ""));
            let Some(arguments) = line.strip_prefix("lessonc ") else { panic!("README runs `{line}`, which no test can") };
            let course = folder.path().join("course");
            let words: Vec<String> =
                arguments.split(' ').map(|word| if word == "my-course" { course.display().to_string() } else { word.to_owned() }).collect();
            let said = match words.as_slice() {
                [a, b] => lessonc([a, b]),
                [a, b, c] => lessonc([a, b, c]),
                other => panic!("README runs {other:?}"),
            };
            assert_eq!(said.ending, Ending::Fine, "{line}: {said:?}");
            for expected in printed.lines().map(|line| line.trim_end_matches('…').replace("my-course", &course.display().to_string())) {
                assert!(said.out.contains(expected.as_str()), "`{line}` does not print `{expected}` but\n{}", said.out);
            }
            run += 1;
        }
    }
    assert!(run >= 3, "the README's consoles are gone");
}

#[test]
fn the_two_commands_stand_in_the_readme() {
    let readme = document("README.md");
    assert_eq!(blocks(&readme, "sh"), ["cargo run --release -- build", "tests/run"]);
}

#[test]
fn architecture_names_every_module_and_every_dependency() {
    let text = document("ARCHITECTURE.md");
    assert!(text.lines().count() <= 150, "ARCHITECTURE.md has more than 150 lines");
    let library = document("src/lib.rs");
    for module in library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')) {
        assert!(text.contains(&format!("`{module}`")), "ARCHITECTURE.md does not name `{module}`");
    }
    let manifest: toml::Table = document("Cargo.toml").parse().unwrap();
    for table in ["dependencies", "dev-dependencies"] {
        for name in manifest[table].as_table().unwrap().keys() {
            assert!(text.contains(&format!("`{name}`")), "ARCHITECTURE.md does not say why {name}");
        }
    }
}

#[test]
fn every_rule_is_provoked_by_a_test() {
    // A rule that no test provokes may as well be gone.
    let tests: String = ["anchors", "mutations", "commands", "figures", "fixture", "profiled"]
        .map(|name| document(&format!("tests/suite/{name}.rs")))
        .concat();
    let bench: String = super::support::files(&repository().join("tests/suite/mutation_bench/faults"))
        .into_iter()
        .map(|name| document(&format!("tests/suite/mutation_bench/faults/{name}")))
        .collect();
    let cases: String = super::support::files(&repository().join("tests/cases"))
        .into_iter()
        .filter(|name| name.ends_with("problems.txt"))
        .map(|name| document(&format!("tests/cases/{name}")))
        .collect();
    for rule in lessonc::rules::RULES {
        assert!(tests.contains(rule.id) || bench.contains(rule.id) || cases.contains(rule.id), "no test provokes `{}`", rule.id);
    }
}

/// The ids that src/rules/problems.md lists, in its order.
fn listed_ids() -> Vec<String> {
    let text = document("src/rules/problems.md");
    text.lines().filter_map(|line| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned())).collect()
}

/// The texts in quotes in the program's own code, tests left out.
fn literals() -> BTreeSet<String> {
    let folder = repository().join("src");
    let names = super::support::files(&folder).into_iter().filter(|name| name.ends_with(".rs") && !name.contains("tests"));
    let mut found = BTreeSet::new();
    for name in names.filter(|name| !name.starts_with("device/")) {
        let text = document(&format!("src/{name}"));
        let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            found.extend(line.split('"').skip(1).step_by(2).map(str::to_owned));
        }
    }
    found
}

#[test]
fn every_id_of_a_problem_is_listed_once_with_its_meaning() {
    let (listed, literals) = (listed_ids(), literals());
    assert!(listed.len() > 80 && listed.is_sorted() && listed.windows(2).all(|pair| pair[0] != pair[1]), "{listed:?}");
    for id in &listed {
        assert!(literals.contains(id), "src/rules/problems.md lists `{id}`, which nothing finds");
    }
    // A first word that several ids share is an id's wherever it stands; one by itself, such as `not-`, may be a word of other texts.
    let first = |id: &String| id.split('-').next().unwrap_or_default().to_owned();
    let families: BTreeSet<String> =
        listed.windows(2).filter(|pair| first(&pair[0]) == first(&pair[1])).map(|pair| first(&pair[0])).collect();
    let is_id = |text: &str| {
        text.split_once('-').is_some_and(|(family, rest)| families.contains(family) && !rest.is_empty())
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    };
    for id in literals.iter().filter(|text| is_id(text)) {
        assert!(listed.contains(id), "src/rules/problems.md does not list `{id}`");
    }
    for rule in lessonc::rules::RULES {
        assert!(listed.iter().any(|id| id == rule.id), "src/rules/problems.md does not list `{}`", rule.id);
    }
}
