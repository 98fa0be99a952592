// The dialog that shows and downloads a quote card.

import { api } from "./api.js";
import { el, openDialog } from "./dom.js";
import { attempt } from "./notices.js";

/** The ways to show the colour of a card, as in the option `--mark` of `diple share`. */
const marks = [
  ["", "usual", "The way of the style"],
  ["bar", "bar", "A bar beside the quote"],
  ["underline", "underline", "Soft lines under the words"],
  ["box", "box", "Boxes behind the lines, like a highlighter"],
  ["sign", "sign", "A quotation mark above the quote"],
];

/** Shows the card of a highlight, or of a range of the text if the highlight is null. */
export async function shareCard(reader, highlight, range) {
  const styles = await api.cards();
  const picture = el("img", { alt: "Preview of the quote card", class: "card" });
  const download = el("a", { class: "download", download: "card.png" }, "Download");
  const wanted = { style: styles[0]?.id, mark: "" };
  const draw = () => {
    picture.classList.add("waiting");
    picture.src = download.href = highlight
      ? api.cardAddress(highlight.id, wanted)
      : api.passageCardAddress(reader.id, range, reader.text.digest, wanted);
  };
  picture.addEventListener("load", () => picture.classList.remove("waiting"));
  picture.addEventListener("error", () => attempt(() => api.reason(picture.src)));
  /** A row of choices for a part of the wanted form; the first one is chosen. */
  const choices = (name, label, values) =>
    el(
      "fieldset",
      { class: "choices", "data-part": name },
      el("legend", {}, label),
      values.map(([value, title, summary], index) =>
        el(
          "label",
          { class: "choice", title: summary },
          el("input", {
            type: "radio",
            name: `card-${name}`,
            value,
            checked: index === 0,
            on: {
              change: () => {
                wanted[name] = value;
                draw();
              },
            },
          }),
          el("span", {}, title),
        )
      ),
    );
  const styleValues = styles.map(({ id, summary }) => [id, id, summary ?? ""]);
  openDialog("Quote card", [
    choices("style", "Style", styleValues),
    choices("mark", "Mark", marks),
    el("div", { class: "frame" }, picture),
    el("div", { class: "buttons" }, download),
  ], { className: "cards" });
  draw();
}
