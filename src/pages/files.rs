//! Turns files that stand beside the lessons into files of the site, as they are: all of `lessons/static/`, and elsewhere those
//! that a lesson links to or shows.
//!
//! Must not know what is in them.

use crate::course::config;
use crate::evidence::signers;
use crate::tree::SourceTree;

use super::recipe::Recipe;

/// Whose files are published whether a lesson names them or not, from the site's root on.
const STATIC: &str = "lessons/static";

/// The path on the site of the file `name` of the course, if it is one that is published as it is.
pub(crate) fn path(name: &str, tree: &SourceTree) -> Option<String> {
    let below = name.strip_prefix("lessons/")?;
    let is_read = name.ends_with(".md") || name == config::FILE || name == signers::FILE;
    let is_there = tree.get(name).is_some() || tree.binary(name).is_some();
    let path = below.strip_prefix("static/").unwrap_or(below);
    (is_there && (!is_read || below != path)).then(|| path.to_owned())
}

/// How the file `name` of the course is made: not at all.
pub(crate) fn recipe(name: &str, tree: &SourceTree) -> Option<Recipe> {
    let text = || tree.get(name).cloned().map(Recipe::Input);
    tree.binary(name).map(|file| Recipe::Bytes(file.bytes.clone())).or_else(text)
}

/// Whether the file `name` of the course is published whether a lesson names it or not.
pub(crate) fn is_static(name: &str) -> bool {
    name.strip_prefix(STATIC).is_some_and(|below| below.starts_with('/'))
}

/// The files that are published whether a lesson names them or not.
pub(crate) fn all(tree: &SourceTree) -> impl Iterator<Item = &str> {
    tree.names_below(STATIC)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::base::problem::Problems;
    use crate::pages::recipe;
    use crate::pages::stock::Stock;

    #[test]
    fn what_is_read_is_not_published_unless_it_is_static() {
        let mut tree = SourceTree::new();
        let files = ["a.md", "course.toml", "allowed_signers", "a.svg", "deep/a.png", "static/robots.txt", "static/b.md", "static/c.png"];
        for name in files {
            tree.insert(&format!("lessons/{name}"), b"x", &mut Problems::new());
        }
        let paths = files.map(|name| path(&format!("lessons/{name}"), &tree));
        let paths: Vec<Option<&str>> = paths.iter().map(Option::as_deref).collect();
        let published = [Some("a.svg"), Some("deep/a.png"), Some("robots.txt"), Some("b.md"), Some("c.png")];
        assert_eq!(paths, [&[None; 3][..], &published].concat());
        assert_eq!((path("lessons/no.png", &tree), path("kernels/a.cu", &tree)), (None, None));
        assert_eq!(all(&tree).count(), 3);
    }

    #[test]
    fn a_text_that_was_let_go_of_is_published_as_it_was_read_or_not_at_all() {
        for (then, expected) in [(&b"as read\r\n"[..], Ok("as read\n")), (b"other\n", Err("file-changed"))] {
            let mut tree = SourceTree::new();
            tree.insert("lessons/static/a.txt", b"as read\n", &mut Problems::new());
            tree.for_once(Arc::new(move |_| Some(then.to_vec())));
            let recipe = recipe("lessons/static/a.txt", &tree).unwrap();
            tree.let_go("lessons/static/a.txt");
            let mut bytes = Vec::new();
            let written = recipe::write(&recipe, &BTreeMap::new(), &Stock::of_nothing(&tree), &mut bytes);
            let written = written.map(|()| std::str::from_utf8(&bytes).unwrap());
            assert_eq!(written.as_ref().copied().map_err(|problem| problem.id), expected);
            assert_eq!(
                written.err().and_then(|problem| problem.at).map(|at| at.file),
                expected.err().map(|_| "lessons/static/a.txt".into())
            );
        }
    }
}
