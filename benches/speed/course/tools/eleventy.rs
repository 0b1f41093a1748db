//! Turns lessons into a site of Eleventy, whose pages hold a lesson and nothing around it.
//!
//! Must not know anything of the other tools. Eleventy shows no regions of sources; its plugin's Prism has no CUDA, `cpp` comes nearest.

use anyhow::Result;

use super::super::Folder;
use super::super::lesson::{Lesson, path};
use super::{ABOUT, Spelling};

const SPELLING: Spelling = Spelling {
    language: "cpp",
    link: |_, to| {
        let (module, name) = path(to);
        format!("/{module}/{name}/")
    },
    region: None,
    marks: |_| [String::new(), String::new()],
};

pub(super) fn frame(folder: &Folder<'_>) -> Result<()> {
    folder.put("_includes/page.njk", include_str!("eleventy/page.njk"))?;
    folder.put("eleventy.config.js", include_str!("eleventy/eleventy.config.js"))?;
    folder.put("index.md", &format!("---\ntitle: Course\nlayout: page.njk\n---\n\n{ABOUT}"))
}

pub(super) fn lesson(lesson: &Lesson, folder: &Folder<'_>) -> Result<()> {
    let (module, name) = path(lesson.index);
    let front = format!("---\ntitle: \"{}\"\nlayout: page.njk\n---\n\n", lesson.title);
    folder.put(&format!("{module}/{name}.md"), &(front + &SPELLING.body(lesson)))
}
