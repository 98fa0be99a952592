// Creates elements without parsing HTML, so that texts of documents, notes and names remain text.

import { icon } from "./icons.js";

/**
 * Creates an element. `on` maps events to listeners, `data` sets data attributes, `value` sets the
 * property, and other properties become attributes. Null, undefined and false properties and
 * children are skipped.
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

/**
 * Creates a button with its label as text, or with an icon and the label for screen readers. `keys`
 * is shown in the tooltip.
 */
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

/** Returns a number with its noun: `1 match`, `2,000 matches`. */
export function counted(count, noun, plural = noun + "s") {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}

/** Adds elements that float over the page to its main landmark, where screen readers find them. */
export function float(...elements) {
  (document.querySelector("main") ?? document.body).append(...elements);
}

/** Shows a modal dialog and returns it. Closing removes it from the page. */
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

/**
 * Remembers the focused element. The returned function focuses it again, or the text if the element
 * was hidden or removed meanwhile.
 */
export function rememberFocus() {
  const before = document.activeElement;
  return () => {
    const isThere = before && before !== document.body && before.isConnected &&
      before.getClientRects().length > 0;
    const text = document.querySelector("#text") ?? document.querySelector("main");
    (isThere ? before : text)?.focus({ preventScroll: true });
  };
}

// Control characters of text direction, and the ends of paragraphs, which end all embeddings and
// isolations.
const ordering = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const breaks = /[\n\r\u001c-\u001e\u0085\u2029]+/g;

/**
 * Wraps a text of a document, a note or a name for use within a line: its control characters of
 * text direction do not affect the rest of the line.
 */
export function isolated(text) {
  let depth = 0;
  // A surplus U+2069 would end the element's isolation.
  const balanced = String(text).replace(breaks, " ").replace(/[\u2066-\u2069]/g, (character) => {
    if (character !== "\u2069") depth += 1;
    else if (depth === 0) return "";
    else depth -= 1;
    return character;
  });
  return el("bdi", {}, balanced);
}

/**
 * Like `isolated`, but a string without control characters, for attributes and the window's title.
 */
export function plainText(text) {
  return String(text).replace(breaks, " ").replace(ordering, "");
}

/**
 * Like `plainText`, but isolated by control characters, for lines that cannot contain elements,
 * such as options.
 */
export function isolatedText(text) {
  return `\u2068${plainText(text)}\u2069`;
}

/** Whether the target accepts typed text, so that keys are not commands. */
export function isTyping(target) {
  return target instanceof Element &&
    target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]") !== null;
}

/** Returns the day of a timestamp in the browser's locale; an empty string if it is invalid. */
export function dayText(timestamp) {
  const date = new Date(timestamp);
  return Number.isNaN(date.getTime())
    ? ""
    : date.toLocaleDateString(undefined, { dateStyle: "medium" });
}

/** Returns a function that runs the action after the given milliseconds without another call. */
export function debounced(milliseconds, action) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds, ...values);
  };
}
