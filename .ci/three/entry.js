// What a page needs of three.js; bundle_three.py makes one file of it.
export {
  BufferAttribute, BufferGeometry, ColorManagement, DirectionalLight, DoubleSide, Group, HemisphereLight, LineBasicMaterial,
  LineSegments, LinearSRGBColorSpace, Matrix4, Mesh, MeshPhongMaterial, PerspectiveCamera, Scene, Vector2, Vector3, WebGLRenderer,
} from "three";
export { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
export { Line2 } from "three/examples/jsm/lines/Line2.js";
export { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
export { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
