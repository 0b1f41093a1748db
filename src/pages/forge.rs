//! Turns a file of the course into its address in the repository, at the commit that was measured and at its lines.
//!
//! Must not ask the repository: whether a commit is there is its author's affair.

use crate::base::span::Span;
use crate::course::source::Source;
use crate::course::sweep::Sweep;
use crate::evidence::Run;

use super::page::World;

/// How forges write the address of a file: what stands before a branch, what stands before a commit in its place, and how lines are
/// written behind it, the first and the last.
const FORMS: [(&str, &str, [&str; 2]); 4] = [
    // GitLab, before GitHub, whose form it holds.
    ("/-/blob/", "/-/blob/", ["#L", "-"]),
    ("/blob/", "/blob/", ["#L", "-L"]),
    // Gitea and Forgejo.
    ("/src/branch/", "/src/commit/", ["#L", "-L"]),
    // Bitbucket.
    ("/src/", "/src/", ["#lines-", ":"]),
];

/// The address of lines of `source` at the commit that a run of one of `sweeps` was measured at; `None` where the course was changed
/// then, or the repository's form is not known.
pub(crate) fn measured_lines(source: &Source, lines: (usize, usize), sweeps: &[(String, Span)], world: World<'_>) -> Option<String> {
    let of_source = |sweep: &&Sweep| sweep.source().is_some_and(|(path, _)| path == source.path);
    let course = world.course;
    let runs = sweeps.iter().filter_map(|(name, _)| course.sweeps.get(name)).map(AsRef::as_ref).filter(of_source);
    let commit = runs.filter_map(|sweep| run(sweep, world)).find_map(|run| commit(&run))?;
    at_commit(&course.config.in_repository(&source.name)?, &commit, lines)
}

/// The run of `sweep` that pages stand on.
pub(crate) fn run(sweep: &Sweep, world: World<'_>) -> Option<std::sync::Arc<Run>> {
    world.facts.sweep(&sweep.name, world.device())?.run.clone()
}

fn commit(run: &Run) -> Option<String> {
    let circumstance = &run.record.header.circumstance;
    circumstance.commit.clone().filter(|commit| circumstance.dirty == Some(false) && commit.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// `address`, of a file on a branch, with `commit` in place of the branch, at `lines`.
fn at_commit(address: &str, commit: &str, (first, last): (usize, usize)) -> Option<String> {
    let (branch, pinned, [open, between]) = FORMS.iter().find(|(branch, ..)| address.contains(branch))?;
    let (before, behind) = address.split_once(branch)?;
    let (_, path) = behind.split_once('/')?;
    Some(format!("{before}{pinned}{commit}/{path}{open}{first}{between}{last}"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(at_commit(address, "c0ffee", (3, 9)).as_deref(), expected, "{address}");
        }
    }
}
