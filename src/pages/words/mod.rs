//! Turns a language into the words of the interface: everything a page says that its author did not write.
//!
//! Must not know pages; a template asks for words by their field's name here.

mod dated;
mod dictionary;
mod english;
mod finding;
mod hebrew;
mod private;

use serde::Serialize;

use crate::expr::Wording;

use self::dated::Dated;
pub(crate) use self::dictionary::made_once;
use self::english::ENGLISH;
use self::finding::Finding;
use self::hebrew::HEBREW;
use self::private::Private;

/// The interface's words in one language. `{}` stands for what is filled in, in the order of the sentence.
#[derive(Debug, Serialize)]
pub(crate) struct Words {
    pub skip: &'static str,
    pub site: &'static str,
    pub frame: FrameWords,
    pub finding: Finding,
    pub private: Private,
    pub copy: &'static str,
    pub copied: &'static str,
    pub every_figure: &'static str,
    pub lessons: &'static str,
    pub on_this_page: &'static str,
    pub around: &'static str,
    pub previous: &'static str,
    pub next: &'static str,
    pub draft: &'static str,
    pub anchor: &'static str,
    /// Device, date.
    pub measured: &'static str,
    /// Device.
    pub not_measured: &'static str,
    /// Count of rounds.
    pub rounds: Counted,
    /// Spread with its unit.
    pub spread: &'static str,
    /// Largest spread of an exhibit, percent.
    pub spread_at_most: &'static str,
    /// Count of rounds, spread with its unit.
    pub median: Counted,
    /// Count of launches, spread with its unit.
    pub median_of_launches: Counted,
    pub exact: &'static str,
    /// Sweep.
    pub from_sweep: &'static str,
    /// Sweep, device.
    pub sweep_not_measured: &'static str,
    pub fake: &'static str,
    /// What speaks against a run whose code has moved on.
    pub outdated: &'static str,
    /// The same beside a figure, in two words.
    pub outdated_mark: &'static str,
    /// In the place of a verdict that was reached with such a run.
    pub outdated_verdict: &'static str,
    /// The verdict.
    pub outdated_said: &'static str,
    pub stands_on: &'static str,
    pub stated: &'static str,
    pub record: &'static str,
    pub signature: &'static str,
    pub transcript: &'static str,
    pub again: &'static str,
    pub download_csv: &'static str,
    pub show_spreads: &'static str,
    pub answer: &'static str,
    /// Of an item in a list of tasks.
    pub done: &'static str,
    pub to_do: &'static str,
    pub best: &'static str,
    pub tied: &'static str,
    pub as_table: &'static str,
    pub bars_are: &'static str,
    /// Rows, most and least: x and value each.
    pub chart_says: &'static str,
    /// Names and values of a chart's marks.
    pub chart_marks: &'static str,
    /// File.
    pub code_of: &'static str,
    pub folded_lines: Counted,
    /// Value before, value behind, and one over the other, of a time.
    pub step_time: &'static str,
    /// The same of other values.
    pub step: &'static str,
    /// How far that spreads.
    pub step_spread: &'static str,
    pub at_commit: &'static str,
    pub in_explorer: &'static str,
    /// Region.
    pub compared_with: &'static str,
    pub shown_in: &'static str,
    pub regions: &'static str,
    pub in_repository: &'static str,
    pub whole_transcript: &'static str,
    /// Count of lines.
    pub folded_transcript: Counted,
    pub supported: &'static str,
    pub refuted: &'static str,
    pub unresolved: &'static str,
    pub unmeasured: &'static str,
    /// Device.
    pub on_device: &'static str,
    pub claim: &'static str,
    pub how_decided: &'static str,
    pub checked: &'static str,
    /// Low, high with its unit, level in percent, rounds.
    pub between: &'static str,
    pub ratio: &'static str,
    pub difference: &'static str,
    pub refuted_sentence: &'static str,
    pub not_found: &'static str,
    pub not_found_text: &'static str,
    pub devices: &'static str,
    /// Before the names of devices to choose from.
    pub figures_of: &'static str,
    pub between_devices: &'static str,
    pub claims_that_change: &'static str,
    pub no_claim_changes: &'static str,
    pub figures_that_move: &'static str,
    pub dated: Dated,
    /// Who vouches for a run.
    pub signed_by: &'static str,
    pub run_it: RunIt,
    pub table: &'static str,
    pub code: &'static str,
    pub tabs: &'static str,
    pub formula: &'static str,
    pub footnotes: &'static str,
    /// Its number.
    pub footnote: &'static str,
    /// Its number, and that of the mark where there are several.
    pub footnote_back: &'static str,
    pub note: &'static str,
    pub tip: &'static str,
    pub important: &'static str,
    pub warning: &'static str,
    pub caution: &'static str,
    /// Headings of the built-in columns, by the column's name.
    pub columns: &'static [(&'static str, &'static str)],
    /// What columns of numbers say of what is counted, by the unit's symbol; units that go by their symbol here too are left out.
    pub units: &'static [(&'static str, &'static str)],
    pub outcomes: Outcomes,
    pub comparison: Comparisons,
    pub rounds_chart: RoundsChart,
    /// What figures say besides their numbers.
    #[serde(skip)]
    pub figures: Wording,
}

/// Words about a count: of one, and of any other number, whose first `{}` is the count.
#[derive(Debug, Serialize)]
pub(crate) struct Counted {
    /// Of one; the count stands in words or as a digit.
    pub one: &'static str,
    pub other: &'static str,
}

impl Counted {
    /// The words about `counts` things, with `more` filled in behind the count.
    pub(crate) fn of(&self, counts: &[usize], more: &[&str]) -> String {
        if let [1] = counts {
            return fill(self.one, more);
        }
        let counts = counts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" + ");
        fill(self.other, &[&[counts.as_str()], more].concat())
    }
}

/// What a reader is told who measures a page again.
#[derive(Debug, Serialize)]
pub(crate) struct RunIt {
    pub title: &'static str,
    pub text: &'static str,
    pub needs: &'static str,
    pub gpu: &'static str,
    /// CUDA version.
    pub gpu_of: &'static str,
    pub nvrtc: &'static str,
    /// Version.
    pub nvrtc_of: &'static str,
    /// Compiler and version.
    pub host_compiler: &'static str,
    pub toolkit: &'static str,
    pub profiler: &'static str,
    pub by_hand: &'static str,
}

/// What a comparison of two runs says: its headings and its verdicts.
#[derive(Debug, Serialize)]
pub(crate) struct Comparisons {
    pub row: &'static str,
    pub recorded: &'static str,
    pub fresh: &'static str,
    pub change: &'static str,
    pub at_least: &'static str,
    pub at_most: &'static str,
    pub canary: &'static str,
    pub verdict: &'static str,
    pub same: &'static str,
    pub machine_drift: &'static str,
    pub unresolved: &'static str,
    pub not_comparable: &'static str,
    pub faster: &'static str,
    pub slower: &'static str,
    /// Sweep.
    pub one_run: &'static str,
}

/// What a drawing of rounds says.
#[derive(Debug, Serialize)]
pub(crate) struct RoundsChart {
    pub from_median: &'static str,
    pub run: &'static str,
    pub median: &'static str,
    pub least: &'static str,
    pub most: &'static str,
    /// Row, round, milliseconds, percent.
    pub point: &'static str,
    /// Row, round.
    pub lost: &'static str,
    /// A point.
    pub farthest: &'static str,
}

/// The heading of the built-in column `name`; `None` for any other.
pub(crate) fn column_title(words: &'static Words, name: &str) -> Option<&'static str> {
    words.columns.iter().find(|(column, _)| *column == name).map(|&(_, title)| title)
}

/// What the unit `symbol` is called beside a heading.
pub(crate) fn unit_name<'a>(words: &'static Words, symbol: &'a str) -> &'a str {
    words.units.iter().find(|(unit, _)| *unit == symbol).map_or(symbol, |&(_, name)| name)
}

/// How a row ended that has no value to show.
#[derive(Debug, Serialize)]
pub(crate) struct Outcomes {
    pub skipped: &'static str,
    pub launch: &'static str,
    pub runtime: &'static str,
    pub incorrect: &'static str,
    pub too_short: &'static str,
    pub throttled: &'static str,
    pub timeout: &'static str,
    pub no_counters: &'static str,
    pub unmeasured: &'static str,
}

/// What stands around every page.
#[derive(Debug, Serialize)]
pub(crate) struct FrameWords {
    pub theme: &'static str,
    pub light: &'static str,
    pub dark: &'static str,
    pub system: &'static str,
    pub contents: &'static str,
    pub menu: &'static str,
    pub close: &'static str,
    pub crumbs: &'static str,
    pub language: &'static str,
    pub all_lessons: &'static str,
    pub parts: &'static str,
    /// Count of lessons that are not named.
    pub earlier: Counted,
    /// Likewise.
    pub later: Counted,
    /// Count of minutes.
    pub reading_time: Counted,
    pub written: &'static str,
    pub updated: &'static str,
    pub edit: &'static str,
    pub see_source: &'static str,
}

impl Outcomes {
    /// The words for an outcome's name in a record.
    pub(crate) fn of(&self, word: &str) -> &'static str {
        match word {
            "skipped" => self.skipped,
            "launch" => self.launch,
            "runtime" => self.runtime,
            "incorrect" => self.incorrect,
            "too-short" => self.too_short,
            "throttled" => self.throttled,
            "timeout" => self.timeout,
            "no-counters" => self.no_counters,
            _ => self.unmeasured,
        }
    }
}

/// The words for `language`; English where there are none.
pub(crate) fn words(language: &str) -> &'static Words {
    match language.split('-').next() {
        Some("he") => &HEBREW,
        _ => &ENGLISH,
    }
}

/// The direction in which `language` is written, as HTML's `dir`.
pub(crate) fn direction(language: &str) -> &'static str {
    match language.split('-').next() {
        Some("ar" | "fa" | "he" | "ur" | "yi" | "ps" | "sd" | "ug" | "dv") => "rtl",
        _ => "ltr",
    }
}

/// What `language` calls itself.
pub(crate) fn language_name(language: &str) -> &str {
    match language.split('-').next() {
        Some("en") => "English",
        Some("he") => "עברית",
        _ => language,
    }
}

/// `pattern` with each `{}` replaced by the next of `values`.
pub(crate) fn fill(pattern: &str, values: &[&str]) -> String {
    let mut parts = pattern.split("{}");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for (index, part) in parts.enumerate() {
        text.push_str(values.get(index).copied().unwrap_or_default());
        text.push_str(part);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::base::quantity::Unit;
    use crate::course::columns::{BUILT_IN, COMPILED, PROFILED};

    /// The texts of `words` by the way to them; tables of columns and formats of figures aside.
    fn flat(words: &serde_json::Value, way: &str) -> BTreeMap<String, String> {
        match words {
            serde_json::Value::String(text) => BTreeMap::from([(way.to_owned(), text.clone())]),
            serde_json::Value::Object(fields) => {
                let inside = fields.iter().filter(|(key, _)| *key != "figures");
                inside.flat_map(|(key, value)| flat(value, &format!("{way}/{key}"))).collect()
            }
            _ => BTreeMap::new(),
        }
    }

    #[test]
    fn no_language_lacks_a_word_or_a_place_to_fill() {
        let words = |words: &Words| serde_json::to_value(words).map(|words| flat(&words, "")).unwrap_or_default();
        let (english, hebrew) = (words(&ENGLISH), words(&HEBREW));
        assert!(english.contains_key("/frame/light"));
        for (key, word) in english {
            let other = hebrew.get(&key).map_or("", String::as_str);
            assert!(!other.is_empty() && other != word, "{key}");
            assert_eq!(word.matches("{}").count(), other.matches("{}").count(), "{key}");
        }
    }

    #[test]
    fn one_is_no_plural() {
        let of = |words: &Words, counts: &[usize]| words.rounds.of(counts, &[]);
        for (counts, english, hebrew) in
            [(&[1][..], "1 round", "סבב אחד"), (&[11], "11 rounds", "11 סבבים"), (&[1, 5], "1 + 5 rounds", "1 + 5 סבבים")]
        {
            assert_eq!((of(&ENGLISH, counts).as_str(), of(&HEBREW, counts).as_str()), (english, hebrew));
        }
        assert_eq!(ENGLISH.median.of(&[7], &["0.1 ms"]), "median of 7 rounds, ±0.1 ms at 99 %");
        assert_eq!(ENGLISH.median_of_launches.of(&[1], &["0.1 %"]), "1 profiled launch, ±0.1 % at 99 %");
        for words in [&ENGLISH, &HEBREW] {
            for Counted { one, other } in [&words.rounds, &words.median, &words.median_of_launches, &words.folded_transcript] {
                assert_eq!(one.matches("{}").count() + 1, other.matches("{}").count(), "{other}");
            }
        }
    }

    #[test]
    fn what_is_counted_has_a_name_in_hebrew_where_readers_use_one() {
        for (symbol, english, hebrew) in
            [("cycles", "cycles", "מחזורים"), ("loads", "loads", "טעינות"), ("warps", "warps", "warps"), ("ms", "ms", "ms")]
        {
            assert_eq!((unit_name(&ENGLISH, symbol), unit_name(&HEBREW, symbol)), (english, hebrew));
        }
        for (symbol, _) in HEBREW.units {
            assert!(Unit::known(symbol).is_some(), "{symbol}");
        }
    }

    #[test]
    fn every_language_heads_every_built_in_column() {
        for words in [&ENGLISH, &HEBREW] {
            let (mut headed, mut known): (Vec<&str>, Vec<&str>) = (
                words.columns.iter().map(|(name, _)| *name).collect(),
                BUILT_IN.iter().chain(&COMPILED).chain(&PROFILED).map(|column| column.name).collect(),
            );
            headed.sort_unstable();
            known.sort_unstable();
            known.dedup();
            assert_eq!(headed, known, "{}", words.site);
        }
    }

    #[test]
    fn patterns_are_filled_in_order() {
        assert_eq!(fill("{} of {}!", &["1", "2"]), "1 of 2!");
        assert_eq!(fill("none", &["1"]), "none");
    }
}
