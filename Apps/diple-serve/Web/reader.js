// The open document: its text, its highlights, and their changes.

import { api } from "./api.js";
import { isolated } from "./dom.js";
import { attempt, complain, notify } from "./notices.js";
import { Text } from "./text.js";

/**
 * The open document. Dispatches `info` (outline, highlights, undo), `text`, `view` (text or
 * source), and `free` when updates from elsewhere need not wait any more.
 */
export class Reader extends EventTarget {
  info = null;
  /** Highlights by id. */
  highlights = new Map();
  #delays = new Set();
  #refreshing = null;
  #nextRefresh = null;
  #changing = 0;

  constructor(id) {
    super();
    this.id = id;
    this.text = new Text(id);
    this.text.onComplete = () => this.#emit("text");
  }

  get isReadOnly() {
    return this.info?.readOnly === true;
  }

  #emit(name) {
    this.dispatchEvent(new Event(name));
  }

  /**
   * Shows the document from the responses to the first requests. Resolves once the first piece of
   * the text is shown; the rest is loaded later.
   */
  async open(info, body) {
    this.#take(info);
    const begun = new Promise((first) => {
      this.text.load({ body, first }).catch(complain);
    });
    await begun;
    this.#emit("text");
  }

  #take(info) {
    this.info = info;
    this.highlights = new Map(info.highlights.map((highlight) => [highlight.id, highlight]));
    this.#emit("info");
  }

  /**
   * Reloads the document. Calls during a reload share one further reload, which follows even if the
   * first one fails.
   */
  refresh() {
    this.#nextRefresh ??= (async () => {
      await this.#refreshing?.catch(() => {});
      this.#nextRefresh = null;
      await (this.#refreshing = this.#bringUpToDate());
    })();
    return this.#nextRefresh;
  }

  /** Shows the Markdown source instead of the text, or the text again, at the same place. */
  async toggleSource() {
    const before = this.text.view;
    this.text.view = before === "" ? "source" : "";
    this.#emit("view");
    const isAtTop = scrollY === 0;
    try {
      await this.text.update();
    } catch (problem) {
      this.text.view = before;
      this.#emit("view");
      throw problem;
    }
    // Above the first words, there may be front matter.
    if (isAtTop) scrollTo({ top: 0, behavior: "instant" });
    this.#emit("text");
  }

  get showsSource() {
    return this.text.view === "source";
  }

  async #bringUpToDate() {
    const info = api.document(this.id);
    // It is awaited below, but may fail before.
    info.catch(() => {});
    // The highlights must be known before their marks are shown.
    await this.text.update({ before: async () => this.#take(await info) });
    await info;
    this.#emit("text");
  }

  // MARK: Waiting

  /** Delays changes from elsewhere until `release` is called with the same reason. */
  delay(reason) {
    this.#delays.add(reason);
  }

  release(reason) {
    if (this.#delays.delete(reason) && this.#delays.size === 0) this.#emit("free");
  }

  get isDelayed() {
    return this.#delays.size > 0;
  }

  /** Whether a change by this page is under way. The page can ignore its events. */
  get isChanging() {
    return this.#changing > 0;
  }

  // MARK: Highlights

  /** The highlights of a mark in the text, the topmost first. */
  highlightsOf(mark) {
    const names = (mark.dataset.h ?? "").split(" ").reverse();
    return names.map((name) => this.highlights.get(name)).filter(Boolean);
  }

  /** The marks of a highlight in the text. */
  marksOf(highlight) {
    const name = CSS.escape(highlight.id);
    return [...this.text.element.querySelectorAll(`mark[data-h~="${name}"]`)];
  }

  /** The highlights in the order of the text, then those without a place. */
  get ordered() {
    const place = (highlight) => highlight.ranges[0]?.[0] ?? Infinity;
    const of = this.info?.highlights ?? [];
    return [...of].sort((a, b) =>
      place(a) - place(b) || (a.ranges[0]?.[1] ?? 0) - (b.ranges[0]?.[1] ?? 0)
    );
  }

  /** The letter of a colour. */
  letter(name) {
    return (this.info?.colors ?? []).find((each) => each.name === name)?.letter ?? "";
  }

  /** The label or the name of a colour, as a list of strings and elements. */
  label(name) {
    const color = (this.info?.colors ?? []).find((each) => each.name === name);
    return color?.label ? [isolated(color.label), ` (${name})`] : [name];
  }

  async #change(action, done, onStored) {
    this.#changing += 1;
    try {
      const answer = await action();
      onStored?.();
      // The change is stored, even if the page cannot be refreshed.
      await attempt(() => this.refresh());
      if (done) notify(typeof done === "function" ? done(answer) : done, this.#undoing());
      return answer;
    } finally {
      this.#changing -= 1;
    }
  }

  #undoing() {
    return { label: "Undo", run: () => this.undo() };
  }

  /**
   * Marks ranges of the text and returns the highlights. If a passage is not found in the changed
   * text, refreshes the page and throws a `Refusal` with `details.candidates`.
   */
  async mark(ranges, { color, note, tags, text = this.text.digest }, done, onStored) {
    const mark = { text, ranges, color };
    if (note) mark.note = note;
    if (tags?.length) mark.tags = tags;
    const words = done ?? ["Marked in ", ...this.label(color), "."];
    try {
      return await this.#change(() => api.mark(this.id, mark), words, onStored);
    } catch (refusal) {
      if (refusal.details?.candidates) await attempt(() => this.refresh());
      throw refusal;
    }
  }

  /**
   * Changes a highlight. `onStored` is called once the library has stored the change, before the
   * page shows it.
   */
  edit(highlight, change, done, onStored) {
    const edit = () =>
      api.edit(highlight.id, change).catch((refusal) => {
        // Two pages may request the same change: then nothing is left to do.
        if (refusal.code !== "nothing") throw refusal;
      });
    return this.#change(edit, done ?? "Changed.", onStored);
  }

  remove(highlight) {
    return attempt(() => this.#change(() => api.remove(highlight.id), "Highlight removed."));
  }

  /** Formats ranges. `format` says how, as in the action `passage.format`. */
  setFormat(ranges, format) {
    const passage = { text: this.text.digest, ranges };
    const done = ({ file, passages, missingFont }) => {
      const obstacle = passages.find((part) => part.obstacle)?.obstacle;
      const place = file ? "in the file" : "in the library";
      return [
        `Formatted ${place}.`,
        ...(obstacle ? [" ", isolated(obstacle)] : []),
        ...(missingFont ? [" The font ", isolated(missingFont), " is not installed here."] : []),
      ];
    };
    return attempt(() => this.#change(() => api.setFormat(this.id, passage, format), done));
  }

  undo() {
    return attempt(async () => {
      const done = await this.#change(() => api.undo(this.id));
      notify(sentence("Undone", done), { label: "Redo", run: () => this.redo() });
    });
  }

  redo() {
    return attempt(async () => {
      const done = await this.#change(() => api.redo(this.id));
      notify(sentence("Redone", done), this.#undoing());
    });
  }
}

/** Returns `Undone: marked …`, or the server's sentence if it begins with such a verb. */
function sentence(word, done) {
  return /^(undid|redid|undone|redone)/i.test(done)
    ? isolated(done.charAt(0).toUpperCase() + done.slice(1))
    : [`${word}: `, isolated(done)];
}
