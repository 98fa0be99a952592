// Searches all documents, and shows each match in its context.

import { api } from "./api.js";
import { counted, debounced, el, isolated } from "./dom.js";
import { lead, trail } from "./excerpts.js";
import { attempt } from "./notices.js";

/** The number of matches that a document shows at first, and that each further request loads. */
const [shownAtFirst, asMany] = [6, 200];

/** The places to search, with their titles. */
const places = [["text", "Texts"], ["notes", "Notes"], ["highlights", "Highlights"], [
  "all",
  "Everything",
]];

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
    { "aria-label": "Search strategy" },
    el(
      "option",
      { value: parameters.get("strategy") ?? "literal" },
      parameters.get("strategy") ?? "literal",
    ),
  );
  const place = el(
    "select",
    { "aria-label": "Search in" },
    places.map(([value, title]) =>
      el("option", { value, selected: value === (parameters.get("in") ?? "text") }, title)
    ),
  );
  const count = el("p", { class: "faint", role: "status" });
  const problem = el("p", { class: "problem", role: "alert", hidden: true });
  const list = el("div", { class: "results" });
  const more = el("button", {
    type: "button",
    class: "bordered more",
    hidden: true,
    on: { click: () => attempt(goOn) },
  }, "More documents");
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
      place,
      strategy,
    ),
    count,
    problem,
    list,
    more,
  );
  let asked = 0;
  let ask = null;

  const show = (answer) => {
    list.append(...answer.documents.map((found) => result(found, ask)));
    more.hidden = list.childElementCount >= answer.documentCount || answer.documents.length === 0;
    count.textContent = summary(answer, list.childElementCount);
    complain(answer.problem);
  };
  const complain = (words) => {
    problem.replaceChildren(words ? isolated(words) : "");
    problem.hidden = !words;
  };
  const goOn = async () => {
    const number = asked;
    const listed = list.childElementCount;
    const answer = await ask({ skip: listed });
    if (number !== asked) return;
    show(answer);
    list.children[listed]?.querySelector("a")?.focus();
  };
  const run = async () => {
    const number = ++asked;
    const query = input.value;
    const [chosen, within] = [strategy.value, place.value];
    const address = new URLSearchParams(
      query
        ? {
          q: query,
          ...(within !== "text" && { in: within }),
          ...(chosen !== "literal" && { strategy: chosen }),
        }
        : {},
    );
    history.replaceState(null, "", `#/search${query ? `?${address}` : ""}`);
    ask = (more) => api.search({ q: query, in: within, strategy: chosen, limit: 500, ...more });
    try {
      const answer = query === "" ? null : await ask();
      if (number !== asked) return;
      list.replaceChildren();
      if (answer) return show(answer);
      count.textContent = "";
      more.hidden = true;
      complain(null);
    } catch (refusal) {
      if (number !== asked) return;
      list.replaceChildren();
      count.textContent = "";
      more.hidden = true;
      complain(refusal.message);
    }
  };
  input.addEventListener("input", debounced(200, run));
  strategy.addEventListener("change", run);
  place.addEventListener("change", run);
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

/** Returns a sentence with the number of matches, and of documents that are listed so far. */
function summary({ count, documentCount, incomplete }, listed) {
  if (count === 0) {
    return incomplete ? "No match in the searched documents." : "No match in the library.";
  }
  const all = `${counted(count, "match", "matches")} in ${counted(documentCount, "document")}`;
  const some = listed < documentCount
    ? `; the first ${listed.toLocaleString("en")} are listed`
    : "";
  return `${incomplete ? "At least " : ""}${all}${some}`;
}

/** Returns the words after a match: the kind of place, and the line. */
function whereabouts({ place, highlight, line }) {
  const kind = { notes: highlight ? "note" : "note on the document", highlights: "highlight" };
  return [kind[place], line && `line ${line.toLocaleString("en")}`].filter(Boolean).join(", ");
}

/** Creates the entry of a document: its first matches, and a button that loads more. */
function result(found, ask) {
  const address = `/d/${encodeURIComponent(found.id)}`;
  const item = (match) =>
    el(
      "li",
      {},
      el(
        "a",
        {
          class: "entry",
          href: match.range
            ? `${address}#at-${match.range[0]}-${match.range[1]}`
            : match.highlight
            ? `/h/${encodeURIComponent(match.highlight)}`
            : address,
          data: { entry: "" },
        },
        el(
          "span",
          { class: "snippet", dir: "auto" },
          lead(match.text.slice(0, match.within[0])),
          el("mark", {}, match.text.slice(match.within[0], match.within[1])),
          trail(match.text.slice(match.within[1])),
        ),
        el("span", { class: "faint" }, whereabouts(match)),
      ),
    );
  const matches = [...found.matches];
  const list = el("ul", { class: "list" });
  const more = el("button", { type: "button", on: { click: () => attempt(goOn) } });
  const show = (count) => {
    const shown = list.childElementCount;
    list.append(...matches.slice(shown, shown + count).map(item));
    const left = found.count - list.childElementCount;
    more.textContent = counted(left, "more match", "more matches");
    more.hidden = left <= 0;
    return list.children[shown];
  };
  const goOn = async () => {
    if (matches.length < Math.min(found.count, list.childElementCount + asMany)) {
      const question = { document: found.id, from: matches.length, limit: asMany };
      const rest = (await ask(question)).documents[0];
      matches.push(...(rest?.matches ?? []));
      // The text may have changed since the first request.
      found.count = rest?.count ?? matches.length;
    }
    show(asMany)?.querySelector("a").focus();
  };
  show(shownAtFirst);
  return el(
    "article",
    {},
    el(
      "h2",
      {},
      el("a", { href: address }, isolated(found.title || found.path)),
      el("span", { class: "faint" }, ` ${counted(found.count, "match", "matches")}`),
    ),
    list,
    more,
  );
}
