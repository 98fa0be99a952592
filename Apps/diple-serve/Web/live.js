// Shows changes that are made elsewhere, but not while the user selects or writes.

import { api } from "./api.js";
import { button, el, float, isolated } from "./dom.js";
import { announce, complain } from "./notices.js";

/** Follows the events of a document. Only a visible page keeps its event stream open. */
export function followDocument(reader) {
  let stream = null;
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

  const start = () => {
    if (stream || document.hidden) return;
    stream = new EventSource(api.eventsAddress(reader.id));
    // Changes before the stream opened have no event.
    stream.addEventListener("state", catchUp);
    for (const name of ["text", "marks"]) stream.addEventListener(name, changed);
    stream.addEventListener("gone", checkMissing);
    stream.addEventListener("access", accessChanged);
    stream.addEventListener("error", () => {
      if (stream?.readyState === EventSource.CLOSED) {
        stream = null;
        setTimeout(start, 3000);
      }
    });
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

  const stop = () => {
    stream?.close();
    stream = null;
  };

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) stop();
    else start();
  });
  addEventListener("pagehide", stop);
  addEventListener("pageshow", start);
  reader.addEventListener("free", () => isWaiting && apply());
  start();
}
