// The review of doubtful and orphaned highlights, each with its possible places.

import { api } from "./api.js";
import { button, counted, el, isolated, plainText } from "./dom.js";
import { lead, trail } from "./excerpts.js";
import { foldedNote } from "./folded.js";
import { attempt, notify } from "./notices.js";
import { pieces } from "./compare.js";

export function reviewView(context) {
  const count = el("p", { class: "faint", role: "status" });
  const list = el("ol", { class: "reviews" });
  const element = el("section", { class: "wide", "aria-label": "Review" }, count, list);

  const load = () =>
    attempt(async () => {
      const entries = await api.review();
      count.textContent = entries.length === 0
        ? ""
        : `${counted(entries.length, "highlight")} to review`;
      list.replaceChildren(...entries.map((entry) => item(entry)));
      if (entries.length === 0) {
        list.replaceChildren(el("li", { class: "nothing" }, "No highlights to review."));
      }
    });

  const done = async (words, position) => {
    notify(words, {
      label: "Undo",
      run: () =>
        attempt(async () => {
          notify(["Undone: ", isolated(await api.undo())]);
          await context.changed();
        }),
    });
    await context.changed();
    // The keyboard moves to the entry that is now at this position.
    const next = list.children[Math.min(position, list.children.length - 1)];
    next?.querySelector("button")?.focus();
  };

  const item = (entry) => {
    const { highlight } = entry;
    const document = context.library.documents.find((each) => each.id === highlight.document);
    const position = () => [...list.children].indexOf(element);
    const accept = (candidate) =>
      attempt(async () => {
        const place = position();
        await api.accept(highlight.id, candidate.number, candidate.quote);
        await done("Place accepted.", place);
      });
    const markAsGone = () =>
      attempt(async () => {
        const place = position();
        await api.detach(highlight.id);
        await done("Marked as gone.", place);
      });
    const heading = `review-${highlight.id}`;
    const element = el(
      "li",
      {},
      el(
        "article",
        { "aria-labelledby": heading },
        el(
          "h2",
          { id: heading },
          el(
            "span",
            { class: `dot ${highlight.color}`, title: highlight.color },
            context.library.colors.find(({ name }) => name === highlight.color)?.letter ?? "",
          ),
          el("a", {
            href: highlight.ranges.length > 0
              ? `/h/${encodeURIComponent(highlight.id)}`
              : `/d/${encodeURIComponent(highlight.document)}`,
            dir: "auto",
          }, highlight.documentTitle ?? document?.title ?? "Document"),
          el("span", { class: "state" }, highlight.state),
        ),
        highlight.note && Object.values(foldedNote(highlight.note, "p")),
        el(
          "div",
          { class: "sides" },
          el(
            "div",
            { class: "side" },
            el("h3", {}, "Marked passage"),
            el(
              "p",
              { class: "passage", dir: "auto" },
              lead(entry.before),
              el("mark", { class: highlight.color }, highlight.quote),
              trail(entry.after),
            ),
          ),
          el(
            "div",
            { class: "side" },
            el(
              "h3",
              {},
              entry.candidates.length === 0 ? "No similar passage" : "Possible places",
            ),
            entry.candidates.map((candidate) =>
              el(
                "div",
                { class: "candidate" },
                candidate.document !== undefined && candidate.document !== highlight.document &&
                  el("p", { class: "faint" }, "In ", isolated(candidate.documentTitle), ":"),
                el(
                  "p",
                  { class: "passage", dir: "auto" },
                  lead(candidate.before),
                  el(
                    "mark",
                    { class: `${highlight.color} doubtful` },
                    pieces(highlight.quote, candidate.quote),
                  ),
                  trail(candidate.after),
                ),
                el(
                  "div",
                  { class: "buttons" },
                  el(
                    "span",
                    { class: "faint score" },
                    `${Math.round((candidate.score ?? 0) * 100)} % sure`,
                  ),
                  !context.isReadOnly &&
                    button("Accept this place", () => accept(candidate), {
                      class: "bordered",
                      data: { entry: "" },
                      "aria-label": plainText(`Accept this place: ${candidate.quote.slice(0, 80)}`),
                    }),
                ),
              )
            ),
            !context.isReadOnly &&
              el(
                "div",
                { class: "buttons" },
                button("Mark as gone", markAsGone, { class: "danger" }),
              ),
          ),
        ),
      ),
    );
    return element;
  };
  load();
  return { element, update: load };
}
