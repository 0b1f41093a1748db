// The table of contents is folded where it would stand in the way.
(function () {
  "use strict";
  document.addEventListener("DOMContentLoaded", function () {
    if (matchMedia("(max-width: 87.99rem)").matches) {
      document.querySelectorAll("details.contents").forEach(function (contents) { contents.open = false; });
    }
  });
})();
