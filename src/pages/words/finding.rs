//! The words by which readers find things, in English and Hebrew.
//!
//! Must not know more than words.

use serde::Serialize;

use super::Counted;

/// What the search and the lists say.
#[derive(Debug, Serialize)]
pub(crate) struct Finding {
    pub search: &'static str,
    pub search_for: &'static str,
    pub search_key: &'static str,
    pub search_failed: &'static str,
    pub nothing: &'static str,
    /// Count of sections.
    pub found: Counted,
    pub more: &'static str,
    pub close: &'static str,
}

pub(super) const ENGLISH: Finding = Finding {
    search: "Search",
    search_for: "Words, or names in code",
    search_key: "The key / opens the search",
    search_failed: "The search can’t be loaded.",
    nothing: "Nothing found",
    found: Counted { one: "1 section", other: "{} sections" },
    more: "More",
    close: "Close",
};

pub(super) const HEBREW: Finding = Finding {
    search: "חיפוש",
    search_for: "מילים, או שמות מתוך הקוד",
    search_key: "המקש / פותח את החיפוש",
    search_failed: "לא ניתן לטעון את החיפוש.",
    nothing: "לא נמצא דבר",
    found: Counted { one: "סעיף אחד", other: "{} סעיפים" },
    more: "עוד",
    close: "סגירה",
};
