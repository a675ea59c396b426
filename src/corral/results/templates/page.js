"use strict";
(() => {
  const number = (text) => {
    const value = parseFloat(text.replace(/,/g, ""));
    return Number.isNaN(value) ? null : value;
  };
  const compare = (a, b) => {
    const x = number(a), y = number(b);
    if (x !== null && y !== null) return x - y;
    return a.localeCompare(b, undefined, { numeric: true });
  };
  const sort = (table, column, descending) => {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row, at) => [row.cells[column].textContent.trim(), at, row]);
    // Empty cells stay last, whichever way.
    rows.sort(([a, i], [b, j]) =>
      (a === "") - (b === "") || (descending ? compare(b, a) : compare(a, b)) || i - j);
    body.append(...rows.map(([, , row]) => row));
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const first = head.classList.contains("n") ? "descending" : "ascending";
        const other = first === "descending" ? "ascending" : "descending";
        const way = head.getAttribute("aria-sort") === first ? other : first;
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", way);
        sort(table, column, way === "descending");
      });
    });
  }
  for (const line of document.querySelectorAll(".filter")) {
    const input = line.querySelector("input"), said = line.querySelector("output");
    const rows = [...line.nextElementSibling.querySelector("tbody").rows];
    const texts = rows.map((row) => row.textContent.toLowerCase());
    line.hidden = false;
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      let shown = 0;
      rows.forEach((row, at) => {
        row.hidden = !texts[at].includes(wanted);
        shown += !row.hidden;
      });
      said.textContent = wanted ? `${shown} of ${rows.length}` : "";
    });
  }
  // Within the frame of a notebook, a link to a part of the page would leave the page.
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    const part = link && document.getElementById(link.hash.slice(1));
    if (!part) return;
    event.preventDefault();
    part.tabIndex = -1;
    part.focus({ preventScroll: true });
    part.scrollIntoView();
  });
  // Paper cannot be unfolded.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((each) => { each.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((each) => { each.open = false; }));
})();
