// The page in a browser that gives it no device: it says so and shows a recorded wave.

import { ready } from "../page.js";
import { assert, check, picture, reported, until } from "./report.js";

reported(() =>
  check("without WebGPU the page says so and shows a recorded wave", async () => {
    assert((await ready) === false, "a device was opened");
    const [message, movie] = [document.getElementById("message"), document.getElementById("movie")];
    assert(message.classList.contains("wrong") && message.textContent !== "", "nothing is said");
    await until("the movie", () => movie.complete && movie.naturalWidth > 0, 30);
    assert(document.getElementById("page").hidden && !document.getElementById("without").hidden, "the controls are there");
    await picture("browser-without.png");
    return `${message.textContent} A wave of ${movie.naturalWidth} x ${movie.naturalHeight} pixels.`;
  }),
);
