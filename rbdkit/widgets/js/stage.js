// The view: one core (scene, clock, eye) shared by all places where the widget is shown, and a face in each place.

class Core {
  static async open(model) {
    const core = new Core(model, await open_three(model));
    const live = model.get("_live");
    if (live) core.play = await Play.open(core, live);
    return core;
  }

  constructor(model, three) {
    this.model = model;
    this.models = three.models;
    this.faces = new Set();
    this.graph = new ThreeScene(three);
    this.eye = new Eye(three, () => this.draw());
    this.trails = new Trails(this.graph);
    this.arrows = new Arrows(this.graph);
    this.ellipsoids = new Ellipsoids(this.graph);
    this.picker = new Picker(this.graph);
    this.gizmo = new Gizmo(this.graph, model.get("_axes"), (pose, done) => this.tell_drag({ pose, done }));
    this.pulling = model.get("_pullable") ? new Pulling(this) : null;
    this.player = new Player(model, (t) => this.show_time(t));
    this.motion = []; // points that recorded motion comes by
    this.eye.own = Boolean(model.get("_framed")); // after a reload: perhaps moved by hand
    this.heard = {
      "change:_scene": () => this.load_scene(),
      "change:_tracks": () => this.load_tracks(),
      "change:_plots": () => this.faces.forEach((face) => face.load_plots()),
      "change:_pose": () => this.show_pose(typed(Float32Array, model.get("_pose"))),
      "change:layers": () => this.show_layers(),
      "change:follow": () => this.follow(),
      "change:selected": () => this.show_selected(),
      "change:standing": () => this.show_selected(),
      "change:_arrows": () => this.show_arrows(),
      "change:_arrow_names": () => this.show_arrows(),
      "change:_ellipsoids": () => this.show_arrows(),
      "change:_travel": () => this.ellipsoids.travel(typed(Float32Array, model.get("_travel")), () => this.draw()),
      "change:_handle": () => this.show_handle(),
      "change:_answered": () => this.drag_answered(),
      "msg:custom": (message, buffers) => {
        if (message.do === "home") this.home(true);
        else if (message.do === "page") download(buffers, "text/html", `${file_name(model)}.html`);
      },
    };
    for (const [event, action] of Object.entries(this.heard)) model.on(event, action);
    this.drawn = {
      beforeRender: (_, renderer, camera) => {
        this.eye.prepare(aspect_of(renderer));
        this.gizmo.fit(camera);
      },
      afterRender: (_, renderer, camera) => this.faces.forEach((face) => face.annotate(renderer, camera)),
    };
    for (const [event, action] of Object.entries(this.drawn)) this.models.scene.on(event, action);
    this.stop_theme = watch_theme((dark) => {
      this.graph.color_theme(dark);
      this.draw();
      this.faces.forEach((face) => face.repaint());
    });
    this.eye.controls.update(); // after a reload: only now do its target and the camera's place belong together
    this.load_scene();
  }

  load_scene() {
    const spec = this.model.get("_scene");
    this.graph.load(spec);
    for (const layer of spec.layers) this.graph.layers[layer.name] ??= layer.visible;
    this.faces.forEach((face) => face.load_scene());
    this.show_layers();
    this.show_selected();
    this.show_arrows();
    this.show_handle();
    this.load_tracks();
    const pose = this.model.get("_pose");
    if (!this.player.tracks && pose?.byteLength) this.show_pose(typed(Float32Array, pose));
    this.follow();
  }

  load_tracks() {
    const packed = this.model.get("_tracks");
    const tracks = packed?.t?.byteLength ? new Tracks(packed) : null;
    this.load_touching(tracks ? packed.touching : null);
    this.trails.load(tracks);
    this.player.load(tracks);
    this.faces.forEach((face) => face.load_plots());
    this.motion = tracks ? swept(this.graph, tracks) : [];
    if (this.model.get("_framed")) this.keep_in_picture();
    this.draw();
  }

  // Contacts that come with the tracks; arrows of forces stay as long as they were.
  load_touching(packed) {
    this.touching = packed ? new Touching({ scale: this.newtons, ...revived_arrays(packed) }, this.graph) : null;
    if (this.touching) this.newtons = this.touching.scale;
    this.touching_at = -1;
  }

  show_touching(t) {
    const key = this.player.tracks.key(t);
    if (!this.touching || key === this.touching_at) return;
    this.touching_at = key;
    const { arrows, cones } = this.touching.drawn(key);
    this.arrows.show(arrows, true);
    this.ellipsoids.show(cones, true);
  }

  show_time(t) {
    this.graph.pose(this.player.tracks.at(t), 0);
    this.graph.shade((name) => this.player.tracks.shade(name, t));
    this.show_touching(t);
    this.trails.show(t);
    this.moved();
    this.faces.forEach((face) => face.show_time(t));
  }

  show_pose(rows) {
    if (rows.length !== 7 * this.graph.nodes.length + 1) return; // the last number counts poses
    if (this.player.playing) this.player.pause();
    this.graph.pose(rows, 0);
    this.moved();
  }

  moved() {
    this.eye.keep_up();
    if (this.eye.followed) this.graph.center_grid(this.eye.controls.target.x, this.eye.controls.target.y);
    this.draw();
  }

  show_layers() {
    for (const [name, visible] of Object.entries(this.model.get("layers"))) this.graph.show(name, visible);
    this.faces.forEach((face) => face.layers.update());
    this.draw();
  }

  show_selected() {
    this.graph.stand_out(this.model.get("standing") ?? "");
    this.graph.select(this.model.get("selected"), this.model.get("_accent"));
    this.draw();
  }

  show_arrows() {
    const through = Boolean(this.model.get("_through"));
    this.arrows.show(typed(Float32Array, this.model.get("_arrows")), through, this.model.get("_arrow_names"));
    this.ellipsoids.show(typed(Float32Array, this.model.get("_ellipsoids")), through, this.model.get("_ellipsoid_names"));
    this.faces.forEach((face) => face.tags.load(this.arrows.labels()));
    words_changed();
    this.draw();
  }

  // Of an arrow or an ellipsoid, by its symbol; nothing where it is not drawn.
  color_of(symbol) {
    const mesh = [...this.arrows.meshes, ...this.ellipsoids.meshes].find(({ userData }) => userData.symbol === symbol);
    return mesh && `#${mesh.material.color.getHexString()}`;
  }

  // What a symbol stands for stands out, in the picture and wherever the symbol is written beside it.
  light(symbol) {
    if (symbol === (this.lit ?? "")) return;
    this.lit = symbol;
    this.arrows.light(symbol);
    this.ellipsoids.light(symbol);
    this.faces.forEach((face) => face.light(symbol));
    this.draw();
  }

  show_handle() {
    this.gizmo.show(this.model.get("_handle"));
    this.draw();
  }

  // One drag is under way at a time; when Python has answered, the newest follows, and none between.
  tell_drag(held) {
    this.draw();
    if (this.drag_sent && performance.now() - this.drag_sent < 2000) {
      this.drag_waits = held;
      return;
    }
    this.drag_waits = null;
    this.drag_sent = performance.now();
    this.model.set("_held", held);
    this.model.set("_asked", this.model.get("_asked") + 1);
    this.model.save_changes();
  }

  drag_answered() {
    this.drag_sent = null;
    if (this.drag_waits) this.tell_drag(this.drag_waits);
  }

  follow() {
    const node = this.graph.spec.nodes.indexOf(this.model.get("follow"));
    this.eye.follow(node < 0 ? null : this.graph.nodes[node]);
    this.faces.forEach((face) => face.show_follow(node >= 0));
  }

  // What the picture should hold: the scene and its motion, or the same about a followed node.
  outline(motion = this.motion) {
    const points = [...this.surroundings(motion), ...this.arrows.tips()];
    let all = points;
    for (let k = 0; k < 3; k++) all = [...points, ...this.gizmo.reach(this.eye.fit(all).place)]; // it grows with the distance
    return all;
  }

  surroundings(motion) {
    if (!this.eye.followed) return [...this.graph.spec.outline, ...motion];
    const near = this.model.get("_near");
    const points = near.length ? near : this.graph.spec.outline;
    const now = this.eye.followed.position.toArray();
    const first = typed(Float32Array, this.graph.spec.pose).slice(7 * this.graph.nodes.indexOf(this.eye.followed));
    return points.map((p) => p.map((x, k) => x + now[k] - first[k]));
  }

  // Another motion than the picture was framed for.
  keep_in_picture() {
    this.eye.hold(this.outline(), true);
    this.lay_grid();
  }

  lay_grid() {
    if (this.eye.followed) return;
    this.graph.lay_grid([...this.graph.spec.outline, ...this.motion]);
    this.faces.forEach((face) => face.show_scale());
  }

  // From where Python looks, too, unless the motion has left what it knew of.
  home(smooth) {
    const known = this.outline([]);
    const { place, target } = this.eye.fit(known);
    this.eye.look(this.eye.sees(this.motion, place, target) ? known : this.outline(), undefined, smooth);
    this.lay_grid();
  }

  draw() {
    this.faces.forEach((face) => face.draw());
  }

  dispose() {
    for (const [event, action] of Object.entries(this.heard)) this.model.off(event, action);
    for (const [event, action] of Object.entries(this.drawn)) this.models.scene.off(event, action);
    do_all(
      () => this.stop_theme(),
      () => this.play?.dispose(),
      () => this.player.dispose(),
      () => this.eye.dispose(),
      () => this.trails.dispose(),
      () => this.arrows.dispose(),
      () => this.ellipsoids.dispose(),
      () => this.gizmo.dispose(),
      () => this.graph.dispose()
    );
  }
}

function aspect_of(renderer) {
  const { width, height } = renderer.getSize();
  return width / height;
}

const USUAL_WIDTH = 1180; // px of a cell, for which heights are asked
const MOST_GROWN = 1.8;

class Face {
  constructor(core, el) {
    this.core = core;
    this.model = core.model;
    const host = h("div", { class: "rbd-canvas" });
    this.canvas = new ViewCanvas(host, (state) => (host.dataset.state = state));
    this.labels = h("div", { class: "rbd-names" });
    this.names = new Names(core.graph, this.labels);
    this.tips = h("div", { class: "rbd-names" });
    this.tags = new Names(core.graph, this.tips, () => true, false);
    this.layers = new LayerMenu(this.model);
    this.let_go = button("hand", "Let it go: it moves on from here, and can be pulled at", () => (core.toy ? core.toy.toggle() : this.model.send({ do: "let_go" })));
    this.let_go.hidden = !core.toy && (!this.model.get("_lets_go") || !this.model.get("layout")?.comm_live);
    this.save = new SaveMenu(this);
    this.compass = new Compass(this.model.get("_axes"), (axis) => core.eye.along(axis, core.outline()));
    this.scale = h("div", { class: "rbd-scale" });
    this.follow = button("follow", "Follow the moving body (F)", () => this.toggle_follow(), { "aria-pressed": false });
    this.tools = h("div", { class: "rbd-tools" }, this.layers.el, this.save.el, button("home", "Home view (H)", () => core.home(true)), this.follow,
      this.let_go, button("expand", "Full screen", () => this.toggle_fullscreen()));
    this.picture = h("div", { class: "rbd-picture" }, host, this.labels, this.tips, this.compass.el, this.scale, this.tools);
    this.transport = core.play ? new PlayBar(core.play) : new Transport(core.player);
    this.side = h("div", { class: "rbd-side" });
    this.stage = h("div", { class: "rbd-stage" }, h("div", { class: "rbd-main" }, this.picture, this.transport.el), this.side);
    this.below = h("div", { class: "rbd-below-view" });
    this.root = h("div", { class: "rbd-view", tabindex: 0, "data-lm-suppress-shortcuts": "true", "aria-label": "3D view" }, this.stage, this.below);
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.picture.addEventListener("contextmenu", (event) => event.preventDefault(), true);
    this.picture.addEventListener("pointerdown", () => this.root.focus({ preventScroll: true }));
    this.picture.addEventListener("wheel", (event) => this.wheel(event), { capture: true });
    this.root.addEventListener("rbd-light", ({ detail }) => core.light(detail));
    this.hand = new Hand(core, this.canvas, this.picture);
    el.append(this.root);
    this.charts = [];
    this.children = [];
  }

  async open() {
    const { core, model } = this;
    await this.canvas.open(model.widget_manager, core.models.renderer);
    core.faces.add(this);
    this.load_scene();
    this.load_plots();
    await this.load_side();
    await this.load_below();
    if (core.play?.data.knobs.length) this.panel = new Panel(core.play.panel, this.side);
    this.on_side = () => this.load_side();
    this.on_height = () => this.resize();
    model.on("change:side", this.on_side);
    this.on_below = () => this.load_below();
    this.on_refused = () => this.load_scene();
    model.on("change:below", this.on_below);
    model.on("change:_refused", this.on_refused);
    model.on("change:height", this.on_height);
    this.resizer = new ResizeObserver(() => this.resize());
    this.resizer.observe(this.root);
    this.watcher = new IntersectionObserver(([entry]) => {
      this.visible = entry.isIntersecting;
      if (this.visible) this.draw();
    });
    this.watcher.observe(this.picture);
    this.visible = this.opened = true;
    this.resize();
    this.show_follow(Boolean(core.eye.followed));
    this.root.core = core; // within reach of the browser's console
    this.root.dataset.ready = "true";
  }

  load_scene() {
    this.names.load();
    this.tags.load(this.core.arrows.labels());
    this.compass.point(this.core.graph.spec.gravity ?? [0, 0, 0]);
    this.layers.load(this.core.graph.spec);
    this.show_scale();
    this.follow.hidden = !this.model.get("_followable");
  }

  show_scale() {
    const { ground: grid, spec: { notes } } = this.core.graph;
    const posed = this.core.pulling && this.model.get("layout")?.comm_live ? "drag a body to move its joints" : "";
    const hint = this.core.play ? ["drag a body to pull it, Shift-click pins it", this.core.play.data.limits] : [this.model.get("_refused"), posed];
    this.scale.textContent = [...hint, ...notes, grid ? `grid ${length_text(grid.spacing)}` : ""].filter(Boolean).join(" \u00b7 ");
  }

  // The bar of what is played, or of the motion that was recorded: in a page the one can take the place of the other.
  load_transport() {
    const old = this.transport;
    this.transport = this.core.play ? new PlayBar(this.core.play) : new Transport(this.core.player);
    old.el.replaceWith(this.transport.el);
    old.dispose();
    this.let_go.setAttribute("aria-pressed", Boolean(this.core.play));
    this.load_scene();
    this.load_plots();
    this.root.focus({ preventScroll: true }); // its keys are those of the new bar
  }

  load_plots() {
    const old = this.charts;
    const plots = this.core.play ? this.core.play.plots() : this.model.get("_plots");
    if (old.length && old.length === plots.length && old.every((chart, k) => chart.alike(plots[k]))) {
      old.forEach((chart, k) => chart.renew(plots[k]));
      return;
    }
    const held = this.side.contains(document.activeElement);
    for (const chart of old) chart.close();
    this.charts = plots.map((plot) => new Chart(plot, this.core.player, old.find(({ title }) => title === plot.title)));
    this.side.prepend(...this.charts.map((chart) => chart.el));
    this.keep_focus(held);
    this.resize();
  }

  // Widgets that Python hung into the side.
  async load_side() {
    const turn = (this.side_turn = {});
    const manager = this.model.widget_manager;
    const models = await Promise.all(this.model.get("side").map((reference) => manager.get_model(reference.slice("IPY_MODEL_".length))));
    const views = await Promise.all(models.map((child) => manager.create_view(child, {})));
    if (turn !== this.side_turn) {
      for (const view of views) view.remove(); // others came meanwhile, or the end
      return;
    }
    const held = this.side.contains(document.activeElement);
    for (const view of this.children) view.remove();
    this.children = views;
    for (const view of views) {
      this.side.append(view.el);
      view.trigger("displayed", {});
    }
    this.keep_focus(held);
    this.resize();
  }

  // What was let go moves below the picture that it was let go from.
  async load_below() {
    const turn = (this.below_turn = {});
    const manager = this.model.widget_manager;
    const models = await Promise.all((this.model.get("below") ?? []).map((reference) => manager.get_model(reference.slice("IPY_MODEL_".length))));
    const views = await Promise.all(models.map((child) => manager.create_view(child, {})));
    const old = turn === this.below_turn ? this.toys ?? [] : views; // others came meanwhile
    for (const view of old) view.remove();
    if (turn !== this.below_turn) return;
    this.toys = views;
    this.let_go.setAttribute("aria-pressed", views.length > 0);
    for (const view of views) {
      this.below.append(view.el);
      view.trigger("displayed", {});
    }
  }

  // Where what had the focus is gone, the view takes it: its keys go on working.
  keep_focus(held) {
    if (held && !this.side.contains(document.activeElement)) this.root.focus({ preventScroll: true });
  }

  // The wheel is the page's until the view has been clicked: one scrolls past it. With Ctrl it is always the picture's.
  wheel(event) {
    const mine = event.ctrlKey || event.metaKey || this.root.contains(document.activeElement) || document.fullscreenElement === this.root;
    if (!mine) event.stopPropagation();
    this.labels.classList.toggle("rbd-passing", !mine);
    clearTimeout(this.passing);
    if (!mine) this.passing = setTimeout(() => this.labels.classList.remove("rbd-passing"), 1200);
  }

  // Of the picture, px: as asked for in a cell of usual width, in proportion in a wider one, as far as the window is high.
  tall() {
    const asked = this.model.get("height");
    const grown = asked * Math.min(MOST_GROWN, Math.max(1, this.root.clientWidth / USUAL_WIDTH));
    return Math.round(Math.min(grown, Math.max(asked, 0.68 * window.innerHeight)));
  }

  resize() {
    if (!this.canvas.view) return;
    const full = document.fullscreenElement === this.root;
    const beside = this.side.childElementCount > 0;
    this.stage.classList.toggle("rbd-wide", beside && this.root.clientWidth >= 800);
    this.root.style.setProperty("--rbd-height", full ? "100vh" : `${this.tall()}px`);
    this.canvas.resize();
    this.frame();
    this.draw();
  }

  // The first look: not before all stands in its place, and not out of sight (in another tab, say), where nothing has a size.
  frame() {
    const { clientWidth: width, clientHeight: height } = this.picture;
    if (!this.opened || !width || !height || this.model.get("_framed")) return;
    this.core.eye.aspect = width / height;
    this.core.home(false);
    this.model.set("_framed", true);
    this.model.save_changes();
  }

  repaint() {
    for (const chart of this.charts) chart.paint();
  }

  draw() {
    if (this.pending || this.visible === false) return;
    this.pending = true;
    queueMicrotask(() => {
      this.pending = false;
      this.canvas.draw();
    });
  }

  annotate(renderer, camera) {
    if (renderer !== this.canvas.renderer) return;
    const { width, height } = renderer.getSize();
    const { offsetLeft: x, offsetTop: y, offsetWidth: w, offsetHeight: h } = this.tools;
    const taken = [{ x, y, w, h }];
    this.names.place(camera, width, height, taken);
    this.tags.place(camera, width, height, taken);
    this.compass.turn(camera);
  }

  show_time(t) {
    for (const chart of this.charts) chart.show(t);
  }

  light(symbol) {
    for (const written of this.side.querySelectorAll("[data-symbol]")) written.classList.toggle("rbd-lit", written.dataset.symbol === symbol);
  }

  show_follow(on) {
    this.follow.setAttribute("aria-pressed", on);
  }

  toggle_follow() {
    this.model.set("follow", this.model.get("follow") ? "" : this.model.get("_followable"));
    this.model.save_changes();
  }

  toggle_fullscreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.root.requestFullscreen();
  }

  key(event) {
    if (needs_key(event)) return;
    const { player, play } = this.core;
    const actions = {
      h: () => this.core.home(true),
      f: () => this.model.get("_followable") && this.toggle_follow(),
    };
    if (play) Object.assign(actions, { " ": () => play.toggle(), Home: () => play.reset() });
    if (player.tracks) {
      Object.assign(actions, {
        " ": () => player.toggle(),
        ArrowLeft: () => player.step(-1),
        ArrowRight: () => player.step(1),
        Home: () => player.seek(player.tracks.start),
        End: () => player.seek(player.tracks.end),
        l: () => player.set("loop", !player.loop),
      });
    }
    const plain = !(event.ctrlKey || event.metaKey || event.altKey);
    if (plain && actions[event.key]) actions[event.key]();
    else if (!this.offer(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Keys of the panels work wherever the focus is in the view, in the picture too.
  offer({ target, key, ctrlKey, metaKey, altKey, shiftKey }) {
    const others = [...this.side.querySelectorAll(".rbd-panel")].filter((panel) => !panel.contains(target));
    return others.some((panel) => !panel.dispatchEvent(new KeyboardEvent("keydown", { key, ctrlKey, metaKey, altKey, shiftKey, cancelable: true })));
  }

  close() {
    this.core.faces.delete(this);
    this.side_turn = this.below_turn = null;
    clearTimeout(this.passing);
    delete this.root.core;
    this.root.remove();
    this.model.off("change:side", this.on_side);
    this.model.off("change:below", this.on_below);
    this.model.off("change:_refused", this.on_refused);
    this.model.off("change:height", this.on_height);
    do_all(
      () => this.resizer?.disconnect(),
      () => this.watcher?.disconnect(),
      () => this.layers.dispose(),
      () => this.save.dispose(),
      () => this.transport.dispose(),
      () => this.panel?.close(),
      ...this.charts.map((chart) => () => chart.close()),
      ...[...this.children, ...(this.toys ?? [])].map((view) => () => view.remove()),
      () => this.canvas.close()
    );
  }
}
