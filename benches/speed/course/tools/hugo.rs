//! Turns lessons into a site of Hugo with the least theme that a course needs: the module's list, contents, the way on and back.
//!
//! Must not know anything of the other tools. Hugo shows no regions of sources and has no CUDA; `cpp` comes nearest.

use anyhow::Result;

use super::super::lesson::{Lesson, module, path};
use super::super::{Folder, Length};
use super::{ABOUT, Spelling, front_matter, module_title, relative};

const SPELLING: Spelling = Spelling { language: "cpp", link: relative, region: None, marks: |_| [String::new(), String::new()] };

const FILES: [(&str, &str); 5] = [
    ("hugo.toml", include_str!("hugo/hugo.toml")),
    ("layouts/_default/baseof.html", include_str!("hugo/baseof.html")),
    ("layouts/_default/single.html", include_str!("hugo/single.html")),
    ("layouts/_default/list.html", include_str!("hugo/list.html")),
    ("static/style.css", include_str!("style.css")),
];

pub(super) fn frame(length: Length, folder: &Folder<'_>) -> Result<()> {
    FILES.iter().try_for_each(|(name, text)| folder.put(name, text))?;
    folder.put("content/_index.md", &format!("+++\ntitle = \"Course\"\n+++\n\n{ABOUT}"))?;
    length.modules().try_for_each(|number| {
        folder.put(&format!("content/{}/_index.md", module(number)), &front_matter(&module_title(number), number + 1, ""))
    })
}

pub(super) fn lesson(lesson: &Lesson, folder: &Folder<'_>) -> Result<()> {
    let (module, name) = path(lesson.index);
    let front = front_matter(&lesson.title, lesson.index + 1, "");
    folder.put(&format!("content/{module}/{name}.md"), &(front + &SPELLING.body(lesson)))
}
