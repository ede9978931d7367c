// A picture that is let go: from where it stands it moves on in its own place, and can be pulled at, until it is taken back.

class Toy {
  // data: of `Play`, with motion: recorded states; live: what the page simulates by itself, or null.
  constructor(core, data, live) {
    Object.assign(this, { core, data, live });
  }

  async toggle() {
    if (this.core.play) this.take_back();
    else if (!this.opening) await this.let_go();
  }

  async let_go() {
    const { core, data, live } = this;
    this.opening = true;
    this.methods ??= await Promise.all(data.kernels.map((packaged) => Kernels.load(packaged)));
    this.opening = false;
    core.player.pause();
    this.left = core.player.t;
    const start = { ...data.start, ...this.state() };
    core.player.load(null);
    core.trails.clear();
    core.arrows.show([], false);
    core.ellipsoids.show([], false);
    const count = this.methods[0].packaged.bodies.length;
    core.graph.nodes.forEach((node, k) => (node.visible = k < count)); // ghosts stay behind
    core.play = new Play(core, this.methods, { ...data, start }, live?.panel);
    core.faces.forEach((face) => face.load_transport());
    core.play.play();
  }

  take_back() {
    const { core } = this;
    core.play.reset();
    core.play.dispose();
    core.play = null;
    core.graph.nodes.forEach((node) => (node.visible = true));
    core.load_scene();
    this.live?.reshape();
    if (core.player.tracks) core.player.seek(this.left);
    core.faces.forEach((face) => face.load_transport());
  }

  // Of the picture, as far as it is known.
  state() {
    const { tracks, t } = this.core.player;
    const motion = this.live ? this.live.current.motion : this.data.motion;
    if (!motion || !tracks) return {};
    const numbers = (name, type) => (this.live ? motion[name] : typed(type, motion[name]));
    const times = numbers("t", Float64Array);
    let k = 0;
    while (k + 1 < times.length && times[k + 1] <= t + 1e-9) k++;
    const row = (name) => {
      const values = numbers(name, Float32Array);
      const width = values.length / times.length;
      return Array.from(values.subarray(k * width, (k + 1) * width));
    };
    const [q, v, z] = ["q", "v", "z"].map(row);
    return { q, v, z: z.length ? z : null };
  }
}
