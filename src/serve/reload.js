// Loads the page again when the preview shows another generation than the one that the page came from.
(function () {
  "use strict";
  var mine = document.currentScript.dataset.generation;
  var events = new EventSource("/_lessonc/events");
  events.addEventListener("generation", function (event) {
    if (event.data !== mine) {
      events.close();
      location.reload();
    }
  });
  // An open stream would keep this page out of the way of the next one.
  addEventListener("pagehide", function () { events.close(); });
})();
