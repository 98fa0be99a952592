// The page's requests to the server. Every response is JSON or a picture; an error is JSON with one
// line, `error`, and maybe a `hint`.

/**
 * A failed request. `status` is the HTTP status, 0 if the server did not respond; `answer` is the
 * response's JSON, or an empty object.
 */
export class Refusal extends Error {
  constructor(status, answer) {
    super(
      answer?.error ??
        (status === 0 ? "The server does not answer." : `The server answered ${status}.`),
    );
    this.status = status;
    this.hint = answer?.hint ?? (status === 0 ? "Is 'diple serve' still running?" : undefined);
    this.answer = answer ?? {};
  }
}

async function ask(method, path, body) {
  const options = { method, headers: {}, credentials: "same-origin", cache: "no-store" };
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

async function json(method, path, body) {
  const answer = await ask(method, path, body);
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

export const api = {
  login: (code) => json("POST", "/api/login", { code }),
  logout: () => json("POST", "/api/logout"),
  pair: (code, name) => json("POST", "/api/pair", { code, name }),
  devices: () => json("GET", "/api/devices"),
  allowDevice: (id, mayWrite) => json("PATCH", `/api/devices/${part(id)}`, { mayWrite }),
  revokeDevice: (id) => json("DELETE", `/api/devices/${part(id)}`),
  library: () => json("GET", "/api/library"),
  document: (id) => json("GET", documentPath(id)),
  body: (id, parameters) => json("GET", address(documentPath(id, "/body"), parameters)),
  mark: (id, mark) => json("POST", documentPath(id, "/marks"), mark),
  highlight: (id) => json("GET", highlightPath(id)),
  edit: (id, change) => json("PATCH", highlightPath(id), change),
  remove: (id) => json("DELETE", highlightPath(id)),
  copy: (id, start, end, as) => json("GET", address(documentPath(id, "/copy"), { start, end, as })),
  cards: () => json("GET", "/api/cards"),
  cardAddress: (id, style) => address(highlightPath(id, "/card"), { style }),
  passageCardAddress: (id, [start, end], text, style) =>
    address(documentPath(id, "/card"), { start, end, text, style }),
  /** Requests a picture that failed to load; rejects with the server's reason. */
  reason: async (path) => void (await ask("GET", path)),
  undo: (doc) => json("POST", "/api/undo", { doc }),
  redo: (doc) => json("POST", "/api/redo", { doc }),
  find: (id, parameters) => json("GET", address(documentPath(id, "/find"), parameters)),
  strategies: () => json("GET", "/api/strategies"),
  search: (parameters) => json("GET", address("/api/search", parameters)),
  highlights: (parameters) => json("GET", address("/api/highlights", parameters)),
  review: () => json("GET", "/api/review"),
  accept: (id, candidate, quote) =>
    json("POST", highlightPath(id, "/accept"), { candidate, quote }),
  orphan: (id) => json("POST", highlightPath(id, "/orphan"), {}),
  format: (id, start, end, text) =>
    json("GET", address(documentPath(id, "/format"), { start, end, text })),
  setFormat: (id, change) => json("POST", documentPath(id, "/format"), change),
  eventsAddress: (doc) => address("/api/events", { doc }),
};
