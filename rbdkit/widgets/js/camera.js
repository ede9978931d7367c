// The eye: framing, following, views along an axis.

const HOME_DIRECTION = [0.5, -0.8, 0.34];
const MARGIN = 1.14;
const CLOSER = 0.6; // of its distance: the eye comes nearer where so little of it will do

class Eye {
  constructor({ models, objects, THREE }, draw) {
    this.camera = objects.camera;
    this.controls = objects.controls;
    this.models = models;
    this.THREE = THREE;
    this.draw = draw;
    this.aspect = 1.6;
    this.followed = null;
    this.own = false; // whether the user has put it where it is
    this.taken = () => {
      this.own = true;
      this.gliding = null;
    };
    this.controls.addEventListener("start", this.taken);
  }

  // Looks from a direction at points, so that all are in the picture and fill it; `smooth` glides there.
  look(points, direction = HOME_DIRECTION, smooth = false, up = [0, 0, 1]) {
    const { place, target } = this.fit(points, direction, up);
    this.own = false;
    this.glide(place, target, smooth);
  }

  // Holds other points from where it looks now, unless the user has put it there: it moves if some are out of the picture, or
  // if a place much nearer holds them all.
  hold(points, smooth) {
    if (this.own || this.followed) return;
    const back = this.camera.position.clone().sub(this.controls.target);
    const upright = Math.abs(back.z) < 0.999 * back.length();
    const { place, target } = this.fit(points, back.toArray(), upright ? [0, 0, 1] : [0, 1, 0]);
    if (place.distanceTo(target) < CLOSER * back.length() || !this.sees(points)) this.glide(place, target, smooth);
  }

  // Whether all points are in the picture from a place, upright.
  sees(points, place = this.camera.position, target = this.controls.target) {
    const { Vector3 } = this.THREE;
    const z = place.clone().sub(target).normalize();
    const x = new Vector3(...(Math.abs(z.z) < 0.999 ? [0, 0, 1] : [0, 1, 0])).cross(z).normalize();
    const y = new Vector3().crossVectors(z, x);
    const tan = Math.tan((this.camera.fov * Math.PI) / 360);
    return points.every((point) => {
      const from = new Vector3(...point).sub(place);
      const deep = -from.dot(z) * tan;
      return deep > 0 && Math.abs(from.dot(x)) <= deep * this.aspect && Math.abs(from.dot(y)) <= deep;
    });
  }

  // The nearest place from which every point is in the picture, and what it looks at.
  fit(points, direction = HOME_DIRECTION, up = [0, 0, 1]) {
    const { Vector3 } = this.THREE;
    const back = new Vector3(...direction).normalize();
    const right = new Vector3().crossVectors(new Vector3(...up), back).normalize();
    const above = new Vector3().crossVectors(back, right);
    const seen = points.map((p) => [right, above, back].map((axis) => axis.x * p[0] + axis.y * p[1] + axis.z * p[2]));
    // each point keeps the eye behind a plane on each side
    const tan_v = Math.tan((this.camera.fov * Math.PI) / 360) / MARGIN;
    const tangents = [tan_v * this.aspect, tan_v];
    const ends = tangents.map((tan, k) => [
      Math.max(...seen.map((p) => p[k] + tan * p[2])),
      Math.min(...seen.map((p) => p[k] - tan * p[2])),
    ]);
    const deep = seen.map((p) => p[2]);
    const depth = (Math.min(...deep) + Math.max(...deep)) / 2;
    const away = Math.max(...tangents.map((tan, k) => (ends[k][0] - ends[k][1]) / (2 * tan)));
    const middle = [...ends.map(([high, low]) => (high + low) / 2), depth];
    const target = new Vector3();
    [right, above, back].forEach((axis, k) => target.addScaledVector(axis, middle[k]));
    return { place: target.clone().addScaledVector(back, away - depth || 1), target };
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
    this.controls.removeEventListener("start", this.taken);
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
