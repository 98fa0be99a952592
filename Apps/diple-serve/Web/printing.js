// What is printed with a document: its notes, which the page shows only on request.

import { el } from "./dom.js";

/** Adds the notes of the highlights to the page while it is printed, each with a number. */
export function installPrinting(reader) {
  let section = null;
  const signs = () => reader.text.element.querySelectorAll("a.sign");
  addEventListener("beforeprint", () => {
    section?.remove();
    const noted = reader.ordered.filter(({ note, tags }) => note || tags.length > 0);
    if (noted.length === 0) return;
    const numbers = new Map(noted.map(({ id }, index) => [id, index + 1]));
    section = el(
      "section",
      { class: "printed" },
      el("h2", {}, "Notes"),
      el("ol", {}, noted.map((highlight) => item(highlight))),
    );
    reader.text.element.after(section);
    for (const sign of signs()) {
      const number = numbers.get(decodeURIComponent(sign.pathname.split("/")[2] ?? ""));
      if (number) sign.dataset.number = number;
    }
  });
  addEventListener("afterprint", () => {
    section?.remove();
    section = null;
    for (const sign of signs()) delete sign.dataset.number;
  });
}

function item({ quote, note, tags, state }) {
  return el(
    "li",
    {},
    el("q", { dir: "auto" }, quote),
    state === "orphaned" && " (no longer in the text)",
    note && el("p", { dir: "auto" }, note),
    tags.length > 0 && el("p", {}, tags.map((tag) => `#${tag}`).join(" ")),
  );
}
