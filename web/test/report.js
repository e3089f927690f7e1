// What every test of the page uses: checks with their report, and what the server asks of the browser.

export const report = { checks: [] };

export const frame = () => new Promise(requestAnimationFrame);

export function assert(right, said) {
  if (!right) throw new Error(said);
}

/** Waits until it is so, for so many seconds. */
export async function until(what, so, seconds = 300) {
  const start = performance.now();
  while (!so()) {
    if (performance.now() - start > 1000 * seconds) throw new Error(`${what}: not after ${seconds} s; the page says: ${document.getElementById("message").textContent}`);
    await new Promise((after) => setTimeout(after, 20));
  }
}

/** Does it, and notes what it says or why it fails. */
export async function check(name, what) {
  const start = performance.now();
  try {
    report.checks.push({ name, ok: true, said: String((await what()) ?? "") });
  } catch (error) {
    report.checks.push({ name, ok: false, said: `${error.message ?? error}\n${error.stack ?? ""}` });
  }
  const { ok, said } = report.checks.at(-1);
  await fetch("/progress", { method: "POST", body: `${ok ? "" : "FAILED: "}${name}: ${said} (${((performance.now() - start) / 1000).toFixed(1)} s)` });
}

/** Keeps a file among what the test leaves. */
export const keep = (name, bytes) => fetch(`/keep/${name}`, { method: "POST", body: bytes });

/** Asks the browser for what its developer tools ask. */
export async function browser(method, params = {}) {
  const answer = await (await fetch(`/browser/${method}`, { method: "POST", body: JSON.stringify(params) })).json();
  assert(!answer.wrong, answer.wrong);
  return answer;
}

/** Keeps a picture of the page. */
export async function picture(name, more = {}) {
  const { data } = await browser("Page.captureScreenshot", { format: "png", ...more });
  await keep(name, Uint8Array.from(atob(data), (c) => c.charCodeAt(0)));
  return data.length;
}

/** Runs the tests and reports. */
export function reported(tests) {
  return tests()
    .catch((error) => report.checks.push({ name: "the page", ok: false, said: `${error.message ?? error}` }))
    .then(() => fetch("/report", { method: "POST", body: JSON.stringify(report) }));
}
