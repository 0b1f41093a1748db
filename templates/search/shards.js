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
