//! What looks measured, by a corpus of lines in two languages; and what never does, by a property.

use proptest::prelude::*;

use super::*;
use crate::base::problem::Problems;
use crate::base::span::SourceName;
use crate::course::config::Config;
use crate::course::lesson;

/// The typed figures of a lesson with this text, as they stand in it.
fn typed(body: &str) -> Vec<String> {
    let file: SourceName = "lessons/a.md".into();
    let text = format!("+++\ntitle = \"A\"\nsweeps = [\"a\"]\n+++\n\n{body}\n");
    let lesson = lesson::read(&file, &text.as_str().into(), &Config::default(), &mut Problems::new()).unwrap();
    lesson.figures.typed.iter().map(|typed| text[typed.at.start..typed.at.end].to_owned()).collect()
}

/// A line of the corpus: the text, and what in it looks measured.
fn marked(line: &str) -> (String, Vec<String>) {
    let line = line.replace("\\n", "\n");
    let expected = line.split('⟦').skip(1).filter_map(|rest| Some(rest.split_once('⟧')?.0.to_owned())).collect();
    (line.replace(['⟦', '⟧'], ""), expected)
}

#[test]
fn the_corpus_is_read_as_marked() {
    let lines: Vec<&str> = include_str!("corpus.txt").lines().filter(|line| !line.is_empty() && !line.starts_with(';')).collect();
    assert!(lines.len() >= 150, "{}", lines.len());
    let mut wrong = Vec::new();
    for line in lines {
        let (text, expected) = marked(line);
        let found = typed(&text);
        if found != expected {
            wrong.push(format!("{text}\n    must find {expected:?}\n    and found {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn units_are_understood() {
    let cases = [
        ("61.8 us", 61.8e-6, "µs"),
        ("1.2 million cycles", 1.2e6, "cycles"),
        ("3 minutes", 180.0, "min"),
        ("48 KiB", 49152.0, "KiB"),
        ("400 Gb/s", 50e9, "Gbit/s"),
        ("4159 gigabytes a second", 4159e9, "GB/s"),
        ("67 TFLOPS", 67e12, "TFLOP/s"),
        ("2 instructions per cycle", 2.0, "instructions/cycle"),
        ("3 מיליון פעולות בשנייה", 3e6, "1/s"),
        ("75 אחוז", 0.75, "%"),
        ("פי 2", 2.0, "×"),
        ("יותר מפי 2", 2.0, "×"),
        ("the speed-up is 1.8", 1.8, "×"),
        ("5 מיליוניות השנייה", 5e-6, "µs"),
        ("5\u{200b}ms", 5e-3, "ms"),
        ("40％", 0.4, "%"),
        ("%75 בלבד", 0.75, "%"),
        ("1e-3 s", 1e-3, "s"),
        ("0.25 FLOP/B", 0.25, "FLOP/B"),
        ("-4,096 B", -4096.0, "B"),
    ];
    for (text, value, symbol) in cases {
        let found = find(text, &Place::Prose);
        let [mention] = &found[..] else { panic!("{text}: {found:?}") };
        let said = mention.values()[0];
        assert!((said - value).abs() <= 1e-9 * value.abs() && *mention.unit.symbol == *symbol, "{text}: {said} {}", mention.unit);
    }
}

#[test]
fn figures_in_different_words_are_one_figure() {
    let one = |text: &str| find(text, &Place::Prose).remove(0);
    let cases = [
        ("128-byte", "128 B", true),
        ("61.8 µs", "0.0618 ms", true),
        ("4 warps", "4 warps/SM", true),
        ("4 warps", "4 registers", false),
        ("2×", "200 %", false),
        ("1.1 to 1.4 ms", "1.1 ms", false),
        ("1.1 ms", "1.1 to 1.4 ms", true),
        ("4 אחוז", "4 %", true),
        ("4 ms", "4.1 ms", false),
    ];
    for (said, by, expected) in cases {
        assert_eq!(one(said).is_said_by([&one(by)]), expected, "{said} by {by}");
    }
}

#[test]
fn bare_numbers_of_a_table_have_the_unit_of_their_heading() {
    let cases: [(&str, &[&str]); 9] = [
        ("| threads | ms |\n| --- | --- |\n| 256 | 0.06 |\n| 512 | 0.07 |", &["0.06", "0.07"]),
        ("| threads | Time (ms) |\n| --- | --- |\n| 256 | 0.06 |", &["0.06"]),
        ("| | 256 | 512 |\n| --- | --- | --- |\n| GB/s | 4100 | 4200 |", &["4100", "4200"]),
        ("| threads | rate, GB/s |\n| --- | --- |\n| 256 | `= row('256').ms` |", &[]),
        ("| threads | GB/s |\n| --- | --- |\n| 256 | as 512 |\n| 512 | 4100 ± 3 |", &["4100 ± 3"]),
        ("| threads | Speedup |\n| --- | --- |\n| 256 | 1.8 |", &["1.8"]),
        ("| threads | % of peak |\n| --- | --- |\n| 256 | 87 |", &["87"]),
        ("| threads | % hint |\n| --- | --- |\n| 256 | 87 |", &[]),
        ("| B | s |\n| --- | --- |\n| 1 | 2 |", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(typed(text), expected, "{text}");
    }
}

#[test]
fn figures_are_found_wherever_a_page_shows_text() {
    let file: SourceName = "lessons/a.md".into();
    let text = "+++\ntitle = \"In 1 ms `= row('a').ms`\"\nsummary = \"In 2 ms\"\nsweeps = [\"a\"]\nheadings = { a = \"In 2.5 ms\" }\n+++\n\n# In 3 ms\n\n\
                table: a { caption = \"In 4 ms\", columns = [\"5 ms\"] }\n\n\
                chart: a { marks = [{ y = \"4.5 ms\", label = \"In 4.6 ms\" }, { x = \"device.l2_bytes\", label = \"L2\" }] }\n\nsnippet: a.cu#x { title = \"In 6 ms\", highlight = [\"7 ms\"] }\n\n\
                > claim: c { holds = \"row('a').ms < 8 ms\" }\n> In 9 ms.\n>\n> otherwise:\n> In 10 ms.\n\n\
                [a](b.md \"In 11 ms\") ![12 ms](c.md) `= 13 ms` `= 1/4 | percent` `= device.sms`[^1]\n\n[^1]: In 14 ms.\n";
    let lesson = lesson::read(&file, &text.into(), &Config::default(), &mut Problems::new()).unwrap();
    let mut found: Vec<(usize, &str)> =
        lesson.figures.typed.iter().map(|typed| (typed.at.start, &text[typed.at.start..typed.at.end])).collect();
    found.sort_unstable();
    let found: Vec<&str> = found.into_iter().map(|(_, text)| text).collect();
    assert_eq!(
        found,
        ["1 ms", "2 ms", "2.5 ms", "3 ms", "4 ms", "4.5 ms", "4.6 ms", "6 ms", "9 ms", "10 ms", "11 ms", "12 ms", "`= 13 ms`", "14 ms"]
    );
    let figures = &lesson.figures;
    assert_eq!((figures.bound, figures.worked_out, figures.sentences, figures.regions), (3, 1, 1, 1));
}

proptest! {
    #[test]
    fn nothing_in_code_is_a_figure(code in "[^`]{0,80}", number in 0_u32..10_000) {
        let code = format!("{code} {number} ms {number}% פי {number}").replace(['\r', '\0'], " ");
        // A fence that the text can't close, and a code span of a paragraph of its own.
        prop_assert_eq!(typed(&format!("````````\n{code}\n````````\n")), Vec::<String>::new());
        let span = code.replace(|c: char| c.is_whitespace(), " ");
        prop_assert_eq!(typed(&format!("a `` {span} `` b")), Vec::<String>::new());
    }

    #[test]
    fn any_text_is_read_without_a_fault(text in "(\\PC| |[0-9.,:/-]|ms|GB/s|%|×|פי |אחוז|\n){0,40}") {
        for place in [Place::Prose, Place::Heading, Place::Cell(unit_of_heading("ms"))] {
            for mention in find(&text, &place) {
                prop_assert!(text.get(mention.range.clone()).is_some_and(|text| text.contains(|c: char| c.is_ascii_digit())));
                prop_assert!(!mention.numbers.is_empty() && mention.values().iter().all(|value| value.is_finite()));
            }
        }
        let _ = (typed(&text), unit_of_heading(&text));
    }
}
