// rbdkit's compiled algorithms in a page: `const kernels = await Kernels.load(packaged)`.
//
// States are flat arrays of numbers, one state after the other. SI units and radians, as in Python.

class Kernels {
  static async load(packaged) {
    const memory = new WebAssembly.Memory({ initial: 1 });
    const { instance } = await WebAssembly.instantiate(decoded(packaged.code), { rbdkit: { memory } });
    return new Kernels(packaged, memory, instance.exports);
  }

  constructor(packaged, memory, programs) {
    this.packaged = packaged;
    this.memory = memory;
    this.programs = programs;
    this.places = {}; // of the model's arrays: address and size
    this.free = 0; // where the room for the arrays of a call begins
    for (const [name, text] of Object.entries(packaged.numbers)) this.keep(name, new Float64Array(decoded(text).buffer));
    for (const [name, text] of Object.entries(packaged.tables)) this.keep(name, new Int32Array(decoded(text).buffer));
    for (const [name, size] of Object.entries(packaged.room)) this.keep(name, new Float64Array(size));
  }

  // Give an array a place for good.
  keep(name, values) {
    this.places[name] = { address: this.free, size: values.length };
    this.free = this.write(this.free, values);
  }

  // Write an array to an address; returns the next one that is free, a multiple of 8.
  write(address, values) {
    const end = address + 8 * Math.ceil(values.byteLength / 8);
    const missing = end - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / 65536));
    new values.constructor(this.memory.buffer, address, values.length).set(values);
    return end;
  }

  // The model's numbers of that name, as they stand in memory now.
  numbers(name) {
    const { address, size } = this.places[name];
    return new Float64Array(this.memory.buffer, address, size);
  }

  // A table or an array as it lies in memory, whatever its numbers are.
  words(name) {
    const { address, size } = this.places[name];
    return new (name in this.packaged.tables ? Int32Array : Float64Array)(this.memory.buffer, address, size);
  }

  // Change a parameter, a number or several; nothing is compiled. Its name must have been packaged.
  set(name, value) {
    const parameter = this.packaged.parameters[name];
    if (!parameter) {
      const known = Object.keys(this.packaged.parameters).join(", ") || "none";
      throw new Error(`parameter '${name}' cannot be changed; it is not one of those that were packaged: ${known}`);
    }
    const values = [value].flat(Infinity);
    if (values.length !== parameter.value.length || !values.every(Number.isFinite)) {
      throw new Error(`parameter '${name}' takes ${parameter.value.length} finite numbers, not [${values}]`);
    }
    this.numbers(parameter.array ?? "parameters").set(values, parameter.first);
    if (!parameter.array) this.run("adjust", {}, {});
  }

  program(name) {
    const { programs } = this.packaged;
    if (!(name in programs)) throw new Error(`'${name}' was not packaged, but ${Object.keys(programs).join(", ")}`);
    return programs[name];
  }

  // Run a program on arrays of the call and of the model. Arrays of the call hold afterwards what it has written.
  run(name, arrays, counts) {
    const program = this.program(name);
    const places = { ...this.places };
    let end = this.free;
    for (const [array, values] of Object.entries(arrays)) {
      places[array] = { address: end };
      end = this.write(end, values);
    }
    const missing = program.arrays.filter((array) => !(array in places));
    if (missing.length) throw new Error(`'${name}' needs ${missing.join(", ")}`);
    const numbers = { ...this.packaged.counts, ...program.lengths, ...counts };
    const frame = [...program.arrays.map((array) => places[array].address), ...program.counts.map((n) => numbers[n])];
    this.write(end, new Int32Array(frame));
    this.programs[name](end);
    for (const [array, values] of Object.entries(arrays)) {
      values.set(new Float64Array(this.memory.buffer, places[array].address, values.length));
    }
  }

  // An algorithm on states, for example compute("energy", { q, v }).energies; the inputs have the names of Python's.
  compute(algorithm, inputs) {
    const { nq, nv, nz } = this.packaged.counts;
    const program = this.program(algorithm);
    const states = Math.max(1, Math.floor(inputs.q.length / nq));
    const arrays = {};
    for (const name of program.arrays.filter((array) => array in inputs)) {
      arrays[name] = sized(name, inputs[name], states * ({ q: nq, z: nz, t: 1 }[name] ?? nv));
    }
    const outputs = {};
    for (const [name, size] of Object.entries(program.outputs)) outputs[name] = new Float64Array(states * size);
    this.run(algorithm, { ...arrays, ...outputs }, { states });
    return outputs;
  }

  // States of force elements where a motion begins, as the elements say.
  initialZ() {
    return this.packaged.states.first.map((k) => this.numbers("own_numbers")[k]);
  }

  // The motion from a state in steps of dt, every n-th state recorded: { t, q, v, z, ranAway, unsolved }, the first too.
  // tau: joint forces, nv numbers; or a row of nv for each step, held; or one more, with straight lines between.
  // A run ends before the first state that is not finite; if there is none as equations have no solution, it is unsolved.
  // A motion that goes on from an earlier one begins at its time t, which torque laws are asked with.
  // Where bodies touch: contacts, how well they were solved and the places of each recorded state but the last; goes_on, as
  // an earlier motion ended; apart, nothing touches, and what is known of the step before is kept.
  simulate({ q, v, dt, steps, t = 0, every = 1, tau = new Array(v.length).fill(0), z = this.initialZ(), goes_on = false, apart = false }) {
    const { nq, nv, nz } = this.packaged.counts;
    const records = Math.floor(steps / every);
    const step = tau.length === nv ? 0 : nv;
    const rows = [1, steps, steps + 1].find((n) => tau.length === n * nv) ?? 1;
    const rates = joined(sized("v", v, nv), sized("z", z, nz));
    const state = { x: sized("q", q, nq), v: rates.slice(), tau: sized("tau", tau, rows * nv) };
    const record = { x_record: new Float64Array(records * nq), v_record: new Float64Array(records * (nv + nz)) };
    const times = Float64Array.from({ length: steps + 1 }, (_, k) => t + k * dt);
    const straight = step && rows > steps;
    const counts = { first: 0, records, every, tau_step: step, tau_next: straight ? nv : 0 };
    const solves = {};
    if (this.program("simulate").arrays.includes("hardest")) {
      const row = this.places.hardest.size; // nothing of an earlier motion is kept
      solves.hardest = new Float64Array(row);
      solves.solve_record = new Float64Array(records * row);
      solves.kept = new Float64Array(this.places.kept.size);
    }
    const { touching } = this.packaged;
    let made;
    let contacts;
    if (touching) ({ made, contacts } = this.step({ state, times, record, counts, goes_on, apart }));
    else {
      this.run("simulate", { ...state, times, ...record, ...solves }, counts);
      made = this.numbers("done")[0];
    }
    const kept = Math.floor(made / every);
    const moving = joined(rates, record.v_record.subarray(0, kept * (nv + nz)));
    return {
      t: times.filter((_, k) => k % every === 0 && k <= kept * every),
      q: joined(q, record.x_record.subarray(0, kept * nq)),
      v: moving.filter((_, k) => k % (nv + nz) < nv),
      z: moving.filter((_, k) => k % (nv + nz) >= nv),
      ranAway: kept < records,
      unsolved: kept < records && solves.hardest !== undefined && solves.hardest[2] > 0.5,
      ...(touching && { contacts }),
    };
  }

  // The steps of a model whose bodies touch: again and again where the log of contacts was full before the end.
  step({ state, times, record, counts, goes_on, apart }) {
    const { touching, counts: of_model } = this.packaged;
    const { every, records } = counts;
    const steps = records * every;
    const before = apart ? touching.kept.map((name) => this.words(name).slice()) : [];
    if (!goes_on || apart) for (const name of touching.kept) this.words(name).fill(0);
    const nothing = {}; // where pairs begin and end that nothing may touch
    if (apart) {
      nothing.n_gridded = 0;
      for (const [name, value] of Object.entries(of_model)) {
        if (name.startsWith("first_")) for (const end of ["end_", "singly_"]) nothing[name.replace("first_", end)] = value;
      }
    }
    this.numbers("account").fill(0);
    this.numbers("log_state").set([0, 0, every, 0]);
    const entries = [];
    let made = 0;
    while (made < steps) {
      const whole = made % every === 0;
      const part = whole ? { records: (steps - made) / every, every } : { records: 1, every: every - (made % every) };
      const from = Math.floor(made / every);
      const rows = {};
      for (const [name, values] of Object.entries(record)) rows[name] = values.subarray((from * values.length) / records);
      this.numbers("turns").fill(1);
      this.run("simulate", { ...state, times, ...rows }, { ...counts, ...nothing, ...part, first: made });
      const done = this.numbers("done")[0];
      const taken = this.numbers("log_state")[0];
      const log = this.numbers("log");
      for (let k = 0; k < taken * touching.entry; k += touching.entry) {
        if (this.in_space(log[k + 1])) entries.push([(log[k] + made) / every, ...log.subarray(k + 1, k + touching.entry)]);
      }
      log.fill(0, 0, taken * touching.entry);
      this.numbers("log_state")[0] = 0;
      made += done;
      if (done < part.records * part.every && (this.numbers("turns")[0] > 0 || done + taken === 0)) break; // it cannot go on
    }
    touching.kept.forEach((name, k) => before[k] && this.words(name).set(before[k]));
    const account = this.numbers("account").slice();
    if (made === steps && !goes_on && !apart) { // what acts from the last state on
      const [x, v] = [state.x.slice(), state.v.slice()];
      const tau = state.tau.slice(-this.packaged.counts.nv);
      const kept = touching.kept.map((name) => this.words(name).slice());
      const onwards = Float64Array.of(times[steps], 2 * times[steps] - times[steps - 1]);
      const rows = Object.fromEntries(Object.keys(record).map((name) => [name, new Float64Array(record[name].length / records)]));
      this.run("simulate", { x, v, tau, times: onwards, ...rows }, { ...counts, tau_step: 0, tau_next: 0, first: 0, records: 1, every: 1 });
      touching.kept.forEach((name, k) => this.words(name).set(kept[k]));
      const log = this.numbers("log");
      for (let k = 0; k < this.numbers("log_state")[0] * touching.entry; k += touching.entry) {
        if (this.in_space(log[k + 1])) entries.push([records, ...log.subarray(k + 1, k + touching.entry)]);
      }
    }
    entries.sort((a, b) => a[0] - b[0] || a[1] - b[1]); // as records have them: sweeps go another way
    const told = Object.fromEntries(Object.entries(touching.account).map(([name, k]) => [name, account[k]]));
    return { made, contacts: { ...told, speed: this.numbers("measures")[0], entries: entries.map((entry) => this.told(entry)) } };
  }

  // Whether a slot is one where shapes touch; behind these are those of stops, and what is below 0 is none.
  in_space(slot) {
    return slot >= 0 && slot < this.packaged.touching.in_space;
  }

  // What is known of a place where shapes touch: number of its state, its pair, and forces on the successor.
  told([state, slot, gap, x, y, z, ...both]) {
    const { pair, surface, sense } = this.packaged.touching;
    const [nx, ny, nz, fx, fy, fz] = both.map((value) => sense[slot] * value);
    const friction = this.numbers("surfaces")[surface[slot]];
    return { state, slot, pair: pair[slot], gap, point: [x, y, z], normal: [nx, ny, nz], force: [fx, fy, fz], friction };
  }

  // The places that the last step of a simulation listed, as `told`; dt: its length.
  touched(dt) {
    const { at } = this.packaged.touching;
    const [contacts, origin] = [this.numbers("contacts"), this.numbers("base_origin")];
    const three = (first) => Array.from(contacts.subarray(first, first + 3));
    return this.listed().filter(([, slot]) => this.in_space(slot)).map(([c, slot]) => {
      const row = c * at.state;
      const point = three(row + at.point).map((x, k) => x + origin[k]);
      const [p_n, p_1, p_2] = three(row + at.impulse);
      const [n, t_1, t_2] = [0, 3, 6].map((k) => three(row + at.normal + k));
      const force = n.map((x, k) => (x * p_n + t_1[k] * p_1 + t_2[k] * p_2) / dt);
      return this.told([0, slot, contacts[row + at.gap], ...point, ...n, ...force]);
    });
  }

  // Number and slot of each contact of the last step.
  listed() {
    const { at } = this.packaged.touching;
    const parts = this.words("contact_parts");
    return Array.from({ length: this.words("contact_counts")[0] }, (_, c) => [c, Number(parts[c * at.part])]);
  }

  // The slots of the last step of a simulation whose forces the motion leaves open. It decides a rank: not for every picture.
  open_slots() {
    const listed = this.listed();
    const [fast, long] = this.numbers("measures");
    const open = open_forces(listed.map(([c]) => this.pressed(c)), fast, long);
    return new Set(listed.filter((_, k) => open[k]).map(([, slot]) => slot));
  }

  // Say of every entry of a simulation's contacts whether the motion leaves its force open, by a step from its state: from one state for all
  // that touch at the same places, where the same ones slide. Gives control back after each.
  *tell_open({ t, q, v, z, contacts }, { dt, tau }) {
    const [nq, nv, nz] = [q, v, z].map((values) => values.length / t.length);
    const of_states = new Map();
    for (const entry of contacts.entries) {
      if (!of_states.has(entry.state)) of_states.set(entry.state, []);
      of_states.get(entry.state).push(entry);
    }
    const known = new Map();
    for (const [k, entries] of of_states) {
      if (entries.length < 2 || k >= t.length) continue;
      const key = entries.map((entry) => `${entry.slot}${at_limit(entry) ? " slides" : ""}`).sort().join();
      if (!known.has(key)) {
        const at = (values, n) => values.slice(k * n, (k + 1) * n);
        this.simulate({ q: at(q, nq), v: at(v, nv), z: at(z, nz), dt, steps: 1, t: t[k], goes_on: true, ...(tau && { tau }) });
        known.set(key, this.open_slots());
        yield;
      }
      for (const entry of entries) entry.open = known.get(key).has(entry.slot);
    }
  }

  // A listed place as `open_forces` takes it.
  pressed(c) {
    const { at } = this.packaged.touching;
    const [contacts, words] = [this.numbers("contacts"), this.words("contact_parts")];
    const [start, middle, end, of_second, of_first] = at.lines.map((k) => Number(words[c * at.part + k]));
    const three = (first) => Array.from(contacts.subarray(first, first + 3));
    const row = c * at.state;
    const [impulse, speed] = [at.impulse, at.speed].map((k) => three(row + k));
    const [J, Y] = ["contact_J", "contact_Y"].map((name) => {
      const rows = this.numbers(name);
      const found = new Map();
      for (let place = start; place < end; place++) {
        found.set(place + (place < middle ? of_second : of_first), Array.from(rows.subarray(3 * place, 3 * place + 3)));
      }
      return found;
    });
    return { gap: contacts[row + at.gap], friction: contacts[row + at.friction], impulse, speed, J, Y };
  }
}

function decoded(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

function sized(name, values, size) {
  const array = Float64Array.from(values);
  if (array.length !== size) throw new Error(`${name} has ${array.length} numbers, not ${size}`);
  return array;
}

function joined(first, rest) {
  const all = new Float64Array(first.length + rest.length);
  all.set(first);
  all.set(rest, first.length);
  return all;
}
