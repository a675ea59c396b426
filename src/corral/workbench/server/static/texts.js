// Texts of rows: matches are marked, and what cannot be seen is written out.
import { make, tone } from "./dom.js";
import { store } from "./store.js";

// Controls, direction marks, byte order marks and half characters.
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function visible(text) {
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(HIDDEN)) {
    if (found.index > from) nodes.push(text.slice(from, found.index));
    const code = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    nodes.push(make("span", { class: "control" }, `U+${code}`));
    from = found.index + found[0].length;
  }
  if (from < text.length) nodes.push(text.slice(from));
  return nodes;
}

// That of the class that a rule votes for; without a rule, of the one being typed.
function toneOf(rule) {
  const found = store.state.rules.find((each) => each.id === rule);
  return tone(found ? found.class : store.draftClass);
}

// The nodes of a text. `spans` are [start, end, rule] in characters as Python counts them,
// which are code points, not the halves of JavaScript.
export function textNodes(text, spans = []) {
  if (!spans.length) return visible(text);
  const characters = Array.from(text);
  const nodes = [];
  let from = 0;
  for (const [start, end, rule] of [...spans].sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
    if (start < from || end <= start) continue; // within one that is marked already
    nodes.push(...visible(characters.slice(from, start).join("")));
    const marked = visible(characters.slice(start, end).join(""));
    nodes.push(make("mark", { "data-tone": toneOf(rule) }, ...marked));
    from = end;
  }
  nodes.push(...visible(characters.slice(from).join("")));
  return nodes;
}
