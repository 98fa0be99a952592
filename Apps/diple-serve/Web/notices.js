// Short messages about completed and failed actions, which disappear after some seconds.

import { remedyOf } from "./api.js";
import { button, el, float, isolated } from "./dom.js";

const shelf = el("div", { class: "notices" });
const spoken = el("div", { class: "unseen", role: "status", "aria-live": "polite" });

/** Adds the container of the notices to the page. */
export function installNotices() {
  float(shelf, spoken);
}

/** Announces a text to screen readers only. */
export function announce(text) {
  spoken.textContent = "";
  // A repeated text would not be announced without a change in between.
  setTimeout(() => (spoken.textContent = text), 30);
}

function put(notice, seconds) {
  let timer = setTimeout(() => notice.remove(), seconds * 1000);
  notice.addEventListener("pointerenter", () => clearTimeout(timer));
  notice.addEventListener("pointerleave", () => (timer = setTimeout(() => notice.remove(), 2000)));
  shelf.append(notice);
  const others = shelf.querySelectorAll(".notice:not(.lost)");
  for (let index = 0; index < others.length - 3; index++) others[index].remove();
}

/**
 * Shows that an action is complete, in place of the last such notice. `words` is a string or a list
 * of strings and elements; `action` is an optional button `{label, run}`.
 */
export function notify(words, action) {
  for (const old of shelf.querySelectorAll(".done")) old.remove();
  const content = el("span", {}, words);
  const notice = el(
    "div",
    { class: "notice done" },
    content,
    action && button(action.label, () => {
      notice.remove();
      action.run();
    }),
  );
  put(notice, 6);
  announce(content.textContent);
}

/**
 * Shows a problem for as long as it lasts: the returned function removes the notice. The user can
 * close it before.
 */
export function showLasting(problem) {
  const notice = el(
    "div",
    { class: "notice problem lost", role: "status" },
    linesOf(problem),
    button("Close", () => notice.remove(), { glyph: "close" }),
  );
  shelf.prepend(notice);
  return () => notice.remove();
}

/** Returns the line of a problem and its hint. */
function linesOf(problem) {
  return el(
    "span",
    {},
    isolated(problem.message ?? problem),
    problem.hint && el("span", { class: "hint", dir: "auto" }, problem.hint),
  );
}

/** Shows an error, which is a string or has a `message` and an optional `hint`. */
export function complain(problem) {
  const remedy = remedyOf(problem);
  const notice = el(
    "div",
    { class: "notice problem", role: "alert" },
    linesOf(problem),
    remedy && button(remedy.label, () => {
      notice.remove();
      attempt(remedy.run);
    }),
    button("Close", () => notice.remove(), { glyph: "close" }),
  );
  put(notice, 12);
}

/** Runs an action. If it throws, shows the error and returns undefined. */
export async function attempt(action) {
  try {
    return await action();
  } catch (problem) {
    complain(problem);
    return undefined;
  }
}
