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
    pub sentences: &'static str,
    pub sentences_about: &'static str,
    pub sweeps: &'static str,
    pub sweeps_about: &'static str,
    pub tags: &'static str,
    pub tags_about: &'static str,
    pub glossary: &'static str,
    pub glossary_about: &'static str,
    pub defined_in: &'static str,
    pub moved: &'static str,
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
    sentences: "Claims",
    sentences_about: "Every sentence of the lessons that is checked against measurements, with what the data say of it.",
    sweeps: "Measurements",
    sweeps_about: "Every experiment that the lessons stand on: its question, its code, the runs that count, and where they are shown.",
    tags: "Tags",
    tags_about: "The lessons by what they are about.",
    glossary: "Glossary",
    glossary_about: "Terms that the lessons define, each with the way to where it is introduced.",
    defined_in: "From",
    moved: "This page has moved",
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
    sentences: "טענות",
    sentences_about: "כל משפט בשיעורים שנבדק מול מדידות, ולצדו מה שהנתונים אומרים עליו.",
    sweeps: "מדידות",
    sweeps_about: "כל הניסויים שהשיעורים נשענים עליהם: השאלה, הקוד, ההרצות הקובעות והיכן הן מוצגות.",
    tags: "תגיות",
    tags_about: "השיעורים לפי נושאיהם.",
    glossary: "מילון מונחים",
    glossary_about: "מונחים שהשיעורים מגדירים, וליד כל אחד הדרך אל המקום שבו הוא מוצג.",
    defined_in: "מתוך",
    moved: "העמוד עבר",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_language_lacks_a_word() {
        let flat = |words: &Finding| serde_json::to_value(words).unwrap_or_default();
        let (english, hebrew) = (flat(&ENGLISH), flat(&HEBREW));
        for (key, word) in english.as_object().into_iter().flatten() {
            assert!(!hebrew[key].is_null() && hebrew[key] != *word && hebrew[key] != "", "{key}");
        }
    }
}
