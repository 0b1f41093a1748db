//! One change at a time to a course that passes: each harmful one is found under its own name, each harmless one is not.

use lessonc::base::digest::Digest;
use lessonc::cli::Ending;
use lessonc::evidence::record::{Footer, Line, Record, VERSION};
use lessonc::evidence::{lines, transcript, verdict};
use serde_json::Value;

use super::fixture::{build, fixture, found};
use super::support::{Folder, files, lessonc};

/// The record and the transcript of the fixture's one run.
fn evidence(folder: &Folder, ending: &str) -> String {
    let mut names = folder.files("evidence").into_iter().filter(|name| name.ends_with(ending));
    names.next().unwrap_or_else(|| panic!("there is no evidence in a file {ending}"))
}

/// Changes lines of the record and makes all of it anew that can be made anew: its digest, its timer tick, its transcript.
/// Such a forgery has to be found by what it says.
fn forge(folder: &Folder, change: fn(&mut Value)) {
    reforge(folder, |lines| lines.iter_mut().for_each(change));
}

fn reforge(folder: &Folder, change: impl Fn(&mut Vec<Value>)) {
    let name = evidence(folder, ".jsonl");
    // Changed is what it says, which lines of the first version tell at length.
    let mut long = lines::parse(&folder.read(&name)).unwrap();
    let version = std::mem::replace(&mut long.header.version, 1);
    let mut values: Vec<Value> = lines::print(&long).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    change(&mut values);
    let mut header = None;
    let (mut rows, mut results, mut canaries, mut footer) = (Vec::new(), Vec::new(), Vec::new(), None);
    for value in values {
        match serde_json::from_value(value).unwrap() {
            Line::Header(line) => header = Some(*line),
            Line::Row(line) => rows.push(*line),
            Line::Result(line) => results.push(*line),
            Line::Canary(line) => canaries.push(*line),
            Line::Footer(line) => footer = Some(line),
            Line::Output(_) => panic!("the fixture runs no program"),
            Line::Compiled(_) | Line::Profiled(_) => panic!("the fixture compiles and profiles nothing by itself"),
        }
    }
    let mut record = Record {
        header: header.unwrap(),
        rows,
        results,
        canaries,
        compiled: Vec::new(),
        profiled: Vec::new(),
        outputs: Vec::new(),
        footer: None,
    };
    record.header.version = version;
    let footer = footer.unwrap();
    let tick = verdict::tick_ns(record.results.iter().flat_map(|result| result.spans_ns.iter().copied()));
    record.footer = Some(lines::footer(&lines::print_body(&record), footer.ended, footer.complete, tick));
    folder.write(&name, &lines::print(&record));
    folder.write(&name.replace(".jsonl", ".txt"), &transcript::transcript(&record));
}

/// A change, and the problem that `verify` must find after it.
type Harm = (&'static str, fn(&Folder), &'static str);

/// A change after which a course is as good as before.
type Harmless = (&'static str, fn(&Folder));

const HARM: &[Harm] = &[
    (
        "an operand of the kernel",
        |course| course.edit("kernels/copy.cu", "y[i] = x[i];  //", "y[i] = 2 * x[i];  //"),
        "error evidence-stale",
    ),
    (
        "an operand of the reference",
        |course| course.edit("kernels/copy.cu", "++i) y[i] = x[i]", "++i) y[i] = x[0]"),
        "error evidence-stale",
    ),
    ("a size", |course| course.edit("kernels/copy.toml", "256 * 1024 * 1024", "128 * 1024 * 1024"), "error evidence-stale"),
    (
        "a sample of the record",
        |course| {
            let name = evidence(course, ".jsonl");
            let text = course.read(&name);
            let at = text.find("\"spans_ns\":[").unwrap() + "\"spans_ns\":[".len();
            let digit = if text.as_bytes()[at] == b'9' { "8" } else { "9" };
            course.write(&name, &format!("{}{digit}{}", &text[..at], &text[at + 1..]));
        },
        "error evidence-digest",
    ),
    (
        "a digit of the transcript",
        |course| {
            let name = evidence(course, ".txt");
            let text = course.read(&name);
            let at = text.rfind(|c: char| c.is_ascii_digit()).unwrap();
            let digit = if text.as_bytes()[at] == b'9' { "8" } else { "9" };
            course.write(&name, &format!("{}{digit}{}", &text[..at], &text[at + 1..]));
        },
        "error evidence-transcript",
    ),
    ("no transcript", |course| course.remove(&evidence(course, ".txt")), "error evidence-transcript"),
    ("no record", |course| course.remove(&evidence(course, ".jsonl")), "error evidence-missing"),
    (
        "bytes that never moved",
        |course| {
            forge(course, |line| {
                if let Some(bytes) = line.pointer_mut("/launch/bytes") {
                    *bytes = Value::from(bytes.as_u64().unwrap() * 10);
                }
            });
        },
        "error physics-bandwidth",
    ),
    (
        "a peak of the cache that the bytes come from",
        |course| course.edit("kernels/copy.toml", "[timing]", "[physics]\nlevel = \"l2\"\npeak_bandwidth = \"1 GB/s\"\n\n[timing]"),
        "error physics-bandwidth",
    ),
    (
        "operations that were never done",
        |course| {
            course.edit("kernels/copy.toml", "[timing]", "[physics]\npeak_flops = \"1 GFLOP/s * device.sms\"\n\n[timing]");
            forge(course, |line| {
                if let Some(flop) = line.pointer_mut("/launch/flop") {
                    *flop = Value::from(1_u64 << 60);
                }
            });
        },
        "error physics-flops",
    ),
    (
        "a chain that is shorter than it is",
        |course| {
            let chain = "[physics]\nchain = { operations = \"items * most\", latency = \"4 cycles\" }\n\n[timing]";
            course.edit("kernels/copy.toml", "[timing]", chain);
        },
        "error physics-chain",
    ),
    (
        "spans of a few ticks",
        |course| {
            forge(course, |line| {
                for span in line.get_mut("spans_ns").and_then(Value::as_array_mut).into_iter().flatten() {
                    *span = Value::from(span.as_u64().unwrap().next_multiple_of(1_000_000));
                }
            });
        },
        "error physics-span",
    ),
    (
        "a wrong output",
        |course| {
            forge(course, |line| {
                if let Some(wrong) = line.pointer_mut("/after/wrong") {
                    *wrong = Value::from(3);
                    line["after"]["first_wrong"] = Value::from("y[0]: got 1, expected 2");
                }
            });
        },
        "error evidence-unchecked",
    ),
    (
        "outputs that were not compared",
        |course| {
            forge(course, |line| {
                if line["line"] == "result" && line["round"] == 3 {
                    line["after"] = Value::Null;
                }
            });
        },
        "error evidence-unchecked",
    ),
    (
        "a grid that the manifest does not give",
        |course| {
            forge(course, |line| {
                if line["label"] == "2" {
                    line["launch"]["grid"][0] = Value::from(1);
                }
            });
        },
        "error evidence-planned",
    ),
    (
        "an argument that the manifest does not give",
        |course| {
            forge(course, |line| {
                if line["label"] == "2" {
                    line["launch"]["arguments"][2]["u64"] = Value::from(1);
                }
            });
        },
        "error evidence-planned",
    ),
    (
        "bytes that the manifest does not give",
        |course| {
            forge(course, |line| {
                if let Some(bytes) = line.pointer_mut("/launch/bytes") {
                    *bytes = Value::from(bytes.as_u64().unwrap() + 8);
                }
            });
        },
        "error evidence-planned",
    ),
    ("a round left out", |course| reforge(course, |lines| lines.retain(|line| line["round"] != 3)), "error evidence-inconsistent"),
    ("a last round left out", |course| reforge(course, |lines| lines.retain(|line| line["round"] != 5)), "error evidence-inconsistent"),
    (
        "results of two rows swapped",
        |course| {
            forge(course, |line| {
                if let ("result", Some(row @ 0..2)) = (line["line"].as_str().unwrap(), line["row"].as_u64()) {
                    line["row"] = Value::from(1 - row);
                }
            });
        },
        "error evidence-inconsistent",
    ),
    (
        "another seed of the order",
        |course| {
            forge(course, |line| {
                if let Some(seed) = line["order_seed"].as_u64() {
                    line["order_seed"] = Value::from(seed ^ 1);
                }
            });
        },
        "error evidence-inconsistent",
    ),
    (
        "other code in the record than was fingerprinted",
        |course| {
            forge(course, |line| {
                if let Some(Value::String(code)) = line.pointer_mut("/code/device") {
                    *code = code.replace("y[i] = x[i]", "y[i] = 2 * x[i]");
                }
            });
        },
        "error evidence-inconsistent",
    ),
    (
        "more launches in a sample",
        |course| {
            forge(course, |line| {
                if line["line"] == "row" {
                    line["launches_per_sample"] = Value::from(2);
                }
            });
        },
        "error evidence-inconsistent",
    ),
    (
        "a member that no record has",
        |course| {
            let name = evidence(course, ".jsonl");
            let text = course.read(&name).replacen("\"shared_bytes\":0", "\"shared_bytes\":0,\"note\":\"fast\"", 1);
            let (body, footer) = text.trim_end().rsplit_once('\n').unwrap();
            let mut footer: Footer = serde_json::from_str(&footer.replacen("\"line\":\"footer\",", "", 1)).unwrap();
            footer.digest = Digest::of(format!("{body}\n"));
            course.write(&name, &format!("{body}\n{}", lines::LineRef::Footer(&footer).print(VERSION)));
        },
        "error evidence-unreadable",
    ),
    ("a region that is not there", |course| course.edit("lessons/copy.md", "copy.cu#body", "copy.cu#bdoy"), "error snippet-missing"),
    ("a region without an end", |course| course.edit("kernels/copy.cu", "// end snippet copy\n", ""), "error snippet-unclosed"),
    (
        "an empty region",
        |course| course.edit("kernels/copy.cu", "// Copies a buffer.\n", "// snippet: void\n// end snippet\n"),
        "error snippet-empty",
    ),
    (
        "two regions of one name",
        |course| course.edit("kernels/copy.cu", "// Copies a buffer.\n", "// snippet: body\n// Copies a buffer.\n// end snippet\n"),
        "error snippet-duplicate",
    ),
    (
        "crossed regions",
        |course| {
            let text = course.read("kernels/copy.cu").replace("    // end snippet body\n", "");
            course.write("kernels/copy.cu", &(text + "// end snippet body\n"));
        },
        "error snippet-crossed",
    ),
    (
        "an end without a beginning",
        |course| course.edit("kernels/copy.cu", "// Copies a buffer.\n", "// end snippet\n"),
        "error snippet-not-opened",
    ),
    (
        "a region that no page shows",
        |course| course.edit("kernels/copy.cu", "// Copies a buffer.\n", "// snippet: more\n// Copies.\n// end snippet\n"),
        "warning snippet-unused",
    ),
    (
        "a figure of a column that is not there",
        |course| course.edit("lessons/copy.md", "four take `= row('4').ms`", "four take `= row('4').sm`"),
        "error expr-name",
    ),
    (
        "a figure of a row that is not there",
        |course| course.edit("lessons/copy.md", "four take `= row('4').ms`", "four take `= row('5').ms`"),
        "error expr-name",
    ),
    (
        "a figure that is no expression",
        |course| course.edit("lessons/copy.md", "four take `= row('4').ms`", "four take `= row('4').`"),
        "error expr-syntax",
    ),
    (
        "a claim that the data refute",
        |course| course.edit("lessons/copy.md", "row('1').ms < row('4').ms", "row('1').ms > row('4').ms"),
        "error claim-refuted",
    ),
    (
        "a claim that nothing could refute",
        |course| course.edit("lessons/copy.md", "row('1').ms < row('4').ms", "row('1').ms > 0 ms"),
        "error vacuous-claim",
    ),
    ("a page edited by hand", |course| course.edit("site/copy.html", "Every thread copies", "Each thread copies"), "error site-edited"),
    ("a page removed by hand", |course| course.remove("site/copy.html"), "error site-edited"),
    ("a manifest in pieces", |course| course.write("site/site-manifest.json", "<<<<<<< HEAD\n"), "error site-edited"),
    (
        "a site of another version",
        |course| {
            let version = format!("\"lessonc\": \"{}\"", env!("CARGO_PKG_VERSION"));
            course.edit("site/site-manifest.json", &version, "\"lessonc\": \"0.0.1\"");
            course.edit("lessons/copy.md", "Every thread copies", "Each thread copies");
        },
        "error site-stale",
    ),
    (
        "a lesson reworded after the build",
        |course| course.edit("lessons/copy.md", "Every thread copies", "Each thread copies"),
        "error site-stale",
    ),
    (
        "a device that nobody measured on",
        |course| course.edit("lessons/course.toml", "[\"fake\"]", "[\"fake\", \"nvidia-h200\"]"),
        "error evidence-missing",
    ),
    (
        "a sweep that no lesson stands on",
        |course| course.write("kernels/other.toml", &course.read("kernels/copy.toml")),
        "warning sweep-unused",
    ),
    (
        "a lesson that shows nothing of its sweep",
        |course| course.write("lessons/bare.md", "+++\ntitle = \"Bare\"\nsweeps = [\"copy\"]\n+++\n\nOnly words.\n"),
        "error nothing-shown",
    ),
    (
        "a template that never ends",
        |course| course.write("templates/404.html", "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"),
        "error template",
    ),
    (
        "a template that lets a marker through",
        |course| course.write("templates/404.html", "<!doctype html>\n<title>404</title>\n<pre>\n<i>// end snippet</i>\n</pre>\n"),
        "error marker-leaked",
    ),
];

#[test]
fn every_harm_is_found_under_its_own_name() {
    let mut missed = Vec::new();
    for (what, change, id) in HARM {
        let course = fixture();
        change(&course);
        let found = found(&course);
        if !found.iter().any(|found| found == id) {
            missed.push(format!("{what}: {id} is not among {found:?}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// Every text file of the course with CRLF line ends.
fn with_crlf(course: &Folder) {
    for name in files(course.path()) {
        let text = course.read(&name);
        if text.contains('\n') {
            course.write(&name, &text.replace('\n', "\r\n"));
        }
    }
}

#[test]
fn what_is_harmless_needs_no_new_run_and_one_build() {
    let harmless: &[Harmless] = &[
        ("a comment reworded", |course| course.edit("kernels/copy.cu", "// one load, one store", "// a load and a store")),
        ("the kernel indented again", |course| course.edit("kernels/copy.cu", "        y[i] = x[i];  //", "            y[i]=x[i]; //")),
        ("keys in another order", |course| {
            course.edit(
                "kernels/copy.toml",
                "{ role = \"in\", type = \"f32\", count = \"most\" }",
                "{ count = \"most\", type = \"f32\", role = \"in\" }",
            );
            course.edit("kernels/copy.toml", "[timing]\nrounds = 5\n\n", "");
            let text = course.read("kernels/copy.toml");
            course.write("kernels/copy.toml", &text.replace("[constants]", "[timing]\nrounds = 5\n\n[constants]"));
        }),
        ("other words about a column", |course| {
            course.edit("kernels/copy.toml", "\"GB/s\" = \"bytes / ms\"", "\"GB/s\" = { value = \"bytes / ms\", title = \"Rate\" }");
        }),
    ];
    for (what, change) in harmless {
        let course = fixture();
        change(&course);
        let said = found(&course);
        assert!(said.iter().all(|id| id == "error site-stale"), "{what}: {said:?}");
        build(&course);
        assert_eq!(found(&course), Vec::<String>::new(), "{what}");
    }
    // The first two do change a page, so that a build is due and says so.
    for (what, change) in &harmless[..2] {
        let course = fixture();
        change(&course);
        assert_eq!(found(&course), ["error site-stale"], "{what}");
        let verified = lessonc([&"verify", &"--course", &course.path()]);
        assert!(verified.out.contains("lessonc build"), "{what}: {verified:?}");
    }
}

#[test]
fn where_a_checkout_lies_and_its_line_ends_change_nothing() {
    let course = fixture();
    let moved = Folder::new();
    std::fs::rename(course.path(), moved.path().join("elsewhere")).unwrap();
    let moved = Folder::copy_of(&moved.path().join("elsewhere"));
    assert_eq!(found(&moved), Vec::<String>::new());
    with_crlf(&moved);
    assert_eq!(found(&moved), Vec::<String>::new());
    let built = lessonc([&"build", &"--course", &moved.path()]);
    assert!(built.out.contains(": 0 files written,"), "{built:?}");
}

#[test]
fn evidence_grows_too_old() {
    let course = fixture();
    course.write("lessons/course.toml", &(course.read("lessons/course.toml") + "\n[policy]\nevidence_days = 30\n"));
    let verified = lessonc([&"verify", &"--course", &course.path(), &"--as-of", &"2099-01-01", &"--format", &"short"]);
    assert_eq!(verified.ending, Ending::Problems);
    assert!(verified.out.contains("error[evidence-old]"), "{verified:?}");
    assert!(!found(&course).contains(&"error evidence-old".to_owned()));
}

#[test]
fn a_run_of_a_day_to_come_is_none() {
    let course = fixture();
    let verified = lessonc([&"verify", &"--course", &course.path(), &"--as-of", &"2020-01-01", &"--format", &"short"]);
    assert_eq!(verified.ending, Ending::Problems);
    assert!(verified.out.contains("error[evidence-future]"), "{verified:?}");
}

#[test]
fn explain_prints_exactly_what_differs() {
    let course = fixture();
    let explained = lessonc([&"verify", &"--course", &course.path(), &"--explain", &"copy"]);
    assert_eq!(explained.ending, Ending::Fine, "{explained:?}");
    course.edit("kernels/copy.cu", "y[i] = x[i];  //", "y[i] = 2 * x[i];  //");
    let explained = lessonc([&"verify", &"--course", &course.path(), &"--explain", &"copy"]);
    assert_eq!(explained.ending, Ending::Problems);
    let changed: Vec<&str> = explained.out.lines().filter(|line| line.starts_with(['-', '+'])).collect();
    assert_eq!(changed.len(), 2, "{explained:?}");
    assert!(changed[0].contains("y [ i ] = x [ i ]") && changed[1].contains("y [ i ] = 2 * x [ i ]"), "{changed:?}");
    assert_eq!(lessonc([&"verify", &"--course", &course.path(), &"--explain", &"cpoy"]).ending, Ending::Failed);
}

#[test]
fn a_build_after_an_edit_by_hand_repairs_it() {
    let course = fixture();
    let before = course.read("site/copy.html");
    course.edit("site/copy.html", "Every thread copies", "Each thread copies");
    let verified = lessonc([&"verify", &"--course", &course.path()]);
    assert!(verified.out.contains("site/copy.html:") && verified.out.contains("Each thread copies"), "{verified:?}");
    build(&course);
    assert_eq!(course.read("site/copy.html"), before);
    assert_eq!(found(&course), Vec::<String>::new());
}
