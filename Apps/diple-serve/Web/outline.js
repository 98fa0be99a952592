// The panel of the document's headings, with the current one emphasized, and of the links in other
// documents to this one.

import { api } from "./api.js";
import { el } from "./dom.js";

/**
 * Adds the outline to a panel. The result's `draw` updates it, `drawLinks` reads the links again,
 * and `follow` emphasizes the heading at the top of the window.
 */
export function installOutline(reader, panel, onGo) {
  const list = el("ol", { class: "outline" });
  const backlinks = el("ol", { class: "backlinks" });
  const linked = el("section", { hidden: true }, el("h3", {}, "Linked from"), backlinks);
  panel.append(list, linked);
  let links = [];
  const draw = () => {
    const headings = reader.info?.outline ?? [];
    links = headings.map((heading) =>
      el("a", {
        href: "#text",
        class: `level-${Math.min(heading.level, 6)}`,
        dir: "auto",
        on: {
          click: (event) => {
            event.preventDefault();
            reader.text.show({ offset: heading.offset, distance: 18 });
            onGo?.(heading);
          },
        },
      }, heading.text || "…")
    );
    list.replaceChildren(...links.map((link) => el("li", {}, link)));
    if (headings.length === 0) list.replaceChildren(el("li", { class: "faint" }, "No headings."));
    follow();
  };
  const follow = () => {
    if (panel.hidden) return;
    const place = reader.text.place()?.offset;
    const headings = reader.info?.outline ?? [];
    let current = -1;
    if (place !== undefined) {
      headings.forEach((heading, index) => {
        if (heading.offset <= place + 1) current = index;
      });
    }
    links.forEach((link, index) => {
      if (index === current) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    });
    const now = links[current];
    if (now && !panel.contains(document.activeElement)) {
      const box = now.getBoundingClientRect();
      const frame = panel.getBoundingClientRect();
      if (box.top < frame.top + 40 || box.bottom > frame.bottom - 20) {
        panel.scrollTop += box.top - frame.top - 80;
      }
    }
  };
  reader.addEventListener("info", draw);
  let isWaiting = false;
  addEventListener("scroll", () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      follow();
    });
  }, { passive: true });
  const drawLinks = async () => {
    // Without the links the outline is still useful.
    const found = await api.links(reader.id).catch(() => ({ backlinks: [] }));
    backlinks.replaceChildren(...found.backlinks.map(({ document, range, sentence }) =>
      el(
        "li",
        {},
        el(
          "a",
          { href: `/d/${document.id}#at-${range.start}-${range.end}`, dir: "auto" },
          el("span", { class: "name" }, document.title || document.path),
          el("span", { class: "faint" }, sentence),
        ),
      )
    ));
    linked.hidden = found.backlinks.length === 0;
  };
  return { draw, drawLinks, follow };
}
