// The test of the page in a real browser: `cargo xtask test --web` serves it beside the page, which it uses as a
// reader does, and reports to that server.

import { ready } from "../page.js";
import { Simulation } from "../huygens_web.js";
import { ticks } from "../axes.js";
import { frame as draw } from "../frames.js";
import { begin, job, take } from "../job.js";
import { timeLadder } from "../ladder.js";
import { state } from "../link.js";
import { wavePicture } from "../saving.js";
import { byId, canvas, form, page, shown } from "../state.js";
import { npy, rsf, segy } from "./files.js";
import { assert, browser, check, frame, keep, picture, report, reported, until } from "./report.js";

/** The devices that were opened since the test listens. */
const devices = [];
const requestDevice = GPUAdapter.prototype.requestDevice;
GPUAdapter.prototype.requestDevice = async function (...of) {
  devices.push(await requestDevice.apply(this, of));
  return devices.at(-1);
};

/** As fast as the device goes: a software adapter takes longer for a picture than for many steps. */
async function runTo(step) {
  const { simulation } = page;
  page.playing = false;
  page.still = true;
  const through = () => (step ? simulation.go_on(step) : (simulation.go_on(simulation.steps()), simulation.ended()));
  while (!through()) await new Promise((after) => setTimeout(after, 1));
  page.wanted = simulation.step();
  page.still = false;
  shown();
  return simulation;
}
const runToTheEnd = () => runTo(0);

const wrong = () => byId("message").classList.contains("wrong");
const change = (name, value) => {
  form.elements[name].value = value;
  form.elements[name].dispatchEvent(new Event("change", { bubbles: true }));
};

function drop(...files) {
  const dataTransfer = new DataTransfer();
  files.forEach((file) => dataTransfer.items.add(file));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}

/** Gives the window a size, a phone's with touch. */
async function window_(width, height, phone = false) {
  await browser("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: phone ? 2 : 1, mobile: phone });
  await browser("Emulation.setTouchEmulationEnabled", { enabled: phone });
  await until("the window", () => Math.abs(innerWidth - width) < 2, 20);
  scrollTo(0, 0);
  for (let k = 0; k < 4; k++) await frame();
}

async function tests() {
  assert(await ready, page.said);
  page.playing = false;
  await window_(1400, 860);

  await check("a wave is drawn on the device", async () => {
    // The built-in job, whose run goes on below.
    begin(Simulation.thesis());
    await runTo(700);
    await frame();
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    // A canvas holds its picture until the end of the task that drew it.
    assert(page.simulation.draw(width, height), "no picture was taken");
    const copy = new OffscreenCanvas(width, height);
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    let [red, blue, grey] = [0, 0, 0];
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] > data[at + 2] + 60) red++;
      else if (data[at + 2] > data[at] + 60) blue++;
      else if (data[at] === data[at + 2]) grey++;
    }
    await keep("wave.png", await copy.convertToBlob());
    assert(red > 500 && blue > 500 && grey > 5000, `${red} red, ${blue} blue and ${grey} grey pixels`);
    return `${width} x ${height}: ${red} red, ${blue} blue and ${grey} grey pixels`;
  });

  await check("axes and bars have numbers", async () => {
    await until("the scale", () => /\d/.test(byId("high").textContent), 20);
    assert(String(ticks(0, 13.48, 10)) === "0,2,4,6,8,10,12" && String(ticks(-1, 1, 4)) === "-1,-0.5,0,0.5,1", `${ticks(0, 13.48, 10)} ${ticks(-1, 1, 4)}`);
    const [x, z] = ["distances", "depths"].map((id) => byId(id).textContent);
    assert(x.endsWith("12x (km)") && z.endsWith("4Depth (km)"), `${x} ${z}`);
    return `${byId("low").textContent} to ${byId("high").textContent}, ${byId("pressure-name").textContent}`;
  });

  await check("pictures of the page at two sizes", async () => {
    page.playing = true;
    shown();
    page.playing = false;
    // As wide as the manual shows it without its text becoming small.
    await window_(1080, 820);
    await until("the wave", () => page.there, 20);
    const wide = await picture("browser-wide.png");
    await window_(390, 844, true);
    await until("the wave", () => page.there, 20);
    const phone = await picture("browser-phone.png");
    await window_(1400, 860);
    assert(wide > 50000 && phone > 50000, `${wide} ${phone}`);
  });

  await check("the picture with its axes is saved", async () => {
    const bytes = await wavePicture();
    await keep("figure.png", bytes);
    assert(bytes[1] === 0x50 && bytes.length > 20000, `${bytes.length} bytes`);
    return `${bytes.length} bytes`;
  });

  await check("the built-in job is the CPU engine's", async () => {
    const start = performance.now();
    const from = page.simulation.step();
    const simulation = await runToTheEnd();
    const seconds = (performance.now() - start) / 1000;
    await keep("gather.npy", simulation.npy());
    await keep("gather.sgy", simulation.sgy());
    await keep("gather.png", simulation.gather_png());
    report.difference = simulation.against_the_cpu();
    return `${report.difference.toExponential(2)} of the largest sample, ${seconds.toFixed(1)} s for ${simulation.steps() - from} steps`;
  });

  await check("its gather is sent back and found within a cell of source 2", async () => {
    byId("back").click();
    const simulation = await runToTheEnd();
    assert(Math.abs(simulation.time()) < 1e-6, `t = ${simulation.time()}`);
    const [x, z, time, over] = simulation.found();
    await until("the message", () => /strongest at/.test(page.said), 20);
    await keep("back.png", await wavePicture());
    await picture("page-back.png");
    assert(Math.abs(x - 6000) <= 20 && Math.abs(z - 1000) <= 20, `x = ${x}, z = ${z}`);
    return `x = ${x.toFixed(1)}, z = ${z.toFixed(1)} m at ${time.toFixed(3)} s, ${over.toFixed(0)} times the median`;
  });

  await check("the controls begin with the grid and the steps of the built-in job", () => {
    begin(Simulation.thesis());
    const [size, steps, interval] = [page.simulation.size(), page.simulation.steps(), page.simulation.interval()];
    assert(begin(job()), page.said);
    assert(String(size) === String(page.simulation.size()) && steps === page.simulation.steps() && interval === page.simulation.interval(), `${size} ${steps}`);
    return `${size}, ${steps} steps of ${interval} s`;
  });

  await check("by increments, which f32 rounds less, its first 0.8 s are within 2e-6", async () => {
    form.elements.duration.value = "0.8";
    page.simulation.begin_by_increments(job());
    const far = (await runToTheEnd()).against_the_cpu();
    form.elements.duration.value = "4";
    assert(far < 2e-6, `${far}`);
    return `${far.toExponential(2)} of the largest sample`;
  });

  await check("a click moves the source", async () => {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 4, box.top + box.height / 2];
    for (const type of ["mousePressed", "mouseReleased"]) await browser("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
    await until("the job", () => page.job.includes("[[source]]\nat = { x = 33") && !page.job.includes("thesis"), 10);
    page.playing = false;
    return page.job.match(/\[\[source\]\]\nat = (.*)/)[1];
  });

  await check("the keyboard moves a receiver and the source, and plays and steps", async () => {
    byId("first").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    await until("the job", () => page.job.includes("line = { from = { x = 20"), 5);
    const { x } = page.source;
    const press = (key, shiftKey = false) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true }));
    press("ArrowRight", true);
    await until("the source", () => Math.abs(page.source.x - x - 200) < 1 && page.job.includes(page.source.x.toFixed(2)), 5);
    page.playing = false;
    press(" ");
    assert(page.playing, "space does not play");
    const step = Math.floor(page.wanted);
    press(".");
    assert(!page.playing && page.wanted === step + 1, `step ${page.wanted}`);
  });

  await check("a finger taps where the source fires, and drags the receivers", async () => {
    await window_(390, 844, true);
    const finger = (type, points) => browser("Input.dispatchTouchEvent", { type, touchPoints: points });
    const box = canvas.getBoundingClientRect();
    await finger("touchStart", [{ x: box.left + box.width / 2, y: box.top + box.height / 2 }]);
    await finger("touchEnd", []);
    await until("the source", () => Math.abs(page.source.x - 6740) < 60, 10);
    page.playing = false;
    const mark = byId("last").getBoundingClientRect();
    const [x, y] = [mark.left + mark.width / 2, mark.top + mark.height / 2];
    await finger("touchStart", [{ x, y }]);
    for (const moved of [20, 60, 100]) await finger("touchMove", [{ x: x - moved, y: y + 2 }]);
    await finger("touchEnd", []);
    const sought = 13480 * (1 - 100 / box.width);
    await until("the receivers", () => Math.abs(page.receivers[1].x - sought) < 100 && page.job.includes(page.receivers[1].x.toFixed(2)), 10);
    page.playing = false;
    await window_(1400, 860);
    return `x = ${page.source.x.toFixed(0)}, the last receiver at ${page.receivers[1].x.toFixed(0)} m`;
  });

  await check("a window of 300 pixels holds all", async () => {
    await window_(300, 600, true);
    const wide = document.documentElement.scrollWidth;
    await window_(1400, 860);
    assert(wide <= 300, `${wide} pixels wide`);
    return `${wide} pixels wide`;
  });

  await check("the page is dark where the system is, and its text is read in both", async () => {
    // The contrast of WCAG 2: 4.5 for text.
    const light = (text) => {
      const [r, g, b] = text.match(/\d+/g).map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
    };
    const contrast = (element) => {
      const { color, backgroundColor } = getComputedStyle(element);
      return Math.max(light(color) / light(backgroundColor), light(backgroundColor) / light(color));
    };
    const said = [];
    for (const value of ["dark", "light"]) {
      await browser("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] });
      await until("the colours", () => matchMedia(`(prefers-color-scheme: ${value})`).matches, 10);
      await picture(`page-${value}.png`);
      const ground = light(getComputedStyle(document.body).backgroundColor);
      assert(value === "dark" ? ground < 0.1 : ground > 1, `${value}: ${ground}`);
      const least = Math.min(...[document.body, byId("play"), byId("step")].map(contrast));
      assert(least >= 4.5, `${value}: a contrast of ${least}`);
      said.push(`${value} ${least.toFixed(1)}`);
    }
    return said.join(", ");
  });

  await check("numerics are folded, and every control has a group", () => {
    const loose = [...form.elements].filter((field) => field.name && !field.closest("fieldset, details"));
    assert(loose.length === 0, `${loose.map((field) => field.name)}`);
    assert(!form.querySelector("details").open && form.querySelectorAll("legend").length === 2, "groups");
    assert(document.querySelectorAll("button.primary").length === 1, "one primary button");
  });

  await check("a link carries the state", async () => {
    change("hz", "6.5");
    change("operator", "order-8");
    change("top", "free");
    page.source = { x: 4000, z: 800 };
    page.receivers = [{ x: 1000, z: 40 }, { x: 9000, z: 40 }];
    const [sent, wanted] = [state(), job()];
    location.hash = "source=6000,1000&first=0,0&last=13480,0";
    await until("the state of a fresh page", () => page.job.includes("peak_hz = 8 "), 20);
    assert(page.job.includes("windowed-sinc") && page.source.x === 6000, page.job);
    location.hash = sent;
    await until("the state of the link", () => page.job === wanted, 20);
    assert(!wrong(), page.said);
    // An invalid number is replaced by that of a fresh page, and no text gets into the job.
    location.hash = "hz=six&step=0.001%0A[rtm]&model=nowhere.npy&source=1,2&first=0,0&last=100,0";
    await until("the model to be asked for", () => /drop this file/i.test(page.said), 20);
    assert(form.elements.hz.value === "8" && form.elements.step.value === "0.002", `${form.elements.hz.value} ${form.elements.step.value}`);
    location.hash = "source=6000,1000&first=0,0&last=13480,0";
    await until("a fresh page", () => page.job.includes("x = 13480.00") && !wrong(), 20);
    page.playing = false;
    return sent;
  });

  await check("an hour in the background is no hour of the wave", () => {
    begin(job());
    page.playing = true;
    draw(performance.now() + 3.6e6);
    page.playing = false;
    const seconds = page.wanted * page.simulation.interval();
    assert(seconds > 0 && seconds < 0.2, `${seconds} s of the wave`);
    return `${seconds.toFixed(3)} s of the wave`;
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
    return `${nx} x ${nz} nodes, the run ${difference.toExponential(2)} from the CPU's`;
  });

  await check("a dropped .npy that says no axes is told to, and then runs", async () => {
    form.elements.spacing.value = "";
    drop(npy(90, 50, "even.npy"));
    await until("a message", wrong, 20);
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

  await check("files of a model are freed once another one runs", async () => {
    const even = npy(90, 50, "even.npy");
    form.elements.axes.value = "xz";
    form.elements.spacing.value = "20";
    drop(even);
    await until("the model", () => page.job.includes("even.npy"), 20);
    const kept = page.simulation.kept_bytes();
    assert(kept === even.size && page.files.size === 1, `${kept} bytes of ${even.size}, ${[...page.files.keys()]}`);
    change("axes", "");
    change("spacing", "");
    change("model", "builtin:salt");
    await until("the built-in model", () => page.job.includes("builtin:salt"), 20);
    assert(page.simulation.kept_bytes() === 0 && page.files.size === 0 && form.elements.model.options.length === 3, "a file is kept");
  });

  await check("broken and huge files are told, and the page goes on", async () => {
    const running = page.job;
    const said = [];
    const huge = new File(["x"], "huge.sgy");
    Object.defineProperty(huge, "size", { value: 5e9 });
    for (const give of [() => drop(new File(["no array"], "broken.npy")), () => drop(new File([new Uint8Array(4000)], "broken.sgy")), () => drop(new File(["text"], "notes.txt")), () => take([huge])]) {
      page.said = "";
      give();
      await until("a message", () => page.said !== "" && wrong(), 20);
      said.push(page.said.split("\n")[0]);
    }
    change("model", "builtin:salt");
    change("duration", "0.4");
    await until("a run", () => page.job.includes("builtin:salt"), 20);
    await runTo(20);
    assert(page.job !== running, "another job");
    return said.join(" | ");
  });

  await check("an unstable step is told, and the page goes on", async () => {
    change("step", "0.02");
    await until("a message", wrong, 20);
    const said = page.said;
    change("step", "auto");
    await until("a run", () => !wrong(), 20);
    await runTo(5);
    return said.split("\n")[0];
  });

  await check("a device that is lost is told and opened again, and the page goes on", async () => {
    // From here on devices are known.
    await page.reopen();
    const lost = devices.at(-1);
    page.said = "";
    lost.destroy();
    await until("a new device", () => /is open again/.test(page.said) && devices.at(-1) !== lost, 60);
    const said = page.said;
    await runTo(20);
    return said;
  });

  await check("the ladder is timed, and stopped", async () => {
    byId("climb").click();
    await until("the ladder", () => byId("climb").textContent === "Stop", 5);
    byId("climb").click();
    await until("the end", () => byId("climb").textContent !== "Stop", 120);
    assert(/was stopped/.test(page.said), page.said);
    const json = await timeLadder(48, 96);
    assert(json, page.said);
    await keep("ladder.json", json);
    await keep("ladder.png", await (await fetch(byId("rungs").src)).blob());
    const { program, device, browser, adapter, ladders } = JSON.parse(json);
    const timed = ladders[0].rows.filter((row) => row.time);
    assert(program === "huygens" && device.backend === "webgpu" && adapter && browser === navigator.userAgent && ladders[0].ceiling && timed.length >= 20, json);
    await until("the bars", () => byId("rungs").naturalWidth > 0, 20);
    return `${adapter}: ${timed.length} of ${ladders[0].rows.length} rungs by the ${timed[0].time.clock} clock, the fastest ${Math.max(...timed.map((row) => row.gpts)).toPrecision(2)} Gpts/s`;
  });
}

reported(tests);
