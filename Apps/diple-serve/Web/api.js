// The page's requests to the server. Every response is JSON or a picture; an error is
// `diple.error/1`, with a line, `message`, and maybe a `hint`.

/**
 * A failed request. `status` is the HTTP status, 0 if the server did not respond; `code` is that of
 * `diple.error/1`; `details` are what the user needs to decide, such as candidates; `answer` is the
 * response's JSON, or an empty object.
 */
export class Refusal extends Error {
  constructor(status, answer) {
    super(
      answer?.message ??
        (status === 0 ? "The server does not answer." : `The server answered ${status}.`),
    );
    this.status = status;
    this.hint = answer?.hint ?? (status === 0 ? "Is 'diple serve' still running?" : undefined);
    this.code = answer?.code;
    this.details = answer?.details;
    this.remedy = answer?.remedy;
    const setting = answer?.remedy?.setting;
    if (setting) this.hint ??= `The setting ${setting} decides this.`;
    this.answer = answer ?? {};
  }
}

async function ask(method, path, body, { outlivesPage = false } = {}) {
  const options = { method, headers: {}, credentials: "same-origin", cache: "no-store" };
  options.keepalive = outlivesPage;
  if (method !== "GET") {
    options.headers = { "Content-Type": "application/json", "X-Diple": "1" };
    options.body = JSON.stringify(body ?? {});
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Refusal(0);
  }
  if (answer.ok) return answer;
  throw new Refusal(answer.status, await answer.json().catch(() => undefined));
}

async function json(method, path, body, options) {
  const answer = await ask(method, path, body, options);
  return answer.status === 204 ? {} : answer.json();
}

/**
 * Returns a path with its parameters as a query string. Undefined, null and empty ones are omitted.
 */
function address(path, parameters = {}) {
  const pairs = Object.entries(parameters).filter(([, value]) =>
    value !== undefined && value !== null && value !== ""
  );
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`;
}

const part = encodeURIComponent;
const documentPath = (id, rest = "") => `/api/documents/${part(id)}${rest}`;
const highlightPath = (id, rest = "") => `/api/highlights/${part(id)}${rest}`;

/** Runs an action; resolves to the data of its outcome. */
const act = async (name, request, options) =>
  (await json("POST", `/api/actions/${name}`, request, options)).data;

/** The words on the button for an action that is the remedy of an error. */
const remedies = {
  "document.add": "Add it to the library",
  "document.refresh": "Check the files",
  "document.restore": "Restore the document",
  "document.unlink": "Separate the documents",
  "highlight.remove": "Remove the highlight",
  "highlight.restore": "Restore the highlight",
  "history.undo": ({ skip }) => (skip ? "Skip that step" : "Undo the step before"),
};

/** Returns the remedy of an error as `{label, run}`, or null if the page offers none. */
export function remedyOf({ remedy }) {
  const words = remedies[remedy?.action];
  const label = typeof words === "function" ? words(remedy.request) : words;
  return label ? { label, run: () => act(remedy.action, remedy.request) } : null;
}

/**
 * A highlight as pages use it: the record `diple.highlight/1` with its ranges as pairs.
 */
const highlightOf = (record) => ({
  ...record,
  document: record.document.id,
  documentTitle: record.document.title,
  ranges: record.range ? [[record.range.start, record.range.end]] : [],
});

/** The number of highlights in a part of a list. */
const highlightsAtOnce = 200;

const pair = ({ start, end }) => [start, end];

/** A document with matches as pages use it: its matches have their ranges as pairs. */
const foundOf = ({ document, count, matches }) => ({
  ...document,
  count,
  matches: matches.map((match) => ({
    ...match,
    range: match.range && pair(match.range),
    within: pair(match.match),
  })),
});

const passageOf = (ranges, text) => ({
  ranges: ranges.map(([start, end]) => ({ start, end })),
  text,
});

/** The strategies of a kind, as `{id, summary}`. */
const strategiesOf = async (kind) =>
  (await act("library.strategies")).filter((strategy) => strategy.kind === kind);

export const api = {
  /** The links of a document, the links to it, and the broken links. */
  links: (document) => act("document.links", { document }),
  login: (code) => json("POST", "/api/login", { code }),
  logout: () => json("POST", "/api/logout"),
  pair: (code, name) => json("POST", "/api/pair", { code, name }),
  devices: () => json("GET", "/api/devices"),
  allowDevice: (id, mayWrite) => json("PATCH", `/api/devices/${part(id)}`, { mayWrite }),
  revokeDevice: (id) => json("DELETE", `/api/devices/${part(id)}`),
  library: () => json("GET", "/api/library"),
  document: async (id) => {
    const answer = await json("GET", documentPath(id));
    return { ...answer, highlights: answer.highlights.map(highlightOf) };
  },
  /** Returns where the user stopped reading a document: `{offset, text, percent}`, or nulls. */
  place: (document) => act("reading.show", { document }),
  /** Stores where the user stopped reading, also while the page is being left. */
  keepPlace: (document, place) =>
    act("reading.keep", { document, ...place }, { outlivesPage: true }),
  body: (id, parameters) => json("GET", address(documentPath(id, "/body"), parameters)),
  /** Marks ranges of a text; resolves to the new highlights. */
  mark: async (document, { ranges, text, ...rest }) => {
    const passage = passageOf(ranges, text);
    const made = await act("highlight.mark", { document, passage, ...rest });
    return [made].flat().map(highlightOf);
  },
  highlight: async (highlight) => highlightOf(await act("highlight.show", { highlight })),
  edit: (highlight, change) => act("highlight.change", { highlight, ...change }),
  remove: (highlight) => act("highlight.remove", { highlights: [highlight] }),
  /** Returns a passage; `format` says how, as in `passage.copy`. */
  copy: (document, range, text, format) =>
    act("passage.copy", { document, passage: passageOf([range], text), ...format }),
  cards: () => strategiesOf("card strategy"),
  /** The address of the picture of a card; `form` has its `style` and `mark`. */
  cardAddress: (id, form) => address(highlightPath(id, "/card"), form),
  passageCardAddress: (id, [start, end], text, form) =>
    address(documentPath(id, "/card"), { start, end, text, ...form }),
  /** Requests a picture that failed to load; rejects with the server's reason. */
  reason: async (path) => void (await ask("GET", path)),
  /** Undoes the last step, of a document if it is given; resolves to what was undone. */
  undo: async (document) => (await act("history.undo", { document })).step.summary,
  redo: async (document) => (await act("history.redo", { document })).step.summary,
  find: async (document, request) => {
    const found = await act("document.find", { document, ...request });
    return { ...found, matches: found.matches.map(pair) };
  },
  strategies: () => strategiesOf("search strategy"),
  search: async ({ q, document, ...rest }) => {
    const documents = document && [document];
    const answer = await act("library.search", { query: q, documents, ...rest });
    return { ...answer, documents: answer.documents.map(foundOf) };
  },
  /** Requests highlights from the number `cursor` on; `next` is the cursor of the next ones. */
  highlights: async ({ document, color, tag, state, since, text, cursor = 0 }) => {
    // One more than are shown says whether there are more.
    const found = await act("highlight.list", {
      documents: document && [document],
      colors: color && [color],
      tags: tag && [tag],
      states: state && [state],
      since,
      text,
      skip: cursor,
      limit: highlightsAtOnce + 1,
    });
    return {
      highlights: found.slice(0, highlightsAtOnce).map(highlightOf),
      next: found.length > highlightsAtOnce ? cursor + highlightsAtOnce : null,
    };
  },
  review: async () =>
    (await act("highlight.review", { context: true })).map(({ highlight, around, candidates }) => ({
      ...around,
      highlight: highlightOf(highlight),
      candidates: candidates.map(({ document, words, around, score }, index) => ({
        ...around,
        number: index + 1,
        document: document.id,
        documentTitle: document.title,
        quote: words,
        score,
      })),
    })),
  accept: (highlight, candidate, quote) =>
    act("highlight.accept", { highlight, candidate, quote }),
  detach: (highlight) => act("highlight.detach", { highlight }),
  /** Returns the attributes of a passage by their names. */
  format: async (document, range, text) => {
    const { attributes } = await act("passage.show", {
      document,
      passage: passageOf([range], text),
    });
    return Object.fromEntries(attributes.map((attribute) => [attribute.name, attribute]));
  },
  /** Returns the styles, fonts and colours that a palette offers. */
  formatChoices: () => act("format.choices"),
  /** Formats ranges of a text; `format` says how, as in `passage.format`. */
  setFormat: (document, { ranges, text }, format) =>
    act("passage.format", { document, passage: passageOf(ranges, text), ...format }),
  /** Rejects with the reason if the server does not answer this page. */
  check: () => act("library.strategies"),
  eventsAddress: (doc) => address("/api/events", { doc }),
};
