// Files that the page gives.

import { attempt, byId, page } from "./state.js";

/** Gives bytes, if there are any, as a file. */
export function save(name, bytes, type) {
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

export function listenToSaving() {
  byId("save-wave").onclick = async () => save("wave.png", await wavePicture(), "image/png");
  byId("save-gather").onclick = () => save("gather.png", attempt(() => page.simulation.gather_png()), "image/png");
  byId("save-npy").onclick = () => save("gather.npy", attempt(() => page.simulation.npy()), "application/octet-stream");
  byId("save-sgy").onclick = () => save("gather.sgy", attempt(() => page.simulation.sgy()), "application/octet-stream");
  byId("save-job").onclick = () => save("job.toml", page.job, "text/plain");
}
