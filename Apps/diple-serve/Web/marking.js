// Commands for a selection and for an existing highlight: menus, keys, and the pen.

import { api } from "./api.js";
import { copyText } from "./clipboard.js";
import { button, el, float } from "./dom.js";
import { foldedNote } from "./folded.js";
import { formatPanel } from "./format.js";
import { choices, colorButtons, line, Menu } from "./menu.js";
import { attempt, complain, notify } from "./notices.js";
import { Noting } from "./noting.js";
import { choosePlace } from "./places.js";
import { boxInView } from "./selection.js";
import { shareCard } from "./share.js";
import { boxOf } from "./text.js";

export class Marking {
  /** The chosen highlight, to which keys and the menu apply, or null. */
  highlight = null;
  /** The colour in which the pen marks each selection; null while the pen is off. */
  pen = null;
  #menu = new Menu("Actions");
  #noting;

  constructor(reader, selecting) {
    this.reader = reader;
    this.selecting = selecting;
    this.#noting = new Noting(reader, (draft) => this.#goOn(draft));
    selecting.addEventListener("change", () => this.#selected());
    reader.text.element.addEventListener("click", (event) => this.#click(event));
    reader.addEventListener("text", () => this.#marked());
    document.addEventListener("pointerdown", (event) => {
      if (
        this.highlight &&
        !event.target.closest(".menu, mark, .editor, .unsaved, .panel, .notice, dialog")
      ) this.leave();
    });
  }

  /** Adds the menu to the page. */
  install() {
    float(this.#menu.element);
    this.reader.addEventListener("info", () => this.#noting.install(), { once: true });
  }

  get #colors() {
    return this.reader.info?.colors ?? [];
  }

  get #lastColor() {
    const stored = readColor();
    return this.#colors.some((color) => color.name === stored)
      ? stored
      : this.#colors[0]?.name ?? "yellow";
  }

  // MARK: A selection

  #selected() {
    const { current } = this.selecting;
    if (!current) return this.highlight ? undefined : this.#menu.hide();
    this.leave(false);
    if (this.pen && current.byPointer) return this.mark(this.pen);
    this.showSelectionMenu();
  }

  showSelectionMenu() {
    const { reader } = this;
    const back = () => this.showSelectionMenu();
    this.#menu.show([
      !reader.isReadOnly &&
      [
        colorButtons(this.#colors, (color) => this.mark(color)),
        line(),
        button("Note", () => this.note(), { glyph: "note", keys: "n" }),
        button("Tag", () => this.note({ focusTags: true }), { glyph: "tag", keys: "t" }),
      ],
      button("Copy", () => this.#showCopies(back), {
        glyph: "copy",
        keys: "y",
        "aria-haspopup": "true",
      }),
      button("Share as a card", () => this.share(), { glyph: "share", keys: "s" }),
      !reader.isReadOnly &&
      button("Format", () => this.format(), { glyph: "format", keys: "F" }),
    ], () => this.selecting.box());
  }

  /** Marks the selection. If its text has changed, the user may choose among similar passages. */
  async mark(color) {
    const { current } = this.selecting;
    if (!current || this.reader.isReadOnly) return;
    storeColor(color);
    this.selecting.clear();
    this.#menu.hide();
    try {
      await this.reader.mark(current.ranges, { color, text: current.text });
    } catch (refusal) {
      if (refusal.details?.candidates) {
        const range = await choosePlace(refusal, color);
        const { text } = refusal.details;
        if (range) await attempt(() => this.reader.mark([range], { color, text }));
        return;
      }
      // Another page may have marked the passage just so.
      if (refusal.code === "nothing" && this.#chooseMarked(current, color)) return;
      complain(refusal);
      // The selection is restored, so that the user can try again, unless there is a newer one.
      const { selecting } = this;
      const isNew = selecting.isDragging || selecting.current || this.highlight;
      if (!isNew && getSelection().isCollapsed) this.#restore(current);
    }
  }

  /** Chooses the highlight of a passage in a colour. Returns false if there is none. */
  #chooseMarked({ ranges }, color) {
    const [[start, end]] = ranges;
    const found = this.reader.ordered.find(({ ranges: [range], color: other }) =>
      range?.[0] === start && range[1] === end && other === color
    );
    if (!found) return false;
    this.choose(found);
    this.#tellSame(color);
    return true;
  }

  #tellSame(color) {
    notify(["The highlight is already ", ...this.reader.label(color), "."]);
  }

  // MARK: A highlight

  #click(event) {
    const sign = event.target.closest("a.sign");
    const mark = event.target.closest("mark[data-h]");
    if (sign) {
      event.preventDefault();
      const highlight = this.reader.highlights.get(
        decodeURIComponent(sign.pathname.split("/")[2] ?? ""),
      );
      if (highlight) this.choose(highlight);
      return;
    }
    const picture = event.target.closest("img[data-o]");
    if (picture && !event.target.closest("a") && !mark) {
      getSelection().setBaseAndExtent(
        picture.parentNode,
        indexOf(picture),
        picture.parentNode,
        indexOf(picture) + 1,
      );
      return;
    }
    if (!mark || event.target.closest("a") || !getSelection().isCollapsed) return;
    const [highlight] = this.reader.highlightsOf(mark);
    if (highlight) this.choose(highlight, { mark });
  }

  /** Chooses a highlight: keys and the menu apply to it. */
  choose(highlight, { mark, withMenu = true } = {}) {
    // The place of a click remains, so that Shift and the arrow keys can select from there.
    if (getSelection()?.isCollapsed === false) getSelection().removeAllRanges();
    this.leave(false);
    this.highlight = highlight;
    this.#mark = mark ?? null;
    this.#marked();
    if (withMenu) this.showHighlightMenu();
    this.dispatch(highlight);
  }

  #mark = null;
  onChoose = null;

  dispatch(highlight) {
    this.onChoose?.(highlight);
  }

  /** Ends the choice of a highlight. `isTold` is false if `onChoose` must not be called. */
  leave(isTold = true) {
    if (!this.highlight) return;
    this.highlight = null;
    this.#mark = null;
    this.#marked();
    this.#menu.hide();
    if (isTold) this.dispatch(null);
  }

  #marked() {
    for (const old of this.reader.text.element.querySelectorAll("mark.current")) {
      old.classList.remove("current");
    }
    if (!this.highlight) return;
    // A change replaces the highlight's record.
    this.highlight = this.reader.highlights.get(this.highlight.id) ?? null;
    if (!this.highlight) return this.#menu.hide();
    for (const mark of this.reader.marksOf(this.highlight)) mark.classList.add("current");
  }

  #boxOfHighlight(highlight) {
    const mark = this.#mark?.isConnected ? this.#mark : this.reader.marksOf(highlight)[0];
    if (!mark) return null;
    const range = document.createRange();
    range.selectNodeContents(mark);
    return boxInView(range) ?? (mark.querySelector("img") && boxOf(range));
  }

  showHighlightMenu() {
    const { highlight, reader } = this;
    if (!highlight) return;
    const back = () => this.showHighlightMenu();
    const box = () => this.#boxOfHighlight(highlight);
    const others = this.#mark?.isConnected ? reader.highlightsOf(this.#mark) : [];
    const position = others.findIndex((each) => each.id === highlight.id);
    const facts = [
      highlight.state !== "exact" && el("span", { class: "state" }, highlight.state),
      ...highlight.tags.map((tag) => el("span", { class: "tag", dir: "auto" }, `#${tag}`)),
    ].filter(Boolean);
    this.#menu.show([
      (highlight.note || facts.length > 0) &&
      el(
        "div",
        { class: "about" },
        highlight.note && Object.values(foldedNote(highlight.note, "p")),
        facts.length > 0 && el("div", {}, facts),
      ),
      !reader.isReadOnly &&
      [
        colorButtons(this.#colors, (color) => this.recolor(color), highlight.color),
        line(),
        button(highlight.note ? "Edit the note" : "Note", () => this.note(), {
          glyph: "note",
          keys: "n",
        }),
        button("Tags", () => this.note({ focusTags: true }), { glyph: "tag", keys: "t" }),
      ],
      button("Copy", () => this.#showCopies(back), {
        glyph: "copy",
        keys: "y",
        "aria-haspopup": "true",
      }),
      button("Share as a card", () => this.share(), { glyph: "share", keys: "s" }),
      !reader.isReadOnly &&
      button("Remove the highlight", () => this.remove(), { glyph: "trash", keys: "x" }),
      others.length > 1 && button(`${position + 1} of ${others.length}`, () => {
        this.choose(others[(position + 1) % others.length], { mark: this.#mark });
      }, { "aria-label": `The highlight below this one; ${position + 1} of ${others.length}` }),
    ], box);
  }

  async recolor(color) {
    if (!this.highlight || this.reader.isReadOnly) return;
    storeColor(color);
    const { highlight } = this;
    if (highlight.color === color) return this.#tellSame(color);
    const done = ["Changed to ", ...this.reader.label(color), "."];
    await attempt(() => this.reader.edit(highlight, { color }, done));
    if (this.highlight?.id === highlight.id && this.#menu.isOpen) this.showHighlightMenu();
  }

  async remove() {
    if (!this.highlight || this.reader.isReadOnly) return;
    const { highlight } = this;
    this.leave();
    await this.reader.remove(highlight);
  }

  // MARK: Selections and highlights

  /** Whether there is a selection or a chosen highlight. */
  get hasSubject() {
    return this.selecting.current !== null || this.highlight !== null;
  }

  /**
   * Marks or recolours in the colour at an index, from 0, or else gives the pen that colour.
   * Returns false if that is not possible.
   */
  color(index) {
    const color = this.#colors[index]?.name;
    if (!color) return false;
    if (this.selecting.current) this.mark(color);
    else if (this.highlight) this.recolor(color);
    else if (this.pen) this.#takePen(color);
    else return false;
  }

  /** Opens the editor for the note and tags. Resolves to false if that is not possible. */
  async note({ focusTags = false } = {}) {
    if (this.#noting.goIn()) return;
    const { reader, highlight } = this;
    const current = this.selecting.current;
    if ((!highlight && !current) || reader.isReadOnly) return false;
    const box = current ? this.selecting.box() : this.#boxOfHighlight(highlight);
    this.#menu.hide();
    const color = this.#lastColor;
    const subject = highlight ? { highlight } : { selection: current };
    const isSaved = await this.#noting.write({ ...subject, color, focusTags, box });
    if (isSaved) this.selecting.clear();
    else if (highlight) this.showHighlightMenu();
    else this.#restore(current);
  }

  /** Opens the editor with an unsaved draft. */
  async #goOn(draft) {
    if (this.#noting.goIn()) return;
    const { reader, selecting } = this;
    const { place } = draft;
    const color = draft.color ?? this.#lastColor;
    if (place.highlight) {
      const known = reader.highlights.get(place.highlight);
      if (known) this.go(known, { withMenu: false });
      // Saving to a removed highlight fails, but the draft can still be read.
      const highlight = known ?? { id: place.highlight, note: "", tags: [], color };
      const box = known && this.#boxOfHighlight(known);
      const isSaved = await this.#noting.write({ highlight, draft, box });
      if (known && !isSaved) this.showHighlightMenu();
      return;
    }
    const isThere = place.text === reader.text.digest;
    if (isThere) reader.text.reveal(place.ranges[0]);
    const shown = isThere ? reader.text.range(place.ranges[0]) : null;
    const box = shown && boxInView(shown);
    selecting.clear();
    await this.#noting.write({ selection: place, draft, color, box });
  }

  /** Restores a selection with its menu, unless the text has changed. */
  #restore(current) {
    if (current.text !== this.reader.text.digest) return;
    this.selecting.select(current.ranges[0]);
    if (this.selecting.current) this.showSelectionMenu();
  }

  get #range() {
    const ranges = this.selecting.current?.ranges ?? this.highlight?.ranges ?? [];
    return ranges.length > 0 ? [ranges[0][0], ranges[ranges.length - 1][1]] : null;
  }

  #showCopies(back) {
    const box = this.selecting.current
      ? () => this.selecting.box()
      : () => this.#boxOfHighlight(this.highlight);
    choices(
      this.#menu,
      "Copy as",
      [
        { words: "Text", run: () => this.copy("text") },
        { words: "Markdown", run: () => this.copy("markdown") },
        { words: "With citation", run: () => this.copy("citation") },
      ],
      box,
      () => {
        back();
        this.#menu.focus();
      },
    );
  }

  copy(kind) {
    const range = this.#range;
    if (!range) return false;
    attempt(async () => {
      const format = {
        text: { html: true },
        markdown: { as: "md" },
        citation: { cite: "text", html: true },
      }[kind];
      const { text, html } = await api.copy(this.reader.id, range, this.reader.text.digest, format);
      await copyText(text, html);
      notify(
        {
          text: "Copied as text.",
          markdown: "Copied as Markdown.",
          citation: "Copied with its citation.",
        }[kind],
      );
      this.selecting.current ? this.showSelectionMenu() : this.showHighlightMenu();
    });
  }

  share() {
    if (!this.hasSubject) return false;
    attempt(() => shareCard(this.reader, this.highlight, this.#range));
  }

  format() {
    const { current } = this.selecting;
    if (!current || this.reader.isReadOnly) return false;
    this.#menu.hide();
    formatPanel(this.reader, current, this.selecting.box(), () => this.#restore(current)).catch(
      complain,
    );
  }

  /** Shows the menu of the selection or the highlight, and focuses it. */
  openMenu() {
    if (this.selecting.current) this.showSelectionMenu();
    else if (this.highlight) this.showHighlightMenu();
    else return false;
    this.#menu.focus();
  }

  /** Whether the keyboard is in the menu. */
  get isInMenu() {
    return this.#menu.isOpen && this.#menu.element.contains(document.activeElement);
  }

  /**
   * Closes the focused menu, or else clears the selection, or else ends the choice of a highlight.
   * Returns false if there was nothing to close.
   */
  escape() {
    if (this.isInMenu) {
      this.#menu.hide();
    } else if (this.selecting.current) {
      this.selecting.clear();
      this.#menu.hide();
    } else if (this.highlight) {
      this.leave();
    } else {
      return false;
    }
  }

  /** Shows the next highlight (1) or the previous one (-1). */
  step(direction) {
    const list = this.reader.ordered.filter((highlight) => highlight.ranges.length > 0);
    if (list.length === 0) return false;
    let index = this.highlight ? list.findIndex((each) => each.id === this.highlight.id) : -1;
    if (index < 0) {
      const place = this.reader.text.place()?.offset ?? 0;
      const next = list.findIndex((each) => each.ranges[0][0] >= place);
      index = direction > 0 ? (next < 0 ? list.length : next) - 1 : next < 0 ? list.length : next;
    }
    this.go(list[(index + direction + list.length) % list.length]);
  }

  /** Scrolls to a highlight and chooses it. */
  go(highlight, options) {
    if (highlight.ranges.length > 0) this.reader.text.reveal(highlight.ranges[0]);
    this.choose(highlight, options);
  }

  /** Turns the pen on or off. */
  togglePen() {
    if (!this.pen) this.#takePen(this.#lastColor);
    else {
      this.#setPen(null);
      notify("Pen off.");
    }
    if (this.pen && this.selecting.current) this.mark(this.pen);
  }

  /** Turns the pen on, or changes its colour. */
  #takePen(color) {
    storeColor(color);
    this.#setPen(color);
    notify(["Pen on: selections are marked in ", ...this.reader.label(color), "."]);
  }

  #setPen(color) {
    this.pen = color;
    const root = document.documentElement;
    root.classList.toggle("pen", color !== null);
    if (color) root.dataset.pen = color;
    this.onPen?.(color);
  }
}

const indexOf = (node) => [...node.parentNode.childNodes].indexOf(node);

function readColor() {
  try {
    return localStorage.getItem("diple.color");
  } catch {
    return null;
  }
}

function storeColor(color) {
  try {
    localStorage.setItem("diple.color", color);
  } catch {
    // Without storage the next page starts with the first colour.
  }
}
