// Elements without HTML in strings: what documents, notes and names hold is only ever text.

import { icon } from "./icons.js";

/**
 * Makes an element. `on` holds listeners, `data` data attributes; other properties become
 * attributes.
 */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) {
        element.addEventListener(event, listener);
      }
    } else if (name === "data") {
      Object.assign(element.dataset, value);
    } else if (name === "value") {
      element.value = value;
    } else {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(
    ...children.flat().filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** A button with words, or with an icon and a label for those who do not see it. */
export function button(label, action, { glyph, keys, ...properties } = {}) {
  const title = keys ? `${label} (${keys})` : label;
  const content = glyph ? [icon(glyph)] : [label];
  const attributes = glyph
    ? { "aria-label": label, title, class: "icon-only" }
    : keys
    ? { title }
    : {};
  return el(
    "button",
    { type: "button", ...attributes, ...properties, on: { click: action } },
    content,
  );
}

/** A number with its noun. */
export function counted(count, noun, plural = noun + "s") {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}

/**
 * Puts what floats over the page into its main part, where those who go from landmark to landmark
 * find it.
 */
export function float(...elements) {
  (document.querySelector("main") ?? document.body).append(...elements);
}

/** Shows a dialog over the page, and gives it. It is gone when it is closed. */
export function openDialog(title, content, { onClose, className } = {}) {
  const name = `dialog-${Math.random().toString(36).slice(2)}`;
  const dialog = el(
    "dialog",
    { "aria-labelledby": name, class: className },
    el(
      "div",
      { class: "head" },
      el("h2", { id: name }, title),
      button("Close", () => dialog.close(), { glyph: "close" }),
    ),
    el("div", { class: "content" }, content),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    onClose?.();
  });
  float(dialog);
  dialog.showModal();
  return dialog;
}

/** Remembers where the keyboard is, and gives what brings it back there, or into the text. */
export function rememberFocus() {
  const before = document.activeElement;
  return () => {
    const isThere = before && before !== document.body && before.isConnected &&
      before.getClientRects().length > 0;
    const text = document.querySelector("#text") ?? document.querySelector("main");
    (isThere ? before : text)?.focus({ preventScroll: true });
  };
}

// Characters that say how what follows them is ordered, and those at which a paragraph ends, where
// nothing that was opened before is open any more.
const ordering = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const breaks = /[\n\r\u001c-\u001e\u0085\u2029]+/g;

/**
 * A text of a document, a note or a name, as a part of a line of the page: whatever it says of
 * directions, the rest of the line keeps its order.
 */
export function isolated(text) {
  let depth = 0;
  // What ends more isolations than it began would end this one.
  const balanced = String(text).replace(breaks, " ").replace(/[\u2066-\u2069]/g, (character) => {
    if (character !== "\u2069") depth += 1;
    else if (depth === 0) return "";
    else depth -= 1;
    return character;
  });
  return el("bdi", {}, balanced);
}

/** The same for where there can be no element, such as the title of a window. */
export function plainText(text) {
  return String(text).replace(breaks, " ").replace(ordering, "");
}

/**
 * The same, kept apart from the rest of a line in which there are no elements, such as an option.
 */
export function isolatedText(text) {
  return `\u2068${plainText(text)}\u2069`;
}

/** Whether keys are typed into something, and so are no commands. */
export function isTyping(target) {
  return target instanceof Element &&
    target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]") !== null;
}

/** A day and time as people here write them. */
export function dayText(timestamp) {
  const date = new Date(timestamp);
  return Number.isNaN(date.getTime())
    ? ""
    : date.toLocaleDateString(undefined, { dateStyle: "medium" });
}

/** A function that runs when calls have rested for some milliseconds. */
export function debounced(milliseconds, action) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds, ...values);
  };
}
