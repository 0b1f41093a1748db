//! Turns a file of the course into its addresses in the repository: its lines at the commit that was measured, and where it is edited.
//!
//! Must not ask the repository: whether a commit is there is its author's affair.

use crate::base::span::Span;
use crate::course::source::Source;
use crate::course::sweep::Sweep;
use crate::evidence::Run;

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
    let (form, before, behind) = form(address)?;
    let (_, path) = behind.split_once('/')?;
    let [open, between] = form.lines;
    Some(format!("{before}{}{commit}/{path}{open}{first}{between}{last}", form.commit))
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
