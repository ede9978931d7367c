// three.js as pythreejs brings it. Pages without a notebook bring their own (rbdkit/export/js/three_of_page.js).

// pythreejs models, the three.js objects behind them, and from one sample of each kind the constructors of the three.js they
// brought. The objects are kept here because a model drops its own when it is closed, which may be before its view is.
async function open_three(model) {
  const manager = model.widget_manager;
  const models = {};
  await Promise.all(
    Object.entries(model.get("_three")).map(async ([name, reference]) => {
      models[name] = await manager.get_model(reference.slice("IPY_MODEL_".length));
      await models[name].initPromise;
    })
  );
  release_when_closed(models.renderer, leaving);
  for (const sample of [models.mesh, models.lines, models.line]) release_when_closed(sample, leaving);
  // Ordinary widgets that are closed together with the picture: nobody else lets go of them.
  for (const reference of model.get("_companions") ?? []) {
    manager.get_model(reference.slice("IPY_MODEL_".length)).then((companion) => release_when_closed(companion));
  }
  const objects = Object.fromEntries(Object.entries(models).map(([name, { obj }]) => [name, obj]));
  const { mesh, lines, line, root } = objects;
  const THREE = {
    Mesh: mesh.constructor,
    Geometry: mesh.geometry.constructor,
    Attribute: mesh.geometry.attributes.position.constructor,
    Group: root.constructor,
    Vector3: mesh.position.constructor,
    LineSegments: lines.constructor,
    Line2: line.constructor,
    LineGeometry: line.geometry.constructor,
  };
  return { models, objects, THREE };
}

// The three.js object of a model, which the model drops when it is closed, leaves what it hangs in: WebGL renderers serve many
// pictures and remember the lights of each, and the scene must be all that they remember.
function leaving({ obj }) {
  return () => {
    if (!obj) return;
    obj.parent?.remove(obj);
    delete obj.ipymodel;
  };
}

// The canvas of a pythreejs view.
class ViewCanvas extends Canvas {
  async open(manager, renderer_model) {
    if (this.software) renderer_model.set("_antialias", false);
    this.view = await manager.create_view(renderer_model, {});
    this.view.updateSize = () => this.resize();
    this.render = this.view.renderScene.bind(this.view);
    this.view.renderScene = (...scene) => {
      this.moving();
      this.render(...scene);
    };
    this.view.once("remove", () => this.let_go());
    this.host.append(this.view.el);
  }

  set_size(width, height) {
    if (this.view.isFrozen) this.view.$frozenRenderer?.width(width).height(height);
    else super.set_size(width, height);
  }

  // The view is gone, by `close` or because its renderer was closed first. The page keeps such views and the WebGL renderer, which
  // serves others now; neither must keep this picture, and a frame still asked for must not fetch a renderer again.
  let_go() {
    clearTimeout(this.timer);
    const { view } = this;
    this.view = this.render = null;
    view.renderer?.renderLists?.dispose();
    view.renderScene = view.updateSize = () => {};
  }
}
