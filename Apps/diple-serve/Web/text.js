// A document's text on the page. Its parts are loaded in pieces, and kept while they are unchanged.

import { api } from "./api.js";
import { el } from "./dom.js";
import { pagePoint, runRange, setShift, textOffset } from "./mapping.js";
import { describePictures } from "./pictures.js";

// Only the server's HTML of a text is ever parsed. It contains no tag of the document.
const policy = globalThis.trustedTypes?.createPolicy("diple", { createHTML: (html) => html });

function parsed(html) {
  const template = document.createElement("template");
  template.innerHTML = policy ? policy.createHTML(html) : html;
  return template.content;
}

/** Yields to the browser, so that it can handle input. */
const breath = () =>
  globalThis.scheduler?.yield?.() ?? new Promise((resolve) => setTimeout(resolve));

/**
 * The length of a chunk's HTML, in characters. A chunk is laid out only when it is near the window.
 */
const chunkLength = 48 * 1024;

/** A document's text. Offsets and lengths are in UTF-16 units. */
export class Text {
  /** The parts in order: `{key, offset, length, element, born}`. */
  parts = [];
  digest = "";
  version = "";
  length = 0;
  total = 0;
  /**
   * "source" for the Markdown source instead of the text. Offsets are those of the text in both.
   */
  view = "";
  #sheet = new CSSStyleSheet();
  #load = 0;

  constructor(id) {
    this.id = id;
    this.element = el("article", {
      class: "text",
      id: "text",
      "aria-label": "Text",
      tabindex: "-1",
    });
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.#sheet];
    describePictures(this.element);
  }

  /** Whether all of the text is on the page. */
  get isComplete() {
    return this.parts.length >= this.total && this.digest !== "";
  }

  /**
   * Loads the text. `body` is the first piece, if it was already requested; `first` is called when
   * the first piece is shown.
   */
  async load({ body, first } = {}) {
    const load = ++this.#load;
    let answer = body ?? (await api.body(this.id, { view: this.view }));
    if (load !== this.#load) return;
    this.#head(answer);
    this.parts = [];
    this.element.replaceChildren();
    await this.#append(answer.parts, load);
    first?.();
    while (answer.next !== null && answer.next !== undefined && load === this.#load) {
      await breath();
      answer = await api.body(this.id, {
        from: answer.next,
        version: this.version,
        view: this.view,
      });
      if (load !== this.#load) return;
      if (answer.version !== this.version) return this.update();
      await this.#append(answer.parts, load);
    }
    this.onComplete?.();
  }

  #head(answer) {
    this.digest = answer.digest;
    this.version = answer.version ?? answer.digest;
    this.length = answer.length;
    this.total = answer.total ?? answer.parts.length;
    this.element.className = `text ${answer.formatClass ?? ""}`.trim();
    this.#sheet.replaceSync(answer.css ?? "");
    this.adaptScheme();
  }

  /** Adapts the rules of formats to the page's theme, which may differ from the system's. */
  adaptScheme() {
    const isDark = document.documentElement.dataset.theme === "dark";
    for (const rule of this.#sheet.cssRules) {
      if (
        rule instanceof CSSMediaRule &&
        (rule.scheme || rule.conditionText.includes("prefers-color-scheme"))
      ) {
        rule.scheme = true;
        // Paper is light.
        rule.media.mediaText = isDark ? "screen" : "not all";
      }
    }
  }

  async #append(records, load) {
    let chunk = this.element.lastElementChild;
    let size = chunk?.size ?? Infinity;
    for (let index = 0; index < records.length;) {
      if (size >= chunkLength) {
        chunk = el("div", { class: "chunk" });
        chunk.size = size = 0;
      }
      const taken = [];
      while (index < records.length && size < chunkLength) {
        taken.push(records[index]);
        size += records[index].html.length;
        index += 1;
      }
      chunk.size = size;
      chunk.append(...this.#elements(taken));
      if (!chunk.isConnected) {
        markHeading(chunk);
        this.element.append(chunk);
        await breath();
        if (load !== this.#load) return;
      }
    }
  }

  /** Replaces the text with these parts. */
  replaceAll(records) {
    this.parts = [];
    this.total = records.length;
    const chunk = el("div", { class: "chunk" });
    chunk.append(...this.#elements(records));
    this.element.replaceChildren(chunk);
  }

  /** Creates the elements of parts, and adds the parts to the text. */
  #elements(records) {
    const elements = elementsOf(records);
    records.forEach((record, index) => this.parts.push(partOf(record, elements[index])));
    return elements;
  }

  /**
   * Updates the text. Parts with known keys are kept, and the visible text stays in its position,
   * even if the text before it has changed. `before` is awaited before the new text is shown.
   */
  async update({ before } = {}) {
    const load = ++this.#load;
    const asked = this.place();
    // While the text is loading, the server cannot know which parts have arrived.
    const known = this.isComplete ? this.version : undefined;
    const question = { known, view: this.view };
    if (asked) Object.assign(question, { at: asked.offset, text: this.digest });
    let answer = await api.body(this.id, question);
    if (load !== this.#load) return;
    let records = answer.parts;
    const head = answer;
    while (answer.next !== null && answer.next !== undefined) {
      await breath();
      answer = await api.body(this.id, {
        from: answer.next,
        version: head.version,
        known,
        view: this.view,
      });
      if (load !== this.#load) return;
      if (answer.version !== head.version) return this.update({ before });
      records = records.concat(answer.parts);
    }
    const old = new Map(this.parts.map((part) => [part.key, part]));
    if (records.some((record) => typeof record.html !== "string" && !old.has(record.key))) {
      // The page lacks a part that the server assumed it had.
      this.version = "";
      return this.update({ before });
    }
    await before?.();
    if (load !== this.#load) return;
    // The user may have scrolled meanwhile.
    const place = this.place();
    const kept = place && this.#carried(place.offset, records);
    this.#head(head);
    this.#reconcile(records, old);
    if (place) {
      const offset = kept ?? (place.offset === asked?.offset ? head.at : null) ?? place.offset;
      this.show({ ...place, offset });
    }
    this.onComplete?.();
  }

  /** The offset of a place in new parts; null if its part is not among them. */
  #carried(offset, records) {
    const part = this.part(offset);
    const record = part && records.find((each) => each.key === part.key);
    return record ? offset - part.offset + record.offset : null;
  }

  #reconcile(records, old) {
    const before = this.parts;
    let head = 0;
    while (
      head < before.length && head < records.length && before[head].key === records[head].key
    ) head += 1;
    let tail = 0;
    while (
      tail < before.length - head && tail < records.length - head &&
      before[before.length - 1 - tail].key === records[records.length - 1 - tail].key
    ) tail += 1;
    const middle = records.slice(head, records.length - tail);
    const fresh = middle.filter((record) => !old.has(record.key));
    const elements = new Map(elementsOf(fresh).map((element, index) => [fresh[index], element]));
    const kept = new Set(middle.map((record) => record.key));
    const stays = (record) => moved(old.get(record.key), record);
    const parts = records.slice(0, head).map(stays);
    // New parts are in the chunk of the parts that they replace, or of the part before.
    const behind = before[head]?.element;
    let chunk = behind?.parentElement ?? before[head - 1]?.element.parentElement;
    if (!chunk) this.element.append(chunk = el("div", { class: "chunk" }));
    const guard = document.createComment("");
    if (behind) behind.before(guard);
    else chunk.append(guard);
    for (const part of before.slice(head, before.length - tail)) {
      if (!kept.has(part.key)) part.element.remove();
    }
    for (const record of middle) {
      const element = elements.get(record);
      const part = element ? partOf(record, element) : stays(record);
      guard.before(part.element);
      parts.push(part);
    }
    guard.remove();
    this.parts = parts.concat(records.slice(records.length - tail).map(stays));
    for (const each of [...this.element.children]) if (each.childElementCount === 0) each.remove();
    splitLong(chunk);
  }

  // MARK: Places

  /**
   * Returns the part at an offset, or null. Between two parts it is the second one, but with
   * `isStart` false the first one. Empty parts are skipped.
   */
  part(place, isStart = true) {
    let low = 0;
    let high = this.parts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const part = this.parts[middle];
      const isBefore = isStart ? part.offset + part.length <= place : part.offset < place;
      if (isBefore) low = middle + 1;
      else high = middle;
    }
    let index = isStart ? low : low - 1;
    while (index >= 0 && index < this.parts.length && this.parts[index].length === 0) {
      index += isStart ? 1 : -1;
    }
    return this.parts[index] ?? null;
  }

  /** Returns the range of the page for a range of the text; null if it is not loaded (yet). */
  range([from, to]) {
    const first = this.part(from, true);
    const last = this.part(to, false);
    const begin = first && pagePoint(first.element, from, true);
    const end = last && pagePoint(last.element, to, false);
    if (!begin || !end) return null;
    const range = document.createRange();
    range.setStart(begin.node, begin.offset);
    range.setEnd(end.node, end.offset);
    return range;
  }

  /** Returns the ranges of the page for those ranges of the text that are loaded. */
  ranges(list) {
    return list.map((each) => this.range(each)).filter(Boolean);
  }

  /**
   * Returns the first `most` characters of ranges of the text, without the signs, labels and
   * numbers that the page adds.
   */
  words(ranges, most = 400) {
    let words = "";
    for (const [from, to] of ranges) {
      let last = words === "" ? null : -1;
      for (const run of this.#runs(from, to)) {
        const [start, end] = runRange(run);
        if (end <= from) continue;
        if (start >= to || words.length >= most) break;
        // The text has line feeds between leaves, which are not in runs.
        if (last !== null && start !== last) words += "\n";
        const text = run.tagName === "IMG" ? run.alt : run.textContent;
        words += text.slice(Math.max(0, from - start), to - start);
        last = end;
      }
    }
    return words.slice(0, most);
  }

  /** The runs of the parts that a range touches. */
  *#runs(from, to) {
    const first = this.parts.indexOf(this.part(from));
    for (let index = Math.max(0, first); index < this.parts.length; index++) {
      if (this.parts[index].offset >= to) return;
      yield* this.parts[index].element.querySelectorAll("[data-o]");
    }
  }

  /** Returns the first leaf that ends below a vertical position of the window. */
  #leafAt(top) {
    const chunk = firstBelow([...this.element.children], top);
    const element = chunk && firstBelow([...chunk.children], top);
    const leaves = [...(element?.querySelectorAll("[data-b]") ?? [])];
    return leaves.find((each) => each.getBoundingClientRect().bottom > top) ?? leaves[0];
  }

  /**
   * Returns the offset of the text at the top of the window, and its distance from the top in
   * pixels; null if the text is not shown.
   */
  place(top = topOfText()) {
    const leaf = this.#leafAt(top);
    if (!leaf) return null;
    const offset = textOffset(this.element, leaf, 0, true);
    return offset === null ? null : { offset, distance: leaf.getBoundingClientRect().top - top };
  }

  /** Resolves once the text at an offset is on the page, or after ten seconds. */
  async reach(offset) {
    for (
      let round = 0;
      round < 200 && !this.isComplete && !this.range([offset, offset + 1]);
      round++
    ) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Returns the offset of the first line below the bar; null if it is not text. */
  lineAt() {
    const style = getComputedStyle(this.element);
    const box = this.element.getBoundingClientRect();
    const middle = topOfText() + parseFloat(style.lineHeight) / 2;
    const isFromRight = this.#leafAt(middle)?.matches(":dir(rtl)") === true;
    const x = isFromRight
      ? box.right - parseFloat(style.paddingRight) - 2
      : box.left + parseFloat(style.paddingLeft) + 2;
    const at = document.caretPositionFromPoint?.(x, middle);
    return at && this.element.contains(at.offsetNode)
      ? textOffset(this.element, at.offsetNode, at.offset, true)
      : null;
  }

  /** Returns the percentage of the text above a vertical position of the window. */
  percentAbove(top) {
    const place = this.isComplete ? this.place(top) : this.place(top) ?? { offset: 0 };
    if (!place || this.length === 0) return 100;
    return Math.min(100, Math.round((100 * place.offset) / this.length));
  }

  /** Scrolls until the line of an offset is the first one below the bar. */
  showLine(offset) {
    for (let round = 0; round < 2; round++) {
      const range = this.range([offset, offset + 1]);
      if (!range) return;
      scrollBy({ top: boxOf(range).top - topOfText() - 12, behavior: "instant" });
    }
  }

  /** Scrolls until an offset has its distance from the top again. */
  show({ offset, distance = 0 }, top = topOfText()) {
    const part = this.part(offset);
    const point = part && pagePoint(part.element, offset, true);
    if (!point) return;
    // The first scrolling may lay out more chunks; the second is exact.
    for (let round = 0; round < 2; round++) {
      const element = point.node.nodeType === Node.ELEMENT_NODE
        ? point.node
        : point.node.parentElement;
      const leaf = element.closest("[data-b]") ?? element;
      scrollBy({ top: leaf.getBoundingClientRect().top - top - distance, behavior: "instant" });
    }
  }

  /** Scrolls to a range unless it is visible with a margin. Returns false if it is not loaded. */
  reveal(range, { isSmooth = false } = {}) {
    const target = range && this.range(range);
    if (!target) return false;
    const top = topOfText();
    for (let round = 0; round < 2; round++) {
      const box = boxOf(target);
      if (box.top >= top + 8 && box.bottom <= innerHeight - 90) break;
      const behavior = isSmooth && round === 0 && Math.abs(box.top) < 2 * innerHeight
        ? "smooth"
        : "instant";
      scrollBy({ top: box.top - top - Math.min(160, innerHeight / 4), behavior });
      if (behavior === "smooth") break;
    }
    return true;
  }
}

/** Returns the box of a range. A picture has no such box; its element's box is returned. */
export function boxOf(range) {
  const rects = range.getClientRects();
  for (const rect of rects) if (rect.width > 0 && rect.height > 0) return rect;
  const box = range.getBoundingClientRect();
  if (box.width > 0 || box.height > 0) return box;
  const node = range.startContainer;
  const inside = node.nodeType === Node.ELEMENT_NODE
    ? node.childNodes[range.startOffset] ?? node
    : node.parentElement;
  return (inside.getBoundingClientRect ? inside : inside.parentElement).getBoundingClientRect();
}

/** The vertical position below the bar, where the visible text begins. */
export function topOfText() {
  return document.querySelector(".bar")?.getBoundingClientRect().bottom ?? 0;
}

function elementsOf(records) {
  // All parts are parsed at once. The HTML of a part is complete, so it closes its own elements
  // only.
  const content = parsed(
    records.map((record) => `<div class="part">${record.html}</div>`).join(""),
  );
  return [...content.children];
}

const partOf = (record, element) => ({
  key: record.key,
  offset: record.offset,
  length: record.length,
  element,
  born: record.offset,
});

function moved(part, record) {
  if (part.offset !== record.offset) {
    part.offset = record.offset;
    setShift(part.element, part.offset - part.born);
  }
  return part;
}

/**
 * Marks a chunk that begins with a heading: margins do not collapse between chunks, so it has a
 * smaller one.
 */
function markHeading(chunk) {
  chunk.classList.toggle(
    "at-heading",
    /^H[1-6]$/.test(chunk.firstElementChild?.firstElementChild?.tagName ?? ""),
  );
}

function splitLong(chunk) {
  const parts = [...chunk.children];
  const most = 400;
  let last = chunk;
  for (let from = most; from < parts.length; from += most) {
    const next = el("div", { class: "chunk" });
    next.append(...parts.slice(from, from + most));
    last.after(next);
    markHeading(last = next);
  }
  markHeading(chunk);
}

function firstBelow(elements, top) {
  let low = 0;
  let high = elements.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (elements[middle].getBoundingClientRect().bottom <= top) low = middle + 1;
    else high = middle;
  }
  return elements[low];
}
