// The pointer on a picture: a click picks, a drag that begins on the handle moves it, one on a body pulls it where a model is
// played or posed, and any other drag is the eye's.

const STILL = 4; // px that a click may wander

// Where a line of sight meets the plane through a point across another one; null if it runs along it.
function in_plane({ origin, direction }, { through, normal }) {
  const along = direction.dot(normal);
  if (Math.abs(along) < 1e-9) return null;
  return origin.clone().addScaledVector(direction, through.clone().sub(origin).dot(normal) / along).toArray();
}

// Where a point in the world is in coordinates of a node.
function point_on(node, world) {
  node.updateMatrixWorld(true);
  return world.clone().applyMatrix4(new node.matrixWorld.constructor().getInverse(node.matrixWorld)).toArray();
}

// A model that is posed: a body in hand is told to Python, which moves the joints after it.
class Pulling {
  constructor(core) {
    this.core = core;
  }

  grasp(found, sight) {
    const { graph, model } = this.core;
    const number = found ? graph.spec.nodes.indexOf(found.node) : 0;
    if (number <= 0 || !model.get("layout")?.comm_live) return false;
    const through = new graph.THREE.Vector3(...found.point);
    this.body = { body: found.node, point: point_on(graph.nodes[number], through) };
    this.plane = { through, normal: sight.direction.clone() };
    return true;
  }

  drag(sight) {
    const target = in_plane(sight, this.plane);
    if (target) this.core.tell_drag({ ...this.body, target });
    this.core.graph.select([this.body.body], this.core.model.get("_accent"));
  }

  release() {
    this.core.show_selected();
  }
}

class Hand {
  constructor(core, canvas, picture) {
    this.core = core;
    this.canvas = canvas;
    this.picture = picture;
    const host = canvas.host;
    host.addEventListener("pointerdown", (event) => this.down(event), true);
    host.addEventListener("mousedown", (event) => this.held && event.stopPropagation(), true); // else the eye turns too
    host.addEventListener("pointermove", (event) => this.move(event));
    host.addEventListener("pointerup", (event) => this.up(event));
    host.addEventListener("pointercancel", () => this.let_go());
  }

  get camera() {
    return this.core.graph.objects.camera;
  }

  place(event) {
    const { left, top, width, height } = this.canvas.host.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    return { x, y, width, height, across: (2 * x) / width - 1, up: 1 - (2 * y) / height };
  }

  part(event) {
    const { x, y, width, height } = this.place(event);
    return this.core.gizmo.part_at(x, y, this.camera, width, height);
  }

  sight(event) {
    const { across, up } = this.place(event);
    return line_of_sight(this.core.graph.THREE, across, up, this.camera);
  }

  // What lies under the pointer, or null.
  under(event) {
    const { across, up } = this.place(event);
    return this.core.picker.at(across, up, this.camera);
  }

  down(event) {
    if (event.button !== 0) return;
    this.from = [event.clientX, event.clientY];
    const part = this.part(event);
    const puller = this.core.play ?? this.core.pulling;
    if (part) this.core.gizmo.grasp(part, this.sight(event));
    else if (!puller?.grasp(this.under(event), this.sight(event), event.shiftKey)) return;
    this.held = part ? this.core.gizmo : puller;
    this.canvas.host.setPointerCapture(event.pointerId);
    event.stopPropagation();
    this.core.draw();
  }

  move(event) {
    if (this.held) {
      this.held.drag(this.sight(event), event.shiftKey);
      return;
    }
    if (!event.buttons && this.core.arrows.meshes.length) {
      const { x, y, width, height } = this.place(event);
      this.core.light(this.core.arrows.under(x, y, this.camera, width, height));
    }
    if (event.buttons || !this.core.gizmo.group.visible) return;
    const part = this.part(event);
    if (part === this.over) return;
    this.over = part;
    this.core.gizmo.hover(part);
    this.canvas.host.style.cursor = part ? "move" : "";
    this.core.draw();
  }

  up(event) {
    const picks = !this.held || this.held === this.core.pulling;
    this.let_go();
    if (!picks || event.button !== 0 || !this.from) return;
    const wandered = Math.hypot(event.clientX - this.from[0], event.clientY - this.from[1]);
    this.from = null;
    if (wandered > STILL) return;
    const found = this.under(event);
    this.core.model.send({ do: "picked", ...(found ?? { node: "", layer: "", point: [0, 0, 0], normal: [0, 0, 0] }) });
  }

  let_go() {
    if (!this.held) return;
    this.held.release();
    this.held = null;
    this.core.draw();
  }
}
