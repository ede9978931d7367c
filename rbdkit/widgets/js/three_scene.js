// The scene as three.js objects: every mesh is an ordinary one in an ordinary scene.

const GRID_RINGS = [0.25, 0.45, 0.65, 0.85, 1.0]; // radii at which the grid grows fainter
const SHADOWLESS = new Set(["collision", "inertia", "ground", "supports"]);
const FAINT = 0.12; // opacity of motions beside the one that stands out
const PALER = "#2f3740"; // what hatching is brighter by on dark pages, where its grey is lost
const GRID_OPACITY = [0.36, 0.28, 0.2, 0.12, 0.06];

class ThreeScene {
  constructor({ objects, THREE }) {
    this.THREE = THREE;
    this.objects = objects;
    this.holder = new THREE.Group();
    objects.root.add(this.holder);
    this.dark = false;
    this.shadows = new Shadows(this);
    this.layers = {};
    this.spec = null;
    this.clear();
  }

  load(spec) {
    this.clear();
    const { THREE } = this;
    this.spec = spec;
    this.nodes = spec.nodes.map(() => new THREE.Group());
    this.stretched = (spec.bands ?? []).map(() => new THREE.Group());
    this.holder.add(...this.nodes, ...this.stretched);
    this.members = Object.fromEntries(spec.layers.map((layer) => [layer.name, []]));
    this.attributes = {
      position: new THREE.Attribute(typed(Float32Array, spec.position), 3),
      normal: new THREE.Attribute(typed(Int8Array, spec.normal), 4, true),
      color: new THREE.Attribute(typed(Uint8Array, spec.color), 4, true),
    };
    this.index = new THREE.Attribute(typed(Uint32Array, spec.index), 1);
    this.shadows.begin(spec.shade, this.size());
    const casting = new Set(spec.layers.filter((layer) => !layer.xray && !SHADOWLESS.has(layer.name)).map((layer) => layer.name));
    const xray = new Set(spec.layers.filter((layer) => layer.xray).map((layer) => layer.name));
    const ranges = new Map();
    for (const [node, layer, opacity, start, count, color] of spec.parts) {
      if (!ranges.has(start)) ranges.set(start, this.range(start, count));
      const hatched = layer === "supports" ? layer : "";
      this.hang(node, layer, ranges.get(start), this.material(opacity, false, color, hatched), opacity < 1 ? 1 : 0);
      if (casting.has(layer) && opacity >= 1) this.shadows.cast(this.group(node), ranges.get(start), layer, start, count);
      if (xray.has(layer)) this.hang(node, layer, ranges.get(start), this.material(0.3, true), 2);
    }
    const half = spec.nodes.findIndex((name) => name.startsWith("ghost of "));
    this.reshape = spec.shapes?.length ? new Reshape(this, spec.shapes, half < 0 ? spec.nodes.length : half) : null;
    this.build_grid(spec.grid);
    this.center_grid(...(spec.grid?.center ?? []));
    this.color_theme(this.dark);
    this.pose(typed(Float32Array, spec.pose), 0);
    for (const [name, visible] of Object.entries(this.layers)) this.show(name, visible);
  }

  hang(node, layer, geometry, material, order) {
    const mesh = new this.THREE.Mesh(geometry, material);
    mesh.frustumCulled = false;
    mesh.renderOrder = order;
    mesh.userData = { node, layer, plain: material };
    this.group(node).add(mesh);
    this.members[layer].push(mesh);
  }

  // What moves with a node; those beyond the last one are stretched.
  group(node) {
    return this.nodes[node] ?? this.stretched[node - this.nodes.length];
  }

  // A stretch of the shared buffers as a geometry of its own.
  range(start, count) {
    const geometry = new this.THREE.Geometry();
    for (const [name, attribute] of Object.entries(this.attributes)) geometry.addAttribute(name, attribute);
    geometry.setIndex(this.index);
    geometry.setDrawRange(start, count);
    this.disposable.push(geometry);
    return geometry;
  }

  // color: in place of those of the vertices, or null; kind: of parts that have a material to themselves, or "".
  material(opacity, through, color = null, kind = "") {
    const key = `${opacity} ${through} ${color} ${kind}`;
    if (!this.materials[key]) {
      const material = this.objects.mesh.material.clone();
      material.opacity = opacity;
      material.transparent = opacity < 1;
      material.depthWrite = opacity >= 1;
      material.depthTest = !through;
      if (color) {
        material.vertexColors = false;
        material.color.setRGB(...color);
      }
      this.materials[key] = material;
      this.disposable.push(material);
    }
    return this.materials[key];
  }

  // Diagonal of what the picture holds at first.
  size() {
    const points = this.spec?.outline ?? [];
    return points.length ? box_of(points).size : 1;
  }

  // Bodies of the named nodes glow in a colour.
  select(names, color) {
    const chosen = new Set(names);
    for (const meshes of Object.values(this.members)) {
      for (const mesh of meshes) {
        if (!mesh.userData.plain || mesh.renderOrder > 1 || mesh.userData.layer === "frames") continue;
        const on = chosen.has(this.spec.nodes[mesh.userData.node]);
        mesh.material = on ? this.glowing(mesh.userData.plain, color) : mesh.userData.plain;
      }
    }
  }

  // One of several motions laid over each other is solid and the others are faint; all as they were for ''.
  stand_out(layer) {
    const motions = Object.keys(this.members).filter((name) => this.spec.nodes.some((node) => node.startsWith(`${name}: `)));
    for (const name of motions) {
      for (const mesh of this.members[name]) {
        if (!mesh.userData.plain) continue;
        mesh.userData.first ??= mesh.userData.plain;
        const { first } = mesh.userData;
        mesh.userData.plain = !layer ? first : this.seen_as(first, name === layer ? 1 : FAINT);
        mesh.material = mesh.userData.plain;
        mesh.renderOrder = mesh.material.opacity < 1 ? 1 : 0;
      }
    }
  }

  seen_as(material, opacity) {
    const key = `${material.uuid} ${opacity}`;
    if (!this.materials[key]) {
      this.materials[key] = material.clone();
      Object.assign(this.materials[key], { opacity, transparent: opacity < 1, depthWrite: opacity >= 1 });
      this.disposable.push(this.materials[key]);
    }
    return this.materials[key];
  }

  glowing(plain, color) {
    const key = `${plain.uuid} glowing`;
    if (!this.materials[key]) {
      const material = plain.clone();
      material.emissive.set(color).multiplyScalar(0.45);
      this.materials[key] = material;
      this.disposable.push(material);
    }
    return this.materials[key];
  }

  build_grid(grid) {
    this.ground = grid;
    if (!grid) return;
    const reach = grid.spacing * grid.lines;
    const radii = GRID_RINGS.map((fraction) => fraction * reach);
    this.grid = new this.THREE.Group();
    this.grid_lines = [];
    radii.forEach((outer, ring) => {
      const inner = ring ? radii[ring - 1] : 0;
      const points = [];
      for (let k = -grid.lines; k <= grid.lines; k++) {
        const d = Math.abs(k * grid.spacing);
        if (d >= outer) continue;
        const a = d < inner ? Math.sqrt(inner * inner - d * d) : 0;
        const b = Math.sqrt(outer * outer - d * d);
        for (const s of [-1, 1]) {
          points.push(s * a, k * grid.spacing, 0, s * b, k * grid.spacing, 0);
          points.push(k * grid.spacing, s * a, 0, k * grid.spacing, s * b, 0);
        }
      }
      const geometry = new this.THREE.Geometry();
      geometry.addAttribute("position", new this.THREE.Attribute(new Float32Array(points), 3));
      const material = this.objects.lines.material.clone();
      Object.assign(material, { transparent: true, opacity: GRID_OPACITY[ring], depthWrite: false });
      const lines = new this.THREE.LineSegments(geometry, material);
      lines.frustumCulled = false;
      this.grid.add(lines);
      this.grid_lines.push(lines);
      this.disposable.push(geometry, material);
    });
    this.holder.add(this.grid);
    if (this.members.grid) this.members.grid.push(this.grid);
    this.color_theme(this.dark);
  }

  // The grid as far down and as wide as points ask that reach out of the scene; on a ground of the model it stays.
  lay_grid(points) {
    const { grid, outline, layers, parts } = this.spec;
    if (!grid || parts.some(([, layer]) => layer === "ground")) return;
    const [least, most] = [box_of(outline), box_of(points)];
    const lower = most.low[2] < least.low[2] - 0.02 * least.size;
    const ground = { ...grid, height: lower ? Math.min(grid.height, most.low[2]) : grid.height };
    ground.spacing *= [1, 2, 5, 10, 20, 50].findLast((n) => n <= Math.max(1, most.size / least.size / 1.2));
    if (ground.spacing !== this.ground.spacing) {
      this.holder.remove(this.grid);
      this.members.grid = this.members.grid?.filter((member) => member !== this.grid);
      this.build_grid(ground);
      this.grid.visible = this.layers.grid !== false;
    }
    this.ground = ground;
    this.center_grid(...grid.center);
    if (this.spec.shade && this.shadows.plane) this.shadows.level.value = ground.height;
  }

  // The grid has no end: it moves along by whole cells.
  center_grid(x, y) {
    if (!this.grid) return;
    const { spacing, height } = this.ground;
    this.grid.position.set(Math.round(x / spacing) * spacing, Math.round(y / spacing) * spacing, height);
  }

  color_theme(dark) {
    this.dark = dark;
    this.shadows.color_theme(dark);
    for (const [key, material] of Object.entries(this.materials)) if (key.endsWith("supports")) material.emissive.set(dark ? PALER : "#000000");
    for (const lines of this.grid_lines) lines.material.color.set(dark ? "#aab4c0" : "#5d6875");
  }

  show(layer, visible) {
    this.layers[layer] = visible;
    for (const object of this.members?.[layer] ?? []) object.visible = visible;
    this.shadows.show(this.layers);
  }

  // Seven numbers a node: position and quaternion (x, y, z, w).
  pose(rows, offset) {
    this.nodes.forEach((node, i) => {
      const k = offset + 7 * i;
      if (k + 7 > rows.length) return; // copies of the bodies, which stay where they are
      node.position.set(rows[k], rows[k + 1], rows[k + 2]);
      node.quaternion.set(rows[k + 3], rows[k + 4], rows[k + 5], rows[k + 6]);
    });
    this.stretch();
  }

  // Muscles in the colour of their activation, which a function tells by their names.
  shade(value_of) {
    (this.spec.bands ?? []).forEach(({ shade }, k) => {
      const value = shade && value_of(shade.of);
      if (value === undefined) return;
      for (const mesh of this.stretched[k].children.filter(({ userData }) => userData.plain)) {
        if (!mesh.userData.shaded) {
          mesh.userData.shaded = mesh.userData.plain = mesh.material = mesh.material.clone();
          mesh.material.vertexColors = false;
          this.disposable.push(mesh.material);
        }
        mesh.userData.shaded.color.setRGB(...shade.none.map((none, i) => none + value * (shade.full[i] - none)));
      }
    });
  }

  // What is stretched between two points, or three, follows them.
  stretch() {
    const { Vector3 } = this.THREE;
    (this.spec.bands ?? []).forEach(({ nodes, points, rest }, k) => {
      const [start, end, third] = nodes.map((node, side) =>
        new Vector3(...points[side]).applyQuaternion(this.nodes[node].quaternion).add(this.nodes[node].position)
      );
      if (third) {
        const [x, y] = [end.sub(start), third.sub(start)];
        const skin = this.stretched[k];
        skin.matrixAutoUpdate = false;
        skin.matrix.makeBasis(x, y, new Vector3().crossVectors(x, y).normalize()).setPosition(start);
        skin.matrixWorldNeedsUpdate = true;
        return;
      }
      const along = end.sub(start);
      const length = Math.max(along.length(), 1e-9);
      const group = this.stretched[k];
      group.position.copy(start);
      group.quaternion.setFromUnitVectors(new Vector3(1, 0, 0), along.divideScalar(length));
      const wide = rest === undefined ? 1 : Math.min(Math.sqrt(rest / length), 4); // its volume stays
      group.scale.set(length, wide, wide);
    });
  }

  clear() {
    for (const thing of this.disposable ?? []) thing.dispose();
    for (const child of [...this.holder.children]) this.holder.remove(child);
    this.shadows.clear();
    this.disposable = [];
    this.materials = {};
    this.members = {};
    this.nodes = [];
    this.stretched = [];
    this.grid = null;
    this.grid_lines = [];
  }

  dispose() {
    this.clear();
    this.objects.root.remove(this.holder);
  }
}
