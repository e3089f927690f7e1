// The job: what the controls say becomes its text, and the engine runs it.

import { attempt, form, page, say, shown } from "./state.js";
import { fit } from "./picture.js";

/** Larger files are models that no page runs. */
const MOST_BYTES = 256e6;

const at = ({ x, z }) => `{ x = ${x.toFixed(2)}, z = ${z.toFixed(2)} }`;

/** The job that the controls say. */
export function job() {
  const of = Object.fromEntries(new FormData(form));
  const given = (key, value) => (value ? `${key} = ${value}\n` : "");
  const toml = (name) => form.elements[name].selectedOptions[0].dataset.toml;
  const step = of.step.trim();
  const [first, last] = page.receivers;
  return `# Made by the page of huygens. Run it by: huygens shot THIS-FILE

[model]
velocity = ${JSON.stringify(of.model)}
${given("density", of.density && JSON.stringify(of.density))}${given("spacing", of.spacing)}${given("axes", of.axes && JSON.stringify(of.axes))}
[time]
duration = ${of.duration || 0} # s
step = ${step && step !== "auto" ? step : '"auto"'} # s

[operator]
${toml("operator")}

[boundary]
top = "${of.top}"
sides = ${toml("sides")}

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
  [page.job, page.wanted, page.there, page.told] = [text, 0, true, true];
  say(warnings.join("\n"));
  fit();
  return true;
}

/** Frees the files of the reader's model. */
function forgetFiles() {
  page.files.clear();
  page.simulation.forget();
  const own = [...form.elements.model.options].filter((option) => !option.value.startsWith("builtin:"));
  own.forEach((option) => option.remove());
}

/** Frees them once a built-in model is chosen. */
function forgetUnused() {
  if (page.files.size && !page.files.has(form.elements.model.value)) {
    forgetFiles();
    form.elements.file.value = "";
  }
}

/** Runs what the controls say; the model's extent moves what lies outside into it. */
export function restart() {
  if (!page.simulation) return;
  forgetUnused();
  if (!page.placed) another();
  else if (begin(job())) {
    page.playing = true;
    shown();
  }
}

/** A model of another size, whose receivers lie along its top. */
export function another() {
  forgetUnused();
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

/** Sends back what the receivers have heard so far. */
export function turnBack() {
  const warnings = attempt(() => page.simulation.turn_back());
  if (!warnings) return;
  [page.wanted, page.there, page.playing, page.told] = [0, true, true, false];
  say(["What the receivers heard is sent back: watch it collapse on the source.", ...warnings].join("\n"));
  shown();
}

/** Tells where a gather that is back has its focus. */
export function tellFocus() {
  page.told = true;
  const [x, z, time, over] = page.simulation.found();
  say(
    x === undefined
      ? "The waves came back and have no focus: a gather that is longer or has more receivers may have one."
      : `The waves were strongest at x = ${x.toFixed(0)} m, z = ${z.toFixed(0)} m (the ring), at ${time.toFixed(3)} s, ${over.toFixed(0)} times their median.`,
  );
  fit();
}

/** The bytes of a file. */
const read = async (file) => new Uint8Array(await file.arrayBuffer());

/** Gives the engine its files once more, from the reader's disk. */
export async function giveFiles() {
  for (const [name, file] of page.files) page.simulation.give(name, await read(file));
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
  const taken = [...files];
  const bytes = await Promise.all(taken.map(read)).catch((error) => {
    say(`The file could not be read: ${error.message ?? error}`, true);
  });
  if (!bytes) return;
  // One model at a time: the files of the one before are freed.
  forgetFiles();
  taken.forEach((file, k) => {
    page.files.set(file.name, file);
    page.simulation.give(file.name, bytes[k]);
  });
  const name = models[0].name;
  const select = form.elements.model;
  select.add(new Option(name, name));
  select.value = name;
  if (page.awaited === name) {
    // The model of a link, which has the rest of the state.
    [page.awaited, page.placed] = ["", true];
    restart();
    return;
  }
  // The step of another model is not known to be stable.
  form.elements.step.value = "auto";
  another();
}
