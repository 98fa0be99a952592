// Where a passage may stand that was selected in another text.

import { button, el, openDialog } from "./dom.js";

/** Lets the reader choose one of the places that a refusal names; gives null for none. */
export function choosePlace(refusal, color) {
  return new Promise((resolve) => {
    const { candidates } = refusal.answer;
    const list = candidates.map(({ range, before, quote, after, score }) =>
      el(
        "li",
        {},
        button("Mark this", () => {
          resolve(range);
          dialog.close();
        }, { class: "bordered" }),
        el(
          "p",
          { class: "passage", dir: "auto" },
          before ?? "",
          el("mark", { class: color }, quote),
          after ?? "",
        ),
        el("p", { class: "faint" }, `${Math.round((score ?? 0) * 100)} % alike`),
      )
    );
    const dialog = openDialog("The text has changed", [
      el("p", {}, refusal.message),
      list.length > 0
        ? el("ul", { class: "places" }, list)
        : el("p", { class: "faint" }, "Nothing in the text is like what was selected."),
    ], { onClose: () => resolve(null) });
  });
}
