// Turns news of the preview into what the page shows: its new text, styles and pictures in place, and what is wrong with the course.

let generation = Number(document.currentScript.dataset.generation);
document.currentScript.remove();

const own_path = (() => {
  let path = location.pathname;
  try { path = decodeURIComponent(path); } catch (malformed) { /* As it stands, then. */ }
  return path.replace(/^\/+/, "").replace(/(^|\/)$/, "$1index.html");
})();

let events = null;
let wait = 250;
let news = [];
let is_busy = false;

// Only a page in sight holds a connection: browsers open six to a server, and a seventh tab would wait for ever.
function connect() {
  if (events || document.hidden) return;
  events = new EventSource(`/_lessonc/events?since=${generation}`);
  events.addEventListener("changed", (event) => {
    wait = 250;
    say_lost(false);
    news.push(JSON.parse(event.data));
    work();
  });
  events.addEventListener("error", () => {
    disconnect();
    setTimeout(connect, wait);
    wait = Math.min(2 * wait, 4000);
    say_lost(wait > 1000);
  });
}

function disconnect() {
  if (events) events.close();
  events = null;
}

// The preview ended before it answered.
class Lost extends Error {}

async function ask(address) {
  try {
    const answer = await fetch(address);
    return answer.ok ? await answer.text() : null;
  } catch (error) {
    throw new Lost(address);
  }
}

async function work() {
  if (is_busy) return;
  is_busy = true;
  try {
    while (news.length) await take(news.splice(0));
  } catch (error) {
    // What the preview said last is asked for again; and a page that can't be changed loads again.
    if (error instanceof Lost) disconnect();
    else reload();
  }
  is_busy = false;
  connect();
}

async function take(all) {
  const changed = (part) => (path) => all.some((one) => one[part] === true || one[part].includes(path));
  const is_changed = changed("files");
  const path_of = (address) => {
    const url = new URL(address, document.baseURI);
    return url.origin === location.origin ? decodeURIComponent(url.pathname).slice(1) : null;
  };
  const uses = (address) => { const path = address && path_of(address); return path && is_changed(path); };
  if ([...source.querySelectorAll("script[src]")].some((script) => uses(script.getAttribute("src")))) throw new Unpatchable("a script changed");
  const html = changed("pages")(own_path) ? await ask(location.pathname) : null;
  generation = all.at(-1).generation;
  document.dispatchEvent(new CustomEvent("lessonc:change"));
  if (html !== null) in_place(() => update(html));
  await Promise.all([...document.querySelectorAll('link[rel~="stylesheet"]')].filter((sheet) => uses(sheet.getAttribute("href"))).map(swap));
  document.querySelectorAll("img, source, video, audio, link[rel~=icon]").forEach((element) => {
    const name = element.hasAttribute("href") ? "href" : "src";
    if (uses(element.getAttribute(name))) element.setAttribute(name, anew(element.getAttribute(name)));
  });
  document.dispatchEvent(new CustomEvent("lessonc:changed"));
  const over = await ask(`/_lessonc/over?page=${encodeURIComponent(own_path)}`);
  if (over !== null) show_problems(JSON.parse(over));
}

// The same address, and another to the browser's memory.
function anew(address) {
  const url = new URL(address, document.baseURI);
  url.searchParams.set("lessonc", generation);
  return url.href;
}

// Puts the new style sheet beside the old one, which goes when the new one is there: the page is never without.
function swap(sheet) {
  return new Promise((done) => {
    const next = sheet.cloneNode();
    const end = () => in_place(() => { sheet.remove(); done(); });
    next.addEventListener("load", end);
    next.addEventListener("error", end);
    next.href = anew(sheet.getAttribute("href"));
    source.querySelectorAll("link").forEach((node) => { if (shown.get(node) === sheet) shown.set(node, next); });
    sheet.after(next);
  });
}

// Before the page's own scripts run, deferred ones too.
document.addEventListener("readystatechange", () => {
  if (source) return;
  remember();
  document.addEventListener("DOMContentLoaded", () => { restore(); connect(); });
});
document.addEventListener("visibilitychange", () => { if (document.hidden) disconnect(); else connect(); });
addEventListener("pagehide", disconnect);
addEventListener("pageshow", (event) => { if (event.persisted) connect(); });
