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
