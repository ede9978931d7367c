// Arrows on nodes, made anew whenever Python sends others: a shaft, and one head, or two for what turns.

const ARROW = 11; // numbers of one: node, start, vector, color, whether it turns
const SIDES = 14;

class Arrows {
  constructor(graph) {
    this.graph = graph;
    this.meshes = [];
    this.spare = []; // materials: where none is left three.js drops the shader, and compiles it for the next picture
  }

  material() {
    return this.spare.pop() ?? this.graph.objects.mesh.material.clone();
  }

  // names : symbol and text of each, if it has any.
  show(rows, through = false, names = []) {
    this.clear();
    const { THREE, nodes } = this.graph;
    const thickness = 0.006 * this.graph.size();
    for (let k = 0; k + ARROW <= rows.length; k += ARROW) {
      const [node, ...numbers] = rows.slice(k, k + ARROW);
      const vector = new THREE.Vector3(...numbers.slice(3, 6));
      if (!nodes[node] || vector.length() < 1e-9) continue;
      const geometry = arrow_geometry(THREE, vector.length(), thickness, numbers[9] > 0);
      const material = this.material();
      Object.assign(material, { vertexColors: 0, depthTest: !through }); // seen through bodies, or not
      material.color.setRGB(...numbers.slice(6, 9));
      const mesh = new THREE.Mesh(geometry, material);
      mesh.frustumCulled = false;
      mesh.position.set(...numbers.slice(0, 3));
      mesh.renderOrder = through ? 4 : 0;
      mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), vector.normalize());
      nodes[node].add(mesh);
      const [symbol = "", text = ""] = names[k / ARROW] ?? [];
      const tip = [0, 1, 2].map((j) => numbers[j] + numbers[3 + j]);
      mesh.userData = { symbol, opacity: 1, length: numbers.slice(3, 6), label: { node, position: tip, text, color: css_color(numbers.slice(6, 9)) } };
      this.meshes.push(mesh);
    }
    this.light(this.lit);
  }

  // What stands beside the tips.
  labels() {
    return this.meshes.map((mesh) => mesh.userData.label).filter(({ text }) => text);
  }

  // Places of their tips in the world.
  tips() {
    return this.meshes.map(({ parent, userData }) => {
      parent.updateMatrixWorld(true);
      return new this.graph.THREE.Vector3(...userData.label.position).applyMatrix4(parent.matrixWorld).toArray();
    });
  }

  // Those of a symbol stand out, the others step back; all alike again for ''.
  light(symbol = "") {
    this.lit = symbol;
    const known = this.meshes.some((mesh) => mesh.userData.symbol === symbol);
    for (const { material, userData } of this.meshes) {
      const back = symbol && known && userData.symbol !== symbol;
      material.opacity = back ? 0.25 * userData.opacity : symbol && known ? Math.min(1, 1.7 * userData.opacity) : userData.opacity;
      material.emissive.copy(material.color).multiplyScalar(symbol && known && !back ? 0.35 : 0);
      const transparent = material.opacity < 1 || !material.depthTest;
      if (material.transparent === transparent) continue;
      Object.assign(material, { transparent, needsUpdate: true });
    }
  }

  // The symbol of the arrow under a place of the picture, px; '' if there is none.
  under(x, y, camera, width, height) {
    const { Vector3 } = this.graph.THREE;
    const near = this.meshes.filter(({ userData }) => userData.symbol).map((mesh) => {
      const { label, length } = mesh.userData;
      const world = mesh.parent.matrixWorld;
      const tip = new Vector3(...label.position);
      const [a, b] = [tip.clone().sub(new Vector3(...length)), tip].map((p) => on_screen(p.applyMatrix4(world), camera, width, height));
      return { symbol: mesh.userData.symbol, distance: to_segment(x, y, a, b) };
    });
    const best = near.sort((a, b) => a.distance - b.distance)[0];
    return best && best.distance < 7 ? best.symbol : "";
  }

  clear() {
    for (const mesh of this.meshes) {
      mesh.parent?.remove(mesh);
      mesh.geometry.dispose();
      this.spare.push(mesh.material);
    }
    this.meshes = [];
  }

  dispose() {
    this.clear();
    for (const material of this.spare.splice(0)) material.dispose();
  }
}

const TRAVEL = 1100; // ms that an ellipsoid takes from one place to another
const ELLIPSOID = 14; // numbers of one: node, center, quaternion, radii, color

class Ellipsoids {
  constructor(graph) {
    this.graph = graph;
    this.meshes = [];
    this.spare = [];
  }

  show(rows, through = false, names = []) {
    this.clear();
    const { THREE, nodes } = this.graph;
    for (let k = 0; k + ELLIPSOID <= rows.length; k += ELLIPSOID) {
      const [node, ...numbers] = rows.slice(k, k + ELLIPSOID);
      if (!nodes[node]) continue;
      const material = this.material();
      Object.assign(material, { vertexColors: 0, transparent: true, opacity: 0.32, depthWrite: false, depthTest: !through });
      material.color.setRGB(...numbers.slice(10, 13));
      const mesh = new THREE.Mesh((this.sphere ??= sphere_geometry(THREE)), material);
      mesh.frustumCulled = false;
      mesh.renderOrder = through ? 3 : 1;
      mesh.position.set(...numbers.slice(0, 3));
      mesh.quaternion.set(...numbers.slice(3, 7));
      mesh.scale.set(...numbers.slice(7, 10).map((radius) => Math.max(radius, 1e-9)));
      nodes[node].add(mesh);
      mesh.userData = { symbol: names[k / ELLIPSOID] ?? "", opacity: 0.32 };
      this.meshes.push(mesh);
    }
    this.light(this.lit);
  }

  // One that moves from the first of two places and shapes to the second, and is gone then.
  travel(rows, draw = () => {}) {
    cancelAnimationFrame(this.travelling);
    const { THREE, objects, nodes } = this.graph;
    if (this.traveller) {
      objects.root.remove(this.traveller);
      this.traveller.material.dispose();
      this.traveller = null;
    }
    if (rows.length < 2 * ELLIPSOID || window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const [from, to] = [0, 1].map((k) => {
      const [node, ...numbers] = rows.slice(k * ELLIPSOID, (k + 1) * ELLIPSOID);
      nodes[node].updateMatrixWorld(true);
      const turn = nodes[node].quaternion.clone().set(...numbers.slice(3, 7)).premultiply(nodes[node].quaternion);
      return { at: new THREE.Vector3(...numbers.slice(0, 3)).applyMatrix4(nodes[node].matrixWorld), turn, radii: numbers.slice(7, 10), color: numbers.slice(10, 13) };
    });
    const material = objects.mesh.material.clone();
    Object.assign(material, { vertexColors: 0, transparent: true, opacity: 0.55, depthTest: false });
    material.color.setRGB(...to.color);
    const mesh = (this.traveller = new THREE.Mesh((this.sphere ??= sphere_geometry(THREE)), material));
    mesh.frustumCulled = false;
    mesh.renderOrder = 4;
    objects.root.add(mesh);
    let begun = null;
    const move = (now) => {
      begun ??= now;
      const part = Math.min(1, (now - begun) / TRAVEL);
      const eased = part * part * (3 - 2 * part);
      mesh.position.lerpVectors(from.at, to.at, eased);
      mesh.quaternion.copy(from.turn).slerp(to.turn, eased);
      mesh.scale.set(...from.radii.map((r, k) => Math.max(1e-9, r + eased * (to.radii[k] - r))));
      if (part < 1) this.travelling = requestAnimationFrame(move);
      else this.travel([]);
      draw();
    };
    this.travelling = requestAnimationFrame(move);
  }

  // The sphere that all of them are stays: contacts bring others with every picture.
  clear() {
    for (const mesh of this.meshes) {
      mesh.parent?.remove(mesh);
      this.spare.push(mesh.material);
    }
    this.meshes = [];
  }

  dispose() {
    this.travel([]);
    this.clear();
    for (const material of this.spare.splice(0)) material.dispose();
    this.sphere?.dispose();
    this.sphere = null;
  }
}
Ellipsoids.prototype.light = Arrows.prototype.light;
Ellipsoids.prototype.material = Arrows.prototype.material;

function css_color(rgb) {
  return `rgb(${rgb.map((x) => Math.round(255 * x))})`;
}

function sphere_geometry(THREE, rings = 18) {
  const corner = (i, j) => {
    const [theta, phi] = [(Math.PI * i) / rings, (Math.PI * j) / rings];
    return [Math.sin(theta) * Math.cos(phi), Math.sin(theta) * Math.sin(phi), Math.cos(theta)];
  };
  const points = [];
  for (let i = 0; i < rings; i++) {
    for (let j = 0; j < 2 * rings; j++) {
      const [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
      points.push(...a, ...b, ...c, ...a, ...c, ...d);
    }
  }
  const geometry = new THREE.Geometry();
  const array = new Float32Array(points);
  geometry.addAttribute("position", new THREE.Attribute(array, 3));
  geometry.addAttribute("normal", new THREE.Attribute(array, 3));
  return geometry;
}

// A surface of revolution about z with the outline of an arrow of this length.
function arrow_geometry(THREE, length, thickness, turning) {
  const head = Math.min(5.5 * thickness, (turning ? 0.3 : 0.45) * length);
  const radius = Math.min(thickness, 0.2 * head);
  const wide = 0.45 * head;
  const outline = [[0, 0], [radius, 0], [radius, length - (turning ? 1.75 : 1) * head]];
  if (turning) outline.push([wide, length - 1.75 * head], [radius, length - 0.95 * head]);
  outline.push(turning ? [wide, length - 0.95 * head] : [wide, length - head], [0, length]);
  return revolved(THREE, outline);
}

const ROUND = Array.from({ length: SIDES + 1 }, (_, side) => [Math.cos, Math.sin].map((of) => of((2 * Math.PI * side) / SIDES)));

// A surface of revolution about z, from its outline: radii and heights.
function revolved(THREE, outline) {
  const [points, normals] = [0, 1].map(() => new Float32Array(18 * SIDES * (outline.length - 1)));
  let k = 0;
  for (let i = 0; i + 1 < outline.length; i++) {
    const [[r0, z0], [r1, z1]] = [outline[i], outline[i + 1]];
    const slope = Math.hypot(r1 - r0, z1 - z0) || 1;
    const [out, up] = [(z1 - z0) / slope, (r0 - r1) / slope];
    for (let j = 0; j < SIDES; j++) {
      for (const [far, ahead] of [[0, 0], [0, 1], [1, 1], [0, 0], [1, 1], [1, 0]]) {
        const [r, z, [c, s]] = [far ? r1 : r0, far ? z1 : z0, ROUND[j + ahead]];
        points[k] = r * c;
        points[k + 1] = r * s;
        points[k + 2] = z;
        normals[k] = out * c;
        normals[k + 1] = out * s;
        normals[k + 2] = up;
        k += 3;
      }
    }
  }
  const geometry = new THREE.Geometry();
  geometry.addAttribute("position", new THREE.Attribute(points, 3));
  geometry.addAttribute("normal", new THREE.Attribute(normals, 3));
  return geometry;
}
