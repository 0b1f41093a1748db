use std::collections::BTreeSet;

use jsonschema::Validator;
use serde_json::{Value, json};

use super::*;
use crate::base::problem::Problems;
use crate::course::Course;

fn example() -> (SourceTree, Vec<Problem>) {
    let mut tree = SourceTree::new();
    tree.insert("lessons/a.md", "one\nsnippet: k.cu#sacle\n".as_bytes(), &mut Problems::new());
    tree.insert("kernels/k.cu", b"// snippet: scale\n", &mut Problems::new());
    let problem = Problem::error("snippet-missing", Span::new(&"lessons/a.md".into(), 13, 23), "k.cu has no region `sacle`: 50%,\nreally")
        .label("named here")
        .meant("sacle", ["scale"])
        .related(Span::new(&"kernels/k.cu".into(), 12, 17), "a region that is near");
    let gone = Problem::warning("evidence-transcript", Span::top(&"evidence/a b/ä:%.txt".into()), "there is no transcript");
    (tree, vec![problem, Problem::of_course("nothing-checked", "nothing was checked"), gone])
}

fn context(tree: &SourceTree) -> Context<'_> {
    Context { tree, prefix: "../", colour: false }
}

fn checked() -> (Counts, Course) {
    (Counts::default(), Course::default())
}

fn official() -> Validator {
    let text = include_str!("../../../tests/schemas/sarif-schema-2.1.0.json");
    jsonschema::validator_for(&serde_json::from_str(text).unwrap()).unwrap()
}

fn own() -> Validator {
    jsonschema::validator_for(&serde_json::from_str(SCHEMA).unwrap()).unwrap()
}

#[track_caller]
fn fits(validator: &Validator, value: &Value) {
    let faults: Vec<String> = validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(faults.is_empty(), "{faults:#?}\n{value:#}");
}

#[test]
fn people_see_place_and_hint() {
    let (tree, problems) = example();
    assert_eq!(
        short(&problems, context(&tree)),
        "../lessons/a.md:2:10: error[snippet-missing]: k.cu has no region `sacle`: 50%, really\n\
         error[nothing-checked]: nothing was checked\n\
         ../evidence/a b/ä:%.txt:1:1: warning[evidence-transcript]: there is no transcript\n"
    );
    let human = human(&problems, context(&tree));
    for part in [
        "error[snippet-missing]",
        "../lessons/a.md:2:10",
        "snippet: k.cu#sacle",
        "^^^^^^^^^^ named here",
        "did you mean",
        "kernels/k.cu:1:13",
        "error[nothing-checked]",
        "warning[evidence-transcript]",
    ] {
        assert!(human.contains(part), "{part} is not in\n{human}");
    }
}

#[test]
fn commands_are_escaped_and_name_the_other_places() {
    let (tree, problems) = example();
    assert_eq!(
        github(&problems, context(&tree)),
        "::error file=../lessons/a.md,line=2,col=10,endColumn=20,title=snippet-missing::k.cu has no region `sacle`: 50%25,%0Areally%0A\
         did you mean `scale`?%0A../kernels/k.cu:1: a region that is near\n\
         ::error title=nothing-checked::nothing was checked\n\
         ::warning file=../evidence/a b/ä%3A%25.txt,line=1,col=1,endColumn=1,title=evidence-transcript::there is no transcript\n"
    );
    // A course can't smuggle a command of its own in.
    let forged = [Problem::error("x", Span::top(&"a\n::set-env name=A::b".into()), "m\r\n::stop-commands::x")];
    assert_eq!(github(&forged, context(&tree)).lines().count(), 1);
}

#[test]
fn the_object_is_as_its_schema_says() {
    let (tree, problems) = example();
    let (counts, course) = checked();
    let value: Value = serde_json::from_str(&json(&problems, (&counts, &course), context(&tree))).unwrap();
    fits(&own(), &value);
    let first = &value["problems"][0];
    assert_eq!((&first["severity"], &value["problems"][2]["severity"]), (&json!("error"), &json!("warning")));
    assert_eq!((&first["at"]["line"], &first["at"]["end_column"], &value["problems"][1]["at"]), (&json!(2), &json!(20), &Value::Null));
    assert_eq!(first["related"][0]["at"]["path"], "../kernels/k.cu");
    assert_eq!((&first["fix"]["at"]["column"], &first["fix"]["text"]), (&json!(15), &json!("scale")));
    assert_eq!((&value["checked"]["pages"], &value["coverage"]["all"]["bound"]), (&json!(0), &json!(0)));
    // The schema must see what does not belong.
    for (pointer, wrong) in [("/version", json!(2)), ("/problems/0/severity", json!("note")), ("/problems/0/at/line", json!(0))] {
        let mut value = value.clone();
        *value.pointer_mut(pointer).unwrap() = wrong;
        assert!(!own().is_valid(&value), "{pointer}");
    }
}

#[test]
fn a_log_is_as_the_official_schema_says() {
    let (tree, problems) = example();
    let (counts, course) = checked();
    let log = |problems: &[Problem]| -> Value { serde_json::from_str(&sarif(problems, (&counts, &course), context(&tree))).unwrap() };
    let official = official();
    fits(&official, &log(&[]));
    let value = log(&problems);
    fits(&official, &value);
    assert!(!official.is_valid(&json!({ "version": "2.1.0", "runs": [{ "results": [] }] })), "the schema checks nothing");
    let run = &value["runs"][0];
    let [first, second, third] = run["results"].as_array().unwrap().as_slice() else { panic!("{value}") };
    assert_eq!((&first["level"], &third["level"]), (&json!("error"), &json!("warning")));
    let physical = &first["locations"][0]["physicalLocation"];
    assert_eq!(physical["region"], json!({ "startLine": 2, "startColumn": 10, "endLine": 2, "endColumn": 20 }));
    assert_eq!(second.get("locations"), None);
    // A missing file has a name and no lines.
    let missing = &third["locations"][0]["physicalLocation"];
    assert_eq!((&missing["artifactLocation"]["uri"], missing.get("region")), (&json!("../evidence/a%20b/%C3%A4%3A%25.txt"), None));
    assert_eq!(first["relatedLocations"][0]["message"]["text"], "a region that is near");
    let replacement = &first["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!((&replacement["deletedRegion"]["startColumn"], &replacement["insertedContent"]["text"]), (&json!(15), &json!("scale")));
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in [first, second, third] {
        assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"], result["ruleId"]);
    }
    let ids: BTreeSet<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), rules.len());
    assert_eq!((&run["invocations"][0]["exitCode"], &log(&[])["runs"][0]["invocations"][0]["exitCode"]), (&json!(1), &json!(0)));
}

#[test]
fn a_name_is_replaced_only_where_it_stands_once() {
    let mut tree = SourceTree::new();
    tree.insert("a", "row.mss / mss + ms".as_bytes(), &mut Problems::new());
    let fix = |start: usize, end: usize, written: &str| {
        let problem = Problem::error("x", Span::new(&"a".into(), start, end), "m").meant(written, ["ms"]);
        context(&tree).fix(&problem).map(|(span, name)| (span.start, span.end, name.to_owned()))
    };
    assert_eq!(fix(4, 7, "mss"), Some((4, 7, "ms".to_owned())));
    assert_eq!(fix(0, 7, "mss"), Some((4, 7, "ms".to_owned())));
    assert_eq!(fix(0, 13, "mss"), None, "it stands there twice");
    assert_eq!(fix(0, 3, "mss"), None, "it does not stand there");
    assert_eq!(fix(0, 99, "mss"), None, "the place is not there");
    assert_eq!(fix(0, 7, "entirely else"), None, "nothing is near");
}

#[test]
fn a_place_that_is_not_there_is_no_panic() {
    let (tree, _) = example();
    let (counts, course) = checked();
    let context = Context { tree: &tree, prefix: "", colour: true };
    for span in [
        Span::new(&"lessons/a.md".into(), 999, 9999),
        Span::new(&"gone".into(), 5, 9),
        Span::new(&"lessons/a.md".into(), 23, 24),
        Span::new(&"lessons/a.md".into(), 9, 3),
    ] {
        let problems = [Problem::error("x", span, "m")];
        assert!(!human(&problems, context).is_empty() && !short(&problems, context).is_empty() && !github(&problems, context).is_empty());
        fits(&own(), &serde_json::from_str(&json(&problems, (&counts, &course), context)).unwrap());
        fits(&official(), &serde_json::from_str(&sarif(&problems, (&counts, &course), context)).unwrap());
    }
}

#[test]
fn the_order_does_not_depend_on_who_found_what_first() {
    let at = |start| Span::new(&"lessons/a.md".into(), start, start + 1);
    let all = [
        Problem::error("b", at(4), "m").hint("one"),
        Problem::error("b", at(4), "m").hint("two"),
        Problem::warning("b", at(4), "m").related(at(1), "r"),
        Problem::warning("b", at(4), "m").related(at(2), "r"),
        Problem::error("a", at(4), "m"),
        Problem::error("c", at(1), "m"),
        Problem::of_course("d", "m"),
    ];
    let sorted = |order: &mut dyn Iterator<Item = &Problem>| {
        let mut problems = Problems::new();
        problems.extend(order.cloned());
        problems.sorted()
    };
    let forwards = sorted(&mut all.iter());
    assert_eq!(forwards, sorted(&mut all.iter().rev()));
    assert_eq!(forwards, sorted(&mut all.iter().chain(&all)), "each is said once");
    assert_eq!(forwards.iter().map(|problem| problem.id).collect::<String>(), "dcabbbb");
}

#[test]
fn counts_read_as_a_sentence() {
    let line = counts(&Counts { snippets: 1, pages: 3, ..Counts::default() });
    assert_eq!(line, "1 snippet, 0 figures, 0 tables, 0 charts, 0 claims, 0 runs, 0 links and 3 pages");
    assert_eq!(tally(&example().1), "2 errors and 1 warning");
}
