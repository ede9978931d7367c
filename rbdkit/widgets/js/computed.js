// What the page's own kernels compute, as the view draws it.

// How many of some poses come before the first state in which one is none: a motion that runs away passes angles of which no
// computer knows the sine. One in any case.
function drawable(poses, nodes) {
  const first = first_unsound(poses);
  return first < 0 ? poses.length / 16 / nodes : Math.max(1, Math.floor(first / nodes));
}

// Number of the first that is no pose, or -1.
function first_unsound(poses) {
  const turned = (k) => [0, 1, 2, 4, 5, 6, 8, 9, 10].every((j) => Math.abs(poses[16 * k + j]) < 1.001);
  const placed = (k) => [3, 7, 11].every((j) => Number.isFinite(poses[16 * k + j]));
  for (let k = 0; k < poses.length / 16; k++) if (!turned(k) || !placed(k)) return k;
  return -1;
}

// Rows (x, y, z, qx, qy, qz, qw) from 4 x 4 matrices; each quaternion on the side of the one of its node before.
function seven(poses, nodes) {
  const count = poses.length / 16;
  const rows = new Float32Array(7 * count);
  for (let i = 0; i < count; i++) {
    const m = poses.subarray(16 * i, 16 * i + 16);
    const [xx, yy, zz] = [m[0], m[5], m[10]];
    const squares = [1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz]; // four times each component's
    const largest = squares.indexOf(Math.max(...squares));
    const q = [
      [squares[0], m[1] + m[4], m[2] + m[8], m[9] - m[6]],
      [m[1] + m[4], squares[1], m[6] + m[9], m[2] - m[8]],
      [m[2] + m[8], m[6] + m[9], squares[2], m[4] - m[1]],
      [m[9] - m[6], m[2] - m[8], m[4] - m[1], squares[3]],
    ][largest];
    const o = 7 * i;
    const before = o - 7 * nodes + 3;
    const dot = before >= 0 ? q.reduce((sum, x, j) => sum + x * rows[before + j], 0) : 1;
    const scale = (dot < 0 ? -0.5 : 0.5) / Math.sqrt(squares[largest]);
    rows.set([m[3], m[7], m[11], scale * q[0], scale * q[1], scale * q[2], scale * q[3]], o);
  }
  return rows;
}

const view_of = (array) => new DataView(array.buffer, array.byteOffset, array.byteLength);

// The curves of a tab, one after the other: energies, or columns of the coordinates q, velocities v or states z.
function columns_of({ motion, energies }, { of, columns }) {
  const { t } = motion;
  const [rows, width] = of === "energy" ? [energies, 3] : [motion[of], motion[of].length / t.length];
  const column = (k, j) => (of === "energy" ? [rows[3 * k], rows[3 * k + 1] + rows[3 * k + 2], rows[3 * k] + rows[3 * k + 1] + rows[3 * k + 2]][j] : rows[k * width + j]);
  const values = new Float32Array(columns.length * t.length);
  columns.forEach((j, curve) => t.forEach((_, k) => (values[curve * t.length + k] = column(k, j))));
  return { t, values };
}

function at_random({ low, high, log, whole, choices }) {
  if (choices.length) return Math.floor(Math.random() * choices.length);
  if (whole) return low + Math.floor(Math.random() * (high - low + 1));
  return log ? Math.exp(Math.log(low) + Math.random() * Math.log(high / low)) : low + Math.random() * (high - low);
}
