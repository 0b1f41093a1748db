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
