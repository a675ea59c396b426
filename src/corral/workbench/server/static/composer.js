// The rule line: numbers follow every keystroke, Enter adds the rule.
import { get, post } from "./api.js";
import { count, fill, find, make, plural, setText, share, tone } from "./dom.js";
import { act, onState, say, store } from "./store.js";

const form = find("#composer");
const live = find("#live");
const problem = find("#live-error");
const tab = crypto.getRandomValues(new Uint32Array(4)).join("-"); // randomUUID needs HTTPS or localhost
const FIELDS = { words: "#words", regex: "#pattern", column: "#votes" }; // by the kind of rule
const PATIENCE = 1000; // milliseconds that a request may hold up the draft after it
let turn = 0; // of the newest draft
let asking = null; // the request that is under way
let waiting = null; // the draft to ask about next
let edited = null; // the rule that is being edited
let shown = () => {}; // told what a preview found, or null

export function onPreview(listener) {
  shown = listener;
}

const kind = () => form.elements.kind.value;
const chosenClass = () => form.elements.class?.value || null;

// A comma that belongs to a word is written with a backslash before it.
const splitWords = (text) => text.split(/(?<!\\),/).map((word) => word.replaceAll("\\,", ",").trim()).filter(Boolean);
const joinWords = (words) => words.map((word) => word.replaceAll(",", "\\,")).join(", ");

// The rule as it is typed; null where there is nothing yet.
function draft() {
  if (kind() === "column") {
    const chosen = [...find("#values").querySelectorAll("select")].filter((each) => each.value);
    const values = Object.fromEntries(chosen.map((each) => [each.name, each.value]));
    return chosen.length ? { kind: "column", column: find("#votes").value, values } : null;
  }
  const rule = { kind: kind(), class: chosenClass() };
  if (rule.kind === "words") {
    rule.words = splitWords(find("#words").value);
    return rule.words.length ? rule : null;
  }
  rule.pattern = find("#pattern").value;
  return rule.pattern ? rule : null;
}

export const isEmpty = () => draft() === null;

// Numbers of what is typed. One request is under way and the newest draft waits, so that they
// move however fast one types; a request that takes long is given up for what waits.
export function preview() {
  turn += 1;
  waiting = null;
  const rule = draft();
  complain(null);
  find("#add").disabled = rule === null || rule.class === null;
  if (rule === null) {
    asking?.abort();
    rest();
    shown(null);
    return;
  }
  live.dataset.state = "waiting";
  waiting = { rule, replaces: edited?.id ?? null, tab, turn };
  const other = asking && (asking.sent.rule.kind !== rule.kind || asking.sent.replaces !== waiting.replaces);
  if (other || asking?.isLate) asking.abort();
  ask();
}

async function ask() {
  if (asking !== null || waiting === null) return;
  const sent = waiting;
  const control = new AbortController();
  const mine = { sent, isLate: false, abort: () => control.abort() };
  const late = setTimeout(() => {
    mine.isLate = true;
    if (waiting !== null) mine.abort();
  }, PATIENCE);
  [asking, waiting] = [mine, null];
  try {
    const found = await post("/preview", sent, control.signal);
    if (found !== null && !control.signal.aborted) show(found, sent);
  } catch (error) {
    if (!control.signal.aborted && waiting === null) {
      complain(error);
      live.dataset.turn = sent.turn;
    }
  } finally {
    clearTimeout(late);
    asking = null;
    ask();
  }
}

function show(found, { rule, turn: answered }) {
  store.draftClass = rule.class;
  showNumbers(found);
  if (waiting !== null) live.dataset.state = "waiting";
  shown(found, rule);
  live.dataset.turn = answered;
}

function showNumbers(found) {
  live.dataset.state = "known";
  const number = (id, value) => {
    find(id).replaceChildren(count(value), " ", make("small", {}, share(value, found.rows)));
  };
  number("#live-covered", found.covered);
  number("#live-conflicting", found.conflicting);
  number("#live-only", found.only_this);
  number("#live-changed", found.changed);
  const moves = found.moves.slice(0, 4).flatMap(({ from, to, rows }, at) => [
    at ? " · " : "",
    make("span", { class: "moves" }, `${count(rows)} `, make("bdi", {}, from ?? "no label"), " → ", make("bdi", {}, to ?? "no label")),
  ]);
  const rest = found.moves.length > 4 ? ` · and ${plural(found.moves.length - 4, "other move")}` : "";
  const sampled = found.sampled ? `In a sample of ${count(found.sampled)} rows. ` : "";
  const none = found.covered ? "No label changes. " : "No row has this. ";
  find("#live-note").replaceChildren(sampled, ...(moves.length ? [...moves, rest] : [none]));
}

function rest() {
  live.dataset.state = "idle";
  for (const id of ["covered", "conflicting", "only", "changed"]) setText(find(`#live-${id}`), "–");
  find("#live-note").replaceChildren();
}

// An error beside the field that caused it.
function complain(error) {
  live.dataset.problem = error !== null;
  setText(problem, error?.message ?? "");
  const blamed = error && FIELDS[kind()];
  for (const id of Object.values(FIELDS)) {
    find(id).toggleAttribute("aria-invalid", false);
    if (id === blamed) find(id).setAttribute("aria-invalid", "true");
  }
  if (error) live.dataset.state = "idle";
}

export function focus() {
  document.body.dataset.view = "rules";
  form.querySelector(`.entry[data-kind=${kind()}] .field`).focus();
}

export function clear() {
  edited = null;
  if (kind() === "column") setKind("words");
  find("#values").replaceChildren();
  for (const id of ["#words", "#pattern"]) find(id).value = "";
  showEditing();
  preview();
}

// The values of a column, each with the class that it means.
let columns = {};
async function loadColumns() {
  if (!Object.keys(columns).length) columns = await get("/columns");
  fill(find("#votes"), Object.keys(columns), (name) => name, (name) => make("option", { value: name }, name));
}

function showValues(given = null) {
  const counts = columns[find("#votes").value] ?? {};
  const classes = store.state.classes;
  const lower = (text) => text.trim().toLowerCase();
  const guess = (value) => classes.find((name) => lower(name) === lower(value))
    ?? classes.find((name) => /^\p{L}/u.test(value) && (lower(name).startsWith(lower(value)) || lower(value).startsWith(lower(name))));
  find("#values").replaceChildren(...Object.entries(counts).map(([value, rows]) => {
    const select = make("select", { class: "field", name: value }, make("option", { value: "" }, "no vote"),
      ...classes.map((name) => make("option", { value: name }, name)));
    select.value = (given ? given[value] : guess(value)) ?? "";
    return make("label", {}, make("bdi", {}, value), make("small", {}, count(rows)), " is ", select);
  }), ...(Object.keys(counts).length ? [] : [make("span", { class: "hint" }, "No column has few enough values.")]));
}

async function loadColumn(rule = null) {
  try {
    await loadColumns();
  } catch (error) {
    complain(error);
    return;
  }
  if (kind() !== "column") return;
  if (rule) find("#votes").value = rule.column;
  showValues(rule?.values);
  preview();
}
find("#votes").addEventListener("input", () => showValues());

// Show a rule to be changed, or one that was proposed.
export function load(rule, id = null) {
  edited = id === null ? null : { id, name: rule.name };
  setKind(rule.kind);
  find("#words").value = joinWords(rule.words ?? []);
  find("#pattern").value = rule.pattern ?? "";
  if (rule.kind === "column") loadColumn(rule);
  const button = [...form.querySelectorAll("[name=class]")].find((each) => each.value === rule.class);
  if (button) button.checked = true;
  showEditing();
  focus();
  preview();
}

function showEditing() {
  const line = find("#editing");
  line.hidden = edited === null;
  find("#words-help").hidden = edited !== null;
  line.replaceChildren(...(edited === null ? [] : [
    "Changing ", make("b", { dir: "auto" }, edited.name),
    make("button", { type: "button", class: "link", onclick: clear }, "Stop"),
  ]));
  find("#add").firstChild.textContent = edited === null ? "Add rule " : "Save rule ";
  document.querySelectorAll("#rules tr[data-key]").forEach((row) => {
    row.dataset.editing = edited !== null && row.dataset.key === String(edited.id);
  });
}

function setKind(name) {
  form.elements.kind.value = name;
  form.querySelectorAll(".entry").forEach((line) => { line.hidden = line.dataset.kind !== name; });
  find(".classes").hidden = name === "column";
  const hints = {
    words: "Any case; a comma means “or”.",
    regex: "RE2; (?i) in front ignores case.",
    column: "Say what its values mean.",
  };
  setText(find("#words-help"), hints[name]);
}

form.addEventListener("input", (event) => {
  if (event.target.name === "kind") {
    setKind(kind());
    if (kind() === "column") loadColumn();
    focus();
  }
  preview();
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const rule = draft();
  if (rule === null || rule.class === null) return;
  const replaced = edited;
  clear(); // at once: the next rule can be typed
  focus();
  try {
    await act(replaced === null ? { what: "add_rule", rule } : { what: "edit_rule", rule: replaced.id, to: rule });
  } catch (error) {
    giveBack(rule, replaced, error);
  }
});

// A rule that was not taken is in the line again, unless something else is by now.
function giveBack(rule, replaced, error) {
  const free = isEmpty();
  if (free) load({ ...rule, name: replaced?.name }, replaced?.id ?? null);
  if (error.status === 409 && free) {
    say(`${error.message} Your rule is in the line again: press Enter to add it.`);
  } else if (free) complain(error);
  else say(`${error.message} The rule that was not added: ${joinWords(rule.words ?? []) || rule.pattern || rule.column}.`);
}
form.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !(isEmpty() && edited === null)) {
    clear();
    event.stopPropagation(); // the next one leaves the line
  }
  const digit = event.altKey && /^Digit([1-9])$/.exec(event.code);
  const button = digit && form.querySelectorAll("[name=class]")[digit[1] - 1];
  if (button) {
    event.preventDefault();
    button.checked = true;
    preview();
  }
});

onState((state, before) => {
  const chosen = chosenClass();
  fill(
    find("#classes"), state.classes, (name) => name,
    (name, at) => make("label", { "data-tone": tone(name), title: at < 9 ? `${name} (Alt+${at + 1})` : name },
      make("input", { type: "radio", name: "class", value: name }), make("span", {}, make("bdi", {}, name))),
  );
  if (chosen === null && state.classes.length) form.querySelector("[name=class]").checked = true;
  find("#kind-column").hidden = state.data.columns.length === 0;
  form.hidden = state.classes.length < 2;
  find("#name-classes").hidden = !form.hidden;
  if (edited !== null && !state.rules.some((rule) => rule.id === edited.id)) edited = null;
  showEditing();
  const moved = !before || before.version !== state.version || before.working !== state.working;
  if (!before || (moved && !isEmpty())) preview();
});

setKind(kind());
find("#name-classes").addEventListener("submit", async (event) => {
  event.preventDefault();
  const names = find("#class-names").value.split(",").map((name) => name.trim()).filter(Boolean);
  try {
    if (names.length < 2) throw new Error("Name two classes or more, separated by commas.");
    await act({ what: "set_classes", classes: names });
    focus();
  } catch (error) {
    setText(find("#class-problem"), error.message);
  }
});
