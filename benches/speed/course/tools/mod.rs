//! Turns lessons into the files that one tool reads: its links, its way to show a region of a source, its configuration.
//!
//! Must not know what lessons say. A tool that can't show a region is given the code in the text, which is less work for it.

mod eleventy;
mod hugo;
mod lessonc;
mod mdbook;
mod zola;

use anyhow::Result;

use super::lesson::{Lesson, Part, path, title};
use super::{Folder, Length};

/// The source with the region that ten lessons show, beside the modules.
pub(crate) const SHARED: &str = "common.cu";
/// The name of its region.
const SHARED_REGION: &str = "check";

/// Includes that the regions of a source need.
const INCLUDES: &str =
    "#include <array>\n#include <cstdio>\n#include <vector>\n\n#include <cuda_pipeline.h>\n#include <cuda_runtime.h>\n\n";

/// Who reads a course.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub(crate) enum Tool {
    Lessonc,
    Hugo,
    Zola,
    Mdbook,
    Eleventy,
}

impl Tool {
    /// Writes all but lessons.
    pub(super) fn frame(self, length: Length, folder: &Folder<'_>) -> Result<()> {
        match self {
            Self::Lessonc => lessonc::frame(length, folder),
            Self::Hugo => hugo::frame(length, folder),
            Self::Zola => zola::frame(length, folder),
            Self::Mdbook => mdbook::frame(length, folder),
            Self::Eleventy => eleventy::frame(folder),
        }
    }

    /// Writes a lesson and its source.
    pub(super) fn lesson(self, lesson: &Lesson, folder: &Folder<'_>) -> Result<()> {
        match self {
            Self::Lessonc => lessonc::lesson(lesson, folder),
            Self::Hugo => hugo::lesson(lesson, folder),
            Self::Zola => zola::lesson(lesson, folder),
            Self::Mdbook => mdbook::lesson(lesson, folder),
            Self::Eleventy => eleventy::lesson(lesson, folder),
        }
    }
}

/// How a tool spells what lessons mean.
struct Spelling {
    /// What a fence of CUDA is called.
    language: &'static str,
    /// Where a link from one lesson to another leads.
    link: fn(from: usize, to: usize) -> String,
    /// How a region of a source is shown, the source by its path from the folder of the modules; a tool that can't is given the code.
    region: Option<fn(source: &str, region: &str) -> String>,
    /// The lines that open and close a region of this name in a source.
    marks: fn(region: &str) -> [String; 2],
}

impl Spelling {
    fn body(&self, lesson: &Lesson) -> String {
        let mut body = String::with_capacity(16 << 10);
        let source = source(lesson.index);
        for part in &lesson.parts {
            match (part, self.region) {
                (Part::Text(text), _) => body.push_str(text),
                (Part::Link(to), _) => body.push_str(&format!("[{}]({})", title(*to), (self.link)(lesson.index, *to))),
                (Part::Region { name, .. }, Some(region)) => body.push_str(&region(&source, name)),
                (Part::Shared(_), Some(region)) => body.push_str(&region(SHARED, SHARED_REGION)),
                (Part::Region { code, .. } | Part::Code(code), _) => body.push_str(&self.fence(code)),
                (Part::Shared(code), None) => body.push_str(&self.fence(code)),
            }
        }
        body
    }

    fn fence(&self, code: &str) -> String {
        format!("```{}\n{}\n```\n\n", self.language, code.trim_end())
    }

    /// The lesson's source, with its regions marked.
    fn source(&self, lesson: &Lesson) -> String {
        let regions = lesson.parts.iter().filter_map(|part| match part {
            Part::Region { name, code } => Some(self.marked(name, code)),
            Part::Text(_) | Part::Link(_) | Part::Code(_) | Part::Shared(_) => None,
        });
        INCLUDES.to_owned() + &regions.collect::<Vec<_>>().join("\n")
    }

    fn marked(&self, region: &str, code: &str) -> String {
        let [open, close] = (self.marks)(region);
        format!("{open}\n{}\n{close}\n", code.trim_end())
    }
}

/// The source of the lesson at `index`, by its path from the folder of the modules.
fn source(index: usize) -> String {
    let (module, name) = path(index);
    format!("{module}/{name}.cu")
}

/// The Markdown file `to`, by its path from the folder of lesson `from`.
fn relative(from: usize, to: usize) -> String {
    let ((here, _), (there, name)) = (path(from), path(to));
    if here == there { format!("{name}.md") } else { format!("../{there}/{name}.md") }
}

/// Front matter in TOML, as Hugo and Zola read it.
fn front_matter(title: &str, weight: usize, more: &str) -> String {
    format!("+++\ntitle = \"{title}\"\nweight = {weight}\n{more}+++\n\n")
}

/// What a module is called.
fn module_title(module: usize) -> String {
    format!("Module {}", module + 1)
}

/// What the course says of itself.
const ABOUT: &str = "A course that is generated, to be measured with.\n";
