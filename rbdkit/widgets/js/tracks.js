// Recorded motion: poses between key times, and the trails they draw.

class Tracks {
  constructor({ t, poses, beside, shades }) {
    this.t = typed(Float64Array, t);
    this.poses = typed(Float32Array, poses);
    this.row = this.poses.length / this.t.length; // seven numbers a node
    this.beside = beside.map((other) => new Tracks(other));
    this.shades = Object.fromEntries(Object.entries(shades ?? {}).map(([name, values]) => [name, typed(Float32Array, values)]));
    this.now = new Float32Array(this.row + this.beside.reduce((sum, other) => sum + other.now.length, 0));
  }

  get start() {
    return this.t[0];
  }

  get end() {
    return this.t[this.t.length - 1];
  }

  // Number of the last key that is not after t.
  key(t) {
    let low = 0;
    let high = this.t.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.t[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // What a colour that changes shows at time t, from 0 to 1; nothing if there is none of that name.
  shade(name, t) {
    const values = this.shades[name];
    if (!values) return undefined;
    const k = this.key(t);
    if (k + 1 >= values.length || t <= this.t[k]) return values[k];
    return values[k] + ((t - this.t[k]) / (this.t[k + 1] - this.t[k])) * (values[k + 1] - values[k]);
  }

  // Poses of all nodes at time t, those with times of their own after the others.
  at(t) {
    this.own_at(t);
    let start = this.row;
    for (const other of this.beside) {
      this.now.set(other.at(t), start);
      start += other.now.length;
    }
    return this.now;
  }

  // Exact at keys, between them straight for positions and along the shortest arc for rotations.
  own_at(t) {
    const k = this.key(t);
    const a = k * this.row;
    const out = this.now;
    if (k + 1 >= this.t.length || t <= this.t[k]) {
      out.set(this.poses.subarray(a, a + this.row));
      return;
    }
    const b = a + this.row;
    const s = (t - this.t[k]) / (this.t[k + 1] - this.t[k]);
    const p = this.poses;
    for (let i = 0; i < this.row; i += 7) {
      for (let j = 0; j < 3; j++) out[i + j] = p[a + i + j] + s * (p[b + i + j] - p[a + i + j]);
      slerp(p, a + i + 3, b + i + 3, s, out, i + 3);
    }
  }

  // World path of a point of a node at every n-th key, as pairs of points for a line of segments; and the keys used.
  path(node, [x, y, z], longest = 600) {
    let after = node - this.row / 7;
    for (const other of this.beside) {
      const count = other.now.length / 7;
      if (after >= 0 && after < count) return other.path(after, [x, y, z], longest);
      after -= count;
    }
    const step = Math.max(1, Math.ceil(this.t.length / longest));
    const keys = [];
    for (let k = 0; k < this.t.length; k += step) keys.push(k);
    if (keys[keys.length - 1] !== this.t.length - 1) keys.push(this.t.length - 1);
    const points = keys.map((k) => {
      const o = k * this.row + 7 * node;
      const [px, py, pz, qx, qy, qz, qw] = this.poses.subarray(o, o + 7);
      const ux = 2 * (qy * z - qz * y);
      const uy = 2 * (qz * x - qx * z);
      const uz = 2 * (qx * y - qy * x);
      return [
        px + x + qw * ux + qy * uz - qz * uy,
        py + y + qw * uy + qz * ux - qx * uz,
        pz + z + qw * uz + qx * uy - qy * ux,
      ];
    });
    const pairs = new Float32Array(6 * Math.max(0, points.length - 1));
    for (let k = 0; k + 1 < points.length; k++) pairs.set([...points[k], ...points[k + 1]], 6 * k);
    return { pairs, times: keys.map((k) => this.t[k]) };
  }
}

function slerp(p, a, b, s, out, o) {
  let dot = 0;
  for (let j = 0; j < 4; j++) dot += p[a + j] * p[b + j];
  const sign = dot < 0 ? -1 : 1;
  dot = Math.min(1, Math.abs(dot));
  const angle = Math.acos(dot);
  const sine = Math.sin(angle);
  const wa = sine < 1e-4 ? 1 - s : Math.sin((1 - s) * angle) / sine;
  const wb = sign * (sine < 1e-4 ? s : Math.sin(s * angle) / sine);
  let norm = 0;
  for (let j = 0; j < 4; j++) {
    out[o + j] = wa * p[a + j] + wb * p[b + j];
    norm += out[o + j] * out[o + j];
  }
  norm = Math.sqrt(norm) || 1;
  for (let j = 0; j < 4; j++) out[o + j] /= norm;
}

// Each trail twice: a thin faint line for the whole motion, a broad one for the part that is past.
class Trails {
  constructor(graph) {
    this.graph = graph;
    this.items = [];
    this.spare = { solid: [], faint: [] }; // materials: where none is left three.js drops the shader, and compiles it again
  }

  load(tracks) {
    this.clear();
    if (!tracks) return;
    const drawn = [];
    for (const trail of this.graph.spec.trails) {
      const { pairs, times } = tracks.path(trail.node, trail.point);
      const before = this.graph.spec.nodes[trail.node].startsWith("ghost of ");
      const alike = (other) => other.length === pairs.length && other.every((x, k) => x === pairs[k]);
      if (!pairs.length || (before && drawn.some(alike))) continue; // what was before is what is
      drawn.push(pairs);
      this.add(this.drawn(pairs, trail.color, 1.3, 0.6), times, false, before);
      this.add(this.drawn(pairs, trail.color, 2.6, 1), times, true, before);
    }
  }

  drawn(pairs, color, width, opacity) {
    const { THREE, objects } = this.graph;
    const geometry = new THREE.LineGeometry();
    Object.getPrototypeOf(THREE.LineGeometry.prototype).setPositions.call(geometry, pairs);
    const solid = opacity === 1;
    const material = this.spare[solid ? "solid" : "faint"].pop() ?? objects.line.material.clone();
    material.linewidth = width;
    Object.assign(material, { transparent: !solid, opacity, depthWrite: solid });
    material.uniforms.opacity.value = opacity;
    material.uniforms.diffuse.value.set(color);
    const line = new THREE.Line2(geometry, material);
    const resolution = material.uniforms.resolution.value;
    line.onBeforeRender = (renderer) => {
      const { width, height } = renderer.getSize();
      resolution.set(width, height);
    };
    return line;
  }

  // What was before lies under what is, where both are in one place.
  add(line, times, past, before) {
    line.frustumCulled = false;
    line.renderOrder = before ? 0 : 0.5;
    Object.assign(line.material, { polygonOffset: !before, polygonOffsetFactor: -1, polygonOffsetUnits: -4 });
    line.visible = this.graph.layers.trails ?? true;
    this.graph.holder.add(line);
    this.graph.members.trails?.push(line);
    this.items.push({ line, times, past, geometry: line.geometry, material: line.material });
  }

  show(t) {
    for (const { geometry, times, past } of this.items) {
      if (!past) continue;
      let count = 0;
      while (count < times.length - 1 && times[count + 1] <= t + 1e-12) count++;
      geometry.maxInstancedCount = count;
    }
  }

  clear() {
    for (const { line, geometry, material } of this.items) {
      this.graph.holder.remove(line);
      const members = this.graph.members.trails;
      if (members) members.splice(members.indexOf(line), 1);
      geometry.dispose();
      this.spare[material.transparent ? "faint" : "solid"].push(material);
    }
    this.items = [];
  }

  dispose() {
    this.clear();
    for (const material of Object.values(this.spare).flat()) material.dispose();
    this.spare = { solid: [], faint: [] };
  }
}
