// Shadows on the ground: every solid surface once more, laid flat by its shader. They are painted before anything else and take the
// darkest of what falls on one place, so that surfaces behind each other count once; what is high above the ground casts a paler one.

const LIGHT = [0.16, -0.22, 1.0]; // where the light comes from
const PALEST = 0.3; // of the darkness of a shadow under something high
const DARKNESS = { light: 0.2, dark: 0.5 };
const FINE = 1500; // numbers of an index; a surface with more casts the shadow of a coarser one
const CELLS = 18; // of that, along its longest side
const MAXIMUM = 104; // three.js: how new and old colours are put together
const ONE = 201;
const CUSTOM = 5;

class Shadows {
  constructor(graph) {
    this.graph = graph;
    this.strength = { value: DARKNESS.light };
    this.level = { value: 0 }; // of the plane, along its normal
    this.meshes = [];
  }

  // plane : unit normal and distance from the origin. size : of the scene; one so high has the palest shadow.
  begin(plane, size) {
    this.clear();
    this.plane = plane;
    if (!plane) return;
    this.level.value = plane[3];
    const slope = plane[0] * LIGHT[0] + plane[1] * LIGHT[1] + plane[2] * LIGHT[2];
    const material = this.graph.objects.lines.material.clone(); // the plainest there is
    Object.assign(material, { blending: CUSTOM, blendEquation: MAXIMUM, blendSrc: ONE, blendDst: ONE, depthWrite: false, depthTest: false, side: 2 });
    const numbers = plane.map((x) => Number(x).toFixed(9));
    const light = LIGHT.map((x) => (x / slope).toFixed(9));
    material.onBeforeCompile = (shader) => {
      shader.uniforms.strength = this.strength;
      shader.uniforms.level = this.level;
      shader.uniforms.eye = { value: this.graph.objects.camera.matrixWorldInverse }; // viewMatrix is not given to every material
      shader.vertexShader = `uniform mat4 eye;\nuniform float level;\nvarying float high;\n${shader.vertexShader}`.replace(
        "#include <project_vertex>",
        `#include <project_vertex>
        vec4 flat_place = modelMatrix * vec4(transformed, 1.0);
        float above = dot(vec3(${numbers.slice(0, 3)}), flat_place.xyz) - level;
        flat_place.xyz -= above * vec3(${light});
        high = clamp(above / ${(0.6 * size || 1).toFixed(9)}, 0.0, 1.0);
        gl_Position = projectionMatrix * eye * flat_place;`
      );
      shader.fragmentShader = `varying float high;\nuniform float strength;\n${shader.fragmentShader}`.replace(
        /}\s*$/,
        `gl_FragColor = vec4(0.0, 0.0, 0.0, strength * mix(1.0, ${PALEST.toFixed(2)}, sqrt(high))); }`
      );
    };
    material.customProgramCacheKey = () => `shadow ${numbers} ${light} ${size}`;
    this.material = material;
  }

  // The shadow of a surface, a stretch of the shared buffers, on a group.
  cast(group, geometry, layer, start, count) {
    if (!this.plane) return;
    if (!this.surfaces.has(start)) this.surfaces.set(start, count > FINE ? this.coarse(start, count) : geometry);
    const mesh = new this.graph.THREE.Mesh(this.surfaces.get(start), this.material);
    mesh.frustumCulled = false;
    mesh.renderOrder = -1;
    mesh.userData = { layer };
    group.add(mesh);
    this.meshes.push(mesh);
  }

  // Vertices that are neighbours become one of them; what is left of the triangles.
  coarse(start, count) {
    const { THREE, attributes, index, disposable } = this.graph;
    const [numbers, position] = [index.array.subarray(start, start + count), attributes.position.array];
    const ends = [0, 1, 2].map((k) => {
      let [low, high] = [Infinity, -Infinity];
      for (const n of numbers) [low, high] = [Math.min(low, position[3 * n + k]), Math.max(high, position[3 * n + k])];
      return [low, high];
    });
    const cell = Math.max(...ends.map(([low, high]) => high - low)) / CELLS || 1;
    const [first, seen, kept] = [new Map(), new Set(), []];
    const one_of = (n) => {
      const key = ends.reduce((sum, [low], k) => sum * 64 + Math.round((position[3 * n + k] - low) / cell), 0);
      if (!first.has(key)) first.set(key, n);
      return first.get(key);
    };
    for (let k = 0; k < count; k += 3) {
      const corners = [0, 1, 2].map((j) => one_of(numbers[k + j]));
      const key = [...corners].sort((a, b) => a - b).join();
      if (new Set(corners).size < 3 || seen.has(key)) continue;
      seen.add(key);
      kept.push(...corners);
    }
    const geometry = new THREE.Geometry();
    geometry.addAttribute("position", attributes.position);
    geometry.setIndex(new THREE.Attribute(new Uint32Array(kept), 1));
    disposable.push(geometry);
    return geometry;
  }

  color_theme(dark) {
    this.strength.value = dark ? DARKNESS.dark : DARKNESS.light;
  }

  show(layers) {
    for (const mesh of this.meshes) mesh.visible = layers[mesh.userData.layer] !== false && layers.grid !== false;
  }

  clear() {
    this.material?.dispose();
    this.material = null;
    this.meshes = [];
    this.surfaces = new Map();
  }
}
