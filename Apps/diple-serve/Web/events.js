// The server's events of a document or of the library.

import { api } from "./api.js";
import { showLasting } from "./notices.js";

/** The time in milliseconds after which a lost connection is reported. */
const patience = 1500;

/**
 * Calls listeners for the events of a document, or of the library if `doc` is undefined. Only a
 * visible page keeps its event stream open. While the server refuses the stream or does not answer,
 * a notice says so.
 *
 * @param listeners the listeners by the names of the events.
 * @param onReturn is called when the stream is open again after a gap.
 */
export function followEvents(doc, listeners, onReturn) {
  let stream = null;
  let wasOpen = false;
  let retry = 0;
  let report = 0;
  let endNotice = null;

  const lose = () => {
    report ||= setTimeout(async () => {
      const problem = await api.check().then(() => null, (refusal) => refusal);
      report = 0;
      if (!stream && document.hidden || stream?.readyState === EventSource.OPEN) return;
      endNotice?.();
      endNotice = problem && showLasting(problem);
    }, patience);
  };

  const find = () => {
    clearTimeout(report);
    report = 0;
    endNotice?.();
    endNotice = null;
    if (wasOpen) onReturn?.();
    wasOpen = true;
  };

  const start = () => {
    clearTimeout(retry);
    if (stream || document.hidden) return;
    stream = new EventSource(api.eventsAddress(doc));
    for (const [name, listener] of Object.entries(listeners)) {
      stream.addEventListener(name, listener);
    }
    stream.addEventListener("open", find);
    stream.addEventListener("error", () => {
      lose();
      // The browser itself continues unless the server refused the stream.
      if (stream?.readyState !== EventSource.CLOSED) return;
      stream = null;
      retry = setTimeout(start, 3000);
    });
  };

  const stop = () => {
    clearTimeout(retry);
    clearTimeout(report);
    report = 0;
    stream?.close();
    stream = null;
  };

  document.addEventListener("visibilitychange", () => (document.hidden ? stop() : start()));
  addEventListener("pagehide", stop);
  addEventListener("pageshow", start);
  start();
}
