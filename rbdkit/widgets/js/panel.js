// A panel of sliders: a row for each number, all values in one binary message, stale ones never sent.

class Panel {
  constructor(model, el) {
    this.model = model;
    this.rows = h("div", { class: "rbd-rows" });
    this.fault = h("div", { class: "rbd-fault", role: "alert", hidden: true });
    this.el = h("div", { class: "rbd-panel", "data-lm-suppress-shortcuts": "true" },
      h("div", { class: "rbd-bar" }, h("strong", {}, model.get("title")),
        button("dice", "Random values within the limits", () => this.ask("random")),
        button("reset", "Back to the first values", () => this.ask("reset"))),
      this.rows, this.fault);
    el.append(this.el);
    this.heard = {
      "change:rows": () => this.build(),
      "change:values": () => this.mine || this.show(),
      "change:answered": () => this.answered(),
      "change:fault": () => this.complain(),
    };
    for (const [event, action] of Object.entries(this.heard)) model.on(event, action);
    this.build();
    this.complain();
  }

  build() {
    this.numbers = typed(Float64Array, this.model.get("values"));
    this.inputs = this.model.get("rows").map((row, k) => {
      const range = h("input", { type: "range", min: row.low, max: row.high, step: "any", "aria-label": row.name, title: row.tip });
      const number = h("input", { type: "number", step: "any", "aria-label": `${row.name} (${row.unit})` });
      range.addEventListener("input", () => this.change(k, Number(range.value)));
      range.addEventListener("keydown", (event) => this.nudge(event, k));
      range.addEventListener("dblclick", () => this.change(k, row.rest));
      const typed_in = () => Number.isFinite(number.valueAsNumber) && this.change(k, this.allowed(row, number.valueAsNumber));
      number.addEventListener("change", typed_in);
      number.addEventListener("keydown", (event) => event.key === "Enter" && typed_in());
      number.addEventListener("blur", () => this.write(k));
      return { range, number, row };
    });
    this.rows.replaceChildren(
      ...this.inputs.map(({ range, number, row }) =>
        h("div", { class: "rbd-row", "data-row": row.name }, h("label", { title: `${row.name}: ${row.tip}` }, row.name), range, number,
          h("span", { class: "rbd-unit" }, row.unit))
      )
    );
    this.show();
  }

  // Arrows move by a hundredth of the range, page keys by a tenth.
  nudge(event, k) {
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
    if (!steps) return;
    event.preventDefault();
    const { row } = this.inputs[k];
    const value = this.numbers[k] + (steps * (row.high - row.low)) / 100;
    this.change(k, Math.min(row.high, Math.max(row.low, value)));
  }

  allowed(row, value) {
    return row.hard ? Math.min(row.high, Math.max(row.low, value)) : value;
  }

  show() {
    this.numbers = typed(Float64Array, this.model.get("values"));
    this.inputs.forEach((_, k) => this.write(k));
  }

  write(k) {
    const { range, number, row } = this.inputs[k];
    const value = this.numbers[k];
    range.value = value;
    range.style.setProperty("--done", `${Math.min(100, Math.max(0, (100 * (value - row.low)) / (row.high - row.low)))}%`);
    if (document.activeElement !== number) number.value = value.toFixed(3);
  }

  change(k, value) {
    this.numbers[k] = value;
    this.write(k);
    this.send();
  }

  // One message is under way at a time; when Python has answered, the newest values follow, and none between.
  send() {
    if (this.waiting && performance.now() - this.waiting < 2000) {
      this.stale = true;
      return;
    }
    this.waiting = performance.now();
    this.stale = false;
    this.mine = true;
    this.model.set("values", new DataView(this.numbers.slice().buffer));
    this.model.set("asked", this.model.get("asked") + 1);
    this.mine = false;
    this.model.save_changes();
  }

  answered() {
    this.waiting = null;
    if (this.stale) this.send();
  }

  ask(what) {
    this.model.send({ do: what });
  }

  complain() {
    const fault = this.model.get("fault");
    this.fault.textContent = fault;
    this.fault.hidden = !fault;
  }

  close() {
    for (const [event, action] of Object.entries(this.heard)) this.model.off(event, action);
  }
}

export default {
  render({ model, el }) {
    const panel = new Panel(model, el);
    return () => panel.close();
  },
};
