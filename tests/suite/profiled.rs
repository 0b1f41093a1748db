//! The fixture with a sweep that profiles its rows: planned on the fake device, counted by a stand-in for ncu on the PATH.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output};

use super::fixture::{fixture, found};
use super::support::Folder;

const SWEEP: &str = "kind = \"profile\"\ntitle = \"How many warps were there?\"\nof = \"copy\"\nonly = [\"1\", \"4\"]\nlaunches = 5\n\n\
    [metrics]\nl1 = { metric = \"l1tex__t_bytes.sum\", unit = \"B\" }\n\n[columns]\nshare = \"achieved / theoretical\"\n";

const LESSON: &str = "+++\ntitle = \"Warps\"\nsummary = \"Counted.\"\nsweeps = [\"warps\"]\n+++\n\n\
    Of the `= row('1').theoretical` that fit, `= row('1').achieved` were there; `= row('1').limited_by` set the limit.\n\n\
    table: warps { columns = [\"label\", \"items\", \"achieved\", \"theoretical\", \"limited_by\", \"dram_bytes\", \"l1\", \"share\"] }\n\n\
    > claim: fewer { holds = \"row('4').achieved < row('4').theoretical\" }\n> Fewer than fit.\n\ntranscript: warps\n";

/// A stand-in for ncu: prints `ACHIEVED` percent for each launch it is asked for.
const NCU: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then echo "NVIDIA (R) Nsight Compute Command Line Profiler"; echo "Version 2025.3.1.0 (build 1) (public-release)"; exit 0; fi
while [ $# -gt 0 ]; do [ "$1" = --launch-count ] && count=$2; shift; done
echo "==PROF== Connected to process 7 (/home/somebody/lessonc)"
ERROR
echo '"ID","Kernel Name","dram__bytes.sum","gpu__time_duration.sum","l1tex__t_bytes.sum","launch__occupancy_limit_blocks","launch__occupancy_limit_registers","launch__occupancy_limit_shared_mem","launch__occupancy_limit_warps","sm__maximum_warps_per_active_cycle_pct","sm__warps_active.avg.pct_of_peak_sustained_active"'
echo '"","","Mbyte","usecond","Kbyte","block","block","block","block","%","%"'
i=0
while [ $i -lt $count ]; do echo "\"$i\",\"KERNEL\",\"10.5\",\"99\",\"2,048.5\",\"32\",\"16\",\"32\",\"8\",\"100\",\"ACHIEVED$i\""; i=$((i+1)); done
"#;

/// The fixture with the sweep, measured with `ncu` for a profiler; and what that said.
fn profiled(ncu: Option<String>) -> (Folder, Output) {
    let course = fixture();
    course.write("kernels/warps.toml", SWEEP);
    course.write("lessons/warps.md", LESSON);
    let measured = run(&course, ncu.as_deref(), &["measure", "warps", "--device", "fake"]);
    run(&course, None, &["build"]);
    (course, measured)
}

/// `lessonc` with `words` on `course`, with the script `ncu` for a profiler.
fn run(course: &Folder, ncu: Option<&str>, words: &[&str]) -> Output {
    let tools = Folder::new();
    if let Some(script) = ncu {
        tools.write("ncu", script);
        fs::set_permissions(tools.path().join("ncu"), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = std::env::join_paths([tools.path(), "/usr/bin".as_ref(), "/bin".as_ref()]).unwrap();
    let program = env!("CARGO_BIN_EXE_lessonc");
    Command::new(program).args(words).arg("--course").arg(course.path()).env("PATH", &path).output().unwrap()
}

fn script(achieved: &str, kernel: &str, error: &str) -> String {
    NCU.replace("ACHIEVED", achieved).replace("KERNEL", kernel).replace("ERROR", error)
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn evidence(course: &Folder, ending: &str) -> String {
    let mut names = course.files("evidence/warps").into_iter().filter(|name| name.ends_with(ending));
    course.read(&names.next().expect("a run"))
}

#[test]
fn counters_are_evidence_and_no_time_is() {
    let (course, measured) = profiled(Some(script("71.2", "copy(const float *, float *)", ":")));
    assert!(measured.status.success(), "{}", text(&measured));
    assert_eq!(found(&course), [""; 0], "{}", text(&measured));
    let page = course.read("site/warps.html");
    for shown in ["71.2", "100", "warps", "10.5", "2048500"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert!(page.contains("profiled launches") && !page.contains("99 µs"), "the profiler's time is no time");
    let transcript = evidence(&course, ".txt");
    assert!(transcript.contains("ncu 2025.3.1.0") && !transcript.contains("/home"), "{transcript}");
    let table = "\
row  launches         achieved  theoretical      memory   under ncu  blocks  registers  shared memory  warps  t_bytes  limited by  outcome
1           5  71.2 to 71.24 %        100 %  10.5000 MB  99.0000 µs      32         16             32      8  2048500       warps       ok
4           5  71.2 to 71.24 %        100 %  10.5000 MB  99.0000 µs      32         16             32      8  2048500       warps       ok
";
    assert!(transcript.contains(table), "{transcript}");
    assert!(transcript.contains("\n  t_bytes        l1tex__t_bytes.sum  "), "{transcript}");
    course.edit("kernels/copy.cu", "y[i] = x[i];  //", "y[i] = 2 * x[i];  //");
    assert!(found(&course).contains(&"error evidence-stale".to_owned()), "it stands on the code of the sweep that it profiles");
}

#[test]
fn what_can_t_be_so_is_no_evidence() {
    let (course, measured) = profiled(Some(script("100.9", "copy(const float *, float *)", ":")));
    assert!(measured.status.success(), "{}", text(&measured));
    assert!(found(&course).contains(&"error physics-occupancy".to_owned()), "{:?}", found(&course));
    for (script, expected) in [
        (script("71.2", "gate(unsigned int *)", ":"), "no-counters: ncu profiled `gate(unsigned int *)` where `copy` was launched"),
        (script("71.2", "copy(float *)", "count=2"), "no-counters: ncu profiled 2 of 5 launches"),
        (
            script("71.2", "copy(float *)", ":").replace("\\\"100\\\"", "\\\"50\\\""),
            "incorrect: ncu gives 50 % as the theoretical occupancy",
        ),
        (
            script("71.2", "copy(float *)", "echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission'; exit 1"),
            "no-counters: reading GPU performance counters is not permitted to this user (ERR_NVGPUCTRPERM)",
        ),
    ] {
        let (course, measured) = profiled(Some(script));
        let said = text(&measured);
        assert!(!measured.status.success() && said.contains(expected), "{said}");
        assert!(evidence(&course, ".txt").contains("Not ok"), "the row keeps its reason");
        assert!(found(&course).contains(&"error claim-not-measured".to_owned()), "{:?}", found(&course));
    }
}

#[test]
fn a_break_ends_after_the_row_in_hand_and_the_next_run_goes_on() {
    let (course, measured) = profiled(Some(script("71.2", "copy(float *)", "kill -INT $PPID")));
    let said = text(&measured);
    assert!(!measured.status.success() && said.contains("warps: interrupted; 1 finished row is kept"), "{said}");
    assert!(!course.path().join("evidence/warps").exists(), "a part of a run is no evidence");
    let measured = run(&course, Some(&script("61.2", "copy(float *)", ":")), &["measure", "warps", "--device", "fake"]);
    let said = text(&measured);
    assert!(measured.status.success() && said.contains("goes on with the run of") && said.contains("1 finished row are kept"), "{said}");
    let transcript = evidence(&course, ".txt");
    assert!(transcript.contains("71.2") && transcript.contains("61.2"), "the first row is of the first run: {transcript}");
    assert!(transcript.contains("Resumed") && transcript.contains("Complete       yes"), "{transcript}");
}

#[test]
fn a_break_before_the_first_row_ends_with_nothing_kept_and_in_words() {
    let early = script("71.2", "copy(float *)", ":").replace("= --version ]; then", "= --version ]; then kill -INT $PPID;");
    let (course, measured) = profiled(Some(early));
    let said = text(&measured);
    assert!(measured.status.code() == Some(2) && said.contains("warps: interrupted before any row was measured"), "{said}");
    assert!(!course.path().join("evidence/warps").exists(), "{said}");
}

#[test]
fn some_rows_may_be_profiled_for_a_look() {
    let (course, _) = profiled(Some(script("71.2", "copy(float *)", ":")));
    let looked = run(&course, Some(&script("61.2", "copy(float *)", ":")), &["measure", "warps", "--device", "fake", "--rows", "4"]);
    let said = text(&looked);
    assert!(looked.status.success() && said.contains("only some rows were asked for"), "{said}");
    let listed = text(&run(&course, None, &["measure", "warps", "--list"]));
    assert!(listed.contains("current, evidence/warps/") && !listed.contains("-2.jsonl"), "the whole run counts on: {listed}");
    let verified = text(&run(&course, None, &["build"]));
    assert!(!verified.contains("evidence-"), "a look is sound: {verified}");
    let stranger = text(&run(&course, None, &["measure", "warps", "--device", "fake", "--rows", "2"]));
    assert!(stranger.contains("warps has no row `2`"), "{stranger}");
}

#[test]
fn without_ncu_every_row_says_so() {
    if std::path::Path::new("/usr/bin/ncu").exists() || std::path::Path::new("/usr/local/cuda/bin/ncu").exists() {
        eprintln!("skipped: there is an ncu");
        return;
    }
    let (course, measured) = profiled(None);
    let said = text(&measured);
    assert!(!measured.status.success() && said.contains("no-counters: ncu is not installed"), "{said}");
    assert!(evidence(&course, ".txt").contains("ncu is not installed"));
}
