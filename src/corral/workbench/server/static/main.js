// The workbench. Every part listens to the state; the server has the only copy that counts.
import { count, find, setText, setTones } from "./dom.js";
import { onState, refresh } from "./store.js";

onState((state) => {
  setTones(state.classes);
  const { rows, sampled } = state.data;
  const sample = sampled === null ? "" : `; numbers are those of a sample of ${count(sampled)}`;
  setText(find("#size"), `${count(rows)} rows${sample}${state.working ? " for now" : ""}`);
  setText(find("#saved"), "Saved"); // the server saves an act before it answers
  find("#saved").title = state.project;
  for (const what of ["undo", "redo"]) {
    const button = find(`#${what}`);
    button.disabled = !state[`can_${what}`];
    button.title = state[`can_${what}`] ?? "";
  }
  for (const what of ["train", "report"]) find(`#${what}`).disabled = !state.totals.covered;
});

// After the line above, so that the tones of classes are known to all of them.
await Promise.all(["./composer.js", "./rules.js", "./balance.js", "./rows.js", "./asking.js", "./training.js", "./proposal.js", "./keys.js", "./exports.js"].map((part) => import(part)));

find("#report").addEventListener("click", () => open("/export/report.html", "_blank", "noopener"));
function show(view) {
  document.body.dataset.view = view;
}
for (const button of document.querySelectorAll(".views button")) {
  button.addEventListener("click", () => show(button.dataset.view));
}
new MutationObserver(() => {
  for (const button of document.querySelectorAll(".views button")) {
    button.setAttribute("aria-pressed", button.dataset.view === document.body.dataset.view);
  }
}).observe(document.body, { attributeFilter: ["data-view"] });

await refresh();
find(find("#composer").hidden ? "#class-names" : "#words").focus({ preventScroll: true });
