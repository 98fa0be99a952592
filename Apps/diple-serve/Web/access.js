// What the device that shows the page may do.

import { el } from "./dom.js";

/**
 * A line that says why nothing can be marked, where a device may only read. `update` takes what
 * the server said of the library or of a document.
 */
export function accessNote() {
  const name = el("code", {});
  const element = el(
    "p",
    { class: "access", role: "status", hidden: true },
    "This device may only read. To let it mark, run ",
    name,
    " on the computer.",
  );
  const update = ({ device }) => {
    element.hidden = !device || device.mayWrite;
    if (device) name.textContent = `diple serve allow ${device.id}`;
  };
  return { element, update };
}
