// The list of the library's documents, by default with the last read or changed one first.

import { counted, dayText, el } from "./dom.js";

const orders = {
  recent: {
    title: "Recent",
    compare: (a, b) => (used(a) < used(b) ? 1 : used(a) > used(b) ? -1 : 0),
  },
  title: { title: "Title", compare: (a, b) => a.title.localeCompare(b.title) },
  path: { title: "Path", compare: (a, b) => a.path.localeCompare(b.path) },
  highlights: { title: "Highlights", compare: (a, b) => total(b) - total(a) },
};
/** The time at which a document was read or changed last. */
const used = ({ read = "", updated }) => (read > updated ? read : updated);
const total = (document) => Object.values(document.counts).reduce((sum, count) => sum + count, 0);

/** The labels of documents whose file is not at its path. */
const problems = { missing: "missing", elsewhere: "elsewhere" };

export function documentsView(context, parameters) {
  const search = el("input", {
    type: "search",
    placeholder: "Filter by title or path",
    "aria-label": "Filter the documents",
  });
  const order = el(
    "select",
    { "aria-label": "Order" },
    Object.entries(orders).map(([name, { title }]) => el("option", { value: name }, title)),
  );
  const count = el("p", { class: "faint", role: "status" });
  const list = el("ul", { class: "list documents" });
  const element = el(
    "section",
    { class: "wide", "aria-label": "Documents" },
    el("div", { class: "filters" }, search, order),
    count,
    list,
  );
  let shown = [];

  const draw = () => {
    const documents = context.library?.documents ?? [];
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    shown = documents.filter((each) =>
      words.every((word) => `${each.title} ${each.path}`.toLowerCase().includes(word))
    )
      .sort(orders[order.value].compare);
    count.textContent = documents.length === 0
      ? ""
      : shown.length === documents.length
      ? counted(documents.length, "document")
      : `${shown.length} of ${counted(documents.length, "document")}`;
    list.replaceChildren(...shown.slice(0, 200).map((each) => item(each, context.library.colors)));
    if (documents.length === 0 && context.library) {
      list.replaceChildren(
        el(
          "li",
          { class: "nothing" },
          "No documents yet. Add some with ",
          el("code", {}, "diple add FILE"),
          ".",
        ),
      );
    } else if (shown.length === 0 && context.library) {
      list.replaceChildren(
        el("li", { class: "nothing" }, "No document has these words in its title or path."),
      );
    }
  };
  const more = () => {
    if (
      innerHeight + scrollY < document.documentElement.scrollHeight - 800 ||
      list.children.length >= shown.length
    ) return;
    list.append(
      ...shown.slice(list.children.length, list.children.length + 200).map((each) =>
        item(each, context.library.colors)
      ),
    );
  };
  const take = (parameters) => {
    const wanted = parameters.get("order") ?? "";
    order.value = Object.hasOwn(orders, wanted) ? wanted : "recent";
    if (document.activeElement !== search) search.value = parameters.get("text") ?? "";
  };
  const change = () => {
    draw();
    // Back from a document returns to the same list.
    const query = new URLSearchParams();
    if (search.value) query.set("text", search.value);
    if (order.value !== "recent") query.set("order", order.value);
    history.replaceState(null, "", `#/documents${query.size > 0 ? `?${query}` : ""}`);
  };
  search.addEventListener("input", change);
  order.addEventListener("change", change);
  addEventListener("scroll", more, { passive: true });
  take(parameters);
  draw();
  return {
    element,
    update: (parameters) => {
      take(parameters);
      draw();
    },
    end: () => removeEventListener("scroll", more),
  };
}

function item(each, colors) {
  const marks = colors.filter((color) => each.counts[color.name] > 0).map((color) =>
    el(
      "span",
      { class: "mark-count" },
      el("span", { class: `dot ${color.name}`, "aria-hidden": "true" }, color.letter),
      el(
        "span",
        {},
        String(each.counts[color.name]),
        el("span", { class: "unseen" }, ` ${color.label ?? color.name}`),
      ),
    )
  );
  const states = ["doubtful", "orphaned"].filter((state) => each.states[state] > 0)
    .map((state) => el("span", { class: "state" }, `${each.states[state]} ${state}`));
  return el(
    "li",
    {},
    el(
      "a",
      { class: "entry", href: `/d/${encodeURIComponent(each.id)}`, data: { entry: "" } },
      el("span", { class: "title", dir: "auto" }, each.title || each.path),
      el("span", { class: "path", dir: "auto" }, each.path),
      el(
        "span",
        { class: "facts" },
        marks,
        states,
        each.percent !== undefined &&
          el("span", {}, each.percent < 100 ? `Continue, ${each.percent} %` : "Read"),
        problems[each.state] && el("span", { class: "state" }, problems[each.state]),
        el("time", { datetime: each.updated }, dayText(each.updated)),
      ),
    ),
  );
}
