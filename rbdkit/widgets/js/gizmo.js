// A handle with three arms to move along and three rings to turn about; each drag keeps to one of them.

const REACH = 0.16; // length of an arrow as a part of the distance to the eye
const RING = 0.82; // radius of a ring, in arrows
const GRASP = 9; // px
const KNOB = 0.075; // radius of the ball at an arm's end, and of the arm
const SHAFT = 0.016;
const COARSE = { move: 20, turn: Math.PI / 12 }; // with Shift: a twentieth of the handle, 15 degrees

class Gizmo {
  constructor(graph, colors, on_drag) {
    const { THREE, objects } = graph;
    this.graph = graph;
    this.THREE = THREE;
    this.on_drag = on_drag;
    this.group = new THREE.Group();
    this.group.visible = false;
    this.parts = [];
    objects.root.add(this.group);
    const units = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    units.forEach((unit, axis) => {
      this.add("move", axis, unit, knob_geometry(THREE), colors[axis]);
      this.add("turn", axis, unit, ring_geometry(THREE, RING, 0.013), colors[axis]);
    });
  }

  add(kind, axis, unit, geometry, color) {
    const { THREE } = this;
    const material = this.graph.objects.mesh.material.clone();
    material.vertexColors = 0;
    material.color.set(color);
    Object.assign(material, { depthTest: false, transparent: true, opacity: 0.9 });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.renderOrder = 5;
    mesh.frustumCulled = false;
    mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), new THREE.Vector3(...unit));
    this.group.add(mesh);
    this.parts.push({ kind, axis, unit, mesh });
  }

  // handle : {pose: seven numbers, turn: whether it has rings}, or empty for none.
  show(handle) {
    this.group.visible = Boolean(handle?.pose);
    if (!this.group.visible || this.held) return;
    const [x, y, z, ...turn] = handle.pose;
    this.group.position.set(x, y, z);
    this.group.quaternion.set(...turn);
    for (const part of this.parts) part.mesh.visible = part.kind === "move" || handle.turn;
  }

  // Before each picture: the same size on the screen wherever it is.
  fit(camera) {
    if (!this.group.visible) return;
    const distance = camera.position.distanceTo(this.group.position);
    this.group.scale.setScalar(Math.max(1e-9, REACH * distance));
  }

  // Points on its rim as seen from a place; none where there is no handle.
  reach(place) {
    const { position, quaternion, visible } = this.group;
    if (!visible) return [];
    const length = REACH * place.distanceTo(position);
    const turns = this.parts.some(({ kind, mesh }) => kind === "turn" && mesh.visible);
    return [0, 1, 2].flatMap((axis) =>
      [1, turns ? -RING : 0].map((far) => {
        const tip = new this.THREE.Vector3(...[0, 1, 2].map((k) => (k === axis ? far * length : 0)));
        return tip.applyQuaternion(quaternion).add(position).toArray();
      })
    );
  }

  // The part under the pointer, or null. x, y : px from the top left corner of a picture of this size.
  part_at(x, y, camera, width, height) {
    if (!this.group.visible) return null;
    this.group.updateMatrixWorld(true);
    let best = null;
    for (const part of this.parts.filter(({ mesh }) => mesh.visible)) {
      for (const [a, b] of pairs(this.outline(part).map((point) => on_screen(point, camera, width, height)))) {
        const distance = to_segment(x, y, a, b);
        if (distance < GRASP && (!best || distance < best.distance)) best = { part, distance };
      }
    }
    return best?.part ?? null;
  }

  outline({ kind, mesh }) {
    const { Vector3 } = this.THREE;
    const local = kind === "move" ? [[0, 0, 0.25], [0, 0, 1]] : circle(RING);
    return local.map((p) => new Vector3(...p).applyMatrix4(mesh.matrixWorld));
  }

  hover(part) {
    for (const other of this.parts) other.mesh.material.opacity = !part || other === part ? 0.9 : 0.35;
  }

  grasp(part, sight) {
    const { position, quaternion } = this.group;
    const axis = new this.THREE.Vector3(...part.unit).applyQuaternion(quaternion);
    this.held = { part, axis, position: position.clone(), quaternion: quaternion.clone() };
    this.held.start = this.measure(sight);
    this.hover(part);
  }

  drag(sight, coarse) {
    const now = this.measure(sight);
    if (now === null || this.held.start === null) return;
    let change = now - this.held.start;
    const { part, axis, position, quaternion } = this.held;
    const step = part.kind === "turn" ? COARSE.turn : round_length(this.group.scale.x / COARSE.move);
    if (coarse) change = Math.round(change / step) * step;
    if (part.kind === "move") this.group.position.copy(position).addScaledVector(axis, change);
    else this.group.quaternion.copy(quaternion).premultiply(new quaternion.constructor().setFromAxisAngle(axis, change));
    this.tell(false);
  }

  release() {
    this.hover(null);
    this.tell(true);
    this.held = null;
  }

  tell(done) {
    this.on_drag([...this.group.position.toArray(), ...this.group.quaternion.toArray()], done);
  }

  // How far along, or how far about, its axis the line of sight meets the handle.
  measure({ origin, direction }) {
    const { part, axis, position } = this.held;
    const away = origin.clone().sub(position);
    if (part.kind === "move") {
      const cos = axis.dot(direction);
      const apart = 1 - cos * cos;
      return apart < 1e-6 ? null : (axis.dot(away) - cos * direction.dot(away)) / apart;
    }
    const slope = axis.dot(direction);
    if (Math.abs(slope) < 1e-3) return null;
    const spoke = away.clone().addScaledVector(direction, -axis.dot(away) / slope);
    const x = new this.THREE.Vector3(...(Math.abs(axis.x) < 0.9 ? [1, 0, 0] : [0, 1, 0])).cross(axis).normalize();
    const y = axis.clone().cross(x);
    const angle = Math.atan2(spoke.dot(y), spoke.dot(x));
    const last = this.held.angle ?? angle;
    this.held.angle = angle + 2 * Math.PI * Math.round((last - angle) / (2 * Math.PI));
    return this.held.angle;
  }

  dispose() {
    for (const { mesh } of this.parts) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
    this.graph.objects.root.remove(this.group);
  }
}

// A shaft with a ball at its end: what hands take hold of has no point, as the arrows of physics have.
function knob_geometry(THREE) {
  const ball = Array.from({ length: 9 }, (_, k) => (Math.PI * k) / 8).map((a) => [KNOB * Math.sin(a), 1 - KNOB - KNOB * Math.cos(a)]);
  return revolved(THREE, [[0, 0], [SHAFT, 0], [SHAFT, 1 - 2 * KNOB], ...ball]);
}

function circle(radius, steps = 48) {
  return Array.from({ length: steps + 1 }, (_, k) => {
    const angle = (2 * Math.PI * k) / steps;
    return [radius * Math.cos(angle), radius * Math.sin(angle), 0];
  });
}

function ring_geometry(THREE, radius, thickness) {
  const points = [];
  const normals = [];
  const put = (i, j) => {
    const [a, b] = [(2 * Math.PI * i) / 48, (2 * Math.PI * j) / 6];
    const out = [Math.cos(b) * Math.cos(a), Math.cos(b) * Math.sin(a), Math.sin(b)];
    normals.push(...out);
    points.push(radius * Math.cos(a) + thickness * out[0], radius * Math.sin(a) + thickness * out[1], thickness * out[2]);
  };
  for (let i = 0; i < 48; i++) {
    for (let j = 0; j < 6; j++) {
      for (const [p, q] of [[i, j], [i + 1, j], [i + 1, j + 1], [i, j], [i + 1, j + 1], [i, j + 1]]) put(p, q);
    }
  }
  const geometry = new THREE.Geometry();
  geometry.addAttribute("position", new THREE.Attribute(new Float32Array(points), 3));
  geometry.addAttribute("normal", new THREE.Attribute(new Float32Array(normals), 3));
  return geometry;
}

function pairs(points) {
  return points.slice(1).map((point, k) => [points[k], point]);
}

function on_screen(point, camera, width, height) {
  const p = point.clone().project(camera);
  return [((p.x + 1) / 2) * width, ((1 - p.y) / 2) * height];
}

function to_segment(x, y, [ax, ay], [bx, by]) {
  const [ux, uy] = [bx - ax, by - ay];
  const s = Math.min(1, Math.max(0, ((x - ax) * ux + (y - ay) * uy) / (ux * ux + uy * uy || 1)));
  return Math.hypot(x - ax - s * ux, y - ay - s * uy);
}

// The nearest of 1, 2, 5 times a power of ten.
function round_length(length) {
  const decade = 10 ** Math.floor(Math.log10(length));
  return [1, 2, 5, 10].map((m) => m * decade).reduce((a, b) => (Math.abs(b - length) < Math.abs(a - length) ? b : a));
}
