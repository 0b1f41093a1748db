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
