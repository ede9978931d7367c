// The panel of a builder: buttons, tree, form; one message under way at a time, stale ones never sent.

Object.assign(ICONS, {
  undo: "M9.500 5 3.500 10.500l6 5.500v-3.700h4.300a3.600 3.600 0 0 1 0 7.200H8v2.500h5.800a6.100 6.100 0 0 0 0-12.200H9.500z",
  redo: "M14.500 5l6 5.500-6 5.500v-3.700h-4.300a3.600 3.600 0 0 0 0 7.200H16v2.500h-5.800a6.100 6.100 0 0 1 0-12.200h4.300z",
  remove: "M9 3h6l1 2h4.500v2.200h-17V5H8zM5 8.800h14l-.9 12.200H5.900zM9.200 11.200l.4 7.400h1.700l-.3-7.400zM13 11.200l-.3 7.400h1.700l.4-7.400z",
});

class BuilderPanel {
  constructor(model, el) {
    this.model = model;
    this.queue = [];
    this.sent = 0;
    this.tree = new BuilderTree((what, more) => this.ask(what, more));
    this.form = new BuilderForm((field, value, join) => this.ask("set", { field, value, join }), (what, more) => this.ask(what, more));
    this.texts = new BuilderTexts((what, more) => {
      this.texts.hide();
      this.ask(what, more);
    }, () => this.tree.el.focus({ preventScroll: true }));
    this.fault = h("div", { class: "rbd-fault", role: "alert", hidden: true });
    this.state = h("div", { class: "rbd-state", role: "status" });
    this.undo = button("undo", "Undo (Ctrl+Z)", () => this.ask("undo"));
    this.redo = button("redo", "Redo (Ctrl+Shift+Z)", () => this.ask("redo"));
    this.remove = this.menu(icon("remove"), "Delete what is selected (Delete)", [
      ["Delete with all it carries", () => this.ask("delete", { splice: false })],
      ["Delete, keep what it carries", () => this.ask("delete", { splice: true })],
    ]);
    const add = (what, words, tip) => h("button", { type: "button", class: "rbd-pill rbd-do", title: tip, onclick: () => this.ask(what) }, words);
    const examples = model.get("examples").map((name) => [name, () => this.ask("start", { name })]);
    this.el = h("div", { class: "rbd-panel rbd-builder", "data-lm-suppress-shortcuts": "true" },
      h("div", { class: "rbd-bar" }, this.undo, this.redo, h("span", { class: "rbd-gap" }),
        add("add_body", "+ Body", "A new body on the end of the selected one"),
        add("add_loop", "+ Loop", "A loop joint from the end of the selected body to the world, or to another body"),
        add("add_frame", "+ Frame", "A named frame on the end of the selected body"), this.remove,
        h("span", { class: "rbd-fill" }),
        this.menu("Start", "Start from an example or a text", [["Empty world", () => this.ask("new")], ...examples, ["URDF or JSON \u2026", () => this.ask("export", { kind: "load" })]]),
        this.menu("Share", "Copy as code, or save", [["Copy as code", () => this.ask("export", { kind: "code" })], ["JSON \u2026", () => this.ask("export", { kind: "json" })], ["URDF \u2026", () => this.ask("export", { kind: "urdf" })]])),
      this.tree.el, this.state, h("div", { class: "rbd-lower" }, this.form.el, this.texts.el, this.fault));
    el.append(this.el);
    this.stop_listening = silent_without_kernel(model, this.el);
    this.el.addEventListener("keydown", (event) => this.key(event));
    this.outside = (event) => this.el.querySelectorAll(".rbd-drop").forEach((drop) => drop.contains(event.target) || this.fold(drop));
    document.addEventListener("pointerdown", this.outside, true);
    this.heard = {
      "change:tree change:chosen": () => this.show_tree(),
      "change:form change:fault change:status": () => this.show_form(),
      "change:answered": () => this.answered(),
      "change:export": () => this.texts.show(model.get("export")),
    };
    for (const [events, action] of Object.entries(this.heard)) model.on(events, action);
    this.texts.number = model.get("export").number; // what was asked for before the page was loaded stays closed
    this.show_tree();
    this.show_form();
  }

  menu(label, tip, entries) {
    const list = h("div", { class: "rbd-menu", role: "menu", hidden: true });
    const opener = h("button", { type: "button", class: typeof label === "string" ? "rbd-pill" : "rbd-button", title: tip, "aria-label": tip, "aria-haspopup": "menu", "aria-expanded": "false" }, label);
    const drop = h("span", { class: "rbd-drop" }, opener, list);
    list.append(...entries.map(([words, action]) => h("button", { type: "button", role: "menuitem", class: "rbd-item", onclick: () => {
      this.fold(drop);
      action();
    } }, words)));
    opener.addEventListener("click", () => {
      const open = list.hidden;
      this.el.querySelectorAll(".rbd-drop").forEach((other) => this.fold(other));
      list.hidden = !open;
      opener.setAttribute("aria-expanded", String(open));
    });
    drop.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        this.fold(drop);
        opener.focus();
      }
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step || list.hidden) return;
      event.preventDefault();
      const items = [...list.children];
      items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
    });
    return drop;
  }

  fold(drop) {
    drop.querySelector(".rbd-menu").hidden = true;
    drop.querySelector("button").setAttribute("aria-expanded", "false");
  }

  key(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const name = event.key.toLowerCase();
    const wanted = name === "z" ? (event.shiftKey ? "redo" : "undo") : name === "y" ? "redo" : null;
    if (!wanted) return;
    event.preventDefault();
    event.stopPropagation();
    document.activeElement?.matches?.(".rbd-form input") && document.activeElement.blur();
    this.ask(wanted);
  }

  ask(what, more = {}) {
    const message = { do: what, ...more };
    const last = this.queue.at(-1);
    if (last && what === "set" && last.do === "set" && last.field === more.field && more.join) Object.assign(last, { value: more.value });
    else this.queue.push(message);
    this.next();
  }

  next() {
    this.el.dataset.busy = String(this.queue.length > 0 || Boolean(this.waiting));
    if (!this.queue.length || (this.waiting && performance.now() - this.waiting < 3000)) return;
    this.waiting = performance.now();
    this.el.dataset.busy = "true";
    this.sent = Math.max(this.sent, this.model.get("answered")) + 1;
    this.model.send({ ...this.queue.shift(), number: this.sent });
  }

  answered() {
    this.waiting = null;
    this.next();
  }

  show_tree() {
    this.tree.show(this.model.get("tree"), this.model.get("chosen"));
  }

  show_form() {
    const [fault, status] = [this.model.get("fault"), this.model.get("status")];
    this.form.show(this.model.get("form"), fault, Boolean(status.picking));
    const elsewhere = fault.message && !(fault.field && this.form.has(fault.field));
    this.fault.textContent = elsewhere ? fault.message : "";
    this.fault.hidden = !elsewhere;
    this.undo.disabled = !status.undo;
    this.redo.disabled = !status.redo;
    this.undo.title = status.undo ? `Undo: ${status.undo} (Ctrl+Z)` : "Nothing to undo";
    this.redo.title = status.redo ? `Redo: ${status.redo} (Ctrl+Shift+Z)` : "Nothing to redo";
    const counts = [[status.errors, "error"], [status.warnings, "warning"]].filter(([n]) => n).map(([n, word]) => `${n} ${word}${n > 1 ? "s" : ""}`);
    const words = status.picking ? "click the point in the picture" : [counts.join(", "), status.state].filter(Boolean).join("; ");
    this.state.textContent = words || "no errors or warnings";
    this.state.dataset.level = status.picking ? "pick" : status.errors ? "error" : status.warnings ? "warning" : "good";
  }

  close() {
    this.stop_listening();
    for (const [events, action] of Object.entries(this.heard)) this.model.off(events, action);
    document.removeEventListener("pointerdown", this.outside, true);
    this.el.remove();
  }
}

export default {
  render({ model, el }) {
    const panel = new BuilderPanel(model, el);
    return () => panel.close();
  },
};
