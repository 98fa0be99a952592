// Search over all documents, with what stands around each match.

import { api } from "./api.js";
import { counted, debounced, el } from "./dom.js";

export function searchView(context, parameters) {
  const input = el("input", {
    type: "search",
    placeholder: "Search all documents",
    "aria-label": "Search all documents",
    value: parameters.get("q") ?? "",
    spellcheck: "false",
  });
  const strategy = el(
    "select",
    { "aria-label": "How to search" },
    el(
      "option",
      { value: parameters.get("strategy") ?? "literal" },
      parameters.get("strategy") ?? "literal",
    ),
  );
  const count = el("p", { class: "faint", role: "status" });
  const list = el("div", { class: "results" });
  const element = el(
    "section",
    { class: "wide", "aria-label": "Search" },
    el(
      "form",
      {
        class: "filters",
        role: "search",
        on: {
          submit: (event) => {
            event.preventDefault();
            run();
          },
        },
      },
      input,
      strategy,
    ),
    count,
    list,
  );
  let asked = 0;

  const run = async () => {
    const number = ++asked;
    const query = input.value;
    const address = new URLSearchParams(
      query ? { q: query, ...(strategy.value !== "literal" && { strategy: strategy.value }) } : {},
    );
    history.replaceState(null, "", `#/search${query ? `?${address}` : ""}`);
    if (query === "") {
      count.textContent = "";
      list.replaceChildren();
      return;
    }
    try {
      const answer = await api.search({ q: query, strategy: strategy.value, limit: 500 });
      if (number !== asked) return;
      const matches = answer.documents.reduce((sum, each) => sum + each.matches.length, 0);
      count.textContent = matches === 0
        ? "No match in the library."
        : `${answer.limited ? "The first " : ""}${counted(matches, "match", "matches")} in ${
          counted(answer.documents.length, "document")
        }`;
      list.replaceChildren(...answer.documents.map(result));
    } catch (refusal) {
      if (number !== asked) return;
      count.textContent = refusal.message;
      list.replaceChildren();
    }
  };
  input.addEventListener("input", debounced(200, run));
  strategy.addEventListener("change", run);
  api.strategies().then((strategies) => {
    const chosen = strategy.value;
    strategy.replaceChildren(
      ...strategies.map(({ id, summary }) =>
        el("option", { value: id, title: summary, selected: id === chosen }, id)
      ),
    );
  }, () => {});
  run();
  setTimeout(() => input.focus());
  return {
    element,
    update: (parameters) => {
      const query = parameters.get("q") ?? "";
      if (query === input.value && document.activeElement === input) return;
      input.value = query;
      run();
    },
  };
}

function result(found) {
  const address = `/d/${encodeURIComponent(found.id)}`;
  const most = 6;
  const items = found.matches.map((match) =>
    el(
      "li",
      {},
      el(
        "a",
        {
          class: "entry",
          href: `${address}#at-${match.range[0]}-${match.range[1]}`,
          data: { entry: "" },
        },
        el(
          "span",
          { class: "snippet", dir: "auto" },
          match.text.slice(0, match.within[0]),
          el("mark", {}, match.text.slice(match.within[0], match.within[1])),
          match.text.slice(match.within[1]),
        ),
        match.line && el("span", { class: "faint" }, `line ${match.line.toLocaleString("en")}`),
      ),
    )
  );
  const list = el("ul", { class: "list" }, items.slice(0, most));
  return el(
    "article",
    {},
    el(
      "h2",
      {},
      el("a", { href: address, dir: "auto" }, found.title || found.path),
      el("span", { class: "faint" }, ` ${counted(found.matches.length, "match", "matches")}`),
    ),
    list,
    items.length > most && el("button", {
      type: "button",
      on: {
        click: (event) => {
          list.append(...items.slice(most));
          event.target.remove();
          items[most].firstElementChild.focus();
        },
      },
    }, `${counted(items.length - most, "more match", "more matches")}`),
  );
}
