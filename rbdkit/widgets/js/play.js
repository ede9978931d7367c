// A model that moves as time goes by, simulated in the page itself, and hands that pull at its bodies.

const PICTURE = 12; // ms that the steps of one picture may take; what does not fit is lost, and said
const LONGEST = 0.1; // s between two pictures that are made up for, as after the page was out of sight
const HIDDEN = 2; // s between two pictures, from which on nobody looked
const WINDOW = 10; // s that the plots show
const PLOT_EVERY = 120; // ms
const LOOK_EVERY = 500; // ms between looks at which contact forces are open, which takes as long as many steps
const TELL_EVERY = 500; // ms
const QUICKNESS = 10; // rad/s with which what is held swings about the hand, at strength 1
const LIFT = 0.06; // of the picture's size: how far a hand is ahead of what it lifts, at strength 1
const GAINED = 0.05; // part of the energy that moves about, from which on a gain that no force explains is said
const PROBE = 1e-6; // s of the step that tells how heavy a point is

class Play {
  static async open(core, data) {
    return new Play(core, await Promise.all(data.kernels.map((packaged) => Kernels.load(packaged))), data);
  }

  // data: of `rbdkit.scene.in_page`, with bodies (those that can be pulled), hand (a color) and measured (whether work is counted).
  // panel: of sliders that stand beside the picture already, or none.
  constructor(core, methods, data, panel = null) {
    Object.assign(this, { core, methods, kernels: methods[0], data, strength: 1, rate: 1, running: false, share: 1 });
    this.bars = new Set();
    this.panel = panel ?? new Traits({ ...data.panel });
    if (!panel) {
      this.panel.on("change:asked", () => this.turned());
      this.panel.on("send", (message) => this.asked(message));
    }
    const { q, v, dt } = data.start;
    for (const kernels of methods) {
      for (let k = 0; k < 2; k++) kernels.simulate({ q, v, dt, steps: 100, ...this.held() }); // then it is compiled in earnest
    }
    this.reset();
  }

  held() {
    const { tau, z } = this.data.start;
    return { ...(tau && { tau }), ...(z && { z }) };
  }

  // --- time ---------------------------------------------------------------------------------------------------------

  reset() {
    this.pause();
    for (const body of Object.keys(this.pulls ?? {})) this.let_go(body);
    this.pulls = {};
    const { start, knobs } = this.data;
    const values = typed(Float64Array, this.panel.get("values"));
    Object.assign(this, { q: [...start.q], v: [...start.v], dt: start.dt, fault: "" });
    knobs.forEach(({ kind, name, entries }, k) => {
      if (kind === "q" || kind === "v") for (const entry of entries) this[kind][entry] = values[k];
      else if (kind === "run" && name === "dt") this.dt = values[k];
    });
    this.put_parameters();
    this.z = start.z ? [...start.z] : this.kernels.initialZ();
    this.begin();
    this.show();
  }

  // A motion begins: what was before has other numbers in it, or jumped.
  begin() {
    Object.assign(this, { t: 0, owed: 0, past: [], untold: [], untold_pulls: [], told_values: null, begun: true });
    Object.assign(this, { goes_on: false, places: [], open: new Set(), looked: -Infinity, alarm: "", lowest: Infinity, moving_energy: 0, heights: [Infinity, -Infinity] });
    this.record();
  }

  play() {
    if (this.running || this.fault) return;
    this.running = true;
    this.last = performance.now();
    this.core.model.set("playing", true);
    const tick = (now) => {
      if (!this.running) return;
      this.step(now);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    this.show_bars();
  }

  pause() {
    if (!this.running) return;
    this.running = false;
    this.core.model.set("playing", false);
    this.look_for_open();
    this.tell();
    this.plot();
    this.show();
  }

  toggle() {
    if (this.running) this.pause();
    else this.play();
  }

  step(now) {
    const passed = Math.max(0, now - this.last) / 1000;
    this.owed += Math.min(LONGEST, passed) * this.rate;
    this.last = now;
    const wanted = Math.floor(this.owed / this.dt);
    const steps = Math.min(wanted, this.most ?? wanted);
    this.owed = steps < wanted ? 0 : this.owed - steps * this.dt;
    const lost = passed < HIDDEN ? (Math.max(0, passed - LONGEST) * this.rate) / this.dt : 0; // steps that drawing left no time for
    this.share = wanted ? 0.9 * this.share + (0.1 * steps) / (wanted + lost) : this.share;
    if (steps) {
      const begun = performance.now();
      this.advance(steps);
      const spent = Math.max(performance.now() - begun, 1e-3) / steps; // ms a step
      this.cost = this.cost === undefined ? spent : 0.8 * this.cost + 0.2 * spent;
      this.most = Math.max(1, Math.floor(PICTURE / this.cost));
    }
    if (now - (this.plotted ?? 0) > PLOT_EVERY) this.plot();
    if (now - (this.told ?? 0) > TELL_EVERY) this.tell();
  }

  // That many steps from the present state, with hands where they are.
  advance(steps) {
    const { q, v, z, dt, t } = this;
    this.move_hands();
    this.data.bodies.forEach((body, k) => {
      const pull = this.pulls[body];
      if (pull) this.untold_pulls.push([t, k, ...pull.point, ...pull.target, pull.stiffness, pull.damping]);
    });
    const { goes_on } = this;
    this.goes_on = true;
    const motion = this.kernels.simulate({ q, v, z, dt, steps, every: steps, t, goes_on, ...(this.data.start.tau && { tau: this.data.start.tau }) });
    const lost = motion.ranAway || first_unsound(this.kernels.compute("poses", { q: motion.q.slice(-q.length) }).poses) >= 0;
    if (lost) {
      const ran_away = "the motion ran away; a shorter step or a weaker pull may help";
      this.fault = contact_fault(motion.contacts, true) || (motion.unsolved ? "the equations of a step have no solution" : ran_away);
      this.pause();
      this.panel.set("fault", this.fault);
      this.show_bars();
      return;
    }
    const last = (values, size) => Array.from(size ? values.slice(-size) : []);
    this.q = last(motion.q, q.length);
    this.v = last(motion.v, v.length);
    this.z = last(motion.z, z.length);
    this.t = t + steps * dt;
    if (motion.contacts) {
      this.places = this.kernels.touched(dt);
      if (performance.now() - this.looked > LOOK_EVERY) this.look_for_open();
      else this.mark_open();
    }
    this.record();
    this.show();
  }

  // Which forces of the last step the motion leaves open.
  look_for_open() {
    if (!this.places.length) return;
    this.open = this.kernels.open_slots();
    this.looked = performance.now();
    this.mark_open();
  }

  mark_open() {
    for (const place of this.places) place.open = this.open.has(place.slot);
  }

  // --- hands ----------------------------------------------------------------------------------------------------------

  // A body is taken at what lies under the pointer; with Shift it is pinned there, or let go if it was pinned.
  grasp(found, sight, pin) {
    const body = found && this.kernels.packaged.bodies[this.core.graph.spec.nodes.indexOf(found.node)];
    if (!this.data.bodies.includes(body)) return false;
    if (pin && this.pulls[body]?.pinned) {
      this.let_go(body);
      this.show();
      return false;
    }
    const world = new this.core.graph.THREE.Vector3(...found.point);
    const point = point_on(this.node(body), world);
    const mass = this.weight(body, point);
    const quick = pin ? Math.min(0.2 / this.dt, 150) : QUICKNESS * Math.sqrt(this.strength);
    const stiffness = Math.max(mass * quick * quick, mass && !pin ? this.strength * this.lifting(body) : 0);
    this.pulls[body] = {
      point, target: world.toArray(), stiffness, damping: (pin ? 2 : 1) * Math.sqrt(stiffness * mass), pinned: pin,
    };
    this.fresh = true;
    this.moving = pin ? null : body;
    this.plane = { through: world, normal: sight.direction.clone() };
    this.core.graph.select([found.node], this.core.model.get("_accent"));
    this.show();
    return !pin;
  }

  // Stiffness, N/m, of a hand that lifts a body off the ground within a part of the picture.
  lifting(body) {
    const { weights, bodies } = this.data;
    return weights ? weights[bodies.indexOf(body)] / (LIFT * this.core.graph.size()) : 0;
  }

  drag(sight) {
    const pull = this.pulls[this.moving];
    if (!pull) return;
    pull.target = in_plane(sight, this.plane) ?? pull.target;
    this.fresh = true;
    if (!this.running) this.show();
  }

  release() {
    if (this.moving) this.let_go(this.moving);
    this.moving = null;
    this.show();
  }

  let_go(body) {
    delete this.pulls[body];
    for (const what of ["stiffness", "damping"]) this.kernels.set(`${hand_of(body)}.${what}`, 0);
    this.core.graph.select([], this.core.model.get("_accent"));
  }

  move_hands() {
    if (!this.fresh) return;
    this.fresh = false;
    for (const [body, pull] of Object.entries(this.pulls)) {
      for (const what of ["point", "target", "stiffness", "damping"]) this.kernels.set(`${hand_of(body)}.${what}`, pull[what]);
    }
  }

  // How heavy a point of a body is to move, kg: three over the sum of the accelerations that a newton along each axis gives it.
  weight(body, point) {
    const { kernels, q, z } = this;
    const place = this.place(body, point);
    const set = (stiffness, target) => {
      for (const [what, value] of Object.entries({ point, target, stiffness, damping: 0 })) kernels.set(`${hand_of(body)}.${what}`, value);
    };
    const number = kernels.packaged.bodies.indexOf(body);
    const R = this.rotation(number);
    const velocity = () => {
      const rest = new Array(this.v.length).fill(0);
      const { v } = kernels.simulate({ q, v: rest, z, dt: PROBE, steps: 1, t: this.t, apart: true, ...(this.data.start.tau && { tau: this.data.start.tau }) });
      const { velocities } = kernels.compute("kinematics", { q, v: v.slice(-rest.length) });
      const [wx, wy, wz, vx, vy, vz] = velocities.slice(6 * number, 6 * number + 6);
      const [x, y, z_] = point;
      const own = [vx + wy * z_ - wz * y, vy + wz * x - wx * z_, vz + wx * y - wy * x];
      return R.map((row) => row[0] * own[0] + row[1] * own[1] + row[2] * own[2]);
    };
    set(0, place);
    const free = velocity();
    let sum = 0;
    for (let axis = 0; axis < 3; axis++) {
      set(1, place.map((x, k) => x + (k === axis ? 1 : 0)));
      sum += (velocity()[axis] - free[axis]) / PROBE;
    }
    set(0, place);
    return sum > 1e-9 ? 3 / sum : 0; // nothing moves it
  }

  rotation(number) {
    const { poses } = this.kernels.compute("poses", { q: this.q });
    const m = poses.subarray(16 * number, 16 * number + 16);
    return [0, 4, 8].map((k) => [m[k], m[k + 1], m[k + 2]]);
  }

  // Where a point of a body is in the world.
  place(body, point) {
    const node = this.node(body);
    node.updateMatrixWorld(true);
    return new this.core.graph.THREE.Vector3(...point).applyMatrix4(node.matrixWorld).toArray();
  }

  // Nodes of bodies come first in the picture, in their order.
  node(body) {
    return this.core.graph.nodes[this.kernels.packaged.bodies.indexOf(body)];
  }

  // Force of all hands, N, and the work that they have done since the motion began, J.
  effort() {
    const force = Object.entries(this.pulls).filter(([, { pinned }]) => !pinned).map(([body, { point, target, stiffness }]) => {
      const place = this.place(body, point);
      return stiffness * Math.hypot(...target.map((x, k) => x - place[k]));
    });
    return { force: force.length ? force[0] : null, work: this.work(this.z) };
  }

  work(z) {
    return this.data.measured ? z.slice(-this.data.bodies.length).reduce((sum, x) => sum + x, 0) : NaN;
  }

  // --- sliders --------------------------------------------------------------------------------------------------------

  put_parameters() {
    const values = typed(Float64Array, this.panel.get("values"));
    this.data.knobs.forEach(({ kind, name }, k) => kind === "run" && name === "method" && this.go_by(this.methods[Math.round(values[k])]));
    const changed = {};
    this.data.knobs.forEach(({ kind, name, entries }, k) => {
      if (kind !== "parameter" && kind !== "gain") return;
      changed[name] ??= [...this.kernels.packaged.parameters[name].value];
      for (const entry of entries) changed[name][entry] = values[k];
    });
    for (const [name, value] of Object.entries(changed)) this.kernels.set(name, value);
    this.core.graph.reshape?.show(values, 0);
  }

  // Another integrator: hands that pull go on to pull.
  go_by(kernels) {
    if (kernels === this.kernels) return;
    this.kernels = kernels;
    this.cost = undefined;
    for (const body of this.data.bodies) {
      for (const what of ["stiffness", "damping"]) kernels.set(`${hand_of(body)}.${what}`, 0);
    }
    this.fresh = true;
    this.goes_on = false;
  }

  turned() {
    const values = typed(Float64Array, this.panel.get("values"));
    this.put_parameters();
    this.data.knobs.forEach(({ kind, name }, k) => {
      if (kind === "run" && name === "dt") this.dt = values[k];
    });
    this.begin();
    this.tell(); // with these numbers: none of the states before go with them
    this.panel.set("fault", "");
    this.fault = "";
    this.panel.set("answered", this.panel.get("asked"));
    if (!this.running) this.show();
  }

  asked({ do: what }) {
    const rows = this.panel.get("rows");
    this.panel.set("values", view_of(Float64Array.from(rows.map((row) => (what === "reset" ? row.rest : at_random(row))))));
    this.turned();
  }

  // --- what is seen ---------------------------------------------------------------------------------------------------

  show() {
    const { graph, arrows } = this.core;
    const { poses } = this.kernels.compute("poses", { q: this.q });
    graph.pose(seven(poses, this.kernels.packaged.bodies.length), 0);
    const hands = Object.entries(this.pulls).filter(([, { stiffness }]) => stiffness > 0);
    const pulling = hands.flatMap(([body, { point, target }]) => {
      const place = this.place(body, point);
      return [0, ...place, ...target.map((x, k) => x - place[k] || 1e-9), ...this.data.hand, 0];
    });
    const touching = this.touching();
    arrows.show([...pulling, ...touching.arrows], Boolean(this.data.touching));
    if (this.data.touching) this.core.ellipsoids.show(touching.cones, true);
    this.core.moved();
    this.show_bars();
  }

  // Forces where bodies touch, as long as the weight of all bodies says.
  touching() {
    const { touching: colors, weight } = this.data;
    if (!colors) return { arrows: [], cones: [] };
    const { graph } = this.core;
    const near = this.places.filter(({ gap, force }) => gap <= 0 || Math.hypot(...force) > 0);
    const scale = (LONGEST_FORCE * graph.size()) / weight;
    return new Touching({ ...touching_of({ entries: near }, 1, colors), scale }, graph).drawn(0);
  }

  show_bars() {
    for (const bar of this.bars) bar.show();
  }

  record() {
    const { t, q, v, z } = this;
    const { energies } = this.kernels.compute("energy", { q, v, z, t: [t] });
    this.past.push({ t, q, v, energies, work: this.work(z) });
    this.judge(energies);
    while (this.past.length > 2 && this.past[0].t < t - WINDOW) this.past.shift();
    this.untold.push([t, ...q, ...v, ...z]);
  }

  // Energy that neither a hand nor a force brought in comes from steps that are too long: that is said in the picture.
  judge([kinetic, ...stored]) {
    if (!this.data.sealed) return;
    const potential = stored.reduce((sum, x) => sum + x, 0);
    const total = kinetic + potential;
    if (Object.values(this.pulls).some(({ stiffness }) => stiffness > 0)) this.lowest = Infinity;
    this.lowest = Math.min(this.lowest, total);
    this.moving_energy = Math.max(this.moving_energy, kinetic);
    this.heights = [Math.min(this.heights[0], potential), Math.max(this.heights[1], potential)];
    const scale = Math.max(this.data.sealed.least, this.moving_energy + this.heights[1] - this.heights[0]);
    const gained = total - this.lowest;
    if (this.alarm || !(gained > GAINED * scale)) return;
    this.alarm = `STEP TOO LONG: ${brief(gained)} J of the ${brief(scale)} J that move about came from nowhere until ${this.t.toFixed(2)} s`;
  }

  // Tabs of the plots over the last seconds.
  plots() {
    const { past } = this;
    const t = Float64Array.from(past, (moment) => moment.t);
    const q = Float64Array.from(past.flatMap((moment) => moment.q));
    const v = Float64Array.from(past.flatMap((moment) => moment.v));
    const energies = Float64Array.from(past.flatMap((moment) => [...moment.energies]));
    const run = { motion: { t, q, v }, energies };
    return this.data.plots.map(({ title, tabs }) => ({
      title,
      tabs: tabs.map((tab) => {
        const { values } = columns_of(run, { ...tab, columns: tab.columns.filter((k) => k !== "work") });
        const work = tab.columns.includes("work") ? Float32Array.from(past, (moment) => moment.work) : new Float32Array(0);
        return { ...tab, t: view_of(t), values: view_of(Float32Array.from([...values, ...work])) };
      }),
    }));
  }

  plot() {
    this.plotted = performance.now();
    const plots = this.plots();
    this.core.player.t = this.t; // where the cursor stands
    for (const face of this.core.faces) {
      face.charts.forEach((chart, k) => chart.renew(plots[k]));
    }
  }

  // What was played since it was told last: states, and what hands did in the time after each.
  tell() {
    this.told = performance.now();
    if (!this.untold.length) return;
    const values = Array.from(typed(Float64Array, this.panel.get("values")));
    const message = { do: "played", begun: this.begun, values };
    const rows = [this.untold, this.untold_pulls].map((list) => view_of(Float64Array.from(list.flat())));
    this.core.model.send(message, undefined, rows);
    Object.assign(this, { untold: [], untold_pulls: [], begun: false });
  }

  dispose() {
    this.running = false;
    this.bars.clear();
  }
}

const hand_of = (body) => `hand on ${body}`;

// The bar below the picture of what is played.
class PlayBar {
  constructor(play) {
    this.play = play;
    this.toggle = button("play", "Play (space)", () => play.toggle(), { class: "rbd-button rbd-play" });
    this.time = h("output", { class: "rbd-time", title: "Time" });
    this.effort = h("output", { class: "rbd-effort", title: "Force of the hand, and the work that all hands have done" });
    this.open = h("output", { class: "rbd-hint rbd-open", hidden: true, title: "Rigid bodies do not determine how points share these forces: one of many" }, "pale forces are shares, not determined");
    this.alarm = h("output", { class: "rbd-fault rbd-alarm", role: "alert", hidden: true });
    this.rate = h("select", { class: "rbd-rate", title: "Speed against real time", "aria-label": "Speed",
      onchange: () => (play.rate = Number(this.rate.value)) }, ...[0.05, 0.1, 0.25, 0.5, 1, 2].map((r) => h("option", { value: r }, `${r}\u00d7`)));
    this.rate.value = play.rate;
    this.strength = h("input", { type: "range", class: "rbd-scrub rbd-strength", min: -1, max: 1.3, step: "any", value: 0,
      title: "How strong the hand is", "aria-label": "Strength of the hand" });
    this.strength.addEventListener("input", () => (play.strength = 10 ** Number(this.strength.value)));
    this.el = h("div", { class: "rbd-transport", role: "group", "aria-label": "Play" },
      button("first", "Back to the start (Home)", () => play.reset()), this.toggle, this.time, this.rate,
      this.effort, this.open, h("span", { class: "rbd-hint" }, "strength"), this.strength, this.alarm);
    play.bars.add(this);
    this.show();
  }

  show() {
    const { play } = this;
    const behind = play.running && play.share < 0.95 ? `, ${Math.round(100 * play.share)} % of real time` : "";
    this.time.textContent = `${play.t.toFixed(2)} s${behind}`;
    this.alarm.textContent = play.fault || play.alarm;
    this.alarm.hidden = !this.alarm.textContent;
    this.open.hidden = !play.places.some(({ open, force }) => open && Math.hypot(...force) > 0);
    const { force, work } = play.effort();
    const parts = [force === null ? "" : `${brief(force)} N`, Number.isFinite(work) && work !== 0 ? `${brief(work)} J put in` : ""];
    this.effort.textContent = parts.filter(Boolean).join(" \u00b7 ");
    if (this.shown !== play.running) {
      this.shown = play.running;
      this.toggle.replaceChildren(icon(play.running ? "pause" : "play"));
      const tip = play.running ? "Pause (space)" : "Play (space)";
      this.toggle.title = tip;
      this.toggle.setAttribute("aria-label", tip);
    }
  }

  dispose() {
    this.play.bars.delete(this);
  }
}
