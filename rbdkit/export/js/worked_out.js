// A playground whose function the page computes: numbers of the sliders in, those of the picture out.

class WorkedOut {
  // data: of `rbdkit.export.worked_out`; stage: what the 3D picture keeps, or null where there is none.
  static async open(data, stage, panel) {
    return new WorkedOut(await Kernels.load(data.kernels), data, stage, panel);
  }

  constructor(kernels, data, stage, panel) {
    Object.assign(this, { kernels, data, stage, panel });
    panel.on("change:asked", () => this.turned());
    panel.on("send", (message) => this.asked(message));
    stage?.on("change:_asked", () => this.dragged());
    this.turned();
  }

  numbers() {
    return typed(Float64Array, this.panel.get("values"));
  }

  turned() {
    this.show(this.numbers());
    this.panel.set("answered", this.panel.get("asked"));
  }

  // Which of the programs: all choices together, the last one fastest.
  variant(numbers) {
    return this.data.choices.reduce((number, count, k) => number * count + (count > 1 ? Math.round(numbers[k]) : 0), 0);
  }

  // What a program makes of numbers.
  computed(name, given, size) {
    const result = new Float64Array(size);
    const arrays = { result, ...given };
    const known = this.kernels.program(name).arrays;
    this.kernels.run(name, Object.fromEntries(known.map((array) => [array, arrays[array]])), {});
    return result;
  }

  show(x) {
    const number = this.variant(x);
    const told = this.data.variants[number];
    const numbers = [...this.computed(`picture${number}`, { x }, told.size)];
    const drawn = this.stage ? 12 * (told.poses + told.handle) + 6 * told.arrows.length + 15 * told.ellipsoids.length : 0;
    const sound = numbers.slice(0, drawn).every(Number.isFinite);
    this.panel.set("fault", sound ? "" : "here the picture has numbers that are not finite; it stays as it was");
    if (!sound) return;
    const take = (count) => numbers.splice(0, count);
    const pose = () => [...take(12), 0, 0, 0, 1];
    const placed = {};
    if (this.stage) {
      placed.poses = Array.from({ length: told.poses }, pose);
      placed.arrows = told.arrows.map(([node, ...look]) => [node, ...take(6), ...look]);
      placed.ellipsoids = told.ellipsoids.map(([node, ...color]) => [node, ...this.placed_ellipsoid(take(15)), ...color]);
      placed.handle = told.handle ? pose() : null;
    }
    for (const name of ["readout", "note", "idle", "units"]) this.panel.set(name, this.filled(told[name], numbers));
    if (this.stage) this.place(told, placed, numbers);
  }

  placed_ellipsoid([x, y, z, ...rest]) {
    const a = rest.slice(0, 9);
    const turned = seven(Float64Array.of(a[0], a[1], a[2], x, a[3], a[4], a[5], y, a[6], a[7], a[8], z, 0, 0, 0, 1), 1);
    return [...turned, ...rest.slice(9)];
  }

  place(told, { poses, arrows, ellipsoids, handle }, said) {
    const { stage } = this;
    if (poses.length) stage.set("_pose", view_of(Float32Array.of(...seven(Float64Array.from(poses.flat()), poses.length), 0)));
    Object.assign(stage.values, {
      _arrow_names: this.filled(told.arrow_names, said),
      _ellipsoid_names: this.filled(told.ellipsoid_names, said),
      _ellipsoids: view_of(Float32Array.from(ellipsoids.flat())),
    });
    stage.set("_arrows", view_of(Float32Array.from(arrows.flat())));
    const held = handle && this.data.drag ? { pose: [...seven(Float64Array.from(handle), 1)], turn: told.handle_turns } : {};
    stage.set("_handle", held);
  }

  // Texts with their numbers in them.
  filled(value, said) {
    if (Array.isArray(value)) return value.map((one) => this.filled(one, said));
    if (!value?.words) return value;
    return value.words.map((part) => (typeof part === "string" ? part : written(said[part[0]], part[1]))).join("");
  }

  // The handle moves sliders, and these the picture.
  dragged() {
    const { drag } = this.data;
    const [x, y, z, a, b, c, d] = this.stage.get("_held").pose; // the quaternion's scalar last
    const pose = Float64Array.of(
      1 - 2 * (b * b + c * c), 2 * (a * b - d * c), 2 * (a * c + d * b), x,
      2 * (a * b + d * c), 1 - 2 * (a * a + c * c), 2 * (b * c - d * a), y,
      2 * (a * c - d * b), 2 * (b * c + d * a), 1 - 2 * (a * a + b * b), z,
      0, 0, 0, 1
    );
    const values = this.numbers();
    [...this.computed("drag", { pose }, drag.length)].forEach((value, k) => (values[drag[k]] = value));
    this.put(values);
    this.stage.set("_answered", this.stage.get("_asked"));
  }

  put(values) {
    this.panel.set("values", view_of(values));
    this.panel.tell("change:values");
    this.turned();
  }

  asked({ do: what }) {
    if (what !== "reset" && what !== "random") return;
    this.put(Float64Array.from(this.panel.get("rows"), (row) => (what === "reset" ? row.rest : at_random(row))));
  }
}
