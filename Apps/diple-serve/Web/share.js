// The dialog that shows and downloads a quote card.

import { api } from "./api.js";
import { el, openDialog } from "./dom.js";
import { attempt } from "./notices.js";

/** Shows the card of a highlight, or of a range of the text if the highlight is null. */
export async function shareCard(reader, highlight, range) {
  const styles = await api.cards();
  const picture = el("img", { alt: "Preview of the quote card", class: "card" });
  const download = el("a", { class: "download", download: "card.png" }, "Download");
  const draw = (style) => {
    picture.classList.add("waiting");
    picture.src = download.href = highlight
      ? api.cardAddress(highlight.id, style)
      : api.passageCardAddress(reader.id, range, reader.text.digest, style);
  };
  picture.addEventListener("load", () => picture.classList.remove("waiting"));
  picture.addEventListener("error", () => attempt(() => api.reason(picture.src)));
  const choice = el(
    "div",
    { class: "choices", role: "radiogroup", "aria-label": "Style of the card" },
    styles.map((style, index) =>
      el(
        "label",
        { class: "choice", title: style.summary ?? "" },
        el("input", {
          type: "radio",
          name: "card",
          value: style.id,
          checked: index === 0,
          on: { change: () => draw(style.id) },
        }),
        el("span", {}, style.id),
      )
    ),
  );
  openDialog("Quote card", [
    choice,
    el("div", { class: "frame" }, picture),
    el("div", { class: "buttons" }, download),
  ], { className: "cards" });
  draw(styles[0]?.id);
}
