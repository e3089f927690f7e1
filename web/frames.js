// The frames: each asks the engine to go on and to draw; now and then the gather is drawn, and the scale told.

import { attempt, byId, canvas, page } from "./state.js";
import { pressureBar } from "./axes.js";
import { tellFocus } from "./job.js";

/** Milliseconds between pictures of the gather, which is coloured on the host, and between looks at the scale. */
const NOW_AND_THEN = 250;

let last = 0;
let lookedAt = 0;
let gatherSamples = 0;
let scale = null;

/** Seconds of the wave in a second of the clock. */
const speed = () => 2 ** Number(byId("speed").value);

function gather() {
  const { simulation } = page;
  const [receivers = 0, samples = 0] = simulation.gather_size();
  if (samples === gatherSamples) return;
  gatherSamples = samples;
  const picture = byId("gather");
  picture.width = Math.max(receivers, 1);
  // Time goes on to the end of the job, and the gather grows down to it.
  picture.height = Math.max(simulation.samples(), 1);
  if (!samples) return;
  const pixels = new Uint8ClampedArray(simulation.gather().buffer);
  picture.getContext("2d").putImageData(new ImageData(pixels, receivers, samples), 0, 0);
}

/** Tells the pressure at the ends of the colours, which comes from the device. */
function tellScale() {
  if (!scale) scale = attempt(() => page.simulation.scale());
  try {
    if (!scale?.is_there()) return;
    pressureBar(scale.largest());
  } catch {
    // It was lost with its device.
  }
  scale?.free();
  scale = null;
}

/** One frame, at a time in milliseconds. */
export function frame(now) {
  const { simulation } = page;
  // A tab in the background gets no frames; the wave goes on where it was.
  const elapsed = Math.min(Math.max(now - last, 0), 100) / 1000;
  last = now;
  const steps = simulation.steps();
  if (!steps || page.reopening || page.still) return;
  if (page.playing && page.there) {
    page.wanted = Math.min(page.wanted + (speed() * elapsed) / simulation.interval(), steps);
  }
  const there = attempt(() => simulation.go_on(Math.floor(page.wanted)));
  page.there = there ?? true;
  if (there === undefined) {
    page.wanted = simulation.step();
    if (page.reopening) return;
  }
  const dots = Math.min(window.devicePixelRatio || 1, 2);
  attempt(() => simulation.draw(Math.round(canvas.clientWidth * dots), Math.round(canvas.clientHeight * dots)));
  if (now - lookedAt >= NOW_AND_THEN || simulation.ended()) {
    lookedAt = now;
    gather();
    tellScale();
  }
  if (!page.told && simulation.ended()) tellFocus();
  byId("clock").textContent = `t = ${simulation.time().toFixed(3)} s, step ${simulation.step()} of ${steps}`;
}

export function frames(now) {
  frame(now);
  requestAnimationFrame(frames);
}
