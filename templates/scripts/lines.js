// An address that ends in #L12-L24 lights all of these lines, not the first alone.
(function () {
  "use strict";
  function light() {
    document.querySelectorAll(".line.named").forEach(function (line) { line.classList.remove("named"); });
    var range = /^#L(\d+)-L(\d+)$/.exec(location.hash);
    for (var number = range ? Number(range[1]) : 1; range && number <= Number(range[2]); number += 1) {
      var line = document.getElementById("L" + number);
      if (line) line.classList.add("named");
    }
  }

  addEventListener("hashchange", light);
  document.addEventListener("DOMContentLoaded", light);
  document.addEventListener("lessonc:changed", light);
})();
