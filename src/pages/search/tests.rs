use std::collections::BTreeMap;

use proptest::prelude::*;

use super::packed::tests::unpacked;
use super::postings::Posting;
use super::section::{Room, Section};
use super::terms::tests::words;
use super::tree::Tree;
use super::*;

/// Words of several kinds; some begin alike, some mean the same.
const WORDS: [&str; 22] = [
    "warp",
    "warps",
    "warm",
    "war",
    "memory",
    "memories",
    "measure",
    "measuring",
    "__shfl_down_sync",
    "shfl",
    "cudaMalloc",
    "malloc",
    "4.8",
    "GB/s",
    "זיכרון",
    "בזיכרון",
    "הבלוקים",
    "בלוק",
    "מדידה",
    "it's",
    "x",
    "occupancy",
];

fn text(words: &[usize]) -> String {
    words.iter().map(|word| WORDS[word % WORDS.len()]).collect::<Vec<_>>().join(" ")
}

/// A lesson as it was written.
#[derive(Debug, Clone, Default)]
struct Written {
    path: String,
    title: String,
    tags: String,
    sections: Vec<Section>,
}

/// A lesson, each of its sections made of words for its heading, its text and what it names there.
fn lesson(number: usize, sections: &[[Vec<usize>; 3]]) -> Written {
    let section = |(index, [heading, body, names]): (usize, &[Vec<usize>; 3])| Section {
        anchor: if index == 0 { String::new() } else { format!("s{index}") },
        heading: text(heading),
        text: text(body),
        names: text(names),
        ..Section::default()
    };
    Written {
        path: format!("{number}.html"),
        title: text(&[number]),
        tags: text(&[number / 2]),
        sections: sections.iter().enumerate().map(section).collect(),
    }
}

fn lessons() -> impl Strategy<Value = Vec<Written>> {
    let words = || proptest::collection::vec(0..WORDS.len(), 0..12);
    let sections = proptest::collection::vec([words(), words(), words()], 1..5);
    proptest::collection::vec(sections, 1..6).prop_map(|all| all.iter().enumerate().map(|(number, one)| lesson(number, one)).collect())
}

/// The index of `lessons`.
fn search(lessons: Vec<Arc<Findable>>) -> Search {
    Search::new(lessons.into_iter().collect())
}

/// `lessons` in English, as they can be found.
fn findable(lessons: &[Written]) -> Vec<Arc<Findable>> {
    let mut room = Room::default();
    let one = |lesson: &Written| {
        room.begin(&lesson.path, &lesson.title, &lesson.tags);
        lesson.sections.iter().for_each(|section| room.section(section));
        Arc::new(room.end("en"))
    };
    lessons.iter().map(one).collect()
}

fn indexed(lessons: &[Arc<Findable>]) -> Tree {
    let lessons: Vec<&Findable> = lessons.iter().map(AsRef::as_ref).collect();
    tree::of(&Terms::of(&postings::counted(&lessons)), lessons.iter().map(|lesson| lesson.sections()).sum())
}

/// The terms of `text`, each with its share.
fn each_term(text: &str) -> Vec<(String, u8)> {
    let mut found = Vec::new();
    for (_, word) in words(text) {
        terms::Reader::default().of(word, |term, share| found.push((term.to_owned(), share)));
    }
    found
}

/// The terms of `text`.
fn terms_of(text: &str) -> Vec<String> {
    each_term(text).into_iter().map(|(term, _)| term).collect()
}

/// The terms that each section has, looked for in its text without any index, with twice their weight; and its words.
fn counted(lessons: &[Written]) -> Vec<(BTreeMap<String, u32>, u32)> {
    let mut all = Vec::new();
    for lesson in lessons {
        for (index, section) in lesson.sections.iter().enumerate() {
            let mut weights = BTreeMap::<String, u32>::new();
            let head = if index == 0 { [(&lesson.title, 8), (&lesson.tags, 3)] } else { [(&lesson.title, 1), (&lesson.tags, 0)] };
            for (text, weight) in head.into_iter().chain([(&section.heading, 5), (&section.text, 1), (&section.names, 1)]) {
                for (term, share) in each_term(text) {
                    *weights.entry(term).or_default() += u32::from(share) * weight;
                }
            }
            let words = each_term(&section.text).iter().filter(|(_, share)| *share == terms::WHOLE).count();
            weights.retain(|_, weight| *weight > 0);
            all.push((weights, words as u32));
        }
    }
    all
}

proptest! {
    #[test]
    fn the_index_answers_as_a_look_into_every_section_does(lessons in lessons()) {
        let tree = indexed(&findable(&lessons));
        let counted = counted(&lessons);
        let mean = (f64::from(counted.iter().map(|(_, words)| *words).sum::<u32>()) / counted.len() as f64).max(1.0);
        for term in terms_of(&text(&(0..WORDS.len()).collect::<Vec<_>>())) {
            let has = |(section, (weights, words)): (u32, &(BTreeMap<String, u32>, u32))| {
                let weight = f64::from(*weights.get(&term)?) / 2.0;
                let length = 0.6 + 0.4 * f64::from(*words) / mean;
                Some(Posting::new(section, ((8.0 * weight / (weight + 2.0 * length)) as u8).min(7)))
            };
            let expected: Vec<Posting> = (0..).zip(&counted).filter_map(has).collect();
            let mut found = tree.get(&term).0.unwrap_or_default();
            found.1.sort();
            prop_assert_eq!((0, expected), found, "{}", term);
        }
        for head in ["wa", "war", "me", "mem", "sh", "cuda", "זי", "בל", "4.", "no"] {
            let has = |(weights, _): &(BTreeMap<String, u32>, u32)| weights.keys().any(|term| term.starts_with(head));
            let expected: Vec<u32> = (0..).zip(&counted).filter(|(_, counted)| has(counted)).map(|(section, _)| section).collect();
            let mut found: Vec<u32> = tree.begin(head).0.iter().map(|posting| posting.section()).collect();
            found.sort();
            prop_assert_eq!(expected, found, "{}*", head);
        }
    }

    #[test]
    fn every_word_of_a_section_finds_it_and_its_text(lessons in lessons()) {
        let tree = indexed(&findable(&lessons));
        let search = search(findable(&lessons));
        let texts = Texts::of(&search);
        let sections = lessons.iter().flat_map(|lesson| lesson.sections.iter().map(move |section| (lesson, section)));
        for (number, (lesson, section)) in sections.enumerate() {
            for term in terms_of(&format!("{} {} {} {}", lesson.title, section.heading, section.text, section.names)) {
                let (left, found) = tree.get(&term).0.unwrap();
                prop_assert!(left > 0 || found.iter().any(|posting| posting.section() as usize == number), "{}", term);
            }
            let [anchor, heading, text] = [&section.anchor, &section.heading, &section.text];
            prop_assert_eq!(texts.section(number), [&lesson.path, &lesson.title, anchor, heading, text].map(String::as_str));
        }
    }
}

/// The files of texts of a site in English, read.
struct Texts {
    each: usize,
    /// Of each file its sections: the path and the title of the lesson, the anchor, the heading, the text.
    files: Vec<Vec<[String; 5]>>,
}

impl Texts {
    fn of(search: &Search) -> Self {
        let file = |name: &str| search.files().get(&format!("search/en/{name}.js"));
        let root = file("root").unwrap().split_once(", ").unwrap().1.trim_end_matches(");\n");
        let root: serde_json::Value = serde_json::from_str(root).unwrap();
        let words = unpacked(file("words").unwrap());
        let words: Vec<&str> = words.split(' ').collect();
        let files = (0..).map_while(|number| file(&format!("t-{number}"))).map(|file| read(&decoded(&unpacked(file), &words))).collect();
        Self { each: root["each"].as_u64().unwrap() as usize, files }
    }

    fn section(&self, number: usize) -> [&str; 5] {
        self.files[number / self.each][number % self.each].each_ref().map(String::as_str)
    }
}

/// `text` with words for their codes.
fn decoded(text: &str, words: &[&str]) -> String {
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let code = match letter as usize {
            code @ 1..=15 => code - 1,
            first @ 16..=31 => 15 + (first - 16) * 95 + letters.next().unwrap() as usize - 32,
            _ => {
                out.push(letter);
                continue;
            }
        };
        out.push_str(words[code]);
        if letters.peek().is_some_and(char::is_ascii_control) {
            out.push(' ');
        }
    }
    out
}

#[test]
fn texts_read_back_whatever_stands_in_them() {
    // As many words as have codes of one letter, and of two.
    for count in [1, 15, 16, 300] {
        let words: String = (0..count).map(|word| format!(" w{word} w{word}")).collect();
        let text = format!("the the, the \u{1}the\u{1f} \"the\" צה\"ל צה\"ל 𝛼 the𝛼the{words}");
        let section = Section { heading: "A \"B\" \\ C".into(), text, ..Section::default() };
        let lesson = Written { sections: vec![section.clone()], ..lesson(0, &[]) };
        let texts = Texts::of(&search(findable(&[lesson])));
        assert_eq!(texts.section(0)[3..], [&*section.heading, &*section.text]);
    }
}

#[test]
fn long_texts_end_with_a_whole_word() {
    for (text, shown) in [("warp ".repeat(2_000), 1_100), ("memory\u{a0}".repeat(2_000), 687)] {
        let lesson = Written { sections: vec![Section { text, ..Section::default() }], ..lesson(0, &[]) };
        let texts = Texts::of(&search(findable(std::slice::from_ref(&lesson))));
        let [.., text] = texts.section(0);
        assert!(lesson.sections[0].text.starts_with(text) && text.len() < 5_500);
        assert_eq!(text.split_whitespace().count(), shown, "{text}");
    }
}

fn read(text: &str) -> Vec<[String; 5]> {
    let lessons: Vec<(String, String, Vec<[String; 3]>)> = serde_json::from_str(text).unwrap();
    let sections = |(path, title, sections): (String, String, Vec<[String; 3]>)| {
        sections.into_iter().map(move |[anchor, heading, text]| [path.clone(), title.clone(), anchor, heading, text])
    };
    lessons.into_iter().flat_map(sections).collect()
}

/// A course of `count` lessons as they are written: common words are common, and each lesson has words of its own.
fn course(count: usize) -> Vec<Arc<Findable>> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let syllables =
        ["ba", "con", "de", "fil", "gra", "ho", "in", "ker", "lat", "me", "nu", "oc", "pre", "qua", "re", "sha", "ti", "un", "war", "zo"];
    let mut word = move || {
        // By Zipf's law.
        let rank = (libm::pow(20_000.0, random()) - 1.0) as usize;
        (0..3).map(|digit| syllables[rank / 20_usize.pow(digit) % 20]).collect::<String>()
    };
    let mut section = |number: usize, index: usize| {
        let mut some = |words: usize| (0..words).map(|_| word()).collect::<Vec<_>>().join(" ");
        Section {
            anchor: if index == 0 { String::new() } else { some(2).replace(' ', "-") },
            heading: some(3),
            text: format!("{} own{number} k{number}_{} {}", some(150), some(1), some(20)),
            names: some(2),
            ..Section::default()
        }
    };
    let mut lesson = |number: usize| Written {
        path: format!("lesson-{number}.html"),
        title: format!("Lesson {number}"),
        tags: String::new(),
        sections: (0..8).map(|index| section(number, index)).collect(),
    };
    findable(&(0..count).map(&mut lesson).collect::<Vec<_>>())
}

/// Bytes that a browser loads to answer a query of `words`, the last of them unfinished, without the texts of what is found.
fn bytes_of(words: &[&str], tree: &Tree) -> usize {
    let exact: usize = words.iter().map(|word| tree.get(&each_term(word)[0].0).1).sum();
    exact + words.last().map_or(0, |word| tree.begin(word).1)
}

fn stays_small(count: usize) {
    let lessons = course(count);
    let tree = indexed(&lessons);
    let search = search(lessons);
    let files = search.files();
    let bytes: usize = files.values().map(|file| file.len()).sum();
    println!("{count} lessons: {} files, {} KB", files.len(), bytes / 1000);
    assert!(bytes / count < 6_500, "{} bytes a lesson", bytes / count);
    assert!(files.len() < 3 * count / 2, "{} files", files.len());
    let largest = files.iter().filter(|(name, _)| name.contains("/t-")).map(|(_, file)| file.len()).max();
    assert!(largest < Some(7_000), "{largest:?}");
    assert!(files["search/en/root.js"].len() < 3_000 && files["search/en/words.js"].len() < 7_000);
    // The most common words there are, by their whole and by their beginnings.
    let most = [&["bababa"][..], &["bababa", "bacon"], &["bababa", "conbaba", "de"], &["in", "ker", "lat", "me", "nu", "oc"]];
    for query in most {
        let bytes = bytes_of(query, &tree);
        println!("{query:?}: {bytes} bytes before texts");
        assert!(bytes <= 5_000 * query.len() + 14_000, "{query:?}: {bytes}");
    }
    let (left, found) = tree.get(&format!("own{}", count - 1)).0.unwrap();
    assert_eq!((left, found.len()), (0, 8));
}

#[test]
fn a_course_of_a_hundred_lessons_stays_small() {
    stays_small(100);
}

#[test]
#[ignore = "takes a minute without optimisation"]
fn courses_of_thousands_of_lessons_stay_small() {
    stays_small(1_000);
    stays_small(10_000);
}

#[test]
fn equal_lessons_give_equal_files() {
    let files = || search(course(10)).files().clone();
    assert_eq!(files(), files());
}
