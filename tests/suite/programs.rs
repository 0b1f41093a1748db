//! Sweeps of programs, from a script to its page: `tests/program`, which a shell runs in the test itself.

use std::sync::OnceLock;

use lessonc::cli::Ending;

use super::fixture::{build, found, passing};
use super::support::{Folder, Said, lessonc, repository};

/// A fresh copy of the course as it passes `verify`: with evidence and site.
fn course() -> Folder {
    static READY: OnceLock<Folder> = OnceLock::new();
    passing(&READY, "tests/program", measure)
}

fn measure(folder: &Folder) -> Said {
    lessonc([&"measure", &"--course", &folder.path()])
}

fn evidence(folder: &Folder, ending: &str) -> String {
    folder.files("evidence").into_iter().find(|name| name.ends_with(ending)).expect("evidence")
}

/// The messages of `verify` about `id`.
fn messages(folder: &Folder, id: &str) -> String {
    let said = lessonc([&"verify", &"--course", &folder.path(), &"--format", &"json"]);
    let value: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let all = value["problems"].as_array().unwrap().iter().filter(|problem| problem["id"] == id);
    all.map(|problem| problem["message"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_a_program_prints_is_on_its_page() {
    let folder = course();
    assert_eq!(folder.files("evidence").len(), 2);
    let page = folder.read("site/printed.html");
    for expected in ["76,800", "8 items, bound (256,4)", "smem B/blk", "Device: none, working set 768 MiB", "peak 4,022.5 GB/s", "found by"]
    {
        assert!(page.contains(expected) || page.contains(&expected.replace(',', "")), "{expected}\n{page}");
    }
    assert!(page.contains("<svg") && page.contains("search"), "{page}");
    assert!(!page.contains("warmed up"), "a page shows the standard output");
    let transcript = folder.read(&evidence(&folder, ".txt"));
    assert!(transcript.contains("run in round 6 prints:\nDevice: none") && transcript.contains("warmed up in 12 us"), "{transcript}");
}

#[test]
fn a_current_run_is_not_run_again() {
    let folder = course();
    let again = measure(&folder);
    assert!(again.err.contains("is current on host"), "{again:?}");
    assert_eq!(folder.files("evidence").len(), 2);
}

#[test]
fn what_is_run_counts_and_how_it_is_read_does_not() {
    let stale: [(&str, &str, &str); 4] = [
        ("kernels/printed.sh", "50 0 76800", "51 0 76800"),
        ("kernels/printed.toml", "set = 768", "set = 769"),
        ("kernels/printed.toml", "limit_s = 60", "limit_s = 61"),
        ("kernels/printed.toml", "\"{set}\"]", "\"{set}\", \"x\"]"),
    ];
    for (file, old, new) in stale {
        let folder = course();
        folder.edit(file, old, new);
        let found = found(&folder);
        assert!(found.contains(&"error evidence-stale".to_owned()), "{old}: {found:?}");
    }
    let folder = course();
    folder.edit("kernels/printed.toml", "exact = [\"regs\"]\n", "");
    assert_eq!(found(&folder), ["error site-stale"]);
    build(&folder);
    assert_eq!(found(&folder), Vec::<String>::new());
}

#[test]
fn a_digit_that_was_changed_in_the_record_is_noticed() {
    let folder = course();
    let name = evidence(&folder, ".jsonl");
    let text = folder.read(&name);
    folder.write(&name, &text.replacen("3258.1", "9258.1", 1));
    assert!(found(&folder).contains(&"error evidence-digest".to_owned()));
}

#[test]
fn a_column_or_pattern_that_is_not_printed_is_an_error_with_its_line() {
    let folder = course();
    folder.edit("kernels/printed.toml", "\"smem B/blk\"]\nunits", "\"smem B/blk\", \"spills\"]\nunits");
    assert!(
        messages(&folder, "printed-unread").contains("line 3: the line has 4 of the 5 columns, and not `spills`"),
        "{}",
        messages(&folder, "printed-unread")
    );
    let folder = course();
    folder.edit("kernels/printed.toml", "'found by (\\w+)'", "'0'");
    assert!(messages(&folder, "printed-unread").contains("matches more than once"), "{}", messages(&folder, "printed-unread"));
    let folder = course();
    folder.edit("kernels/printed.toml", "exact = [\"regs\"]", "exact = [\"regs\", \"local B\", \"config\"]");
    assert!(messages(&folder, "printed-unread").contains("`plain` is no number"), "{}", messages(&folder, "printed-unread"));
}

/// Measures the course after `change` to its script.
fn measured_with(change: &str) -> (Folder, Said) {
    let folder = Folder::copy_of(&repository().join("tests/program"));
    folder.edit("kernels/printed.sh", "echo \"host warmed up in 12 us\" >&2", change);
    let said = measure(&folder);
    (folder, said)
}

#[test]
fn a_value_that_is_missing_in_one_round_is_a_lost_round_and_a_warning() {
    let folder = Folder::copy_of(&repository().join("tests/program"));
    folder.edit("kernels/printed.sh", "echo \"peak 4,022.5", "[ $n = 2 ] || echo \"peak 4,022.5");
    assert_eq!(measure(&folder).ending, Ending::Fine);
    build(&folder);
    assert_eq!(found(&folder), ["warning printed-unread"]);
    assert!(messages(&folder, "printed-unread").contains("the value `peak` can't be read in 1 of 6 rounds; in round 3, nothing matches"));
}

#[test]
fn two_rounds_that_fail_leave_too_few() {
    let (folder, said) = measured_with("[ $n -ge 2 ] || exit 7");
    assert_eq!(said.ending, Ending::Fine, "{said:?}");
    assert!(said.err.contains("run in round 1: runtime: exit code 7") && said.out.contains("4/6"), "{said:?}");
    let found = found(&folder);
    assert!(found.contains(&"error figure-not-measured".to_owned()) && found.contains(&"error claim-not-measured".to_owned()), "{found:?}");
}

#[test]
fn a_program_that_never_goes_well_is_no_evidence() {
    let (_, said) = measured_with("echo no device >&2; exit 3");
    assert_eq!(said.ending, Ending::Problems, "{said:?}");
    assert!(said.err.contains("exit code 3; no device") && said.err.contains("no row was ok in any round"), "{said:?}");
}

#[test]
fn a_program_that_hangs_is_ended_in_every_round() {
    let folder = Folder::copy_of(&repository().join("tests/program"));
    folder.edit("kernels/printed.sh", "echo \"host warmed", "sleep 600; echo \"host warmed");
    folder.edit("kernels/printed.toml", "rounds = 6\nlimit_s = 60", "rounds = 5\nlimit_s = 1");
    let said = measure(&folder);
    assert_eq!(said.ending, Ending::Problems, "{said:?}");
    assert!(said.err.contains("run in round 5: timeout: over its limit of 1 s; it was ended"), "{said:?}");
}

const SOURCE: &str = "\
#include <cstdio>
#include <cstdlib>
#include \"times.h\"
int main(int, char** words) {
    int n = std::atoi(words[1]);
    std::printf(\"%d elements take %.3f us\\n\", n, time_of(n));
}
";

const BUILT: &str = "\
kind = \"program\"
title = \"A program that is built\"
source = \"built.cpp\"
device = \"host\"
build = [\"g++\", \"-o\", \"{program}\", \"{source}\"]
run = [\"{program}\", \"{n}\"]
[axes]
n = { values = [1, 2, 4], unit = \"elements\" }
[values.time]
pattern = 'take (?<time>[\\d.]+) us'
unit = \"us\"
[timing]
rounds = 5
";

const LESSON: &str = "\
+++
title = \"Built\"
sweeps = [\"built\"]
+++

table: built { columns = [\"n\", \"time\"] }

> claim: grows { holds = \"row('1').time < row('4').time\" }
> More elements take longer: `= row('4').time`.
";

fn built() -> Folder {
    let folder = Folder::new();
    folder.write("lessons/course.toml", "title = \"T\"\noutline = [\"built\"]\n[devices]\npublished = [\"host\"]\n");
    folder.write("lessons/built.md", LESSON);
    folder.write("kernels/built.toml", BUILT);
    folder.write("kernels/built.cpp", SOURCE);
    folder.write("kernels/times.h", "inline double time_of(int n) { return 1.5 * n; }\n");
    folder
}

#[test]
fn a_program_is_built_once_and_run_for_every_row() {
    let folder = built();
    let said = measure(&folder);
    assert_eq!(said.ending, Ending::Fine, "{said:?}");
    assert!(said.out.contains("./built 4"), "{said:?}");
    build(&folder);
    assert_eq!(found(&folder), Vec::<String>::new());
    assert!(folder.read("site/built.html").contains("6.000"), "{}", folder.read("site/built.html"));
    // A comment does not count in code, and a header does.
    folder.write("kernels/built.cpp", &format!("// A comment.\n{SOURCE}"));
    assert!(!found(&folder).contains(&"error evidence-stale".to_owned()));
    folder.write("kernels/times.h", "inline double time_of(int n) { return 1.6 * n; }\n");
    assert!(found(&folder).contains(&"error evidence-stale".to_owned()));
}

#[test]
fn a_look_at_a_row_of_a_program_says_that_it_was_asked_for() {
    let folder = built();
    let said = lessonc([&"measure", &"--course", &folder.path(), &"built", &"--rows", &"4"]);
    assert_eq!(said.ending, Ending::Fine, "{said:?}");
    let transcript = folder.read(&evidence(&folder, ".txt"));
    assert!(transcript.contains("Complete       no: only 1 of the rows were asked for: 4"), "{transcript}");
}

#[test]
fn what_a_program_printed_of_time_is_compared_with_the_run_before() {
    let folder = built();
    assert_eq!(measure(&folder).ending, Ending::Fine);
    let again = lessonc([&"measure", &"--course", &folder.path(), &"--force"]);
    assert!(again.out.contains("SAME (rows: ") && again.out.contains("figure"), "{again:?}");
    let fresh = evidence(&folder, "-2.jsonl");
    let verified = lessonc([&"verify", &"--course", &folder.path(), &"--fresh", &fresh]);
    assert_eq!(verified.ending, Ending::Fine, "{verified:?}");
    folder.write("kernels/times.h", "inline double time_of(int n) { return 1.6 * n; }\n");
    let slower = measure(&folder);
    assert!(
        slower.out.contains("two versions of the code") && slower.out.contains("+6.67 %") && slower.out.contains("SLOWER"),
        "{slower:?}"
    );
}

#[test]
fn what_does_not_compile_is_said_at_the_author_s_line() {
    let folder = built();
    folder.edit("kernels/built.cpp", "time_of(n)", "time_off(n)");
    let said = measure(&folder);
    assert_eq!(said.ending, Ending::Problems, "{said:?}");
    assert!(said.err.contains("kernel-compile") && said.err.contains("built.cpp:6"), "{said:?}");
    let folder = built();
    folder.edit("kernels/built.toml", "\"g++\"", "\"no-such-compiler\"");
    let said = measure(&folder);
    assert!(said.ending == Ending::Failed && said.err.contains("no-such-compiler is missing"), "{said:?}");
}
