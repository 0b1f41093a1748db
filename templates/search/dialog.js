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
