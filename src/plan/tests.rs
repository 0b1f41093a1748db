//! The plan of a whole manifest, its launches, and what does and doesn't count in its fingerprint.

mod rows;

use crate::base::problem::Problems;
use crate::course;
use crate::tree::SourceTree;

use super::launch::{Argument, DeviceFacts, KernelFacts, Launch, Residency, Shape};
use super::{Job, KernelJob, Plan, plan};

const SOURCE: &str = "\
#include \"help.h\"
// snippet: luma
__global__ void luma(const float* r, float* y, unsigned long long n) {
  y[0] = r[0] * 0.3f; // weighted
}
// end snippet
// snippet: planes
void fill_planes(float* r, unsigned long long n) { r[0] = 1; }
// end snippet
// snippet: reference
void reference_luma(const float* r, float* y, unsigned long long n) { y[0] = r[0] * 0.3f; }
// end snippet
";

const MANIFEST: &str = "\
title = \"How many threads?\"
source = \"s.cu\"
host = [\"planes\", \"reference\"]
options = [\"--std=c++17\"]

[constants]
width = \"16384\"
pixels = \"width * 8192\"
spare = 3

[axes]
threads = { values = [16, 100, \"2 * 128\"], unit = \"threads\" }

[buffers]
r = { role = \"in\", type = \"f32\", count = \"pixels\" }
y = { role = \"out\", type = \"f32\", count = \"pixels\" }

[inputs]
call = \"fill_planes\"
arguments = [\"r\", { u64 = \"pixels\" }]

[check]
reference = \"reference_luma\"
arguments = [\"r\", \"y\", { u64 = \"pixels\" }]
relative = 1e-6

[launch]
kernel = \"luma\"
block = \"threads\"
grid = \"max(1, min(residency.blocks_per_sm * device.sms, ceil_div(pixels, threads)))\"
arguments = [\"r\", \"y\", { u64 = \"pixels\" }]
bytes = \"16 B * pixels\"
flop = \"5 FLOP * pixels\"

[columns]
\"GB/s\" = \"bytes / ms\"
";

/// The plan of `manifest` and `source`, and the ids of what is wrong.
fn planned(manifest: &str, source: &str) -> (Plan, Vec<String>) {
    let mut problems = Problems::new();
    let mut tree = SourceTree::new();
    let config = "title = 'T'\n";
    for (name, text) in
        [("lessons/course.toml", config), ("kernels/s.toml", manifest), ("kernels/s.cu", source), ("kernels/help.h", "int help(int);\n")]
    {
        tree.insert(name, text.as_bytes(), &mut problems);
    }
    let course = course::read(&tree, &mut problems);
    let plan = plan(&course, &mut problems);
    let shown = problems.iter().map(|problem| {
        let at = problem.at.as_ref().map_or("", |at| &tree.text(&at.file)[at.start..at.end]);
        format!("{}@{at}", problem.id)
    });
    (plan, shown.collect())
}

#[track_caller]
fn job(manifest: &str, source: &str) -> Job {
    let (plan, problems) = planned(manifest, source);
    assert_eq!(problems, Vec::<String>::new(), "{manifest}");
    Job::clone(&plan.jobs["s"])
}

fn device() -> DeviceFacts {
    DeviceFacts {
        name: "NVIDIA H200".into(),
        mig: None,
        compute_capability: (9, 0),
        sms: 132,
        warp_size: 32,
        threads_per_sm: 2048,
        blocks_per_sm: 32,
        threads_per_block: 1024,
        registers_per_sm: 65536,
        registers_per_block: 65536,
        shared_bytes_per_sm: 233_472,
        shared_bytes_per_block: 49_152,
        shared_bytes_per_block_optin: 232_448,
        shared_bytes_reserved_per_block: 1024,
        l2_bytes: 62_914_560,
        memory_bytes: 150_000_000_000,
        memory_bus_bits: 6144,
        memory_clock_khz: 3_201_000,
        sm_clock_khz: 1_980_000,
        ecc: true,
    }
}

fn kernel(job: &Job) -> &KernelJob {
    let Some(kernel) = job.kernel() else { panic!("it launches a kernel") };
    kernel
}

fn residency(blocks_per_sm: u32) -> Residency {
    let kernel = KernelFacts { registers: 32, local_bytes: 0, static_shared_bytes: 0, const_bytes: 0, max_threads_per_block: 1024 };
    Residency { blocks_per_sm, suggested_block: 1024, suggested_grid: 264, kernel }
}

#[test]
fn a_manifest_becomes_rows_and_launches() {
    let job = job(MANIFEST, SOURCE);
    assert_eq!(job.rows.iter().map(|row| &*row.label).collect::<Vec<_>>(), ["16", "100", "256"]);
    assert_eq!(job.rows[1].values[0].1.to_exact_text(), "100 threads");
    let kernel = kernel(&job);
    assert_eq!((kernel.data[0].buffers[0].count, kernel.data[0].buffers[1].bytes()), (134_217_728, 536_870_912));
    assert_eq!(kernel.data[0].inputs[0].arguments[1], Argument::U64(134_217_728));
    let shape = Shape { kernel: "luma".into(), block: [100, 1, 1], shared_bytes: 0, options: Vec::new() };
    assert_eq!(kernel.shape(&job.rows[1], &device()), Ok(shape.clone()));
    let launch = kernel.launch(&job.rows[1], &device(), &residency(16)).expect("a launch");
    let arguments = vec![Argument::Buffer("r".into()), Argument::Buffer("y".into()), Argument::U64(134_217_728)];
    assert_eq!(launch, Launch { shape, grid: [2112, 1, 1], arguments, bytes: Some(2_147_483_648), flop: Some(671_088_640) });
}

#[test]
fn a_launch_that_can_not_be_is_a_problem_at_its_expression() {
    let cases = [
        ("block = \"threads\"", "block = \"threads - 100\"", "manifest-range", "threads - 100"),
        ("block = \"threads\"", "block = \"threads / 3\"", "manifest-range", "threads / 3"),
        ("block = \"threads\"", "block = \"8 B * threads\"", "expr-unit", "8 B * threads"),
        ("kernel = \"luma\"", "kernel = \"luma\"\nshared = \"threads\"", "expr-unit", "threads"),
        ("bytes = \"16 B * pixels\"", "bytes = \"16 * pixels\"", "expr-unit", "16 * pixels"),
        (
            "arguments = [\"r\", \"y\", { u64 = \"pixels\" }]\nbytes",
            "arguments = [\"r\", \"y\", { i32 = \"2 ** 31\" }]\nbytes",
            "manifest-range",
            "2 ** 31",
        ),
        (
            "arguments = [\"r\", \"y\", { u64 = \"pixels\" }]\nbytes",
            "arguments = [\"r\", \"y\", { u64 = -1 }]\nbytes",
            "manifest-range",
            "-1",
        ),
    ];
    for (from, to, id, at) in cases {
        let manifest = MANIFEST.replacen(from, to, 1);
        assert_ne!(manifest, MANIFEST, "{from}");
        let job = job(&manifest, SOURCE);
        let problem = kernel(&job).launch(&job.rows[1], &device(), &residency(16)).expect_err(to);
        let span = problem.at.expect("a place");
        assert_eq!((problem.id, &manifest[span.start..span.end]), (id, at), "{to}");
    }
}

#[test]
fn dimensions_kernels_and_labels_may_be_computed() {
    let manifest = MANIFEST
        .replace("kernel = \"luma\"", "kernel = { expression = \"'luma<' + text(threads) + '>'\" }")
        .replace("block = \"threads\"", "block = [\"threads\", 2]")
        .replace("[constants]", "label = \"'t' + text(threads)\"\n[constants]")
        .replace("[16, 100, \"2 * 128\"]", "[16, 100]");
    let job = job(&manifest, SOURCE);
    assert_eq!(job.rows.iter().map(|row| &*row.label).collect::<Vec<_>>(), ["t16", "t100"]);
    let shape = Shape { kernel: "luma<100>".into(), block: [100, 2, 1], shared_bytes: 0, options: Vec::new() };
    assert_eq!(kernel(&job).shape(&job.rows[1], &device()), Ok(shape));
}

#[test]
fn rows_one_by_one() {
    let axes = "[axes]\nthreads = { values = [16, 100, \"2 * 128\"], unit = \"threads\" }\n";
    let rows = "[[rows]]\nlabel = \"few\"\nthreads = 16\nitems = 2\n[[rows]]\nthreads = \"8 * items\"\nitems = 4\n";
    let rows = rows.replace("threads = \"8 * items\"\nitems = 4", "items = 4\nthreads = \"8 * items\"");
    let job = job(&MANIFEST.replace(axes, &rows), SOURCE);
    let shown: Vec<_> = job.rows.iter().map(|row| (&*row.label, row.values.len())).collect();
    assert_eq!(shown, [("few", 2), ("4-32", 2)]);
}

#[test]
fn what_is_wrong_with_a_manifest() {
    let cases: [(&str, &str, &[&str]); 23] = [
        ("source = \"s.cu\"\n", "", &["toml-missing-key@"]),
        ("title = \"How many threads?\"", "title = \"T\"\nkind = \"poll\"", &["manifest-kind@poll"]),
        ("title = \"How many threads?\"", "title = \"T\"\nkind = \"kernel\"", &[]),
        ("source = \"s.cu\"", "source = \"x.cu\"", &["manifest-source@x.cu"]),
        ("\"planes\", ", "\"plane\", ", &["snippet-missing@plane"]),
        ("width = \"16384\"", "width = \"device.sms\"", &["expr-value@device"]),
        ("width * 8192", "widht * 8192", &["expr-name@widht"]),
        ("spare = 3", "threads = 3", &["manifest-name@threads"]),
        ("spare = 3", "ms = 3", &["manifest-name@ms"]),
        ("[16, 100,", "[16, 16,", &["manifest-label@16"]),
        ("unit = \"threads\"", "unit = \"ms\"", &["manifest-unit@16", "manifest-unit@100", "manifest-unit@2 * 128"]),
        ("role = \"in\"", "role = \"inn\"", &["manifest-value@inn"]),
        ("count = \"pixels\" }\ny", "count = \"pixels / 3\" }\ny", &["manifest-range@pixels / 3"]),
        ("[\"r\", { u64", "[\"q\", { u64", &["manifest-buffer@q", "manifest-unfilled@r"]),
        ("[\"r\", \"y\", { u64 = \"pixels\" }]\nrelative", "[\"r\", { u64 = \"pixels\" }]\nrelative", &["manifest-unchecked@y"]),
        ("{ u64 = \"pixels\" }]\n\n[check]", "{ u65 = \"pixels\" }]\n\n[check]", &["manifest-value@u65"]),
        ("relative = 1e-6", "relativ = 1e-6", &["toml-unknown-key@relativ"]),
        ("min(residency", "min(residence", &["expr-name@residence"]),
        ("bytes / ms", "bytes / mss", &["expr-name@mss"]),
        ("bytes / ms", "bytes / ", &["expr-syntax@"]),
        ("\"GB/s\" =", "ms =", &["manifest-name@ms"]),
        ("[launch]", "[timing]\nrounds = 2\ncache = \"col\"\n[launch]", &["manifest-value@col", "toml-value@2"]),
        ("host = [\"planes\", \"reference\"]\n", "", &["manifest-host@fill_planes"]),
    ];
    let mut wrong = Vec::new();
    for (from, to, expected) in cases {
        let manifest = MANIFEST.replacen(from, to, 1);
        assert_ne!(manifest, MANIFEST, "{from}");
        let (_, problems) = planned(&manifest, SOURCE);
        if problems != expected {
            wrong.push(format!("{to}: {problems:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_fingerprint_covers_what_can_change_a_measurement_and_nothing_else() {
    let lines = job(MANIFEST, SOURCE).fingerprint.lines;
    let harmless = [
        ("title = \"How many threads?\"", "title = \"Other\" # comment"),
        ("width = \"16384\"", "width   =   16384"),
        ("pixels = \"width * 8192\"", "pixels = \"134217728\""),
        ("spare = 3", "spare = 4"),
        ("[columns]\n", "[columns]\nw = 1\n"),
        ("ceil_div(pixels, threads)", "ceil_div( pixels,threads )"),
        ("role = \"in\", type = \"f32\"", "type = \"f32\", role = \"in\""),
        ("unit = \"threads\"", "unit = \"lanes\""),
        ("[16, 100, \"2 * 128\"]", "[256, 16, 100]"),
        ("[launch]\n", "[timing]\nrounds = 11\n[launch]\n"),
    ];
    for (from, to) in harmless {
        let manifest = MANIFEST.replacen(from, to, 1);
        assert_ne!(manifest, MANIFEST, "{from}");
        assert_eq!(job(&manifest, SOURCE).fingerprint.lines, lines, "{to}");
    }
    let telling = [
        ("--std=c++17", "--std=c++20"),
        ("width * 8192", "width * 4096"),
        ("[16, 100,", "[32, 100,"),
        ("relative = 1e-6", "relative = 1e-5"),
        ("block = \"threads\"", "block = \"2 * threads\""),
        ("16 B * pixels", "12 B * pixels"),
        ("[launch]\n", "[timing]\nrounds = 12\n[launch]\n"),
        ("[launch]\n", "[timing]\ncache = \"warm\"\n[launch]\n"),
        ("role = \"out\"", "role = \"scratch\""),
        ("[constants]", "label = \"threads + 1\"\n[constants]"),
    ];
    for (from, to) in telling {
        let manifest = MANIFEST.replacen(from, to, 1);
        assert_ne!(manifest, MANIFEST, "{from}");
        assert_ne!(job(&manifest, SOURCE).fingerprint.digest, job(MANIFEST, SOURCE).fingerprint.digest, "{to}");
    }
    let source = |from: &str, to: &str| job(MANIFEST, &SOURCE.replacen(from, to, 1)).fingerprint.lines;
    assert_eq!(source("// weighted", "/* by 0.299 */\n\n"), lines);
    assert_eq!(source("r[0] * 0.3f", "r[0]*0.3f"), lines);
    assert_ne!(source("r[0] * 0.3f", "r[0] / 0.3f"), lines);
    assert_ne!(source("r[0] = 1", "r[0] = 2"), lines);
}
