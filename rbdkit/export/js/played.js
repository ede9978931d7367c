// A playground whose pictures were made beforehand: its sliders go from one to the next.

class Played {
  // data: of `rbdkit.export.played`; stage: what the 3D picture keeps, or null where there is none.
  constructor(data, stage, panel) {
    Object.assign(this, { data, stage, panel, place: data.values.map((values, k) => this.nearest(values, data.now[k])) });
    panel.on("change:asked", () => this.turned());
    panel.on("send", (message) => this.asked(message));
    this.show();
  }

  nearest(values, x) {
    return values.reduce((best, value, k) => (Math.abs(value - x) < Math.abs(values[best] - x) ? k : best), 0);
  }

  turned() {
    const wanted = typed(Float64Array, this.panel.get("values"));
    const { values, together, now } = this.data;
    const place = values.map((own, k) => this.nearest(own, wanted[k]));
    const moved = place.findIndex((k, slider) => k !== this.place[slider]);
    if (!together && moved >= 0) place.forEach((_, k) => (place[k] = k === moved ? place[k] : this.nearest(values[k], now[k])));
    this.place = place;
    this.show();
    this.panel.set("answered", this.panel.get("asked"));
    queueMicrotask(() => this.panel.tell("change:values")); // the slider stands where the picture is of
  }

  // The number of the picture in the list: all values together, the last slider fastest, or slider after slider.
  number() {
    const { values, together, now } = this.data;
    if (together) return values.reduce((number, own, k) => number * own.length + this.place[k], 0);
    const turned = values.findIndex((own, k) => this.place[k] !== this.nearest(own, now[k]));
    const slider = Math.max(0, turned);
    return values.slice(0, slider).reduce((sum, own) => sum + own.length, 0) + this.place[slider];
  }

  show() {
    const { panel, stage } = this;
    const { fault = "", pose, arrows, arrow_names, ellipsoids, ellipsoid_names, ...beside } = this.data.frames[this.number()];
    panel.set("values", view_of(Float64Array.from(this.place, (k, slider) => this.data.values[slider][k])));
    panel.set("fault", fault);
    if (fault) return;
    for (const [name, value] of Object.entries(beside)) panel.set(name, value);
    if (!stage) return;
    if (pose) stage.set("_pose", pose);
    Object.assign(stage.values, { _arrow_names: arrow_names, _ellipsoid_names: ellipsoid_names, _ellipsoids: ellipsoids });
    stage.set("_arrows", arrows);
  }

  asked({ do: what }) {
    const rows = this.panel.get("rows");
    this.panel.set("values", view_of(Float64Array.from(rows.map((row) => (what === "reset" ? row.rest : at_random(row))))));
    this.turned();
  }
}
