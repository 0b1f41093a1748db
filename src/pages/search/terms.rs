//! Turns text into the terms that it is found by: words in lower case with their endings cut, identifiers with their parts, Hebrew
//! words with and without what is written in front of them.
//!
//! Must not know sections or shards. `templates/search/terms.js` does the same to what readers type, and a test in a browser holds
//! the two to each other.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;

use super::bytes::Runs;

/// How much a term says: twice as much where it is the word itself as where it is a part or another reading of it.
pub(super) const WHOLE: u8 = 2;
const PART: u8 = 1;
/// Letters of a term; what is longer is cut.
const LONGEST: usize = 40;

/// Where the words of `text` stand: letters, digits and `_`, with a point between digits, an apostrophe between letters, and a Hebrew
/// quotation mark between Hebrew letters.
#[inline]
pub(super) fn places(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let (mut runs, mut at) = (Runs::of(bytes), 0);
    std::iter::from_fn(move || {
        at = runs.next(at)?;
        if !bytes[at].is_ascii() {
            at += text[at..].find(is_of_word)?;
        }
        let start = at;
        at = runs.end_of_plain(at);
        // Most words are read by this alone.
        let behind = bytes.get(at).map_or(b' ', |byte| *byte);
        if behind == b'.' || behind == b'\'' || !behind.is_ascii() {
            let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
            if !behind.is_ascii() || bytes.get(at + 1).is_some_and(goes_on) {
                at = start + end(&text[start..]);
            }
        }
        (start < at).then_some(start..at)
    })
}

/// Where the word ends that `text` begins with.
fn end(text: &str) -> usize {
    let mut before = ' ';
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let after = letters.peek().map_or(' ', |&(_, after)| after);
        let joins = match letter {
            '.' => before.is_ascii_digit() && after.is_ascii_digit(),
            '\'' | '’' | '׳' => before.is_alphabetic() && after.is_alphabetic() && is_of_word(after),
            '"' | '״' => is_hebrew(before) && is_hebrew(after),
            _ => false,
        };
        if !joins && !is_of_word(letter) {
            return at;
        }
        before = letter;
    }
    text.len()
}

/// Planes beyond the first are left out: JavaScript and Rust sort them differently, and no language of lessons needs them.
fn is_of_word(letter: char) -> bool {
    letter <= '\u{ffff}' && (letter == '_' || letter.is_alphabetic() || letter.is_numeric() || is_point(letter) || is_accent(letter))
}

fn is_hebrew(letter: char) -> bool {
    matches!(letter, 'א'..='ת')
}

/// Accents that are written behind their letter.
fn is_accent(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}')
}

/// Hebrew vowels and accents.
fn is_point(letter: char) -> bool {
    matches!(letter, '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}')
}

/// Reads the terms of one word after the other, in the same memory.
#[derive(Debug, Default)]
pub(super) struct Reader {
    term: String,
}

impl Reader {
    /// Calls `each` with the terms of one word, and how much each says.
    pub(super) fn of(&mut self, word: &str, mut each: impl FnMut(&str, u8)) {
        let term = &mut self.term;
        term.clear();
        // Most words of text are these.
        if (2..=LONGEST).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            term.push_str(word);
            stem(term);
            each(term, WHOLE);
            return;
        }
        normal(word, term);
        if is_single(term) {
            return;
        }
        if term.starts_with(is_hebrew) {
            for (cut, reading) in readings(term).into_iter().enumerate() {
                let mut reading = reading.to_owned();
                stem(&mut reading);
                each(&reading, if cut == 0 { WHOLE } else { PART });
            }
            return;
        }
        stem(term);
        each(term, WHOLE);
        for part in parts(word) {
            term.clear();
            folded(part, term);
            if !is_single(term) {
                stem(term);
                each(term, PART);
            }
        }
    }
}

/// Whether `word` is a term itself: single letters say nothing.
pub(super) fn is_term(word: &str) -> bool {
    // What these two are in a normal form, no ending takes off.
    if let [first, second, ..] = word.as_bytes()
        && first.is_ascii_alphanumeric()
        && second.is_ascii_alphanumeric()
    {
        return true;
    }
    let mut term = String::new();
    normal(word, &mut term);
    !is_single(&term)
}

/// Whether `normal`, a word in its normal form, has no second letter.
fn is_single(normal: &str) -> bool {
    normal.chars().nth(1).is_none()
}

/// Appends `word` in lower case, its Latin letters without accents, the last ones of Greek words as elsewhere: those who look for `naive` and those who look for `naïve` mean one word.
fn folded(word: &str, out: &mut String) {
    if word.is_ascii() {
        let start = out.len();
        out.push_str(word);
        out[start..].make_ascii_lowercase();
        return;
    }
    for letter in word.chars().flat_map(char::to_lowercase).filter(|letter| !is_accent(*letter)) {
        match letter {
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ø' => out.push('o'),
            'đ' => out.push('d'),
            'ł' => out.push('l'),
            'ı' => out.push('i'),
            'ς' => out.push('σ'),
            '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
                out.extend(std::iter::once(letter).nfd().filter(|letter| !is_accent(*letter)))
            }
            letter => out.push(letter),
        }
    }
}

/// Appends `word` in lower case, without accents, points, apostrophes, a possessive's ending and outer underscores, and with the Hebrew
/// letters of a word's end as elsewhere.
pub(super) fn normal(word: &str, out: &mut String) {
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
    if word.is_ascii() && !word.contains('\'') {
        let word = word.trim_matches('_');
        return folded(&word[..word.len().min(LONGEST)], out);
    }
    let letter = |letter: char| match letter {
        'ך' => 'כ',
        'ם' => 'מ',
        'ן' => 'נ',
        'ף' => 'פ',
        'ץ' => 'צ',
        letter => letter,
    };
    let kept: String = word.chars().filter(|&letter| !is_point(letter) && !matches!(letter, '\'' | '’' | '׳' | '"' | '״')).collect();
    let mut lower = String::with_capacity(kept.len());
    folded(&kept, &mut lower);
    let normal: String = lower.chars().map(letter).collect();
    out.extend(normal.trim_matches('_').chars().take(LONGEST));
}

/// A Hebrew word as it stands, and without one and two of the letters that stand for "and", "the", "in", "as", "to", "from" and "that".
pub(super) fn readings(normal: &str) -> Vec<&str> {
    let mut readings = vec![normal];
    let mut rest = normal;
    while readings.len() < 3 && rest.starts_with(['ו', 'ה', 'ב', 'כ', 'ל', 'מ', 'ש']) && rest.chars().count() > 3 {
        rest = &rest['ו'.len_utf8()..];
        readings.push(rest);
    }
    readings
}

/// The parts of an identifier: between underscores, and where small letters or digits give way to capitals.
fn parts(word: &str) -> Vec<&str> {
    // What cuts words is ASCII, and no byte of another letter is.
    let bytes = word.as_bytes();
    let at = |index: usize| bytes.get(index).map_or(b' ', |byte| *byte);
    let (mut parts, mut start, mut cased) = (Vec::new(), 0, false);
    for index in 1..bytes.len() {
        let (before, letter) = (at(index - 1), at(index));
        let rises = (before.is_ascii_lowercase() || before.is_ascii_digit()) && letter.is_ascii_uppercase();
        // `HTMLParser`, but not `GPUs`.
        let falls = before.is_ascii_uppercase()
            && letter.is_ascii_uppercase()
            && at(index + 1).is_ascii_lowercase()
            && at(index + 2).is_ascii_lowercase();
        if rises || falls || letter == b'_' || before == b'_' {
            cased |= rises || falls;
            parts.push(&word[start..index]);
            start = index;
        }
    }
    if start > 0 {
        parts.push(&word[start..]);
    }
    parts.retain_mut(|part| {
        *part = part.trim_matches('_');
        !part.is_empty()
    });
    if parts.len() < 2 {
        return Vec::new();
    }
    // `KiB` is no name made of `Ki` and `B`.
    parts.retain(|part| !cased || part.len() > 2);
    parts
}

/// Takes the endings off `word` that a language adds to the same word; what is not all of the language's letters stays.
fn stem(word: &mut String) {
    if word.chars().all(is_hebrew) {
        word.truncate(hebrew_stem(word).len());
    } else if word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        english_stem(word);
    }
}

/// Plurals and the feminine ending: `מדידה`, `מדידות`; `בלוק`, `בלוקים`. Final letters are plain already.
fn hebrew_stem(word: &str) -> &str {
    let letters = word.chars().count();
    for (ending, length) in [("ימ", 2), ("ות", 2), ("ה", 1)] {
        if letters >= length + 3
            && let Some(stem) = word.strip_suffix(ending)
        {
            return stem;
        }
    }
    word
}

/// Plurals, `-ing`, `-ed` and a last `e`.
fn english_stem(word: &mut String) {
    let ends_in_y = |word: &mut String, head: usize| {
        word.truncate(head);
        word.push('y');
    };
    if let Some(head) = word.strip_suffix("ies").map(str::len).filter(|head| *head > 1) {
        ends_in_y(word, head);
    } else if word.ends_with('s') && (word == "gpus" || !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending))) {
        word.pop();
    }
    if let Some(head) = word.strip_suffix("ied").map(str::len).filter(|head| *head > 1) {
        ends_in_y(word, head);
    } else if let Some(head) = word.strip_suffix("ing").or_else(|| word.strip_suffix("ed").filter(|head| !head.ends_with('e')))
        && head.len() > 2
        && head.contains(['a', 'e', 'i', 'o', 'u', 'y'])
    {
        word.truncate(single(head).len());
    }
    if word.len() > 3 && word.ends_with('e') {
        word.pop();
    }
}

/// `head` with a consonant that an ending doubled written once: `runn`, but not `spill` or `miss`.
fn single(head: &str) -> &str {
    let [.., before, last] = head.as_bytes() else { return head };
    let doubled = before == last && b"bdgmnprt".contains(last);
    &head[..head.len() - usize::from(doubled)]
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The words of `text`, each with its place.
    pub(in super::super) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
        places(text).map(|word| (word.start, &text[word]))
    }

    fn terms(text: &str) -> String {
        let mut found = Vec::new();
        for (_, word) in words(text) {
            Reader::default().of(word, |term, share| found.push(if share == WHOLE { term.to_owned() } else { format!("({term})") }));
        }
        found.join(" ")
    }

    #[test]
    fn text_becomes_terms() {
        for line in include_str!("terms.txt").lines() {
            let (text, expected) = line.split_once(" = ").unwrap();
            assert_eq!(terms(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn plain_words_are_read_as_all_others_are(text in "[a1_ .'’\"א״־×é\u{5b0}𝛼-]{0,12}") {
            let mut expected = Vec::new();
            let mut done = 0;
            while let Some(start) = text[done..].find(is_of_word) {
                let end = done + start + end(&text[done + start..]);
                expected.push((done + start, &text[done + start..end]));
                done = end;
            }
            prop_assert_eq!(words(&text).collect::<Vec<_>>(), expected);
        }

        #[test]
        fn words_that_are_terms_are_known_without_them(text in "[aS1_'’א״é\u{5b0}𝛼\u{300}]{0,5}") {
            for (_, word) in words(&text) {
                let mut whole = false;
                Reader::default().of(word, |_, share| whole |= share == WHOLE);
                prop_assert_eq!(is_term(word), whole, "{}", word);
            }
        }
    }

    #[test]
    fn long_words_are_cut_and_nothing_panics() {
        assert_eq!(terms(&"x1".repeat(100)).len(), LONGEST);
        for text in ["'''", "._.", "a'", "'a", "\"א\"", "א\"", "1.", ".1", "\u{5b0}", "İ"] {
            terms(text);
        }
    }
}
