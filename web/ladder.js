// The ladder: the rungs of `huygens ladder 2d` timed on this device, their bars, and the record to send in.

import { byId, page, say } from "./state.js";
import { save } from "./saving.js";
import { climb } from "./huygens_web.js";

let goesOn = false;
let url = "";

/** What the browser tells of its adapter: its maker and architecture, and its name where that is no secret. */
async function adapter() {
  const info = (await navigator.gpu.requestAdapter({ powerPreference: "high-performance" }))?.info;
  return [info?.vendor, info?.architecture, info?.description].filter(Boolean).join(" ") || "a GPU without a name";
}

/** Times the ladder while the wave waits; or that of a plane of so many nodes. */
export async function timeLadder(nz, nx) {
  const [button, bar] = [byId("climb"), byId("climbing")];
  goesOn = true;
  [page.still, button.textContent, bar.hidden] = [true, "Stop", false];
  bar.removeAttribute("value");
  let climbed;
  try {
    climbed = await climb(await adapter(), nz, nx, (done, all) => {
      if (all) [bar.max, bar.value] = [all, done];
      return goesOn;
    });
    const json = climbed.json(navigator.userAgent);
    URL.revokeObjectURL(url);
    url = URL.createObjectURL(new Blob([climbed.png()], { type: "image/png" }));
    byId("rungs").src = url;
    byId("rungs").hidden = byId("save-ladder").hidden = false;
    byId("save-ladder").onclick = () => save("ladder.json", json, "application/json");
    return json;
  } catch (error) {
    say(goesOn ? `The ladder was not timed: ${error.message ?? error}` : "The ladder was stopped.", goesOn);
    return undefined;
  } finally {
    climbed?.free();
    goesOn = false;
    [page.still, button.textContent, bar.hidden] = [false, "Time the ladder", true];
  }
}

export function listenToLadder() {
  byId("climb").onclick = () => {
    if (goesOn) goesOn = false;
    else timeLadder();
  };
}
