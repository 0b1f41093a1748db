// Turns text into the terms that it is found by, as src/pages/search/terms.rs does; a test holds the two to each other.
const lesson_terms = (() => {
  "use strict";
  const LONGEST = 40;
  const POINTS = "\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7";
  const ACCENTS = "\\u0300-\\u036f";
  const PLANE = "(?![\\u{10000}-\\u{10ffff}])";
  const WORDS = new RegExp(
    `(?:${PLANE}[\\p{Alphabetic}\\p{N}_${POINTS}${ACCENTS}]` +
      `|(?<=\\p{Alphabetic})['’׳](?=${PLANE}\\p{Alphabetic})` +
      `|(?<=[א-ת])["״](?=[א-ת])|(?<=[0-9])\\.(?=[0-9]))+`,
    "gu"
  );
  const DROPPED = new RegExp(`['’׳"״${POINTS}]`, "gu");
  const FINAL = { "ך": "כ", "ם": "מ", "ן": "נ", "ף": "פ", "ץ": "צ" };
  const HEBREW = /^[א-ת]+$/;
  const PLAIN = { "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "ı": "i", "ς": "σ" };
  const ACCENT = new RegExp(`[${ACCENTS}]`, "g");

  // The words of a text, each with its place.
  function words(text) {
    return Array.from(text.matchAll(WORDS), (found) => ({ word: found[0], at: found.index }));
  }

  // A word in lower case, its Latin letters without accents, the last ones of Greek words as elsewhere.
  function folded(word) {
    const plain = (letter) => PLAIN[letter] || letter.normalize("NFD");
    return word.toLowerCase().replace(/[\u00c0-\u024f\u1e00-\u1effς]/g, plain).replace(ACCENT, "");
  }

  function normal(word) {
    const bare = folded(word.replace(/['’]s$/, "").replace(DROPPED, "")).replace(/[ךםןףץ]/g, (letter) => FINAL[letter]);
    return Array.from(bare.replace(/^_+|_+$/g, "")).slice(0, LONGEST).join("");
  }

  // A Hebrew word as it stands, and without one and two letters in front of it.
  function readings(word) {
    const found = [word];
    while (found.length < 3 && /^[והבכלמש]/.test(word) && word.length > 3) found.push((word = word.slice(1)));
    return found;
  }

  function parts(word) {
    const letters = Array.from(word);
    const small = (letter) => /^[a-z]$/.test(letter || "");
    const capital = (letter) => /^[A-Z]$/.test(letter || "");
    let cased = false;
    let found = [""];
    letters.forEach((letter, index) => {
      const before = letters[index - 1];
      const rises = (small(before) || /^[0-9]$/.test(before || "")) && capital(letter);
      const falls = capital(before) && capital(letter) && small(letters[index + 1]) && small(letters[index + 2]);
      if (index > 0 && (rises || falls || letter === "_" || before === "_")) {
        cased = cased || rises || falls;
        found.push("");
      }
      found[found.length - 1] += letter;
    });
    found = found.map((part) => part.replace(/^_+|_+$/g, "")).filter((part) => part);
    return found.length < 2 ? [] : found.filter((part) => !cased || part.length > 2);
  }

  function stem(word) {
    if (HEBREW.test(word)) {
      for (const [ending, least] of [["ימ", 5], ["ות", 5], ["ה", 4]]) {
        if (word.length >= least && word.endsWith(ending)) return word.slice(0, -ending.length);
      }
      return word;
    }
    return word.length > 2 && /^[a-z]+$/.test(word) ? english(word) : word;
  }

  function english(word) {
    if (/^..+ies$/.test(word)) word = word.slice(0, -3) + "y";
    else if (/s$/.test(word) && (word === "gpus" || !/[sui]s$/.test(word))) word = word.slice(0, -1);
    if (/^..+ied$/.test(word)) word = word.slice(0, -3) + "y";
    else {
      const head = /ing$/.test(word) ? word.slice(0, -3) : /[^e]ed$/.test(word) ? word.slice(0, -2) : "";
      if (head.length > 2 && /[aeiouy]/.test(head)) word = /([bdgmnprt])\1$/.test(head) ? head.slice(0, -1) : head;
    }
    return word.length > 3 && word.endsWith("e") ? word.slice(0, -1) : word;
  }

  // The terms of one word, itself first.
  function of(word) {
    const whole = normal(word);
    if (Array.from(whole).length < 2) return [];
    if (/^[א-ת]/.test(whole)) return readings(whole).map(stem);
    const names = parts(word).map(folded).filter((part) => Array.from(part).length > 1);
    return [stem(whole)].concat(names.map(stem));
  }

  return { words, normal, parts, of };
})();
