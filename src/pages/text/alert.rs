//! Turns the kinds of alerts into boxes, each with its sign and its name.
//!
//! Must not know what stands in them.

use pulldown_cmark::BlockQuoteKind;

use crate::pages::html::escape;
use crate::pages::page::Page;

/// The opening of an alert of `kind`, with a title of its own as HTML or its kind's; `</div>` closes it, or `</details>` if it folds.
pub(super) fn open(kind: BlockQuoteKind, title: Option<String>, fold: bool, page: &Page<'_>) -> String {
    let (class, word, sign) = of(kind, page);
    let title = title.unwrap_or_else(|| escape(word));
    let sign = format!("<svg class=\"sign\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"{sign}\"/></svg>");
    if fold {
        format!("<details class=\"alert {class}\"><summary class=\"title\">{sign}<span>{title}</span></summary>\n")
    } else {
        format!("<div class=\"alert {class}\" role=\"note\"><p class=\"title\">{sign}<span>{title}</span></p>\n")
    }
}

/// The class, the title and the sign of a kind.
fn of(kind: BlockQuoteKind, page: &Page<'_>) -> (&'static str, &'static str, &'static str) {
    let words = page.words;
    match kind {
        BlockQuoteKind::Note => ("is-note", words.note, "M12 3a9 9 0 1 0 .01 0zM12 11v5.5M12 7.4v.01"),
        BlockQuoteKind::Tip => (
            "is-tip",
            words.tip,
            "M9.4 17.2h5.2M10.2 20.2h3.6M12 3.2a6 6 0 0 1 3.4 10.9c-.6.5-.9 1-.9 1.6h-5c0-.6-.3-1.1-.9-1.6A6 6 0 0 1 12 3.2z",
        ),
        BlockQuoteKind::Important => ("is-important", words.important, "M4 4h16v12.5h-7l-4.5 4v-4H4zM12 7.2v4M12 13.4v.01"),
        BlockQuoteKind::Warning => ("is-warning", words.warning, "M12 3.8l9.2 16.4H2.8zM12 9.8v5M12 17.4v.01"),
        BlockQuoteKind::Caution => ("is-caution", words.caution, "M8.3 3h7.4L21 8.3v7.4L15.7 21H8.3L3 15.7V8.3zM12 7.4v5.6M12 16.4v.01"),
    }
}
