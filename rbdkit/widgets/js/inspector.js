// Facts about a body, section by section; each can be copied as NumPy.

ICONS.close = "M6.400 5 12 10.600 17.600 5 19 6.400 13.400 12 19 17.600 17.600 19 12 13.400 6.400 19 5 17.600 10.600 12 5 6.400z";
ICONS.copy = "M8 3h11a2 2 0 0 1 2 2v11h-2V5H8zM4 7h11a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1zm1 2v10h9V9z";

class Inspector {
  constructor(model, el) {
    this.model = model;
    this.title = h("strong", {});
    this.rows = h("div", { class: "rbd-facts" });
    this.el = h("div", { class: "rbd-panel rbd-inspector", "data-lm-suppress-shortcuts": "true" },
      h("div", { class: "rbd-bar" }, this.title, button("close", "Close", () => model.send({ do: "close" }))), this.rows);
    el.append(this.el);
    this.open = new Set(["Motion", "One motion, many velocities"]);
    this.heard = () => this.show();
    model.on("change:sections", this.heard);
    this.show();
  }

  show() {
    this.title.textContent = this.model.get("title");
    this.rows.replaceChildren(...this.model.get("sections").map((section) => this.section(section)));
  }

  section({ title, facts }) {
    const details = h("details", { open: this.open.has(title) }, h("summary", {}, title), ...facts.map((fact) => this.fact(fact)));
    details.addEventListener("toggle", () => (details.open ? this.open.add(title) : this.open.delete(title)));
    return details;
  }

  fact({ name, symbol, unit, frame, tip, parts, numpy }) {
    const copy = button("copy", `Copy ${symbol} as NumPy`, async () => {
      await navigator.clipboard.writeText(numpy);
      copy.classList.add("rbd-copied");
      setTimeout(() => copy.classList.remove("rbd-copied"), 900);
    });
    return h("div", { class: "rbd-fact", title: tip },
      h("div", { class: "rbd-head" }, h("b", {}, ...typeset(symbol)), h("span", {}, name), h("i", {}, `${unit_text(unit)} \u00b7 in ${frame}`), copy),
      h("pre", {}, ...parts.map((part) => h("span", {}, signs(part)))));
  }

  close() {
    this.model.off("change:sections", this.heard);
    this.el.remove();
  }
}

export default {
  render({ model, el }) {
    const inspector = new Inspector(model, el);
    return () => inspector.close();
  },
};
