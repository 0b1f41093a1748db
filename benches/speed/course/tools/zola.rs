//! Turns lessons into a site of Zola with the least theme that a course needs: the module's list, contents, the way on and back.
//!
//! Must not know anything of the other tools. Zola shows no regions of sources and has no CUDA; `cpp` comes nearest.

use anyhow::Result;

use super::super::lesson::{Lesson, module, path};
use super::super::{Folder, Length};
use super::{ABOUT, Spelling, front_matter, module_title};

const SPELLING: Spelling = Spelling {
    language: "cpp",
    link: |_, to| {
        let (module, name) = path(to);
        format!("@/{module}/{name}.md")
    },
    region: None,
    marks: |_| [String::new(), String::new()],
};

/// `plain.toml` is for a build without colours.
const FILES: [(&str, &str); 6] = [
    ("config.toml", include_str!("zola/config.toml")),
    ("plain.toml", include_str!("zola/plain.toml")),
    ("templates/page.html", include_str!("zola/page.html")),
    ("templates/section.html", include_str!("zola/section.html")),
    ("templates/index.html", include_str!("zola/section.html")),
    ("static/style.css", include_str!("style.css")),
];

pub(super) fn frame(length: Length, folder: &Folder<'_>) -> Result<()> {
    const SORTED: &str = "sort_by = \"weight\"\n";
    FILES.iter().try_for_each(|(name, text)| folder.put(name, text))?;
    folder.put("content/_index.md", &format!("+++\ntitle = \"Course\"\n{SORTED}+++\n\n{ABOUT}"))?;
    length.modules().try_for_each(|number| {
        folder.put(&format!("content/{}/_index.md", module(number)), &front_matter(&module_title(number), number + 1, SORTED))
    })
}

pub(super) fn lesson(lesson: &Lesson, folder: &Folder<'_>) -> Result<()> {
    let (module, name) = path(lesson.index);
    let front = front_matter(&lesson.title, lesson.index + 1, "");
    folder.put(&format!("content/{module}/{name}.md"), &(front + &SPELLING.body(lesson)))
}
