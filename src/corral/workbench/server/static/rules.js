// The table of rules: every number shows its rows; the expected error can be set.
import { load } from "./composer.js";
import { count, fill, find, make, percent, setText, tone } from "./dom.js";
import { showRows } from "./rows.js";
import { act, attempt, onState, store } from "./store.js";

const body = find("#rules tbody");
let open = null; // id of the rule whose error is being set

const COUNTS = [
  ["covered", "covered", "rows it covers", "Covers"],
  ["conflicting", "conflicting", "rows where another rule contradicts it", "Conflicts"],
  ["only_this", "only", "rows that only it covers", "Only it"],
  ["wrong", "wrong", "rows labelled by hand that it gets wrong", "Wrong"],
];

function makeRow(rule) {
  const row = make("tr");
  row.append(
    make("th", { scope: "row" }, make("button", { type: "button", class: "rule" }, make("bdi"), make("small"))),
    ...COUNTS.map(([key, what, , head]) => make("td", { class: "n", "data-label": head }, make("button", {
      type: "button", class: "count", "data-count": key,
      onclick: () => showRows({ what, rule: rule.id }),
    }))),
    make("td", { class: "n", "data-label": "Expected error" }, make("button", { type: "button", class: "count rate", onclick: () => toggle(rule.id) })),
    make("td", {}, make("button", { type: "button", class: "remove", onclick: () => attempt({ what: "remove_rule", rule: rule.id }) }, "×")),
  );
  row.querySelector(".rule").addEventListener("click", () => {
    const now = store.state.rules.find((each) => each.id === rule.id);
    if (now.editable) load(now, now.id);
    else showRows({ what: "covered", rule: now.id });
  });
  return row;
}

function updateRow(row, rule, state) {
  const name = row.querySelector(".rule");
  name.dataset.kind = rule.kind;
  name.dataset.tone = tone(rule.class) ?? "";
  name.title = rule.editable ? `${rule.name}: change this rule` : `${rule.name}: from the Python file, cannot be changed here`;
  setText(name.querySelector("bdi"), rule.name);
  setText(name.querySelector("small"), rule.editable ? rule.class ?? "column" : "function");
  for (const [key, , words] of COUNTS) {
    const button = row.querySelector(`[data-count=${key}]`);
    const value = rule[key];
    const of = key === "wrong" ? `/${count(rule.hand_labelled)}` : "";
    setText(button, value === null || value === undefined ? "–" : `${count(value)}${of}`);
    button.disabled = !value;
    const known = of && ` of ${count(rule.hand_labelled)}`;
    button.setAttribute("aria-label", `${value === null ? "no" : count(value)} ${words}${known}: ${rule.name}`);
    button.title = `${words}${known}`;
  }
  const rate = row.querySelector(".rate");
  const { shown, word, more } = describeRate(rule);
  rate.replaceChildren(shown, make("small", {}, word));
  rate.dataset.given = word === "yours";
  rate.title = `${more}Set what you expect.`;
  rate.setAttribute("aria-label", `expected error ${shown} ${word}: ${rule.name}; change it`);
  rate.setAttribute("aria-expanded", open === rule.id);
  const remove = row.querySelector(".remove");
  remove.hidden = !rule.editable;
  remove.setAttribute("aria-label", `Remove ${rule.name}`);
  row.classList.toggle("culprit", state.feasibility.rules.includes(rule.id));
}

// What is expected of a rule, and who says so.
function describeRate(rule) {
  const { rate, at_most: most } = rule.asked;
  const now = rule.error === null ? "" : `With these labels it is wrong on ${percent(rule.error, 1)}. `;
  if (rate !== undefined) return { shown: percent(rate), word: "yours", more: now };
  if (most !== undefined) return { shown: `≤ ${percent(most)}`, word: "yours", more: now };
  if (rule.estimated === null) return { shown: "–", word: "", more: "" };
  const { rate: found, low, high, source } = rule.estimated;
  const ends = low === null || high === null ? "" : `Between ${percent(low)} and ${percent(high)}. `;
  const word = source.endsWith("% learned") ? "partly learned" : source;
  return { shown: percent(found), word, more: `${word === source ? "" : `${source}. `}${ends}${now}` };
}

// The line below a rule in which its expected error is set.
function makeSetter(rule) {
  const said = make("p", { class: "problem" });
  const { rate, at_most: most } = rule.asked;
  const start = rate ?? most ?? rule.estimated?.rate ?? 0.1;
  const slider = make("input", { type: "range", min: 0, max: 60, step: 1, value: Math.round(start * 100), "aria-label": "Expected error in percent" });
  const shown = make("output", {}, `${slider.value}%`);
  const option = (value, words, chosen) => make("label", {}, make("input", { type: "radio", name: "how", value, checked: chosen }), words);
  const form = make("form", {},
    option("estimated", "estimated from the votes", rate === undefined && most === undefined),
    option("rate", "wrong on", rate !== undefined),
    option("at_most", "wrong on at most", most !== undefined),
    make("span", { class: "amount" }, slider, shown), said);
  const send = async () => {
    const how = form.elements.how.value;
    const value = how === "estimated" ? {} : { [how]: slider.value / 100 };
    try {
      await act({ what: "set_rate", rule: rule.id, ...value });
      said.textContent = "";
    } catch (error) {
      setText(said, error.message);
    }
  };
  slider.addEventListener("input", () => {
    setText(shown, `${slider.value}%`);
    if (form.elements.how.value === "estimated") form.elements.how.value = "rate";
  });
  slider.addEventListener("change", send);
  form.addEventListener("change", (event) => { if (event.target.name === "how") send(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("keydown", (event) => { if (event.key === "Escape") toggle(rule.id); });
  return make("tr", { class: "setter" }, make("td", { colspan: 7 }, form));
}

function toggle(id) {
  open = open === id ? null : id;
  render(store.state);
  const at = [...body.children].find((row) => row.dataset.key === (open === null ? String(id) : `${id} rate`));
  at?.querySelector(open === null ? ".rate" : ":checked, input").focus();
}

function render(state) {
  const lines = state.rules.flatMap((rule) => (rule.id === open ? [rule, { setter: rule }] : [rule]));
  fill(
    body, lines, (line) => (line.setter ? `${line.setter.id} rate` : line.id),
    (line) => (line.setter ? makeSetter(line.setter) : makeRow(line)),
    (row, line) => { if (!line.setter) updateRow(row, line, state); },
  );
  find("#no-rules").hidden = state.rules.length > 0 || state.classes.length < 2;
  find("#rules").hidden = state.rules.length === 0;
}

onState(render);
