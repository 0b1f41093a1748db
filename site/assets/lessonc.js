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
// Buttons that copy code without its line numbers and without lines that a change took away.
(function () {
  "use strict";
  function copyButton(code) {
    if (!navigator.clipboard) return;
    var button = document.createElement("button");
    var words = document.documentElement.dataset;
    button.className = "copy";
    button.textContent = words.copy;
    button.addEventListener("click", function () {
      var lines = Array.prototype.filter.call(code.querySelectorAll(".line"), function (line) { return line.tagName !== "DEL"; });
      var text = lines.map(function (line) { return line.textContent.replace(/\n$/, ""); }).join("\n") + "\n";
      navigator.clipboard.writeText(text).then(function () {
        button.textContent = words.copied;
        setTimeout(function () { button.textContent = words.copy; }, 1500);
      });
    });
    code.parentNode.appendChild(button);
  }

  document.addEventListener("DOMContentLoaded", function () {
    document.querySelectorAll(".snippet > .code").forEach(copyButton);
  });
})();
// The table of contents is folded where it would stand in the way.
(function () {
  "use strict";
  document.addEventListener("DOMContentLoaded", function () {
    if (matchMedia("(max-width: 87.99rem)").matches) {
      document.querySelectorAll("details.contents").forEach(function (contents) { contents.open = false; });
    }
  });
})();
