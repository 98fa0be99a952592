// The page's appearance: theme, text size, font and line width, stored in the browser.

import { button, el } from "./dom.js";
import { announce } from "./notices.js";

const sizes = [14, 16, 18, 20, 22, 25, 28];
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");

let chosen = read();

function read() {
  try {
    return JSON.parse(localStorage.getItem("diple.appearance")) ?? {};
  } catch {
    return {};
  }
}

function change(name, value) {
  chosen = { ...read(), [name]: value };
  try {
    localStorage.setItem("diple.appearance", JSON.stringify(chosen));
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
  apply();
}

function set(name, value) {
  if (value === undefined) delete root.dataset[name];
  else root.dataset[name] = value;
}

const listeners = new Set();

function apply() {
  set("theme", chosen.theme ?? (system.matches ? "dark" : "light"));
  set("size", chosen.size && String(chosen.size));
  set("font", chosen.font === "sans" ? "sans" : undefined);
  set("width", ["narrow", "wide"].includes(chosen.width) ? chosen.width : undefined);
  set("letters", chosen.letters === false ? "off" : undefined);
  for (const listener of listeners) listener();
}

system.addEventListener("change", apply);
addEventListener("storage", (event) => {
  if (event.key !== "diple.appearance") return;
  chosen = read();
  apply();
});

/** Calls the listener after each change of the appearance. */
export function onAppearance(listener) {
  listeners.add(listener);
}

/** Changes the text size by one step: 1 is larger, -1 smaller, and 0 resets it to 18 pixels. */
export function changeSize(step) {
  const index = sizes.indexOf(chosen.size ?? 18);
  const size = step === 0
    ? 18
    : sizes[Math.max(0, Math.min(sizes.length - 1, (index < 0 ? 2 : index) + step))];
  change("size", size);
  announce(`Size ${size}.`);
}

/** Switches to the next theme: light, sepia, dark. */
export function nextTheme() {
  const themes = ["light", "sepia", "dark"];
  const theme = themes[(themes.indexOf(root.dataset.theme) + 1) % themes.length];
  change("theme", theme);
  announce(`Theme: ${theme}.`);
}

/**
 * Creates the button that opens the appearance panel. `onlyTheme` omits the settings that affect
 * only documents.
 */
export function appearanceButton({ onlyTheme = false } = {}) {
  const group = (title, name, values, standard) =>
    el(
      "fieldset",
      { class: "choices" },
      el("legend", {}, title),
      values.map(([value, words]) =>
        el(
          "label",
          { class: `choice ${name}-${value}` },
          el("input", {
            type: "radio",
            name: `look-${name}`,
            value,
            checked: (chosen[name] ?? standard) === value,
            on: { change: () => change(name, value === standard ? undefined : value) },
          }),
          el("span", {}, words),
        )
      ),
    );
  const panel = el("div", {
    class: "look panel-box",
    role: "dialog",
    "aria-label": "Appearance",
    hidden: true,
  });
  const draw = () =>
    panel.replaceChildren(
      group("Theme", "theme", [["auto", "Auto"], ["light", "Light"], ["sepia", "Sepia"], [
        "dark",
        "Dark",
      ]], "auto"),
      ...(onlyTheme ? [] : [
        el(
          "fieldset",
          { class: "choices" },
          el("legend", {}, "Size"),
          button("Smaller", () => changeSize(-1), {
            glyph: "smaller",
            keys: "-",
            class: "bordered step",
          }),
          el("output", { class: "size" }, `${chosen.size ?? 18}`),
          button("Larger", () => changeSize(1), {
            glyph: "larger",
            keys: "+",
            class: "bordered step",
          }),
        ),
        group("Font", "font", [["serif", "Serif"], ["sans", "Sans"]], "serif"),
        group(
          "Lines",
          "width",
          [["narrow", "Narrow"], ["normal", "Normal"], ["wide", "Wide"]],
          "normal",
        ),
        el(
          "label",
          { class: "check" },
          el("input", {
            type: "checkbox",
            checked: chosen.letters !== false,
            on: { change: (event) => change("letters", event.target.checked ? undefined : false) },
          }),
          "Show colour letters",
        ),
      ]),
    );
  const toggle = button("Appearance", () => (panel.hidden ? open() : close()), {
    glyph: "letters",
    "aria-expanded": "false",
    "aria-haspopup": "dialog",
  });
  const open = () => {
    draw();
    panel.hidden = false;
    toggle.setAttribute("aria-expanded", "true");
    (panel.querySelector("input:checked") ?? panel.querySelector("input, button")).focus();
  };
  const close = (isBack = true) => {
    if (panel.hidden) return;
    panel.hidden = true;
    toggle.setAttribute("aria-expanded", "false");
    if (isBack) toggle.focus();
  };
  onAppearance(() => {
    const output = panel.querySelector("output");
    if (output) output.textContent = `${chosen.size ?? 18}`;
  });
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    close();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!panel.contains(event.target) && !toggle.contains(event.target)) close(false);
  });
  const holder = el("div", { class: "holder" }, toggle, panel);
  holder.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !holder.contains(event.relatedTarget)) close(false);
  });
  return holder;
}
