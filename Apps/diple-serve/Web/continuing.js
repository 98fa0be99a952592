// The place where the user stopped reading: in the browser's history, and with the server, from
// which every front-end continues.

import { api } from "./api.js";
import { debounced } from "./dom.js";
import { notify } from "./notices.js";

/** The times in milliseconds without scrolling after which the place is stored. */
const [soon, later] = [100, 1000];

/** Input after which the page does not scroll by itself. */
const inputs = ["wheel", "touchstart", "pointerdown", "keydown"];

/** Keeps the place in the text of a document. */
export class Continuing {
  /** The place that the server has; null if it has none. */
  #stored = null;
  #arrival = null;
  /** Whether a link led to a place in the text. */
  #isLinked = false;
  #isReady = false;
  #sent = "";

  constructor(reader) {
    this.reader = reader;
    // The browser would restore the position before the text is there.
    history.scrollRestoration = "manual";
    const remember = debounced(soon, () => this.remember());
    const keep = debounced(later, () => this.#keep());
    addEventListener("scroll", () => {
      remember();
      keep();
    }, { passive: true });
    addEventListener("pagehide", () => this.#leave());
    document.addEventListener("visibilitychange", () => document.hidden && this.#leave());
    addEventListener("popstate", ({ state }) => state?.place && this.#show(state.place));
  }

  /**
   * Shows the place of the history's entry, else where the address leads, else where the user
   * stopped reading.
   *
   * @param stored the place that the server has: `{offset, text, percent}`.
   * @param goToFragment shows the place to which the address leads; returns false if it leads to
   *   none.
   */
  async begin(stored, goToFragment) {
    const { text } = this.reader;
    if (stored?.offset !== null && stored?.offset !== undefined) this.#stored = stored;
    const place = history.state?.place;
    if (place && place.text === text.digest) {
      await this.#show(place);
    } else if (goToFragment() !== false) {
      this.#isLinked = true;
    } else if (this.#stored?.offset > 0) {
      const isShown = await this.#reach(this.#stored.offset, (offset) => text.showLine(offset));
      if (isShown && scrollY > 0) {
        notify("This is where you stopped reading.", {
          label: "Start",
          run: () => scrollTo({ top: 0 }),
        });
      }
    }
    this.#arrival = this.#place()?.offset ?? 0;
    this.#isReady = true;
  }

  /** Shows a place of the history. */
  #show(place) {
    return this.#reach(place.offset, () => this.reader.text.show(place));
  }

  /**
   * Runs an action once the text at an offset is on the page. Returns false if the user scrolled or
   * typed before.
   */
  async #reach(offset, action) {
    const before = new AbortController();
    for (const input of inputs) {
      addEventListener(input, () => before.abort(), { signal: before.signal, passive: true });
    }
    await this.reader.text.reach(offset);
    if (before.signal.aborted) return false;
    before.abort();
    action(offset);
    return true;
  }

  #place() {
    return scrollY < 8 ? { offset: 0, distance: 0 } : this.reader.text.place();
  }

  /** Notes the place in the history's entry, so that Back and a reload return to it. */
  remember() {
    if (!this.#isReady) return;
    const place = { ...this.#place(), text: this.reader.text.digest };
    history.replaceState({ ...history.state, place }, "");
  }

  #leave() {
    this.remember();
    this.#keep();
  }

  /**
   * Stores the place with the server. If the user has not moved since the text was shown, the
   * earlier place becomes the newest one, unless a link led to another part of the text.
   */
  #keep() {
    const { reader } = this;
    const { text } = reader;
    const offset = this.#place()?.offset;
    if (!this.#isReady || offset === undefined) return;
    const hasMoved = !this.#stored || offset !== this.#arrival;
    if (!hasMoved && this.#isLinked) return;
    const place = hasMoved
      ? {
        offset: offset === 0 ? 0 : text.lineAt() ?? offset,
        text: text.digest,
        percent: text.percentAbove(innerHeight),
      }
      : { offset: this.#stored.offset, text: this.#stored.text, percent: this.#stored.percent };
    const sent = JSON.stringify(place);
    if (sent === this.#sent) return;
    this.#sent = sent;
    this.#stored = place;
    this.#arrival = null;
    // A place that cannot be stored is no reason to disturb the user.
    api.keepPlace(reader.id, place).catch(() => (this.#sent = ""));
  }
}
