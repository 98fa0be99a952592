// The library's page: documents, highlights, search, review and devices.

import { accessNote } from "./access.js";
import { appearanceButton, nextTheme } from "./appearance.js";
import { api } from "./api.js";
import { button, debounced, el, isolated, openDialog, plainText } from "./dom.js";
import { devicesView } from "./devices.js";
import { documentsView } from "./documents.js";
import { dropAllDrafts, hasDrafts } from "./drafts.js";
import { followEvents } from "./events.js";
import { highlightsView } from "./marks.js";
import { Keys } from "./keys.js";
import { attempt, installNotices, notify } from "./notices.js";
import { reviewView } from "./review.js";
import { searchView } from "./search.js";
import { begin } from "./session.js";

const views = {
  documents: { title: "Documents", make: documentsView, key: "d" },
  highlights: { title: "Highlights", make: highlightsView, key: "H" },
  search: { title: "Search", make: searchView, key: "/" },
  review: { title: "Review", make: reviewView, key: "i" },
  devices: { title: "Devices", make: devicesView, key: "v" },
};

/** Parses the address's fragment: a view, by default the documents, and its parameters. */
function place() {
  const [name, parameters] = location.hash.replace(/^#\/?/, "").split("?");
  return {
    name: Object.hasOwn(views, name) ? name : "documents",
    parameters: new URLSearchParams(parameters ?? ""),
  };
}

async function main() {
  installNotices();
  const library = await begin(api.library);
  if (!library) return;
  const keys = new Keys();
  const heading = el("h1", { class: "name", dir: "auto" });
  const links = Object.fromEntries(
    Object.entries(views).map((
      [name, { title, key }],
    ) => [name, el("a", { href: `#/${name}`, title: `${title} (${key})` }, title)]),
  );
  const access = accessNote();
  const leave = button("Log out", logOut, { title: "End this browser's session" });
  // The notices are beside the view, because another view replaces all of it.
  const shown = el("div", { class: "view" });
  const main = el("main", { id: "content", tabindex: "-1" }, shown);
  document.body.replaceChildren(
    el("a", {
      class: "skip",
      href: "#content",
      on: {
        click: (event) => {
          event.preventDefault();
          main.focus();
        },
      },
    }, "Skip to the content"),
    el(
      "header",
      { class: "top" },
      el(
        "div",
        { class: "wide" },
        heading,
        leave,
        appearanceButton({ onlyTheme: true }),
      ),
      el("nav", { class: "wide", "aria-label": "Library" }, Object.values(links)),
      access.element,
    ),
    main,
  );
  installNotices();

  const context = { library, isReadOnly: library.readOnly === true, changed: () => refresh() };
  let current = null;
  const draw = () => {
    const { name: asked, parameters } = place();
    const name = links[asked].hidden ? "documents" : asked;
    for (const [other, link] of Object.entries(links)) {
      if (other === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    document.title = `${views[name].title} · ${plainText(context.library.name)}`;
    // A view that is already shown is only updated, so that it keeps its input.
    if (current?.name === name && current.view.update) {
      current.view.update(parameters);
    } else {
      current?.view.end?.();
      current = { name, view: views[name].make(context, parameters) };
      shown.replaceChildren(current.view.element);
      scrollTo(0, 0);
    }
  };
  const show = (library) => {
    context.library = library;
    context.isReadOnly = library.readOnly === true;
    heading.textContent = library.name;
    access.update(library);
    // Only the library's owner ends a device's pairing, so a device cannot log out.
    leave.hidden = library.device !== undefined;
    // The server reports devices to the owner only, and only if there are any.
    links.devices.hidden = library.devices === undefined;
    const waiting = context.library.documents.reduce(
      (sum, each) => sum + (each.states.doubtful ?? 0) + (each.states.orphaned ?? 0),
      0,
    );
    links.review.replaceChildren(
      "Review",
      waiting > 0 ? el("span", { class: "badge" }, String(waiting)) : "",
    );
    draw();
  };
  const refresh = async () => show(await api.library());

  addEventListener("hashchange", draw);
  const group = "Library";
  for (const [name, { title, key }] of Object.entries(views)) {
    if (name === "devices" && library.devices === undefined) continue;
    keys.add([key], group, title, () => {
      location.hash = `#/${name}`;
      if (name === "search") {
        setTimeout(() => document.querySelector("main input[type=search]")?.focus(), 30);
      }
    });
  }
  const undo = (action, words) => {
    if (context.isReadOnly) return false;
    void attempt(async () => {
      notify([`${words}: `, isolated(await action())]);
      await refresh();
    });
  };
  keys.add(["u", "Ctrl+z"], group, "Undo", () => undo(() => api.undo(), "Undone"));
  keys.add(["U", "Ctrl+Z", "Ctrl+y"], group, "Redo", () => undo(() => api.redo(), "Redone"));
  keys.add(
    ["j", "k"],
    "Move",
    "Next entry, previous entry",
    (event) => moveFocus(main, event.key === "j" ? 1 : -1),
  );
  keys.add(["T"], "Page", "Next theme", () => nextTheme());
  keys.add(["?"], "Page", "Show these keys", () => keys.showSheet());

  show(library);
  document.documentElement.dataset.ready = "true";
  follow(() => attempt(refresh));
}

/**
 * Ends this browser's session; to log in again, it needs a new address. If there are drafts, asks
 * first.
 */
function logOut() {
  const leave = () =>
    attempt(async () => {
      await api.logout();
      dropAllDrafts();
      location.replace("/");
    });
  if (!hasDrafts()) return leave();
  openDialog("Unsaved notes", [
    el("p", {}, "Logging out discards your unsaved notes."),
    el("div", { class: "buttons" }, button("Log out", leave, { class: "bordered danger" })),
  ]);
}

function moveFocus(main, step) {
  const entries = [...main.querySelectorAll("[data-entry]")];
  if (entries.length === 0) return false;
  const index = entries.indexOf(document.activeElement?.closest?.("[data-entry]"));
  const next = entries[Math.max(0, Math.min(entries.length - 1, index < 0 ? 0 : index + step))];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

/** Refreshes the page after changes of the library. */
function follow(refresh) {
  const changed = debounced(100, refresh);
  followEvents(undefined, { library: changed, access: changed, devices: changed }, changed);
}

attempt(main);
