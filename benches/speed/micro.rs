//! Turns the inner loops of lessonc into times of their own: lexer, colours, markers, fingerprints, records, claims, a page.
//!
//! Must not say how fast lessonc is: for that, whole commands are timed.

use std::hint::black_box;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use criterion::{BatchSize, Criterion, Throughput};
use lessonc::base::cuda;
use lessonc::base::problem::Problems;
use lessonc::base::span::SourceName;
use lessonc::claims;
use lessonc::course::config::Config;
use lessonc::course::lesson;
use lessonc::course::source::Source;
use lessonc::evidence::lines;
use lessonc::pages::highlight::highlight;
use lessonc::pipeline::{self, Compiled, Memo, Options};
use lessonc::plan::fingerprint::{Fingerprint, code_lines};
use lessonc::tree::SourceTree;

use crate::compare::source;
use crate::course::Tool;

/// Lessons of the course whose files are read.
const LESSONS: usize = 20;

/// Times what has `filter` in its name.
///
/// # Errors
/// When the disk refuses.
pub(crate) fn run(filter: Option<&str>) -> Result<()> {
    let (tree, _) = lessonc::disk::read_course(&source(Tool::Lessonc, LESSONS)?)?;
    let (compiled, problems) = pipeline::compile(&tree, &Options::default(), &Memo::default());
    anyhow::ensure!(problems.is_empty(), "the course has problems");
    let mut criterion = Criterion::default();
    if let Some(filter) = filter {
        criterion = criterion.with_filter(filter);
    }
    texts(&mut criterion, &tree);
    judged(&mut criterion, &tree, &compiled)?;
    criterion.final_summary();
    Ok(())
}

/// A file by its name.
type File = (SourceName, Arc<str>);

/// The texts below `folder` with the ending `ending`.
fn files(tree: &SourceTree, folder: &str, ending: &str) -> Vec<File> {
    let files = tree.below(folder).filter(|(name, _)| name.ends_with(ending));
    files.map(|(name, file)| (name.clone(), file.text())).collect()
}

/// What is done with each file for itself, in bytes a second.
fn texts(criterion: &mut Criterion, tree: &SourceTree) {
    let code = files(tree, "kernels", ".cu");
    let lessons = files(tree, "lessons", ".md");
    let records = files(tree, "evidence", ".jsonl");
    type Work = fn(&SourceName, &Arc<str>);
    let works: [(&str, &[File], Work); 6] = [
        ("lexer", &code, |_, text| _ = black_box(cuda::tokens(text))),
        ("highlight", &code, |_, text| _ = black_box(highlight(text, "cuda"))),
        ("regions", &code, |name, text| _ = black_box(Source::parse(name, text, &mut Problems::new()))),
        ("fingerprint", &code, |_, text| _ = black_box(Fingerprint::of(code_lines(text)))),
        ("lesson", &lessons, |name, text| _ = black_box(lesson::read(name, text, &Config::default(), &mut Problems::new()))),
        ("record", &records, |_, text| _ = black_box(lines::parse(text))),
    ];
    let mut group = criterion.benchmark_group("texts");
    for (name, files, work) in works {
        group.throughput(Throughput::Bytes(files.iter().map(|(_, text)| text.len() as u64).sum()));
        group.bench_function(name, |bencher| bencher.iter(|| files.iter().for_each(|(name, text)| work(name, text))));
    }
    group.finish();
}

/// What is done with the course once it is read.
fn judged(criterion: &mut Criterion, tree: &SourceTree, compiled: &Compiled) -> Result<()> {
    let with_a_run = compiled.course.lessons.iter().find(|lesson| !lesson.sweeps.is_empty()).context("no lesson has a run")?;
    let page = format!("{}.html", with_a_run.name);
    criterion.bench_function("claims", |bencher| {
        let judge = |mut problems: Problems| claims::verdicts(&compiled.course, &compiled.facts, &mut problems);
        bencher.iter_batched(Problems::new, judge, BatchSize::SmallInput);
    });
    criterion.bench_function("page", |bencher| bencher.iter(|| compiled.site.render(&page)));
    criterion.bench_function("compile", |bencher| bencher.iter(|| pipeline::compile(tree, &Options::default(), &Memo::default())));
    Ok(())
}
