// Long notes: their beginning, and all of it for who asks.

import { counted, el } from "./dom.js";

const mostCharacters = 320;
const mostLines = 6;

/**
 * A note as `{note, more}`: an element with the note or its beginning, and a button for the rest,
 * which is null where there is none. They are apart because an entry of a list may itself be a link
 * or a button, in which there is no room for another one.
 */
export function foldedNote(text, tag = "span") {
  const start = beginning(text);
  const note = el(tag, { class: "note", dir: "auto" }, start);
  if (start === text) return { note, more: null };
  const all = `Show all ${counted(text.length, "character")}`;
  const more = el("button", {
    type: "button",
    class: "fold",
    "aria-expanded": "false",
    on: {
      click: () => {
        const isOpen = more.getAttribute("aria-expanded") === "true";
        note.textContent = isOpen ? start : text;
        more.textContent = isOpen ? all : "Show less";
        more.setAttribute("aria-expanded", String(!isOpen));
      },
    },
  }, all);
  return { note, more };
}

/** The beginning of a long text, cut between words where there are any; a short one as it is. */
function beginning(text) {
  let end = text.length;
  for (let line = 0, at = -1; line < mostLines; line++) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) break;
    if (line === mostLines - 1) end = at;
  }
  end = Math.min(end, mostCharacters);
  // A little more costs less room than the button for it.
  if (text.length - end < 80 && end === mostCharacters) return text;
  if (end === text.length) return text;
  const blank = text.slice(0, end).search(/\s+\S*$/);
  if (blank > end - 80) end = blank;
  if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end -= 1;
  return `${text.slice(0, end)} …`;
}
