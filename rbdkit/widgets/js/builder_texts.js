// Code, JSON and URDF over the form: to copy, to save, or to paste and start from.

const TEXT_KINDS = {
  code: { title: "Python that builds this model", ending: "py" },
  json: { title: "The model in JSON", ending: "json" },
  urdf: { title: "The model in URDF", ending: "urdf" },
};

class BuilderTexts {
  // act : called with what is asked for. left : when the texts are put away.
  constructor(act, left) {
    this.act = act;
    this.left = left;
    this.title = h("strong", {});
    this.said = h("span", { class: "rbd-said", role: "status" });
    this.area = h("textarea", { spellcheck: "false", "aria-label": "Text of the model" });
    this.notes = h("div", { class: "rbd-remark rbd-warning", hidden: true });
    this.copy = h("button", { type: "button", class: "rbd-pill rbd-do", onclick: () => this.to_clipboard() }, "Copy");
    this.save = h("button", { type: "button", class: "rbd-pill rbd-do", onclick: () => this.download() }, "Save file");
    this.file = h("input", { type: "file", accept: ".urdf,.json,.xml", "aria-label": "File to open", onchange: () => this.read() });
    this.open = h("button", { type: "button", class: "rbd-pill rbd-do", onclick: () => this.act("import", { text: this.area.value }) }, "Start from this");
    this.el = h("div", { class: "rbd-texts", role: "dialog", "aria-label": "Text", hidden: true },
      h("div", { class: "rbd-texts-head" }, this.title, this.said, h("button", { type: "button", class: "rbd-pill", title: "Back to the form (Escape)", onclick: () => this.hide() }, "Close")),
      this.notes, this.area, h("div", { class: "rbd-pills" }, this.copy, this.save, this.file, this.open));
    this.el.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") this.hide();
    });
  }

  show({ kind, text, notes, name, number }) {
    if (!number || number === this.number) return;
    this.number = number;
    this.kind = kind;
    this.name = name;
    const known = TEXT_KINDS[kind];
    this.title.textContent = known ? known.title : "Paste a URDF or JSON, or open a file";
    this.area.value = text;
    this.area.readOnly = Boolean(known);
    this.notes.textContent = notes;
    this.notes.hidden = !notes;
    this.said.textContent = "";
    this.copy.hidden = this.save.hidden = !known;
    this.file.hidden = this.open.hidden = Boolean(known);
    this.el.hidden = false;
    if (kind === "code") this.to_clipboard();
    else this.area.focus({ preventScroll: true });
  }

  async to_clipboard() {
    try {
      await navigator.clipboard.writeText(this.area.value);
      this.said.textContent = "copied";
    } catch {
      this.area.select();
      this.said.textContent = "press Ctrl+C to copy";
    }
  }

  download() {
    const address = URL.createObjectURL(new Blob([this.area.value], { type: "text/plain" }));
    const link = h("a", { href: address, download: `${this.name}.${TEXT_KINDS[this.kind].ending}` });
    link.click();
    URL.revokeObjectURL(address);
  }

  async read() {
    const [file] = this.file.files;
    if (file) this.area.value = await file.text();
  }

  hide() {
    this.el.hidden = true;
    this.left();
  }
}
