// Which contact forces the motion of rigid bodies leaves open, as `rbdkit.laws.shares` decides it.

const AT_LIMIT = 1e-6; // part of its limit by which friction may miss it and count as that of sliding
const SLIDES = 1e-6; // part of an ordinary speed from which on a point slides
const TOUCHES = 1e-9; // gap, as a part of the length of the model, up to which a point touches
const RESTS = 1e-7; // speed along its normal, as a part of the fastest, up to which a point stays where it touches
const REDUNDANT = 1e-10; // part of what an unknown moves alone, up to which what it moves beside others is round-off
const DEAD = 1e-7; // part of the largest, up to which what an unknown moves alone is
const OPEN_FORCE = 1e-6; // part of the largest force of a combination that moves nothing
const MOST_OPEN = 64; // points up to which that is decided; of more, all forces count as open

// points: gap, impulse and speed (along normal and tangents, three each), friction, J and Y: of each, by the number of the
// velocity, how it moves the point, and how a unit impulse along each axis moves it, three each. fast, long: an ordinary speed and length.
function open_forces(points, fast, long) {
  const fastest = Math.max(0, ...points.flatMap(({ speed }) => speed.map(Math.abs)));
  const holds = ({ gap, impulse, speed }) =>
    impulse.some((x) => x !== 0) || (gap <= TOUCHES * long && Math.abs(speed[0]) <= RESTS * (fast + fastest));
  const own = points.map((point, k) => k).filter((k) => holds(points[k]));
  const open = points.map(() => false);
  if (own.length > MOST_OPEN) for (const k of own) open[k] = true;
  if (own.length < 2 || own.length > MOST_OPEN) return open;
  const unknowns = own.flatMap((k) => axes_of(points[k], SLIDES * fast).map((axis) => unknown(k, axis, points[k])));
  const largest = Math.max(...unknowns.map(({ size }) => size));
  const live = unknowns.filter(({ size }) => size > DEAD * largest);
  for (const combination of idle(live)) {
    const most = Math.max(...combination.map(Math.abs));
    combination.forEach((x, i) => Math.abs(x) > OPEN_FORCE * most && (open[live[i].k] = true));
  }
  return open;
}

// Directions in which the force of a point is unknown: its normal; with friction all, or that of sliding friction at its limit.
function axes_of({ impulse, speed, friction }, slow) {
  if (friction === 0) return [[1, 0, 0]];
  const rubs = Math.hypot(impulse[1], impulse[2]);
  const slides = Math.hypot(speed[1], speed[2]);
  if (!(slides > slow && rubs >= (1 - AT_LIMIT) * friction * impulse[0])) return [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const way = rubs > 0 ? [-impulse[1] / rubs, -impulse[2] / rubs] : [speed[1] / slides, speed[2] / slides];
  const long = Math.hypot(1, friction);
  return [[1 / long, (-friction * way[0]) / long, (-friction * way[1]) / long]];
}

// Whether the friction of a place that is told is that of sliding.
function at_limit({ normal, force, friction }) {
  const push = force.reduce((sum, x, k) => sum + x * normal[k], 0);
  return Math.hypot(...force.map((x, k) => x - push * normal[k])) >= (1 - AT_LIMIT) * friction * push;
}

function unknown(k, axis, { J, Y }) {
  const along = (rows) => new Map([...rows].map(([velocity, row]) => [velocity, row[0] * axis[0] + row[1] * axis[1] + row[2] * axis[2]]));
  const own = { k, J: along(J), Y: along(Y) };
  return { ...own, size: Math.sqrt(Math.max(0, moved(own, own))) };
}

// What velocity the second makes along the first.
function moved({ J }, { Y }) {
  let sum = 0;
  for (const [velocity, x] of J) sum += x * (Y.get(velocity) ?? 0);
  return sum;
}

// A basis of combinations of unknowns that move nothing together: Cholesky's factor with pivots of what they move, each measured by
// what it moves alone, and the solutions of its rest.
function idle(unknowns) {
  const n = unknowns.length;
  const M = unknowns.map((a) => unknowns.map((b) => (moved(a, b) + moved(b, a)) / (2 * a.size * b.size)));
  const order = unknowns.map((_, i) => i);
  let rank = 0;
  const R = []; // rows of the factor, in the order of unknowns
  for (; rank < n; rank++) {
    let best = rank;
    for (let i = rank; i < n; i++) if (M[order[i]][order[i]] > M[order[best]][order[best]]) best = i;
    const pivot = M[order[best]][order[best]];
    if (!(pivot > REDUNDANT * n)) break;
    [order[rank], order[best]] = [order[best], order[rank]];
    const p = order[rank];
    const row = M[p].map((x) => x / Math.sqrt(pivot));
    R.push(row);
    for (let i = rank + 1; i < n; i++) for (let j = rank + 1; j < n; j++) M[order[i]][order[j]] -= row[order[i]] * row[order[j]];
  }
  return order.slice(rank).map((free) => {
    const x = new Array(n).fill(0);
    x[free] = 1;
    for (let r = rank - 1; r >= 0; r--) {
      let sum = R[r][free];
      for (let j = r + 1; j < rank; j++) sum += R[r][order[j]] * x[order[j]];
      x[order[r]] = -sum / R[r][order[r]];
    }
    return x.map((value, i) => value / unknowns[i].size);
  });
}
