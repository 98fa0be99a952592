// Icons of 24 by 24 units, drawn as lines.

const shapes = {
  back: ["M15 5l-7 7 7 7"],
  outline: ["M4 6h10", "M7 12h10", "M7 18h8"],
  list: ["M5 4.5h14v15l-7-4-7 4z"],
  find: ["M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13z", "M15.5 15.5L20 20"],
  pen: ["M4 20l1-4L16 5l3 3L8 19z", "M14 7l3 3"],
  letters: [
    "M3 18l4.5-12L12 18",
    "M4.6 14h5.8",
    "M20 11v7",
    "M20 14.5a2.8 3.3 0 1 1-5.6 0 2.8 3.3 0 1 1 5.6 0z",
  ],
  undo: ["M8 5L4 9l4 4", "M4 9h10a5 5 0 0 1 0 10h-3"],
  redo: ["M16 5l4 4-4 4", "M20 9H10a5 5 0 0 0 0 10h3"],
  keys: ["M3 7h18v11H3z", "M7 11h.01", "M10.5 11h.01", "M14 11h.01", "M17 11h.01", "M8 14.5h8"],
  close: ["M6 6l12 12", "M18 6L6 18"],
  note: ["M5 4h14v11l-5 5H5z", "M14 20v-5h5", "M8.5 9h7", "M8.5 12.5h4"],
  tag: ["M4 4h8l8 8-8 8-8-8z", "M8.3 8.3h.01"],
  copy: ["M9 9h11v11H9z", "M15 9V4H4v11h5"],
  share: ["M12 15V4", "M8 8l4-4 4 4", "M5 13v7h14v-7"],
  format: ["M6 5h12", "M12 5v14", "M9 19h6"],
  source: ["M8 6l-5 6 5 6", "M16 6l5 6-5 6", "M13.5 5l-3 14"],
  trash: ["M5 7h14", "M9 7V4.5h6V7", "M7 7l1 13h8l1-13", "M10.5 11v5", "M13.5 11v5"],
  up: ["M6 14.5l6-6 6 6"],
  down: ["M6 9.5l6 6 6-6"],
  cases: [
    "M3 17l4-10 4 10",
    "M4.4 13.5h5.2",
    "M20 10.5V17",
    "M20 13.8a2.6 3.2 0 1 1-5.2 0 2.6 3.2 0 1 1 5.2 0z",
  ],
  smaller: ["M6 12h12"],
  larger: ["M6 12h12", "M12 6v12"],
};

/** Creates an icon. Screen readers ignore it, since its button has a label. */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  for (const shape of shapes[name] ?? []) {
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", shape);
    if (shape.endsWith("h.01")) path.setAttribute("stroke-width", "2.4");
    svg.append(path);
  }
  return svg;
}
