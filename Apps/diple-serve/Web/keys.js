// Keyboard commands, and the dialog that lists them.

import { el, isTyping, openDialog } from "./dom.js";

const names = {
  " ": "Space",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  Delete: "Del",
};

/** The name of a key with Ctrl. Some systems report the letter in lower case with Shift, too. */
function commandName({ key, shiftKey }) {
  const isLetter = key.length === 1;
  return `Ctrl+${isLetter ? (shiftKey ? key.toUpperCase() : key.toLowerCase()) : key}`;
}

export class Keys {
  #commands = [];
  #byKey = new Map();

  constructor() {
    document.addEventListener("keydown", (event) => this.#press(event));
  }

  /**
   * Adds a command. `keys` are values of `KeyboardEvent.key`, with `Ctrl+` before them for that
   * modifier. If the action returns false, the browser handles the key.
   */
  add(keys, group, words, action) {
    this.#commands.push({ keys, group, words });
    for (const key of keys) this.#byKey.set(key, action);
  }

  /** Adds a key that the description of another command mentions. */
  bind(key, action) {
    this.#byKey.set(key, action);
  }

  #press(event) {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    const isCommand = event.ctrlKey || event.metaKey;
    if (isTyping(event.target) && !(event.key === "Escape")) return;
    // Enter and Space activate buttons and links.
    if (
      (event.key === "Enter" || event.key === " ") && event.target.closest?.("button, a, summary")
    ) return;
    const action = this.#byKey.get(isCommand ? commandName(event) : event.key);
    if (!action || (event.repeat && event.key.length === 1 && /[1-4tx]/.test(event.key))) return;
    if (action(event) !== false) event.preventDefault();
  }

  /** Shows the dialog of all keys. */
  showSheet() {
    const groups = Map.groupBy ? Map.groupBy(this.#commands, (each) => each.group) : new Map();
    const sections = [...groups].map(([group, commands]) =>
      el(
        "section",
        {},
        el("h3", {}, group),
        el(
          "table",
          {},
          el(
            "tbody",
            {},
            commands.map(({ keys, words }) =>
              el(
                "tr",
                {},
                el(
                  "th",
                  { scope: "row" },
                  keys.flatMap((key) => [el("kbd", {}, names[key] ?? key), " "]),
                ),
                el("td", {}, words),
              )
            ),
          ),
        ),
      )
    );
    openDialog("Keys", el("div", { class: "sheet" }, sections), { className: "wide" });
  }
}
