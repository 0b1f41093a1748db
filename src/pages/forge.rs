//! Turns a file of the course into its addresses in the repository: its lines at the commit that was measured, and where it is edited.
//!
//! Must not ask the repository: whether a commit is there is its author's affair, and how lines were numbered then the record knows.

use std::collections::BTreeMap;

use crate::base::span::Span;
use crate::claims::Facts;
use crate::course::source::Source;
use crate::course::sweep::Sweep;
use crate::evidence::Run;
use crate::plan::launch::Code;

use super::page::World;

/// How a forge writes the address of a file.
struct Form {
    /// What stands before a branch, where the file is seen.
    branch: &'static str,
    /// What stands before a commit in its place.
    commit: &'static str,
    /// What stands before a branch where the file is edited, if the address says so.
    edit: Option<&'static str>,
    /// How lines are written behind it, before the first and before the last.
    lines: [&'static str; 2],
}

const FORMS: [Form; 4] = [
    // GitLab, before GitHub, whose form it holds.
    Form { branch: "/-/blob/", commit: "/-/blob/", edit: Some("/-/edit/"), lines: ["#L", "-"] },
    Form { branch: "/blob/", commit: "/blob/", edit: Some("/edit/"), lines: ["#L", "-L"] },
    // Gitea and Forgejo.
    Form { branch: "/src/branch/", commit: "/src/commit/", edit: Some("/_edit/"), lines: ["#L", "-L"] },
    // Bitbucket.
    Form { branch: "/src/", commit: "/src/", edit: None, lines: ["#lines-", ":"] },
];

/// The form of `address`, of a file on a branch, with what stands before and behind its mark of a branch.
fn form(address: &str) -> Option<(&'static Form, &str, &str)> {
    let form = FORMS.iter().find(|form| address.contains(form.branch))?;
    let (before, behind) = address.split_once(form.branch)?;
    Some((form, before, behind))
}

/// Where the file at `address`, on a branch, is edited; `None` where its forge's addresses don't say.
pub(crate) fn edited(address: &str) -> Option<String> {
    let (form, before, behind) = form(address)?;
    form.edit.map(|edit| format!("{before}{edit}{behind}"))
}

/// The address of lines of `source` at the commit that a run of one of `sweeps` was measured at, where its record has them then, else of
/// the file; `None` where the course was changed then, or the repository's form is not known.
pub(crate) fn measured_lines(source: &Source, lines: (usize, usize), sweeps: &[(String, Span)], world: World<'_>) -> Option<String> {
    let of_source = |sweep: &&Sweep| sweep.source().is_some_and(|(path, _)| path == source.path);
    let course = world.course;
    let runs = sweeps.iter().filter_map(|(name, _)| course.sweeps.get(name)).map(AsRef::as_ref).filter(of_source);
    let (run, commit) = runs.filter_map(|sweep| run(sweep, world.facts)).find_map(|run| Some((run.clone(), commit(&run)?)))?;
    let then = lines_then(source, lines, &run.record.header.code);
    at_commit(&course.config.in_repository(&source.name)?, &commit, then)
}

/// Which lines those that `source` has today at `lines`, counted from one, were in the file that `code` was cut from; `None` where it
/// has them not, or in several places and none of them today's.
fn lines_then(source: &Source, (first, last): (usize, usize), code: &Code) -> Option<(usize, usize)> {
    let today: Vec<&str> = (first - 1..last).map(|line| if source.is_marker(line) { "" } else { source.line(line).trim_end() }).collect();
    let then = numbered(&source.path, code);
    let is_at = |start: usize| today.iter().enumerate().all(|(at, text)| then.get(&(start + at)).is_some_and(|then| then == text));
    let mut places = then.keys().copied().filter(|&start| is_at(start));
    let place = if is_at(first) { first } else { places.next().filter(|_| places.next().is_none())? };
    Some((place, place + last - first))
}

/// The lines of the file `path` that went into `code`, by their numbers; those of markers are empty.
fn numbered<'c>(path: &str, code: &'c Code) -> BTreeMap<usize, &'c str> {
    let mut lines = BTreeMap::new();
    let headers = code.headers.iter().filter(|(name, _)| *name == path).map(|(_, text)| text);
    let units = [&code.device, &code.host].into_iter().filter(|_| code.source == path);
    for unit in units.chain(headers) {
        let mut number = 1;
        for line in unit.lines() {
            match line.strip_prefix("#line ").and_then(|rest| rest.split(' ').next()?.parse().ok()) {
                Some(next) => number = next,
                None => {
                    // What a program is made of has its markers still, and regions of the other unit are empty lines in this one.
                    let is_marker = ["// snippet: ", "// end snippet"].iter().any(|marker| line.trim_start().starts_with(marker));
                    let known = lines.entry(number).or_insert("");
                    *known = if known.is_empty() && !is_marker { line.trim_end() } else { *known };
                    number += 1;
                }
            }
        }
    }
    lines
}

/// The run of `sweep` that pages stand on.
pub(crate) fn run(sweep: &Sweep, facts: &Facts) -> Option<std::sync::Arc<Run>> {
    facts.sweep(&sweep.name, facts.primary())?.run.clone()
}

fn commit(run: &Run) -> Option<String> {
    let circumstance = &run.record.header.circumstance;
    circumstance.commit.clone().filter(|commit| circumstance.dirty == Some(false) && commit.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// `address`, of a file on a branch, with `commit` in place of the branch, at `lines` if they are known.
fn at_commit(address: &str, commit: &str, lines: Option<(usize, usize)>) -> Option<String> {
    let (form, before, behind) = form(address)?;
    let (_, path) = behind.split_once('/')?;
    let [open, between] = form.lines;
    let lines = lines.map(|(first, last)| format!("{open}{first}{between}{last}")).unwrap_or_default();
    Some(format!("{before}{}{commit}/{path}{lines}", form.commit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::problem::Problems;

    #[test]
    fn every_forge_has_its_form() {
        let cases = [
            ("https://github.com/a/b/blob/main/kernels/x.cu", Some("https://github.com/a/b/blob/c0ffee/kernels/x.cu#L3-L9")),
            ("https://gitlab.com/a/b/-/blob/main/x.cu", Some("https://gitlab.com/a/b/-/blob/c0ffee/x.cu#L3-9")),
            ("https://codeberg.org/a/b/src/branch/main/x.cu", Some("https://codeberg.org/a/b/src/commit/c0ffee/x.cu#L3-L9")),
            ("https://bitbucket.org/a/b/src/main/x.cu", Some("https://bitbucket.org/a/b/src/c0ffee/x.cu#lines-3:9")),
            ("https://example.org/files/x.cu", None),
        ];
        for (address, expected) in cases {
            assert_eq!(at_commit(address, "c0ffee", Some((3, 9))).as_deref(), expected, "{address}");
        }
        assert_eq!(at_commit(cases[0].0, "c0ffee", None).as_deref(), Some("https://github.com/a/b/blob/c0ffee/kernels/x.cu"));
    }

    #[test]
    fn lines_are_numbered_as_they_were_when_they_were_measured() {
        let today = "// New.\n\n// snippet: a\nint a;\n// snippet: b\nint b;\n// end snippet: b\n// end snippet: a\nint c;\n";
        let source = Source::parse(&"kernels/x.cu".into(), &today.into(), &mut Problems::new());
        let code = |device: &str, host: &str| Code {
            source: "x.cu".into(),
            device: device.into(),
            host: host.into(),
            headers: BTreeMap::new(),
            options: Vec::new(),
        };
        let device = "#line 1 \"x.cu\"\n\nint a;\n\nint b;\n\n\n#line 30 \"x.cu\"\nint c;\n";
        let cases = [
            // Lines above were added since.
            ((4, 6), code(device, ""), Some((2, 4))),
            ((9, 9), code(device, ""), Some((30, 30))),
            // Where they stand today they stood then.
            ((9, 9), code("#line 3 \"x.cu\"\nint c;\n", "#line 9 \"x.cu\"\nint c;\n"), Some((9, 9))),
            // In two places, and none of them today's.
            ((9, 9), code("#line 3 \"x.cu\"\nint c;\nint c;\n", ""), None),
            // They were other ones, or of another file.
            ((4, 4), code("#line 1 \"x.cu\"\nlong a;\n", ""), None),
            ((4, 4), Code { source: "y.cu".into(), ..code(device, "") }, None),
            // A program is measured as its file stands.
            ((4, 6), code("int a;\n// snippet: b\nint b;\n", ""), Some((1, 3))),
            ((4, 4), Code { source: "y.cu".into(), headers: [("x.cu".into(), "\nint a;\n".into())].into(), ..code("", "") }, Some((2, 2))),
        ];
        for (lines, code, expected) in cases {
            assert_eq!(lines_then(&source, lines, &code), expected, "{lines:?} {code:?}");
        }
    }

    #[test]
    fn forges_say_where_a_file_is_edited() {
        let cases = [
            ("https://github.com/a/b/blob/main/x.md", Some("https://github.com/a/b/edit/main/x.md")),
            ("https://gitlab.com/a/b/-/blob/main/x.md", Some("https://gitlab.com/a/b/-/edit/main/x.md")),
            ("https://codeberg.org/a/b/src/branch/main/x.md", Some("https://codeberg.org/a/b/_edit/main/x.md")),
            ("https://bitbucket.org/a/b/src/main/x.md", None),
            ("https://example.org/files/x.md", None),
        ];
        for (address, expected) in cases {
            assert_eq!(edited(address).as_deref(), expected, "{address}");
        }
    }
}
