// The test of the page in a real browser: `cargo xtask test --web` serves it beside the page, which it uses as a
// reader does, and reports to that server.

import { begin, job, page, ready, reopen, wavePicture } from "./page.js";
import { Simulation } from "./huygens_web.js";

const byId = (id) => document.getElementById(id);
const form = byId("job");
const frame = () => new Promise(requestAnimationFrame);
const report = { checks: [] };

async function until(what, true_, seconds = 300) {
  const start = performance.now();
  while (!true_()) {
    if (performance.now() - start > 1000 * seconds) throw new Error(`${what}: not after ${seconds} s; the page says: ${page.said}`);
    await frame();
  }
}

async function check(name, what) {
  try {
    report.checks.push({ name, ok: true, said: String((await what()) ?? "") });
  } catch (error) {
    report.checks.push({ name, ok: false, said: `${error.message ?? error}\n${error.stack ?? ""}` });
  }
  await fetch("/progress", { method: "POST", body: `${name}: ${report.checks.at(-1).said}` });
}

function assert(right, said) {
  if (!right) throw new Error(said);
}

const keep = (name, bytes) => fetch(`/keep/${name}`, { method: "POST", body: bytes });

/** As fast as the device goes: a software adapter takes longer for a picture than for many steps. */
async function runToTheEnd() {
  const { simulation } = page;
  page.playing = false;
  page.still = true;
  while (!simulation.ended()) {
    simulation.go_on(simulation.steps());
    await new Promise((after) => setTimeout(after, 1));
  }
  page.wanted = simulation.steps();
  page.still = false;
  return simulation;
}

const change = (name, value) => {
  form.elements[name].value = value;
  form.elements[name].dispatchEvent(new Event("change", { bubbles: true }));
};

function drop(...files) {
  const dataTransfer = new DataTransfer();
  files.forEach((file) => dataTransfer.items.add(file));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}

/** A model as SEG-Y of revision 1: two layers, `nx` traces 20 m apart. */
function segy(nx, nz) {
  const trace = 240 + 4 * nz;
  const view = new DataView(new ArrayBuffer(3600 + nx * trace));
  for (let at = 0; at < 3200; at++) view.setUint8(at, 0x40);
  view.setInt16(3216, 20);
  view.setInt16(3220, nz);
  view.setInt16(3224, 5);
  view.setInt16(3254, 1);
  view.setInt16(3500, 256);
  view.setInt16(3502, 1);
  for (let x = 0; x < nx; x++) {
    const at = 3600 + x * trace;
    view.setInt32(at, x + 1);
    view.setInt32(at + 20, x + 1);
    view.setInt16(at + 70, 1);
    view.setInt16(at + 114, nz);
    view.setInt16(at + 116, 20);
    view.setInt32(at + 180, 20 * x);
    view.setInt32(at + 188, 1);
    view.setInt32(at + 192, x + 1);
    for (let z = 0; z < nz; z++) view.setFloat32(at + 240 + 4 * z, z < nz / 2 ? 1500 : 2500);
  }
  return new File([view.buffer], "two-layers.sgy");
}

/** An .npy of f32, shape [x][z]. */
function npy(nx, nz, name) {
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${nx}, ${nz}), }`.padEnd(117) + "\n";
  const header = new Uint8Array([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118, 0, ...new TextEncoder().encode(text)]);
  return new File([header, new Float32Array(nx * nz).fill(2000)], name);
}

/** An .rsf whose data follow the header. */
function rsf(nx, nz) {
  const text = `n1=${nz} d1=20 label1="z" unit1="m"\nn2=${nx} d2=20 label2="x" unit2="m"\ndata_format="native_float" esize=4 in="stdin"\n`;
  return new File([text, new Uint8Array([12, 12, 4]), new Float32Array(nx * nz).fill(2000)], "even.rsf");
}

async function tests() {
  assert(await ready, page.said);
  report.device = page.simulation.device();
  page.playing = false;

  await check("the built-in job is the CPU engine's", async () => {
    begin(Simulation.thesis());
    const start = performance.now();
    const simulation = await runToTheEnd();
    report.seconds = (performance.now() - start) / 1000;
    await keep("gather.npy", simulation.npy());
    await keep("gather.sgy", simulation.sgy());
    await keep("gather.png", simulation.gather_png());
    report.difference = simulation.against_the_cpu();
    return `${report.difference} of the largest sample, ${report.seconds.toFixed(1)} s for ${simulation.steps()} steps`;
  });

  await check("the controls begin with the grid and the steps of the built-in job", () => {
    begin(Simulation.thesis());
    const [size, steps, interval] = [page.simulation.size(), page.simulation.steps(), page.simulation.interval()];
    assert(begin(job()), page.said);
    assert(String(size) === String(page.simulation.size()) && steps === page.simulation.steps() && interval === page.simulation.interval(), `${size} ${steps}`);
    return `${size}, ${steps} steps of ${interval} s`;
  });

  await check("a wave is drawn on the device", async () => {
    page.wanted = 500;
    await until("step 500", () => page.simulation.step() === 500 && page.there);
    const [width, height] = [canvas().clientWidth, canvas().clientHeight];
    // A canvas holds its picture until the end of the task that drew it.
    assert(page.simulation.draw(width, height), "no picture was taken");
    const picture = new OffscreenCanvas(width, height);
    const context = picture.getContext("2d");
    context.drawImage(canvas(), 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    let [red, blue, grey] = [0, 0, 0];
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] > data[at + 2] + 60) red++;
      else if (data[at + 2] > data[at] + 60) blue++;
      else if (data[at] === data[at + 2]) grey++;
    }
    await keep("wave.png", await picture.convertToBlob());
    assert(red > 500 && blue > 500 && grey > 5000, `${red} red, ${blue} blue and ${grey} grey pixels`);
    return `${width} x ${height}: ${red} red, ${blue} blue and ${grey} grey pixels`;
  });

  await check("the picture with its axes is saved", async () => {
    const bytes = await wavePicture();
    await keep("figure.png", bytes);
    assert(bytes[1] === 0x50 && bytes.length > 20000, `${bytes.length} bytes`);
    return `${bytes.length} bytes`;
  });

  await check("a click moves the source", async () => {
    const box = canvas().getBoundingClientRect();
    canvas().dispatchEvent(new MouseEvent("click", { clientX: box.left + box.width / 4, clientY: box.top + box.height / 2, bubbles: true }));
    assert(page.job.includes("[[source]]\nat = { x = 33") && page.simulation.step() === 0, page.job);
    page.playing = false;
    return page.job.match(/\[\[source\]\]\nat = (.*)/)[1];
  });

  await check("the keyboard moves a receiver", async () => {
    byId("first").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    await until("the job", () => page.job.includes("line = { from = { x = 20"), 5);
    page.playing = false;
  });

  await check("a dropped SEG-Y file is read, and runs", async () => {
    form.elements.spacing.value = "20";
    form.elements.duration.value = "0.5";
    drop(segy(120, 60));
    await until("the model", () => page.job.includes("two-layers.sgy"), 20);
    const [x, z, nx, nz] = page.simulation.size();
    assert(nx === 120 && nz === 60 && x === 2380 && z === 1180, `${[x, z, nx, nz]}`);
    assert(String(page.simulation.velocities()) === "1500,2500", `${page.simulation.velocities()}`);
    const difference = (await runToTheEnd()).against_the_cpu();
    assert(difference < 2e-6, `${difference}`);
    return `${nx} x ${nz} nodes, the run ${difference} from the CPU's`;
  });

  await check("a dropped .npy that says no axes is told to, and then runs", async () => {
    form.elements.spacing.value = "";
    drop(npy(90, 50, "even.npy"));
    await until("a message", () => byId("message").classList.contains("wrong"), 20);
    const said = page.said;
    change("axes", "xz");
    change("spacing", "20");
    await until("the model", () => page.job.includes("even.npy") && page.simulation.size()[2] === 90, 20);
    return said;
  });

  await check("a dropped .rsf is read", async () => {
    form.elements.axes.value = "";
    form.elements.spacing.value = "";
    drop(rsf(80, 40));
    await until("the model", () => page.job.includes("even.rsf"), 20);
    assert(page.simulation.size()[2] === 80, `${page.simulation.size()}`);
  });

  await check("broken and huge files are told, and the page goes on", async () => {
    const running = page.job;
    const said = [];
    const huge = new File(["x"], "huge.sgy");
    Object.defineProperty(huge, "size", { value: 5e9 });
    const { take } = await import("./page.js");
    for (const give of [() => drop(new File(["no array"], "broken.npy")), () => drop(new File([new Uint8Array(4000)], "broken.sgy")), () => drop(new File(["text"], "notes.txt")), () => take([huge])]) {
      page.said = "";
      give();
      await until("a message", () => page.said !== "" && byId("message").classList.contains("wrong"), 20);
      said.push(page.said.split("\n")[0]);
    }
    change("model", "builtin:salt");
    change("duration", "0.4");
    await until("a run", () => page.job.includes("builtin:salt"), 20);
    await runToTheEnd();
    assert(page.job !== running, "another job");
    return said.join(" | ");
  });

  await check("an unstable step is told, and the page goes on", async () => {
    change("step", "0.02");
    await until("a message", () => byId("message").classList.contains("wrong"), 20);
    const said = page.said;
    change("step", "auto");
    await until("a run", () => !byId("message").classList.contains("wrong"), 20);
    await frame();
    return said.split("\n")[0];
  });

  await check("a gather is sent back and collapses", async () => {
    page.source = { x: 6000, z: 1000 };
    page.receivers = [{ x: 0, z: 0 }, { x: 13480, z: 0 }];
    form.elements.step.value = "0.002";
    change("duration", "2");
    await runToTheEnd();
    byId("back").click();
    await runToTheEnd();
    assert(Math.abs(page.simulation.time()) < 1e-6, `t = ${page.simulation.time()}`);
    const bytes = await wavePicture();
    await keep("back.png", bytes);
    return `back at t = ${page.simulation.time()}`;
  });

  await check("a device that is opened again goes on", async () => {
    await reopen();
    assert(/is open again/.test(page.said), page.said);
    page.wanted = 20;
    await until("step 20", () => page.simulation.step() === 20 && page.there, 60);
    return page.said;
  });

  await check("a window of 300 pixels holds all", async () => {
    const narrow = document.createElement("iframe");
    narrow.style.cssText = "width: 300px; height: 600px; border: 0";
    narrow.src = "index.html";
    document.body.append(narrow);
    await new Promise((loaded) => (narrow.onload = loaded));
    const inner = narrow.contentDocument;
    await until("the narrow page", () => inner.getElementById("clock").textContent.includes("step"), 120);
    const wide = inner.documentElement.scrollWidth;
    narrow.remove();
    assert(wide <= 300, `${wide} pixels wide`);
    return `${wide} pixels wide`;
  });
}

const canvas = () => byId("wave");

tests()
  .catch((error) => report.checks.push({ name: "the page", ok: false, said: `${error.message ?? error}` }))
  .then(() => fetch("/report", { method: "POST", body: JSON.stringify(report) }));
