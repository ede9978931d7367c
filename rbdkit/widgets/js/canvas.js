// The canvas of one face: a pythreejs view, sized by the page, crisp when it rests and quick when it moves.

const REST = 450; // ms without a new picture, then the picture rests; longer than between the pictures of a drag

// Whether WebGL is drawn by the processor. Multisampling then costs half the frame rate: a moving picture goes without, and a
// resting one is drawn once more at twice the resolution, which looks better still.
const draws_in_software = (() => {
  let answer;
  return () => {
    if (answer === undefined) {
      const gl = document.createElement("canvas").getContext("webgl");
      const info = gl?.getExtension("WEBGL_debug_renderer_info");
      answer = Boolean(info) && /swiftshader|llvmpipe|software|basic render/i.test(gl.getParameter(info.UNMASKED_RENDERER_WEBGL));
      gl?.getExtension("WEBGL_lose_context")?.loseContext();
    }
    return answer;
  };
})();

class Canvas {
  constructor(host, on_state) {
    this.host = host;
    this.on_state = on_state;
    this.software = draws_in_software();
  }

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

  get renderer() {
    return this.view?.renderer;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!width || !height) return;
    if (this.view.isFrozen) this.view.$frozenRenderer?.width(width).height(height);
    else this.renderer.setSize(width, height);
  }

  draw() {
    this.view?.renderScene();
  }

  moving() {
    if (!this.software) return;
    this.sharpness(1);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (!this.renderer) return; // frozen by now: it drew for another view
      this.sharpness(Math.max(2, window.devicePixelRatio || 1));
      this.render();
    }, REST);
  }

  sharpness(ratio) {
    if (this.renderer && this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
    this.on_state(ratio > 1 ? "resting" : "moving");
  }

  close() {
    this.view?.remove();
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
