//! Turns boxes around parts of the text into folds, alerts and tabs, which work without a script.
//!
//! Must not know what stands in them.

use crate::course::document::Container;
use crate::pages::html::{escape, figures_plain};
use crate::pages::page::Page;

use super::raw::Around;
use super::{Writer, alert, inline};

/// A box that is open.
pub(super) struct Open {
    /// What closes it.
    close: &'static str,
    /// Of tabs, the name that their buttons share.
    tabs: Option<String>,
    /// How many boxes began in it.
    begun: usize,
}

impl Writer<'_> {
    pub(super) fn open_box(&mut self, container: &Container, page: &mut Page<'_>) {
        let title = Some(container.title()).filter(|title| !title.is_empty()).map(|title| inline(title, page));
        let (open, close) = match container {
            Container::Answer { .. } => {
                let title = title.unwrap_or_else(|| escape(page.words.answer));
                (format!("<details class=\"answer\"><summary>{title}</summary>\n"), "</details>\n")
            }
            Container::Alert { alert, .. } => {
                let open = alert::open(alert.kind, title, alert.fold, page);
                (open, if alert.fold { "</details>\n" } else { "</div>\n" })
            }
            Container::Term(definition) => {
                let (anchor, name) = (escape(&definition.anchor()), escape(&definition.name));
                (format!("<div class=\"term\" id=\"{anchor}\">\n<p class=\"name\"><dfn>{name}</dfn></p>\n"), "</div>\n")
            }
            Container::Tabs => {
                let word = escape(page.words.tabs);
                (format!("<fieldset class=\"tabs\"><legend class=\"unseen\">{word}</legend>\n"), "</fieldset>\n")
            }
            Container::Tab { .. } => (self.tab(&title.unwrap_or_default(), page), "</div></div>\n"),
        };
        if let Some(around) = self.boxes.last_mut() {
            around.begun += 1;
        }
        let tabs = matches!(container, Container::Tabs).then(|| page.id("tabs"));
        self.boxes.push(Open { close, tabs, begun: 0 });
        self.around.push(Around::Markdown);
        self.html(open);
    }

    /// The head of a tab: a radio button, so that arrow keys lead from one to the next and a screen reader says which of how many.
    fn tab(&self, title: &str, page: &mut Page<'_>) -> String {
        let id = page.id("tab");
        let (name, first) = self.boxes.last().map_or(("", true), |tabs| (tabs.tabs.as_deref().unwrap_or_default(), tabs.begun == 0));
        let checked = if first { " checked" } else { "" };
        // In a label nothing may be focused.
        let title = figures_plain(title);
        format!(
            "<div class=\"tab\"><input type=\"radio\" name=\"{name}\" id=\"{id}\"{checked}><label for=\"{id}\">{title}</label>\n\
             <div class=\"panel\">\n"
        )
    }

    pub(super) fn close_box(&mut self, page: &mut Page<'_>) {
        self.close_raw(page);
        if let Some(open) = self.boxes.pop() {
            self.html(open.close.into());
        }
    }
}
