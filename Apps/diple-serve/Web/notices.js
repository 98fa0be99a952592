// Lines that say what was done or what went wrong, and go by themselves.

import { button, el, float, isolated } from "./dom.js";

const shelf = el("div", { class: "notices" });
const spoken = el("div", { class: "unseen", role: "status", "aria-live": "polite" });

/** Puts the place for notices on the page. */
export function installNotices() {
  float(shelf, spoken);
}

/** Says something to screen readers alone. */
export function say(text) {
  spoken.textContent = "";
  // An equal text would not be spoken a second time.
  setTimeout(() => (spoken.textContent = text), 30);
}

function put(notice, seconds) {
  let timer = setTimeout(() => notice.remove(), seconds * 1000);
  notice.addEventListener("pointerenter", () => clearTimeout(timer));
  notice.addEventListener("pointerleave", () => (timer = setTimeout(() => notice.remove(), 2000)));
  shelf.append(notice);
  while (shelf.children.length > 3) shelf.firstElementChild.remove();
}

/** Says what was done, in words or a list of words and elements. `action` is `{label, run}`. */
export function tell(words, action) {
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
  say(content.textContent);
}

/** Says what went wrong. */
export function complain(problem) {
  const notice = el(
    "div",
    { class: "notice problem", role: "alert" },
    el(
      "span",
      {},
      isolated(problem.message ?? problem),
      problem.hint && el("span", { class: "hint", dir: "auto" }, problem.hint),
    ),
    button("Close", () => notice.remove(), { glyph: "close" }),
  );
  put(notice, 12);
}

/** Runs something and says what went wrong with it; gives undefined then. */
export async function attempt(action) {
  try {
    return await action();
  } catch (problem) {
    complain(problem);
    return undefined;
  }
}
