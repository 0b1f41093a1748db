//! The Nu HTML checker passes on every page, and on style sheets and drawings, errors and warnings alike.
//!
//! Must not forgive what a page does; what the checker itself doesn't know yet is listed here, each with a reason.

use std::process::Command;

use serde_json::Value;

use super::{fetched, sites};

/// Messages about style sheets that are no faults: the checker's grammar of CSS lags behind CSS.
const NOT_KNOWN_YET: &[(&str, &str)] = &[
    ("“vector-effect”: Property “vector-effect” doesn't exist.", "SVG 2, in all browsers since 2020"),
    ("“paint-order”: Property “paint-order” doesn't exist.", "SVG 2, in all browsers since 2020"),
    ("“display”: “math” is not a “display” value.", "MathML Core, in all browsers since 2023"),
];

#[test]
fn the_nu_checker_finds_nothing() {
    let Some(checker) = fetched("vnu-jar/build/dist/vnu.jar") else { return };
    let java = Command::new("java")
        .arg("-jar")
        .arg(checker)
        .args(["--stdout", "--exit-zero-always", "--format", "json", "--also-check-css", "--also-check-svg", "--skip-non-html"])
        .args(sites())
        .output();
    let output = java.expect("no java: run `tests/run --install`, or set LESSONC_NO_PAGE_CHECKS=1 to skip what needs it");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let mut faults = Vec::new();
    for message in answer["messages"].as_array().unwrap() {
        let text = message["message"].as_str().unwrap();
        if !NOT_KNOWN_YET.iter().any(|(known, _)| text == format!("CSS: {known}")) {
            let place = message["url"].as_str().unwrap_or_default();
            let extract = message["extract"].as_str().unwrap_or_default().replace('\n', " ");
            faults.push(format!("{place}:{}: {text} {extract}", message["lastLine"]));
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}
