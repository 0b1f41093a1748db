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
