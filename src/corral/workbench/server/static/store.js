// The state of the workbench as the server last told it, and the one way to change it.
import { get, post } from "./api.js";
import { find, make } from "./dom.js";

export const store = { state: null, draftClass: null, predicted: new Map() };
const listeners = [];
let queue = Promise.resolve();
let polling = null;

export function onState(listener) {
  listeners.push(listener);
}

function take(state) {
  if (store.state && state.version < store.state.version) return; // an older answer
  const before = store.state;
  store.state = state;
  listeners.forEach((listener) => listener(state, before));
  clearTimeout(polling);
  if (state.working) polling = setTimeout(refresh, 700);
}

export async function refresh() {
  try {
    take(await get("/state"));
  } catch (error) {
    say(error.message);
  }
}

// One change after the other: a quick hand must not be told that it is late.
export function act(action) {
  const done = queue.then(() => change(action));
  queue = done.catch(() => {});
  return done;
}

async function change(action) {
  try {
    take(await post("/act", { action, version: store.state.version }));
    hush();
  } catch (error) {
    if (error.status === 409) take(error.state);
    throw error;
  }
}

// Another tab may have changed something.
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && store.state) refresh();
});

// Act, and say what is refused; whether it was done.
export async function attempt(action) {
  try {
    await act(action);
    return true;
  } catch (error) {
    say(error.message);
    return false;
  }
}

export function say(message) {
  const notice = find("#notice");
  notice.replaceChildren(message, make("button", { type: "button", onclick: hush }, "Close"));
  notice.hidden = false;
}
function hush() {
  find("#notice").hidden = true;
}
