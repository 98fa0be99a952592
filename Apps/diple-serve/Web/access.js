// The notice that a device has read access only.

import { el } from "./dom.js";

/**
 * Creates the notice that this device may only read. `update` shows or hides it, by the server's
 * description of the library or of a document.
 */
export function accessNote() {
  const name = el("code", {});
  const element = el(
    "p",
    { class: "access", role: "status", hidden: true },
    "This device may only read. To let it mark text, run ",
    name,
    " on the serving computer.",
  );
  const update = ({ device }) => {
    element.hidden = !device || device.mayWrite;
    if (device) name.textContent = `diple serve allow ${device.id}`;
  };
  return { element, update };
}
