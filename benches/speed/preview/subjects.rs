//! Turns a course, a tool and a port into the command of its preview, and a lesson into where that preview shows it.
//!
//! Must not know edits.

use std::path::Path;

use crate::compare::modules;
use crate::course::{SHARED, Tool, path};
use crate::process::Timed;

/// A preview as it is used.
pub(super) struct Subject {
    pub(super) name: &'static str,
    pub(super) tool: Tool,
    /// Shows the course in the second folder on a port; what it writes goes into the third.
    pub(super) serve: fn(&Path, &Path, &Path, u16) -> Timed,
}

pub(super) static SUBJECTS: [Subject; 6] = [
    Subject {
        name: "**lessonc serve**",
        tool: Tool::Lessonc,
        serve: |program, course, _, port| Timed::new(program, [text("serve"), "--course".into(), shown(course), port_of("--port", port)]),
    },
    Subject {
        name: "Hugo `server`",
        tool: Tool::Hugo,
        serve: |program, course, _, port| {
            let words = ["server", "--noBuildLock", "--bind", "127.0.0.1", "--source"].map(text);
            Timed::new(program, words.into_iter().chain([shown(course), port_of("--port", port)]))
        },
    },
    Subject { name: "Zola `serve`", tool: Tool::Zola, serve: |program, course, out, port| zola(program, course, out, port, &[]) },
    Subject {
        name: "Zola `serve --fast`",
        tool: Tool::Zola,
        serve: |program, course, out, port| zola(program, course, out, port, &["--fast"]),
    },
    Subject {
        name: "mdBook `serve`, no search",
        tool: Tool::Mdbook,
        serve: |program, course, out, port| {
            let words = ["serve", "--hostname", "127.0.0.1", "--watcher", "native", "--port", &port.to_string(), "-d"].map(text);
            Timed::new(program, words.into_iter().chain([shown(out), shown(course)])).with("MDBOOK_OUTPUT__HTML__SEARCH__ENABLE", "false")
        },
    },
    Subject {
        name: "Eleventy `--serve --incremental`",
        tool: Tool::Eleventy,
        serve: |program, course, out, port| {
            let words = ["--quiet", "--serve", "--incremental", "--input=."].map(text);
            Timed::new(program, words.into_iter().chain([format!("--output={}", out.display()), port_of("--port", port)]))
                .within(course)
                .with("NODE_PATH", modules(program))
        },
    },
];

fn zola(program: &Path, course: &Path, out: &Path, port: u16, more: &[&str]) -> Timed {
    let words = [text("--root"), shown(course), text("serve"), "-i".into(), "127.0.0.1".into(), "--force".into(), "-o".into(), shown(out)];
    let port = [text("-p"), port.to_string()];
    Timed::new(program, words.into_iter().chain(port).chain(more.iter().map(|word| text(word))))
}

fn text(word: &str) -> String {
    word.to_owned()
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn port_of(name: &str, port: u16) -> String {
    format!("{name}={port}")
}

impl Tool {
    /// The file of the lesson at `index`, from the course's root.
    pub(super) fn lesson_file(self, index: usize) -> String {
        let (module, name) = path(index);
        match self {
            Self::Lessonc => format!("lessons/{name}.md"),
            Self::Hugo | Self::Zola => format!("content/{module}/{name}.md"),
            Self::Mdbook => format!("src/{module}/{name}.md"),
            Self::Eleventy => format!("{module}/{name}.md"),
        }
    }

    /// The source of the region that ten lessons show, where the tool can show one.
    pub(super) fn shared_file(self) -> Option<String> {
        match self {
            Self::Lessonc => Some(format!("kernels/{SHARED}")),
            Self::Mdbook => Some(format!("src/{SHARED}")),
            Self::Hugo | Self::Zola | Self::Eleventy => None,
        }
    }

    /// Where its preview shows the lesson at `index`.
    pub(super) fn page(self, index: usize) -> String {
        let (module, name) = path(index);
        match self {
            Self::Lessonc => format!("/{name}.html"),
            Self::Mdbook => format!("/{module}/{name}.html"),
            Self::Hugo | Self::Zola | Self::Eleventy => format!("/{module}/{name}/"),
        }
    }
}
