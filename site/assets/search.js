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
// Reads the index that src/pages/search writes: a query loads the few files that it needs, as scripts, so that it works from a disk.
const lesson_index = (() => {
  "use strict";
  // What one query may load, in bytes; results that would need more wait until a reader asks for them.
  const MOST = 70000;
  const RESULTS = 10;
  const WORDS = 6;
  const LEVELS = 8;
  const DIGITS = "!#$%()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~";
  const DIGIT = new Map(Array.from(DIGITS, (digit, value) => [digit, value]));
  const ENDS = 64;
  // Endings that a reader may be in the middle of: the index knows words without them.
  const BEGUN = new Set(["e", "i", "in", "ie", "es", "ו", "י", "ימ", "ה"]);

  // Letters of what is packed, and the bits of two and of one.
  const LETTERS = 91;
  const PAIR = 13;
  const SINGLE = 6;
  // Codes of words: some are one control character, others begin with one and end with a letter of ASCII.
  const CODES = /([\x01-\x0f]|[\x10-\x1f][ -~])(?=([\x01-\x1f])?)/g;
  const SHORT = 15;

  const waiting = new Map();
  window.lessonc_search = (key, value) => {
    const tell = waiting.get(key);
    waiting.delete(key);
    if (tell) tell(value);
  };

  function script(address, key) {
    return new Promise((resolve, reject) => {
      const element = document.createElement("script");
      waiting.set(key, resolve);
      element.onload = () => element.remove();
      element.onerror = () => reject(new Error(address));
      element.src = address;
      document.head.append(element);
    });
  }

  function numbers(text) {
    const found = [];
    let value = 0;
    let scale = 1;
    for (const digit of text) {
      const worth = DIGIT.get(digit);
      value += worth * scale;
      scale *= DIGITS.length - ENDS;
      if (worth < ENDS) {
        found.push(value);
        value = 0;
        scale = 1;
      }
    }
    return found;
  }

  // The sections of a term: how many there are in all, and the level of each that is listed.
  function postings(text) {
    const [left, ...rest] = numbers(text);
    const levels = new Map();
    for (let at = 0; at < rest.length; ) {
      const head = rest[at++];
      let next = 0;
      for (let count = Math.floor(head / LEVELS) + 1; count > 0; count--) {
        const section = next + rest[at++];
        levels.set(section, head % LEVELS);
        next = section + 1;
      }
    }
    return { count: left + levels.size, left, levels };
  }

  // Lines of words, each with what stands behind it.
  function lines(text) {
    let before = [];
    return text.split("\n").filter((line) => line).map((line) => {
      const [word, behind] = line.slice(1).split(" ");
      before = before.slice(0, DIGIT.get(line[0])).concat(Array.from(word));
      return [before.join(""), behind];
    });
  }

  function child(node, word) {
    let last = 0;
    while (last + 1 < node.keys.length && node.keys[last + 1] <= word) last += 1;
    return node.first + last;
  }

  function node(text) {
    const at = text.indexOf("\n");
    return { first: Number(at < 0 ? text : text.slice(0, at)), keys: at < 0 ? [] : lines(text.slice(at + 1)).map(([key]) => key) };
  }

  // Letters by which two words differ, two that changed places as one; never more than `most` + 1.
  function distance(a, b, most) {
    if (Math.abs(a.length - b.length) > most) return most + 1;
    let [before, row] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
    for (let i = 1; i <= a.length; i++) {
      const next = [i];
      for (let j = 1; j <= b.length; j++) {
        next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) next[j] = Math.min(next[j], before[j - 2] + 1);
      }
      [before, row] = [row, next];
    }
    return row[b.length];
  }

  class Index {
    constructor(base, language) {
      this.base = base;
      this.language = language;
      this.files = new Map();
      this.ready = null;
    }

    // The root, and it again if it could not be loaded.
    root() {
      this.ready = this.ready || script(`${this.base}search/${this.language}/root.js`, `${this.language}/root`).then(
        (root) => Object.assign(root, { node: node(root.top) }),
        (error) => { this.ready = null; throw error; }
      );
      return this.ready;
    }

    // The file `name`, whose bytes are counted for `query` once.
    async file(name, query, read) {
      const { build } = await this.root();
      if (!this.files.has(name)) {
        const key = `${this.language}/${name}`;
        const made = script(`${this.base}search/${key}.js?${build}`, key).then(async (text) => {
          return { bytes: text.length + key.length + 20, value: read(await unpacked(text)) };
        });
        this.files.set(name, made);
        made.catch(() => this.files.delete(name));
      }
      const { bytes, value } = await this.files.get(name);
      if (!query.loaded.has(name)) {
        query.loaded.set(name, value);
        query.bytes += bytes;
      }
      return value;
    }

    async leaf(word, query) {
      const root = await this.root();
      let at = child(root.node, word);
      for (let level = root.levels - 1; level > 0; level--) at = child(await this.file(`${level}-${at}`, query, node), word);
      return at;
    }

    terms(number, query) {
      return this.file(`0-${number}`, query, (text) => new Map(lines(text)));
    }

    async term(word, query) {
      const found = (await this.terms(await this.leaf(word, query), query)).get(word);
      return found === undefined ? null : postings(found);
    }

    // Every term that begins so, or one entry for all of them where they are many: that of the longest beginning that they all have.
    async begun(head, query) {
      const beside = await this.terms(await this.leaf("*" + head, query), query);
      const all = Array.from(beside).find(([word]) => word.startsWith("*" + head));
      if (all) return [[all[0], postings(all[1])]];
      const [first, last] = [await this.leaf(head, query), await this.leaf(head + "\uffff", query)];
      const found = [];
      for (let number = first; number <= last; number++) {
        for (const [word, text] of await this.terms(number, query)) {
          if (word.startsWith(head)) found.push([word, postings(text)]);
        }
      }
      return found;
    }

    // The words that have codes, the most common first.
    codes(query) {
      return this.file("words", query, (text) => text.split(" "));
    }

    // Known words that `word` may have been meant as.
    async meant(word, query) {
      const most = word.length < 8 ? 1 : 2;
      const near = (words) => words
        .filter((known) => !known.startsWith("*"))
        .map((known) => [distance(word, known, most), known])
        .filter(([far]) => far > 0 && far <= most)
        .sort((a, b) => a[0] - b[0])
        .slice(0, 3)
        .map(([, known]) => known);
      const beside = Array.from(query.loaded).filter(([name]) => name.startsWith("0-")).flatMap(([, terms]) => Array.from(terms.keys()));
      const found = near(beside);
      if (found.length) return found;
      const common = (await this.codes(query)).map((known) => lesson_terms.of(known)[0]).filter((known) => known && known.length > 3);
      return near(Array.from(new Set(common)));
    }

    // What is known of one word of a query: terms with their sections, and how far each is what was typed.
    async word(raw, last, query) {
      const found = new Map();
      const typed = lesson_terms.normal(raw);
      const note = (word, entry, factor) => {
        if (entry && !(found.has(word) && found.get(word).factor >= factor)) found.set(word, { entry, factor });
      };
      const hebrew = /^[א-ת]/.test(typed);
      for (const [at, reading] of lesson_terms.of(raw).slice(0, hebrew ? 3 : 1).entries()) {
        note(reading, await this.term(reading, query), at === 0 ? 1 : 0.7);
      }
      if (last && Array.from(typed).length > 1) {
        for (const [word, entry] of await this.begun(typed, query)) note(word, entry, 0.6);
        for (const cut of [1, 2]) {
          const head = typed.slice(0, -cut);
          if (head.length > 2 && BEGUN.has(typed.slice(-cut))) note(head, await this.term(head, query), 0.8);
        }
      }
      return found;
    }

    // The words of a query, each with what is known of it; an identifier that is in no lesson stands for its parts.
    async words(text, query) {
      const typed = lesson_terms.words(text).map(({ word }) => word).filter((word) => lesson_terms.of(word).length).slice(0, WORDS);
      const open = /[\p{Alphabetic}\p{N}_]$/u.test(text);
      const known = [];
      for (const [at, word] of typed.entries()) {
        const last = open && at === typed.length - 1;
        let found = await this.word(word, last, query);
        const parts = found.size ? [] : lesson_terms.parts(word).slice(0, 3);
        for (const part of parts) {
          const of_part = await this.word(part, false, query);
          if (of_part.size) known.push(of_part);
        }
        if (!found.size && !parts.length && word.length > 3 && query.bytes < MOST / 2) {
          for (const meant of await this.meant(lesson_terms.of(word)[0], query)) found.set(meant, { entry: await this.term(meant, query), factor: 0.4 });
        }
        if (found.size) known.push(found);
      }
      return known;
    }

    // The sections that a query finds, the best first, with the terms to mark; `more` are those not shown yet.
    async find(text, from = 0) {
      const query = { bytes: 0, loaded: new Map() };
      const root = await this.root();
      query.bytes += root.top.length + 120;
      const words = await this.words(text, query);
      const ranked = rank(words, root.sections);
      const results = [];
      for (const section of ranked.slice(from, from + RESULTS)) {
        if (results.length && query.bytes > MOST - 8000) break;
        results.push(await this.section(section, query));
      }
      const terms = words.flatMap((found) => Array.from(found.keys()));
      const whole = terms.filter((term) => !term.startsWith("*"));
      const heads = terms.filter((term) => term.startsWith("*")).map((term) => term.slice(1));
      return { results, count: ranked.length, next: from + results.length, bytes: query.bytes, marks: { whole: new Set(whole), heads } };
    }

    async section(number, query) {
      const { each } = await this.root();
      const words = await this.codes(query);
      const sections = await this.file(`t-${Math.floor(number / each)}`, query, (text) => texts(text, words));
      return sections[number % each];
    }
  }

  // The sections of a file of texts.
  function texts(text, words) {
    const word = (code) => words[code.length > 1 ? SHORT + (code.charCodeAt(0) - 16) * 95 + code.charCodeAt(1) - 32 : code.charCodeAt(0) - 1];
    const lessons = JSON.parse(text.replace(CODES, (_, code, next) => word(code) + (next ? " " : "")));
    return lessons.flatMap(([path, title, sections]) =>
      sections.map(([anchor, heading, shown]) => ({ href: anchor ? `${path}#${anchor}` : path, title, heading, text: shown }))
    );
  }

  // What src/pages/search/packed.rs packed.
  async function unpacked(letters) {
    const value = (at) => (letters[at] === "!" ? 92 : letters.charCodeAt(at)) - 35;
    const bytes = [];
    let [held, bits] = [0, 0];
    for (let at = 0; at < letters.length; at += 2) {
      const two = at + 1 < letters.length;
      held |= (value(at) + (two ? LETTERS * value(at + 1) : 0)) << bits;
      bits += two ? PAIR : SINGLE;
      for (; bits >= 8; bits -= 8) {
        bytes.push(held & 255);
        held >>= 8;
      }
    }
    const stream = new Blob([Uint8Array.from(bytes)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Response(stream).text();
  }

  function rarity(count, sections) {
    return Math.log(1 + (Math.max(sections - count, 0) + 0.5) / (count + 0.5));
  }

  // Sections by the sum of what their words say, less where words of the query are missing.
  function rank(words, sections) {
    const sums = new Map();
    let total = 0;
    const all = words.map((found) => {
      let [weight, left, listed] = [0, 0, 0];
      const best = new Map();
      for (const { entry, factor } of found.values()) {
        const rare = rarity(entry.count, sections);
        weight = Math.max(weight, rare);
        left = Math.max(left, entry.left);
        listed = Math.max(listed, entry.levels.size);
        for (const [section, level] of entry.levels) {
          best.set(section, Math.max(best.get(section) || 0, (factor * rare * (level + 1)) / LEVELS));
        }
      }
      total += weight;
      for (const section of best.keys()) sums.set(section, { score: 0, covered: 0 });
      // A list that was cut says nothing of the sections that it lacks.
      return { best, weight, likely: left / Math.max(sections - listed, 1) };
    });
    for (const [section, sum] of sums) {
      for (const { best, weight, likely } of all) {
        sum.score += best.get(section) || 0;
        sum.covered += best.has(section) ? weight : weight * Math.min(likely, 1);
      }
    }
    const value = ({ score, covered }) => score * (covered / total) ** 2;
    return Array.from(sums, ([section, sum]) => [section, value(sum)]).sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([section]) => section);
  }

  return { Index, MOST };
})();
// Shows what a query finds, as a list of links with the words marked. The dialog itself is templates/search.html.
window.lessonc_dialog = (dialog, base) => {
  "use strict";
  const AROUND = 50;
  const LENGTH = 200;
  const words = dialog.dataset;
  const [form, field, status, list, more] = ["form", "[type=search]", "[role=status]", "ol", ".more"].map((what) => dialog.querySelector(what));
  let index = new lesson_index.Index(base, words.language);
  // Which query is the latest: an older one that ends later shows nothing.
  let latest = 0;

  function is_marked(word, marks) {
    const terms = lesson_terms.of(word);
    const begins = (term) => marks.heads.some((head) => term.startsWith(head));
    return terms.some((term) => marks.whole.has(term) || begins(term)) || begins(lesson_terms.normal(word));
  }

  // `text` with the words that were looked for marked.
  function marked(text, marks) {
    const parts = [];
    let done = 0;
    for (const { word, at } of lesson_terms.words(text)) {
      if (!is_marked(word, marks)) continue;
      const mark = document.createElement("mark");
      mark.textContent = word;
      parts.push(text.slice(done, at), mark);
      done = at + word.length;
    }
    return parts.concat(text.slice(done));
  }

  // The part of `text` in which most of what was looked for stands.
  function part(text, marks) {
    const hits = lesson_terms.words(text).filter(({ word }) => is_marked(word, marks));
    const near = (first) => new Set(hits.filter(({ at }) => at >= first && at < first + LENGTH - AROUND).flatMap(({ word }) => lesson_terms.of(word))).size;
    let [best, most] = [0, 0];
    for (const { at } of hits) {
      if (near(at) > most) [best, most] = [at, near(at)];
    }
    let from = Math.max(0, Math.min(best - AROUND, text.length - LENGTH));
    if (from > 0) from = text.indexOf(" ", from) + 1;
    let to = Math.min(text.length, from + LENGTH);
    if (to < text.length) to = Math.max(text.lastIndexOf(" ", to), from + 1);
    return (from > 0 ? "… " : "") + text.slice(from, to) + (to < text.length ? " …" : "");
  }

  function item({ href, title, heading, text }, marks) {
    const [entry, link, head, excerpt] = ["li", "a", "b", "span"].map((name) => document.createElement(name));
    link.href = words.root + href;
    head.append(...marked(title, marks));
    if (heading) head.append(" › ", ...marked(heading, marks));
    head.dir = excerpt.dir = "auto";
    excerpt.append(...marked(part(text, marks), marks));
    link.append(head, excerpt);
    entry.append(link);
    return entry;
  }

  function say(count) {
    status.textContent = count === 0 ? words.none : count === 1 ? words.one : words.other.replace("{}", count);
  }

  async function show(from) {
    const mine = ++latest;
    const text = field.value.trim() === "" ? "" : field.value;
    if (!text) {
      list.replaceChildren();
      status.textContent = "";
      more.hidden = true;
      return;
    }
    try {
      const found = await index.find(text, from);
      if (mine !== latest) return;
      const items = found.results.map((result) => item(result, found.marks));
      if (from > 0) list.append(...items);
      else list.replaceChildren(...items);
      if (from > 0 && items.length) items[0].firstChild.focus();
      say(found.count);
      more.hidden = found.next >= found.count || !items.length;
      more.dataset.next = found.next;
      dialog.dataset.bytes = found.bytes;
    } catch (error) {
      if (mine === latest) status.textContent = words.failed;
    }
  }

  function move(event) {
    const links = Array.from(list.querySelectorAll("a"));
    const at = links.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: at < 0 ? NaN : 0, End: at < 0 ? NaN : links.length - 1 }[event.key];
    if (to === undefined || Number.isNaN(to) || !links.length) return;
    event.preventDefault();
    if (to < 0) field.focus();
    else links[Math.min(to, links.length - 1)].focus();
  }

  field.addEventListener("input", () => show(0));
  more.addEventListener("click", () => show(Number(more.dataset.next)));
  dialog.addEventListener("keydown", move);
  form.addEventListener("submit", (event) => {
    if (event.submitter && event.submitter.value === "close") return;
    event.preventDefault();
    const first = list.querySelector("a");
    if (first) first.click();
  });
  // A link to this very page leaves the dialog open otherwise.
  list.addEventListener("click", (event) => { if (event.target.closest("a") && !event.ctrlKey && !event.metaKey) dialog.close(); });
  // The preview has other texts now.
  document.addEventListener("lessonc:changed", () => { index = new lesson_index.Index(base, words.language); });
  if (field.value) show(0);
};
