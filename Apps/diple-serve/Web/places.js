// The choice of a place for a passage that was selected before the text changed.

import { button, el, openDialog } from "./dom.js";

/**
 * Asks the user to choose among a refusal's candidates. Resolves to a range, or to null if the
 * dialog is closed without a choice.
 */
export function choosePlace(refusal, color) {
  return new Promise((resolve) => {
    const { candidates } = refusal.details;
    const list = candidates.map(({ range, quote, score }) =>
      el(
        "li",
        {},
        button("Mark this", () => {
          resolve([range.start, range.end]);
          dialog.close();
        }, { class: "bordered" }),
        el(
          "p",
          { class: "passage", dir: "auto" },
          el("mark", { class: color }, quote),
        ),
        el("p", { class: "faint" }, `${Math.round((score ?? 0) * 100)} % similar`),
      )
    );
    const dialog = openDialog("The text has changed", [
      el("p", {}, refusal.message),
      list.length > 0
        ? el("ul", { class: "places" }, list)
        : el("p", { class: "faint" }, "The text contains no similar passage."),
    ], { onClose: () => resolve(null) });
  });
}
