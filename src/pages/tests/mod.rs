//! Turns a small course with a made-up record into a site, and looks at what a reader would get.
//!
//! Must not use a GPU: the record is computed here, in the format that a run leaves.

mod finding;
mod comparison;
mod dated;
mod devices;
mod exhibits;
mod figures;
mod markup;
mod raw;
mod snippets;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::problem::{Problem, Problems};
use crate::claims::{Facts, Outdated, verdicts};
use crate::evidence::lines;
use crate::evidence::order::order;
use crate::evidence::record::{Circumstance, Header, Identity, Outcome, Receipt, Record, RowPlan, RowResult, RunKind, VERSION};
use crate::evidence::{verdict, vouched::Vouched};
use crate::pages::highlight::Highlighter;
use crate::plan::launch::{DeviceFacts, KernelFacts, Launch, Residency, Shape};
use crate::plan::{Job, KernelJob, Plan, PlannedRow};
use crate::tree::SourceTree;

use super::{Counts, Memo, Site, World, site};

const LESSON: &str = include_str!("block-size.md");
const COURSE: &str = "title = \"GPU performance, measured\"\nsummary = \"Lessons in which every figure comes from a dated run.\"\n\
                      [devices]\npublished = [\"nvidia-h200\"]\n";

/// A translation: it repeats no condition, and its figures come from the same run.
const HEBREW: &str = "+++\ntitle = \"כמה חוטים צריכים להיות בבלוק?\"\nsummary = \"גודל הבלוק קובע כמה עיפים מחזיק SM.\"\nsweeps = [\"block-size\"]\nheadings = { warps = \"עיפים\" }\n+++\n\n\
## הגרעין\n\nבבלוק של 256 חוטים השיגור נמשך `= row('256').ms`, וב־`__global__` אחד אין שינוי.\n\nsnippet: block-size.cu#loop\n\n\
table: block-size { columns = [\"label\", \"warps\", \"ms\", \"GB/s\"], rows = \"threads >= 256\", caption = \"הגדלים הגדולים.\" }\n\n\
chart: block-size { x = \"threads\", y = \"GB/s\", log = \"x\" }\n";

fn h200() -> DeviceFacts {
    DeviceFacts {
        name: "NVIDIA H200".into(),
        mig: None,
        compute_capability: (9, 0),
        sms: 132,
        warp_size: 32,
        threads_per_sm: 2048,
        blocks_per_sm: 32,
        threads_per_block: 1024,
        registers_per_sm: 65_536,
        registers_per_block: 65_536,
        shared_bytes_per_sm: 233_472,
        shared_bytes_per_block: 49_152,
        shared_bytes_per_block_optin: 232_448,
        shared_bytes_reserved_per_block: 1024,
        l2_bytes: 60 << 20,
        memory_bytes: 141 << 30,
        memory_bus_bits: 6144,
        memory_clock_khz: 3_201_000,
        sm_clock_khz: 1_980_000,
        ecc: true,
    }
}

/// The row `planned` as the driver would answer, and the time of a launch in nanoseconds that a simple model gives.
fn row(planned: &PlannedRow) -> (RowPlan, f64) {
    let threads = planned.label.parse::<u32>().unwrap_or(1);
    let warps = threads.div_ceil(32);
    let blocks = (64 / warps).min(32);
    let kernel = KernelFacts { registers: 18, local_bytes: 0, static_shared_bytes: 0, const_bytes: 0, max_threads_per_block: 1024 };
    let pixels: u64 = 16_384 * 8192;
    let lanes = f64::from(blocks * threads);
    let rate = 4.18e12 * (1.0 - libm::exp(-lanes / 700.0)) * (1.0 - 0.012 * f64::from(blocks * warps % 64) / 64.0);
    let launch = Launch {
        shape: Shape { kernel: "luma".into(), block: [threads, 1, 1], shared_bytes: 0, options: Vec::new() },
        grid: [blocks * 132, 1, 1],
        arguments: Vec::new(),
        bytes: Some(16 * pixels),
        flop: Some(5 * pixels),
    };
    let plan = RowPlan {
        label: planned.label.clone(),
        values: planned.values.iter().map(|(name, value)| (name.clone(), value.to_exact_text())).collect(),
        launch: Some(launch),
        residency: Some(Residency { blocks_per_sm: blocks, suggested_block: 1024, suggested_grid: 264, kernel }),
        launches_per_sample: 1,
        command: Vec::new(),
        skipped: None,
        data: 0,
        reads: Vec::new(),
    };
    (plan, 16.0 * pixels as f64 / rate * 1e9)
}

/// What a run of `job` on an H200 is comparable by.
fn identity(job: &Job, kernel: &KernelJob) -> Identity {
    Identity {
        gpu: Some(h200()),
        memory_clock_mhz: Some(3201),
        driver_branch: Some("580".into()),
        driver_cuda: Some("13.0".into()),
        nvrtc: Some("13.0".into()),
        toolkit: None,
        profiler: None,
        disassembler: None,
        host_compiler: Some("g++ 13.3.0".into()),
        architecture: "sm_90".into(),
        compile_options: vec!["--gpu-architecture=sm_90".into(), "--std=c++17".into()],
        fingerprint: job.fingerprint.digest,
        buffers: kernel.data[0].buffers.clone(),
        inputs: kernel.data[0].inputs.clone(),
        check: kernel.data[0].check.clone(),
        other_data: Vec::new(),
        timing: kernel.timing.clone(),
        flush_bytes: Some(120 << 20),
    }
}

/// A run of `job` on an H200 that never was: every row timed but `lost`, which the device refused to launch.
fn record(job: &Job, lost: Option<&str>) -> Record {
    let Some(kernel) = job.kernel() else { panic!("it launches a kernel") };
    let rows: Vec<(RowPlan, f64)> = job.rows.iter().map(row).collect();
    let receipt = Receipt { elements: 134_217_728, wrong: 0, first_wrong: None, largest_relative: "5.9e-8".into() };
    let mut noise = 9u64;
    let mut shake = move |scale: f64| {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((noise >> 33) as f64 / f64::from(1u32 << 31) - 0.5) * scale
    };
    let mut results = Vec::new();
    for round in 1..=kernel.timing.rounds {
        for index in order(7, round, rows.len() as u32) {
            let (plan, ns) = &rows[index as usize];
            let ok = lost != Some(plan.label.as_str());
            let middle = ns * (1.0 + shake(0.002));
            let spans: Vec<u64> = (0..20).map(|_| (middle * (1.0 + shake(0.001)) / 32.0).round() as u64 * 32).collect();
            results.push(RowResult {
                round,
                row: index,
                outcome: if ok { Outcome::Ok } else { Outcome::Launch("CUDA_ERROR_INVALID_VALUE".into()) },
                clock_mhz: if ok { vec![1980; spans.len()] } else { Vec::new() },
                spans_ns: if ok { spans } else { Vec::new() },
                empty_pair_ns: Some(4200),
                before: ok.then(|| receipt.clone()),
                after: ok.then(|| receipt.clone()),
                throttle_before: Some(Vec::new()),
                throttle_after: Some(Vec::new()),
                temperature_c: Some(38),
                warmup_launches: 200,
                reads: BTreeMap::new(),
            });
        }
    }
    let header = Header {
        version: VERSION,
        sweep: job.sweep.name.clone(),
        kind: RunKind::default(),
        device: "nvidia-h200".into(),
        started: "2026-11-30T08:00:00Z".into(),
        identity: identity(job, kernel),
        circumstance: Circumstance { backend: "cuda".into(), lessonc: "0.1.0".into(), ..Circumstance::default() },
        order_seed: 7,
        fingerprint_lines: job.fingerprint.lines.clone(),
        code: kernel.code.clone(),
        logs: BTreeMap::new(),
        unknown: BTreeMap::new(),
    };
    let mut record = Record {
        header,
        rows: rows.into_iter().map(|(plan, _)| plan).collect(),
        results,
        canaries: Vec::new(),
        compiled: Vec::new(),
        profiled: Vec::new(),
        outputs: Vec::new(),
        footer: None,
    };
    let tick = verdict::tick_ns(record.results.iter().flat_map(|result| result.spans_ns.iter().copied()));
    record.footer = Some(lines::footer(&lines::print_body(&record), "2026-11-30T08:20:00Z".into(), true, tick));
    record
}

/// A site and what it was made from.
struct Built {
    site: Site,
    counts: Counts,
    plan: Plan,
}

/// All stages up to the pages, in order.
fn compile(tree: &SourceTree) -> (Built, Problems) {
    let mut problems = Problems::new();
    let course = Arc::new(crate::course::read(tree, &mut problems));
    let plan = crate::plan::plan(&course, &mut problems);
    let evidence = crate::evidence::read(tree, &mut problems);
    let facts = Arc::new(Facts::of(&course, &plan, &evidence, Outdated::Hidden));
    let verdicts = verdicts(&course, &facts, &mut problems);
    let world = World {
        tree,
        course: &course,
        facts: &facts,
        verdicts: &verdicts,
        vouched: &Vouched::default(),
        highlighter: &Arc::new(Highlighter::default()),
        draft: false,
    };
    let (site, counts) = site(world, &Default::default(), &Memo::default(), None, &mut problems);
    (Built { site, counts, plan }, problems)
}

/// The course with `lesson`, its sources, and where `measured` a record of its sweep.
fn tree(lesson: &str, measured: bool, lost: Option<&str>) -> SourceTree {
    let mut problems = Problems::new();
    let mut tree = SourceTree::new();
    let files = [
        ("lessons/course.toml", COURSE),
        ("lessons/block-size.md", lesson),
        ("kernels/block-size.cu", include_str!("block-size.cu")),
        ("kernels/block-size.toml", include_str!("block-size.toml")),
        ("lessons/block-size.he.md", HEBREW),
        ("lessons/images/dot.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 40 30\"/>"),
    ];
    for (name, text) in files {
        tree.insert(name, text.as_bytes(), &mut problems);
    }
    if measured {
        let (compiled, _) = compile(&tree);
        if let Some(job) = compiled.plan.jobs.get("block-size") {
            let record = record(job, lost);
            let text = lines::print(&record);
            tree.insert("evidence/block-size/2026-11-30-nvidia-h200.jsonl", text.as_bytes(), &mut problems);
            let transcript = crate::evidence::transcript::transcript(&record);
            tree.insert("evidence/block-size/2026-11-30-nvidia-h200.txt", transcript.as_bytes(), &mut problems);
        }
    }
    assert!(problems.is_empty(), "{problems:?}");
    tree
}

fn built(lesson: &str) -> (Built, Vec<Problem>) {
    let (compiled, problems) = compile(&tree(lesson, true, None));
    (compiled, problems.sorted())
}

fn page(compiled: &Built, path: &str) -> String {
    let bytes = compiled.site.render(path).expect("the page exists").expect("its template can be filled");
    String::from_utf8(bytes).expect("pages are text")
}

/// The ids and messages of what is wrong with a lesson whose text is `body`.
fn problems_of(body: &str) -> Vec<String> {
    let (_, problems) = built(&format!("+++\ntitle = \"A\"\nsweeps = [\"block-size\"]\n+++\n\n{body}\n"));
    problems.iter().map(|problem| format!("{}: {}", problem.id, problem.message)).collect()
}

#[test]
fn the_whole_lesson_is_sound_and_every_file_renders() {
    let (compiled, problems) = built(LESSON);
    assert_eq!(problems, [], "{problems:#?}");
    for path in compiled.site.paths() {
        let rendered = compiled.site.render(path).expect("listed").unwrap_or_else(|problem| panic!("{path}: {problem:?}"));
        assert!(!rendered.is_empty(), "{path}");
    }
    let counts = compiled.counts;
    assert_eq!((counts.snippets, counts.tables, counts.charts, counts.claims, counts.runs), (4, 3, 3, 3, 1));
    let expected =
        ["404.html", "block-size.html", "index.html", "sources/block-size.cu.html", "evidence/block-size/2026-11-30-nvidia-h200.html"];
    for path in expected {
        assert!(compiled.site.render(path).is_some(), "{path}");
    }
}

#[test]
fn equal_trees_give_equal_bytes() {
    let render = || {
        let (compiled, _) = built(LESSON);
        compiled.site.paths().map(|path| (path.to_owned(), page(&compiled, path))).collect::<Vec<_>>()
    };
    assert_eq!(render(), render());
}

#[test]
fn figures_say_where_they_come_from() {
    let (compiled, _) = built(LESSON);
    let html = page(&compiled, "block-size.html");
    assert!(html.contains("Sweep block-size. Measured on <span class=\"whole-words\">NVIDIA H200</span>, <time datetime=\"2026-11-30\">"));
    assert!(html.contains("median of 11 rounds"));
    assert!(html.contains("lessonc measure block-size"));
    assert!(html.contains("<code>row(&#39;256&#39;)") || html.contains("<code>row('256')"));
    assert!(!html.contains('\0') && !html.contains("snippet:") && !html.contains("claim:"));
}

#[test]
fn an_answer_is_folded_and_what_stands_in_it_counts() {
    let (built, problems) = built(
        "+++\ntitle = 'A'\nsweeps = ['block-size']\n+++\n> answer: { title = \"Does `= row('256').threads` win?\" }\n> It takes `= row('256').ms`.\n>\n> table: block-size\n",
    );
    assert!(problems.iter().all(|problem| problem.severity != crate::base::problem::Severity::Error), "{problems:?}");
    let html = page(&built, "block-size.html");
    let fold = &html[html.find("<details class=\"answer\">").unwrap()..];
    let fold = &fold[..fold.find("</details>\n</article>").unwrap_or(fold.len())];
    assert!(fold.contains("<summary>Does <span class=\"figure\"") && fold.contains("<table"), "{fold}");
}

#[test]
fn a_hebrew_page_runs_from_right_to_left_and_its_links_reach_the_root() {
    let (compiled, _) = built(LESSON);
    let html = page(&compiled, "he/block-size.html");
    assert!(html.contains("<html lang=\"he\" dir=\"rtl\"") && html.contains("href=\"../assets/lessonc.css\""));
    assert!(html.contains("href=\"../sources/block-size.cu.html#L29-L31\"") && html.contains("href=\"../block-size.html\""));
    assert!(!html.contains("Measured on"));
    assert!(html.contains(">עיפים <span class=\"unit ltr\">warps</span></th>") && html.contains(">GB/s</th>"), "{html}");
}

#[test]
fn a_verdict_calls_its_device_by_name_where_no_run_decides() {
    let (compiled, _) = built(
        "+++\ntitle = 'A'\nsweeps = ['block-size']\n+++\ntable: block-size\n\n> claim: wide { holds = 'device.sms > 100' }\n> It has many SMs.\n",
    );
    let html = page(&compiled, "block-size.html");
    assert!(html.contains("NVIDIA H200:") && !html.contains("nvidia-h200:"), "{html}");
}

#[test]
fn a_row_without_a_time_shows_how_it_ended_and_never_zero() {
    let lesson = "+++\ntitle = \"A\"\nsweeps = [\"block-size\"]\n+++\n\ntable: block-size { columns = [\"label\", \"ms\"] }\n\nchart: block-size { x = \"threads\", y = \"ms\" }\n";
    let (compiled, _) = compile(&tree(lesson, true, Some("100")));
    let html = page(&compiled, "block-size.html");
    assert!(html.contains("launch refused"), "{html}");
    let row = html.split("<tr").find(|row| row.contains(">100<")).expect("the row is shown");
    assert!(!row.contains(">0"), "{row}");
}

#[test]
fn a_sweep_without_a_run_is_said_in_words() {
    let lesson = "+++\ntitle = \"A\"\nsweeps = [\"block-size\"]\n+++\n\ntable: block-size\n\nIt takes `= row('256').ms`.\n";
    let (compiled, _) = compile(&tree(lesson, false, None));
    let html = page(&compiled, "block-size.html");
    assert!(html.contains("was not measured on nvidia-h200") && html.contains("not measured</span>"), "{html}");
}

#[test]
fn what_is_wrong_is_said_while_the_site_is_put_together() {
    let cases = [
        ("snippet: block-size.cu#lumma", "snippet-missing: block-size.cu has no region `lumma`"),
        ("snippet: block-sice.cu#luma", "snippet-missing: there is no file kernels/block-sice.cu"),
        ("snippet: block-size.cu#luma { highlight = [\"zzz\"] }", "exhibit-option: no line of the region holds `zzz`"),
        ("snippet: block-size.cu#luma { titel = \"x\" }", "toml-unknown-key: a snippet has no key `titel`"),
        ("table: block-size { columns = [\"lable\"] }", "exhibit-column: the sweep block-size has no column `lable`"),
        ("table: blok-size", "exhibit-sweep: there is no sweep `blok-size`"),
        ("chart: block-size { kind = \"pie\" }", "exhibit-option: `kind` can't be `pie`"),
        ("chart: block-size { x = \"threads\", marks = [{ label = \"a\" }] }", "exhibit-option: a mark lies on one axis"),
        ("chart: block-size { x = \"threads\", marks = [{ x = 1, y = 2 }] }", "exhibit-option: a mark lies on one axis"),
        ("chart: block-size { x = \"threads\", marks = [{ z = 1 }] }", "toml-unknown-key: a mark has no key `z`"),
        (
            "chart: block-size { x = \"threads\", marks = [{ y = \"device.l2_bytes\" }] }",
            "exhibit-option: this mark has no place along `ms`",
        ),
        (
            "chart: block-size { x = \"threads\", log = \"x\", marks = [{ x = 0 }] }",
            "exhibit-option: this mark has no place along `threads`",
        ),
        ("chart: block-size { marks = [{ x = 256 }] }", "exhibit-option: this mark has no place along `label`"),
        ("chart: block-size { x = \"threads\", marks = [{ y = \"row('257').ms\" }] }", "expr-"),
        ("transcript: block-size { lines = \"9-99999\" }", "exhibit-option: the transcript has lines 1 to"),
        ("[x](block-sise.md)", "link-missing: the link leads nowhere: there is no `block-sise.md` in the course"),
        ("[x](#nowhere)", "link-missing: this page has no anchor `#nowhere`"),
        ("It takes `= row('257').ms`.", "expr-"),
    ];
    for (body, expected) in cases {
        let found = problems_of(body);
        assert!(found.iter().any(|problem| problem.starts_with(expected)), "{body}: {found:?}");
    }
}

#[test]
fn a_template_of_the_course_stands_in_for_ours_and_its_faults_are_at_its_line() {
    let mut tree = tree(LESSON, true, None);
    tree.insert("templates/index.html", b"<h1>{{ course.title }}</h1>\n{{ nonsense }}\n", &mut Problems::new());
    let (compiled, _) = compile(&tree);
    let problem = compiled.site.render("index.html").expect("listed").expect_err("strict");
    let at = problem.at.expect("it has a place");
    assert_eq!((&*at.file, crate::base::span::line_column(tree.text("templates/index.html"), at.start).line), ("templates/index.html", 2));
}

/// Writes the site to `target/pages` for a look in a browser.
#[test]
#[allow(clippy::disallowed_methods, reason = "it is run by hand, to look at what it writes")]
#[ignore = "writes a folder; run it by name to see the pages"]
fn show() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("target/pages");
    let several = std::env::var_os("LESSONC_SHOW_DEVICES").is_some();
    let (compiled, problems) = compile(&if several { devices::two(LESSON) } else { tree(LESSON, true, Some("100")) });
    println!("{:#?}", problems.sorted());
    for path in compiled.site.paths() {
        let file = folder.join(path);
        std::fs::create_dir_all(file.parent().expect("it is below the folder")).expect("writable");
        std::fs::write(file, page(&compiled, path)).expect("writable");
    }
}
