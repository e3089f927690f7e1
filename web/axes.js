// Axes and bars: round values at their places, as the pictures of the command line have them.

import { byId } from "./state.js";

/** Round values from `least` to `most`, no more than `room` of them. */
export function ticks(least, most, room) {
  const span = most - least;
  if (!(span > 0)) return [least];
  const power = 10 ** Math.floor(Math.log10(span / Math.max(room, 1)));
  const step = [1, 2, 5, 10].map((k) => k * power).find((step) => span / step <= Math.max(room, 1)) ?? 10 * power;
  const all = [];
  for (let k = Math.ceil(least / step - 1e-9); k * step <= most + 1e-9 * span; k++) all.push(Number((k * step).toPrecision(12)));
  return all;
}

/** Draws an axis from `least` to `most` beside what is `pixels` long. */
export function axis(id, name, least, most, pixels) {
  const element = byId(id);
  const down = element.classList.contains("down");
  const [low, high] = [Math.min(least, most), Math.max(least, most)];
  const place = (value) => (100 * (value - least)) / (most - least || 1);
  const labels = ticks(low, high, pixels / (down ? 36 : 64));
  // All with the decimals of the one that has most.
  const decimals = Math.max(...labels.map((value) => (String(value).split(".")[1] ?? "").length));
  const mark = (value) => `<span style="${down ? "top" : "left"}: ${place(value)}%">${value.toFixed(decimals).replace("-", "\u2212")}</span>`;
  const text = `${labels.map(mark).join("")}<b>${name}</b>`;
  // The page asks for its axes more often than they change.
  if (element.dataset.text !== text) {
    element.dataset.text = text;
    element.innerHTML = text;
  }
}

/** Kilometres where it is far, with the unit. */
export const distance = (name, most) => (Math.abs(most) < 2000 ? [`${name} (m)`, 1] : [`${name} (km)`, 1e-3]);

/** The numbers at the ends of the bar of pressure; with none, its signs alone. */
export function pressureBar(largest) {
  const power = largest > 0 ? Math.floor(Math.log10(largest)) : 0;
  const near = power >= -1 && power <= 2;
  const value = near ? largest : largest / 10 ** power;
  const number = value > 0 ? value.toPrecision(3) : "";
  byId("low").textContent = `\u2212${number}`;
  byId("high").textContent = number || "+";
  byId("pressure-name").innerHTML = `Pressure (${near ? "" : `10<sup>${String(power).replace("-", "\u2212")}</sup> `}Pa)`;
}
