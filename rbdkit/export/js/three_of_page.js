// three.js as the page itself brings it, under the names and in the colours of the one that notebooks have from pythreejs.

class PageGeometry extends THREE.BufferGeometry {
  addAttribute(name, attribute) {
    return this.setAttribute(name, attribute);
  }
}

THREE.Matrix4.prototype.getInverse = function (matrix) {
  return this.copy(matrix).invert();
};

Object.defineProperty(THREE.LineGeometry.prototype, "maxInstancedCount", {
  set(count) {
    this.instanceCount = count;
  },
});

async function open_three() {
  THREE.ColorManagement.enabled = false;
  const renderer = new THREE.WebGLRenderer({ antialias: !draws_in_software(), alpha: true });
  renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
  renderer.setClearColor("#ffffff", 0);
  const size = renderer.getSize.bind(renderer);
  renderer.getSize = (target = new THREE.Vector2()) => size(target);

  // Light is counted by another measure today: a lamp of intensity 1 then is one of pi now.
  const lamp = new THREE.DirectionalLight("#ffffff", 0.46 * Math.PI);
  lamp.position.set(-0.5, 0.9, 0.7);
  lamp.target.position.set(0, 0, -1);
  const sky = new THREE.HemisphereLight("#ffffff", "#9aa3b0", 0.66 * Math.PI);
  sky.position.set(0, 0, 1);
  const camera = new THREE.PerspectiveCamera(30, 1.6);
  camera.position.set(1, -1.6, 0.7);
  camera.up.set(0, 0, 1);
  camera.add(lamp, lamp.target);
  const [scene, root] = [new THREE.Scene(), new THREE.Group()];
  scene.add(camera, sky, root);
  const controls = new THREE.OrbitControls(camera, renderer.domElement);
  controls.screenSpacePanning = true;

  const shading = new THREE.MeshPhongMaterial({ vertexColors: true, shininess: 38, specular: "#262626", side: THREE.DoubleSide });
  const objects = {
    renderer, scene, camera, controls, root,
    mesh: new THREE.Mesh(new PageGeometry(), shading),
    lines: new THREE.LineSegments(new PageGeometry(), new THREE.LineBasicMaterial({ color: "#808890" })),
    line: new THREE.Line2(new THREE.LineGeometry(), new THREE.LineMaterial({ linewidth: 2 })),
  };
  const models = Object.fromEntries(Object.entries(objects).map(([name, obj]) => [name, Object.assign(new Traits({}), { obj })]));
  models.controls.update_controlled = () => {};
  return { models, objects, THREE: { ...THREE, Geometry: PageGeometry, Attribute: THREE.BufferAttribute } };
}

class ViewCanvas extends Canvas {
  async open(models) {
    const [renderer, scene, camera] = [models.renderer.obj, models.scene.obj, models.camera.obj];
    this.render = () => {
      models.scene.tell("beforeRender", scene, renderer, camera);
      renderer.render(scene, camera);
      models.scene.tell("afterRender", scene, renderer, camera);
    };
    const renderScene = () => {
      this.moving();
      this.render();
    };
    this.view = { renderer, renderScene, remove: () => renderer.dispose() };
    models.controls.obj.addEventListener("change", () => this.draw());
    this.host.append(renderer.domElement);
  }
}
