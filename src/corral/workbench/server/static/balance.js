// All rules together: totals, shares of the classes, and what is known of these.
import { count, fill, find, make, parseNumber, percent, setText, setTrack, share, tone, track } from "./dom.js";
import { showRows } from "./rows.js";
import { act, onState, store } from "./store.js";

const TOTALS = [
  ["covered", "Covered"],
  ["conflicting", "Conflicts"],
  ["uncovered", "No vote"],
  ["changed", "Changed"],
];
const body = find("#balance tbody");
const problem = find("#balance-problem");

function percentField(name, end) {
  const field = make("input", {
    class: "field percent", inputmode: "decimal", placeholder: "–", "data-end": end, "aria-describedby": "balance-problem",
    "aria-label": `${name}: ${end === "at_least" ? "at least" : "at most"}, percent`,
  });
  field.addEventListener("change", () => send(name, field));
  return field;
}

async function send(name, field) {
  const line = field.closest("tr");
  const bounds = {};
  try {
    for (const each of line.querySelectorAll("[data-end]")) {
      const value = parseNumber(each.value);
      if (Number.isNaN(value)) throw new Error(`A share must be a number from 0 to 100, not “${each.value}”.`);
      bounds[each.dataset.end] = value === null ? null : value / 100;
    }
    await act({ what: "set_balance", class: name, ...bounds });
    setText(problem, "");
    field.removeAttribute("aria-invalid");
  } catch (error) {
    setText(problem, error.message);
    field.setAttribute("aria-invalid", "true");
  }
}

onState((state) => {
  fill(
    find("#totals"), TOTALS, ([key]) => key,
    ([key, words]) => make("div", {}, make("dt", {}, words), make("dd", {},
      make("button", { type: "button", class: "count", onclick: () => showRows({ what: key }) }), make("small"))),
    (box, [key, words]) => {
      const value = state.totals[key];
      const button = box.querySelector("button");
      setText(button, share(value, state.totals.rows) || "–");
      button.disabled = !value;
      button.setAttribute("aria-label", `${words}: ${count(value)} rows`);
      setText(box.querySelector("small"), ` ${count(value)}`);
    },
  );
  fill(
    body, state.classes, (name) => name,
    (name) => make("tr", { "data-tone": tone(name) },
      make("th", { scope: "row", title: name }, make("span", { class: "chip" }, make("bdi", {}, name))),
      make("td", {}, make("span", { class: "share" }, track(0, name, 0), make("span"))),
      make("td", { class: "n" }),
      make("td", { class: "n" }, percentField(name, "at_least")),
      make("td", { class: "n" }, percentField(name, "at_most"))),
    (row, name) => {
      const labels = state.shares[name];
      const vote = state.majority_shares[name];
      setTrack(row.querySelector(".track"), labels, vote);
      setText(row.querySelector(".share span:last-child"), percent(labels));
      setText(row.children[2], percent(vote));
      for (const field of row.querySelectorAll("[data-end]")) {
        const value = state.balance[name]?.[field.dataset.end] ?? null;
        if (document.activeElement !== field) field.value = value === null ? "" : `${+(value * 100).toFixed(2)}%`;
      }
    },
  );
  find("#balance").hidden = state.classes.length < 2;
  showFeasibility(state);
});

find("#add-class").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = find("#new-class");
  const name = field.value.trim();
  if (!name) return;
  try {
    await act({ what: "set_classes", classes: [...store.state.classes, name] });
    setText(problem, "");
    field.value = "";
  } catch (error) {
    setText(problem, error.message);
  }
});

function showFeasibility(state) {
  const line = find("#feasible");
  const { message, rules } = state.feasibility;
  const named = state.rules.filter((rule) => rules.includes(rule.id));
  line.replaceChildren(message || state.notes.join(" "), ...named.flatMap((rule) => [
    " ", make("button", { type: "button", onclick: () => showRows({ what: "conflicting", rule: rule.id }) }, make("bdi", {}, rule.name)),
  ]));
}
