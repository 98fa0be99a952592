// What was typed and is not saved yet. The tab keeps it for each document, also when the page is
// loaded anew, and offers it again.

const mostDrafts = 20;

/**
 * The drafts of one document, the newest last: `{place, note, seen, tags, typed, color}`, where
 * `seen` is the note that there was before. A place is `{highlight}`, the id of one, or
 * `{ranges, text, quote}` of a selection.
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

  /** The draft of a place; undefined for none. A selection is known again by its words. */
  find(place) {
    return this.#drafts.findLast((draft) => isSame(draft.place, place));
  }

  /** Keeps a draft instead of the one of its place. */
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
      // They last as long as the page does.
    }
  }
}

/** Whether the tab keeps drafts of any document. */
export function hasDrafts() {
  return draftKeys().length > 0;
}

/** Throws the drafts of all documents away. */
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
