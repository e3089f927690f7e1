// The page: it opens the engine and listens to the reader. All physics, files and colours are the engine's.

import init, { Simulation } from "./huygens_web.js";
import { byId, canvas, form, page, say, shown } from "./state.js";
import { another, begin, giveFiles, restart, take, turnBack } from "./job.js";
import { findManual, follow, listenToLinks } from "./link.js";
import { arrow, fit, metres, movable } from "./picture.js";
import { frames } from "./frames.js";
import { listenToLadder } from "./ladder.js";
import { listenToSaving } from "./saving.js";

function play() {
  page.playing = !page.playing;
  shown();
}

function step() {
  page.playing = false;
  page.wanted = Math.min(Math.floor(page.wanted) + 1, page.simulation.steps());
  shown();
}

function listen() {
  byId("play").onclick = play;
  byId("step").onclick = step;
  byId("start").onclick = restart;
  byId("back").onclick = turnBack;
  listenToSaving();
  listenToLinks();
  listenToLadder();
  form.addEventListener("change", (event) => {
    if (event.target.name === "file") take(event.target.files);
    else if (event.target.name === "model") another();
    else restart();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  canvas.addEventListener("click", (event) => {
    page.source = metres(event);
    restart();
  });
  const put = (to) => (page.source = to);
  canvas.addEventListener("keydown", (event) => {
    const does = { " ": play, ".": step, Home: restart }[event.key];
    if (does) event.preventDefault();
    if (does) does();
    else arrow(event, () => page.source, put, restart);
  });
  movable("source", () => page.source, put, restart);
  movable("first", () => page.receivers[0], (to) => (page.receivers[0] = to), restart);
  movable("last", () => page.receivers[1], (to) => (page.receivers[1] = to), restart);
  addEventListener("resize", fit);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", () => document.body.classList.remove("dropping"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    take(event.dataTransfer.files);
  });
}

/** Opens the device again after it was lost, and stands at t = 0 of the same job. */
page.reopen = async () => {
  if (page.reopening) return;
  page.reopening = true;
  try {
    page.simulation = await Simulation.open(canvas);
    await giveFiles();
    if (begin(page.job)) say("The graphics device was lost and is open again; the run is at its start.", true);
  } catch (error) {
    without(`The graphics device was lost and does not open again: ${error.message ?? error}`);
  } finally {
    page.reopening = false;
  }
};

/** No device: says so, and shows a recorded wave. */
function without(why) {
  page.still = true;
  say(why, true);
  byId("page").hidden = true;
  byId("without").hidden = false;
  byId("how").hidden = true;
  byId("movie").src = "browser-movie.gif";
}

export const ready = (async () => {
  findManual();
  if (!navigator.gpu) {
    without("This browser has no WebGPU.");
    return false;
  }
  try {
    await init({ module_or_path: new URL("huygens_web_bg.wasm", import.meta.url) });
    page.simulation = await Simulation.open(canvas);
  } catch (error) {
    without(`No graphics device could be opened: ${error.message ?? error}`);
    return false;
  }
  listen();
  const [pressure, velocity] = [Simulation.wave_bar(), Simulation.velocity_bar()];
  byId("pressure").style.background = `linear-gradient(to right, ${pressure})`;
  byId("velocity").style.background = `linear-gradient(to right, ${velocity})`;
  // The state of a link, or the built-in job of the command line, from which the controls differ in the delay alone.
  if (!follow()) begin(Simulation.thesis());
  requestAnimationFrame(frames);
  return true;
})();
