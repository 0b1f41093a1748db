// Which device's figures are shown, kept from page to page; the page's head reads the choice before anything is drawn. What is read
// stays where it is.
(function () {
  "use strict";
  var root = document.documentElement;
  var devices = (root.dataset.devices || "").split(" ").filter(Boolean);
  if (devices.length < 2) return;
  function keep(index) { try { localStorage.setItem("lessonc-device", devices[index]); } catch (refused) { /* Private windows. */ } }

  function isShown(element) { return element.getClientRects().length > 0; }

  // What a link leads to, or that of the device that is shown.
  function target() {
    var id = decodeURIComponent(location.hash.slice(1));
    var element = id && document.getElementById(id);
    if (!element || isShown(element)) return;
    var here = document.getElementById(id.replace(/-on-\d+$/, "") + (root.dataset.device === "0" ? "" : "-on-" + root.dataset.device));
    if (here) here.scrollIntoView();
  }

  // The first part of the page below its upper edge that is shown whatever the device, and where it is.
  function anchor() {
    var parts = document.querySelectorAll("article > :not(.on):not(.devices)");
    for (var i = 0; i < parts.length; i++) {
      var box = parts[i].getBoundingClientRect();
      if (box.bottom > 60 && box.height > 0) return { part: parts[i], top: box.top };
    }
    return null;
  }

  function choose(index) {
    var before = anchor();
    root.dataset.device = String(index);
    keep(index);
    if (before) scrollBy({ top: before.part.getBoundingClientRect().top - before.top, behavior: "instant" });
  }

  function show() {
    document.querySelectorAll(".devices input").forEach(function (input) { input.checked = input.value === root.dataset.device; });
  }

  document.addEventListener("change", function (event) { if (event.target.closest(".devices")) choose(Number(event.target.value)); });
  document.addEventListener("DOMContentLoaded", function () {
    show();
    target();
  });
  document.addEventListener("lessonc:changed", show);
  addEventListener("hashchange", target);
})();
