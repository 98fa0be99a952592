// The panel that lists the document's highlights.

import { counted, el, plainText } from "./dom.js";
import { shortened } from "./excerpts.js";
import { foldedNote } from "./folded.js";

/** Adds the list and its filters to a panel. `onGo` is called before a highlight is shown. */
export function installHighlights(reader, marking, panel, onGo) {
  const count = el("p", { class: "faint count" });
  const choice = el("div", { class: "filters", role: "group", "aria-label": "Colours" });
  const list = el("ol", { class: "highlights" });
  panel.append(choice, count, list);
  const hidden = new Set();
  let drawn = [];

  const drawChoice = () => {
    const highlights = reader.info?.highlights ?? [];
    const present = (reader.info?.colors ?? []).map((color) => ({
      color,
      count: highlights.filter((highlight) => highlight.color === color.name).length,
    })).filter((each) => each.count > 0);
    choice.replaceChildren(
      ...(present.length < 2 ? [] : present.map(({ color, count }) =>
        el(
          "button",
          {
            type: "button",
            "aria-pressed": String(!hidden.has(color.name)),
            class: "filter",
            "aria-label": plainText(`${color.label ?? color.name}, ${counted(count, "highlight")}`),
            on: {
              click: () => {
                if (!hidden.delete(color.name)) hidden.add(color.name);
                draw();
              },
            },
          },
          el("span", { class: `dot ${color.name}`, "aria-hidden": "true" }, color.letter),
          String(count),
        )
      )),
    );
  };

  const item = (highlight) => {
    const folded = highlight.note ? foldedNote(highlight.note) : {};
    return el(
      "li",
      {},
      el(
        "button",
        {
          type: "button",
          class: "item",
          data: { id: highlight.id },
          on: {
            click: () => {
              onGo?.();
              marking.go(highlight);
            },
          },
        },
        el(
          "span",
          { class: "line" },
          el("span", { class: `dot ${highlight.color}` }, reader.letter(highlight.color)),
          highlight.label && el("span", { class: "faint" }, highlight.label),
          highlight.state !== "exact" && el("span", { class: "state" }, highlight.state),
        ),
        el("span", { class: "quote", dir: "auto" }, shortened(highlight.quote)),
        folded.note,
        highlight.tags.length > 0 &&
          el(
            "span",
            { class: "tags" },
            highlight.tags.map((tag) => el("span", { class: "tag" }, `#${tag}`)),
          ),
      ),
      folded.more,
    );
  };

  const draw = () => {
    if (panel.hidden) return;
    drawChoice();
    const all = reader.ordered;
    const shown = all.filter((highlight) => !hidden.has(highlight.color));
    count.textContent = all.length === 0
      ? "No highlights yet. Select text to mark it."
      : shown.length === all.length
      ? counted(all.length, "highlight")
      : `${shown.length} of ${counted(all.length, "highlight")}`;
    // Thousands of entries would stall the page: scrolling adds more of them.
    drawn = shown;
    list.replaceChildren(...shown.slice(0, 200).map(item));
    showChosen();
  };

  const more = () => {
    const done = list.children.length;
    if (done < drawn.length && panel.scrollTop + panel.clientHeight > panel.scrollHeight - 600) {
      list.append(...drawn.slice(done, done + 200).map(item));
    }
  };

  const showChosen = () => {
    for (const old of list.querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
    const { highlight } = marking;
    if (!highlight || panel.hidden) return;
    const found = list.querySelector(`[data-id="${CSS.escape(highlight.id)}"]`);
    found?.setAttribute("aria-current", "true");
    if (found && !panel.contains(document.activeElement)) {
      found.scrollIntoView({ block: "nearest" });
    }
  };

  panel.addEventListener("scroll", more, { passive: true });
  reader.addEventListener("info", draw);
  return { draw, showChosen };
}
