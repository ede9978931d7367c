// A guided way through a picture: links that move the sliders, and what there is to see then.

class Tour {
  // go: takes the numbers that the sliders get, on their way and at its end.
  constructor(model, numbers, go) {
    this.model = model;
    this.numbers = numbers;
    this.go = go;
    this.seen = h("p", { class: "rbd-seen", role: "status", hidden: true });
    this.stops = h("ol", { class: "rbd-stops" });
    this.el = h("div", { class: "rbd-tour" }, this.stops, this.seen);
    this.heard = { "change:tour": () => this.build(), "change:stop": () => this.show() };
    for (const [event, action] of Object.entries(this.heard)) model.on(event, action);
    this.build();
  }

  build() {
    const tour = this.model.get("tour");
    this.el.hidden = !tour.length;
    this.links = tour.map(({ ask }, k) => h("button", { type: "button", class: "rbd-stop", onclick: () => this.visit(k) }, ask));
    this.stops.replaceChildren(...this.links.map((link) => h("li", {}, link)));
    this.show();
  }

  show() {
    const here = this.model.get("stop");
    this.links.forEach((link, k) => link.setAttribute("aria-current", k === here ? "step" : "false"));
    this.seen.textContent = this.model.get("tour")[here]?.see ?? "";
    this.seen.hidden = !this.seen.textContent;
  }

  // Sliders glide, so that one sees what changes; choices jump, and so does everything for those who want no motion.
  visit(k) {
    this.halt();
    const { numbers, jumps } = this.model.get("tour")[k];
    this.model.set("stop", k);
    this.model.save_changes();
    this.stop_gliding = glide(this.numbers().slice(), numbers, jumps, this.go);
  }

  // What a stop says of the picture does not hold where sliders have been moved since.
  leave() {
    this.halt();
    if (this.model.get("stop") < 0) return;
    this.model.set("stop", -1);
    this.model.save_changes();
  }

  halt() {
    this.stop_gliding?.();
  }

  close() {
    this.halt();
    for (const [event, action] of Object.entries(this.heard)) this.model.off(event, action);
  }
}
