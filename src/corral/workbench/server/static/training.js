// A classifier trained on the labels: how right it is, and what it contradicts.
import { get } from "./api.js";
import { chip, count, find, make, percent, tone } from "./dom.js";
import { showRows } from "./rows.js";
import { onState, store } from "./store.js";

const MOST_RULES = 5;
const card = find("#training");
const button = find("#train");
let version = null; // of the labels that it was trained on

button.addEventListener("click", train);

function close() {
  card.hidden = true;
  button.setAttribute("aria-expanded", "false");
  store.predicted = new Map();
  showRows({ what: "all" });
  button.focus();
}

async function train() {
  button.setAttribute("aria-expanded", "true");
  document.body.dataset.view = "rows";
  card.hidden = false;
  find("#rows-pane").scrollTop = 0;
  say("Training on the labels of a sample …");
  version = store.state.version;
  try {
    render(await get("/train"));
  } catch (error) {
    say(error.message);
  }
}

const head = () => make("div", { class: "askhead" }, make("h2", { id: "training-title" }, "A quick classifier"));
const ends = () => make("div", { class: "giving" },
  make("button", { type: "button", class: "button", onclick: train }, "Train again"),
  make("button", { type: "button", class: "quiet", onclick: close }, "Close"));

function say(text) {
  card.replaceChildren(head(), make("p", { role: "status" }, text), ends());
}

function render(found) {
  const { rules, contradictions, interval, shares } = found;
  const right = found.accuracy === null
    ? `Nothing says yet how often it is right: ${count(found.true_labels)} random rows are labelled. Label 20.`
    : `It is right on about ${percent(found.accuracy)} of all rows (${percent(interval[0])} to ${percent(interval[1])}, by ${count(found.true_labels)} random rows that it had not seen), also of those without a vote.`;
  const predicts = Object.entries(shares).map(([name, share]) => `${percent(share)} ${name}`).join(", ");
  const named = rules.slice(0, MOST_RULES).map(({ rule, votes, contradicted }) => {
    const { name, class: said } = store.state.rules.find((each) => each.id === rule) ?? { name: rule };
    return make("li", {}, make("span", { class: "chip", "data-tone": tone(said) }, make("bdi", {}, name)), ` ${percent(contradicted)} of ${count(votes)} votes`);
  });
  card.replaceChildren(head(),
    make("p", { role: "status" }, right),
    make("p", { class: "hint" }, `Trained on ${count(found.rows)} rows; it predicts ${predicts}.`),
    named.length ? make("p", { class: "hint" }, "It contradicts most:") : null,
    make("ul", { class: "contradicted" }, ...named),
    make("p", { class: "problem", id: "training-old" }), ends());
  store.predicted = new Map(contradictions.map((each) => [each.row, each]));
  const rows = contradictions.map(({ row }) => row).join();
  if (rows) showRows({ what: "listed", rows, title: "Rows the classifier contradicts, the surest first" });
}

onState((state) => {
  const old = find("#training-old");
  if (old) old.textContent = state.version === version ? "" : "Something was changed since it was trained.";
});
