// The list of all highlights of the library, filtered by colour, tag, state, date and words.

import { api } from "./api.js";
import { counted, dayText, debounced, el, isolatedText } from "./dom.js";
import { foldedNote } from "./folded.js";
import { attempt } from "./notices.js";

const states = ["exact", "moved", "edited", "doubtful", "orphaned"];

export function highlightsView(context, parameters) {
  const { library } = context;
  const select = (label, name, options) =>
    el(
      "select",
      { "aria-label": label, data: { name } },
      el("option", { value: "" }, label),
      options.map(([value, words]) =>
        el("option", { value, selected: parameters.get(name) === value }, words)
      ),
    );
  const text = el("input", {
    type: "search",
    placeholder: "Words in quote or note",
    "aria-label": "Words in quote or note",
    value: parameters.get("text") ?? "",
    data: { name: "text" },
  });
  const since = el("input", {
    type: "date",
    "aria-label": "Created or changed since",
    title: "Created or changed since",
    value: parameters.get("since") ?? "",
    data: { name: "since" },
  });
  const fields = [
    text,
    select(
      "Any colour",
      "color",
      (library?.colors ?? []).map(({ name, label }) => [
        name,
        label ? `${isolatedText(label)} (${name})` : name,
      ]),
    ),
    select(
      "Any tag",
      "tag",
      (library?.tags ?? []).map((tag) => [
        tag.name,
        `${isolatedText(`#${tag.name}`)} (${tag.count})`,
      ]),
    ),
    select("Any state", "state", states.map((state) => [state, state])),
    since,
  ];
  const count = el("p", { class: "faint", role: "status" });
  const list = el("ul", { class: "list highlights" });
  const more = el("button", {
    type: "button",
    class: "bordered more",
    hidden: true,
    on: { click: () => load() },
  }, "More");
  const element = el(
    "section",
    { class: "wide", "aria-label": "Highlights" },
    el("div", { class: "filters" }, fields),
    count,
    list,
    more,
  );
  let next = null;
  let asked = 0;
  let total = 0;

  const values = () =>
    Object.fromEntries(
      fields.map((field) => [field.dataset.name, field.value]).filter(([, value]) => value),
    );
  const load = (isFresh = false) =>
    attempt(async () => {
      const number = ++asked;
      const question = { ...values(), cursor: isFresh ? undefined : next };
      // The day begins at midnight in the browser's time zone.
      if (question.since) {
        question.since = new Date(`${question.since}T00:00`).toISOString().replace(/\.\d+/, "");
      }
      const answer = await api.highlights(question);
      if (number !== asked) return;
      if (isFresh) {
        list.replaceChildren();
        total = 0;
      }
      total += answer.highlights.length;
      next = answer.next;
      more.hidden = next === null || next === undefined;
      list.append(...answer.highlights.map((highlight) => item(highlight, context)));
      count.textContent = total === 0
        ? ""
        : `${counted(total, "highlight")}${more.hidden ? "" : " so far"}`;
      if (total === 0) {
        list.replaceChildren(
          el("li", { class: "nothing" }, "No matching highlights."),
        );
      }
    });
  const change = () => {
    const query = new URLSearchParams(values()).toString();
    history.replaceState(null, "", `#/highlights${query ? `?${query}` : ""}`);
    load(true);
  };
  text.addEventListener("input", debounced(150, change));
  for (const field of fields.slice(1)) field.addEventListener("change", change);
  load(true);
  return {
    element,
    update: (parameters) => {
      for (const field of fields) {
        const value = parameters.get(field.dataset.name) ?? "";
        if (document.activeElement !== field) field.value = value;
      }
      load(true);
    },
  };
}

function item(highlight, context) {
  const colors = context.library?.colors ?? [];
  const letter = colors.find((color) => color.name === highlight.color)?.letter ?? "";
  const folded = highlight.note ? foldedNote(highlight.note) : {};
  return el(
    "li",
    {},
    el(
      "a",
      { class: "entry", href: `/h/${encodeURIComponent(highlight.id)}`, data: { entry: "" } },
      el(
        "span",
        { class: "facts" },
        el(
          "span",
          { class: `dot ${highlight.color}`, title: highlight.label ?? highlight.color },
          letter,
        ),
        el("span", { class: "from", dir: "auto" }, highlight.documentTitle),
        highlight.state !== "exact" && el("span", { class: "state" }, highlight.state),
        el("time", { datetime: highlight.updated }, dayText(highlight.updated)),
      ),
      el("span", { class: "quote", dir: "auto" }, highlight.quote),
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
}
