// The way between places in the page and places in the document's rendered text, both ways and
// exactly.
//
// A leaf has `data-b`, where its text begins, and runs with `data-o` and `data-n`: place from
// there, and length, in UTF-16 units, as JavaScript counts. What has `data-x` is no text. A part
// that was moved without being written anew has a shift, which counts for all leaves in it.

const shifts = new WeakMap();

/** Says by how much the leaves of a part stand elsewhere than they say. */
export function setShift(part, shift) {
  shifts.set(part, shift);
}

function start(leaf) {
  const part = leaf.closest(".part");
  return Number(leaf.dataset.b) + ((part && shifts.get(part)) ?? 0);
}

/** Where a run stands in the text: `[start, end]`. */
export function runRange(run) {
  const from = start(run.closest("[data-b]")) + Number(run.dataset.o);
  return [from, from + Number(run.dataset.n)];
}

/** Where the text of a leaf stands: `[start, end]`. */
export function leafRange(leaf) {
  const from = start(leaf);
  const runs = leaf.querySelectorAll("[data-o]");
  const last = runs[runs.length - 1];
  return [from, last ? from + Number(last.dataset.o) + Number(last.dataset.n) : from];
}

const isRun = (node) => node.nodeType === Node.ELEMENT_NODE && node.dataset.o !== undefined;
const elementOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement);

/** The length of the text in a node that stands before a place in it. */
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

/** The first run that stands behind a place between nodes; null for none. */
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

/** The last run that stands before a place between nodes; null for none. */
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

/** The node that comes after a whole subtree; null where nothing does. */
function following(root, node) {
  for (let at = node; at && at !== root; at = at.parentNode) {
    if (at.nextSibling) return at.nextSibling;
  }
  return null;
}

/** Whether a place of the page stands before the text (-1), in it (0), or behind it (1). */
function side(root, node, offset) {
  if (root.contains(node)) return 0;
  const whole = document.createRange();
  whole.selectNodeContents(root);
  return whole.comparePoint(node, offset);
}

/**
 * The place in the text for a place in the page; null where the text is empty.
 *
 * @param isStart whether a selection begins here: then what counts is the text behind the place,
 *   else the text before it. So a selection that begins behind a paragraph begins with the next
 *   one.
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
  // Nothing stands there: the other end of the text.
  const other = isStart ? runBefore(root, node, offset) : runBehind(root, node, offset);
  return other ? runRange(other)[isStart ? 1 : 0] : null;
}

/** What of the text a range of the page shows: `[start, end]`; null for nothing. */
export function textRange(root, range) {
  if (range.collapsed || !range.intersectsNode(root)) return null;
  const from = textOffset(root, range.startContainer, range.startOffset, true);
  const to = textOffset(root, range.endContainer, range.endOffset, false);
  return from === null || to === null || from >= to ? null : [from, to];
}

/** What of the text a selection has, in order; browsers that select cells give several ranges. */
export function selectedRanges(root, selection = getSelection()) {
  const ranges = [];
  for (let index = 0; selection && index < selection.rangeCount; index++) {
    const range = textRange(root, selection.getRangeAt(index));
    if (range) ranges.push(range);
  }
  return ranges;
}

// The runs of parts, with where they began when the part was written. Nothing in a part ever
// changes, but for a picture that did not come: one that differs is another part.
const knownRuns = new WeakMap();

/** Has the runs of a part looked for again: one of them is another element now. */
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
 * The place in the page for a place in the text, inside of a part: `{node, offset}`; null where the
 * part has no text. O(log n) but for the first time.
 *
 * @param isStart whether a range begins here; in a gap, and between runs, it is then in the next
 *   run.
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
  // Browsers may divide long texts.
  for (const text of run.childNodes) {
    const length = text.data.length;
    if (rest < length || (!isStart && rest === length)) return { node: text, offset: rest };
    rest -= length;
  }
  return { node: run, offset: run.childNodes.length };
}
