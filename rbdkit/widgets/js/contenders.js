// The table of a comparison: a click on a row lets its motion stand out in the picture, another one lets it step back.

class Contenders {
  constructor(model, el) {
    this.model = model;
    this.el = h("div", { class: "rbd-contenders" });
    this.el.innerHTML = model.get("content");
    el.append(this.el);
    this.rows = [...this.el.querySelectorAll("tbody tr")];
    for (const row of this.rows) {
      row.tabIndex = 0;
      row.title = "Click: this motion stands out in the picture";
      row.addEventListener("click", () => this.turn(row));
      row.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        this.turn(row);
      });
    }
    this.heard = () => this.show();
    model.on("change:standing", this.heard);
    this.show();
  }

  turn({ dataset }) {
    this.model.set("standing", this.model.get("standing") === dataset.label ? "" : dataset.label);
    this.model.save_changes();
  }

  show() {
    for (const row of this.rows) row.setAttribute("aria-selected", row.dataset.label === this.model.get("standing"));
  }

  close() {
    this.model.off("change:standing", this.heard);
    this.el.remove();
  }
}

export default {
  render({ model, el }) {
    const contenders = new Contenders(model, el);
    return () => contenders.close();
  },
};
