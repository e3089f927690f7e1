// What the page stands at, and what it says.

export const byId = (id) => document.getElementById(id);
export const form = byId("job");
export const canvas = byId("wave");

export const page = {
  simulation: null,
  playing: true,
  /** Whether frames leave the engine alone. */
  still: false,
  /** Whether a device that was lost is being opened again, and what opens it. */
  reopening: false,
  reopen: null,
  /** The files of the reader's model, by name; the engine has their bytes. */
  files: new Map(),
  /** The model that a link names and the reader has not given yet. */
  awaited: "",
  /** Metres. */
  source: { x: 6000, z: 1000 },
  receivers: [{ x: 0, z: 0 }, { x: 13480, z: 0 }],
  /** The step to reach, and whether the engine is there. */
  wanted: 0,
  there: true,
  /** Whether source and receivers lie in the model that is chosen. */
  placed: true,
  /** Whether the focus of a gather that was sent back has been told. */
  told: true,
  /** The text of the job that runs. */
  job: "",
  said: "",
};

export function say(text, wrong = false) {
  page.said = text;
  byId("message").textContent = text;
  byId("message").classList.toggle("wrong", wrong);
}

/** Names the button by what it does. */
export function shown() {
  byId("play").textContent = page.playing ? "Pause" : "Play";
}

/** Runs what the engine may refuse; what it says is shown, and the page goes on. */
export function attempt(what) {
  try {
    return what();
  } catch (error) {
    page.playing = false;
    shown();
    say(error.message ?? String(error), true);
    // A device that is gone takes its run along, as does a program that has stopped.
    if (/\bdevice\b.*\blost\b|\blost\b.*\bdevice\b|recursive use|unreachable/is.test(page.said)) page.reopen?.();
    return undefined;
  }
}
