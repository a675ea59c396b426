// One row: its text, its label, the votes, and on demand what made the label.
import { get } from "./api.js";
import { chip, count, make, percent, tone, track } from "./dom.js";
import { act, say, store } from "./store.js";
import { textNodes } from "./texts.js";

export function makeRow(row, index) {
  const item = make("li", { tabindex: index === 0 ? 0 : -1, "data-row": row.row });
  item.append(
    make("button", { type: "button", class: "at", tabindex: -1, "aria-label": `Row ${count(row.row + 1)}: why this label`, onclick: () => openRow(item) }, count(row.row + 1)),
    make("p", { class: "text", dir: "auto" }, row.begins ? "…" : "", ...textNodes(row.text, row.spans), row.more ? "…" : ""),
    verdict(row),
    votes(row),
  );
  item.addEventListener("dblclick", (event) => {
    if (!event.target.closest(".text")) openRow(item);
  });
  return item;
}

function verdict(row) {
  const box = make("div", { class: "verdict" });
  if (row.label === null) {
    box.append(make("span", { class: "chip" }, make("bdi", {}, row.votes.length ? "tied" : "no label")));
  } else {
    const sure = row.labels?.[row.label] ?? null;
    box.append(chip(row.label, make("small", {}, percent(sure))), track(sure, row.label));
    if (row.majority !== row.label) box.append(make("small", {}, row.majority === null ? "vote is tied" : `vote: ${row.majority}`));
  }
  if (row.hand !== null) {
    const right = row.label === null || row.hand === row.label;
    box.append(make("small", { class: right ? "hand" : "hand other" }, `by hand: ${row.hand}`));
  }
  return box;
}

const votes = (row) => make("div", { class: "votes" },
  ...row.votes.map((vote) => make("span", { class: "chip", "data-tone": tone(vote.class), title: `${vote.name} votes ${vote.class}` }, make("bdi", {}, vote.name))));

// Buttons that say which class a row has; the key is its number.
export function classButtons(row, hand, how, done) {
  return store.state.classes.map((name, at) => make("button", {
    type: "button", class: "give", "data-tone": tone(name), "aria-pressed": hand === name,
    onclick: () => give(row, hand === name ? null : name, how, done),
  }, make("bdi", {}, name), at < 9 ? make("kbd", {}, String(at + 1)) : null));
}

export async function give(row, name, how, done = () => {}) {
  try {
    await act({ what: "label_row", row, class: name, how });
    done();
  } catch (error) {
    say(error.message);
  }
}

export async function openRow(item) {
  const open = item.querySelector(".more");
  if (open) {
    open.remove();
    item.dataset.open = false;
    return;
  }
  try {
    const row = await get(`/row/${item.dataset.row}`);
    item.dataset.open = true;
    const cut = row.cut ? make("span", { class: "control" }, "the rest is not shown") : "";
    item.querySelector(".text").replaceChildren(...textNodes(row.text, row.spans), cut);
    item.append(make("div", { class: "more" }, explanation(row),
      make("div", { class: "giving" }, "This row is", ...classButtons(row.row, row.hand, "chosen"))));
  } catch (error) {
    say(error.message);
  }
}

export function explanation(row) {
  if (!row.parts.length) return make("p", { class: "hint" }, "No rule votes on this row.");
  return make("div", { class: "parts" }, ...row.parts.flatMap((part) => [
    make("span", { class: "chip", "data-tone": tone(part.class) }, make("bdi", {}, part.name)),
    track(Math.abs(part.share), part.class),
    make("span", {}, `${part.share < 0 ? "−" : "+"}${percent(Math.abs(part.share))}`),
  ]));
}
