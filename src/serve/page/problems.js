// Turns what is wrong with the course into a panel over the page, in a tree of its own that the page's styles don't reach. Errors open
// it; warnings are a button in the corner. Escape hides it until something else is wrong.

const HIDDEN = "lessonc-problems-hidden";

const host = document.createElement("lessonc-preview");
const tree = host.attachShadow({ mode: "open" });
const sheet = new CSSStyleSheet();
sheet.replaceSync(STYLE);
tree.adoptedStyleSheets = [sheet];

function make(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const title = make("h2", { tabIndex: -1 });
const close = make("button", { type: "button", className: "hide" }, "Hide ", make("kbd", {}, "Esc"));
const list = make("div", { className: "list" });
const panel = make("section", { className: "panel", hidden: true }, make("header", {}, title, close), list);
panel.setAttribute("aria-label", "Preview");
const corner = make("button", { type: "button", className: "corner", hidden: true });
const lost = make("p", { className: "lost", role: "status" });
const said = make("p", { className: "unseen", role: "alert" });
host.lang = "en";
host.dir = "ltr";
tree.append(panel, corner, lost, said);

let signature = "";
function hidden_before() { try { return sessionStorage.getItem(HIDDEN); } catch (refused) { return null; } }

function open(is_open) {
  const had_focus = tree.activeElement !== null;
  panel.hidden = !is_open;
  corner.hidden = is_open || !corner.textContent;
  if (had_focus && is_open) title.focus();
  else if (had_focus && !corner.hidden) corner.focus();
}

function hide() {
  try { sessionStorage.setItem(HIDDEN, signature); } catch (refused) { /* Private windows. */ }
  open(false);
}

close.addEventListener("click", hide);
corner.addEventListener("click", () => { open(true); title.focus(); });
document.addEventListener("keydown", (event) => {
  // What lies over the page itself goes first.
  if (event.key !== "Escape" || event.defaultPrevented || panel.hidden || document.querySelector("dialog[open], :popover-open")) return;
  hide();
}, true);

function count(number, noun) { return `${number} ${noun}${number === 1 ? "" : "s"}`; }

function place(at) {
  return at.href ? make("a", { href: at.href, title: "Open in the editor" }, at.place) : make("span", {}, at.place);
}

// Words with what stands between backquotes in them as code.
function words_of(text) {
  return text.split(/`([^`]+)`/).map((part, at) => (at % 2 ? make("code", {}, part) : part));
}

// The line, with the part that is meant, or a caret where that is empty.
function line(at, label) {
  if (!at.parts) return null;
  const [before, marked, behind] = at.parts;
  const mark = make("mark", { className: marked ? "" : "caret" }, marked || "^");
  const code = make("code", { dir: "auto" }, before, mark, behind);
  return make("div", { className: "line" }, make("span", { className: "number", ariaHidden: "true" }, String(at.line)), code,
    label ? make("span", { className: "label" }, label) : null);
}

function problem({ error, id, message, at, label, hint, related }) {
  return make("li", { className: error ? "error" : "warning" },
    make("p", { className: "message" }, make("b", {}, error ? "Error" : "Warning"), " ", ...words_of(message), " ", make("code", { className: "id" }, id)),
    at && make("p", { className: "place" }, place(at)),
    at && line(at, label),
    ...related.flatMap((other) => [make("p", { className: "related" }, ...words_of(other.message), ": ", place(other.at)), line(other.at)]),
    hint && make("p", { className: "hint" }, make("b", {}, "Help"), " ", ...words_of(hint)));
}

// What became of the page.
function state({ page, renamed }) {
  if (page === "before") return make("p", { className: "state" }, "This page can't be made now. Below is what it was last.");
  if (page !== "gone") return null;
  const words = make("p", { className: "state" }, "This page is no part of the course any more. ");
  const target = renamed || "index.html";
  words.append(make("a", { href: `/${target.split("/").map(encodeURIComponent).join("/")}` }, renamed ? `It may be ${renamed} now.` : "To the first page"));
  return words;
}

// Shows what the preview says of this page and the course.
function show_problems(over) {
  const next = JSON.stringify([over.page, over.renamed, over.problems]);
  if (next === signature) return;
  const had_errors = !panel.hidden;
  signature = next;
  const parts = [over.errors && count(over.errors, "error"), over.warnings && count(over.warnings, "warning")].filter(Boolean);
  const words = parts.join(", ") || (over.page === "gone" ? "This page is gone" : "");
  const left = over.errors + over.warnings - over.problems.length;
  const has_links = over.problems.some(({ at }) => at && at.href);
  title.textContent = words;
  corner.textContent = words;
  corner.className = `corner ${over.errors || over.page === "gone" ? "error" : "warning"}`;
  list.replaceChildren(...[
    state(over),
    over.problems.length ? make("ol", {}, ...over.problems.map(problem)) : null,
    left > 0 ? make("p", { className: "more" }, `and ${left} more`) : null,
    over.problems.length && !has_links ? make("p", { className: "more" }, "Places open in your editor with ", make("code", {}, "lessonc serve --editor NAME"), ".") : null,
  ].filter(Boolean));
  const is_bad = over.errors > 0 || over.page !== "now";
  open(Boolean(words) && is_bad && hidden_before() !== signature);
  said.textContent = words ? (is_bad ? `Preview: ${words}` : "") : had_errors ? "Preview: no problems any more" : "";
  // Outside of the body, whose children are the page's; before it, so that the keyboard comes here first.
  if (!host.isConnected && words) root.insertBefore(host, document.body);
}

// Says that the preview ended, where it did.
function say_lost(is_lost) {
  lost.textContent = is_lost ? "Not connected: the preview has ended, or is not back yet." : "";
  if (is_lost && !host.isConnected) root.insertBefore(host, document.body);
}
