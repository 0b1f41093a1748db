// Where a figure comes from: its note stays within the window, goes with Escape, and comes by touch too.
(function () {
  "use strict";
  var MARGIN = 8;
  var shown = null;

  function place() {
    if (!shown) return;
    var note = shown.querySelector(".note");
    var box = shown.getClientRects()[0];
    if (!note || !box) return;
    var width = Math.min(384, document.documentElement.clientWidth - 2 * MARGIN);
    note.style.maxInlineSize = width + "px";
    var size = note.getBoundingClientRect();
    // One that has no room in the window at all scrolls.
    note.style.overflowY = size.height > innerHeight - 2 * MARGIN - 1 ? "auto" : "";
    var left = Math.max(MARGIN, Math.min(box.left, document.documentElement.clientWidth - MARGIN - size.width));
    var below = box.bottom + 5;
    var above = box.top - 5 - size.height;
    var lowest = innerHeight - MARGIN - size.height;
    note.style.left = left + "px";
    // One that has no room on either side lies over its figure, whose value it says.
    note.style.top = (below <= lowest ? below : above >= MARGIN ? above : Math.max(MARGIN, lowest)) + "px";
  }

  function show(figure) {
    if (shown === figure) return;
    hide();
    shown = figure;
    figure.classList.add("noted");
    place();
  }

  function hide() {
    if (!shown) return;
    shown.classList.remove("noted");
    shown = null;
  }

  function figureOf(event) {
    return event.target.closest ? event.target.closest(".figure") : null;
  }

  document.documentElement.classList.add("places-notes");
  document.addEventListener("pointerover", function (event) {
    var figure = figureOf(event);
    if (event.pointerType === "mouse" && figure) show(figure);
    else if (event.pointerType === "mouse" && shown && !shown.contains(document.activeElement)) hide();
  });
  document.addEventListener("focusin", function (event) {
    var figure = figureOf(event);
    if (figure) show(figure); else hide();
  });
  // The focus may go on into a note that scrolls.
  document.addEventListener("focusout", function (event) {
    if (shown && figureOf(event) === shown && !shown.contains(event.relatedTarget)) hide();
  });
  document.addEventListener("click", function (event) {
    var figure = figureOf(event);
    if (figure) show(figure); else hide();
  });
  document.addEventListener("keydown", function (event) { if (event.key === "Escape") hide(); });
  addEventListener("scroll", place, { passive: true, capture: true });
  addEventListener("resize", place);
})();
