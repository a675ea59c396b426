// Choose an image, mark its pixels, send the mask.

const find = (id) => document.getElementById(id);
const large = find("large");
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
let image = null; // the chosen one: its row, and its pixels
let mask = [];
let last = [0, 0]; // where pointer or keyboard were, across and down

function draw(canvas, pixels, marked = [], at = null) {
  [canvas.height, canvas.width] = [pixels.length, pixels[0].length];
  const data = new ImageData(canvas.width, canvas.height);
  pixels.flat().forEach(([r, g, b], i) => {
    data.data.set(marked[i] ? [r / 2, 128 + g / 2, b / 2, 255] : [r, g, b, 255], 4 * i);
  });
  if (at) data.data.set([255, 60, 60, 255], 4 * (at[1] * canvas.width + at[0]));
  canvas.getContext("2d").putImageData(data, 0, 0);
}

function markFrom(from, to) {
  const size = Number(find("brush").value) || 1;
  const steps = Math.max(1, ...from.map((c, i) => Math.abs(to[i] - c)));
  for (let k = 0; k <= steps; k += 1) {
    const [x, y] = from.map((c, i) => Math.round(c + ((to[i] - c) * k) / steps) - Math.floor(size / 2));
    for (let j = Math.max(y, 0); j < Math.min(y + size, large.height); j += 1) {
      for (let i = Math.max(x, 0); i < Math.min(x + size, large.width); i += 1) mask[j * large.width + i] = 1;
    }
  }
  last = to;
  draw(large, image.pixels, mask);
}

function clear() {
  mask = image.pixels.flat().fill(0);
  draw(large, image.pixels);
}

function placeOf(event) {
  const box = large.getBoundingClientRect();
  return [
    Math.floor(((event.clientX - box.left) / box.width) * large.width),
    Math.floor(((event.clientY - box.top) / box.height) * large.height),
  ];
}

function showCounts(marked) {
  const chosen = find("class").selectedIndex;
  find("class").replaceChildren(...Object.entries(marked).map(([name, n]) => new Option(`${name} (${n})`, name)));
  find("class").selectedIndex = Math.max(chosen, 0);
}

large.addEventListener("pointerdown", (event) => {
  large.setPointerCapture(event.pointerId);
  markFrom(placeOf(event), placeOf(event));
});
large.addEventListener("pointermove", (event) => {
  if (event.buttons & 1) markFrom(last, placeOf(event));
});
large.addEventListener("keydown", (event) => {
  if (event.key === " ") markFrom(last, last);
  else if (event.key in MOVES) {
    const ends = [large.width - 1, large.height - 1];
    last = last.map((c, i) => Math.min(ends[i], Math.max(0, c + MOVES[event.key][i])));
    draw(large, image.pixels, mask, last);
  } else return;
  event.preventDefault();
});
find("clear").addEventListener("click", clear);
find("save").addEventListener("click", async () => {
  const label = find("class").value;
  const response = await fetch("/mark", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Corral": "workbench" },
    body: JSON.stringify({ row: image.row, label, mask: mask.join("") }),
  });
  const found = await response.json();
  if (response.ok) {
    showCounts(found.marked);
    clear();
  }
  find("said").textContent = found.error ?? `Saved: ${label}, ${found.marked[label]}.`;
});

const task = await (await fetch("/task")).json();
showCounts(task.marked);
for (const [row, pixels] of task.images) {
  const button = document.createElement("button");
  const small = button.appendChild(document.createElement("canvas"));
  button.setAttribute("aria-label", `Image ${row}`);
  draw(small, pixels);
  button.addEventListener("click", () => {
    find("images").querySelector("[aria-pressed=true]")?.removeAttribute("aria-pressed");
    button.setAttribute("aria-pressed", "true");
    image = { row, pixels };
    find("marking").hidden = false;
    find("said").textContent = "";
    clear();
  });
  find("images").append(button);
}
