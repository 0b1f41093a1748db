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
