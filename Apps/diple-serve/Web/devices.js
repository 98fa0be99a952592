// The list of paired devices, which only the library's owner sees.

import { api } from "./api.js";
import { button, counted, dayText, el, openDialog } from "./dom.js";
import { attempt, notify } from "./notices.js";

export function devicesView(context) {
  const count = el("p", { class: "faint", role: "status" });
  const list = el("ul", { class: "list devices" });
  const element = el("section", { class: "wide", "aria-label": "Devices" }, count, list);

  const load = () =>
    attempt(async () => {
      const { devices, address } = await api.devices();
      const how = address
        ? [
          "open ",
          el("code", {}, address),
          " on it, press Enter in the terminal of ",
          el("code", {}, "diple serve"),
          ", and enter the code that it shows.",
        ]
        : ["start ", el("code", {}, "diple serve --lan ADDRESS"), " to pair one."];
      count.textContent = devices.length === 0 ? "" : `${counted(devices.length, "device")} paired`;
      list.replaceChildren(
        ...devices.map((device) => item(device)),
        el(
          "li",
          { class: devices.length === 0 ? "nothing" : "how faint" },
          devices.length === 0 ? "No device is paired yet: " : "To pair another device: ",
          how,
        ),
      );
    });

  const item = (device) => {
    const box = el("input", {
      type: "checkbox",
      checked: device.mayWrite,
      on: {
        change: () =>
          attempt(async () => {
            const { name, mayWrite } = await api.allowDevice(device.id, box.checked);
            notify(`${name} ${mayWrite ? "may read, mark and edit" : "may only read"}.`);
          }).then(load),
      },
    });
    return el(
      "li",
      { class: "device", data: { device: device.id } },
      el(
        "div",
        {},
        el("h2", { dir: "auto" }, device.name),
        el(
          "p",
          { class: "faint" },
          el("code", {}, device.id),
          ` · paired ${dayText(device.paired)} · last used ${dayText(device.used)}`,
        ),
      ),
      el("label", { class: "check" }, box, "May mark and edit"),
      button("Revoke", () => revoke(device), {
        class: "danger bordered",
        "aria-label": `Revoke ${device.name}`,
      }),
    );
  };

  const revoke = (device) => {
    const dialog = openDialog("Revoke the device?", [
      el(
        "p",
        {},
        el("bdi", {}, device.name),
        " can read the library only after it is paired again.",
      ),
      el(
        "div",
        { class: "buttons" },
        button("Cancel", () => dialog.close()),
        button("Revoke", () =>
          attempt(async () => {
            dialog.close();
            await api.revokeDevice(device.id);
            notify(`Revoked ${device.name}.`);
            await context.changed();
            await load();
          }), { class: "danger bordered" }),
      ),
    ]);
  };

  load();
  return { element, update: load };
}
