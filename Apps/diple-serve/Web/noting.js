// Edits the note and tags of a highlight or a selection. Drafts are kept until they are saved, and
// offered again when the page is opened the next time.

import { button, el, float, isolated } from "./dom.js";
import { Drafts } from "./drafts.js";
import { editNote } from "./editor.js";
import { shortened } from "./excerpts.js";
import { notify } from "./notices.js";
import { choosePlace } from "./places.js";
import { showPending } from "./selection.js";

export class Noting {
  #drafts;
  #isOpen = false;
  #words = el("span", {});
  #chip = el(
    "div",
    { class: "unsaved", role: "status", hidden: true },
    this.#words,
    button("Continue", () => this.#continue()),
    button("Discard", () => this.#discard()),
  );

  /** `goOn` is called with the draft that the user continues. */
  constructor(reader, goOn) {
    this.reader = reader;
    this.goOn = goOn;
    this.#drafts = new Drafts(reader.id);
    addEventListener("beforeunload", (event) => {
      if (this.#drafts.all.length > 0) event.preventDefault();
    });
  }

  /** Focuses the open editor. Returns false if it is not open. */
  goIn() {
    if (this.#isOpen) document.querySelector("#note-text").focus();
    return this.#isOpen;
  }

  /** Adds the offer of the last draft to the page. */
  install() {
    float(this.#chip);
    this.#offer();
  }

  /**
   * Opens the editor for a highlight or a selection `{ranges, text}`. Resolves to true if it was
   * saved, to false if the user left.
   */
  async write({ highlight, selection, draft, color, focusTags, box }) {
    const { reader } = this;
    const place = highlight ? { highlight: highlight.id } : this.#placeOf(selection);
    draft ??= this.#drafts.find(place);
    const pending = selection?.text === reader.text.digest
      ? reader.text.ranges(selection.ranges)
      : [];
    this.#isOpen = true;
    this.#offer();
    reader.delay("editor");
    showPending(pending);
    const isSaved = await editNote({
      highlight,
      quote: highlight?.quote ?? place.quote,
      colors: reader.info.colors,
      color,
      draft,
      knownTags: this.#knownTags(),
      focusTags,
      box,
      keep: (written) => {
        if (written) this.#drafts.keep({ place, ...written });
        else this.#drafts.drop(place);
      },
      save: (result) => (highlight ? this.#edit(highlight, result) : this.#mark(place, result)),
    });
    this.#isOpen = false;
    showPending([]);
    reader.release("editor");
    this.#offer();
    return isSaved;
  }

  #placeOf({ ranges, text, quote }) {
    return { ranges, text, quote: quote ?? this.reader.text.words(ranges) };
  }

  #knownTags() {
    const highlights = [...this.reader.highlights.values()];
    return [...new Set(highlights.flatMap((highlight) => highlight.tags))].sort();
  }

  // MARK: Saving

  async #edit(highlight, { note, seen, color, addTags, removeTags }) {
    const change = {};
    // With `seenNote` the server refuses to overwrite a note that was changed meanwhile.
    if (note !== seen) Object.assign(change, { note, seenNote: seen });
    if (color !== highlight.color) change.color = color;
    if (addTags.length > 0) change.addTags = addTags;
    if (removeTags.length > 0) change.removeTags = removeTags;
    if (Object.keys(change).length === 0) return;
    await stored((onStored) => this.reader.edit(highlight, change, "Saved.", onStored));
  }

  async #mark({ ranges, text }, { note, color, addTags }) {
    const { reader } = this;
    const mark = { color, note, tags: addTags, text };
    const done = note ? "Marked with a note." : undefined;
    try {
      await stored((onStored) => reader.mark(ranges, mark, done, onStored));
    } catch (refusal) {
      if (!refusal.details?.candidates) throw refusal;
      const chosen = await choosePlace(refusal, color);
      if (!chosen) throw refusal;
      mark.text = refusal.details.text;
      await stored((onStored) => reader.mark([chosen], mark, done, onStored));
    }
  }

  // MARK: Drafts

  #offer() {
    const drafts = this.#drafts.all;
    const draft = drafts.at(-1);
    this.#chip.hidden = this.#isOpen || !draft || this.reader.isReadOnly;
    if (!draft) return;
    const highlight = this.reader.highlights.get(draft.place.highlight);
    const quote = shortened(highlight?.quote ?? draft.place.quote ?? "", 48);
    const others = drafts.length > 1 ? `, and ${drafts.length - 1} more` : "";
    const what = draft.note.trim() ? "Note" : "Tags";
    this.#words.replaceChildren(
      `${what} not saved`,
      ...(quote ? [": “", isolated(quote), "”"] : []),
      others,
    );
  }

  #continue() {
    const draft = this.#drafts.all.at(-1);
    if (draft) this.goOn(draft);
  }

  #discard() {
    const draft = this.#drafts.all.at(-1);
    if (!draft) return;
    this.#drafts.drop(draft.place);
    this.#offer();
    notify("Discarded.", {
      label: "Undo",
      run: () => {
        this.#drafts.keep(draft);
        this.#offer();
      },
    });
  }
}

/** Waits until the library has stored a change, but not until the page shows it. */
function stored(change) {
  return new Promise((resolve, reject) => change(resolve).catch(reject));
}
