// Pairs a device on the network by the code that the terminal shows.

import { api } from "./api.js";
import { el } from "./dom.js";

/** The fragment of the address in the QR code. */
const form = /^#pair=([A-Za-z]{8})$/;

/** Removes the code from the address, so that it is not in the history, and returns it, or null. */
export function takeCode() {
  const found = form.exec(location.hash);
  if (!found) return null;
  history.replaceState(null, "", location.pathname + location.search);
  return found[1];
}

const browsers = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/(Firefox|FxiOS)\//, "Firefox"],
  [/(Chrome|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const systems = [
  [/\bAndroid\b/, "Android"],
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMacintosh\b/, "Mac"],
  [/\bLinux\b/, "Linux"],
];

/** The suggested name of the device, such as “Firefox on Android”. */
export function usualName(agent = navigator.userAgent) {
  const of = (kinds) => kinds.find(([pattern]) => pattern.test(agent))?.[1];
  return `${of(browsers) ?? "Browser"} on ${of(systems) ?? "another system"}`;
}

/** Pairs this device with the address's code, under the suggested name. */
export const pairByAddress = (code) => api.pair(code, usualName());

/** Replaces the page with a form that asks for the code. */
export function showPairing(refusal, { isWrongCode } = {}) {
  document.title = "Pair · Diple";
  const code = el("input", {
    type: "text",
    id: "pair-code",
    required: true,
    maxlength: 20,
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: "false",
    placeholder: "ABCD EFGH",
    "aria-describedby": "pair-words",
  });
  const name = el("input", {
    type: "text",
    id: "pair-name",
    maxlength: 60,
    autocomplete: "off",
    value: usualName(),
  });
  const problem = el("p", { class: "problem", role: "alert" });
  const submit = el("button", { type: "submit", class: "primary" }, "Pair");
  const complain = ({ message, hint }) => {
    const words = hint ? `${message}: ${hint}` : message;
    problem.textContent = `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
  };
  const pair = async (event) => {
    event.preventDefault();
    submit.disabled = true;
    problem.textContent = "";
    try {
      await api.pair(code.value, name.value);
      location.reload();
    } catch (refusal) {
      complain(refusal);
      submit.disabled = false;
      code.select();
    }
  };
  document.body.replaceChildren(
    el(
      "main",
      { class: "pairing" },
      el("h1", {}, "Pair this device"),
      el(
        "p",
        { id: "pair-words" },
        "In the terminal of ",
        el("code", {}, "diple serve --lan"),
        ", press Enter. Then enter the 8 letters that it shows.",
      ),
      el(
        "form",
        { on: { submit: pair } },
        el("label", { for: "pair-code" }, "Code"),
        code,
        el("label", { for: "pair-name" }, "Name of this device"),
        name,
        problem,
        submit,
      ),
      el(
        "p",
        { class: "faint" },
        "The connection is not encrypted: others on this network can read all traffic.",
      ),
    ),
  );
  if (isWrongCode) complain(refusal);
  code.focus();
  return null;
}
