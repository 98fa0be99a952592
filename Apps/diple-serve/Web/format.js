// The formatting palette. It runs the action `passage.format`, which formats in the file or in the
// library.

import { api } from "./api.js";
import { button, el, float, rememberFocus } from "./dom.js";
import { complain } from "./notices.js";

const colors = [
  ["Automatic", "automatic"],
  ["Red", "#c01020"],
  ["Green", "#107030"],
  ["Blue", "#1040c0"],
  ["Yellow", "#fff36d"],
  ["Grey", "#707070"],
];
const entries = (words, values) =>
  values.map((value) => {
    const [title, word] = Array.isArray(value) ? value : [String(value), String(value)];
    return { title, command: [...words, word] };
  });

/** Returns the request of `passage.format` for an attribute, with its value if it has one. */
function request(command) {
  const [name] = command;
  if (command.length === 1 || name === "underline") return { toggle: command.join(" ") };
  if (name === "style") return { style: command[1] };
  return { set: { [command.slice(0, -1).join(" ")]: command[command.length - 1] } };
}

/** The panes and their sections. A section with `ask` has a field for any other value. */
const panes = {
  Style: ({ styles, fonts, colors: recent }) => [
    {
      title: "Letters",
      entries: [
        ["Bold", "bold"],
        ["Italic", "italic"],
        ["Underline", "underline"],
        ["Strikethrough", "strike"],
        ["Superscript", "super"],
        ["Subscript", "sub"],
      ].map(([title, word]) => ({ title, command: [word] })),
    },
    {
      title: "Alignment",
      kind: "align",
      entries: entries(["align"], [["Left", "left"], ["Centre", "center"], ["Right", "right"], [
        "Justified",
        "justified",
      ]]),
    },
    {
      title: "Size",
      kind: "size",
      unit: "pt",
      entries: entries(["size"], [10, 12, 13, 14, 18, 24]),
      ask: ["size"],
    },
    {
      title: "Font",
      kind: "font",
      entries: entries(["font"], ["Palatino", "Georgia", "Helvetica", "Menlo"]),
      ask: ["font"],
      words: fonts,
    },
    {
      title: "Text colour",
      kind: "color",
      entries: entries(["color"], [...colors, ...recent]),
      ask: ["color"],
    },
    {
      title: "Background",
      kind: "background",
      entries: entries(["background"], [...colors, ...recent]),
      ask: ["background"],
    },
    {
      title: "Underline",
      kind: "underline",
      entries: entries(["underline"], ["double", "words", "dotted", "dashed", "thick", "wave"]),
    },
    styles.length > 0 &&
    {
      title: "Paragraph style",
      kind: "style",
      entries: styles.map(({ id, title, key }) => ({ title, key, command: ["style", id] })),
    },
  ],
  Indents: () => [
    {
      title: "First line",
      kind: "indent first",
      unit: "pt",
      entries: entries(["indent", "first"], [0, 18, 36, 54]),
      ask: ["indent", "first"],
    },
    {
      title: "Left",
      kind: "indent head",
      unit: "pt",
      entries: entries(["indent", "head"], [0, 18, 36, 72]),
      ask: ["indent", "head"],
    },
    {
      title: "Right",
      kind: "indent tail",
      unit: "pt",
      entries: entries(["indent", "tail"], [0, -18, -36, -72]),
      ask: ["indent", "tail"],
    },
    { title: "Tab stops", kind: "tabs", entries: [], ask: ["tabs"], example: "72,144:right" },
  ],
  Spacing: () => [
    {
      title: "Line height",
      kind: "spacing line",
      entries: entries(["spacing", "line"], [1, 1.2, 1.5, 2]),
      ask: ["spacing", "line"],
    },
    {
      title: "Between lines",
      kind: "spacing extra",
      unit: "pt",
      entries: entries(["spacing", "extra"], [0, 3, 6, 12]),
      ask: ["spacing", "extra"],
    },
    {
      title: "Before paragraphs",
      kind: "spacing before",
      unit: "pt",
      entries: entries(["spacing", "before"], [0, 6, 12, 24]),
      ask: ["spacing", "before"],
    },
    {
      title: "After paragraphs",
      kind: "spacing after",
      unit: "pt",
      entries: entries(["spacing", "after"], [0, 6, 12, 24]),
      ask: ["spacing", "after"],
    },
  ],
};

/** Opens the palette for a selection. `restore` selects it again when the palette closes. */
export async function formatPanel(reader, selection, box, restore) {
  const ranges = selection.ranges;
  const bringFocusBack = rememberFocus();
  reader.delay("format");
  let attributes = {};
  let choices = { styles: [], fonts: [], colors: [] };
  let pane = "Style";
  const body = el("div", { class: "sections" });
  const tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Format" });
  const element = el(
    "div",
    { class: "palette panel-box", role: "dialog", "aria-label": "Format" },
    el(
      "div",
      { class: "line" },
      tabs,
      button("Close", () => close(), { glyph: "close", keys: "Esc" }),
    ),
    body,
    el("div", { class: "buttons" }, button("Clear formatting", () => send({ reset: true }))),
  );

  const ask = async () => {
    const [from, to] = [ranges[0][0], ranges[ranges.length - 1][1]];
    attributes = await api.format(reader.id, [from, to], reader.text.digest).catch((
      problem,
    ) => (complain(problem), {}));
  };
  // Loads the styles, fonts and recent colours.
  const load = async () => {
    const known = new Set(colors.map(([, word]) => word));
    const found = await api.formatChoices().catch((problem) => (complain(problem), choices));
    choices = { ...found, colors: found.colors.filter((color) => !known.has(color)) };
  };
  const send = async (format) => {
    const focused = document.activeElement?.dataset?.command;
    await reader.setFormat(ranges, format);
    await ask();
    if (format.set?.color || format.set?.background) await load();
    draw();
    if (focused) body.querySelector(`[data-command="${CSS.escape(focused)}"]`)?.focus();
  };
  // Returns whether the selection has a format: "true", "false", or "mixed".
  const pressed = (section, command) => {
    const [word] = command;
    const name = section.kind ?? (["super", "sub"].includes(word) ? "position" : word);
    const attribute = attributes[name];
    if (!attribute) return "false";
    if (attribute.mixed) return section.kind ? "false" : "mixed";
    const value = String(attribute.value ?? "").toLowerCase();
    if (command.length === 1) {
      const isOn = name === "position"
        ? value.startsWith(word)
        : !["", "off", "none"].includes(value);
      return String(isOn);
    }
    const wanted = command[command.length - 1].toLowerCase();
    return String(value !== "" && (value === wanted || Number(value) === Number(wanted)));
  };
  const draw = () => {
    tabs.replaceChildren(
      ...Object.keys(panes).map((name) =>
        el("button", {
          type: "button",
          role: "tab",
          "aria-selected": String(name === pane),
          tabindex: name === pane ? 0 : -1,
          id: `tab-${name}`,
          "aria-controls": "palette-pane",
          on: {
            click: () => {
              pane = name;
              draw();
              tabs.querySelector("[aria-selected=true]").focus();
            },
          },
        }, name)
      ),
    );
    body.id = "palette-pane";
    body.setAttribute("role", "tabpanel");
    body.setAttribute("aria-labelledby", `tab-${pane}`);
    body.replaceChildren(
      ...panes[pane](choices).filter(Boolean).map((section) =>
        el(
          "section",
          {},
          el(
            "h3",
            {},
            section.title,
            section.unit && el("span", { class: "faint" }, ` ${section.unit}`),
          ),
          el(
            "div",
            { class: "entries" },
            section.entries.map(({ title, command, key }) =>
              el("button", {
                type: "button",
                class: "entry",
                title: Number.isInteger(key) ? `Key ${key}` : undefined,
                data: { command: command.join(" ") },
                "aria-pressed": pressed(section, command),
                on: { click: () => send(request(command)) },
              }, title)
            ),
            section.ask ? other(section) : [],
          ),
        )
      ),
    );
  };
  // Returns the value that no entry of a section shows, "mixed", or null.
  const otherValue = (section) => {
    const { value, mixed } = attributes[section.kind] ?? {};
    if (mixed) return "mixed";
    const isShown = section.entries.some(({ command }) => pressed(section, command) === "true");
    return isShown || !value ? null : value;
  };
  const other = (section) => {
    const input = el("input", {
      type: "text",
      "aria-label": `Another value: ${section.title}`,
      placeholder: otherValue(section) ?? section.example ?? "Other…",
      size: 9,
    });
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || input.value.trim() === "") return;
      event.preventDefault();
      send(request([...section.ask, input.value.trim()]));
    });
    if (!section.words?.length) return input;
    // The installed fonts are suggested while the user types.
    const words = section.words.map((value) => el("option", { value }));
    const list = el("datalist", { id: `words-${section.kind}` }, words);
    input.setAttribute("list", list.id);
    return [input, list];
  };
  const close = () => {
    element.remove();
    reader.release("format");
    bringFocusBack();
    restore();
  };
  tabs.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const names = Object.keys(panes);
    pane = names[(names.indexOf(pane) + step + names.length) % names.length];
    draw();
    tabs.querySelector("[aria-selected=true]").focus();
  });
  element.addEventListener("keydown", (event) => {
    const style = choices.styles.find(({ key }) => String(key) === event.key);
    const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey;
    if (style && isPlain && event.target.localName !== "input") {
      event.preventDefault();
      event.stopPropagation();
      send({ style: style.id });
    }
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    close();
  });
  await Promise.all([ask(), load()]);
  draw();
  float(element);
  const { width, height } = element.getBoundingClientRect();
  const isDocked = innerWidth < 640 || matchMedia("(pointer: coarse)").matches || !box;
  element.classList.toggle("docked", isDocked);
  if (!isDocked) {
    // Beside the text if there is room, so that the text stays in view.
    const text = reader.text.element.getBoundingClientRect();
    const beside = text.right + width < innerWidth ? text.right : innerWidth - width - 12;
    element.style.left = `${Math.round(beside)}px`;
    element.style.top = `${
      Math.round(Math.max(64, Math.min(box.top, innerHeight - height - 16)))
    }px`;
  }
  tabs.querySelector("[aria-selected=true]").focus();
}
