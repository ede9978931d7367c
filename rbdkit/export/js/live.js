// A motion that follows its sliders in the page itself: each drag simulates again, the motion before stays as a ghost.

const PAUSE = 800; // ms without a change after which the next one is a new drag: what stands then becomes the ghost

const SLICE = 20; // ms at a time in which it is asked which contact forces are open

// How many steps lie between two records: the number nearest below that ends the last interval at the last step, if there is one.
function records_every(steps, keys) {
  const most = Math.max(1, Math.floor(steps / keys));
  for (let every = most; 2 * every > most; every--) if (steps % every === 0) return every;
  return most;
}

// Values of a curve at other times, straight between its own; NaN before and after them.
function at_times(t, own, values, offset) {
  let k = 0;
  return Float32Array.from(t, (time) => {
    if (time < own[0] || time > own[own.length - 1]) return NaN;
    while (k + 2 < own.length && own[k + 1] < time) k++;
    if (own.length === 1) return values[offset];
    const s = (time - own[k]) / (own[k + 1] - own[k]);
    return values[offset + k] + s * (values[offset + k + 1] - values[offset + k]);
  });
}

class Live {
  static async open(data, stage, panel) {
    const kernels = await Promise.all(data.kernels.map((packaged) => Kernels.load(packaged)));
    return new Live(kernels, data, stage, panel);
  }

  constructor(kernels, data, stage, panel) {
    Object.assign(this, { kernels, data, stage, panel });
    this.slots = {};
    this.changed_at = -Infinity;
    this.warm_up();
    this.ghost = this.current = this.run(this.numbers());
    panel.on("change:asked", () => this.turned());
    panel.on("send", (message) => this.asked(message));
    this.show();
  }

  // A browser compiles a program in earnest when it is called again: the first drag is not to wait for that.
  warm_up() {
    const { q, v, dt } = this.data.start;
    for (const kernels of this.kernels) for (let k = 0; k < 2; k++) kernels.simulate({ q, v, dt, steps: 100, ...this.held() });
  }

  // What every run begins with besides coordinates and velocities.
  held() {
    const { tau, z } = this.data.start;
    return { ...(tau && { tau }), ...(z && { z }) };
  }

  numbers() {
    return typed(Float64Array, this.panel.get("values"));
  }

  // The kernels that step with some values, told of these, and what a run begins with.
  prepared(values) {
    const { start, knobs } = this.data;
    const state = { q: [...start.q], v: [...start.v], dt: start.dt, duration: start.duration, method: 0 };
    const changed = {};
    knobs.forEach(({ kind, name, entries }, k) => {
      if (kind === "parameter" || kind === "gain") {
        changed[name] ??= [...this.kernels[0].packaged.parameters[name].value];
        for (const entry of entries) changed[name][entry] = values[k];
      } else if (kind === "run") state[name] = values[k];
      else for (const entry of entries) state[kind][entry] = values[k];
    });
    const kernels = this.kernels[Math.round(state.method)];
    for (const [name, value] of Object.entries(changed)) kernels.set(name, value);
    return { kernels, state };
  }

  run(values) {
    const { keys } = this.data;
    const { kernels, state } = this.prepared(values);
    const steps = Math.max(1, Math.round(state.duration / state.dt));
    const every = records_every(steps, keys);
    const { q, v, dt } = state;
    const motion = kernels.simulate({ q, v, dt, steps, every, ...this.held() });
    const { poses } = kernels.compute("poses", motion);
    const { energies } = kernels.compute("energy", motion);
    const nodes = kernels.packaged.bodies.length;
    const drawn = drawable(poses, nodes);
    const rows = seven(poses.subarray(0, 16 * nodes * drawn), nodes);
    const fastest = () => fastest_body(poses, motion.t.subarray(0, drawn), nodes);
    const touching = motion.contacts && { touching: touching_of(motion.contacts, drawn, this.data.touching) };
    return { values, motion, drawn, energies, fastest, tracks: { t: view_of(motion.t.subarray(0, drawn)), poses: view_of(rows), beside: [], ...touching } };
  }

  turned() {
    if (this.core?.play) { // what was let go goes on with the number
      this.core.play.turned();
      return;
    }
    const begun = performance.now();
    try {
      const run = this.run(this.numbers());
      if (begun - this.changed_at > PAUSE && !Object.keys(this.slots).length) this.ghost = this.current;
      this.current = run;
      this.show();
    } catch (fault) {
      this.panel.set("fault", String(fault.message ?? fault));
    }
    this.changed_at = performance.now();
    this.panel.set("answered", this.panel.get("asked"));
  }

  show() {
    const { motion, fastest } = this.current;
    this.reshape();
    this.stage.values._plots = this.plots(); // shown with the tracks
    this.stage.set("_tracks", { ...this.current.tracks, beside: [this.ghost.tracks] });
    const ended = motion.t[motion.t.length - 1];
    const touched = contact_fault(motion.contacts, motion.ranAway, fastest);
    const why = touched || (motion.unsolved ? "the equations of a step have no solution" : "numbers ran away; a shorter dt may help");
    this.panel.set("fault", motion.ranAway ? `the motion ended after ${brief(ended)} s: ${why}` : touched);
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.tell_open(), PAUSE);
  }

  // Which contact forces the motion leaves open takes longer than a drag may: it is told when all rests, a little at a time.
  tell_open() {
    const run = this.current;
    if (run.told || !run.motion.contacts || this.core?.play) return;
    const { kernels, state } = this.prepared(run.values);
    const work = kernels.tell_open(run.motion, { dt: state.dt, ...this.held() });
    const go_on = () => {
      const begun = performance.now();
      while (performance.now() - begun < SLICE) {
        if (!work.next().done) continue;
        run.told = true;
        run.tracks = { ...run.tracks, touching: touching_of(run.motion.contacts, run.drawn, this.data.touching) };
        this.show();
        return;
      }
      this.rest = setTimeout(go_on, 0);
    };
    go_on();
  }

  // Bodies look as they are, and the ghost as they were.
  reshape() {
    const { reshape } = this.core?.graph ?? {};
    reshape?.show(this.current.values, 0);
    reshape?.show(this.ghost.values, 1);
  }

  asked({ do: what, slot }) {
    if (what === "slot" && this.core?.play) this.core.toy.take_back();
    if (what === "slot") this.go_to(slot);
    else if (what === "reset" || what === "random") {
      const rows = this.panel.get("rows");
      this.put(rows.map((row) => (what === "reset" ? row.rest : at_random(row))));
      this.turned();
    }
  }

  // Keeps the values in the slot that is left, and takes those of the other one.
  go_to(slot) {
    const left = this.panel.get("slot");
    if (slot === left) return;
    this.slots[left] = this.ghost = this.current;
    this.current = this.slots[slot] ?? this.current;
    this.panel.set("slot", slot);
    this.put(this.current.values);
    this.show();
  }

  put(values) {
    this.panel.set("values", view_of(Float64Array.from(values)));
  }

  plots() {
    return this.data.plots.map(({ title, tabs }) => ({ title, tabs: tabs.map((tab) => this.curves(tab)) }));
  }

  curves(tab) {
    const now = columns_of(this.current, tab);
    if (this.ghost === this.current) return { ...tab, t: view_of(now.t), values: view_of(now.values) };
    const before = columns_of(this.ghost, tab);
    const t = Float64Array.from(new Set([...now.t, ...before.t])).sort();
    const values = new Float32Array(2 * tab.names.length * t.length);
    [now, before].forEach((run, part) => {
      tab.names.forEach((_, k) => values.set(at_times(t, run.t, run.values, k * run.t.length), (part * tab.names.length + k) * t.length));
    });
    const names = [...tab.names, ...tab.names.map((name) => `${name} before`)];
    const colors = [...tab.colors, ...tab.colors.map((color) => `${color}55`)];
    return { ...tab, names, colors, t: view_of(t), values: view_of(values) };
  }
}
