//! Holds the repository to its own rules: direction of imports, openings of files, sizes, no evidence without a sweep.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::support::{files, repository};

/// Tests aside; the one file that names cudarc is one room, and may be larger.
const LINES_OF_A_FILE: usize = 400;
const LINES_OF_CUDARC: usize = 600;
const LINES_OF_A_FUNCTION: usize = 70;

fn sources() -> BTreeMap<String, String> {
    let folder = repository().join("src");
    let names = files(&folder).into_iter().filter(|name| name.ends_with(".rs"));
    names.map(|name| (name.clone(), fs::read_to_string(folder.join(&name)).unwrap())).collect()
}

/// The modules of `lib.rs` in the direction of data.
fn order(library: &str) -> Vec<&str> {
    library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect()
}

/// The top-level modules that `text` names after `crate::`, each with its line; a group of them counts as the name "{", so that
/// nobody hides in one.
fn imports(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
        for rest in line.split("crate::").skip(1) {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            found.push((index + 1, if rest.starts_with('{') { "{" } else { &rest[..end] }));
        }
    }
    found
}

/// Imports of `sources` that go against `order`, or across one of the walls.
fn against_the_stream(order: &[&str], sources: &BTreeMap<String, String>) -> Vec<String> {
    // Beyond the order: who measures must not know what a figure is wanted for, and who runs a device knows less still.
    const WALLS: [(&str, &[&str]); 3] = [
        ("measure", &["claims", "review", "pages", "rules", "pipeline"]),
        ("device", &["claims", "review", "pages", "rules", "pipeline", "disk"]),
        ("serve", &["device", "measure"]),
    ];
    let place = |module: &str| order.iter().position(|name| *name == module);
    let mut wrong = Vec::new();
    for (file, text) in sources {
        let module = file.split('/').next().unwrap().trim_end_matches(".rs");
        let Some(own) = place(module) else { continue };
        if file.ends_with("/tests.rs") || file.contains("/tests/") {
            continue; // a test may look at a stage from its far end
        }
        for (line, used) in imports(text) {
            let walled = WALLS.iter().any(|(from, to)| *from == module && to.contains(&used));
            if place(used).is_some_and(|other| other > own) || walled || used == "{" {
                wrong.push(format!("src/{file}:{line}: `{module}` uses `{used}`"));
            }
        }
    }
    wrong
}

#[test]
fn modules_use_only_what_stands_above_them() {
    let sources = sources();
    let order = order(&sources["lib.rs"]);
    assert!(order.len() > 10 && order[0] == "base" && order.last() == Some(&"cli"), "{order:?}");
    let wrong = against_the_stream(&order, &sources);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // The check itself must see a wrong import.
    let planted = ["base/x.rs use crate::pages::Site;", "measure/x.rs use crate::claims;", "plan/x.rs use crate::{base, pages};"];
    let planted = planted.iter().filter_map(|line| line.split_once(' ')).map(|(file, text)| (file.to_owned(), text.to_owned()));
    assert_eq!(against_the_stream(&order, &planted.collect()).len(), 3);
}

#[test]
fn every_file_says_what_it_is_and_is_part_of_the_program() {
    let sources = sources();
    for (file, text) in &sources {
        let is_test = file.ends_with("tests.rs") || file.contains("/tests/");
        assert!(text.starts_with("//! ") || is_test, "src/{file} does not open with `//!`");
        let path = Path::new(file);
        let (stem, folder) = (path.file_stem().unwrap().to_str().unwrap(), path.parent().unwrap());
        let (name, parents) = if stem == "mod" {
            let parent = folder.parent().unwrap();
            (folder.file_name().unwrap().to_str().unwrap(), [parent.join("mod.rs"), parent.with_extension("rs")])
        } else {
            (stem, [folder.join("mod.rs"), folder.with_extension("rs")])
        };
        let top = if folder == Path::new("") || (stem == "mod" && folder.parent() == Some(Path::new(""))) { Some("lib.rs") } else { None };
        let parent = parents.iter().filter_map(|parent| sources.get(parent.to_str()?)).chain(top.and_then(|top| sources.get(top)));
        let declared = parent.into_iter().any(|text| text.lines().any(|line| line.trim().ends_with(&format!("mod {name};"))));
        assert!(declared || matches!(file.as_str(), "lib.rs" | "main.rs"), "no module declares src/{file}");
    }
}

/// Functions longer than the limit, and the file if it is.
fn oversized(file: &str, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    let code = text.find("\n#[cfg(test)]\nmod tests {").map_or(lines.len(), |at| text[..at].lines().count());
    if code > if file == "src/device/cuda/api.rs" { LINES_OF_CUDARC } else { LINES_OF_A_FILE } {
        found.push(format!("{file}: {code} lines"));
    }
    for (index, line) in lines.iter().enumerate() {
        let margin = line.len() - line.trim_start().len();
        let head = line.trim_start().trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ").trim_start_matches("pub ");
        if head.starts_with("fn ") || head.starts_with("async fn ") || head.starts_with("const fn ") {
            let end = lines[index..].iter().position(|line| line.trim_start() == "}" && line.len() == margin + 1);
            // A declaration in a trait ends on its own line; the next `}` at this margin is then another's.
            let declares = lines[index..].iter().take_while(|line| !line.contains('{')).any(|line| line.trim_end().ends_with(';'));
            match end {
                Some(length) if length > LINES_OF_A_FUNCTION && !declares => {
                    found.push(format!("{file}:{}: a function of {} lines", index + 1, length + 1))
                }
                _ => {}
            }
        }
    }
    found
}

#[test]
fn files_and_functions_stay_small() {
    let found: Vec<String> = sources().iter().flat_map(|(file, text)| oversized(&format!("src/{file}"), text)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    let long = format!("fn a() {{\n{}}}\n", "    x();\n".repeat(LINES_OF_A_FUNCTION + 1));
    assert_eq!(oversized("planted", &long).len(), 1);
}

#[test]
fn unsafe_stays_in_two_places() {
    for (file, text) in sources() {
        let allowed = file.starts_with("device/cuda") || file.starts_with("device/host");
        let uses = text.lines().any(|line| {
            !line.trim_start().starts_with("//")
                && (line.contains("unsafe {") || line.contains("unsafe fn") || line.contains("unsafe impl"))
        });
        assert!(allowed || !uses, "src/{file} uses `unsafe`");
    }
}

#[test]
fn no_evidence_without_a_sweep() {
    let evidence = repository().join("evidence");
    if !evidence.is_dir() {
        return;
    }
    for name in files(&evidence) {
        let sweep = name.split('/').next().unwrap();
        assert!(repository().join(format!("kernels/{sweep}.toml")).is_file(), "evidence/{name} belongs to no sweep in kernels/");
    }
}
