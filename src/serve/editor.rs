//! Turns a place in an author's file into a link that opens it in an editor.
//!
//! Must not start a program: a link is followed by whoever clicks it, and a page can do nothing with it.

use std::fmt::Write as _;
use std::path::Path;

/// Editors that open links, by the names of their programs, and what such a link looks like.
const KNOWN: [(&str, &str); 15] = [
    ("code", "vscode://file{path}:{line}:{column}"),
    ("vscode", "vscode://file{path}:{line}:{column}"),
    ("code-insiders", "vscode-insiders://file{path}:{line}:{column}"),
    ("codium", "vscodium://file{path}:{line}:{column}"),
    ("vscodium", "vscodium://file{path}:{line}:{column}"),
    ("cursor", "cursor://file{path}:{line}:{column}"),
    ("windsurf", "windsurf://file{path}:{line}:{column}"),
    ("zed", "zed://file{path}:{line}:{column}"),
    ("clion", "clion://open?file={path}&line={line}&column={column}"),
    ("idea", "idea://open?file={path}&line={line}&column={column}"),
    ("pycharm", "pycharm://open?file={path}&line={line}&column={column}"),
    ("rustrover", "rustrover://open?file={path}&line={line}&column={column}"),
    ("subl", "subl://open?url=file://{path}&line={line}&column={column}"),
    ("mate", "txmt://open?url=file://{path}&line={line}&column={column}"),
    ("mvim", "mvim://open?url=file://{path}&line={line}&column={column}"),
];

/// What a link to a place looks like: an address with `{path}`, `{line}` and `{column}` in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Editor(String);

impl Editor {
    /// The editor that `text` names, or of which it is the link.
    ///
    /// # Errors
    /// Words about why it can be neither.
    pub fn named(text: &str) -> Result<Self, String> {
        if let Some((_, link)) = KNOWN.iter().find(|(name, _)| *name == text) {
            return Ok(Self((*link).to_owned()));
        }
        let Some((scheme, _)) = text.split_once(':') else {
            let names: Vec<&str> = KNOWN.iter().map(|(name, _)| *name).collect();
            return Err(format!(
                "no link into the editor {text} is known; it is one of {}, or the link itself, as in vscode://file{{path}}:{{line}}:{{column}}",
                names.join(", ")
            ));
        };
        let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|sign| sign.is_ascii_alphanumeric() || "+-.".contains(sign));
        if !is_scheme || ["javascript", "data", "vbscript"].contains(&&*scheme.to_ascii_lowercase()) {
            return Err(format!("{scheme}: leads into no editor"));
        }
        if !text.contains("{path}") {
            return Err(format!("{text} does not say where {{path}} goes"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The editor in whose terminal this runs, by the variables that it sets; `None` for any other terminal.
    pub fn around(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let name = match variable("TERM_PROGRAM")?.as_str() {
            "vscode" if variable("CURSOR_TRACE_ID").is_some() => "cursor",
            "vscode" => "vscode",
            "zed" => "zed",
            _ => return None,
        };
        Self::named(name).ok()
    }

    /// The link to a place, lines and columns counted from 1.
    pub(super) fn link(&self, file: &Path, line: usize, column: usize) -> String {
        let mut path = escaped(&file.to_string_lossy().replace('\\', "/"));
        if !path.starts_with('/') {
            path.insert(0, '/'); // a drive
        }
        // `file/{path}` and `file{path}` mean the same; `file://{path}` has no slash too many.
        let doubled = self.0.contains("/{path}") && !self.0.contains("//{path}");
        let path = if doubled { &path[1..] } else { &path };
        self.0.replace("{path}", path).replace("{line}", &line.to_string()).replace("{column}", &column.to_string())
    }
}

/// `path` with all but what a path in an address may hold as percent escapes.
fn escaped(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'/' | b':' | b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => out.push(char::from(byte)),
            _ => _ = write!(out, "%{byte:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_becomes_a_link() {
        for (editor, file, expected) in [
            ("vscode", "/home/me/c/lessons/a.md", "vscode://file/home/me/c/lessons/a.md:3:5"),
            ("vscode://file/{path}:{line}:{column}", "/c/a.md", "vscode://file/c/a.md:3:5"),
            ("vscode", "C:\\c\\a.md", "vscode://file/C:/c/a.md:3:5"),
            ("subl", "/c/a b&c.md", "subl://open?url=file:///c/a%20b%26c.md&line=3&column=5"),
            ("idea", "/c/א.md", "idea://open?file=/c/%D7%90.md&line=3&column=5"),
            ("x-mine:{path}#{line}", "/c/a.md", "x-mine:/c/a.md#3"),
        ] {
            assert_eq!(Editor::named(editor).unwrap().link(Path::new(file), 3, 5), expected, "{editor}");
        }
    }

    #[test]
    fn what_leads_into_no_editor_is_refused() {
        for (text, words) in [
            ("vi", "no link into the editor vi"),
            ("javascript:alert('{path}')", "javascript: leads"),
            ("JavaScript:{path}", "leads into no editor"),
            ("data:{path}", "leads into no editor"),
            (" vscode://{path}", "leads into no editor"),
            ("vscode://file", "{path}"),
        ] {
            let refused = Editor::named(text).unwrap_err();
            assert!(refused.contains(words), "{text}: {refused}");
        }
    }

    #[test]
    fn an_editors_own_terminal_tells_which_it_is() {
        for (variables, expected) in [
            (&[("TERM_PROGRAM", "vscode")][..], Some("vscode")),
            (&[("TERM_PROGRAM", "vscode"), ("CURSOR_TRACE_ID", "1")], Some("cursor")),
            (&[("TERM_PROGRAM", "zed")], Some("zed")),
            (&[("TERM_PROGRAM", "iTerm.app")], None),
            (&[], None),
        ] {
            let around = Editor::around(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()));
            assert_eq!(around, expected.map(|name| Editor::named(name).unwrap()), "{variables:?}");
        }
    }
}
