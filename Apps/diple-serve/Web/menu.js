// The menu of a selection or a highlight: a toolbar near it, or at the bottom of the window on
// touch screens and in narrow windows.

import { button, el, plainText, rememberFocus } from "./dom.js";

const isTouch = matchMedia("(pointer: coarse)");

/** A toolbar near a box of the window. */
export class Menu {
  #update = null;
  #bringFocusBack = null;

  constructor(label, className = "") {
    this.element = el("div", {
      class: `menu ${className}`,
      role: "toolbar",
      "aria-label": label,
      hidden: true,
    });
    // Pressing a button must not clear the selection.
    this.element.addEventListener("pointerdown", (event) => {
      if (!event.target.closest("input, textarea, select")) event.preventDefault();
    });
    this.element.addEventListener("keydown", (event) => this.#move(event));
    const place = () => this.place();
    addEventListener("scroll", place, { passive: true });
    addEventListener("resize", place);
  }

  get isOpen() {
    return !this.element.hidden;
  }

  /** Shows elements near the box that `box` returns. While that is null, the menu is invisible. */
  show(children, box) {
    this.#update = box;
    const hadFocus = this.element.contains(document.activeElement);
    this.element.replaceChildren(...children.flat().filter(Boolean));
    this.element.hidden = false;
    for (const [index, each] of this.#buttons().entries()) each.tabIndex = index === 0 ? 0 : -1;
    if (hadFocus) this.#buttons()[0]?.focus();
    this.place();
  }

  hide() {
    const hadFocus = this.element.contains(document.activeElement);
    this.element.hidden = true;
    this.#update = null;
    if (hadFocus) (this.#bringFocusBack ?? rememberFocus())();
    this.#bringFocusBack = null;
  }

  focus() {
    if (!this.element.contains(document.activeElement)) this.#bringFocusBack = rememberFocus();
    this.#buttons()[0]?.focus();
  }

  #buttons() {
    return [...this.element.querySelectorAll("button:not(:disabled)")];
  }

  #move(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step || event.target.closest("input, textarea, select")) return;
    const buttons = this.#buttons();
    const index = buttons.indexOf(document.activeElement);
    if (index < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = buttons[(index + step + buttons.length) % buttons.length];
    for (const each of buttons) each.tabIndex = each === next ? 0 : -1;
    next.focus();
  }

  /** Moves the menu to the current position of its box. */
  place() {
    if (!this.isOpen || !this.#update) return;
    const { style } = this.element;
    const isDocked = isTouch.matches || innerWidth < 480;
    this.element.classList.toggle("docked", isDocked);
    if (isDocked) {
      style.left = style.top = "";
      return;
    }
    const box = this.#update();
    this.element.classList.toggle("away", !box);
    if (!box) return;
    const { width, height } = this.element.getBoundingClientRect();
    const top = document.querySelector(".bar")?.getBoundingClientRect().bottom ?? 0;
    const middle = box.left + box.width / 2 - width / 2;
    const above = box.top - height - 10;
    const below = Math.min(box.bottom + 10, innerHeight - height - 10);
    style.left = `${Math.round(Math.max(10, Math.min(middle, innerWidth - width - 10)))}px`;
    style.top = `${Math.round(above > top + 4 ? above : below)}px`;
  }
}

/** Creates the colour buttons. `current` is the highlight's colour, undefined for a selection. */
export function colorButtons(colors, choose, current) {
  return el(
    "div",
    { class: "colors", role: "group", "aria-label": "Colour" },
    colors.map((color, index) => {
      const name = color.label ? `${color.label} (${color.name})` : color.name;
      const words = current ? `Change to ${name}` : `Mark in ${name}`;
      return el("button", {
        type: "button",
        class: "color icon-only",
        "aria-label": plainText(words),
        title: plainText(`${words} (${index + 1})`),
        "aria-pressed": current === undefined ? null : String(current === color.name),
        on: { click: () => choose(color.name) },
      }, el("span", { class: `dot ${color.name}`, "aria-hidden": "true" }, color.letter));
    }),
  );
}

export const line = () => el("span", { class: "line", "aria-hidden": "true" });

/** Shows the choices of one button in place of the menu's buttons. */
export function choices(menu, label, list, box, back) {
  menu.show([
    button("Back", back, { glyph: "back" }),
    el("span", { class: "words" }, label),
    ...list.map(({ words, run }) => button(words, run)),
  ], box);
  menu.focus();
}
