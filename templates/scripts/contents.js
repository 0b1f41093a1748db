// The contents follow the reader: the heading that is being read is marked, and kept in sight in the sidebar.
(function () {
  "use strict";

  // The last heading at the window's top or above it, so that one that a reader went to is marked and not the next one below it; at the
  // page's end the last that is in sight.
  function current(headings) {
    var found = null;
    var line = 72;
    var end = window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 2;
    headings.forEach(function (heading) {
      var top = heading.getBoundingClientRect().top;
      if (top <= (end ? window.innerHeight : line)) found = heading;
    });
    return found;
  }

  // Moves the sidebar alone: `scrollIntoView` would move the page, too.
  function reveal(side, link) {
    var box = side.getBoundingClientRect(), own = link.getBoundingClientRect(), room = 48;
    if (own.top < box.top + room) side.scrollTop -= box.top + room - own.top;
    else if (own.bottom > box.bottom - room) side.scrollTop += own.bottom - box.bottom + room;
  }

  function follow(side) {
    var links, headings, marked = null, asked = false;
    function read() {
      links = Array.prototype.slice.call(side.querySelectorAll(".here a"));
      headings = links.map(function (link) { return document.getElementById(decodeURIComponent(link.hash.slice(1))); });
    }
    function mark() {
      asked = false;
      var heading = current(headings.filter(Boolean));
      var link = heading ? links[headings.indexOf(heading)] : null;
      if (link === marked) return;
      if (marked) marked.removeAttribute("aria-current");
      if (link) {
        link.setAttribute("aria-current", "location");
        reveal(side, link);
      }
      marked = link;
    }
    function ask() {
      if (!asked) requestAnimationFrame(mark);
      asked = true;
    }
    window.addEventListener("scroll", ask, { passive: true });
    window.addEventListener("resize", ask, { passive: true });
    var page = side.querySelector("[aria-current='page']");
    if (page) reveal(side, page);
    read();
    mark();
    document.addEventListener("lessonc:changed", function () {
      read();
      mark();
    });
    // Opened over the page, the contents have done their work once somebody follows a link.
    side.addEventListener("click", function (event) {
      if (event.target.closest("a") && side.hidePopover && side.matches(":popover-open")) side.hidePopover();
    });
  }

  document.addEventListener("DOMContentLoaded", function () {
    document.querySelectorAll("nav.side").forEach(follow);
  });
})();
