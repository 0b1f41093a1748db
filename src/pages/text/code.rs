//! Turns a fenced or indented code block into a highlighted listing.
//!
//! Must not know regions of sources: this code is the author's own, and no sweep compiled it.

use pulldown_cmark::{CodeBlockKind, Event, TagEnd};

use crate::pages::html::escape;
use crate::pages::page::Page;

use super::Writer;

/// A code block that is open.
pub(super) struct Code {
    language: String,
    text: String,
}

impl Code {
    pub(super) fn new(kind: &CodeBlockKind<'_>) -> Self {
        let language = match kind {
            CodeBlockKind::Fenced(info) => info.split([' ', ',']).next().unwrap_or_default().to_owned(),
            CodeBlockKind::Indented => String::new(),
        };
        Self { language, text: String::new() }
    }
}

impl Writer<'_> {
    /// What stands in the code block that is open, up to its end.
    pub(super) fn in_code(&mut self, event: &Event<'_>, page: &Page<'_>) {
        match event {
            Event::Text(part) => self.code.iter_mut().for_each(|code| code.text.push_str(part)),
            Event::End(TagEnd::CodeBlock) => self.listing(page),
            _ => {}
        }
    }

    fn listing(&mut self, page: &Page<'_>) {
        let Some(Code { language, text }) = self.code.take() else { return };
        let code = page.world.highlighter.highlight(&text, &language);
        let label = escape(page.words.code);
        self.html(format!(
            "<div class=\"listing\"><div class=\"code\" tabindex=\"0\" role=\"group\" aria-label=\"{label}\"><pre><code>{}</code></pre></div></div>\n",
            &*code
        ));
    }
}
