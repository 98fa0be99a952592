// Unsaved notes and tags. The tab stores them for each document, also across reloads, and offers
// them again.

const mostDrafts = 20;

/**
 * The drafts of one document, the newest last and at most 20: `{place, note, seen, tags, typed,
 * color}`. `seen` is the stored note on which the draft is based, `typed` an unfinished tag. A
 * place is `{highlight}` with an id, or `{ranges, text, quote}` of a selection.
 */
export class Drafts {
  #key;
  #drafts;

  constructor(id) {
    this.#key = `diple.draft.${id}`;
    this.#drafts = read(this.#key);
  }

  get all() {
    return [...this.#drafts];
  }

  /**
   * Returns the newest draft of a place, or undefined. Selections are equal if their ranges or
   * their words are.
   */
  find(place) {
    return this.#drafts.findLast((draft) => isSame(draft.place, place));
  }

  /** Stores a draft, replacing the earlier one of the same place. */
  keep(draft) {
    this.#set([...this.#without(draft.place), draft].slice(-mostDrafts));
  }

  drop(place) {
    this.#set(this.#without(place));
  }

  #without(place) {
    return this.#drafts.filter((draft) => !isSame(draft.place, place));
  }

  #set(drafts) {
    this.#drafts = drafts;
    try {
      if (drafts.length === 0) sessionStorage.removeItem(this.#key);
      else sessionStorage.setItem(this.#key, JSON.stringify(drafts));
    } catch {
      // Without storage the drafts last until the page is closed.
    }
  }
}

/** Whether the tab stores drafts of any document. */
export function hasDrafts() {
  return draftKeys().length > 0;
}

/** Discards the drafts of all documents. */
export function dropAllDrafts() {
  for (const key of draftKeys()) sessionStorage.removeItem(key);
}

function draftKeys() {
  try {
    return Object.keys(sessionStorage).filter((key) => key.startsWith("diple.draft."));
  } catch {
    return [];
  }
}

function read(key) {
  try {
    const drafts = JSON.parse(sessionStorage.getItem(key)) ?? [];
    return Array.isArray(drafts) ? drafts.filter((draft) => draft?.place) : [];
  } catch {
    return [];
  }
}

function isSame(a, b) {
  if (a.highlight || b.highlight) return a.highlight === b.highlight;
  const isThere = a.text === b.text && JSON.stringify(a.ranges) === JSON.stringify(b.ranges);
  return isThere || (a.quote !== "" && a.quote === b.quote);
}
