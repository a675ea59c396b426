// Requests. Changes are POSTs with a header that other sites cannot send.

const GONE = "The server does not answer. Everything up to the last “Saved” is in the project file. Start corral serve again and open the address that it prints.";

// A refusal is an error with the status, and with the field or the state that the body names.
async function send(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(GONE);
  }
  if (response.ok) return response;
  const { status } = response;
  const { error = `The server answered ${status}.`, ...more } = await response.json().catch(() => ({}));
  throw Object.assign(new Error(error), more, { status });
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
