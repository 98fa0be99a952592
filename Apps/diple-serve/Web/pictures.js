// Pictures that do not come: their descriptions stand in their places, with a word why.

import { api } from "./api.js";
import { el } from "./dom.js";
import { forgetRuns } from "./mapping.js";

/** Of how many pictures of a page is asked why they did not come. */
const mostReasons = 50;

/** Describes those in a text that do not come. */
export function describePictures(text) {
  const reasons = new Map();
  const reason = (address) => {
    if (!reasons.has(address) && reasons.size < mostReasons) {
      // One that comes after all cannot be shown by this browser.
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
  // Such events do not bubble.
  text.addEventListener("error", (event) => describe(event.target), true);
}
