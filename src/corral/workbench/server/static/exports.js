// Files to take away.
import { download } from "./api.js";
import { find, make, setText } from "./dom.js";

const menu = find("#exports");
const said = find("#export-said");

async function save(what, format) {
  setText(said, `Writing ${what} …`);
  try {
    const { file, name } = await download(`/export/${what}.${format}`);
    const link = make("a", { href: URL.createObjectURL(file), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    setText(said, `Saved ${name}`);
  } catch (error) {
    setText(said, error.message);
  }
}

menu.addEventListener("click", (event) => {
  const button = event.target.closest("[data-export]");
  if (button) save(button.dataset.export, button.dataset.format);
});
menu.addEventListener("toggle", () => setText(said, ""));
document.addEventListener("pointerdown", (event) => { if (!menu.contains(event.target)) menu.open = false; });
menu.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
