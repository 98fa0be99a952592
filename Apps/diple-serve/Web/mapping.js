// Converts positions in the page to offsets in the document's rendered text, and back, exactly.
//
// A leaf has `data-b`, the offset of its text, and contains runs with `data-o`, the offset from
// there, and `data-n`, the length. All are in UTF-16 units, as in JavaScript. Elements with
// `data-x` are not text. A part that moved without being rewritten has a shift, which is added to
// the offsets of all its leaves.

const shifts = new WeakMap();

/** Sets the difference between the offsets of a part's leaves and their attributes. */
export function setShift(part, shift) {
  shifts.set(part, shift);
}

function start(leaf) {
  const part = leaf.closest(".part");
  return Number(leaf.dataset.b) + ((part && shifts.get(part)) ?? 0);
}

/** The range of a run in the text: `[start, end]`. */
export function runRange(run) {
  const from = start(run.closest("[data-b]")) + Number(run.dataset.o);
  return [from, from + Number(run.dataset.n)];
}

/** The range of a leaf in the text: `[start, end]`. */
export function leafRange(leaf) {
  const from = start(leaf);
  const runs = leaf.querySelectorAll("[data-o]");
  const last = runs[runs.length - 1];
  return [from, last ? from + Number(last.dataset.o) + Number(last.dataset.n) : from];
}

const isRun = (node) => node.nodeType === Node.ELEMENT_NODE && node.dataset.o !== undefined;
const elementOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement);

/** The length of a run's text before a position in it. */
function lengthBefore(run, node, offset) {
  let length = node.nodeType === Node.TEXT_NODE ? offset : 0;
  const walker = document.createTreeWalker(run, NodeFilter.SHOW_TEXT);
  const border = node.nodeType === Node.TEXT_NODE ? node : node.childNodes[offset];
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    if (border && (text === border || border.contains(text))) break;
    if (
      !border && node.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING &&
      !node.contains(text)
    ) break;
    length += text.data.length;
  }
  return length;
}

/** Returns the first run after a position between nodes, or null. */
function runBehind(root, node, offset) {
  const child = node.nodeType === Node.ELEMENT_NODE ? node.childNodes[offset] : node;
  const first = child ?? following(root, node);
  if (!first) return null;
  if (isRun(first)) return first;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
  walker.currentNode = first;
  for (let at = walker.nextNode(); at; at = walker.nextNode()) if (isRun(at)) return at;
  return null;
}

/** Returns the last run before a position between nodes, or null. */
function runBefore(root, node, offset) {
  let last = node;
  if (node.nodeType === Node.ELEMENT_NODE && offset > 0) {
    last = node.childNodes[offset - 1];
    while (last.lastChild) last = last.lastChild;
    const run = elementOf(last).closest("[data-o]");
    if (run) return run;
  }
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
  walker.currentNode = last;
  for (let at = walker.previousNode(); at; at = walker.previousNode()) if (isRun(at)) return at;
  return null;
}

/** Returns the node after a whole subtree, or null at the end of the root. */
function following(root, node) {
  for (let at = node; at && at !== root; at = at.parentNode) {
    if (at.nextSibling) return at.nextSibling;
  }
  return null;
}

/** Whether a position is before the text (-1), in it (0), or after it (1). */
function side(root, node, offset) {
  if (root.contains(node)) return 0;
  const whole = document.createRange();
  whole.selectNodeContents(root);
  return whole.comparePoint(node, offset);
}

/**
 * Returns the offset in the text for a position in the page; null if the text is empty.
 *
 * @param isStart whether a selection begins here. If so, the text after the position counts, else
 *   the text before it: a selection that begins after a paragraph begins with the next one.
 */
export function textOffset(root, node, offset, isStart) {
  const where = side(root, node, offset);
  if (where !== 0) {
    const runs = root.querySelectorAll("[data-o]");
    if (runs.length === 0) return null;
    return where < 0 ? runRange(runs[0])[0] : runRange(runs[runs.length - 1])[1];
  }
  const run = elementOf(node).closest("[data-o]");
  if (run) {
    const [from, to] = runRange(run);
    const place = Math.min(from + lengthBefore(run, node, offset), to);
    const leaf = run.closest("[data-b]");
    const [leafFrom, leafTo] = leafRange(leaf);
    const index = [...leaf.parentNode.childNodes].indexOf(leaf);
    if (isStart && place === leafTo) {
      const next = runBehind(root, leaf.parentNode, index + 1);
      return next ? runRange(next)[0] : place;
    }
    if (!isStart && place === leafFrom) {
      const previous = runBefore(root, leaf.parentNode, index);
      return previous ? runRange(previous)[1] : place;
    }
    return place;
  }
  const found = isStart ? runBehind(root, node, offset) : runBefore(root, node, offset);
  if (found) return runRange(found)[isStart ? 0 : 1];
  // This side of the position has no text: use the other side.
  const other = isStart ? runBefore(root, node, offset) : runBehind(root, node, offset);
  return other ? runRange(other)[isStart ? 1 : 0] : null;
}

/** Returns the range `[start, end]` of the text that a range of the page covers, or null. */
export function textRange(root, range) {
  if (range.collapsed || !range.intersectsNode(root)) return null;
  const from = textOffset(root, range.startContainer, range.startOffset, true);
  const to = textOffset(root, range.endContainer, range.endOffset, false);
  return from === null || to === null || from >= to ? null : [from, to];
}

/**
 * Returns the selected ranges of the text, in order. If table cells are selected, there may be
 * several.
 */
export function selectedRanges(root, selection = getSelection()) {
  const ranges = [];
  for (let index = 0; selection && index < selection.rangeCount; index++) {
    const range = textRange(root, selection.getRangeAt(index));
    if (range) ranges.push(range);
  }
  return ranges;
}

// The runs of each part, with their ranges when the part was created. A part never changes, except
// that a description replaces a failed picture; changed text is a new part.
const knownRuns = new WeakMap();

/** Discards the cached runs of a part, after an element of a run was replaced. */
export function forgetRuns(part) {
  knownRuns.delete(part);
}

function runsOf(part) {
  let runs = knownRuns.get(part);
  if (!runs) {
    runs = [...part.querySelectorAll("[data-o]")].map((run) => {
      const from = Number(run.closest("[data-b]").dataset.b) + Number(run.dataset.o);
      return { run, from, to: from + Number(run.dataset.n) };
    });
    knownRuns.set(part, runs);
  }
  return runs;
}

/**
 * Returns the position `{node, offset}` in a part for an offset in the text; null if the part has
 * no text. O(log n) after the first call for a part.
 *
 * @param isStart whether a range begins here. If so, an offset in a gap or between runs is in the
 *   next run, else in the previous one.
 */
export function pagePoint(part, place, isStart) {
  const runs = runsOf(part);
  if (runs.length === 0) return null;
  const wanted = place - (shifts.get(part) ?? 0);
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isStart ? runs[middle].to <= wanted : runs[middle].from < wanted) low = middle + 1;
    else high = middle;
  }
  const { run, from, to } = runs[Math.max(0, Math.min(isStart ? low : low - 1, runs.length - 1))];
  if (run.tagName === "IMG") {
    return {
      node: run.parentNode,
      offset: [...run.parentNode.childNodes].indexOf(run) + (isStart ? 0 : 1),
    };
  }
  let rest = Math.max(0, Math.min(wanted, to) - from);
  // Browsers may split a long text into several nodes.
  for (const text of run.childNodes) {
    const length = text.data.length;
    if (rest < length || (!isStart && rest === length)) return { node: text, offset: rest };
    rest -= length;
  }
  return { node: run, offset: run.childNodes.length };
}
