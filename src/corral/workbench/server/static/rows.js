// The rows of a selection, or those that match the rule being typed.
import { get } from "./api.js";
import { clear, isEmpty, onPreview } from "./composer.js";
import { count, fill, find, make, plural, setText } from "./dom.js";
import { makeRow, openRow } from "./row.js";
import { onState, say, store } from "./store.js";
import { showTopics } from "./topics.js";

const PAGE = 50;
const FILTERS = [
  ["all", "All"], ["covered", "Covered"], ["uncovered", "No vote"], ["conflicting", "Conflicts"],
  ["changed", "Changed"], ["uncertain", "Uncertain"], ["labelled", "By hand"],
];
const TITLES = {
  all: "All rows", covered: "Rows with a vote", uncovered: "Rows without a vote",
  conflicting: "Rows on which rules contradict each other",
  changed: "Rows whose label the last act changed", uncertain: "Rows, the least certain first",
  labelled: "Rows labelled by hand", wrong: "Rows whose label differs from the hand label",
};
const RULE_TITLES = {
  covered: "covers", conflicting: "is contradicted on", only: "alone covers", wrong: "gets wrong",
};
const EMPTY = {
  uncovered: "Every row has a vote.", conflicting: "No two rules contradict each other here.",
  changed: "The last act changed no label.", search: "No row has these words.",
  covered: "No row has a vote yet. Type a word in the rule line and choose a class.",
  labelled: "No row is labelled by hand yet. Press l, and corral asks about rows.",
  wrong: "It gets no row wrong that is labelled by hand.",
};
const list = find("#rows");
let selection = { what: "all" };
let offset = 0;
let asking = null;
let turn = 0;

export async function showRows(chosen, from = 0) {
  selection = chosen;
  offset = from;
  if (chosen.what !== "search") find("#search").value = "";
  document.body.dataset.view = "rows";
  if (!isEmpty()) clear(); // a number was asked for: its rows come before those of the draft
  await loadRows();
  if (from === 0) find("#rows-pane").scrollTop = 0;
}

export async function loadRows() {
  const mine = ++turn;
  showTopics(selection.what === "uncovered");
  asking?.abort();
  asking = new AbortController();
  try {
    const { title: _, ...asked } = selection;
    const found = await get("/rows", { ...asked, offset, limit: PAGE }, asking.signal);
    if (mine === turn) render(found.rows, found.total, title(found.total), false);
  } catch (error) {
    if (error.name !== "AbortError") say(error.message);
  }
}

function title(total) {
  if (selection.what === "search") return [`${plural(total, "row")} with `, make("code", { dir: "auto" }, selection.words)];
  if (selection.title !== undefined) return [selection.title];
  if (selection.rule === undefined) return [TITLES[selection.what]];
  const rule = store.state.rules.find((each) => each.id === selection.rule);
  return [`${plural(total, "row")} that `, make("code", { dir: "auto" }, rule?.name ?? "a removed rule"), ` ${RULE_TITLES[selection.what]}`];
}

function render(rows, total, heading, drafted) {
  find("#rows-title").replaceChildren(...heading);
  list.dataset.drafted = drafted;
  list.dataset.version = store.state.version;
  const focused = focusedRow()?.dataset.row;
  const open = [...list.querySelectorAll(":scope > [data-open=true]")].map((item) => item.dataset.row);
  fill(list, rows, (row) => `${row.row} ${drafted} ${store.state.version} ${store.predicted.has(row.row)} ${JSON.stringify(row.spans)}`, makeRow);
  for (const item of list.children) { // what was open stays open, and the focus where it was
    if (open.includes(item.dataset.row) && item.dataset.open !== "true") openRow(item);
    if (item.dataset.row === focused && !focusedRow()) focusRow(item);
  }
  const empty = find("#no-rows");
  empty.hidden = rows.length > 0;
  setText(empty, drafted ? "No row has this." : EMPTY[selection.what] ?? "There are no such rows.");
  find("#pager").hidden = drafted || total <= PAGE;
  setText(find("#range"), total ? `${count(offset + 1)} to ${count(offset + rows.length)} of ${count(total)}` : "");
  find("#previous").disabled = offset === 0;
  find("#next").disabled = offset + PAGE >= total;
  for (const button of find("#filters").children) {
    button.setAttribute("aria-pressed", !drafted && button.dataset.key === selection.what && selection.rule === undefined);
  }
}

onPreview((found) => {
  if (found === null) {
    const { drafted, version } = list.dataset;
    if (drafted === "true" || Number(version) !== store.state.version) loadRows();
    return;
  }
  turn += 1; // rows of a selection that are still under way come too late
  const some = found.matching.length < found.covered ? `, ${found.matching.length} of ${count(found.covered)}` : "";
  render(found.matching, found.covered, [`Rows that match what you type${some}`], true);
  find("#rows-pane").scrollTop = 0;
});

find("#previous").addEventListener("click", () => turnPage(-PAGE));
find("#next").addEventListener("click", () => turnPage(PAGE));
async function turnPage(by) {
  offset = Math.max(0, offset + by);
  await loadRows();
  find("#rows-pane").scrollTop = 0;
  find("#rows-title").focus({ preventScroll: true });
}

const search = find("#search");
search.addEventListener("input", () => {
  const words = search.value.trim();
  if (!isEmpty()) clear();
  selection = words ? { what: "search", words } : { what: "all" };
  offset = 0;
  loadRows();
});

onState((state, before) => {
  fill(
    find("#filters"), FILTERS, ([what]) => what,
    ([what, words]) => make("button", { type: "button", "aria-pressed": "false", onclick: () => showRows({ what }) }, words),
  );
  const gone = selection.rule !== undefined && !state.rules.some((rule) => rule.id === selection.rule);
  if (gone) selection = { what: "all" };
  const moved = !before || before.version !== state.version || before.working !== state.working;
  if (moved && isEmpty()) loadRows();
});

// Up and down, j and k: from row to row.
export function moveBy(step) {
  const rows = [...list.children];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[Math.min(rows.length - 1, Math.max(0, at + step))];
  if (next) focusRow(next);
}
function focusRow(item) {
  for (const row of list.children) row.tabIndex = row === item ? 0 : -1;
  item.focus();
}
export const focusedRow = () => document.activeElement?.closest("#rows > li") ?? null;
