// What every page gains from JavaScript, one file a gain, joined in one script. Without it every page is whole.
// This one: a switch between light and dark, kept from page to page. The choice is read before the page is drawn.
(function () {
  "use strict";
  var root = document.documentElement;
  function kept() { try { return localStorage.getItem("theme"); } catch (error) { return null; } }
  function keep(theme) { try { localStorage.setItem("theme", theme); } catch (error) { /* Private windows and files. */ } }
  if (kept()) root.dataset.theme = kept();

  function themeButton(button) {
    var dark = matchMedia("(prefers-color-scheme: dark)");
    function isDark() { return root.dataset.theme ? root.dataset.theme === "dark" : dark.matches; }
    function show() { button.setAttribute("aria-pressed", String(isDark())); }
    button.hidden = false;
    button.addEventListener("click", function () {
      root.dataset.theme = isDark() ? "light" : "dark";
      keep(root.dataset.theme);
      show();
    });
    dark.addEventListener("change", show);
    show();
  }

  document.addEventListener("DOMContentLoaded", function () {
    document.querySelectorAll("button.theme").forEach(themeButton);
  });
})();
