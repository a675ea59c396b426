// Requests. Changes are POSTs with a header that other sites cannot send.

export class Refused extends Error {
  constructor(status, body) {
    super(body.error ?? `The server answered ${status}.`);
    this.status = status;
    this.field = body.field ?? null;
    this.state = body.state ?? null;
  }
}

export class Unreachable extends Error {
  constructor() {
    super("The server does not answer. Everything up to the last “Saved” is in the project file. Start corral serve again and open the address that it prints.");
    this.status = 0;
  }
}

async function send(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable();
  }
  if (response.ok) return response;
  let body = {};
  try { body = await response.json(); } catch { /* no JSON: the status has to do */ }
  throw new Refused(response.status, body);
}

export async function get(path, given = {}, signal = undefined) {
  const query = new URLSearchParams(
    Object.entries(given).filter(([, value]) => value !== null && value !== undefined));
  const response = await send(query.size ? `${path}?${query}` : path, { signal });
  return response.json();
}

export async function post(path, body, signal = undefined) {
  const response = await send(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Corral": "workbench" },
    body: JSON.stringify(body),
    signal,
  });
  return response.status === 204 ? null : response.json();
}

export async function download(path) {
  const response = await send(path, {});
  const said = response.headers.get("Content-Disposition") ?? "";
  const escaped = /filename\*=utf-8''([^;]+)/i.exec(said); // of names with spaces, or beyond ASCII
  const name = escaped ? decodeURIComponent(escaped[1]) : /filename="([^"]+)"/.exec(said)[1];
  return { file: await response.blob(), name };
}
