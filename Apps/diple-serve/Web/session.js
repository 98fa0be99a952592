// Who reads: a code in the address opens the session, once.

import { api } from "./api.js";
import { el } from "./dom.js";

/** What a code looks like; other fragments lead to places of the page. */
const codeForm = /^#[0-9a-f]{32}$/;

/** Gives the session; shows how to get a new link, and gives null, where there is none. */
export async function openSession() {
  const code = codeForm.test(location.hash) ? location.hash.slice(1) : "";
  if (code) {
    // A code is used once, so it must not stay in the history.
    history.replaceState(null, "", location.pathname + location.search);
    try {
      await api.login(code);
    } catch (refusal) {
      // An older session may still stand.
      if (refusal.status !== 401 && refusal.status !== 400) return showRefusal(refusal);
    }
  }
  try {
    return await api.session();
  } catch (refusal) {
    return showRefusal(refusal, code !== "");
  }
}

function showRefusal(refusal, hadCode = false) {
  document.title = "Diple";
  const command = el("code", {}, "diple serve --open");
  const message = refusal.status === 401
    ? [hadCode ? "This link was used before, or is too old. " : "This browser has no session yet. ",
      "Get a new link with ", command, "."]
    : [refusal.message, " ", refusal.hint ?? ""];
  document.body.replaceChildren(
    el("main", { class: "empty" }, el("h1", {}, refusal.status === 401 ? "A new link is needed" : "Nothing can be shown"),
      el("p", { role: "alert" }, message)));
  return null;
}
