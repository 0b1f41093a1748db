window.lessonc_parts = {"en":{"search":"<button class=\"search\" type=\"button\" hidden aria-haspopup=\"dialog\">Search</button>\n<dialog class=\"search\" aria-label=\"Search\" data-language=\"en\" data-root=\"\" data-none=\"Nothing found\" data-one=\"1 section\" data-other=\"{} sections\" data-failed=\"The search can’t be loaded.\">\n<form method=\"dialog\" role=\"search\">\n<input type=\"search\" aria-label=\"Words, or names in code\" placeholder=\"Words, or names in code\" autocomplete=\"off\" autocapitalize=\"none\" spellcheck=\"false\" enterkeyhint=\"search\">\n<button type=\"submit\" class=\"unseen\" tabindex=\"-1\">Search</button>\n<button type=\"submit\" value=\"close\">Close</button>\n</form>\n<p role=\"status\"></p>\n<ol></ol>\n<button class=\"more\" type=\"button\" hidden>More</button>\n<p class=\"key\"><label><input type=\"checkbox\" checked> The key / opens the search</label></p>\n</dialog>\n","theme":"<fieldset class=\"theme\" hidden>\n<legend class=\"unseen\">Colours</legend>\n<label title=\"Light\"><input type=\"radio\" name=\"theme\" value=\"light\"><span class=\"unseen\">Light</span><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><circle cx=\"8\" cy=\"8\" r=\"3\"/><path d=\"M8 1v2M8 13v2M1 8h2M13 8h2M3 3l1.5 1.5M11.5 11.5L13 13M3 13l1.5-1.5M11.5 4.5L13 3\"/></svg></label>\n<label title=\"As the system\"><input type=\"radio\" name=\"theme\" value=\"system\"><span class=\"unseen\">As the system</span><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><circle cx=\"8\" cy=\"8\" r=\"6\"/><path class=\"full\" d=\"M8 2a6 6 0 0 1 0 12z\"/></svg></label>\n<label title=\"Dark\"><input type=\"radio\" name=\"theme\" value=\"dark\"><span class=\"unseen\">Dark</span><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M13.5 9.7A6 6 0 0 1 6.3 2.5a6 6 0 1 0 7.2 7.2z\"/></svg></label>\n</fieldset>\n","copy":"Copy","copied":"Copied","anchor":"Link to this section"},"he":{"search":"<button class=\"search\" type=\"button\" hidden aria-haspopup=\"dialog\">חיפוש</button>\n<dialog class=\"search\" aria-label=\"חיפוש\" data-language=\"he\" data-root=\"\" data-none=\"לא נמצא דבר\" data-one=\"סעיף אחד\" data-other=\"{} סעיפים\" data-failed=\"לא ניתן לטעון את החיפוש.\">\n<form method=\"dialog\" role=\"search\">\n<input type=\"search\" aria-label=\"מילים, או שמות מתוך הקוד\" placeholder=\"מילים, או שמות מתוך הקוד\" autocomplete=\"off\" autocapitalize=\"none\" spellcheck=\"false\" enterkeyhint=\"search\">\n<button type=\"submit\" class=\"unseen\" tabindex=\"-1\">חיפוש</button>\n<button type=\"submit\" value=\"close\">סגירה</button>\n</form>\n<p role=\"status\"></p>\n<ol></ol>\n<button class=\"more\" type=\"button\" hidden>עוד</button>\n<p class=\"key\"><label><input type=\"checkbox\" checked> המקש / פותח את החיפוש</label></p>\n</dialog>\n","theme":"<fieldset class=\"theme\" hidden>\n<legend class=\"unseen\">צבעים</legend>\n<label title=\"בהיר\"><input type=\"radio\" name=\"theme\" value=\"light\"><span class=\"unseen\">בהיר</span><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><circle cx=\"8\" cy=\"8\" r=\"3\"/><path d=\"M8 1v2M8 13v2M1 8h2M13 8h2M3 3l1.5 1.5M11.5 11.5L13 13M3 13l1.5-1.5M11.5 4.5L13 3\"/></svg></label>\n<label title=\"כמו במערכת\"><input type=\"radio\" name=\"theme\" value=\"system\"><span class=\"unseen\">כמו במערכת</span><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><circle cx=\"8\" cy=\"8\" r=\"6\"/><path class=\"full\" d=\"M8 2a6 6 0 0 1 0 12z\"/></svg></label>\n<label title=\"כהה\"><input type=\"radio\" name=\"theme\" value=\"dark\"><span class=\"unseen\">כהה</span><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M13.5 9.7A6 6 0 0 1 6.3 2.5a6 6 0 1 0 7.2 7.2z\"/></svg></label>\n</fieldset>\n","copy":"העתקה","copied":"הועתק","anchor":"קישור לסעיף זה"}};
// What every page gains from JavaScript, one file a gain, joined in one script. Without it every page is whole.
// The preview changes a page in place, and says so to the document: `lessonc:change` before, `lessonc:changed` when parts may be new.
// This one: the search and the switch of colours come into the header; templates/search.html and theme.html say how they look. A page that
// has them already keeps its own.
(function () {
  "use strict";
  var root = document.documentElement;
  var parts = window.lessonc_parts[root.lang];
  var top = document.currentScript.getAttribute("src").replace(/assets\/[^/]*$/, "");
  if (!parts) return;
  root.dataset.copy = parts.copy;
  root.dataset.copied = parts.copied;
  root.dataset.anchor = parts.anchor;

  function add(there, place, where, html) {
    var beside = document.querySelector(place);
    if (html && beside && !document.querySelector(there)) beside.insertAdjacentHTML(where, html);
  }

  add("dialog.search", ".top > [popovertarget='menu']", "beforebegin", parts.search);
  add("fieldset.theme", "#menu", "beforeend", parts.theme);
  document.querySelectorAll("dialog.search").forEach(function (dialog) { dialog.dataset.root = top; });
})();
// A switch between light, dark and the system's colours, kept from page to page. The page's head reads the choice before
// anything is drawn.
(function () {
  "use strict";
  var KEY = "lessonc-theme";
  var root = document.documentElement;

  function choose(theme) {
    root.dataset.theme = theme;
    try { localStorage.setItem(KEY, theme); } catch (refused) { /* Private windows. */ }
  }

  function show() {
    document.querySelectorAll("fieldset.theme").forEach(function (field) {
      field.hidden = false;
      field.querySelectorAll("input").forEach(function (input) { input.checked = input.value === (root.dataset.theme || "system"); });
    });
  }

  // The choice in another window is the choice in this one; and a page that comes back from the browser's memory may be late.
  function follow() {
    try { root.dataset.theme = localStorage.getItem(KEY) || "system"; } catch (refused) { /* Private windows. */ }
    show();
  }

  document.addEventListener("change", function (event) { if (event.target.closest("fieldset.theme")) choose(event.target.value); });
  window.addEventListener("storage", function (event) { if (event.key === KEY) follow(); });
  window.addEventListener("pageshow", function (event) { if (event.persisted) follow(); });
  document.addEventListener("DOMContentLoaded", show);
  document.addEventListener("lessonc:changed", show);
})();
// Which device's figures are shown, kept from page to page; the page's head reads the choice before anything is drawn. What is read
// stays where it is.
(function () {
  "use strict";
  var root = document.documentElement;
  var devices = (root.dataset.devices || "").split(" ").filter(Boolean);
  if (devices.length < 2) return;
  function keep(index) { try { localStorage.setItem("lessonc-device", devices[index]); } catch (refused) { /* Private windows. */ } }

  function isShown(element) { return element.getClientRects().length > 0; }

  // What a link leads to, or that of the device that is shown.
  function target() {
    var id = decodeURIComponent(location.hash.slice(1));
    var element = id && document.getElementById(id);
    if (!element || isShown(element)) return;
    var here = document.getElementById(id.replace(/-on-\d+$/, "") + (root.dataset.device === "0" ? "" : "-on-" + root.dataset.device));
    if (here) here.scrollIntoView();
  }

  // The first part of the page below its upper edge that is shown whatever the device, and where it is.
  function anchor() {
    var parts = document.querySelectorAll("article > :not(.on):not(.devices)");
    for (var i = 0; i < parts.length; i++) {
      var box = parts[i].getBoundingClientRect();
      if (box.bottom > 60 && box.height > 0) return { part: parts[i], top: box.top };
    }
    return null;
  }

  function choose(index) {
    var before = anchor();
    root.dataset.device = String(index);
    keep(index);
    if (before) scrollBy({ top: before.part.getBoundingClientRect().top - before.top, behavior: "instant" });
  }

  function show() {
    document.querySelectorAll(".devices input").forEach(function (input) { input.checked = input.value === root.dataset.device; });
  }

  document.addEventListener("change", function (event) { if (event.target.closest(".devices")) choose(Number(event.target.value)); });
  document.addEventListener("DOMContentLoaded", function () {
    show();
    target();
  });
  document.addEventListener("lessonc:changed", show);
  addEventListener("hashchange", target);
})();
// Where a figure comes from: its note stays within the window, goes with Escape, and comes by touch too.
(function () {
  "use strict";
  var MARGIN = 8;
  var shown = null;

  function place() {
    if (!shown) return;
    var note = shown.querySelector(".note");
    var box = shown.getClientRects()[0];
    if (!note || !box) return;
    var width = Math.min(384, document.documentElement.clientWidth - 2 * MARGIN);
    note.style.maxInlineSize = width + "px";
    var size = note.getBoundingClientRect();
    // One that has no room in the window at all scrolls.
    note.style.overflowY = size.height > innerHeight - 2 * MARGIN - 1 ? "auto" : "";
    var left = Math.max(MARGIN, Math.min(box.left, document.documentElement.clientWidth - MARGIN - size.width));
    var below = box.bottom + 5;
    var above = box.top - 5 - size.height;
    var lowest = innerHeight - MARGIN - size.height;
    note.style.left = left + "px";
    // One that has no room on either side lies over its figure, whose value it says.
    note.style.top = (below <= lowest ? below : above >= MARGIN ? above : Math.max(MARGIN, lowest)) + "px";
  }

  function show(figure) {
    if (shown === figure) return;
    hide();
    shown = figure;
    figure.classList.add("noted");
    place();
  }

  function hide() {
    if (!shown) return;
    shown.classList.remove("noted");
    shown = null;
  }

  function figureOf(event) {
    return event.target.closest ? event.target.closest(".figure") : null;
  }

  document.documentElement.classList.add("places-notes");
  document.addEventListener("pointerover", function (event) {
    var figure = figureOf(event);
    if (event.pointerType === "mouse" && figure) show(figure);
    else if (event.pointerType === "mouse" && shown && !shown.contains(document.activeElement)) hide();
  });
  document.addEventListener("focusin", function (event) {
    var figure = figureOf(event);
    if (figure) show(figure); else hide();
  });
  // The focus may go on into a note that scrolls.
  document.addEventListener("focusout", function (event) {
    if (shown && figureOf(event) === shown && !shown.contains(event.relatedTarget)) hide();
  });
  document.addEventListener("click", function (event) {
    var figure = figureOf(event);
    if (figure) show(figure); else hide();
  });
  document.addEventListener("keydown", function (event) { if (event.key === "Escape") hide(); });
  addEventListener("scroll", place, { passive: true, capture: true });
  addEventListener("resize", place);
})();
// Tables of rows sort by any column: up, down, and back to the order of the plan. Rows without a value come last.
(function () {
  "use strict";
  function value(row, column, numbers) {
    var cell = row.cells[column];
    if (!cell || cell.querySelector(".lost")) return null;
    var shown = cell.cloneNode(true);
    shown.querySelectorAll(".tag, .spread, .rest").forEach(function (part) { part.remove(); });
    var text = shown.textContent.trim();
    if (!numbers) return text;
    var number = parseFloat(cell.dataset.value || text);
    return isNaN(number) ? null : number;
  }

  // The rows of tables that are sorted, in the order of the plan.
  var planned = new Map();

  function plan(table) {
    if (planned.has(table)) planned.get(table).forEach(function (row) { table.tBodies[0].appendChild(row); });
    planned.delete(table);
  }

  // Puts the rows in the order that the heads of the table say.
  function sort(table) {
    plan(table);
    var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
    var column = heads.findIndex(function (head) { return head.hasAttribute("aria-sort"); });
    if (column < 0) return;
    planned.set(table, Array.prototype.slice.call(table.tBodies[0].rows));
    var way = heads[column].getAttribute("aria-sort") === "ascending" ? 1 : -1;
    var numbers = heads[column].classList.contains("number");
    var rows = planned.get(table).map(function (row, at) { return { row: row, at: at, key: value(row, column, numbers) }; });
    rows.sort(function (a, b) {
      if (a.key === null || b.key === null) return (a.key === null) - (b.key === null) || a.at - b.at;
      var order = numbers ? a.key - b.key : a.key.localeCompare(b.key, undefined, { numeric: true });
      return way * order || a.at - b.at;
    });
    rows.forEach(function (one) { table.tBodies[0].appendChild(one.row); });
  }

  function addButton(head) {
    if (head.querySelector("button.sort")) return;
    var button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    while (head.firstChild) button.appendChild(head.firstChild);
    head.appendChild(button);
  }

  function start() {
    document.querySelectorAll(".exhibit.table > .scroll > table.rows").forEach(function (table) {
      if (table.tBodies[0].rows.length > 2) Array.prototype.forEach.call(table.tHead.rows[0].cells, addButton);
      if (table.querySelector("thead [aria-sort]")) sort(table);
    });
  }

  document.addEventListener("click", function (event) {
    var head = event.target.closest("button.sort") && event.target.closest("th");
    if (!head) return;
    var now = head.getAttribute("aria-sort");
    var next = now === "ascending" ? "descending" : now === "descending" ? null : "ascending";
    Array.prototype.forEach.call(head.parentNode.cells, function (other) { other.removeAttribute("aria-sort"); });
    if (next) head.setAttribute("aria-sort", next);
    sort(head.closest("table"));
  });
  document.addEventListener("DOMContentLoaded", start);
  // What is changed in place is in the order of the plan.
  document.addEventListener("lessonc:change", function () { Array.from(planned.keys()).forEach(plan); });
  document.addEventListener("lessonc:changed", start);
})();
// Buttons that copy code, folded lines too, without its line numbers, the lines around it and those that a change took away.
(function () {
  "use strict";
  function copyButton(code) {
    if (!navigator.clipboard || code.parentNode.querySelector("button.copy")) return;
    var button = document.createElement("button");
    var words = document.documentElement.dataset;
    button.className = "copy";
    button.textContent = words.copy;
    button.addEventListener("click", function () {
      var lines = Array.prototype.filter.call(code.querySelectorAll("r-, ins, del"), function (line) {
        return line.tagName !== "DEL" && !line.classList.contains("outside");
      });
      var text = lines.map(function (line) { return line.textContent.replace(/\n$/, ""); }).join("\n") + "\n";
      if (!lines.length) text = code.textContent;
      navigator.clipboard.writeText(text).then(function () {
        button.textContent = words.copied;
        setTimeout(function () { button.textContent = words.copy; }, 1500);
      });
    });
    code.parentNode.appendChild(button);
  }

  function start() { document.querySelectorAll(".snippet > .code, .listing > .code").forEach(copyButton); }
  document.addEventListener("DOMContentLoaded", start);
  document.addEventListener("lessonc:changed", start);
})();
// Lines of a file's page have an address: the number of each leads to it, and an address that ends in #L12-L24 lights all of these lines,
// not the first alone. Only the lines that pages link to have an id as the page comes.
(function () {
  "use strict";
  // The lines of the page by number.
  function lines() {
    var found = [], number = 0;
    document.querySelectorAll(":is(.page-source, .page-transcript) .code r-").forEach(function (line) {
      number += Number(line.style.getPropertyValue("--by") || 1);
      found[number] = line;
    });
    return found;
  }

  function lead(found) {
    found.forEach(function (line, number) {
      if (line.firstChild.className === "at" || !line.textContent.trim()) return;
      var link = document.createElement("a"), name = "L" + number;
      link.className = "at";
      link.href = "#" + name;
      link.setAttribute("aria-label", name);
      if (line.id !== name) link.id = name;
      line.prepend(link);
    });
  }

  function light(found) {
    found.forEach(function (line) { line.classList.remove("named"); });
    var range = /^#L(\d+)(?:-L(\d+))?$/.exec(location.hash);
    if (!range) return;
    for (var number = Number(range[1]); number <= Math.min(range[2] || range[1], found.length); number += 1) {
      if (found[number]) found[number].classList.add("named");
    }
  }

  // The browser looked for the address before the lines had theirs.
  function go(found) {
    var number = /^#L(\d+)/.exec(location.hash), line = number && found[Number(number[1])];
    if (line && !document.querySelector(":target")) line.scrollIntoView();
  }

  function start() {
    var found = lines();
    lead(found);
    light(found);
    return found;
  }

  addEventListener("hashchange", function () { light(lines()); });
  document.addEventListener("DOMContentLoaded", function () { go(start()); });
  document.addEventListener("lessonc:changed", start);
})();
// Headings of the text lead to themselves, for readers who pass on where they are.
(function () {
  "use strict";
  function start() {
    document.querySelectorAll("article :is(h2, h3, h4, h5, h6)[id]:not(section > *)").forEach(function (heading) {
      if (heading.querySelector(".anchor")) return;
      var link = document.createElement("a");
      link.className = "anchor";
      link.href = "#" + heading.id;
      link.setAttribute("aria-label", document.documentElement.dataset.anchor);
      heading.appendChild(link);
    });
  }

  document.addEventListener("DOMContentLoaded", start);
  document.addEventListener("lessonc:changed", start);
})();
// The contents follow the reader: the heading that is being read is marked, and kept in sight in the sidebar.
(function () {
  "use strict";

  // The last heading at the window's top or above it, so that one that a reader went to is marked and not the next one below it; at the
  // page's end the last that is in sight.
  function current(headings) {
    var found = null;
    var line = 72;
    var end = window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 2;
    headings.forEach(function (heading) {
      var top = heading.getBoundingClientRect().top;
      if (top <= (end ? window.innerHeight : line)) found = heading;
    });
    return found;
  }

  // Moves the sidebar alone: `scrollIntoView` would move the page, too.
  function reveal(side, link) {
    var box = side.getBoundingClientRect(), own = link.getBoundingClientRect(), room = 48;
    if (own.top < box.top + room) side.scrollTop -= box.top + room - own.top;
    else if (own.bottom > box.bottom - room) side.scrollTop += own.bottom - box.bottom + room;
  }

  function follow(side) {
    var links, headings, marked = null, asked = false;
    function read() {
      links = Array.prototype.slice.call(side.querySelectorAll(".here a"));
      headings = links.map(function (link) { return document.getElementById(decodeURIComponent(link.hash.slice(1))); });
    }
    function mark() {
      asked = false;
      var heading = current(headings.filter(Boolean));
      var link = heading ? links[headings.indexOf(heading)] : null;
      if (link === marked) return;
      if (marked) marked.removeAttribute("aria-current");
      if (link) {
        link.setAttribute("aria-current", "location");
        reveal(side, link);
      }
      marked = link;
    }
    function ask() {
      if (!asked) requestAnimationFrame(mark);
      asked = true;
    }
    window.addEventListener("scroll", ask, { passive: true });
    window.addEventListener("resize", ask, { passive: true });
    var page = side.querySelector("[aria-current='page']");
    if (page) reveal(side, page);
    read();
    mark();
    document.addEventListener("lessonc:changed", function () {
      read();
      mark();
    });
    // Opened over the page, the contents have done their work once somebody follows a link.
    side.addEventListener("click", function (event) {
      if (event.target.closest("a") && side.hidePopover && side.matches(":popover-open")) side.hidePopover();
    });
  }

  document.addEventListener("DOMContentLoaded", function () {
    document.querySelectorAll("nav.side").forEach(follow);
  });
})();
// The way into the search: a button and the key `/`, which a reader can switch off. What searches is loaded when it is wanted first.
(function () {
  "use strict";
  var base = document.currentScript.src.replace(/assets\/[^/]*$/, "");
  function kept() { try { return localStorage.getItem("search-key"); } catch (error) { return null; } }
  function keep(value) { try { localStorage.setItem("search-key", value); } catch (error) { /* Private windows and files. */ } }

  function ready(button, dialog) {
    var key = dialog.querySelector("[type=checkbox]");
    var field = dialog.querySelector("[type=search]");
    var loaded = false;
    function failed() {
      loaded = false;
      dialog.querySelector("[role=status]").textContent = dialog.dataset.failed;
    }
    function open() {
      if (dialog.open) return;
      dialog.showModal();
      field.select();
      if (loaded) return;
      loaded = true;
      var script = document.createElement("script");
      script.src = base + "assets/search.js";
      script.onload = function () { if (window.lessonc_dialog) window.lessonc_dialog(dialog, base); else failed(); };
      script.onerror = failed;
      document.head.appendChild(script);
    }
    key.checked = kept() !== "off";
    key.addEventListener("change", function () { keep(key.checked ? "on" : "off"); });
    button.hidden = false;
    button.addEventListener("click", open);
    document.addEventListener("keydown", function (event) {
      var types = event.target.closest && event.target.closest("input, textarea, select, [contenteditable]");
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || dialog.open || !key.checked) return;
      // The dialog's own field may keep the focus for a moment after it closed.
      if (types && !dialog.contains(types)) return;
      event.preventDefault();
      open();
    });
    // A browser would take the first Escape to empty the field.
    dialog.addEventListener("keydown", function (event) {
      if (event.key !== "Escape" || event.isComposing) return;
      event.preventDefault();
      dialog.close();
    });
    // Beside the dialog is the page, dimmed: a click there closes it.
    dialog.addEventListener("click", function (event) { if (event.target === dialog) dialog.close(); });
  }

  document.addEventListener("DOMContentLoaded", function () {
    var button = document.querySelector("button.search");
    var dialog = document.querySelector("dialog.search");
    if (button && dialog && window.DecompressionStream) ready(button, dialog);
  });
})();
