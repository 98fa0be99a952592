// Where a note is written and tags are given: a panel that leaves the text in view.

import { button, el, float } from "./dom.js";

/**
 * Opens the editor, and gives `{note, addTags, removeTags, color}` when it is saved; null when it
 * is left.
 *
 * `highlight` is null for a selection that is not marked yet.
 */
export function editNote(
  { highlight, quote, colors, color, knownTags = [], focusTags = false, box },
) {
  return new Promise((resolve) => {
    const before = document.activeElement;
    const tags = new Set(highlight?.tags ?? []);
    let chosen = highlight?.color ?? color;
    const area = el("textarea", {
      id: "note-text",
      dir: "auto",
      rows: 5,
      "aria-label": "Note",
      value: highlight?.note ?? "",
    });
    const list = el(
      "datalist",
      { id: "known-tags" },
      knownTags.map((tag) => el("option", { value: tag })),
    );
    const input = el("input", {
      type: "text",
      id: "note-tags",
      list: "known-tags",
      autocomplete: "off",
      placeholder: "Add a tag",
      "aria-label": "Add a tag",
    });
    const chips = el("div", { class: "chips" });
    const draw = () =>
      chips.replaceChildren(...[...tags].map((tag) =>
        el(
          "button",
          {
            type: "button",
            class: "tag",
            "aria-label": `Remove the tag ${tag}`,
            on: {
              click: () => {
                tags.delete(tag);
                draw();
                input.focus();
              },
            },
          },
          `#${tag}`,
          el("span", { "aria-hidden": "true" }, " ×"),
        )
      ));
    const take = () => {
      for (const word of input.value.split(",")) {
        const tag = word.trim().replace(/^#+/, "");
        if (tag) tags.add(tag);
      }
      input.value = "";
      draw();
    };
    draw();
    input.addEventListener("keydown", (event) => {
      const isCommand = event.ctrlKey || event.metaKey;
      if ((event.key === "Enter" && !isCommand && input.value.trim() !== "") || event.key === ",") {
        event.preventDefault();
        event.stopPropagation();
        take();
      } else if (event.key === "Backspace" && input.value === "" && tags.size > 0) {
        tags.delete([...tags].pop());
        draw();
      }
    });
    const swatches = el(
      "div",
      { class: "colors", role: "radiogroup", "aria-label": "Colour" },
      colors.map((each) =>
        el(
          "label",
          {
            class: "swatch",
            title: each.label ?? each.name,
          },
          el("input", {
            type: "radio",
            name: "color",
            value: each.name,
            checked: each.name === chosen,
            "aria-label": each.label ? `${each.label} (${each.name})` : each.name,
            on: { change: () => (chosen = each.name) },
          }),
          el("span", { class: `dot ${each.name}`, "aria-hidden": "true" }, each.letter),
        )
      ),
    );
    const form = el(
      "form",
      {},
      quote && el("p", { class: "quote", dir: "auto" }, quote),
      area,
      chips,
      input,
      list,
      el(
        "div",
        { class: "buttons" },
        swatches,
        el("span", { class: "grow" }),
        button("Cancel", () => finish(null)),
        el("button", { type: "submit", class: "primary", title: "Ctrl+Enter" }, "Save"),
      ),
    );
    const panel = el("div", {
      class: "editor panel-box",
      role: "dialog",
      "aria-label": highlight ? "Edit the highlight" : "Note on the selection",
    }, form);
    const finish = (result) => {
      panel.remove();
      removeEventListener("resize", place);
      before?.isConnected && before !== document.body
        ? before.focus({ preventScroll: true })
        : document.querySelector("#text")?.focus({ preventScroll: true });
      resolve(result);
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      take();
      const old = new Set(highlight?.tags ?? []);
      finish({
        note: area.value.trim(),
        color: chosen,
        addTags: [...tags].filter((tag) => !old.has(tag)),
        removeTags: [...old].filter((tag) => !tags.has(tag)),
      });
    });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        finish(null);
      } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        form.requestSubmit();
      }
    });
    const place = () => {
      const { width, height } = panel.getBoundingClientRect();
      const isDocked = innerWidth < 640 || matchMedia("(pointer: coarse)").matches || !box;
      panel.classList.toggle("docked", isDocked);
      if (isDocked) return;
      const below = box.bottom + 12;
      const top = below + height < innerHeight - 12
        ? below
        : Math.max(60, Math.min(box.top - height - 12, innerHeight - height - 12));
      panel.style.left = `${
        Math.round(
          Math.max(12, Math.min(box.left + box.width / 2 - width / 2, innerWidth - width - 12)),
        )
      }px`;
      panel.style.top = `${Math.round(top)}px`;
    };
    float(panel);
    place();
    addEventListener("resize", place);
    (focusTags ? input : area).focus();
    if (!focusTags) area.setSelectionRange(area.value.length, area.value.length);
  });
}
