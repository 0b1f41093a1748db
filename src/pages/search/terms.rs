//! Turns text into the terms that it is found by: words in lower case with their endings cut, identifiers with their parts, Hebrew
//! words with and without what is written in front of them.
//!
//! Must not know sections or shards. `templates/search/terms.js` does the same to what readers type, and a test in a browser holds
//! the two to each other.

use unicode_normalization::UnicodeNormalization as _;

/// A term and how much it says: twice as much where it is the word itself as where it is a part or another reading of it.
pub(super) type Term = (String, u8);

/// What [`Term`] says of the word itself.
pub(super) const WHOLE: u8 = 2;
const PART: u8 = 1;
/// Letters of a term; what is longer is cut.
const LONGEST: usize = 40;

/// The words of `text`, each with its place: letters, digits and `_`, with a point between digits, an apostrophe between letters, and a
/// Hebrew quotation mark between Hebrew letters.
pub(super) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(byte) = bytes.get(at)
            && !PLAIN[usize::from(*byte)]
        {
            if !byte.is_ascii() {
                at += text[at..].find(is_of_word)?;
                break;
            }
            at += 1;
        }
        let start = at;
        while bytes.get(at).is_some_and(|byte| PLAIN[usize::from(*byte)]) {
            at += 1;
        }
        let goes_on = |byte: &u8| PLAIN[usize::from(*byte)] || !byte.is_ascii();
        match bytes.get(at) {
            Some(b'.' | b'\'') if bytes.get(at + 1).is_some_and(goes_on) => at = start + end(&text[start..]),
            Some(byte) if !byte.is_ascii() => at = start + end(&text[start..]),
            _ => {}
        }
        (start < at).then(|| (start, &text[start..at]))
    })
}

/// Whether a letter of ASCII may stand in a word, by its byte: most words are read by this alone.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        plain[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    plain
};

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

/// Calls `each` with the terms of one word.
pub(super) fn of(word: &str, mut each: impl FnMut(Term)) {
    let normal = normal(word);
    let Some(whole) = term(&normal) else { return };
    if normal.starts_with(is_hebrew) {
        for (cut, reading) in readings(&normal).into_iter().enumerate() {
            each((stem(reading), if cut == 0 { WHOLE } else { PART }));
        }
        return;
    }
    each((whole, WHOLE));
    for part in parts(word) {
        if let Some(part) = term(&folded(part)) {
            each((part, PART));
        }
    }
}

/// The term of a word in its normal form; `None` for single letters, which say nothing.
fn term(normal: &str) -> Option<String> {
    (normal.chars().nth(1).is_some()).then(|| stem(normal))
}

/// `word` in lower case, its Latin letters without accents, the last ones of Greek words as elsewhere: those who look for `naive` and those who look for `naïve` mean one word.
fn folded(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    for letter in word.chars().flat_map(char::to_lowercase).filter(|letter| !is_accent(*letter)) {
        match letter {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'đ' => folded.push('d'),
            'ł' => folded.push('l'),
            'ı' => folded.push('i'),
            'ς' => folded.push('σ'),
            '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
                folded.extend(std::iter::once(letter).nfd().filter(|letter| !is_accent(*letter)))
            }
            letter => folded.push(letter),
        }
    }
    folded
}

/// `word` in lower case, without accents, points, apostrophes, a possessive's ending and outer underscores, and with the Hebrew letters of a
/// word's end as elsewhere.
pub(super) fn normal(word: &str) -> String {
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
    let letter = |letter: char| match letter {
        'ך' => 'כ',
        'ם' => 'מ',
        'ן' => 'נ',
        'ף' => 'פ',
        'ץ' => 'צ',
        letter => letter,
    };
    let kept: String = word.chars().filter(|&letter| !is_point(letter) && !matches!(letter, '\'' | '’' | '׳' | '"' | '״')).collect();
    let normal: String = folded(&kept).chars().map(letter).collect();
    normal.trim_matches('_').chars().take(LONGEST).collect()
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
    let letters: Vec<(usize, char)> = word.char_indices().collect();
    let at = |index: usize| letters.get(index).map_or(' ', |&(_, letter)| letter);
    let mut cuts = vec![0];
    let mut cased = false;
    for (index, &(place, _)) in letters.iter().enumerate().skip(1) {
        let (before, letter) = (at(index - 1), at(index));
        let rises = (before.is_ascii_lowercase() || before.is_ascii_digit()) && letter.is_ascii_uppercase();
        // `HTMLParser`, but not `GPUs`.
        let falls = before.is_ascii_uppercase()
            && letter.is_ascii_uppercase()
            && at(index + 1).is_ascii_lowercase()
            && at(index + 2).is_ascii_lowercase();
        if rises || falls || letter == '_' || before == '_' {
            cased |= rises || falls;
            cuts.push(place);
        }
    }
    cuts.push(word.len());
    let parts: Vec<&str> = cuts.windows(2).map(|cut| word[cut[0]..cut[1]].trim_matches('_')).filter(|part| !part.is_empty()).collect();
    if parts.len() < 2 {
        return Vec::new();
    }
    // `KiB` is no name made of `Ki` and `B`.
    parts.into_iter().filter(|part| !cased || part.len() > 2).collect()
}

/// `word` without the endings that a language adds to the same word; what is not all of the language's letters stays.
pub(super) fn stem(word: &str) -> String {
    if word.chars().all(is_hebrew) {
        return hebrew_stem(word).to_owned();
    }
    if word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return english_stem(word);
    }
    word.to_owned()
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
fn english_stem(word: &str) -> String {
    let mut stem = word.to_owned();
    if let Some(head) = stem.strip_suffix("ies").filter(|head| head.len() > 1) {
        stem = format!("{head}y");
    } else if stem.ends_with('s') && (stem == "gpus" || !["ss", "us", "is"].iter().any(|ending| stem.ends_with(ending))) {
        stem.pop();
    }
    if let Some(head) = stem.strip_suffix("ied").filter(|head| head.len() > 1) {
        stem = format!("{head}y");
    } else if let Some(head) = stem.strip_suffix("ing").or_else(|| stem.strip_suffix("ed").filter(|head| !head.ends_with('e')))
        && head.len() > 2
        && head.contains(['a', 'e', 'i', 'o', 'u', 'y'])
    {
        stem = single(head);
    }
    if stem.len() > 3 && stem.ends_with('e') {
        stem.pop();
    }
    stem
}

/// `head` with a consonant that an ending doubled written once: `runn`, but not `spill` or `miss`.
fn single(head: &str) -> String {
    let [.., before, last] = head.as_bytes() else { return head.to_owned() };
    let doubled = before == last && b"bdgmnprt".contains(last);
    head[..head.len() - usize::from(doubled)].to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn terms(text: &str) -> String {
        let mut found = Vec::new();
        for (_, word) in words(text) {
            of(word, |(term, share)| found.push(if share == WHOLE { term } else { format!("({term})") }));
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
    }

    #[test]
    fn long_words_are_cut_and_nothing_panics() {
        assert_eq!(terms(&"x1".repeat(100)).len(), LONGEST);
        for text in ["'''", "._.", "a'", "'a", "\"א\"", "א\"", "1.", ".1", "\u{5b0}", "İ"] {
            terms(text);
        }
    }
}
