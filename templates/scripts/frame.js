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
