// The page: what its controls say becomes the text of a job, which the engine runs, and every frame asks the engine
// to go on and to draw. All physics, files and colours are the engine's.

import init, { Simulation } from "./huygens_web.js";

const byId = (id) => document.getElementById(id);
const form = byId("job");
const canvas = byId("wave");
/** Larger files are models that no page runs. */
const MOST_BYTES = 256 << 20;
/** Milliseconds between pictures of the gather, which is coloured on the host. */
const GATHER_EVERY = 250;

/** What the page stands at. */
export const page = {
  simulation: null,
  playing: true,
  /** Whether frames leave the engine alone. */
  still: false,
  /** The bytes of files, by name. */
  files: new Map(),
  /** Metres. */
  source: { x: 6000, z: 1000 },
  receivers: [{ x: 0, z: 0 }, { x: 13480, z: 0 }],
  /** The step to reach, and whether the engine is there. */
  wanted: 0,
  there: true,
  /** Whether source and receivers lie in the model that is chosen. */
  placed: true,
  /** The text of the job that runs. */
  job: "",
  said: "",
};

export function say(text, wrong = false) {
  page.said = text;
  byId("message").textContent = text;
  byId("message").classList.toggle("wrong", wrong);
}

/** Runs what the engine may refuse; what it says is shown, and the page goes on. */
function attempt(what) {
  try {
    return what();
  } catch (error) {
    page.playing = false;
    shown();
    say(error.message ?? String(error), true);
    // A device that is gone takes its run along, as does a program that has stopped.
    if (/\bdevice\b.*\blost\b|\blost\b.*\bdevice\b|recursive use|unreachable/is.test(page.said)) reopen();
    return undefined;
  }
}

const at = ({ x, z }) => `{ x = ${x.toFixed(2)}, z = ${z.toFixed(2)} }`;

/** The job that the controls say. */
export function job() {
  const of = Object.fromEntries(new FormData(form));
  const given = (key, value) => (value ? `${key} = ${value}\n` : "");
  const step = of.step.trim();
  const [first, last] = page.receivers;
  return `# Made by the page of huygens. Run it by: huygens shot THIS-FILE

[model]
velocity = ${JSON.stringify(of.model)}
${given("spacing", of.spacing)}${given("axes", of.axes && JSON.stringify(of.axes))}
[time]
duration = ${of.duration || 0} # s
step = ${step && step !== "auto" ? step : '"auto"'} # s

[operator]
${of.operator}

[boundary]
top = "${of.top}"
sides = ${of.sides}

[[source]]
at = ${at(page.source)} # m
wavelet = { kind = "ricker", peak_hz = ${of.hz || 0} }

[receivers]
line = { from = ${at(first)}, to = ${at(last)}, count = ${of.receivers || 0} }
`;
}

/** Runs a job from t = 0. False if it was refused. */
export function begin(text) {
  const warnings = attempt(() => page.simulation.begin(text));
  if (!warnings) return false;
  page.job = text;
  page.wanted = 0;
  page.there = true;
  gatherShown = 0;
  say(warnings.join("\n"));
  fit();
  return true;
}

/** Runs what the controls say; the model's extent moves what lies outside into it. */
export function restart() {
  if (!page.simulation) return;
  if (!page.placed) another();
  else if (begin(job())) {
    page.playing = true;
    shown();
  }
}

/** A model of another size, whose receivers lie along its top. */
export function another() {
  const [source, receivers] = [page.source, page.receivers];
  page.source = { x: 0, z: 0 };
  page.receivers = [{ x: 0, z: 0 }, { x: 0, z: 0 }];
  page.placed = begin(job());
  const [x, z] = page.simulation.size();
  if (!page.placed) {
    [page.source, page.receivers] = [source, receivers];
    return;
  }
  const inside = source.x <= x && source.z <= z;
  page.source = inside ? source : { x: x / 2, z: z / 4 };
  page.receivers = [{ x: 0, z: 0 }, { x, z: 0 }];
  restart();
}

/** Takes files that were dropped or chosen: a model, and the data of an .rsf. */
export async function take(files) {
  const models = [...files].filter((file) => /\.(npy|rsf|sgy|segy|su)$/i.test(file.name));
  if (models.length !== 1) {
    say("Give one model, a .npy, .rsf, .sgy or .su, and with an .rsf the file of its data.", true);
    return;
  }
  const large = [...files].find((file) => file.size > MOST_BYTES);
  if (large) {
    say(`${large.name} has ${Math.round(large.size / 1e6)} MB; the page reads up to ${MOST_BYTES / 1e6} MB. Resample it by: huygens model convert`, true);
    return;
  }
  try {
    for (const file of files) page.files.set(file.name, new Uint8Array(await file.arrayBuffer()));
    for (const [name, bytes] of page.files) page.simulation.give(name, bytes);
  } catch (error) {
    say(`The file could not be read: ${error.message ?? error}`, true);
    return;
  }
  const name = models[0].name;
  const select = form.elements.model;
  const known = [...select.options].find((option) => option.value === name);
  if (!known) select.add(new Option(name, name));
  select.value = name;
  // The step of another model is not known to be stable.
  form.elements.step.value = "auto";
  another();
}

// Places on the picture.

const frame = byId("frame");
const metres = (event) => {
  const box = canvas.getBoundingClientRect();
  const [x, z] = page.simulation.size();
  const within = (share) => Math.min(Math.max(share, 0), 1);
  return { x: within((event.clientX - box.left) / box.width) * x, z: within((event.clientY - box.top) / box.height) * z };
};

/** Draws the marks where they are. */
function marks() {
  const [x, z] = page.simulation.size();
  const place = (of) => [(of.x / x) * canvas.clientWidth, (of.z / z) * canvas.clientHeight];
  for (const [id, of] of [["source", page.source], ["first", page.receivers[0]], ["last", page.receivers[1]]]) {
    const [left, top] = place(of);
    byId(id).style.left = `${left}px`;
    byId(id).style.top = `${top}px`;
  }
  const [cx, cy] = place(page.source);
  const point = (k) => {
    const [radius, angle] = [k % 2 ? 5 : 11, (Math.PI * k) / 5];
    return `${cx + radius * Math.sin(angle)},${cy - radius * Math.cos(angle)}`;
  };
  const star = `<polygon points="${[...Array(10).keys()].map(point).join(" ")}" fill="none" stroke="#fff" stroke-width="4"/><polygon points="${[...Array(10).keys()].map(point).join(" ")}" fill="none" stroke="#141414" stroke-width="1.6"/>`;
  const [[ax, ay], [bx, by]] = page.receivers.map(place);
  const count = Math.max(2, Math.min(Number(form.elements.receivers.value) || 2, Math.floor(Math.hypot(bx - ax, by - ay) / 14)));
  const triangle = (k) => {
    const [px, py] = [ax + ((bx - ax) * k) / (count - 1), ay + ((by - ay) * k) / (count - 1)];
    return `M${px},${py}l-3.5,6h7z`;
  };
  byId("marks").innerHTML = `${star}<path d="${[...Array(count).keys()].map(triangle).join("")}" fill="#141414"/>`;
}

function movable(id, get, put) {
  const mark = byId(id);
  mark.addEventListener("pointerdown", (event) => {
    mark.setPointerCapture(event.pointerId);
    event.preventDefault();
    mark.focus();
  });
  mark.addEventListener("pointermove", (event) => {
    if (!mark.hasPointerCapture(event.pointerId)) return;
    put(metres(event));
    marks();
  });
  mark.addEventListener("lostpointercapture", restart);
  mark.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way) return;
    event.preventDefault();
    const [x, z, nx] = page.simulation.size();
    const by = (x / Math.max(nx - 1, 1)) * (event.shiftKey ? 10 : 1);
    const within = (value, most) => Math.min(Math.max(value, 0), most);
    put({ x: within(get().x + way[0] * by, x), z: within(get().z + way[1] * by, z) });
    marks();
    later(restart);
  });
}

/** Does it once nothing more of it comes. */
let waiting;
function later(what) {
  clearTimeout(waiting);
  waiting = setTimeout(what, 300);
}

/** Fits the canvas to the model and the window. */
function fit() {
  const [x, z] = page.simulation.size();
  if (!x) return;
  frame.style.aspectRatio = `${x} / ${Math.max(z, x / 8)}`;
  byId("width").textContent = (x / 1000).toFixed(2);
  const [slow, fast] = page.simulation.velocities();
  byId("slow").textContent = `${(slow / 1000).toFixed(2)} km/s`;
  byId("fast").textContent = (fast / 1000).toFixed(2);
  marks();
}

// The frames.

let last = 0;
let gatherShown = 0;
let gatherSamples = 0;

function shown() {
  byId("play").textContent = page.playing ? "Pause" : "Play";
}

/** Seconds of the wave in a second of the clock. */
const speed = () => 2 ** Number(byId("speed").value);

function gather(now) {
  const { simulation } = page;
  const [receivers = 0, samples = 0] = simulation.gather_size();
  if (samples === gatherSamples || (now - gatherShown < GATHER_EVERY && !simulation.ended())) return;
  [gatherShown, gatherSamples] = [now, samples];
  const picture = byId("gather");
  picture.width = Math.max(receivers, 1);
  // Time goes on to the end of the job, and the gather grows down to it.
  picture.height = Math.max(simulation.samples(), 1);
  if (!samples) return;
  const pixels = new Uint8ClampedArray(simulation.gather().buffer);
  picture.getContext("2d").putImageData(new ImageData(pixels, receivers, samples), 0, 0);
}

export function frames(now) {
  const { simulation } = page;
  // A tab in the background gets no frames; the wave goes on where it was.
  const elapsed = Math.min(now - last, 100) / 1000;
  last = now;
  const steps = simulation.steps();
  if (steps && !reopening && !page.still) {
    if (page.playing && page.there) {
      page.wanted = Math.min(page.wanted + (speed() * elapsed) / simulation.interval(), steps);
    }
    const there = attempt(() => simulation.go_on(Math.floor(page.wanted)));
    page.there = there ?? true;
    if (there === undefined) page.wanted = simulation.step();
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    attempt(() => simulation.draw(Math.round(canvas.clientWidth * scale), Math.round(canvas.clientHeight * scale)));
    gather(now);
    byId("clock").textContent = `t = ${simulation.time().toFixed(3)} s, step ${simulation.step()} of ${steps}`;
  }
  requestAnimationFrame(frames);
}

// Saving.

function save(name, bytes, type) {
  if (!bytes) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** The picture of the wave with its axes: the field is copied to the host for it. */
export async function wavePicture() {
  const copied = attempt(() => page.simulation.copy());
  if (!copied) return undefined;
  while (!copied.is_there()) await new Promise(requestAnimationFrame);
  return page.simulation.wave_png(copied);
}

function listen() {
  byId("play").onclick = () => {
    page.playing = !page.playing;
    shown();
  };
  byId("step").onclick = () => {
    page.playing = false;
    page.wanted = Math.min(Math.floor(page.wanted) + 1, page.simulation.steps());
    shown();
  };
  byId("start").onclick = restart;
  byId("back").onclick = () => {
    if (attempt(() => (page.simulation.turn_back(), true))) {
      [page.wanted, page.there, page.playing] = [0, true, true];
      say("What the receivers heard is sent back: watch it collapse on the source.");
      shown();
    }
  };
  byId("save-wave").onclick = async () => save("wave.png", await wavePicture(), "image/png");
  byId("save-gather").onclick = () => save("gather.png", attempt(() => page.simulation.gather_png()), "image/png");
  byId("save-npy").onclick = () => save("gather.npy", attempt(() => page.simulation.npy()), "application/octet-stream");
  byId("save-sgy").onclick = () => save("gather.sgy", attempt(() => page.simulation.sgy()), "application/octet-stream");
  byId("save-job").onclick = () => save("job.toml", page.job, "text/plain");
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
  movable("source", () => page.source, (to) => (page.source = to));
  movable("first", () => page.receivers[0], (to) => (page.receivers[0] = to));
  movable("last", () => page.receivers[1], (to) => (page.receivers[1] = to));
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
let reopening = false;
export async function reopen() {
  if (reopening) return;
  reopening = true;
  try {
    page.simulation = await Simulation.open(canvas);
    for (const [name, bytes] of page.files) page.simulation.give(name, bytes);
    if (begin(page.job)) say("The graphics device was lost and is open again; the run is at its start.", true);
  } catch (error) {
    without(`The graphics device was lost: ${error.message ?? error}`);
  } finally {
    reopening = false;
  }
}

/** No device: says so, and shows a recorded wave. */
function without(why) {
  say(why, true);
  byId("page").hidden = true;
  byId("without").hidden = false;
  byId("movie").src = "movie.gif";
}

export const ready = (async () => {
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
  // The built-in job of the command line; the controls say the same, but for the delay of its wavelet.
  begin(Simulation.thesis());
  requestAnimationFrame(frames);
  return true;
})();
