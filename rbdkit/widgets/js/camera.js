// The eye: framing, following, views along an axis.

const HOME_DIRECTION = [0.5, -0.8, 0.34];
const MARGIN = 1.14;

class Eye {
  constructor({ models, objects, THREE }, draw) {
    this.camera = objects.camera;
    this.controls = objects.controls;
    this.models = models;
    this.THREE = THREE;
    this.draw = draw;
    this.aspect = 1.6;
    this.followed = null;
  }

  // Looks from a direction at points, so that all are in the picture and fill it; `smooth` glides there.
  look(points, direction = HOME_DIRECTION, smooth = false, up = [0, 0, 1]) {
    const { Vector3 } = this.THREE;
    const back = new Vector3(...direction).normalize();
    const right = new Vector3().crossVectors(new Vector3(...up), back).normalize();
    const above = new Vector3().crossVectors(back, right);
    const seen = points.map((p) => [right, above, back].map((axis) => axis.dot(new Vector3(...p))));
    const middle = [0, 1, 2].map((k) => {
      const own = seen.map((p) => p[k]);
      return (Math.min(...own) + Math.max(...own)) / 2;
    });
    const tan_v = Math.tan((this.camera.fov * Math.PI) / 360);
    const tan_h = tan_v * this.aspect;
    const needed = ([x, y, z]) =>
      Math.max(Math.abs(x - middle[0]) / tan_h, Math.abs(y - middle[1]) / tan_v) * MARGIN + (z - middle[2]);
    const distance = Math.max(...seen.map(needed)) || 1;
    const target = new Vector3();
    [right, above, back].forEach((axis, k) => target.addScaledVector(axis, middle[k]));
    this.glide(target.clone().addScaledVector(back, distance), target, smooth);
  }

  glide(place, target, smooth) {
    const from = this.camera.position.clone();
    const looked = this.controls.target.clone();
    const still = !smooth || window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const began = performance.now();
    this.gliding = {};
    const turn = this.gliding;
    const move = (now) => {
      if (this.gliding !== turn) return;
      const s = still ? 1 : Math.min(1, (now - began) / 280);
      const e = s * s * (3 - 2 * s);
      // along an arc about the target, so that a view from the other side does not cross the scene
      const radius = from.distanceTo(looked) * (1 - e) + place.distanceTo(target) * e;
      this.controls.target.lerpVectors(looked, target, e);
      const a = from.clone().sub(looked).normalize();
      const b = place.clone().sub(target).normalize();
      const between = a.lerp(b, e);
      if (between.length() < 1e-3) between.set(0, 0, 1);
      this.camera.position.copy(this.controls.target).addScaledVector(between.normalize(), radius);
      this.controls.update();
      this.draw();
      if (s < 1) requestAnimationFrame(move);
      else if (this.models.controls.obj && this.models.camera.obj) this.models.controls.update_controlled(); // unless closed by now
    };
    move(began);
  }

  // Views along an axis; z a little off, where "up" is still defined.
  along(axis, points) {
    const direction = [0, 0, 0];
    direction[axis] = axis === 1 ? -1 : 1;
    if (axis === 2) direction[1] = -1e-3;
    this.look(points, direction, true, axis === 2 ? [0, 1, 0] : [0, 0, 1]);
  }

  follow(node) {
    this.followed = node;
    this.anchor = node ? node.position.clone() : null;
  }

  // Keeps a followed node where it is in the picture.
  keep_up() {
    if (!this.followed) return;
    const step = this.followed.position.clone().sub(this.anchor);
    this.anchor.copy(this.followed.position);
    this.camera.position.add(step);
    this.controls.target.add(step);
  }

  dispose() {
    this.gliding = null;
    this.followed = null;
  }

  // Before each picture: proportions of the canvas, depth range about what is looked at.
  prepare(aspect) {
    const d = this.camera.position.distanceTo(this.controls.target);
    const near = d / 100;
    const far = d * 60;
    if (this.camera.aspect !== aspect || this.camera.near !== near) {
      Object.assign(this.camera, { aspect, near, far });
      this.camera.updateProjectionMatrix();
    }
    this.aspect = aspect;
  }
}
