// The picture of the wave: its size, its axes, and the marks of source and receivers, which can be moved.

import { byId, canvas, form, page } from "./state.js";
import { axis, distance } from "./axes.js";

const frame = byId("frame");

/** The metres of a place on the picture. */
export function metres(event) {
  const box = canvas.getBoundingClientRect();
  const [x, z] = page.simulation.size();
  const within = (share) => Math.min(Math.max(share, 0), 1);
  return { x: within((event.clientX - box.left) / box.width) * x, z: within((event.clientY - box.top) / box.height) * z };
}

const STAR = [...Array(10).keys()].map((k) => [k % 2 ? 5 : 11, (Math.PI * k) / 5]);

/** Draws the marks where they are. */
export function marks() {
  const [x, z] = page.simulation.size();
  const place = (of) => [(of.x / x) * canvas.clientWidth, (of.z / z) * canvas.clientHeight];
  for (const [id, of] of [["source", page.source], ["first", page.receivers[0]], ["last", page.receivers[1]]]) {
    const [left, top] = place(of);
    byId(id).style.left = `${left}px`;
    byId(id).style.top = `${top}px`;
  }
  const [cx, cy] = place(page.source);
  const points = STAR.map(([radius, angle]) => `${cx + radius * Math.sin(angle)},${cy - radius * Math.cos(angle)}`).join(" ");
  const star = `<polygon points="${points}" fill="none" stroke="#fff" stroke-width="4"/><polygon points="${points}" fill="none" stroke="#141414" stroke-width="1.6"/>`;
  const [[ax, ay], [bx, by]] = page.receivers.map(place);
  const count = Math.max(2, Math.min(Number(form.elements.receivers.value) || 2, Math.floor(Math.hypot(bx - ax, by - ay) / 14)));
  const triangle = (k) => {
    const [px, py] = [ax + ((bx - ax) * k) / (count - 1), ay + ((by - ay) * k) / (count - 1)];
    return `M${px},${py}l-3.5,6h7z`;
  };
  const [fx, fz] = page.simulation.found();
  const [rx, ry] = place({ x: fx, z: fz });
  const ring = fx === undefined ? "" : `<circle cx="${rx}" cy="${ry}" r="17" fill="none" stroke="#fff" stroke-width="4"/><circle cx="${rx}" cy="${ry}" r="17" fill="none" stroke="#141414" stroke-width="1.6"/>`;
  byId("marks").innerHTML = `${star}${ring}<path d="${[...Array(count).keys()].map(triangle).join("")}" fill="#141414"/>`;
}

/** Fits the canvas, the axes and the marks to the model and the window. */
export function fit() {
  const [x, z] = page.simulation.size();
  if (!x) return;
  frame.style.aspectRatio = `${x} / ${Math.max(z, x / 8)}`;
  const [slow, fast] = page.simulation.velocities();
  byId("slow").textContent = (slow / 1000).toFixed(2);
  byId("fast").textContent = (fast / 1000).toFixed(2);
  const [across, by] = distance("x", x);
  axis("distances", across, 0, x * by, canvas.clientWidth);
  const [down, of] = distance("Depth", z);
  axis("depths", down, 0, z * of, canvas.clientHeight);
  const heard = byId("gather");
  const [first, last] = page.receivers;
  const along = Math.abs(last.x - first.x) >= Math.abs(last.z - first.z) ? "x" : "z";
  const [receivers, each] = distance(`Receiver ${along}`, Math.max(first[along], last[along]));
  axis("heard-at", receivers, first[along] * each, last[along] * each, heard.clientWidth);
  axis("times", "Time (s)", 0, page.simulation.duration(), heard.clientHeight);
  marks();
}

/** Makes a mark follow a pointer and the arrow keys; `done` once it stays. */
export function movable(id, get, put, done) {
  const mark = byId(id);
  let pointer = null;
  mark.addEventListener("pointerdown", (event) => {
    pointer = event.pointerId;
    try {
      mark.setPointerCapture(pointer);
    } catch {
      // A pointer that is gone already moves nothing.
    }
    event.preventDefault();
    mark.focus();
  });
  mark.addEventListener("pointermove", (event) => {
    if (event.pointerId !== pointer) return;
    put(metres(event));
    marks();
  });
  const released = (event) => {
    if (event.pointerId !== pointer) return;
    pointer = null;
    done();
  };
  mark.addEventListener("pointerup", released);
  mark.addEventListener("pointercancel", released);
  mark.addEventListener("keydown", (event) => arrow(event, get, put, done));
}

/** Moves what is there by the arrow keys, with Shift ten nodes at a time. */
export function arrow(event, get, put, done) {
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!way) return;
  event.preventDefault();
  const [x, z, nx] = page.simulation.size();
  const by = (x / Math.max(nx - 1, 1)) * (event.shiftKey ? 10 : 1);
  const within = (value, most) => Math.min(Math.max(value, 0), most);
  put({ x: within(get().x + way[0] * by, x), z: within(get().z + way[1] * by, z) });
  marks();
  later(done);
}

/** Does it once nothing more of it comes. */
let waiting;
function later(what) {
  clearTimeout(waiting);
  waiting = setTimeout(what, 300);
}
