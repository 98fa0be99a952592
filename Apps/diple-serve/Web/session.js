// The login: a code in the address opens a session, once.

import { api } from "./api.js";
import { el, isolated } from "./dom.js";
import { pairByAddress, showPairing, takeCode } from "./pair.js";

/** The form of a code. Other fragments name positions in the page. */
const codeForm = /^#[0-9a-f]{32}$/;

/**
 * Logs in with the address's code, if there is one, and returns the result of `ask`. Without a
 * session or a server, shows how to get a new link and returns null.
 */
export async function begin(ask) {
  const code = codeForm.test(location.hash) ? location.hash.slice(1) : "";
  const pairing = takeCode();
  const open = () => (location.pathname.startsWith("/h/") ? goToHighlight() : ask());
  try {
    if (code) {
      // A code works once, so it must not stay in the history.
      history.replaceState(null, "", location.pathname + location.search);
      await api.login(code).catch((refusal) => {
        // An older session may still be valid.
        if (refusal.status !== 401) throw refusal;
      });
    }
    return await open();
  } catch (refusal) {
    if (refusal.status === 401 && refusal.answer.pairing) {
      // Only an unpaired device needs the code.
      if (!pairing) return showPairing(refusal);
      try {
        await pairByAddress(pairing);
      } catch (wrong) {
        return showPairing(wrong, { isWrongCode: true });
      }
      return open();
    }
    const isLost = refusal.status === 404 && location.pathname.startsWith("/h/");
    if (refusal.status !== 401 && refusal.status !== 0 && !isLost) throw refusal;
    return showRefusal(refusal, code !== "");
  }
}

/**
 * Opens a highlight in its document. Links from other programs arrive without the session's cookie,
 * so the server did not redirect them.
 */
async function goToHighlight() {
  const highlight = await api.highlight(decodeURIComponent(location.pathname.slice(3)));
  location.replace(
    `/d/${encodeURIComponent(highlight.document)}#h-${encodeURIComponent(highlight.id)}`,
  );
  return null;
}

function showRefusal(refusal, hadCode = false) {
  document.title = "Diple";
  const command = el("code", {}, "diple serve");
  const message = refusal.status === 401
    ? [
      hadCode
        ? "This link was used before, was replaced by a newer one, or is too old. "
        : "This browser is not logged in. ",
      "Press Enter in the terminal of ",
      command,
      ", and open the address that it prints.",
    ]
    : [isolated(refusal.message), " ", refusal.hint ?? ""];
  document.body.replaceChildren(
    el(
      "main",
      { class: "empty" },
      el("h1", {}, refusal.status === 401 ? "A new link is needed" : "Nothing can be shown"),
      el("p", { role: "alert" }, message),
      refusal.status === 404 && el("p", {}, el("a", { href: "/" }, "Go to the library")),
    ),
  );
  return null;
}
