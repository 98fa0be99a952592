// A document that is read: its text, its highlights, and what is done with them.

import { api } from "./api.js";
import { isolated } from "./dom.js";
import { attempt, complain, tell } from "./notices.js";
import { Text } from "./text.js";

/** Tells of `info` (outline, highlights, undo) and `text`, as events. */
export class Reader extends EventTarget {
  info = null;
  /** Highlights by id, and by what marks in the text call them. */
  highlights = new Map();
  #marks = new Map();
  #holds = new Set();
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

  /** Shows the document that the first answers are about. */
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
    this.#marks = new Map(
      info.highlights.flatMap((each) => [[String(each.short), each], [each.id, each]]),
    );
    this.#emit("info");
  }

  /** Brings all up to date; calls while one runs are one more run, whatever became of that. */
  refresh() {
    this.#nextRefresh ??= (async () => {
      await this.#refreshing?.catch(() => {});
      this.#nextRefresh = null;
      await (this.#refreshing = this.#bringUpToDate());
    })();
    return this.#nextRefresh;
  }

  async #bringUpToDate() {
    const info = api.document(this.id);
    // It is waited for below, and may have failed by then.
    info.catch(() => {});
    // Marks in the text are never shown before what they are about is known.
    await this.text.update({ before: async () => this.#take(await info) });
    await info;
    this.#emit("text");
  }

  // MARK: Being busy

  /** While something holds the page, changes from elsewhere wait. */
  hold(reason) {
    this.#holds.add(reason);
  }

  release(reason) {
    if (this.#holds.delete(reason) && this.#holds.size === 0) this.#emit("free");
  }

  get isHeld() {
    return this.#holds.size > 0;
  }

  /** Whether a change of this page is under way, whose events it will not need. */
  get isChanging() {
    return this.#changing > 0;
  }

  // MARK: Highlights

  /** The highlights of a mark in the text, the topmost first. */
  highlightsOf(mark) {
    const names = (mark.dataset.h ?? "").split(" ").reverse();
    return names.map((name) => this.#marks.get(name)).filter(Boolean);
  }

  /** The marks of a highlight in the text. */
  marksOf(highlight) {
    const names = [CSS.escape(String(highlight.short)), CSS.escape(highlight.id)];
    return [
      ...this.text.element.querySelectorAll(
        names.map((name) => `mark[data-h~="${name}"]`).join(", "),
      ),
    ];
  }

  /** Highlights with a place, in the order of the text; then those without. */
  get ordered() {
    const place = (highlight) => highlight.ranges[0]?.[0] ?? Infinity;
    const of = this.info?.highlights ?? [];
    return [...of].sort((a, b) =>
      place(a) - place(b) || (a.ranges[0]?.[1] ?? 0) - (b.ranges[0]?.[1] ?? 0)
    );
  }

  /** What a colour is called, as a list of words. */
  label(name) {
    const color = (this.info?.colors ?? []).find((each) => each.name === name);
    return color?.label ? [isolated(color.label), ` (${name})`] : [name];
  }

  async #change(action, done, onStored) {
    this.#changing += 1;
    try {
      const answer = await action();
      onStored?.();
      // It is done, whatever becomes of the page.
      await attempt(() => this.refresh());
      if (done) tell(typeof done === "function" ? done(answer) : done, this.#undoing());
      return answer;
    } finally {
      this.#changing -= 1;
    }
  }

  #undoing() {
    return { label: "Undo", run: () => this.undo() };
  }

  /**
   * Marks ranges of the text, and gives the highlights. Where a passage was not found again, what
   * is thrown has `answer.candidates`, and the text is up to date.
   */
  async mark(ranges, { color, note, tags, text = this.text.digest }, done, onStored) {
    const mark = { text, ranges, color };
    if (note) mark.note = note;
    if (tags?.length) mark.tags = tags;
    const words = done ?? ["Marked in ", ...this.label(color), "."];
    try {
      return (await this.#change(() => api.mark(this.id, mark), words, onStored)).highlights;
    } catch (refusal) {
      if (refusal.answer?.candidates) await attempt(() => this.refresh());
      throw refusal;
    }
  }

  /** Changes a highlight. `onStored` is called when the library has it, before the page has. */
  edit(highlight, change, done, onStored) {
    return this.#change(() => api.edit(highlight.id, change), done ?? "Changed.", onStored);
  }

  remove(highlight) {
    return attempt(() => this.#change(() => api.remove(highlight.id), "Highlight removed."));
  }

  /** Formats as `diple format` does with these words. */
  setFormat(ranges, words) {
    const change = { text: this.text.digest, ranges, words };
    const done = ({ formatted }) => {
      const obstacle = formatted.find((part) => part.obstacle)?.obstacle;
      const place = formatted.some((part) => part.file) ? "in the file" : "in the library";
      return [`Formatted ${place}.`, ...(obstacle ? [" ", isolated(obstacle)] : [])];
    };
    return attempt(() => this.#change(() => api.setFormat(this.id, change), done));
  }

  undo() {
    return attempt(async () => {
      const { done } = await this.#change(() => api.undo(this.id));
      tell(
        done ? sentence("Undone", done) : "There is nothing to undo.",
        done && { label: "Redo", run: () => this.redo() },
      );
    });
  }

  redo() {
    return attempt(async () => {
      const { done } = await this.#change(() => api.redo(this.id));
      tell(done ? sentence("Redone", done) : "There is nothing to redo.", done && this.#undoing());
    });
  }
}

/** `Undone: marked …`, unless the server says so itself. */
function sentence(word, done) {
  return /^(undid|redid|undone|redone)/i.test(done)
    ? isolated(done.charAt(0).toUpperCase() + done.slice(1))
    : [`${word}: `, isolated(done)];
}
