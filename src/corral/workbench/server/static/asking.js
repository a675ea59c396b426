// Rows that corral asks about: one key labels one.
import { get } from "./api.js";
import { count, find, make, percent, plural, setText } from "./dom.js";
import { classButtons, give } from "./row.js";
import { onState, say, store } from "./store.js";
import { textNodes } from "./texts.js";

const card = find("#asking");
const button = find("#label-rows");
const HINTS = {
  suggested: "Rows that teach most about the rules. Labels learn from them once 20 are labelled.",
  random: "Rows drawn by lot. Only they show how right the labels are.",
};
let how = "suggested";
let asked = null;
let answered = ""; // what was said of the row before
let turn = 0; // of the question that is under way
let skipped = []; // rows that were not wanted, the latest last

export const isOpen = () => !card.hidden;

export async function toggle() {
  card.hidden = isOpen();
  button.setAttribute("aria-expanded", isOpen());
  if (!isOpen()) {
    button.focus();
    return;
  }
  document.body.dataset.view = "rows";
  find("#rows-pane").scrollTop = 0;
  if (!store.state.rules.length) how = "random"; // nothing to suggest by
  await next();
  card.querySelector(".give")?.focus();
}

async function next() {
  const mine = ++turn;
  try {
    const found = await get("/ask", { how, skip: skipped.join(",") || null });
    if (mine !== turn) return;
    asked = found;
    render();
  } catch (error) {
    if (mine !== turn) return;
    asked = null;
    render(error.message);
  }
}

// The key of a class, while the card is open.
export function giveByKey(at) {
  const name = store.state.classes[at];
  if (name !== undefined) label(name);
}

// A row counts as what it was asked as, even if the other kind was chosen meanwhile; and a
// key that comes before the next row belongs to none.
async function label(name) {
  if (asked === null) return;
  const row = asked;
  asked = null;
  if (!await give(row.row, name, row.how)) {
    asked = row;
    return;
  }
  answered = name === null ? "" : compare(row, name);
  await next();
}

// Only now: whoever sees what the rules say of a row agrees with them too often.
function compare(row, name) {
  const said = row.label === null || row.label === undefined ? "it had no label"
    : row.label === name ? `its label was ${row.label}, too (${percent(row.probabilities[row.label])})`
      : `its label was ${row.label} (${percent(row.probabilities[row.label])})`;
  return `Row ${count(row.row + 1)} is ${name}; ${said}. `;
}

export function skip() {
  if (asked) skipped = [...skipped, asked.row].slice(-100);
  return next();
}

function render(problem = null) {
  const choice = (value, words, why) => make("label", { title: why }, make("input", {
    type: "radio", name: "how", value, checked: how === value, onchange: () => { how = value; asked = null; next(); },
  }), make("span", {}, words));
  const focused = card.contains(document.activeElement);
  card.replaceChildren(
    make("div", { class: "askhead" },
      make("h2", { id: "asking-title" }, asked ? `What is row ${count(asked.row + 1)}?` : "Label rows"),
      make("fieldset", { class: "kinds" }, make("legend", {}, "Which rows"),
        choice("suggested", "Suggested", HINTS.suggested),
        choice("random", "Random", HINTS.random)),
      make("span", { class: "hint" }, HINTS[how])),
    problem === null
      ? make("p", { class: "text", dir: "auto", tabindex: 0 }, ...textNodes(asked.text))
      : make("p", { class: "problem" }, problem),
    make("div", { class: "giving" }, ...(asked ? classButtons(asked.hand, label) : []),
      make("button", { type: "button", class: "quiet", onclick: skip }, "Skip ", make("kbd", {}, "s")),
      make("button", { type: "button", class: "quiet", onclick: toggle }, "Done ", make("kbd", {}, "l"))),
    score(store.state.hand_labels),
  );
  if (focused) card.querySelector(".give")?.focus();
}

function score(hand) {
  const given = `${plural(hand.random, "random row")} and ${plural(hand.suggested, "suggested one")} labelled. `;
  if (hand.accuracy === null) return make("p", { class: "score" }, answered, given, hand.why_not ?? "");
  return make("p", { class: "score" }, answered, given, "On random rows with a vote, labels are right on ",
    make("b", {}, percent(hand.accuracy)), ` (${percent(hand.interval[0])} to ${percent(hand.interval[1])})`,
    `, a majority vote on ${percent(hand.majority_accuracy)}. `,
    hand.note ?? "");
}

button.addEventListener("click", toggle);
onState(({ hand_labels: hand }) => {
  const shown = hand.accuracy !== null ? `${percent(hand.accuracy)} right (${percent(hand.interval[0])} to ${percent(hand.interval[1])})` : "";
  setText(find("#accuracy"), shown);
  find("#accuracy").title = `on ${count(hand.measured)} random rows labelled by hand that have a vote. ${hand.note ?? ""}`;
  const line = card.querySelector(".score");
  if (line) line.replaceWith(score(store.state.hand_labels));
});
