// Shows changes that are made elsewhere, but not while the user selects or writes.

import { api } from "./api.js";
import { button, el, float, isolated } from "./dom.js";
import { followEvents } from "./events.js";
import { announce, complain } from "./notices.js";

/** Follows the events of a document. */
export function followDocument(reader) {
  let isWaiting = false;
  const words = el("span", {});
  const show = button("Show", () => apply());
  const chip = el("div", { class: "chip", role: "status", hidden: true }, words, show);
  float(chip);

  const offer = (text) => {
    words.replaceChildren(text);
    show.hidden = false;
    chip.hidden = false;
  };

  const apply = async () => {
    isWaiting = false;
    chip.hidden = true;
    try {
      await reader.refresh();
    } catch (problem) {
      if (problem.status === 404) reportMissing(problem);
      else complain(problem);
    }
  };

  /** Reports that the document is missing or was removed. If it returns, the page continues. */
  const reportMissing = ({ message, hint }) => {
    words.replaceChildren(
      isolated(message),
      hint ? el("span", { class: "hint", dir: "auto" }, hint) : "",
    );
    show.hidden = true;
    chip.hidden = false;
  };

  // The file is missing, or the document was removed: the server's error names the cause.
  const checkMissing = () =>
    api.document(reader.id).then(() => apply(), (problem) => {
      if (problem.status === 404) reportMissing(problem);
    });

  const changed = (event) => {
    const data = JSON.parse(event.data);
    if (data.doc && data.doc !== reader.id) return;
    const known = reader.info;
    const isKnown = data.sequence !== undefined && known && data.sequence <= known.sequence &&
      (!data.digest || data.digest === reader.text.digest);
    if (isKnown) return;
    // A change by this page refreshes the page itself.
    if (reader.isChanging) return void setTimeout(() => changed(event), 50);
    const isText = event.type === "text" ||
      (data.digest !== undefined && data.digest !== reader.text.digest);
    if (reader.isDelayed) {
      isWaiting = true;
      offer(isText ? "The text has changed." : "The highlights have changed.");
      return;
    }
    apply();
    if (isText) announce("The text has changed.");
  };

  const accessChanged = (event) => {
    const { device } = reader.info;
    if (!device || device.mayWrite === JSON.parse(event.data).mayWrite) return;
    if (!reader.isDelayed) return void apply();
    isWaiting = true;
    offer("This device's permissions have changed.");
  };

  const catchUp = async () => {
    try {
      const before = reader.info;
      const now = await api.document(reader.id);
      const isSame = now.digest === reader.text.digest && now.version === before.version;
      if (!isSame && reader.info === before) {
        changed({ type: "state", data: JSON.stringify({ digest: now.digest }) });
      }
    } catch (problem) {
      if (problem.status === 404) reportMissing(problem);
    }
  };

  reader.addEventListener("free", () => isWaiting && apply());
  followEvents(reader.id, {
    // Changes before the stream opened have no event.
    state: catchUp,
    text: changed,
    marks: changed,
    gone: checkMissing,
    access: accessChanged,
  });
}
