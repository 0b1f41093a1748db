//! Turns a table of Markdown into HTML whose columns are set by classes of the whole table, and not cell by cell.
//!
//! Must not know what is in a cell, except whether anything is: one without a word heads no column, and `<td>` says so.

use pulldown_cmark::{Alignment, Event, Tag, TagEnd};

use crate::pages::html::escape;
use crate::pages::page::Page;

use super::Writer;

/// Columns that the style sheet knows (`styles/prose.css`); those behind them say in each cell how they are set.
const KNOWN: usize = 12;

/// A table that is open.
pub(super) struct Table {
    alignments: Vec<Alignment>,
    /// Whether its head is open.
    head: bool,
    /// The column of the cell that is open, or that comes next.
    column: usize,
    /// How many events there were when the cell began.
    events: usize,
}

impl Writer<'_> {
    /// Opens a part of a table; whether `tag` is one.
    pub(super) fn open_of_table(&mut self, tag: &Tag<'_>, page: &Page<'_>) -> bool {
        match tag {
            Tag::Table(alignments) => {
                let label = escape(page.words.table);
                let classes = classes(alignments);
                self.html(format!("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{label}\"><table{classes}>"));
                self.table = Some(Table { alignments: alignments.clone(), head: false, column: 0, events: 0 });
            }
            Tag::TableHead => self.row("<thead><tr>", true),
            Tag::TableRow => self.row("<tr>", false),
            Tag::TableCell => self.cell(),
            _ => return false,
        }
        true
    }

    /// Closes a part of a table; whether `tag` is one. The next cell or the row's end closes a cell.
    pub(super) fn close_of_table(&mut self, tag: TagEnd) -> bool {
        match tag {
            TagEnd::Table => {
                self.table = None;
                self.html("</tbody></table>\n</div>\n".into());
            }
            TagEnd::TableHead => self.events.push(Event::Html("</tr></thead><tbody>\n".into())),
            TagEnd::TableRow => self.events.push(Event::Html("</tr>\n".into())),
            TagEnd::TableCell => self.end_cell(),
            _ => return false,
        }
        true
    }

    fn row(&mut self, html: &'static str, head: bool) {
        if let Some(table) = &mut self.table {
            (table.head, table.column) = (head, 0);
        }
        self.events.push(Event::Html(html.into()));
    }

    fn cell(&mut self) {
        let Some(table) = &mut self.table else { return };
        let name = if table.head { "th" } else { "td" };
        let style = table.alignments.get(table.column).and_then(|&alignment| side(alignment)).filter(|_| table.column >= KNOWN);
        let html = match style {
            Some(side) => format!("<{name} style=text-align:{side}>").into(),
            None => (if table.head { "<th>" } else { "<td>" }).into(),
        };
        self.events.push(Event::Html(html));
        table.events = self.events.len();
    }

    fn end_cell(&mut self) {
        let Some(table) = &mut self.table else { return };
        table.column += 1;
        if table.head && table.events == self.events.len() {
            // A head without a word is a cell like others.
            if let Some(Event::Html(html)) = self.events.last_mut() {
                *html = html.replacen("<th", "<td", 1).into();
            }
        }
    }
}

/// How text of `alignment` stands; `None` for as text begins.
fn side(alignment: Alignment) -> Option<&'static str> {
    match alignment {
        Alignment::None => None,
        Alignment::Left => Some("left"),
        Alignment::Center => Some("center"),
        Alignment::Right => Some("right"),
    }
}

/// The classes that say how columns are set, as an attribute: `r2` for the second on the right.
fn classes(alignments: &[Alignment]) -> String {
    let class = |(column, alignment): (usize, &Alignment)| Some(format!("{}{}", &side(*alignment)?[..1], column + 1));
    let classes: Vec<String> = alignments.iter().take(KNOWN).enumerate().filter_map(class).collect();
    if classes.is_empty() { String::new() } else { format!(" class=\"{}\"", classes.join(" ")) }
}
