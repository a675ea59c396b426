// Words selected in a row become a rule: what it would cover, and how right it would be.
import { post } from "./api.js";
import { load } from "./composer.js";
import { chip, count, find, make, percent } from "./dom.js";

const LONGEST = 120;
const box = find("#proposal");
let turn = 0;
let proposed = null;

function selected() {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const inside = (node) => (node.nodeType === 1 ? node : node.parentElement)?.closest(".text");
  const text = inside(range.startContainer);
  if (!text || text !== inside(range.endContainer)) return null;
  const words = selection.toString().replace(/\s+/g, " ").trim();
  return words && words.length <= LONGEST ? { words, range } : null;
}

export function hide() {
  turn += 1;
  proposed = null;
  box.hidden = true;
}

async function propose() {
  const found = selected();
  if (found === null) {
    hide();
    return;
  }
  const mine = ++turn;
  let proposal;
  try {
    proposal = await post("/propose", { words: found.words });
  } catch {
    return; // what was selected makes no rule
  }
  if (mine !== turn) return;
  proposed = proposal.rule;
  const right = proposal.estimated_precision === null ? "" : `, about ${percent(proposal.estimated_precision)} right`;
  box.replaceChildren(
    make("bdi", {}, proposal.rule.words?.join(", ") ?? found.words),
    ...(proposal.rule.class === null ? [] : ["→", chip(proposal.rule.class)]),
    make("span", {}, `covers ${count(proposal.covered)}${right}`),
    make("button", { type: "button", class: "button", onclick: accept }, "Use ", make("kbd", {}, "r")));
  box.hidden = false;
  const at = found.range.getBoundingClientRect();
  const left = Math.max(8, Math.min(at.left, innerWidth - box.offsetWidth - 8));
  const below = at.bottom + 8 + box.offsetHeight < innerHeight;
  box.style.setProperty("left", `${left}px`);
  box.style.setProperty("top", `${below ? at.bottom + 8 : at.top - box.offsetHeight - 8}px`);
}

export function accept() {
  if (proposed === null) return false;
  const rule = proposed;
  hide();
  getSelection().removeAllRanges();
  load(rule);
  return true;
}

document.addEventListener("pointerup", () => setTimeout(propose)); // once the selection is there
document.addEventListener("keyup", (event) => { if (event.shiftKey || event.key === "Shift") propose(); });
document.addEventListener("pointerdown", (event) => { if (!box.contains(event.target)) hide(); });
document.addEventListener("scroll", hide, { capture: true, passive: true });
