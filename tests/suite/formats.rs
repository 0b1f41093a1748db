//! What `verify` prints for machines: nothing else on standard output, as the schemas say, with paths and exit codes that fit.

use std::fs;

use lessonc::cli::Ending;
use serde_json::Value;

use super::fixture::{build, fixture};
use super::support::{Folder, lessonc, repository};

const FORMATS: [&str; 5] = ["human", "short", "json", "sarif", "github"];

fn verify(folder: &Folder, course: &str, format: &str) -> (Ending, String) {
    let said = lessonc([&"verify", &"--course", &folder.path().join(course), &"--format", &format]);
    (said.ending, said.out)
}

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// How many errors and warnings `text` shows, read as whoever reads `format` does.
fn counted(format: &str, text: &str) -> (usize, usize) {
    let lines = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    let levels = |values: &Value, key: &str| {
        let all = values.as_array().unwrap();
        let count = |level: &str| all.iter().filter(|value| value[key] == level).count();
        (count("error"), count("warning"))
    };
    match format {
        "human" => (lines("error["), lines("warning[")),
        "short" => (text.matches(": error[").count() + lines("error["), text.matches(": warning[").count() + lines("warning[")),
        "json" => levels(&object(text)["problems"], "severity"),
        "sarif" => levels(&object(text)["runs"][0]["results"], "level"),
        _ => (lines("::error "), lines("::warning ")),
    }
}

fn schema(text: &str) -> jsonschema::Validator {
    jsonschema::validator_for(&object(text)).unwrap()
}

/// A region that no lesson shows and no sweep compiles: a warning.
fn with_a_warning(course: &Folder) {
    let source = course.read("kernels/copy.cu");
    course.write("kernels/copy.cu", &format!("{source}\n// snippet: spare\n// nothing\n// end snippet spare\n"));
    build(course);
}

fn with_an_error(course: &Folder) {
    course.edit("lessons/copy.md", "row('1').ms < row('4').ms", "row('1').ms > row('4').ms");
}

/// A change of the course.
type Change = fn(&Folder);

#[test]
fn every_format_shows_the_same_and_ends_as_the_contract_says() {
    let sarif = schema(&fs::read_to_string(repository().join("tests/schemas/sarif-schema-2.1.0.json")).unwrap());
    let json = schema(&lessonc([&"verify", &"--schema"]).out);
    let harm: [(Change, Ending, bool, bool); 4] = [
        (|_| (), Ending::Fine, false, false),
        (with_a_warning, Ending::Fine, false, true),
        (with_an_error, Ending::Problems, true, false),
        (
            |course| {
                with_a_warning(course);
                with_an_error(course);
            },
            Ending::Problems,
            true,
            true,
        ),
    ];
    for (change, expected, errors, warnings) in harm {
        let course = fixture();
        change(&course);
        let mut counts = Vec::new();
        for format in FORMATS {
            let (ending, out) = verify(&course, "", format);
            assert_eq!(ending, expected, "{format}: {out}");
            counts.push(counted(format, &out));
            match format {
                "sarif" => assert!(sarif.is_valid(&object(&out)), "{out}"),
                "json" => assert!(json.is_valid(&object(&out)), "{out}"),
                "github" => assert!(out.lines().all(|line| line.starts_with("::")), "{out}"),
                "short" => assert!(out.lines().all(|line| line.contains("error[") || line.contains("warning[")), "{out}"),
                _ => assert!(out.contains("checked 2 snippets"), "{out}"),
            }
            assert_eq!(verify(&course, "", format).1, out, "{format} says the same again");
        }
        assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
        assert_eq!((counts[0].0 > 0, counts[0].1 > 0), (errors, warnings), "{counts:?}");
    }
}

#[test]
fn what_can_not_run_ends_with_two() {
    let course = fixture();
    let path = course.path();
    let ends = |said: super::support::Said| {
        assert_eq!((said.ending, said.out.as_str()), (Ending::Failed, ""), "{said:?}");
        assert!(!said.err.is_empty());
    };
    ends(lessonc([&"verify", &"--course", &path, &"--format", &"xml"]));
    ends(lessonc([&"verify", &"--course", &path, &"--as-of", &"tomorrow"]));
    ends(lessonc([&"verify", &"--course", &path, &"--explain", &"no-such-sweep"]));
    ends(lessonc([&"verify", &"--course", &path, &"--fresh", &"no-such-run"]));
    ends(lessonc([&"verify", &"--course", &path, &"--signers", &path.join("no-such-file")]));
    ends(lessonc([&"verify", &"--course", &path.join("no-such-course")]));
    ends(lessonc([&"verify", &"--schema", &"--rules"]));
    ends(lessonc([&"build", &"--course", &path, &"--out", &path.join("lessons")]));
    ends(lessonc([&"measure", &"--course", &path, &"no-such-sweep"]));
    ends(lessonc([&"measure", &"--course", &path, &"--device", &"abacus"]));
    ends(lessonc([&"nonsense"]));
}

#[test]
fn paths_start_where_the_reader_stands() {
    let repository = Folder::new();
    repository.write(".git/HEAD", "ref: refs/heads/main\n");
    let source = fixture();
    source.edit("lessons/copy.md", "snippet: copy.cu#body", "snippet: copy.cu#boby");
    for name in super::support::files(source.path()) {
        repository.write(&format!("courses/gpu/{name}"), &source.read(&name));
    }
    let at = |format: &str| verify(&repository, "courses/gpu", format).1;
    let json = object(&at("json"));
    let missing = json["problems"].as_array().unwrap().iter().find(|problem| problem["id"] == "snippet-missing").unwrap();
    assert_eq!(missing["at"]["path"], "lessons/copy.md");
    assert_eq!(missing["fix"]["text"], "body");
    let sarif = object(&at("sarif"));
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let missing = results.iter().find(|result| result["ruleId"] == "snippet-missing").unwrap();
    let place = &missing["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "courses/gpu/lessons/copy.md");
    let github = at("github");
    assert!(github.contains("::error file=courses/gpu/lessons/copy.md,line="), "{github}");
    // Where there is no repository, the course's root is as good as any.
    fs::remove_dir_all(repository.path().join(".git")).unwrap();
    let github = at("github");
    assert!(github.contains("::error file=lessons/copy.md,line="), "{github}");
}
