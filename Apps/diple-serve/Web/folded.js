// Shows the beginning of long notes, with a button for the rest.

import { counted, el } from "./dom.js";

const mostCharacters = 320;
const mostLines = 6;

/**
 * Returns `{note, more}`: an element with the note or its beginning, and a button that shows the
 * rest, or null if the note is short. They are separate because a list entry may itself be a link
 * or a button, which must not contain another button.
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

/**
 * Returns the beginning of a long text, cut between words if possible. Short texts are returned
 * unchanged.
 */
function beginning(text) {
  let end = text.length;
  for (let line = 0, at = -1; line < mostLines; line++) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) break;
    if (line === mostLines - 1) end = at;
  }
  end = Math.min(end, mostCharacters);
  // Fewer than 80 more characters need less room than the button.
  if (text.length - end < 80 && end === mostCharacters) return text;
  if (end === text.length) return text;
  const blank = text.slice(0, end).search(/\s+\S*$/);
  if (blank > end - 80) end = blank;
  if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end -= 1;
  return `${text.slice(0, end)} …`;
}
