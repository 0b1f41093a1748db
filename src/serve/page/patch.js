// Turns the page as it was sent and the page as it is sent now into changes of what is shown. Only what the author changed is changed:
// answers that a reader opened, rows that a reader sorted and buttons that scripts added are no part of either page, and stay.

// What can't be done in a page that is shown.
class Unpatchable extends Error {}

const root = document.documentElement;
// A document of its own, in which pictures don't load and scripts don't run.
const inert = document.implementation.createHTMLDocument("");
// The root's attributes before any script of the page adds to them.
const sent = inert.importNode(root, false);
// The page as it was sent, and which node shows each of its nodes.
let source = null;
const shown = new WeakMap();

function link(node, live) {
  shown.set(node, live);
  for (let child = node.firstChild, other = live.firstChild; child && other; child = child.nextSibling, other = other.nextSibling) link(child, other);
}

// Where scripts run, what stands in their stead is a text to one parser and elements to the other.
function without_what_is_not_shown(page) {
  page.querySelectorAll("noscript").forEach((part) => part.replaceChildren());
  page.querySelectorAll('script[src^="/_lessonc/"]').forEach((script) => script.remove());
  return page;
}

// Takes the page as it is before its scripts run for the page as it was sent.
function remember() {
  source = inert.importNode(root, true);
  link(source, root);
  for (const { name } of [...source.attributes]) source.removeAttribute(name);
  for (const { name, value } of sent.attributes) source.setAttribute(name, value);
  without_what_is_not_shown(source);
}

// Changes what is shown from the page that was to the page `html`.
function update(html) {
  patch(source, without_what_is_not_shown(new DOMParser().parseFromString(html, "text/html").documentElement));
}

function live_of(node) {
  const live = shown.get(node);
  if (!live || !live.isConnected) throw new Unpatchable("a script took it away");
  return live;
}

function runs(node) {
  const is_script = (script) => /^$|javascript|^module$/i.test(script.type);
  return node.nodeName === "SCRIPT" ? is_script(node) : node.nodeType === Node.ELEMENT_NODE && [...node.querySelectorAll("script")].some(is_script);
}

// Scripts read the root's attributes when they start, and a script can't be taken back.
function check(node) {
  if (node === source || (node.nodeName === "SCRIPT" && runs(node))) throw new Unpatchable("scripts must start anew");
}

function patch(old, next) {
  if (old.isEqualNode(next)) return;
  if (old.nodeType === Node.ELEMENT_NODE) {
    patch_attributes(old, next);
    if (old.nodeName === "SCRIPT" || old.nodeName === "TEMPLATE") check_equal_inside(old, next);
    patch_children(old, next);
  } else {
    patch_text(old, next);
  }
}

function check_equal_inside(old, next) {
  if (old.innerHTML !== next.innerHTML && (old.nodeName === "TEMPLATE" || runs(old))) throw new Unpatchable("scripts must start anew");
}

function patch_attributes(old, next) {
  for (const { name, value } of next.attributes) {
    if (old.getAttribute(name) === value) continue;
    check(old);
    live_of(old).setAttribute(name, value);
    old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (next.hasAttribute(name)) continue;
    check(old);
    live_of(old).removeAttribute(name);
    old.removeAttribute(name);
  }
}

// Only the part that differs, so that what is selected beside it stays selected.
function patch_text(old, next) {
  const live = live_of(old);
  const [from, to] = [live.data, next.data];
  const most = Math.min(from.length, to.length);
  let front = 0;
  while (front < most && from[front] === to[front]) front += 1;
  let back = 0;
  while (back < most - front && from[from.length - 1 - back] === to[to.length - 1 - back]) back += 1;
  live.replaceData(front, from.length - front - back, to.slice(front, to.length - back));
  old.data = to;
}

function patch_children(old, next) {
  let [olds, news] = [[...old.childNodes], [...next.childNodes]];
  const most = Math.min(olds.length, news.length);
  let front = 0;
  while (front < most && olds[front].isEqualNode(news[front])) front += 1;
  let back = 0;
  while (back < most - front && olds[olds.length - 1 - back].isEqualNode(news[news.length - 1 - back])) back += 1;
  let before = front > 0 ? olds[front - 1] : null;
  olds = olds.slice(front, olds.length - back);
  news = news.slice(front, news.length - back);
  const mates = aligned(olds, news);
  const kept = new Set(mates.values());
  for (const node of olds) {
    if (!kept.has(node)) drop(node);
  }
  for (const node of news) {
    const mate = mates.get(node);
    if (mate) patch(mate, node);
    before = mate || insert(node, old, before);
  }
}

function drop(node) {
  if (runs(node)) throw new Unpatchable("scripts must start anew");
  const live = shown.get(node);
  if (live) live.remove();
  node.remove();
}

// Puts a copy of `node` into `parent` behind `before`, and shows it beside what shows its neighbours, wherever scripts put them.
function insert(node, parent, before) {
  if (runs(node)) throw new Unpatchable("scripts must start anew");
  const copy = inert.importNode(node, true);
  const live = document.importNode(node, true);
  parent.insertBefore(copy, before ? before.nextSibling : parent.firstChild);
  link(copy, live);
  const [left, right] = [anchor(copy), copy.nextSibling].map((other) => other && shown.get(other));
  if (left && left.isConnected) left.after(live);
  else if (right && right.isConnected) right.before(live);
  else live_of(parent).prepend(live);
  return copy;
}

// What stands before `node`. A script that sorts rows leaves the blanks between them where they were: then it is what stands before those.
function anchor(node) {
  const left = node.previousSibling;
  if (!left || left.nodeType !== Node.TEXT_NODE || left.data.trim() || !left.previousSibling) return left;
  return shown.get(left).previousSibling === shown.get(left.previousSibling) ? left : left.previousSibling;
}

// Which of the old nodes becomes which of the new ones: as many equal ones as can be, in order, and between them those of one kind.
function aligned(olds, news) {
  const mates = new Map();
  let [from, to] = [0, 0];
  for (const [at, place] of [...equal_pairs(olds, news), [olds.length, news.length]]) {
    for (; to < place; to += 1) {
      const found = olds.slice(from, at).findIndex((old) => kind(old) === kind(news[to]));
      if (found < 0) continue;
      mates.set(news[to], olds[from + found]);
      from += found + 1;
    }
    if (place < news.length) mates.set(news[place], olds[at]);
    [from, to] = [at + 1, place + 1];
  }
  return mates;
}

function kind(node) {
  return node.nodeType === Node.ELEMENT_NODE ? `${node.nodeName}#${node.id}` : node.nodeName;
}

// The longest common subsequence, as pairs of indices; none where looking for it would take long.
function equal_pairs(olds, news) {
  if (olds.length * news.length > 1e6) return [];
  const key = (node) => node.outerHTML || node.nodeName + node.data;
  const [left, right] = [olds.map(key), news.map(key)];
  const width = news.length + 1;
  const lengths = new Uint32Array((olds.length + 1) * width);
  for (let i = olds.length - 1; i >= 0; i -= 1) {
    for (let j = news.length - 1; j >= 0; j -= 1) {
      const at = i * width + j;
      lengths[at] = left[i] === right[j] ? lengths[at + width + 1] + 1 : Math.max(lengths[at + width], lengths[at + 1]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < olds.length && j < news.length; ) {
    if (left[i] === right[j]) pairs.push([i++, j++]);
    else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i += 1;
    else j += 1;
  }
  return pairs;
}
