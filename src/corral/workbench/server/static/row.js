// One row: its text, its label, the votes, and on demand what made the label.
import { get } from "./api.js";
import { chip, count, make, percent, tone, track } from "./dom.js";
import { attempt, say, store } from "./store.js";
import { textNodes } from "./texts.js";

const nameOf = (id) => store.state.rules.find((rule) => rule.id === id)?.name ?? id;

export function makeRow(row, index) {
  const item = make("li", { tabindex: index === 0 ? 0 : -1, "data-row": row.row });
  item.append(
    make("button", {
      type: "button", class: "at", tabindex: -1, onclick: () => openRow(item),
      "aria-label": `Row ${count(row.row + 1)}: why this label`,
    }, count(row.row + 1)),
    make("p", { class: "text", dir: "auto", onclick: (event) => openByText(event, item) }, ...excerpt(row)),
    verdict(row),
    votes(row),
  );
  return item;
}

// A click opens the row; a double click, or a drag, selects words instead.
function openByText(event, item) {
  if (event.detail !== 1) return;
  setTimeout(() => { if (getSelection().isCollapsed) openRow(item); }, 250);
}

function excerpt(row) {
  const nodes = textNodes(row.text, row.spans);
  if (row.begins) nodes.unshift("… ");
  if (row.more) nodes.push(" …");
  return nodes;
}

function verdict(row) {
  const box = make("div", { class: "verdict" });
  if (row.label === null) {
    const voted = row.votes && Object.keys(row.votes).length;
    box.append(make("span", { class: "chip" }, make("bdi", {}, voted ? "undecided" : "no label")));
  } else if (row.probabilities) {
    const sure = row.probabilities[row.label];
    box.append(chip(row.label, make("small", {}, percent(sure))), track(sure, row.label));
    if (row.majority !== row.label) box.append(make("small", {}, row.majority === null ? "vote is tied" : `vote: ${row.majority}`));
  } else box.append(chip(row.label));
  const trained = store.predicted.get(row.row);
  if (trained) box.append(make("small", {}, `classifier: ${trained.predicted} ${percent(trained.probability)}`));
  if (row.hand) {
    const right = row.label === null || row.hand.class === row.label;
    box.append(make("small", { class: right ? "hand" : "hand other" }, `by hand: ${row.hand.class}`));
  }
  return box;
}

const votes = (row) => make("div", { class: "votes" },
  ...Object.entries(row.votes ?? {}).map(([rule, name]) => make("span", {
    class: "chip", "data-tone": tone(name), title: `${nameOf(rule)} votes ${name}`,
  }, make("bdi", {}, nameOf(rule)))));

// Buttons that say which class a row has; the key is its number.
export function classButtons(hand, choose) {
  return store.state.classes.map((name, at) => make("button", {
    type: "button", class: "give", "data-tone": tone(name), "aria-pressed": hand?.class === name,
    onclick: () => choose(hand?.class === name ? null : name),
  }, make("bdi", {}, name), at < 9 ? make("kbd", {}, String(at + 1)) : null));
}

// Label a row by hand; whether that was done.
export const give = (row, name, how) => attempt({ what: "label_row", row, class: name, how });

export async function openRow(item) {
  if (item.dataset.open === "true") {
    item.querySelector(".more")?.remove();
    item.dataset.open = false;
    return;
  }
  item.dataset.open = true; // at once: a list that is made anew meanwhile opens it, too
  try {
    const row = await get(`/row/${item.dataset.row}`);
    if (item.dataset.open !== "true") return;
    item.querySelector(".text").replaceChildren(...excerpt(row));
    item.append(make("div", { class: "more" },
      row.more ? make("p", { class: "hint" }, `The text has ${count(row.length)} characters; this is a part of it.`) : null,
      explanation(row), cells(row),
      make("div", { class: "giving" }, "This row is", ...classButtons(row.hand, (name) => give(row.row, name, "chosen")))));
  } catch (error) {
    item.dataset.open = false;
    say(error.message);
  }
}

function explanation(row) {
  if (!row.explanation?.length) return make("p", { class: "hint" }, "No rule votes on this row.");
  return make("div", { class: "parts" }, ...row.explanation.flatMap((part) => [
    make("span", { class: "chip", "data-tone": tone(part.vote) }, make("bdi", {}, part.rule === null ? part.constraint : nameOf(part.rule))),
    track(Math.min(1, Math.abs(part.share)), part.vote),
    make("span", {}, `${part.share < 0 ? "−" : "+"}${percent(Math.abs(part.share))}`),
  ]));
}

const cells = (row) => make("p", { class: "hint cells" },
  ...Object.entries(row.cells).flatMap(([name, value]) => [make("bdi", {}, name), " ", make("b", { dir: "auto" }, value === null ? "–" : String(value)), " "]));
