//! The words about how figures moved over dated runs, in English and Hebrew.
//!
//! Must not know more than words.

use serde::Serialize;

use super::Counted;

/// What figures, tables and charts say of the runs before.
#[derive(Debug, Serialize)]
pub(crate) struct Dated {
    /// Of an exhibit; count of runs.
    pub exhibit: Counted,
    /// Of the figures in the text.
    pub figures: &'static str,
    /// How to read all of that.
    pub about: &'static str,
    /// Count of runs, sweep.
    pub over: Counted,
    /// The same where the figure is the same in each of them.
    pub same_over: Counted,
    /// Columns or figures.
    pub same_in_all: &'static str,
    /// Count of runs that are not named.
    pub others: Counted,
    /// What heads expressions.
    pub figure: &'static str,
    pub shown: &'static str,
    pub other_code: &'static str,
    pub other_sizes: &'static str,
    pub other_tools: &'static str,
    pub other_card: &'static str,
    pub within: &'static str,
    pub beyond: &'static str,
    pub since_before: &'static str,
}

pub(super) const ENGLISH: Dated = Dated {
    exhibit: Counted { one: "How these figures moved: 1 dated run", other: "How these figures moved over {} dated runs" },
    figures: "How the figures in the text moved over the dated runs",
    about: "Each column is the page by that run, all else as it is now. Percentages are of the value shown; what lies beyond the spread of both runs’ rounds (99 %) is in bold.",
    over: Counted { one: "Over 1 dated run of {}", other: "Over {} dated runs of {}" },
    same_over: Counted { one: "The same in 1 dated run of {}", other: "The same in all {} dated runs of {}" },
    same_in_all: "The same in every run: {}.",
    others: Counted { one: "One more run is not listed.", other: "{} more runs are not listed." },
    figure: "Figure",
    shown: "shown",
    other_code: "other code",
    other_sizes: "other sizes",
    other_tools: "other driver or tools",
    other_card: "another card",
    within: "within the spread",
    beyond: "beyond the spread",
    since_before: "Since the run before",
};

pub(super) const HEBREW: Dated = Dated {
    exhibit: Counted {
        one: "כיצד זזו המספרים: הרצה מתוארכת אחת", other: "כיצד זזו המספרים לאורך {} הרצות מתוארכות"
    },
    figures: "כיצד זזו המספרים שבטקסט לאורך ההרצות המתוארכות",
    about: "כל עמודה היא העמוד לפי אותה הרצה, וכל השאר כפי שהוא עכשיו. האחוזים הם מן הערך המוצג; מה שחורג מפיזור הסבבים של שתי ההרצות (\u{2066}99 %\u{2069}) מודגש.",
    over: Counted {
        one: "לאורך הרצה מתוארכת אחת של \u{2068}{}\u{2069}", other: "לאורך {} הרצות מתוארכות של \u{2068}{}\u{2069}"
    },
    same_over: Counted {
        one: "זהה בהרצה מתוארכת אחת של \u{2068}{}\u{2069}", other: "זהה בכל {} ההרצות המתוארכות של \u{2068}{}\u{2069}"
    },
    same_in_all: "זהה בכל ההרצות: {}.",
    others: Counted {
        one: "הרצה אחת נוספת אינה מופיעה כאן.", other: "{} הרצות נוספות אינן מופיעות כאן."
    },
    figure: "מספר",
    shown: "מוצגת",
    other_code: "קוד אחר",
    other_sizes: "גדלים אחרים",
    other_tools: "דרייבר או כלים אחרים",
    other_card: "כרטיס אחר",
    within: "בתוך הפיזור",
    beyond: "מעבר לפיזור",
    since_before: "מאז ההרצה הקודמת",
};
