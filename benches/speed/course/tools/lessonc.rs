//! Turns lessons into a course of lessonc: markers for regions, and for one lesson in ten a sweep and what is said of its run.
//!
//! Must not know what the run says: that is in its record alone.

use anyhow::Result;

use super::super::lesson::{Lesson, Part, path};
use super::super::sweep;
use super::super::{Folder, Length};
use super::{ABOUT, SHARED, SHARED_REGION, Spelling, module_title, source};

const SPELLING: Spelling = Spelling {
    language: "cuda",
    link: |_, to| format!("{}.md", path(to).1),
    region: Some(|source, region| format!("snippet: {source}#{region}\n\n")),
    marks: |region| [format!("// snippet: {region}"), "// end snippet".to_owned()],
};

pub(super) fn frame(length: Length, folder: &Folder<'_>) -> Result<()> {
    let mut config = format!("title = \"Course\"\nsummary = \"{}\"\n\n[devices]\npublished = [\"fake\"]\n", ABOUT.trim_end());
    for module in length.modules() {
        let names: Vec<String> = length.of_module(module).map(|index| format!("  \"{}\",\n", path(index).1)).collect();
        config += &format!("\n[[outline]]\ntitle = \"{}\"\nlessons = [\n{}]\n", module_title(module), names.concat());
    }
    folder.put("lessons/course.toml", &config)?;
    let shared = include_str!("../blocks/shared.cu");
    folder.put(&format!("kernels/{SHARED}"), &SPELLING.marked(SHARED_REGION, shared))
}

pub(super) fn lesson(lesson: &Lesson, folder: &Folder<'_>) -> Result<()> {
    let (name, source) = (path(lesson.index).1, source(lesson.index));
    let (mut code, mut body) = (SPELLING.source(lesson), SPELLING.body(lesson));
    let mut front = format!("title = \"{}\"\n", lesson.title);
    if sweep::stands_on_one(lesson.index) {
        front += &format!("sweeps = [\"{name}\"]\n");
        body += &sweep::text(&name, &source);
        for (region, text) in sweep::REGIONS {
            code += &format!("\n{}", SPELLING.marked(region, text));
        }
        folder.put(&format!("kernels/{name}.toml"), &sweep::manifest(&lesson.title, &source))?;
    }
    debug_assert!(lesson.parts.iter().any(|part| matches!(part, Part::Region { .. })), "every lesson has a source");
    folder.put(&format!("kernels/{source}"), &code)?;
    folder.put(&format!("lessons/{name}.md"), &format!("+++\n{front}+++\n\n{body}"))
}
