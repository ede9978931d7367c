// Sliders with what comes out of them: a table of numbers, a sentence, a drawing.

class Playground extends Panel {
  constructor(model, el) {
    super(model, el);
    this.el.classList.add("rbd-playground");
    this.el.classList.toggle("rbd-alone", model.get("alone"));
    this.readout = h("div", { class: "rbd-readout" });
    this.note = h("p", { class: "rbd-sentence" });
    this.drawing = h("div", { class: "rbd-drawn" });
    const controls = h("div", { class: "rbd-controls" });
    this.tour = new Tour(model, () => this.numbers, (numbers) => this.change_all(numbers));
    this.el.addEventListener("pointerdown", (event) => this.tour.el.contains(event.target) || this.tour.halt());
    controls.append(...this.el.childNodes, this.tour.el, this.readout, this.note);
    this.el.append(how_made(model));
    this.el.append(controls, this.drawing);
    const shown = { "change:readout": () => this.read_out(), "change:note": () => this.say(), "change:drawing": () => this.draw(), "change:idle": () => this.rest(), "change:units": () => this.rest() };
    for (const [event, action] of Object.entries(shown)) model.on(event, action);
    Object.assign(this.heard, shown);
    this.read_out();
    this.say();
    this.draw();
    this.rest();
  }

  build() {
    super.build();
    this.rest();
  }

  // Sliders that do nothing as the others stand step back; the units of some depend on others.
  rest() {
    const [idle, units] = [this.model.get("idle") ?? [], this.model.get("units") ?? {}];
    for (const row of this.rows.children) {
      const { row: name } = row.dataset;
      row.classList.toggle("rbd-idle", idle.includes(name));
      row.inert = idle.includes(name);
      if (name in units) row.querySelector(".rbd-unit").textContent = unit_text(units[name]);
    }
  }

  change(k, value) {
    this.tour.leave();
    super.change(k, value);
  }

  ask(what) {
    this.tour.leave();
    super.ask(what);
  }

  glide_to(values) {
    this.tour.leave();
    super.glide_to(values);
  }

  close() {
    this.tour.close();
    super.close();
  }

  read_out() {
    const rows = this.model.get("readout").map(([name, value]) => [h("b", {}, ...typeset(name)), h("span", {}, signs(value))]);
    this.readout.replaceChildren(...rows.flat());
    this.readout.hidden = !rows.length;
  }

  say() {
    this.note.textContent = this.model.get("note");
    this.note.hidden = !this.note.textContent;
  }

  // The drawing is SVG that Matplotlib made in the kernel.
  draw() {
    this.drawing.innerHTML = this.model.get("drawing");
    this.drawing.hidden = !this.drawing.innerHTML;
  }
}
