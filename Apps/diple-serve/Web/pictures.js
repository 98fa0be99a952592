// Replaces pictures that fail to load with their descriptions and the reason.

import { api } from "./api.js";
import { el } from "./dom.js";
import { forgetRuns } from "./mapping.js";

/** The maximum number of pictures in a page for which the reason is requested. */
const mostReasons = 50;

/** Replaces all pictures in an element that fail to load. */
export function describePictures(text) {
  const reasons = new Map();
  const reason = (address) => {
    if (!reasons.has(address) && reasons.size < mostReasons) {
      // If the server can send the picture, the browser cannot decode it.
      reasons.set(address, api.reason(address).then(() => "damaged", (refusal) => refusal.message));
    }
    return reasons.get(address);
  };
  const describe = async (picture) => {
    if (picture.tagName !== "IMG" || picture.dataset.o === undefined) return;
    const { o, n } = picture.dataset;
    const why = el("span", { class: "why", data: { x: "" } }, " (not shown)");
    const words = el("span", { class: "picture", data: { o, n } }, picture.alt);
    forgetRuns(picture.closest(".part"));
    picture.replaceWith(words, why);
    const known = await reason(picture.src);
    if (known) why.textContent = ` (${known})`;
  };
  // Error events do not bubble.
  text.addEventListener("error", (event) => describe(event.target), true);
}
