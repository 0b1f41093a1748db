//! Turns a course, a tool and a way to use it into the command that builds the course.
//!
//! Must not clean up: a timer is to see the build alone.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::{source, without_search};
use crate::course::Tool;
use crate::process::Timed;

/// A tool as it is used.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) name: &'static str,
    pub(super) tool: Tool,
    /// The course of so many lessons for it.
    pub(super) source: fn(Tool, usize) -> Result<PathBuf>,
    /// Builds the course in the second folder into the third one, which is not there.
    pub(super) build: fn(&Path, &Path, &Path) -> Timed,
}

pub(super) const HUGO: &str = "Hugo, highlighting";
pub(super) const HUGO_PLAIN: &str = "Hugo, no highlighting";
pub(super) const ZOLA: &str = "Zola, highlighting";

pub(super) static LESSONC: Subject =
    Subject { name: "**lessonc**, highlighting, evidence, search", tool: Tool::Lessonc, source, build: lessonc };

/// As the others are compared that make no index.
pub(super) static LESSONC_PLAIN: Subject =
    Subject { name: "**lessonc**, highlighting, evidence, no search", tool: Tool::Lessonc, source: without_search, build: lessonc };

pub(super) static SUBJECTS: [&Subject; 9] = [
    &LESSONC,
    &LESSONC_PLAIN,
    &Subject { name: HUGO, tool: Tool::Hugo, source, build: hugo },
    &Subject {
        name: HUGO_PLAIN,
        tool: Tool::Hugo,
        source,
        build: |program, source, out| hugo(program, source, out).with("HUGO_MARKUP_HIGHLIGHT_CODEFENCES", "false"),
    },
    &Subject { name: ZOLA, tool: Tool::Zola, source, build: |program, source, out| zola(program, source, out, "config.toml") },
    &Subject {
        name: "Zola, no highlighting",
        tool: Tool::Zola,
        source,
        build: |program, source, out| zola(program, source, out, "plain.toml"),
    },
    &Subject {
        name: "mdBook, no search, highlighted in the browser",
        tool: Tool::Mdbook,
        source,
        build: |program, source, out| mdbook(program, source, out).with("MDBOOK_OUTPUT__HTML__SEARCH__ENABLE", "false"),
    },
    &Subject { name: "mdBook, search, highlighted in the browser", tool: Tool::Mdbook, source, build: mdbook },
    &Subject {
        name: "Eleventy, highlighting, pages without navigation",
        tool: Tool::Eleventy,
        source,
        build: |program, source, out| {
            let mut output = OsString::from("--output=");
            output.push(out);
            Timed::new(program, ["--quiet".into(), "--input=.".into(), output]).within(source).with("NODE_PATH", modules(program))
        },
    },
];

/// Where Eleventy's plugins lie: beside it, and not beside a course.
pub(crate) fn modules(eleventy: &Path) -> &Path {
    eleventy.parent().and_then(Path::parent).unwrap_or(eleventy)
}

fn words(program: &Path, words: &[&str], paths: &[&Path]) -> Timed {
    Timed::new(program, words.iter().map(OsString::from).chain(paths.iter().map(OsString::from)))
}

fn lessonc(program: &Path, source: &Path, out: &Path) -> Timed {
    words(program, &["build", "--course"], &[source, Path::new("--out"), out])
}

fn hugo(program: &Path, source: &Path, out: &Path) -> Timed {
    words(program, &["--quiet", "--noBuildLock", "--ignoreCache", "--source"], &[source, Path::new("--destination"), out])
}

fn zola(program: &Path, source: &Path, out: &Path, config: &str) -> Timed {
    let config = source.join(config);
    words(program, &["--root"], &[source, Path::new("--config"), &config, Path::new("build"), Path::new("-o"), out])
}

fn mdbook(program: &Path, source: &Path, out: &Path) -> Timed {
    words(program, &["build", "-d"], &[out, source])
}

impl Tool {
    /// How its program is asked for its version.
    pub(super) fn version(self) -> &'static str {
        if self == Self::Hugo { "version" } else { "--version" }
    }
}
