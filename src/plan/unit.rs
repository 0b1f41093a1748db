//! Turns regions of a source into the units that the device and host compilers are given, with `#line`.
//!
//! Must not know compilers.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use crate::base::name::nearest;
use crate::base::path::{folder, join};
use crate::base::problem::{Problem, Problems};
use crate::base::span::Span;
use crate::course::source::{Include, Region, Source};
use crate::course::sources::Sources;
use crate::course::sweep::UnitSpec;

use super::launch::Code;

/// Sources to look things up in, with a note of every path that was asked for: a job hangs on these and on no others.
pub(super) struct Shelf<'a> {
    sources: &'a Sources,
    asked: RefCell<BTreeSet<String>>,
}

impl<'a> Shelf<'a> {
    /// Where nothing was asked for yet.
    pub(super) fn new(sources: &'a Sources) -> Self {
        Self { sources, asked: RefCell::default() }
    }

    /// The source at `path`, if there is one.
    pub(super) fn get(&self, path: &str) -> Option<&'a Arc<Source>> {
        self.asked.borrow_mut().insert(path.to_owned());
        self.sources.get(path)
    }

    /// All paths, for hints.
    fn paths(&self) -> impl Iterator<Item = &'a str> {
        self.sources.keys()
    }

    /// The paths that were asked for.
    pub(super) fn asked(self) -> Vec<String> {
        self.asked.into_inner().into_iter().collect()
    }
}

/// The code of `spec`: its units and the local headers that they include. `None` if its source is missing; other faults
/// are problems too, and the code is as complete as it can be.
pub(super) fn assemble(spec: &UnitSpec, sources: &Shelf<'_>, problems: &mut Problems) -> Option<Code> {
    let Some(source) = sources.get(&spec.source) else {
        problems.push(missing_file(&spec.source, &spec.source_at, sources));
        return None;
    };
    let wanted = Wanted { device: &spec.regions, host: &spec.host_regions };
    let (device, host, headers) = units(source, &wanted, sources, problems);
    Some(Code { source: source.path.clone(), device, host, headers, options: spec.options.clone() })
}

/// The regions that a manifest names, each with its place there.
struct Wanted<'a> {
    /// For the device; empty: the whole file less the host's.
    device: &'a [(String, Span)],
    /// For the host.
    host: &'a [(String, Span)],
}

/// The device unit, the host unit and the headers of both.
fn units(source: &Source, wanted: &Wanted<'_>, sources: &Shelf<'_>, problems: &mut Problems) -> (String, String, BTreeMap<String, String>) {
    let host = pick(source, wanted.host, problems);
    let mut unit = Units { source, pieces: Vec::new() };
    let device = if wanted.device.is_empty() {
        let cut: Vec<Range<usize>> = host.iter().map(|region| region.lines.clone()).collect();
        unit.piece(0..source.line_count(), &cut)
    } else {
        let regions = pick(source, wanted.device, problems);
        problems.extend(overlaps(wanted.device, &regions));
        regions.iter().map(|region| unit.piece(region.lines.clone(), &[])).collect()
    };
    problems.extend(overlaps(wanted.host, &host));
    let host = host.iter().map(|region| unit.piece(region.lines.clone(), &[])).collect();
    let mut headers = Headers { sources, found: BTreeMap::new(), problems };
    let included = source.includes.iter().filter(|include| unit.pieces.iter().any(|piece| piece.contains(&include.line)));
    headers.collect(included.map(|include| (source, include)).collect());
    let headers = headers.found.into_iter().map(|(name, header)| (name, plain(header))).collect();
    (device, host, headers)
}

/// The local headers that the whole of `source` includes, by their paths from `kernels/`.
pub(super) fn local_headers<'a>(source: &Source, sources: &Shelf<'a>, problems: &mut Problems) -> BTreeMap<&'a str, &'a Source> {
    let mut headers = Headers { sources, found: BTreeMap::new(), problems };
    headers.collect(source.includes.iter().map(|include| (source, include)).collect());
    headers.found.into_values().map(|header| (header.path.as_str(), header)).collect()
}

/// The regions that `names` ask for.
fn pick<'a>(source: &'a Source, names: &[(String, Span)], problems: &mut Problems) -> Vec<&'a Region> {
    let mut picked = Vec::new();
    for (name, at) in names {
        match source.region(name) {
            Some(region) => picked.push(region),
            None => problems.push(missing_region(source, name, at)),
        }
    }
    picked
}

fn missing_region(source: &Source, name: &str, at: &Span) -> Problem {
    Problem::error("snippet-missing", at.clone(), format!("{} has no region `{name}`", source.name))
        .hint(format!("mark it with `// snippet: {name}` and `// end snippet {name}`"))
        .meant(name, source.regions.iter().map(|region| &*region.name))
}

/// Lines that would be compiled twice because one region holds another that is listed too.
fn overlaps(names: &[(String, Span)], regions: &[&Region]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, region) in regions.iter().enumerate() {
        let twice = regions[..index].iter().find(|other| other.lines.start < region.lines.end && region.lines.start < other.lines.end);
        let at = names.iter().rfind(|(name, _)| *name == region.name);
        if let (Some(other), Some((_, at))) = (twice, at) {
            let message = format!("regions `{}` and `{}` share lines, which would be compiled twice", other.name, region.name);
            problems.push(Problem::error("manifest-regions-overlap", at.clone(), message).hint("list only the outer one"));
        }
    }
    problems
}

/// The problem that the file `path`, named at `at`, is not under `kernels/`.
pub(super) fn missing_file(path: &str, at: &Span, sources: &Shelf<'_>) -> Problem {
    let problem = Problem::error("manifest-source", at.clone(), format!("there is no kernels/{path}"));
    match path.strip_prefix("kernels/") {
        Some(short) => problem.hint(format!("paths begin below `kernels/`: `{short}`")),
        None => problem.hint("a sweep names its source by its path from `kernels/`").meant(path, sources.paths()),
    }
}

/// Cuts units out of one source and remembers which lines went into one.
struct Units<'a> {
    source: &'a Source,
    pieces: Vec<Range<usize>>,
}

impl Units<'_> {
    /// The lines as a piece of a unit: marker lines and those of `cut` stay as empty lines, so that numbers hold.
    fn piece(&mut self, lines: Range<usize>, cut: &[Range<usize>]) -> String {
        let mut text = format!("#line {} \"{}\"\n", lines.start + 1, self.source.path.replace('\\', "\\\\").replace('"', "\\\""));
        let mut kept = lines.start..lines.start;
        for line in lines.clone() {
            let is_cut = cut.iter().any(|cut| cut.contains(&line));
            if !is_cut && !self.source.is_marker(line) {
                text.push_str(self.source.line(line));
            }
            text.push('\n');
            if is_cut {
                self.pieces.push(std::mem::replace(&mut kept, line + 1..line + 1));
            } else {
                kept.end = line + 1;
            }
        }
        self.pieces.push(kept);
        text
    }
}

/// A header's text, its marker lines empty.
fn plain(header: &Source) -> String {
    let mut text = String::with_capacity(header.text.len());
    for line in 0..header.line_count() {
        let _ = writeln!(text, "{}", if header.is_marker(line) { "" } else { header.line(line) });
    }
    text
}

/// Follows local includes through the course's sources.
struct Headers<'a, 's, 'p> {
    sources: &'s Shelf<'a>,
    found: BTreeMap<String, &'a Source>,
    problems: &'p mut Problems,
}

impl<'a> Headers<'a, '_, '_> {
    /// Takes in what `pending` includes, and what that includes in turn.
    fn collect<'s>(&mut self, mut pending: VecDeque<(&'s Source, &'s Include)>)
    where
        'a: 's,
    {
        while let Some((from, include)) = pending.pop_front() {
            let Some(header) = self.resolve(from, &include.name) else {
                self.problems.push(missing_header(include, self.sources));
                continue;
            };
            match self.found.insert(include.name.clone(), header) {
                Some(before) if before.path != header.path => self.problems.push(ambiguous_header(include, [&header.path, &before.path])),
                Some(_) => {}
                None => pending.extend(header.includes.iter().map(|include| (header, include))),
            }
        }
    }

    /// The file that `name` means: beside the including file, else from `kernels/`.
    fn resolve(&self, from: &Source, name: &str) -> Option<&'a Source> {
        [join(folder(&from.path), name), join("", name)]
            .into_iter()
            .flatten()
            .find_map(|path| self.sources.get(&path))
            .map(|source| &**source)
    }
}

fn missing_header(include: &Include, sources: &Shelf<'_>) -> Problem {
    let name = &include.name;
    let problem = Problem::error("header-missing", include.at.clone(), format!("there is no header `{name}` under kernels/"));
    match nearest(name, sources.paths().filter(|path| is_header(path))) {
        Some(meant) => problem.hint(format!("did you mean `{meant}`?")),
        None => problem.hint(format!("add kernels/{name}, or write `<{name}>` for a toolkit's header")),
    }
}

fn ambiguous_header(include: &Include, paths: [&str; 2]) -> Problem {
    let message = format!("`{}` means kernels/{} here and kernels/{} elsewhere in this unit", include.name, paths[0], paths[1]);
    Problem::error("header-ambiguous", include.at.clone(), message).hint("give one of the two files another name")
}

fn is_header(path: &str) -> bool {
    [".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl"].iter().any(|ending| path.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::span::{SourceName, line_column};

    /// Parses `files` (paths from `kernels/` and texts) and assembles the first with the regions named.
    fn assemble_first(files: &[(&str, &str)], device: &[&str], host: &[&str]) -> (String, String, BTreeMap<String, String>, Vec<Problem>) {
        let mut problems = Problems::new();
        let parse = |&(path, text): &(&str, &str), problems: &mut Problems| {
            let name: SourceName = format!("kernels/{path}").into();
            Arc::new(Source::parse(&name, &text.into(), problems))
        };
        let sources: Sources = files.iter().map(|file| parse(file, &mut problems)).collect();
        let manifest: SourceName = "kernels/a.toml".into();
        let place = |names: &[&str]| names.iter().map(|&name| (name.to_owned(), Span::top(&manifest))).collect::<Vec<_>>();
        let (device, host) = (place(device), place(host));
        let wanted = Wanted { device: &device, host: &host };
        let (device, host, headers) = units(sources.get(files[0].0).unwrap(), &wanted, &Shelf::new(&sources), &mut problems);
        (device, host, headers, problems.sorted())
    }

    const KERNEL: &str =
        "#include \"a.cuh\"\n// snippet: luma\nluma();\n// end snippet\n// snippet: fill\nfill();\n// end snippet\nlast();";

    #[test]
    fn the_device_gets_the_file_less_the_host_regions() {
        let (device, host, _, problems) = assemble_first(&[("k/a.cu", KERNEL), ("k/a.cuh", "")], &[], &["fill"]);
        assert_eq!(problems, []);
        assert_eq!(device, "#line 1 \"k/a.cu\"\n#include \"a.cuh\"\n\nluma();\n\n\n\n\nlast();\n");
        assert_eq!(host, "#line 6 \"k/a.cu\"\nfill();\n");
    }

    #[test]
    fn named_regions_are_joined_in_the_manifests_order() {
        let (device, host, headers, problems) = assemble_first(&[("a.cu", KERNEL)], &["fill", "luma"], &[]);
        assert_eq!(problems, []);
        assert_eq!(device, "#line 6 \"a.cu\"\nfill();\n#line 3 \"a.cu\"\nluma();\n");
        // The include stands outside of both, so it is nobody's.
        assert_eq!((host.as_str(), headers.len()), ("", 0));
    }

    #[test]
    fn headers_are_followed_beside_the_file_then_from_kernels() {
        let files = [
            ("k/a.cu", "#include \"a.cuh\"\n#include <stdint.h>"),
            ("k/a.cuh", "#include \"common/b.cuh\"\n// snippet: x\nint x;\n// end snippet"),
            ("common/b.cuh", "#include \"../k/a.cuh\"\n#include \"b.cuh\""),
        ];
        let (_, _, headers, problems) = assemble_first(&files, &[], &[]);
        assert_eq!(problems, []);
        assert_eq!(headers.keys().collect::<Vec<_>>(), ["../k/a.cuh", "a.cuh", "b.cuh", "common/b.cuh"]);
        assert_eq!(headers["a.cuh"], "#include \"common/b.cuh\"\n\nint x;\n\n");
    }

    /// Checks the id, file, line and hint of the one problem.
    #[track_caller]
    fn check_problem(files: &[(&str, &str)], device: &[&str], host: &[&str], expected: (&str, &str, usize, &str)) {
        let (_, _, _, problems) = assemble_first(files, device, host);
        let [problem] = problems.as_slice() else { panic!("{problems:?}") };
        let at = problem.at.clone().expect("it has a place");
        let text = files.iter().find(|(path, _)| at.file.ends_with(path)).map_or("", |(_, text)| text);
        assert_eq!((problem.id, &*at.file, line_column(text, at.start).line), (expected.0, expected.1, expected.2));
        let hint = problem.hint.clone().unwrap_or_default();
        assert!(hint.contains(expected.3), "{hint}");
    }

    #[test]
    fn what_is_missing_or_ambiguous_is_said_where_it_is_asked_for() {
        let header = ("a.cuh", "\n#include \"lumma.cuh\"\n");
        check_problem(
            &[("a.cu", "#include \"a.cuh\""), header, ("luma.cuh", "")],
            &[],
            &[],
            ("header-missing", "kernels/a.cuh", 2, "`luma.cuh`"),
        );
        check_problem(&[("a.cu", "#include \"cuda_fp16.h\"")], &[], &[], ("header-missing", "kernels/a.cu", 1, "`<cuda_fp16.h>`"));
        check_problem(&[("a.cu", "#include \"../../x.h\"")], &[], &[], ("header-missing", "kernels/a.cu", 1, ""));
        check_problem(&[("a.cu", KERNEL), ("a.cuh", "")], &["lumma"], &[], ("snippet-missing", "kernels/a.toml", 1, "`luma`"));
        check_problem(&[("a.cu", KERNEL), ("a.cuh", "")], &["luma", "luma"], &[], ("manifest-regions-overlap", "kernels/a.toml", 1, ""));
        let twins = [("k/a.cu", "#include \"x.h\"\n#include \"l/y.h\""), ("k/x.h", ""), ("k/l/y.h", "#include \"x.h\""), ("k/l/x.h", "")];
        check_problem(&twins, &[], &[], ("header-ambiguous", "kernels/k/l/y.h", 1, "another name"));
    }
}
