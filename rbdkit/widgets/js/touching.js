// Where bodies touch, drawn at every state of a motion: forces, normals and slices of friction cones.

const LONGEST_FORCE = 0.35; // of the picture's size: how long the arrow of an ordinary large force is
const SHORT_NORMAL = 0.05; // of the picture's size: how long normals are drawn where no force acts
const TOUCHED = 11; // numbers of one: point, normal, force, friction, whether the motion leaves the force open

class Touching {
  // packed: offsets (of each state's first place, and the end), rows, colors { force, open, near, cone }; scale: metres of arrow for
  // 1 N; size: of what is drawn, m.
  constructor({ offsets, rows, colors, scale, size }, graph) {
    Object.assign(this, { offsets, rows, colors, size: size || graph.size() });
    this.scale = scale || Touching.scale(rows, this.size);
  }

  // The largest force but for rare blows is `LONGEST_FORCE` of the size.
  static scale(rows, size) {
    const forces = [];
    for (let k = 0; k + TOUCHED <= rows.length; k += TOUCHED) {
      const force = Math.hypot(rows[k + 6], rows[k + 7], rows[k + 8]);
      if (force > 0) forces.push(force);
    }
    if (!forces.length) return 0;
    forces.sort((a, b) => a - b);
    return (LONGEST_FORCE * size) / forces[Math.floor(0.98 * (forces.length - 1))];
  }

  // Rows for `Arrows` and `Ellipsoids` of state k.
  drawn(k) {
    const { size } = this;
    const { force: red, open, near, cone } = this.colors;
    const [arrows, cones] = [[], []];
    for (let i = this.offsets[k] * TOUCHED; i < this.offsets[k + 1] * TOUCHED; i += TOUCHED) {
      const [point, normal, force] = [0, 3, 6].map((j) => Array.from(this.rows.slice(i + j, i + j + 3)));
      const shaft = force.map((x) => this.scale * x);
      const length = Math.hypot(...shaft);
      if (length <= 1e-3 * size) {
        arrows.push(0, ...point, ...normal.map((x) => SHORT_NORMAL * size * x), ...near, 0);
        continue;
      }
      const cut = Math.min(1, size / length);
      arrows.push(0, ...point, ...shaft.map((x) => cut * x), ...(this.rows[i + 10] ? open : red), 0);
      const height = cut * shaft.reduce((sum, x, j) => sum + x * normal[j], 0);
      const radius = this.rows[i + 9] * height;
      if (radius > 0) {
        const center = point.map((x, j) => x + height * normal[j]);
        cones.push(0, ...center, ...turned_up(normal), radius, radius, 1e-3 * size, ...cone);
      }
    }
    return { arrows, cones };
  }
}

// The shortest turn from z to a unit vector, as a quaternion.
function turned_up([x, y, z]) {
  if (z < -0.999999) return [1, 0, 0, 0];
  const w = Math.sqrt(0.5 * (1 + z));
  return [-y / (2 * w), x / (2 * w), 0, w];
}

// What a simulation in the page says of contacts, as `Touching` takes it, with a number of states; the last one has none.
function touching_of(contacts, states, colors) {
  const offsets = new Int32Array(states + 1);
  for (const { state } of contacts.entries) if (Number.isInteger(state)) offsets[state + 1] += 1;
  for (let k = 0; k < states; k++) offsets[k + 1] += offsets[k];
  const rows = Float32Array.from(contacts.entries.flatMap(({ point, normal, force, friction, open }) => [...point, ...normal, ...force, friction, open ? 1 : 0]));
  return { offsets, rows, colors };
}

// Velocity that contacts miss their laws by, as a part of an ordinary speed, from which on their forces are doubtful; and the part of the speed of the
// fastest body, likewise: as in `rbdkit/laws/report.py`.
const UNSOLVED = 1e-3;
const OF_BLOWS = 1e-2;

// Speed of the fastest body between recorded states, m/s. poses: 4 x 4 of all bodies, state after state.
function fastest_body(poses, t, bodies) {
  let fastest = 0;
  for (let k = 1; k < t.length; k++)
    for (let b = 0; b < bodies; b++) {
      const [now, before] = [16 * (k * bodies + b), 16 * ((k - 1) * bodies + b)];
      const way = Math.hypot(...[3, 7, 11].map((at) => poses[now + at] - poses[before + at]));
      fastest = Math.max(fastest, way / (t[k] - t[k - 1]));
    }
  return fastest;
}

// What is wrong with how contacts were solved, or "". fastest: speed of the fastest body, m/s, if asked.
function contact_fault(contacts, ended, fastest = () => 0) {
  if (!contacts) return "";
  if (contacts.crowded) return "more places touch at once than there is room for";
  if (contacts.stuck) return "a step was too hard for sweeps; Python has other solvers";
  if (!ended && contacts.worst > UNSOLVED * contacts.speed && contacts.worst > OF_BLOWS * fastest()) return `velocities miss the law of contact by up to ${brief(contacts.worst)} m/s; a shorter step may help`;
  return "";
}

// The same arrays, where some came as bytes.
function revived_arrays(packed) {
  const { offsets, rows } = packed;
  const as = (kind, values) => (values instanceof DataView ? typed(kind, values) : values);
  return { ...packed, offsets: as(Int32Array, offsets), rows: as(Float32Array, rows) };
}
