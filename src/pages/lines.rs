//! Turns lines into the HTML of a box that shows their numbers: an element a line, whose number the style sheet counts.
//!
//! Must not know what the lines say, nor where they come from. A line is `<r->…</r->`; one that a change brought or took away is `ins` or
//! `del`. A line whose number is not the next one says how far it is, in `--by`; one that is taken away has none.

use std::fmt::Write as _;

/// A line of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Its number.
    pub number: usize,
    /// What it is in a change.
    pub change: Change,
    /// Whether it is marked.
    pub lit: bool,
    /// Whether it stands around what is shown and is no part of it.
    pub outside: bool,
    /// Its text as HTML.
    pub html: &'a str,
}

/// What a line is in a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// As it was.
    None,
    /// New.
    Inserted,
    /// Gone.
    Deleted,
}

impl Change {
    fn element(self) -> &'static str {
        match self {
            Self::None => "r-",
            Self::Inserted => "ins",
            Self::Deleted => "del",
        }
    }
}

/// The lines of a box in the making.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    html: String,
    /// The number of the last line.
    last: usize,
}

impl Lines {
    /// A box for `count` lines whose HTML takes `bytes` in all.
    pub(crate) fn of(count: usize, bytes: usize) -> Self {
        Self { html: String::with_capacity(bytes + 20 * count), last: 0 }
    }

    /// Appends `line`.
    pub(crate) fn push(&mut self, line: &Line<'_>) {
        let element = line.change.element();
        self.html.extend(["<", element]);
        match (line.lit, line.outside) {
            (false, false) => {}
            (true, false) => self.html.push_str(" class=lit"),
            (false, true) => self.html.push_str(" class=outside"),
            (true, true) => self.html.push_str(" class=\"lit outside\""),
        }
        if line.change != Change::Deleted {
            self.count(line.number);
        }
        self.html.extend([">", line.html, "\n</", element, ">"]);
    }

    /// Appends a line that links lead to by each of `names`, of which the first needs no quotes. By its number, too, where there are scripts.
    pub(crate) fn push_named<'n>(&mut self, number: usize, names: impl IntoIterator<Item = &'n str>, html: &str) {
        let mut names = names.into_iter();
        self.html.push_str("<r-");
        if let Some(id) = names.next() {
            self.html.extend([" id=", id]);
        }
        self.count(number);
        self.html.push('>');
        for name in names {
            self.html.extend(["<span id=\"", name, "\"></span>"]);
        }
        self.html.extend([html, "\n</r->"]);
    }

    /// Says that a line is the `number`th, unless it is the next one.
    fn count(&mut self, number: usize) {
        if number != self.last + 1 {
            let by = number.cast_signed() - self.last.cast_signed();
            let _ = write!(self.html, " style=--by:{by}");
        }
        self.last = number;
    }

    /// The HTML of all lines.
    pub(crate) fn html(self) -> String {
        self.html
    }
}

/// What links to the line `number` of a page lead to.
pub(crate) fn line_id(number: usize) -> String {
    format!("L{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_its_number_where_it_is_not_the_next() {
        let line = |number: usize, change: Change| Line { number, change, lit: false, outside: false, html: "x" };
        let mut lines = Lines::default();
        lines.push(&Line { lit: true, ..line(1, Change::None) });
        lines.push(&line(2, Change::None));
        lines.push(&line(7, Change::Deleted));
        lines.push(&line(3, Change::Inserted));
        lines.push(&Line { outside: true, ..line(5, Change::None) });
        lines.push(&Line { lit: true, outside: true, ..line(4, Change::None) });
        let expected = [
            "<r- class=lit>x\n</r->",
            "<r->x\n</r->",
            "<del>x\n</del>",
            "<ins>x\n</ins>",
            "<r- class=outside style=--by:2>x\n</r->",
            "<r- class=\"lit outside\" style=--by:-1>x\n</r->",
        ];
        assert_eq!(lines.html(), expected.concat());
    }

    #[test]
    fn links_lead_to_lines_that_are_named() {
        let mut lines = Lines::of(3, 3);
        lines.push_named(1, [], "a");
        lines.push_named(2, [&*line_id(2)], "b");
        lines.push_named(4, ["L4-L9", "part"], "c");
        assert_eq!(lines.html(), "<r->a\n</r-><r- id=L2>b\n</r-><r- id=L4-L9 style=--by:2><span id=\"part\"></span>c\n</r->");
    }
}
