// The user's selection, as ranges of the rendered text.

import { isTyping } from "./dom.js";
import { leafRange, selectedRanges, textOffset } from "./mapping.js";

/** The directions and units by which keys extend a selection. */
const arrows = {
  ArrowLeft: ["left", "character"],
  ArrowRight: ["right", "character"],
  ArrowUp: ["backward", "line"],
  ArrowDown: ["forward", "line"],
};

/** Watches the selection. Dispatches `change` when the user has completed or cleared it. */
export class Selecting extends EventTarget {
  /**
   * `{ranges, text, byPointer}`, where `text` is the text's digest; null if no text is selected.
   */
  current = null;
  #timer = 0;
  #isDragging = false;
  #byPointer = false;

  constructor(reader) {
    super();
    this.reader = reader;
    document.addEventListener("selectionchange", () => this.#later(250));
    document.addEventListener("pointerdown", (event) => {
      this.#isDragging = event.pointerType === "mouse" && event.button === 0 &&
        !event.target.closest(".menu, dialog");
      this.#byPointer = true;
    });
    document.addEventListener("pointerup", () => {
      if (!this.#isDragging) return;
      this.#isDragging = false;
      // Only after the event does the selection include the whole click.
      this.#later(0);
    });
    document.addEventListener("keydown", (event) => {
      if (event.shiftKey || event.ctrlKey || event.metaKey) this.#byPointer = false;
      if (event.shiftKey && arrows[event.key] && this.#extend(event)) event.preventDefault();
    });
    reader.text.element.addEventListener("click", (event) => {
      if (event.detail === 3) this.#selectParagraph(event.target);
    });
  }

  /** Whether the user is selecting with the mouse. */
  get isDragging() {
    return this.#isDragging;
  }

  /** Begins a selection at the place of a click; browsers extend only an existing one. */
  #extend({ key, ctrlKey, altKey, target }) {
    const selection = getSelection();
    const root = this.reader.text.element;
    if (isTyping(target) || !selection?.isCollapsed || !root.contains(selection.anchorNode)) {
      return false;
    }
    const [direction, unit] = arrows[key];
    const byWord = unit === "character" && (ctrlKey || altKey);
    selection.modify("extend", direction, byWord ? "word" : unit);
    this.look();
    return true;
  }

  /**
   * Selects the whole paragraph of a triple click, or the line in code. Browsers end such a
   * selection at the borders of highlights.
   */
  #selectParagraph(target) {
    const leaf = leafOf(target);
    if (!leaf || getSelection().isCollapsed) return;
    const { text } = this.reader;
    const [start, end] = leafRange(leaf);
    let range = [start, end];
    if (leaf.tagName === "PRE") {
      const words = text.words([range], Infinity);
      const { focusNode, focusOffset } = getSelection();
      const place = textOffset(text.element, focusNode, focusOffset, false) - start;
      const next = words.indexOf("\n", Math.max(0, place - 1));
      const last = words.lastIndexOf("\n", Math.max(0, place - 2));
      range = [start + last + 1, next < 0 ? end : start + next];
    }
    const shown = range[0] < range[1] && text.range(range);
    if (!shown) return;
    getSelection().setBaseAndExtent(
      shown.startContainer,
      shown.startOffset,
      shown.endContainer,
      shown.endOffset,
    );
    this.#later(0);
  }

  #later(milliseconds) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.look(), milliseconds);
  }

  /** Updates `current` from the browser's selection. */
  look() {
    clearTimeout(this.#timer);
    if (this.#isDragging) return;
    const selection = getSelection();
    const isElsewhere = document.activeElement?.closest?.("input, textarea, .menu, dialog");
    if (isElsewhere) return;
    const ranges = selection && !selection.isCollapsed
      ? selectedRanges(this.reader.text.element, selection)
      : [];
    const same = JSON.stringify(ranges) === JSON.stringify(this.current?.ranges ?? []);
    this.current = ranges.length === 0
      ? null
      : { ranges, text: this.reader.text.digest, byPointer: this.#byPointer };
    if (this.current) this.reader.delay("selection");
    if (!same) this.dispatchEvent(new Event("change"));
    if (!this.current) this.reader.release("selection");
  }

  /** Clears the selection. */
  clear() {
    getSelection()?.removeAllRanges();
    const had = this.current !== null;
    this.current = null;
    clearTimeout(this.#timer);
    if (had) this.dispatchEvent(new Event("change"));
    this.reader.release("selection");
  }

  /** Selects a range of the text, from which the keys of this file continue. */
  select(range) {
    const target = this.reader.text.range(range);
    if (!target) return;
    this.#byPointer = false;
    const selection = getSelection();
    selection.setBaseAndExtent(
      target.startContainer,
      target.startOffset,
      target.endContainer,
      target.endOffset,
    );
    this.reader.text.reveal(range);
    this.look();
  }

  /** Moves the end of the selection by a word, forward or backward. */
  adjust(isForward) {
    const selection = getSelection();
    const range = selection.rangeCount > 0 && selection.getRangeAt(0);
    if (!range) return;
    this.#byPointer = false;
    selection.setBaseAndExtent(
      range.startContainer,
      range.startOffset,
      range.endContainer,
      range.endOffset,
    );
    selection.modify("extend", isForward ? "forward" : "backward", "word");
    this.look();
  }

  /**
   * Selects the paragraph of a selection in it, or all if more than one paragraph is selected.
   * Returns false without a selection.
   */
  grow() {
    const selection = getSelection();
    const root = this.reader.text.element;
    this.#byPointer = false;
    if (!this.current) return false;
    const range = selection.getRangeAt(0);
    const [first, last] = [range.startContainer, range.endContainer].map(leafOf);
    const isPart = first && first === last &&
      selection.toString().trim() !== first.textContent.trim();
    selection.selectAllChildren(isPart ? first : root);
    this.look();
  }

  /** Selects the whole text. */
  selectAll() {
    this.#byPointer = false;
    getSelection().selectAllChildren(this.reader.text.element);
    this.look();
  }

  /** The visible box of the selection, for its menu; null if it is out of view. */
  box() {
    const range = this.current && this.reader.text.range(this.current.ranges[0]);
    return range ? boxInView(range) : null;
  }
}

/** Returns one box around the visible part of a range; null if it is out of view. */
export function boxInView(range) {
  let box = null;
  for (const rect of range.getClientRects()) {
    if (rect.width === 0 || rect.bottom < 0 || rect.top > innerHeight) continue;
    box = box
      ? new DOMRect(
        Math.min(box.x, rect.x),
        box.y,
        Math.max(box.right, rect.right) - Math.min(box.x, rect.x),
        rect.bottom - box.y,
      )
      : new DOMRect(rect.x, rect.y, rect.width, rect.height);
  }
  return box;
}

/**
 * Emphasizes the ranges that are edited while the keyboard is elsewhere. An empty list ends that.
 */
export function showPending(ranges) {
  if (!CSS.highlights) return;
  if (ranges.length > 0) CSS.highlights.set("pending", new Highlight(...ranges));
  else CSS.highlights.delete("pending");
}

/** Adds the keys that select words and paragraphs without a mouse. */
export function installSelectingKeys(keys, selecting, reader) {
  const step = (unit, direction) => {
    const selection = getSelection();
    const root = reader.text.element;
    if (!selecting.current) {
      // Start with the first visible one.
      const place = reader.text.place();
      const range = place && reader.text.range([place.offset, place.offset + 1]);
      if (!range) return;
      selection.collapse(range.startContainer, range.startOffset);
      if (unit === "word") {
        selection.modify("extend", "forward", "word");
      } else {
        selectLeaf(selection, range.startContainer);
      }
    } else if (unit === "word") {
      if (direction === "forward") selection.collapseToEnd();
      else selection.collapseToStart();
      selection.modify("move", direction, "word");
      if (direction === "forward") selection.modify("move", "backward", "word");
      selection.modify("extend", "forward", "word");
      if (selection.isCollapsed) return;
    } else {
      const leaves = [...root.querySelectorAll("[data-b]")];
      const leaf = leafOf(selection.getRangeAt(0).startContainer);
      const next = leaves[leaves.indexOf(leaf) + (direction === "forward" ? 1 : -1)];
      if (!next) return;
      selection.selectAllChildren(next);
    }
    selecting.look();
    if (selecting.current) reader.text.reveal(selecting.current.ranges[0]);
  };
  const select = "Select";
  keys.add(
    ["e"],
    select,
    "Select the word, or the next larger unit",
    () => selecting.current ? selecting.grow() : step("word", "forward"),
  );
  keys.add(["a"], select, "Select all", () => selecting.selectAll());
  const move = "Move";
  const direction = (isForward) => isForward ? "forward" : "backward";
  keys.add(
    ["w", "b"],
    move,
    "Next word, previous word",
    ({ key }) => step("word", direction(key === "w")),
  );
  keys.add(
    ["p", "P"],
    move,
    "Next paragraph, previous paragraph",
    ({ key }) => step("leaf", direction(key === "p")),
  );
}

/** Returns the element of the block that contains a node; null outside of blocks. */
function leafOf(node) {
  const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
  return element.closest("[data-b]");
}

function selectLeaf(selection, node) {
  const leaf = leafOf(node);
  if (leaf) selection.selectAllChildren(leaf);
}
