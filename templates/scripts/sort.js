// Tables of rows sort by any column: up, down, and back to the order of the plan. Rows without a value come last.
(function () {
  "use strict";
  function value(row, column, numbers) {
    var cell = row.cells[column];
    if (!cell || cell.querySelector(".lost")) return null;
    var shown = cell.cloneNode(true);
    shown.querySelectorAll(".tag, .spread, .rest").forEach(function (part) { part.remove(); });
    var text = shown.textContent.trim();
    if (!numbers) return text;
    var number = parseFloat(cell.dataset.value || text);
    return isNaN(number) ? null : number;
  }

  function sortable(table) {
    var body = table.tBodies[0];
    var planned = Array.prototype.slice.call(body.rows);
    if (planned.length < 3) return;
    var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
    function sort(column, way) {
      var numbers = heads[column].classList.contains("number");
      var rows = planned.map(function (row, at) { return { row: row, at: at, key: value(row, column, numbers) }; });
      if (way) {
        rows.sort(function (a, b) {
          if (a.key === null || b.key === null) return (a.key === null) - (b.key === null) || a.at - b.at;
          var order = numbers ? a.key - b.key : a.key.localeCompare(b.key, undefined, { numeric: true });
          return way * order || a.at - b.at;
        });
      }
      rows.forEach(function (one) { body.appendChild(one.row); });
    }
    heads.forEach(function (head, column) {
      var button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      while (head.firstChild) button.appendChild(head.firstChild);
      head.appendChild(button);
      button.addEventListener("click", function () {
        var now = head.getAttribute("aria-sort");
        var next = now === "ascending" ? "descending" : now === "descending" ? null : "ascending";
        heads.forEach(function (other) { other.removeAttribute("aria-sort"); });
        if (next) head.setAttribute("aria-sort", next);
        sort(column, next === "ascending" ? 1 : next ? -1 : 0);
      });
    });
  }

  document.addEventListener("DOMContentLoaded", function () {
    document.querySelectorAll(".exhibit.table > .scroll > table.rows").forEach(sortable);
  });
})();
