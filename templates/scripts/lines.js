// Lines of code that have an address: the number of each leads to it, and an address that ends in #L12-L24 lights all of these lines, not
// the first alone.
(function () {
  "use strict";
  function lead() {
    document.querySelectorAll("r-[id]").forEach(function (line) {
      if (line.firstChild.className === "at" || !line.textContent.trim()) return;
      var link = document.createElement("a");
      link.className = "at";
      link.href = "#" + line.id;
      link.setAttribute("aria-label", line.id.slice(1));
      line.prepend(link);
    });
  }

  function light() {
    document.querySelectorAll("r-.named").forEach(function (line) { line.classList.remove("named"); });
    var range = /^#L(\d+)-L(\d+)$/.exec(location.hash);
    for (var number = range ? Number(range[1]) : 1; range && number <= Number(range[2]); number += 1) {
      var line = document.getElementById("L" + number);
      if (line) line.classList.add("named");
    }
  }

  function start() {
    lead();
    light();
  }

  addEventListener("hashchange", light);
  document.addEventListener("DOMContentLoaded", start);
  document.addEventListener("lessonc:changed", start);
})();
