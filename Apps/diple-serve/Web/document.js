// The page of one document.

import { api, remedyOf } from "./api.js";
import { accessNote } from "./access.js";
import { appearanceButton, changeSize, nextTheme, onAppearance } from "./appearance.js";
import { Continuing } from "./continuing.js";
import { button, el, isolated, plainText, rememberFocus } from "./dom.js";
import { Find } from "./find.js";
import { installHighlights } from "./highlights.js";
import { icon } from "./icons.js";
import { Keys } from "./keys.js";
import { followDocument } from "./live.js";
import { Marking } from "./marking.js";
import { attempt, complain, installNotices } from "./notices.js";
import { installOutline } from "./outline.js";
import { installPrinting } from "./printing.js";
import { Reader } from "./reader.js";
import { installSelectingKeys, Selecting } from "./selection.js";
import { begin } from "./session.js";

const id = decodeURIComponent(location.pathname.split("/")[2] ?? "");

/** Creates a panel beside the text. Wide windows remember whether it is open. */
function sidePanel(name, label) {
  const element = el(
    "aside",
    { class: `panel ${name}`, "aria-label": label, tabindex: "-1" },
    el("h2", {}, label),
  );
  const isRoomy = () => innerWidth >= 1080;
  let stored = null;
  try {
    stored = localStorage.getItem(`diple.panel.${name}`);
  } catch {
    // Without storage the panel is closed at first.
  }
  element.hidden = !(isRoomy() && stored === "open");
  const listeners = [];
  let bringFocusBack = null;
  const set = (isOpen) => {
    const hadFocus = element.contains(document.activeElement);
    if (isOpen && !hadFocus) bringFocusBack = rememberFocus();
    element.hidden = !isOpen;
    if (!isOpen && hadFocus) (bringFocusBack ?? rememberFocus())();
    if (isRoomy()) {
      try {
        localStorage.setItem(`diple.panel.${name}`, isOpen ? "open" : "closed");
      } catch {
        // Without storage the state lasts until the page is closed.
      }
    }
    for (const listener of listeners) listener(isOpen);
  };
  return {
    element,
    set,
    isRoomy,
    toggle: () => set(element.hidden),
    onChange: (listener) => listeners.push(listener),
  };
}

async function main() {
  installNotices();
  let first;
  try {
    first = await begin(() =>
      Promise.all([api.document(id), api.body(id), api.place(id).catch(() => null)])
    );
  } catch (problem) {
    return showProblem(problem);
  }
  if (!first) return;
  const reader = new Reader(id);
  const { text } = reader;
  const selecting = new Selecting(reader);
  const marking = new Marking(reader, selecting);
  const find = new Find(reader, selecting);
  const keys = new Keys();
  const outlinePanel = sidePanel("outline", "Outline");
  const highlightsPanel = sidePanel("highlights", "Highlights");

  const title = el("p", { class: "title", dir: "auto" });
  const toggle = (panel, label, glyph, key) => {
    const control = button(label, () => panel.toggle(), {
      glyph,
      keys: key,
      "aria-expanded": String(!panel.element.hidden),
    });
    panel.onChange((isOpen) => control.setAttribute("aria-expanded", String(isOpen)));
    return control;
  };
  const pen = button("Pen", () => marking.togglePen(), {
    glyph: "pen",
    keys: "E",
    "aria-pressed": "false",
  });
  const undo = button("Undo", () => reader.undo(), {
    glyph: "undo",
    keys: "u",
    class: "icon-only change",
  });
  const redo = button("Redo", () => reader.redo(), {
    glyph: "redo",
    keys: "U",
    class: "icon-only change",
  });
  const source = button("Markdown source", () => attempt(() => reader.toggleSource()), {
    glyph: "source",
    keys: "M",
    class: "icon-only",
    "aria-pressed": "false",
  });
  // A page has a heading of level 1: that of the text, or else the title in the bar.
  const setHeading = () => {
    const hasOwn = !reader.showsSource && reader.info?.outline.some(({ level }) => level === 1);
    for (const [name, value] of [["role", "heading"], ["aria-level", "1"]]) {
      if (hasOwn) title.removeAttribute(name);
      else title.setAttribute(name, value);
    }
  };
  reader.addEventListener("view", () => {
    source.setAttribute("aria-pressed", String(reader.showsSource));
    setHeading();
  });
  marking.onPen = (color) => {
    pen.setAttribute("aria-pressed", String(color !== null));
    pen.className = `icon-only${color ? ` inked ${color}` : ""}`;
  };
  const bar = el(
    "header",
    { class: "bar" },
    el(
      "a",
      { class: "back", href: "/", "aria-label": "Library", title: "Library (O)" },
      icon("back"),
    ),
    toggle(outlinePanel, "Outline", "outline", "o"),
    title,
    el(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Tools" },
      button("Find in the text", () => find.open(), { glyph: "find", keys: "/" }),
      pen,
      undo,
      redo,
      source,
      appearanceButton(),
      button("Keys", () => keys.showSheet(), {
        glyph: "keys",
        keys: "?",
        class: "icon-only sheet-button",
      }),
      toggle(highlightsPanel, "Highlights", "list", "H"),
    ),
    find.element,
  );
  const access = accessNote();
  document.body.replaceChildren(
    el("a", { class: "skip", href: "#text" }, "Skip to the text"),
    bar,
    access.element,
    el(
      "div",
      { class: "columns" },
      outlinePanel.element,
      el("main", {}, text.element),
      highlightsPanel.element,
    ),
  );
  installNotices();
  marking.install();

  const closeNarrow = (panel) => panel.isRoomy() || panel.set(false);
  const outline = installOutline(reader, outlinePanel.element, () => closeNarrow(outlinePanel));
  const list = installHighlights(
    reader,
    marking,
    highlightsPanel.element,
    () => closeNarrow(highlightsPanel),
  );
  outlinePanel.onChange((isOpen) => {
    if (!isOpen) return;
    outline.draw();
    outline.drawLinks();
  });
  if (!outlinePanel.element.hidden) outline.drawLinks();
  highlightsPanel.onChange((isOpen) => isOpen && list.draw());
  marking.onChoose = () => list.showChosen();
  reader.addEventListener("info", () => {
    access.update(reader.info);
    for (const control of [pen, undo, redo]) control.hidden = reader.isReadOnly;
    if (reader.isReadOnly && marking.pen) marking.togglePen();
    title.textContent = reader.info.title;
    setHeading();
    const name = plainText(reader.info.title);
    document.title = `${name} · Diple`;
    text.element.setAttribute("aria-label", name);
    undo.title = reader.info.undo ? `Undo: ${plainText(reader.info.undo)} (u)` : "Undo (u)";
    redo.title = reader.info.redo ? `Redo: ${plainText(reader.info.redo)} (U)` : "Redo (U)";
  });
  onAppearance(() => text.adaptScheme());
  installKeys({ keys, reader, marking, find, selecting, outlinePanel, highlightsPanel });

  const [info, body, place] = first;
  await reader.open(info, body);
  document.documentElement.dataset.ready = "true";
  const continuing = new Continuing(reader);
  continuing.begin(place, () => goToFragment(reader, marking));
  addEventListener("hashchange", () => {
    if (!history.state?.place) goToFragment(reader, marking);
  });
  const go = (address) => {
    continuing.remember();
    history.pushState(null, "", address);
    goToFragment(reader, marking);
  };
  text.element.addEventListener("click", (event) => followLink(event, go));
  installPrinting(reader);
  followDocument(reader);
}

/** Replaces the page with the reason why the document cannot be shown. */
function showProblem(problem) {
  const remedy = remedyOf(problem);
  document.body.replaceChildren(
    el(
      "main",
      { class: "empty" },
      el("h1", {}, "The document cannot be shown"),
      el("p", { role: "alert" }, isolated(problem.message), " ", isolated(problem.hint ?? "")),
      remedy && el(
        "p",
        {},
        button(remedy.label, () =>
          attempt(async () => {
            await remedy.run();
            location.reload();
          })),
      ),
      el("p", {}, el("a", { href: "/" }, "Go to the library")),
    ),
  );
}

/**
 * Scrolls to the address's fragment: a highlight, a search match, or an element's id. Waits up to
 * ten seconds for text that is not loaded yet. Returns false if there is no fragment.
 */
function goToFragment(reader, marking) {
  const name = decodedFragment();
  if (!name || name === "text") return false;
  goTo(name, reader, marking);
}

function decodedFragment() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return location.hash.slice(1);
  }
}

async function goTo(name, reader, marking) {
  if (name.startsWith("h-")) {
    const highlight = reader.highlights.get(name.slice(2));
    if (highlight) marking.go(highlight);
    else complain({ message: "The text no longer contains the linked highlight." });
    return;
  }
  const place = /^at-(\d+)-(\d+)$/.exec(name);
  if (place) return showPlace(reader, [Number(place[1]), Number(place[2])]);
  for (let round = 0; round < 100; round++) {
    const found = document.getElementById(name);
    if (found) return found.scrollIntoView();
    if (reader.text.isComplete) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Scrolls to a search match and emphasizes it until the next click. */
async function showPlace(reader, range) {
  await reader.text.reach(range[0]);
  const target = reader.text.range(range);
  if (!target) return;
  reader.text.reveal(range);
  CSS.highlights?.set("found-now", new Highlight(target));
  document.addEventListener("pointerdown", () => CSS.highlights?.delete("found-now"), {
    once: true,
  });
}

/**
 * Follows a link: within the document it scrolls, another document opens in this tab, and other
 * sites open in a new one.
 */
function followLink(event, go) {
  const link = event.target.closest("a[href]");
  if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const range = getSelection();
  if (range && !range.isCollapsed) return void event.preventDefault();
  if (link.getAttribute("href").startsWith("#")) {
    event.preventDefault();
    go(link.getAttribute("href"));
  } else if (link.origin !== location.origin) {
    event.preventDefault();
    open(link.href, "_blank", "noopener,noreferrer");
  }
}

function installKeys({ keys, reader, marking, find, selecting, outlinePanel, highlightsPanel }) {
  const mark = "Mark";
  keys.add(
    ["1", "2", "3", "4"],
    mark,
    "Mark in a colour, or change the highlight's colour",
    (event) => {
      // While finding, they mark the match.
      if (find.isOpen && !marking.hasSubject) find.selectCurrent();
      return marking.color(Number(event.key) - 1);
    },
  );
  const noteOrNext = ({ key, repeat }) => {
    if (find.isOpen) return find.step(key === "n" ? 1 : -1);
    return key === "n" && !repeat && void marking.note();
  };
  keys.add(["n"], mark, "Write a note", noteOrNext);
  keys.add(["t"], mark, "Add tags", () => void marking.note({ focusTags: true }));
  keys.add(
    ["x", "Delete"],
    mark,
    "Remove the highlight",
    () => (marking.highlight ? void marking.remove() : false),
  );
  keys.add(["y", "c"], mark, "Copy the text", () => marking.copy("text"));
  keys.add(["C"], mark, "Copy the text with its citation", () => marking.copy("citation"));
  keys.add(["s"], mark, "Share as a card", () => marking.share());
  keys.add(["F"], mark, "Format the selection", () => marking.format());
  keys.add(["Enter", "."], mark, "Menu of what can be done", () => marking.openMenu());
  keys.add(["u", "Ctrl+z"], mark, "Undo", () => (reader.isReadOnly ? false : void reader.undo()));
  keys.add(["U", "Ctrl+Z"], mark, "Redo", () => (reader.isReadOnly ? false : void reader.redo()));
  keys.bind("Ctrl+y", () => (reader.isReadOnly ? false : void reader.redo()));
  keys.add(
    ["E"],
    mark,
    "Pen: mark every selection",
    () => reader.isReadOnly ? false : marking.togglePen(),
  );
  installSelectingKeys(keys, selecting, reader);
  const select = "Select";
  keys.add(
    ["+", "-"],
    select,
    "Move the end by a word; without a selection, resize",
    ({ key }) => {
      if (selecting.current) selecting.adjust(key === "+");
      else changeSize(key === "+" ? 1 : -1);
    },
  );
  keys.add(["="], select, "Default size", () => changeSize(0));
  const move = "Move";
  keys.add(
    ["j", "k"],
    move,
    "A row down, up",
    ({ key }) => scrollRows(reader, key === "j" ? 1 : -1),
  );
  keys.add(
    ["]", "["],
    move,
    "Next highlight, previous highlight",
    ({ key }) => marking.step(key === "]" ? 1 : -1),
  );
  keys.add(
    ["}", "{"],
    move,
    "Next heading, previous heading",
    ({ key }) => goToHeading(reader, key === "}" ? 1 : -1),
  );
  keys.add(
    ["g", "G"],
    move,
    "Start of the text, end of the text",
    ({ key }) => scrollTo({ top: key === "g" ? 0 : document.documentElement.scrollHeight }),
  );
  keys.add(["<", ">"], move, "Back, forward", ({ key }) => history.go(key === "<" ? -1 : 1));
  const finding = "Find";
  keys.add(["/", "Ctrl+f"], finding, "Find in the text", () => void find.open());
  keys.add(["n", "N"], finding, "While finding: next match, previous match", noteOrNext);
  keys.bind("Ctrl+g", () => (find.isOpen ? find.step(1) : false));
  keys.add(["o"], finding, "Outline", () => showPanel(outlinePanel, "a"));
  keys.add(["H"], finding, "Highlights", () => showPanel(highlightsPanel, "button.item"));
  keys.add(["O"], finding, "Open another document", () => void (location.href = "/"));
  const rest = "More";
  keys.add(
    ["M"],
    rest,
    "Markdown source, and back to the text",
    () => void attempt(() => reader.toggleSource()),
  );
  keys.add(["T"], rest, "Next theme", () => nextTheme());
  keys.add(["?"], rest, "Show these keys", () => keys.showSheet());
  keys.add(["Escape"], rest, "End finding, then clear the selection", () => {
    for (const panel of [outlinePanel, highlightsPanel]) {
      if (
        !panel.element.hidden &&
        (panel.element.contains(document.activeElement) || !panel.isRoomy())
      ) return panel.set(false);
    }
    if (marking.isInMenu) return marking.escape();
    if (find.isOpen) return void find.selectCurrent();
    return marking.escape();
  });
}

/** Scrolls by rows of text. */
function scrollRows(reader, count) {
  scrollBy({ top: count * parseFloat(getComputedStyle(reader.text.element).lineHeight) });
}

/** Scrolls to the next heading (1) or the previous one (-1). */
function goToHeading(reader, direction) {
  const border = document.querySelector(".bar").getBoundingClientRect().bottom;
  const root = reader.text.element;
  const headings = [...root.querySelectorAll("h1, h2, h3, h4, h5, h6")];
  const top = (element) => element.getBoundingClientRect().top;
  // The heading at the top of the window, or at the start of the text, is the current one.
  const space = 24 + Math.max(0, root.firstElementChild ? top(root.firstElementChild) - border : 0);
  const target = direction > 0
    ? headings.find((heading) => top(heading) > border + space)
    : headings.findLast((heading) => top(heading) < border);
  if (!target) return false;
  scrollBy({ top: top(target) - border - 12 });
}

/**
 * Opens a panel and moves the keyboard into it. Closes the panel if the keyboard is already in it.
 */
function showPanel(panel, first) {
  if (!panel.element.hidden && panel.element.contains(document.activeElement)) {
    return panel.set(false);
  }
  panel.set(true);
  (panel.element.querySelector(`[aria-current]`) ?? panel.element.querySelector(first) ??
    panel.element).focus({ preventScroll: false });
}

attempt(main);
