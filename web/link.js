// A link that carries the state: the controls that were changed, the source and the receivers.

import { byId, form, page, say } from "./state.js";
import { restart } from "./job.js";

const fields = () => [...form.elements].filter((field) => field.name && field.type !== "file");
/** The controls of a fresh page. */
const fresh = new Map(fields().map((field) => [field.name, field.value]));
const round = (metres) => Math.round(100 * metres) / 100;

/** The state, as what follows the # of an address. */
export function state() {
  const changed = fields().filter((field) => field.value !== fresh.get(field.name));
  const places = { source: page.source, first: page.receivers[0], last: page.receivers[1] };
  const state = new URLSearchParams(changed.map((field) => [field.name, field.value]));
  for (const [name, { x, z }] of Object.entries(places)) state.set(name, `${round(x)},${round(z)}`);
  return state.toString();
}

/** The place of a link, in metres, or the one in its stead. */
function place(text, otherwise) {
  const [x, z] = (text ?? "").split(",").map(Number);
  return text && Number.isFinite(x) && Number.isFinite(z) ? { x, z } : otherwise;
}

/** Runs the state of the page's address. False if it has none. */
export function follow() {
  const state = new URLSearchParams(location.hash.slice(1));
  if (!state.has("source")) return false;
  for (const field of fields()) {
    field.value = state.get(field.name) ?? fresh.get(field.name);
    // A control without a value was given one that it cannot have. A step is a number or "auto".
    const fits = field.name !== "step" || /^(auto|[0-9.e+-]+)$/i.test(field.value);
    if (!fits || !field.value) field.value = fresh.get(field.name);
  }
  page.source = place(state.get("source"), page.source);
  page.receivers = [place(state.get("first"), page.receivers[0]), place(state.get("last"), page.receivers[1])];
  page.placed = true;
  const model = state.get("model") ?? "";
  page.awaited = model && form.elements.model.value !== model ? model : "";
  restart();
  if (!page.awaited) return true;
  say(`The link is for the model ${page.awaited}. Drop this file on the page, or choose it under File.`, true);
  return true;
}

/** Puts the state into the address of the page, and copies it. */
async function copy() {
  history.replaceState(null, "", `#${state()}`);
  const own = page.files.size ? " Its reader needs your model too." : "";
  try {
    await navigator.clipboard.writeText(location.href);
    say(`The link is copied.${own}`);
  } catch {
    say(`The address of the page is now the link.${own}`);
  }
}

export function listenToLinks() {
  byId("copy-link").onclick = copy;
  addEventListener("hashchange", follow);
}

/** Shows the links to the manual where the page is a part of it. */
export async function findManual() {
  const answer = await fetch("../introduction.html", { method: "HEAD" }).catch(() => undefined);
  byId("links").hidden = !answer?.ok;
}
