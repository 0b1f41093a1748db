//! Turns the hashed lines of a job into the places in the author's files where their words stand.
//!
//! Must not decide what is hashed: it follows the lines as they are, and knows no place for those that no one place gives.

use std::collections::BTreeMap;

use crate::base::path::{folder, join};
use crate::base::span::{SourceName, Span};
use crate::course::sources::Sources;
use crate::course::sweep::{ArgumentSpec, CheckSpec, KernelSpec, KernelSweep, Kind, Sweep};

use super::fingerprint::located;
use super::launch::Code;
use super::program::text_located;
use super::{Job, Work};

/// The place of each line of the fingerprint of `job`, whose code is cut from `sources`.
#[must_use]
pub fn of(job: &Job, sources: &Sources) -> Vec<Option<Span>> {
    let mut code = match &job.work {
        Work::Kernel(kernel) => Pieces::of_units(&kernel.code, sources),
        Work::Compile(compile) => Pieces::of_units(&compile.code, sources),
        Work::Program(program) => Pieces::of_files(&program.code, sources),
        Work::Profile(_) => Pieces::default(),
    };
    job.fingerprint.lines.iter().map(|line| code.next(line).or_else(|| in_manifest(&job.sweep, job, line))).collect()
}

/// The lines of code that have a place, by the words before them, each in order.
#[derive(Default)]
struct Pieces(BTreeMap<String, std::vec::IntoIter<(String, Span)>>);

impl Pieces {
    fn of_units(code: &Code, sources: &Sources) -> Self {
        let mut pieces = Self::default();
        pieces.add("device: ", located(&code.device), &code.device, &code.source, sources);
        pieces.add("host: ", located(&code.host), &code.host, &code.source, sources);
        for (name, text) in &code.headers {
            let beside = join(folder(&code.source), name).into_iter().chain(join("", name));
            let nested = sources.keys().filter(|path| path.ends_with(&format!("/{name}"))).map(str::to_owned);
            if let Some(path) = beside.chain(nested).find(|path| sources.contains_key(path)) {
                pieces.add(&format!("header {name}: "), located(text), text, &path, sources);
            }
        }
        pieces
    }

    fn of_files(code: &Code, sources: &Sources) -> Self {
        let mut pieces = Self::default();
        pieces.add("source: ", text_located(&code.source, &code.device), &code.device, &code.source, sources);
        for (path, text) in &code.headers {
            pieces.add(&format!("file {path}: "), text_located(path, text), text, path, sources);
        }
        pieces
    }

    /// Takes in the `lines` of `text`, which begins with the first line of the file `path` unless a `#line` says otherwise.
    fn add(&mut self, words: &str, lines: Vec<(usize, String)>, text: &str, path: &str, sources: &Sources) {
        let starts: Vec<(usize, SourceName, usize)> = origins(text, path, sources);
        let place = |(at, line): (usize, String)| {
            let index = starts.partition_point(|(start, ..)| *start <= at).checked_sub(1)?;
            let (_, name, number) = starts.get(index)?;
            let source = sources.values().find(|source| source.name == *name)?;
            Some((line, Span::line(name, &source.text, *number)))
        };
        let placed: Vec<(String, Span)> = lines.into_iter().filter_map(place).collect();
        self.0.insert(words.to_owned(), placed.into_iter());
    }

    /// The place of the hashed line `line`, if it is the next of its kind.
    fn next(&mut self, line: &str) -> Option<Span> {
        let (words, lines) = self.0.iter_mut().find(|(words, _)| line.starts_with(words.as_str()))?;
        let code = &line[words.len()..];
        let (next, span) = lines.next()?;
        (next == code).then_some(span)
    }
}

/// Where each line of `text` comes from: the byte at which it begins, its file, and its number there.
fn origins(text: &str, path: &str, sources: &Sources) -> Vec<(usize, SourceName, usize)> {
    let name = |path: &str| sources.get(path).map(|source| source.name.clone());
    let (mut file, mut number, mut at) = (name(path), 1, 0);
    let mut origins = Vec::new();
    for line in text.split_inclusive('\n') {
        let jump = line.strip_prefix("#line ").and_then(|rest| rest.trim_end().split_once(' '));
        match jump.and_then(|(number, path)| Some((number.parse::<usize>().ok()?, path.strip_prefix('"')?.strip_suffix('"')?))) {
            Some((next, path)) => (file, number) = (name(&path.replace("\\\"", "\"").replace("\\\\", "\\")), next),
            None => {
                origins.extend(file.clone().map(|file| (at, file, number)));
                number += 1;
            }
        }
        at += line.len();
    }
    origins
}

/// The place in its manifest of a line that speaks of what `sweep` declares there.
fn in_manifest(sweep: &Sweep, job: &Job, line: &str) -> Option<Span> {
    let (word, rest) = line.split_once(' ')?;
    let name = || rest.split([':', ' ', '(']).next().unwrap_or_default();
    match (word, &sweep.kind) {
        ("constant", _) => sweep.constants.iter().find(|(constant, _)| constant == name()).map(|(_, value)| value.span()),
        ("row", _) => {
            let label = rest.strip_prefix('\'')?.split("': ").next()?;
            let index = job.rows.iter().position(|row| row.label == label)?;
            let explicit = sweep.explicit_rows.get(index).map(|row| row.at.clone());
            explicit.or_else(|| sweep.axes.first().map(|axis| axis.at.clone()))
        }
        (_, Kind::Kernel(kernel)) => in_kernel(kernel, word, rest, name()),
        _ => None,
    }
}

fn in_kernel(kernel: &KernelSweep, word: &str, rest: &str, name: &str) -> Option<Span> {
    let launch = &kernel.launch;
    match word {
        "buffer" => kernel.buffers.iter().find(|buffer| buffer.name == name).map(|buffer| buffer.at.clone()),
        "input" => kernel.inputs.iter().find(|call| call.function == name).map(|call| call.at.clone()),
        "check" => kernel.check.as_ref().map(|check| match check {
            CheckSpec::Reference { call, .. } | CheckSpec::Predicate { call } => call.at.clone(),
        }),
        "launch" => match (name, &launch.kernel) {
            ("kernel", KernelSpec::Name(kernel)) => Some(kernel.whole()),
            ("kernel", KernelSpec::Expression(kernel)) => Some(kernel.span()),
            ("argument", _) => {
                let written = |argument: &&ArgumentSpec| match argument {
                    ArgumentSpec::Buffer(buffer, _) => rest == format!("argument {buffer}"),
                    ArgumentSpec::Scalar(element, value) => rest == format!("argument {} {}", element.name(), value.canonical()),
                };
                launch.arguments.iter().find(written).map(|argument| match argument {
                    ArgumentSpec::Buffer(_, at) => at.clone(),
                    ArgumentSpec::Scalar(_, value) => value.span(),
                })
            }
            ("block", _) => launch.block.first().map(|value| value.span()),
            ("grid", _) => launch.grid.first().map(|value| value.span()),
            ("shared", _) => launch.shared.as_ref().map(|value| value.span()),
            ("bytes", _) => launch.bytes.as_ref().map(|value| value.span()),
            ("flop", _) => launch.flop.as_ref().map(|value| value.span()),
            _ => Some(launch.at.clone()),
        },
        _ => None,
    }
}
