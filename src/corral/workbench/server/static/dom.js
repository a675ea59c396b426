// Elements from texts: nothing on this page is ever parsed as HTML.

export const find = (selector) => document.querySelector(selector);

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// Children of `parent`, one per item; those that stay are updated in place, so that focus
// and selection stay, too.
export function fill(parent, items, key, create, update = () => {}) {
  const before = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let at = parent.firstElementChild;
  items.forEach((item, index) => {
    const name = String(key(item, index));
    let child = before.get(name);
    before.delete(name);
    if (!child) {
      child = create(item, index);
      child.dataset.key = name;
    }
    if (child === at) at = at.nextElementSibling;
    else parent.insertBefore(child, at);
    update(child, item, index);
  });
  before.forEach((child) => child.remove());
}

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const whole = new Intl.NumberFormat("en-US");
export const count = (number) => whole.format(number);
export const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

export function percent(share, digits = 0) {
  if (share === null || share === undefined) return "–";
  const shown = (share * 100).toFixed(digits);
  if (share > 0 && Number(shown) === 0) return digits ? "<0.1%" : "<1%";
  return `${shown}%`;
}

// A share of rows: one digit where it is small.
export const share = (part, total) =>
  total ? percent(part / total, part && part / total < 0.1 ? 1 : 0) : "";

// A number that a person typed; a comma may stand for the point. NaN if it is none.
export function parseNumber(text) {
  const cleaned = text.trim().replace(/%$/, "").trim().replace(",", ".");
  return cleaned === "" ? null : Number(cleaned);
}

let tones = new Map();
export function setTones(classes) {
  tones = new Map(classes.map((name, at) => [name, at % 5]));
}
export const tone = (name) => (tones.has(name) ? tones.get(name) : null);

export const chip = (name, ...after) =>
  make("span", { class: "chip", "data-tone": tone(name) }, make("bdi", {}, String(name)), ...after);

export function track(part, name, mark = null) {
  const bar = make("span", { class: "track", "data-tone": tone(name), "aria-hidden": "true" }, make("i"));
  if (mark !== null) bar.append(make("b"));
  setTrack(bar, part, mark);
  return bar;
}
export function setTrack(bar, part, mark = null) {
  bar.style.setProperty("--share", part ?? 0);
  if (mark !== null) bar.style.setProperty("--vote", mark);
}
