//! What pages say of runs that are no evidence, and of what has none yet, in each language.
//!
//! Must not know more than words.

use serde::Serialize;

use crate::evidence::record;

/// Words about private runs.
#[derive(Debug, Serialize)]
pub(crate) struct Private {
    /// What the device of such runs is called where something is lacking on it.
    pub your_card: &'static str,
    /// Beside a device's name: the date.
    pub yours: &'static str,
    /// What speaks against such a run.
    pub yours_state: &'static str,
    /// Beside a figure or a device's name.
    pub preview: &'static str,
    /// What speaks against such a run.
    pub preview_state: &'static str,
    /// Before the command.
    pub to_measure: &'static str,
    /// Of a chart: what is drawn, and over what.
    pub planned_chart: &'static str,
    /// The verdict on a sentence of a draft.
    pub not_judged: &'static str,
}

impl Private {
    /// What speaks against a run that was made for `whom`.
    pub(crate) fn state(&self, whom: record::Private) -> &'static str {
        match whom {
            record::Private::Try => self.yours_state,
            record::Private::Preview => self.preview_state,
        }
    }

    /// What stands beside the name of a device that such a run was made on, on `date`.
    pub(crate) fn beside(&self, whom: record::Private, date: &str) -> String {
        match whom {
            record::Private::Try => super::fill(self.yours, &[date]),
            record::Private::Preview => self.preview.to_owned(),
        }
    }
}

pub(super) const ENGLISH: Private = Private {
    your_card: "your card",
    yours: "your card, {}",
    yours_state: "your own run, no evidence of this course",
    preview: "preview",
    preview_state: "a preview in few rounds, no evidence",
    to_measure: "To measure it:",
    planned_chart: "{} over {}: not measured yet",
    not_judged: "Not judged yet",
};

pub(super) const HEBREW: Private = Private {
    your_card: "הכרטיס שלכם",
    yours: "הכרטיס שלכם, \u{2066}{}\u{2069}",
    yours_state: "הרצה שלכם, ולא ראיה של הקורס",
    preview: "תצוגה מקדימה",
    preview_state: "תצוגה מקדימה במעט סבבים, ולא ראיה",
    to_measure: "למדידה:",
    planned_chart: "{} לפי {}: טרם נמדד",
    not_judged: "טרם הוכרע",
};
