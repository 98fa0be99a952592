// Finds in the document with the library's search strategies. Matches are drawn with the browser's
// custom highlights, which need no elements, so that thousands of them do not stall the page.

import { api } from "./api.js";
import { button, debounced, el, rememberFocus } from "./dom.js";
import { announce } from "./notices.js";

/** The maximum number of matches that are drawn at once, around the visible text. */
const drawnAtOnce = 2000;

export class Find {
  #matches = [];
  #index = -1;
  #asked = 0;
  #start = 0;
  #bringFocusBack = null;

  constructor(reader, selecting) {
    this.reader = reader;
    this.selecting = selecting;
    this.input = el("input", {
      type: "search",
      "aria-label": "Find in the text",
      placeholder: "Find",
      spellcheck: "false",
    });
    this.strategy = el(
      "select",
      { "aria-label": "Search strategy" },
      el("option", { value: "literal" }, "literal"),
    );
    this.cases = button("Match case", () => {
      this.cases.setAttribute(
        "aria-pressed",
        String(this.cases.getAttribute("aria-pressed") !== "true"),
      );
      this.run();
    }, { glyph: "cases", "aria-pressed": "false" });
    this.count = el("span", { class: "count", role: "status" });
    this.element = el(
      "div",
      { class: "findbar", role: "search", hidden: true },
      this.input,
      this.count,
      this.cases,
      this.strategy,
      el(
        "span",
        { class: "steps" },
        button("Previous match", () => this.step(-1), { glyph: "up", keys: "Shift+Enter" }),
        button("Next match", () => this.step(1), { glyph: "down", keys: "Enter" }),
        button("Close", () => this.selectCurrent(), { glyph: "close", keys: "Esc" }),
      ),
    );
    const later = debounced(120, () => this.run());
    this.input.addEventListener("input", later);
    this.strategy.addEventListener("change", () => this.run());
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        event.stopPropagation();
        event.preventDefault();
        this.selectCurrent();
      } else if (event.key === "Enter" && event.target === this.input) {
        event.preventDefault();
        this.step(event.shiftKey ? -1 : 1);
      }
    });
    reader.addEventListener("text", () => this.isOpen && this.run({ staysHere: true }));
    let isWaiting = false;
    addEventListener("scroll", () => {
      if (!this.isOpen || this.#matches.length <= drawnAtOnce || isWaiting) return;
      isWaiting = true;
      setTimeout(() => {
        isWaiting = false;
        this.#draw();
      }, 150);
    }, { passive: true });
  }

  get isOpen() {
    return !this.element.hidden;
  }

  async open() {
    const { current } = this.selecting;
    const selected = current ? this.reader.text.words(current.ranges).trim() : "";
    if (!this.isOpen) {
      this.#start = this.reader.text.place()?.offset ?? 0;
      this.#bringFocusBack = rememberFocus();
    }
    this.element.hidden = false;
    if (selected && selected.length < 200 && !selected.includes("\n")) this.input.value = selected;
    this.input.focus();
    this.input.select();
    if (this.strategy.options.length === 1) {
      const strategies = await api.strategies().catch(() => []);
      this.strategy.replaceChildren(
        ...strategies.map(({ id, summary }) => el("option", { value: id, title: summary }, id)),
      );
    }
    if (this.input.value) this.run();
  }

  close() {
    this.element.hidden = true;
    this.#asked += 1;
    this.#matches = [];
    CSS.highlights?.delete("found");
    CSS.highlights?.delete("found-now");
    this.#index = -1;
    this.#bringFocusBack?.();
  }

  async run({ staysHere = false } = {}) {
    const asked = ++this.#asked;
    const query = this.input.value;
    this.element.classList.remove("refused");
    if (query === "") {
      this.#take([], "");
      return;
    }
    const isExact = this.cases.getAttribute("aria-pressed") === "true";
    try {
      const answer = await api.find(this.reader.id, {
        query,
        strategy: this.strategy.value,
        case: isExact ? "respect" : "smart",
      });
      if (asked !== this.#asked) return;
      const before = this.#matches[this.#index]?.[0] ?? this.#start;
      this.#take(answer.matches, answer.incomplete ? "+" : "", answer.count);
      if (this.#matches.length > 0) {
        const next = this.#matches.findIndex((match) => match[0] >= before);
        this.#index = next < 0 ? 0 : next;
        this.#draw();
        this.#showCount();
        if (!staysHere) this.#reveal();
      }
    } catch (refusal) {
      if (asked !== this.#asked) return;
      this.#take([], "");
      this.element.classList.add("refused");
      this.count.textContent = refusal.message;
    }
  }

  #take(matches, sign, count = matches.length) {
    this.#matches = matches;
    this.#index = -1;
    this.sign = sign;
    this.total = count;
    this.#draw();
    this.#showCount();
  }

  #showCount() {
    const all = (this.total ?? 0).toLocaleString("en") + (this.sign ?? "");
    this.count.textContent = this.input.value === ""
      ? ""
      : this.#matches.length === 0
      ? (this.sign ? "No match within the time limit" : "No match")
      : `${(this.#index + 1).toLocaleString("en")} of ${all}`;
    this.element.classList.toggle("none", this.input.value !== "" && this.#matches.length === 0);
  }

  step(direction) {
    if (this.#matches.length === 0) return;
    this.#index = (this.#index + direction + this.#matches.length) % this.#matches.length;
    this.#draw();
    this.#showCount();
    this.#reveal();
    announce(this.count.textContent);
  }

  async #reveal() {
    const match = this.#matches[this.#index];
    if (!match) return;
    // The rest of a long text may not be loaded yet.
    await this.reader.text.reach(match[0]);
    this.reader.text.reveal(match);
    this.#draw();
  }

  #draw() {
    if (!CSS.highlights) return;
    const { text } = this.reader;
    let matches = this.#matches;
    if (matches.length > drawnAtOnce) {
      const place = text.place()?.offset ?? 0;
      let from = matches.findIndex((match) => match[1] >= place);
      from = Math.max(0, (from < 0 ? matches.length : from) - drawnAtOnce / 2);
      matches = matches.slice(from, from + drawnAtOnce);
    }
    const current = this.#matches[this.#index];
    const ranges = text.ranges(matches.filter((match) => match !== current));
    CSS.highlights.set("found", new Highlight(...ranges));
    const now = current && text.range(current);
    const highlight = new Highlight(...(now ? [now] : []));
    highlight.priority = 2;
    CSS.highlights.set("found-now", highlight);
  }

  /**
   * Closes the search and selects the current match, so that it can be marked. Returns whether
   * there is one.
   */
  selectCurrent() {
    const match = this.#matches[this.#index];
    this.close();
    if (match) this.selecting.select(match);
    return match !== undefined;
  }
}
