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

  // The rows of tables that are sorted, in the order of the plan.
  var planned = new Map();

  function plan(table) {
    if (planned.has(table)) planned.get(table).forEach(function (row) { table.tBodies[0].appendChild(row); });
    planned.delete(table);
  }

  // Puts the rows in the order that the heads of the table say.
  function sort(table) {
    plan(table);
    var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
    var column = heads.findIndex(function (head) { return head.hasAttribute("aria-sort"); });
    if (column < 0) return;
    planned.set(table, Array.prototype.slice.call(table.tBodies[0].rows));
    var way = heads[column].getAttribute("aria-sort") === "ascending" ? 1 : -1;
    var numbers = heads[column].classList.contains("number");
    var rows = planned.get(table).map(function (row, at) { return { row: row, at: at, key: value(row, column, numbers) }; });
    rows.sort(function (a, b) {
      if (a.key === null || b.key === null) return (a.key === null) - (b.key === null) || a.at - b.at;
      var order = numbers ? a.key - b.key : a.key.localeCompare(b.key, undefined, { numeric: true });
      return way * order || a.at - b.at;
    });
    rows.forEach(function (one) { table.tBodies[0].appendChild(one.row); });
  }

  function addButton(head) {
    if (head.querySelector("button.sort")) return;
    var button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    while (head.firstChild) button.appendChild(head.firstChild);
    head.appendChild(button);
  }

  function start() {
    document.querySelectorAll(".exhibit.table > .scroll > table.rows").forEach(function (table) {
      if (table.tBodies[0].rows.length > 2) Array.prototype.forEach.call(table.tHead.rows[0].cells, addButton);
      if (table.querySelector("thead [aria-sort]")) sort(table);
    });
  }

  document.addEventListener("click", function (event) {
    var head = event.target.closest("button.sort") && event.target.closest("th");
    if (!head) return;
    var now = head.getAttribute("aria-sort");
    var next = now === "ascending" ? "descending" : now === "descending" ? null : "ascending";
    Array.prototype.forEach.call(head.parentNode.cells, function (other) { other.removeAttribute("aria-sort"); });
    if (next) head.setAttribute("aria-sort", next);
    sort(head.closest("table"));
  });
  document.addEventListener("DOMContentLoaded", start);
  // What is changed in place is in the order of the plan.
  document.addEventListener("lessonc:change", function () { Array.from(planned.keys()).forEach(plan); });
  document.addEventListener("lessonc:changed", start);
})();
