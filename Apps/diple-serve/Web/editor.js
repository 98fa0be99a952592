// The panel for notes and tags. It leaves the text in view, and stays open until its input is saved
// or the user leaves it.

import { button, el, float, isolated, plainText, rememberFocus } from "./dom.js";

/**
 * Opens the editor. Resolves to true if the input was saved, to false if the user left.
 *
 * - `highlight` is null for a selection that is not marked yet.
 * - `draft` is earlier unsaved input: `{note, seen, tags, typed, color}`.
 * - `keep` is called with the draft after each change, and with null if the input equals the stored
 *   state.
 * - `save` is called with `{note, seen, addTags, removeTags, color}`. If it throws, the panel shows
 *   the error and stays open. `seen` is the note on which the input is based. If the error has a
 *   different one in `details.note`, the user chooses between the two.
 */
export function editNote(options) {
  return new Promise((resolve) => new NoteEditor(options, resolve));
}

class NoteEditor {
  #options;
  #resolve;
  #tags;
  #color;
  #bringFocusBack = rememberFocus();
  #isSaving = false;
  /** The note that the library is known to have, and the note on which the input is based. */
  #present;
  #seen;

  constructor(options, resolve) {
    this.#options = options;
    this.#resolve = resolve;
    const { highlight, draft, quote, knownTags = [], focusTags = false } = options;
    this.#present = highlight?.note ?? "";
    this.#seen = draft?.seen ?? this.#present;
    this.area = el("textarea", { id: "note-text", dir: "auto", rows: 5, "aria-label": "Note" });
    this.input = el("input", {
      type: "text",
      id: "note-tags",
      list: "known-tags",
      autocomplete: "off",
      placeholder: "Add a tag",
      "aria-label": "Add a tag",
    });
    this.chips = el("div", { class: "chips" });
    this.swatches = el("div", { class: "colors", role: "radiogroup", "aria-label": "Colour" });
    this.problem = el("p", { class: "problem", role: "alert", hidden: true });
    this.submit = el("button", { type: "submit", class: "primary", title: "Ctrl+Enter" }, "Save");
    this.offer = el(
      "p",
      { class: "offer", hidden: !draft },
      "This was not saved. ",
      button("Discard", () => this.#discard(), { class: "bordered" }),
    );
    this.clash = el("div", {
      class: "clash",
      role: "group",
      "aria-label": "Conflicting notes",
      hidden: true,
    });
    this.form = el(
      "form",
      { novalidate: true },
      quote && el("p", { class: "quote", dir: "auto" }, quote),
      this.offer,
      this.area,
      this.chips,
      this.input,
      el("datalist", { id: "known-tags" }, knownTags.map((tag) => el("option", { value: tag }))),
      this.problem,
      this.clash,
      el(
        "div",
        { class: "buttons" },
        this.swatches,
        el("span", { class: "grow" }),
        button("Cancel", () => this.#leave()),
        this.submit,
      ),
    );
    this.panel = el("div", {
      class: "editor panel-box",
      role: "dialog",
      "aria-label": highlight ? "Edit the highlight" : "Note on the selection",
    }, this.form);
    this.#fill(draft ?? this.#stored);
    this.input.addEventListener("keydown", (event) => this.#pressInTags(event));
    this.form.addEventListener("input", () => this.#changed());
    this.form.addEventListener("keydown", (event) => this.#press(event));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#save();
    });
    addEventListener("resize", this.#place);
    float(this.panel);
    this.#place();
    (focusTags ? this.input : this.area).focus();
    if (!focusTags) this.area.setSelectionRange(this.area.value.length, this.area.value.length);
    if (this.#seen !== this.#present && this.area.value !== this.#present) this.#showClash();
  }

  // MARK: Input

  /** The stored note, tags and colour. */
  get #stored() {
    const { highlight, color } = this.#options;
    return {
      note: this.#present,
      tags: highlight?.tags ?? [],
      typed: "",
      color: highlight?.color ?? color,
    };
  }

  get #written() {
    return {
      note: this.area.value,
      seen: this.#seen,
      tags: [...this.#tags],
      typed: this.input.value,
      color: this.#color,
    };
  }

  /**
   * Whether there is input to lose. The colour of a new highlight does not count: choosing it again
   * is easy.
   */
  get #isChanged() {
    const [stored, written] = [this.#stored, this.#written];
    return written.note !== this.#seen || written.typed.trim() !== "" ||
      written.tags.join() !== stored.tags.join() ||
      (this.#options.highlight && written.color !== stored.color) === true;
  }

  #fill({ note, tags, typed, color }) {
    this.area.value = note ?? "";
    this.input.value = typed ?? "";
    this.#tags = new Set(tags ?? []);
    this.#color = color ?? this.#stored.color;
    this.#drawTags();
    this.swatches.replaceChildren(...this.#options.colors.map((each) => this.#swatch(each)));
  }

  #swatch({ name, label, letter }) {
    return el(
      "label",
      { class: "swatch", title: plainText(label ?? name) },
      el("input", {
        type: "radio",
        name: "color",
        value: name,
        checked: name === this.#color,
        "aria-label": plainText(label ? `${label} (${name})` : name),
        on: { change: () => (this.#color = name) },
      }),
      el("span", { class: `dot ${name}`, "aria-hidden": "true" }, letter),
    );
  }

  #drawTags() {
    this.chips.replaceChildren(...[...this.#tags].map((tag) =>
      el(
        "button",
        {
          type: "button",
          class: "tag",
          "aria-label": plainText(`Remove the tag ${tag}`),
          on: {
            click: () => {
              this.#tags.delete(tag);
              this.#drawTags();
              this.#changed();
              this.input.focus();
            },
          },
        },
        el("span", { dir: "auto" }, `#${tag}`),
        el("span", { "aria-hidden": "true" }, " ×"),
      )
    ));
  }

  #takeTags() {
    for (const word of this.input.value.split(",")) {
      const tag = word.trim().replace(/^#+/, "");
      if (tag) this.#tags.add(tag);
    }
    this.input.value = "";
    this.#drawTags();
    this.#changed();
  }

  #changed() {
    this.#options.keep(this.#isChanged ? this.#written : null);
  }

  #discard() {
    this.#fill(this.#stored);
    this.#seen = this.#present;
    this.offer.hidden = this.clash.hidden = true;
    this.#changed();
    this.area.focus();
  }

  // MARK: Keys

  #pressInTags(event) {
    const isCommand = event.ctrlKey || event.metaKey;
    const isTyped = this.input.value.trim() !== "";
    if ((event.key === "Enter" && !isCommand && isTyped) || event.key === ",") {
      event.preventDefault();
      event.stopPropagation();
      this.#takeTags();
    } else if (event.key === "Backspace" && this.input.value === "" && this.#tags.size > 0) {
      this.#tags.delete([...this.#tags].pop());
      this.#drawTags();
      this.#changed();
    }
  }

  #press(event) {
    if (event.isComposing) return;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      this.#leave();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.form.requestSubmit();
    }
  }

  // MARK: Saving

  async #save() {
    if (this.#isSaving) return;
    this.#takeTags();
    const old = new Set(this.#options.highlight?.tags ?? []);
    this.#setSaving(true);
    this.problem.hidden = true;
    try {
      await this.#options.save({
        note: this.area.value === this.#seen ? this.#seen : this.area.value.trim(),
        seen: this.#seen,
        color: this.#color,
        addTags: [...this.#tags].filter((tag) => !old.has(tag)),
        removeTags: [...old].filter((tag) => !this.#tags.has(tag)),
      });
    } catch (problem) {
      const now = problem.details?.note;
      if (typeof now !== "string") return this.#complain(problem);
      this.#present = now;
      this.#showClash();
      return;
    } finally {
      this.#setSaving(false);
    }
    this.#close(true);
  }

  /** Locks the fields during a request: what the user typed meanwhile would be lost. */
  #setSaving(isSaving) {
    this.#isSaving = isSaving;
    this.area.readOnly = this.input.readOnly = this.submit.disabled = isSaving;
  }

  #complain(problem) {
    this.problem.replaceChildren(
      isolated(problem.message ?? problem),
      problem.hint ? el("span", { class: "hint", dir: "auto" }, problem.hint) : "",
    );
    this.problem.hidden = false;
    this.#place();
    // The pressed button was disabled, so perhaps no element has the focus.
    if (!this.panel.contains(document.activeElement)) this.area.focus();
  }

  // MARK: Conflicting notes

  /** Shows the note that was written elsewhere meanwhile, and the choices. The input stays. */
  #showClash() {
    const choice = (name, words, run) =>
      button(words, run, { class: "bordered", data: { choice: name } });
    const both = choice("both", "Keep both", () => this.#settle(true));
    this.clash.replaceChildren(
      el(
        "p",
        { role: "alert" },
        this.#present
          ? "The note was changed elsewhere. It is now:"
          : "The note was removed elsewhere.",
      ),
      this.#present ? el("p", { class: "other", dir: "auto", tabindex: "0" }, this.#present) : "",
      el(
        "div",
        { class: "buttons" },
        this.#present ? both : "",
        choice("mine", "Keep mine", () => {
          this.#settle();
          this.form.requestSubmit();
        }),
        choice("theirs", "Discard mine", () => {
          this.area.value = this.#present;
          this.#settle();
          this.form.requestSubmit();
        }),
      ),
    );
    this.clash.hidden = false;
    this.#place();
    this.clash.querySelector("button").focus();
  }

  /** Bases the input on the current note. `both` inserts that note before the input. */
  #settle(both = false) {
    this.#seen = this.#present;
    this.clash.hidden = this.offer.hidden = true;
    if (both) this.area.value = `${this.#present}\n\n${this.area.value}`;
    this.#changed();
    this.#place();
    this.area.focus();
  }

  #leave() {
    // A request cannot be cancelled, and this panel shows its result.
    if (!this.#isSaving) this.#close(false);
  }

  #close(isSaved) {
    if (isSaved) this.#options.keep(null);
    removeEventListener("resize", this.#place);
    this.panel.remove();
    this.#bringFocusBack();
    this.#resolve(isSaved);
  }

  #place = () => {
    const { box } = this.#options;
    const { width, height } = this.panel.getBoundingClientRect();
    const isDocked = innerWidth < 640 || matchMedia("(pointer: coarse)").matches || !box;
    this.panel.classList.toggle("docked", isDocked);
    if (isDocked) return;
    const below = box.bottom + 12;
    const above = Math.max(60, Math.min(box.top - height - 12, innerHeight - height - 12));
    const top = below + height < innerHeight - 12 ? below : above;
    const middle = box.left + box.width / 2 - width / 2;
    const left = Math.max(12, Math.min(middle, innerWidth - width - 12));
    this.panel.style.left = `${Math.round(left)}px`;
    this.panel.style.top = `${Math.round(top)}px`;
  };
}
