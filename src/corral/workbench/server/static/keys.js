// Keys, and the list of them.
import * as asking from "./asking.js";
import * as composer from "./composer.js";
import { find, make } from "./dom.js";
import * as proposal from "./proposal.js";
import { give, openRow } from "./row.js";
import { focusedRow, moveBy } from "./rows.js";
import { attempt, store } from "./store.js";

const KEYS = [
  ["In the rule line", [["Enter", "add the rule, or save the one being changed"], ["Esc", "clear the line"], ["Alt+1 … Alt+9", "choose the class"]]],
  ["Anywhere else", [["n", "go to the rule line"], ["/", "search rows"], ["j  k", "next row, row before"], ["Enter", "on a row: the whole text, and why it has its label"],
    ["1 … 9", "label this row by hand; 0 takes the label back"], ["l", "label rows that corral asks about; then 1 … 9, and s to skip"],
    ["r", "make a rule of the words selected in a row"], ["u", "undo, also Ctrl+Z"], ["Shift+u", "redo, also Ctrl+Shift+Z"], ["?", "show these keys"]]],
];

function step(what) {
  if (store.state[`can_${what}`]) attempt({ what });
}

function showKeys() {
  const dialog = find("#keys");
  dialog.replaceChildren(
    make("h2", { id: "keys-title" }, "Keys"),
    ...KEYS.flatMap(([title, keys]) => [make("h3", { class: "hint" }, title),
      make("table", {}, make("tbody", {}, ...keys.map(([key, does]) => make("tr", {}, make("td", {}, make("kbd", {}, key)), make("td", {}, does)))))]),
    make("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Close"));
  dialog.showModal();
}

function labelFocused(name) {
  const row = focusedRow();
  if (row) give(Number(row.dataset.row), name, "chosen");
}

const plain = {
  n: () => composer.focus(),
  "/": () => { document.body.dataset.view = "rows"; find("#search").focus(); },
  j: () => moveBy(1), k: () => moveBy(-1), ArrowDown: () => moveBy(1), ArrowUp: () => moveBy(-1),
  l: asking.toggle,
  s: () => { if (asking.isOpen()) asking.skip(); },
  r: proposal.accept,
  u: () => step("undo"), U: () => step("redo"),
  "?": showKeys,
  0: () => labelFocused(null),
};

function onKey(event) {
  if (find("#keys").open) return;
  const typing = event.target.closest("input:not([type=radio]):not([type=range]), select, textarea");
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !(typing && typing.value)) {
    event.preventDefault();
    step(event.shiftKey ? "redo" : "undo");
    return;
  }
  if (event.key === "Escape") {
    proposal.hide();
    if (typing) typing.blur();
    return;
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const arrows = event.key.startsWith("Arrow");
  if (arrows && !focusedRow()) return; // they scroll, and move within radio buttons
  const row = focusedRow();
  if (event.key === "Enter" && row === event.target) {
    event.preventDefault();
    openRow(row);
  } else if (/^[1-9]$/.test(event.key)) {
    const at = Number(event.key) - 1;
    if (asking.isOpen() && !row) asking.giveByKey(at);
    else if (store.state.classes[at] !== undefined) labelFocused(store.state.classes[at]);
  } else if (plain[event.key]) {
    event.preventDefault();
    plain[event.key]();
  }
}

document.addEventListener("keydown", onKey);
find("#show-keys").addEventListener("click", showKeys);
find("#undo").addEventListener("click", () => step("undo"));
find("#redo").addEventListener("click", () => step("redo"));
