// Rows without a vote: their commonest words, and groups of like rows; a click makes a rule.
import { get, post } from "./api.js";
import { load } from "./composer.js";
import { count, find, make, percent } from "./dom.js";
import { showRows } from "./rows.js";
import { say, store } from "./store.js";

const card = find("#topics");
let shown = null; // the version of the state that they belong to, and whether it was complete
let asking = null;
let turn = 0;
const PATIENCE = 600; // milliseconds without another act, as they take the server half a second

export async function showTopics(wanted) {
  card.hidden = !wanted;
  const mine = ++turn;
  const state = `${store.state.version} ${store.state.working}`;
  if (!wanted || shown === state) return;
  asking?.abort();
  if (shown !== null) await new Promise((go) => setTimeout(go, PATIENCE));
  if (mine !== turn) return;
  shown = state;
  asking = new AbortController();
  try {
    render(await get("/topics", {}, asking.signal));
  } catch (error) {
    if (error.name === "AbortError") return;
    shown = null;
    say(error.message);
  }
}

async function use(words) {
  try {
    const { rule } = await post("/propose", { words });
    load(rule);
  } catch (error) {
    say(error.message);
  }
}

function render({ rows, looked_at: looked, words, groups }) {
  const sample = looked < rows ? `In a sample of ${count(looked)} of them. ` : "";
  card.replaceChildren(
    make("div", { class: "askhead" }, make("h2", { id: "topics-title" }, "What rows without a vote say"),
      make("span", { class: "hint" }, words.length ? `${sample}A click puts words into the rule line.` : "They share no words.")),
    make("p", { class: "words" }, ...words.map(({ word, share }) => make("button", {
      type: "button", class: "topic", onclick: () => use(word),
    }, make("bdi", {}, word), make("small", {}, percent(share))))),
    groups.length ? make("table", { "aria-label": "Groups of like rows" }, make("tbody", {}, ...groups.map((group) => make("tr", {},
      make("td", {}, make("button", { type: "button", class: "topic", onclick: () => load({ kind: "words", class: null, words: group.words }) },
        make("bdi", {}, group.words.join(", ")))),
      make("td", { class: "n" }, percent(group.share)),
      make("td", { class: "n" }, make("button", {
        type: "button", class: "link",
        "aria-label": `Rows with words such as ${group.words.join(", ")}`,
        onclick: () => showRows({ what: "listed", rows: group.rows.join(), title: `Rows with words such as ${group.words.join(", ")}` }),
      }, "Rows")))))) : null);
}
