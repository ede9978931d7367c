// The canvas of one face, sized by the page, crisp when it rests and quick when it moves. Where it comes from says a class on top:
// `ViewCanvas`, of which there is one for notebooks and one for pages without.

const REST = 450; // ms without a new picture, then the picture rests; longer than between the pictures of a drag

class Canvas {
  constructor(host, on_state) {
    this.host = host;
    this.on_state = on_state;
    this.software = draws_in_software();
  }

  get renderer() {
    return this.view?.renderer;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width && height) this.set_size(width, height);
  }

  set_size(width, height) {
    this.renderer.setSize(width, height);
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
}
