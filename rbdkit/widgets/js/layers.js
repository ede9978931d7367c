// The switches of the layers.

class LayerMenu {
  constructor(model) {
    this.model = model;
    this.list = h("div", { class: "rbd-menu", role: "menu", hidden: true });
    this.open = button("layers", "Show and hide: frames, joint axes, trails, grid, ...", () => this.toggle(), { "aria-haspopup": true, "aria-expanded": false });
    this.el = h("div", { class: "rbd-layers" }, this.open, this.list);
    this.outside = (event) => this.el.contains(event.target) || this.toggle(false);
    this.el.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        this.toggle(false);
        this.open.focus();
      }
    });
  }

  load(spec) {
    const shown = this.model.get("layers");
    this.boxes = {};
    this.list.replaceChildren(
      ...spec.layers.map((layer) => {
        const box = h("input", { type: "checkbox", "data-layer": layer.name });
        box.checked = shown[layer.name] ?? layer.visible;
        box.addEventListener("change", () => {
          this.model.set("layers", { ...this.model.get("layers"), [layer.name]: box.checked });
          this.model.save_changes();
        });
        this.boxes[layer.name] = box;
        return h("label", { title: layer.tip }, box, h("span", {}, layer.label));
      })
    );
  }

  update() {
    for (const [name, visible] of Object.entries(this.model.get("layers"))) {
      if (this.boxes?.[name]) this.boxes[name].checked = visible;
    }
  }

  toggle(open = this.list.hidden) {
    this.list.hidden = !open;
    this.open.setAttribute("aria-expanded", open);
    if (open) document.addEventListener("pointerdown", this.outside);
    else document.removeEventListener("pointerdown", this.outside);
  }

  dispose() {
    document.removeEventListener("pointerdown", this.outside);
  }
}
