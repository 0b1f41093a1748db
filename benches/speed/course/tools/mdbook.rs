//! Turns lessons into a book of mdBook, which shows regions by its anchors and leaves their colours to the browser.
//!
//! Must not know anything of the other tools.

use anyhow::Result;

use super::super::lesson::{Lesson, module, path, title};
use super::super::{Folder, Length};
use super::{ABOUT, SHARED, SHARED_REGION, Spelling, module_title, relative, source};

const SPELLING: Spelling = Spelling {
    language: "cpp",
    link: relative,
    region: Some(|source, region| format!("```cpp\n{{{{#include ../{source}:{region}}}}}\n```\n\n")),
    marks: |region| [format!("// ANCHOR: {region}"), format!("// ANCHOR_END: {region}")],
};

pub(super) fn frame(length: Length, folder: &Folder<'_>) -> Result<()> {
    folder.put("book.toml", "[book]\ntitle = \"Course\"\nlanguage = \"en\"\n")?;
    let mut summary = "# Summary\n\n[Course](index.md)\n\n".to_owned();
    for number in length.modules() {
        let lesson = |index: usize| format!("- [{}]({}/{}.md)\n", title(index), module(number), path(index).1);
        let lessons: String = length.of_module(number).map(lesson).collect();
        summary += &format!("# {}\n\n{lessons}\n", module_title(number));
    }
    folder.put("src/SUMMARY.md", &summary)?;
    folder.put("src/index.md", &format!("# Course\n\n{ABOUT}"))?;
    folder.put(&format!("src/{SHARED}"), &SPELLING.marked(SHARED_REGION, include_str!("../blocks/shared.cu")))
}

pub(super) fn lesson(lesson: &Lesson, folder: &Folder<'_>) -> Result<()> {
    let (module, name) = path(lesson.index);
    folder.put(&format!("src/{}", source(lesson.index)), &SPELLING.source(lesson))?;
    folder.put(&format!("src/{module}/{name}.md"), &format!("# {}\n\n{}", lesson.title, SPELLING.body(lesson)))
}
