// Compares the original text of a highlight with a possible new place, word by word.

import { el } from "./dom.js";

/**
 * Returns the text `now` as strings and `ins` elements; the latter contain the words that `old`
 * lacks. Texts of more than 250,000 pairs of words are returned without emphasis.
 */
export function pieces(old, now) {
  const before = words(old);
  const after = words(now);
  if (before.length * after.length > 250_000) return [now];
  const kept = common(before, after);
  const parts = [];
  for (const [index, word] of after.entries()) {
    const isNew = !kept.has(index) && /\S/.test(word);
    const last = parts[parts.length - 1];
    if (last && last.isNew === isNew) last.text += word;
    else parts.push({ text: word, isNew });
  }
  return parts.map(({ text, isNew }) => (isNew ? el("ins", {}, text) : text));
}

const words = (text) => text.match(/\s+|[^\s]+/g) ?? [];

/** Returns the indexes in `b` of a longest common subsequence. O(length of a × length of b). */
function common(a, b) {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j]
        ? lengths[(i + 1) * width + j + 1] + 1
        : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  const kept = new Set();
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      kept.add(j);
      i += 1;
      j += 1;
    } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i += 1;
    else j += 1;
  }
  return kept;
}
