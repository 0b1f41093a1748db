//! A made-up course of one sweep and one lesson, and runs of it that support, refute and leave open what it claims.

use std::sync::Arc;

use super::*;
use crate::base::problem::{Problem, Problems, Severity};
use crate::base::quantity::Amount;
use crate::course::{self, Course};
use crate::evidence::record::{Outcome, Record, RowPlan, RowResult};
use crate::evidence::{self, Current, Evidence, Run, lines};
use crate::expr::{self, Expr, Row, Scope, Value};
use crate::plan::{self, Job, Plan};
use crate::tree::SourceTree;

mod history;
mod words;

const MANIFEST: &str = r#"
title = "Copies"
source = "copy.cu"
host = ["expect"]

[constants]
elements = "1024 * 1024"

[axes]
threads = { values = [64, 128, 256, 512], unit = "threads" }

[buffers]
x = { role = "out", type = "f32", count = "elements" }

[check]
reference = "expect"
arguments = ["x"]

[launch]
kernel = "copy"
block = "threads"
grid = "8"
arguments = ["x"]
bytes = "4 B * elements"

[timing]
rounds = 7

[columns]
warps = { value = "ceil_div(threads, device.warp_size)", unit = "warps" }
idle = { value = "warps * device.warp_size - threads", unit = "threads" }
"warps/SM" = { value = "blocks_per_sm * warps", unit = "warps" }
occupancy = { value = "this['warps/SM'] * device.warp_size / device.threads_per_sm", unit = "%" }
"GB/s" = "bytes / ms"
of_best = { value = "this['GB/s'] / best('GB/s')['GB/s']", unit = "%" }
"#;

const KERNEL: &str =
    "// snippet: expect\nvoid expect(float* x) {}\n// end snippet\n// snippet: copy\n__global__ void copy(float* x) {}\n// end snippet\n";

fn course(devices: &str, claims: &str) -> (Course, Problems) {
    let mut problems = Problems::new();
    let mut tree = SourceTree::new();
    let config = format!("title = \"A course\"\nsummary = \"About copies.\"\n[devices]\npublished = [{devices}]\n");
    let lesson = format!("+++\ntitle = \"Copies\"\nsweeps = [\"copy\"]\n+++\n\n{claims}\n");
    let files = [
        ("lessons/course.toml", config.as_str()),
        ("lessons/copies.md", &lesson),
        ("kernels/copy.toml", MANIFEST),
        ("kernels/copy.cu", KERNEL),
    ];
    for (name, text) in files {
        tree.insert(name, text.as_bytes(), &mut problems);
    }
    let course = course::read(&tree, &mut problems);
    let errors: Vec<String> =
        problems.iter().filter(|problem| problem.severity == Severity::Error).map(|problem| format!("{problem:?}")).collect();
    assert_eq!(errors, Vec::<String>::new());
    (course, Problems::new())
}

/// The spans of a row's rounds, nanoseconds; `None`: the row fails in that round.
type Spans = [Option<u64>; 7];

/// Row 0 takes twice the time of row 1; rows 2 and 3 can't be told apart; row 3 is lost in one round.
const USUAL: [Spans; 4] = [
    [Some(200_000), Some(201_000), Some(199_000), Some(200_500), Some(199_500), Some(200_200), Some(199_900)],
    [Some(100_000), Some(100_600), Some(99_500), Some(100_100), Some(99_900), Some(100_300), Some(99_700)],
    [Some(80_000), Some(81_000), Some(79_000), Some(80_500), Some(79_500), Some(80_200), Some(79_900)],
    [Some(80_300), Some(80_100), Some(79_800), None, Some(79_900), Some(80_000), Some(80_100)],
];

const LABELS: [(&str, u32); 4] = [("64", 64), ("128", 128), ("256", 256), ("512", 512)];

fn record(device: &str, spans: &[Spans; 4]) -> Record {
    let mut record = evidence::record::tests::sample();
    record.header.device = device.to_owned();
    record.header.identity.timing.rounds = 7;
    let (plan, result) = (record.rows[0].clone(), record.results[0].clone());
    record.rows = LABELS
        .iter()
        .map(|&(label, threads)| {
            let mut row: RowPlan =
                RowPlan { label: label.to_owned(), values: vec![("threads".to_owned(), format!("{threads} threads"))], ..plan.clone() };
            if let Some(launch) = &mut row.launch {
                launch.shape.block = [threads, 1, 1];
                launch.bytes = Some(4 << 20);
            }
            row
        })
        .collect();
    record.results = Vec::new();
    for round in 0..7 {
        for (row, rounds) in spans.iter().enumerate() {
            let (outcome, spans_ns) = match rounds[round] {
                Some(span) => (Outcome::Ok, vec![span; 3]),
                None => (Outcome::Throttled("the clock moved".to_owned()), Vec::new()),
            };
            record.results.push(RowResult { round: round as u32 + 1, row: row as u32, outcome, spans_ns, ..result.clone() });
        }
    }
    record.footer = Some(lines::footer(&lines::print_body(&record), "2026-02-03T04:06:07Z".to_owned(), true, Some(32)));
    record
}

fn run(device: &str, spans: &[Spans; 4]) -> Arc<Run> {
    let name = format!("evidence/copy/2026-02-03-{device}.jsonl");
    Arc::new(Run::whole(&name.as_str().into(), record(device, spans), None, 1))
}

/// The job of the sweep, known by what the made-up record was of.
fn job(course: &Course) -> Job {
    let mut problems = Problems::new();
    let plan = plan::plan(course, &mut problems);
    let job = plan.jobs.get("copy").unwrap_or_else(|| panic!("{problems:?}"));
    let lines = record("test-card", &USUAL).header.fingerprint_lines;
    Job { fingerprint: plan::fingerprint::Fingerprint::of(lines), ..(**job).clone() }
}

fn facts(course: &Course, runs: &[Arc<Run>]) -> Facts {
    let plan = Plan { jobs: [("copy".to_owned(), Arc::new(job(course)))].into() };
    Facts::of(course, &plan, &Evidence { runs: [("copy".to_owned(), runs.to_vec())].into(), ..Evidence::default() }, Outdated::Hidden)
}

fn expression(text: &str) -> Expr {
    Expr::parse(&crate::base::slice::Slice::verbatim(&"lessons/copies.md".into(), text, 0))
        .unwrap_or_else(|problem| panic!("{text}: {problem:?}"))
}

fn worth(scope: &dyn Scope, text: &str) -> String {
    match expr::figure(&expression(text), scope) {
        Ok(figured) => figured.text.replace('\u{a0}', " "),
        Err(problem) => format!("! {}: {}", problem.id, problem.message),
    }
}

#[test]
fn rows_have_measured_and_derived_columns() {
    let (course, mut problems) = course("\"test-card\"", "Text.");
    let facts = facts(&course, &[run("test-card", &USUAL)]);
    facts.check(&mut problems);
    assert_eq!(problems.sorted(), []);
    let scope = facts.scope(&course.lessons[0], "test-card");
    let cases = [
        ("row('64').ms", "0.2000 ms"),
        ("row('64').ms | unit('µs')", "200.0 µs"),
        ("row('128')['GB/s']", "41.9 GB/s"),
        ("row('256').of_best", "100 %"),
        ("row('64').warps", "2 warps"),
        ("row('64').blocks_per_sm", "16 blocks"),
        ("row('64').idle", "0 threads"),
        ("row('64')['warps/SM']", "32 warps"),
        ("row('64').occupancy", "50 %"),
        ("row('64').occupancy == 1/2 and row('64').occupancy * 4 == 2", "yes"),
        ("device.threads_per_sm / device.warp_size", "64"),
        ("row('128')['GB/s'] / row('64')['GB/s'] | times", "2.000×"),
        ("row('512').block", "512 threads"),
        ("row('64').grid", "16 blocks"),
        ("row('64').bytes", "4 MiB"),
        ("row('64').shared", "0 B"),
        ("row('64').clock", "1980.0 MHz"),
        ("elements", "1048576"),
        ("copy.row('64').label", "64"),
        ("device.l2_bytes", "60 MiB"),
        ("device.sms", "4 SMs"),
        ("row('64').flop", "! expr-value: the sweep declares no `flop` of a launch"),
        ("best('GB/s')", "256 or 512"),
        ("count(rows where of_best >= 0.9)", "2"),
        ("ceil_div(device.sm_clock_khz, 1 MHz)", "1980"),
    ];
    let all: Vec<String> = cases.iter().map(|(text, _)| worth(&scope, text)).collect();
    assert_eq!(all, cases.map(|(_, expected)| expected));
    let sweep = facts.sweep("copy", "test-card").unwrap();
    let names: Vec<(&str, bool)> = sweep.columns.iter().map(|column| (column.name.as_str(), column.measured)).collect();
    assert_eq!(names[..3], [("label", false), ("threads", false), ("ms", true)]);
    assert_eq!(names[names.len() - 3..], [("occupancy", false), ("GB/s", true), ("of_best", true)]);
    assert_eq!(sweep.column("GB/s").unwrap().unit.as_ref().map(ToString::to_string).as_deref(), Some("GB/s"));
    assert_eq!(
        (sweep.rows[3].rounds.ok, sweep.rows[3].rounds.trouble().as_deref()),
        (6, Some("throttled in 1 of 7 rounds: the clock moved"))
    );
}

#[test]
fn a_row_without_enough_rounds_has_no_time_and_says_so() {
    let (course, _) = course("\"test-card\", \"other-card\"", "Text.");
    let mut spans = USUAL;
    spans[0] = [Some(200_000), None, None, None, Some(200_000), Some(200_000), Some(200_000)];
    let facts = facts(&course, &[run("test-card", &spans)]);
    let scope = facts.scope(&course.lessons[0], "test-card");
    let lost = "row 64 of copy has no time: 4 of 7 rounds are ok, and at least 5 are needed (throttled in 3 of 7 rounds: the clock moved)";
    assert_eq!(worth(&scope, "row('64').ms"), format!("! figure-not-measured: {lost}"));
    assert_eq!(worth(&scope, "row('64')['GB/s']"), format!("! figure-not-measured: {lost}"));
    assert_eq!(worth(&scope, "count(rows where of_best >= 0.9)"), "2 to 3");
    let elsewhere = facts.scope(&course.lessons[0], "other-card");
    assert_eq!(worth(&elsewhere, "row('64').ms"), "! figure-not-measured: copy was not measured on other-card");
    assert_eq!(worth(&elsewhere, "device.sms"), "! figure-not-measured: nothing was measured on other-card");
    assert!(facts.sweep("copy", "other-card").unwrap().run.is_none());
    assert!(facts.sweep("copy", "no-such-card").is_none() && facts.sweep("kopy", "test-card").is_none());
}

#[test]
fn a_run_of_other_code_gives_no_figures() {
    let (course, _) = course("\"test-card\"", "Text.");
    let sweep = SweepFacts::new(&job(&course), "test-card", Current::Stale(run("test-card", &USUAL)));
    assert!(sweep.run.is_none() && sweep.stale.is_some());
    let why = sweep.rows[0].column("ms").err().unwrap();
    assert!(why.unmeasured && why.why.contains("its code, sizes or timing changed since"), "{why:?}");
    assert!(matches!(sweep.rows[0].column("threads"), Ok(Value::Quantity(quantity)) if quantity.as_integer() == Some(64)));
}

#[test]
fn claims_are_supported_refuted_or_unresolved() {
    let (course, _) = course("\"test-card\"", "Text.");
    let facts = facts(&course, &[run("test-card", &USUAL)]);
    let scope = facts.scope(&course.lessons[0], "test-card");
    let cases = [
        ("row('64').ms > row('128').ms", Verdict::Supported),
        ("row('64').ms / row('128').ms >= 1.9", Verdict::Supported),
        ("row('64').ms / row('128').ms >= 2.1", Verdict::Refuted),
        ("row('64').ms / row('128').ms >= 2.0", Verdict::Unresolved),
        ("row('64').ms <= 0.19 ms", Verdict::Refuted),
        ("row('256').ms < row('512').ms", Verdict::Unresolved),
        ("within(row('256').ms, row('512').ms, 5%)", Verdict::Supported),
        ("within(row('64').ms, row('512').ms, 5%)", Verdict::Refuted),
        ("not row('64').ms < row('128').ms", Verdict::Supported),
        ("row('64').ms - row('128').ms >= 0.09 ms", Verdict::Supported),
        ("row('128').ms - row('64').ms >= 0 ms", Verdict::Refuted),
        ("count(rows where of_best >= 0.9) == 2", Verdict::Supported),
        ("count(rows where of_best >= 0.9) >= 3", Verdict::Refuted),
        ("count(rows where ms < row('256').ms) == 1", Verdict::Unresolved),
        ("best('GB/s').threads >= 256", Verdict::Supported),
        ("best('GB/s').label == '256'", Verdict::Unresolved),
        ("row('64').blocks_per_sm == 16", Verdict::Supported),
        ("row('64').blocks_per_sm < 16", Verdict::Refuted),
        ("row('64').ms == row('128').ms", Verdict::Broken),
        ("row('65').ms > 1 ms", Verdict::Broken),
        ("row('64').flop > 1 FLOP", Verdict::Broken),
    ];
    for (text, expected) in cases {
        let judged = judge(&[expression(text)], &scope, 3);
        assert_eq!(judged.verdict, expected, "{text}: {:?}", judged.parts);
        assert_eq!(judged.faults.is_empty(), expected != Verdict::Broken, "{text}");
    }
    let all = judge(&[expression("row('64').ms > row('128').ms"), expression("row('256').ms < row('512').ms")], &scope, 1);
    assert_eq!((all.verdict, all.decisive().unwrap().text.as_str()), (Verdict::Unresolved, "row('256').ms < row('512').ms"));
}

fn judged(devices: &str, runs: &[Arc<Run>], claims: &str) -> (Verdicts, Vec<Problem>) {
    let (course, mut problems) = course(devices, claims);
    let verdicts = verdicts(&course, &facts(&course, runs), &mut problems);
    (verdicts, problems.sorted())
}

#[test]
fn only_what_is_supported_everywhere_passes() {
    let claims = "> claim: halves { holds = \"row('64').ms / row('128').ms >= 1.9\" }\n> Twice the threads take half the time.\n";
    let (good, mut bad) = (run("test-card", &USUAL), USUAL);
    bad[0] = bad[1];
    let other = run("other-card", &bad);
    let (verdicts_here, problems) = judged("\"test-card\"", std::slice::from_ref(&good), claims);
    assert_eq!(problems, []);
    assert_eq!(verdicts_here.of("copies", "halves", "test-card").map(|outcome| outcome.shows), Some(verdicts::Shows::Sentence));

    let (_, problems) = judged("\"test-card\", \"other-card\"", &[good.clone(), other.clone()], claims);
    assert_eq!(problems.len(), 1);
    assert_eq!((problems[0].id, problems[0].severity), ("claim-refuted", Severity::Error));
    assert!(problems[0].message.starts_with("claim `halves` is refuted on other-card: "), "{}", problems[0].message);
    assert_eq!(&*problems[0].related[0].0.file, "evidence/copy/2026-02-03-other-card.jsonl");

    let (_, problems) = judged("\"test-card\", \"third-card\"", std::slice::from_ref(&good), claims);
    assert_eq!(problems, [], "a rule asks for the run");

    let otherwise = format!("{claims}>\n> otherwise: {{ holds = \"within(row('64').ms, row('128').ms, 1%)\" }} They take the same time.\n");
    let (outcomes, problems) = judged("\"test-card\", \"other-card\"", &[good.clone(), other.clone()], &otherwise);
    assert_eq!(problems, []);
    assert_eq!(outcomes.of("copies", "halves", "other-card").map(|outcome| outcome.shows), Some(verdicts::Shows::Otherwise));
    assert_eq!(outcomes.of("copies", "halves", "test-card").map(|outcome| outcome.shows), Some(verdicts::Shows::Sentence));

    let unchecked = format!("{claims}>\n> otherwise: They take the same time.\n");
    let (_, problems) = judged("\"test-card\", \"other-card\"", &[good, other], &unchecked);
    assert_eq!(problems.iter().map(|problem| problem.id).collect::<Vec<_>>(), ["claim-otherwise"]);
}

#[test]
fn what_the_data_cannot_tell_is_an_error_on_the_primary_device_only() {
    let claims = "> claim: faster { holds = \"row('256').ms < row('512').ms\" }\n> A little faster.\n";
    let mut clear = USUAL;
    clear[3] = clear[1];
    let (usual, clear) = (run("test-card", &USUAL), run("other-card", &clear));
    let (_, problems) = judged("\"test-card\", \"other-card\"", &[usual.clone(), clear.clone()], claims);
    assert_eq!(problems.iter().map(|problem| (problem.id, problem.severity)).collect::<Vec<_>>(), [("claim-unresolved", Severity::Error)]);
    let (_, problems) = judged("\"other-card\", \"test-card\"", &[usual, clear], claims);
    assert_eq!(
        problems.iter().map(|problem| (problem.id, problem.severity)).collect::<Vec<_>>(),
        [("claim-unresolved", Severity::Warning)]
    );
}

#[test]
fn a_claim_that_cannot_fail_is_vacuous() {
    let cases = [
        ("2 > 1", true),
        ("elements > 1000", true),
        ("row('64').threads == 64", true),
        ("row('64').ms > 0 ms", true),
        ("row('64')['GB/s'] >= row('64')['GB/s']", true),
        ("row('64').warps == 2", false),
        ("row('64').blocks_per_sm == 16", false),
        ("row('64').clock > 0 GHz", true),
        ("row('64')['GB/s'] > 0 GB/s", true),
        ("count(rows where of_best >= 0.9) >= 2", false),
        ("row('64').ms > row('128').ms", false),
        ("all(rows, threads >= 64)", true),
        ("all(rows, ms > 0 ms)", true),
        ("none(rows, ms < 0 ms)", true),
        ("from(rows, 'threads', elements > 1000) == 64", true),
        ("count(near_best('ms', 5%)) >= 1", true),
        ("fastest() in rows", true),
        ("row('64') in (rows where threads < 100)", true),
        ("first(pair(same = 'bytes', apart = 'threads')).threads == 64", true),
        ("first(pair(same = 'blocks_per_sm', apart = 'threads')).threads == 64", false),
        ("from(rows, 'threads', ms < 0.15 ms) == 128", false),
        ("fastest() in (rows where threads >= 256)", false),
        ("alike(rows where threads >= 256, 'ms', 5%)", false),
        ("no_gain(row('512').ms, row('256').ms, 5%)", false),
    ];
    for (text, expected) in cases {
        let claims = format!("> claim: one {{ holds = \"{text}\" }}\n> So it is.\n");
        let (_, problems) = judged("\"test-card\"", &[run("test-card", &USUAL)], &claims);
        assert_eq!(
            problems.iter().map(|problem| problem.id).collect::<Vec<_>>(),
            if expected { vec!["vacuous-claim"] } else { vec![] },
            "{text}"
        );
    }
}

#[test]
fn a_wrong_expression_is_one_problem_at_its_column_on_every_device() {
    let claims = "> claim: one { holds = \"row('64').mss > 1 ms\" }\n> So it is.\n";
    let (_, problems) = judged("\"test-card\", \"other-card\"", &[run("test-card", &USUAL), run("other-card", &USUAL)], claims);
    assert_eq!(problems.iter().map(|problem| problem.id).collect::<Vec<_>>(), ["expr-name"]);
}

#[test]
fn a_count_that_is_open_prints_its_range() {
    let (course, _) = course("\"test-card\"", "Text.");
    let facts = facts(&course, &[run("test-card", &USUAL)]);
    let scope = facts.scope(&course.lessons[0], "test-card");
    let Ok(Value::Quantity(count)) = expr::evaluate(&expression("count(rows where ms <= row('256').ms)"), &scope) else {
        panic!("a count")
    };
    assert!(matches!(count.amount, Amount::Between(..)), "{count:?}");
    assert_eq!(count.text(), "0 to 2");
}
