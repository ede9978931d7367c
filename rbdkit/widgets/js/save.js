// The menu that saves what is seen: a picture, a film, and in a notebook the page that plays without it.

const FILM_RATE = 30; // pictures a second

// What a file is called after.
function file_name(model) {
  return (model.get("_scene").name || "picture").replaceAll(/[^\p{L}\p{N}]+/gu, "_");
}

function download(parts, type, name) {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

class SaveMenu {
  constructor(face) {
    this.face = face;
    this.list = h("div", { class: "rbd-menu", role: "menu", hidden: true });
    this.open = button("save", "Save as picture, film or page", () => this.toggle(), { "aria-haspopup": true, "aria-expanded": false });
    this.el = h("div", { class: "rbd-layers rbd-save" }, this.open, this.list);
    this.outside = (event) => this.el.contains(event.target) || this.toggle(false);
    this.el.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.toggle(false);
      this.open.focus();
    });
  }

  toggle(open = this.list.hidden) {
    if (open) this.fill();
    this.list.hidden = !open;
    this.open.setAttribute("aria-expanded", open);
    if (open) document.addEventListener("pointerdown", this.outside);
    else document.removeEventListener("pointerdown", this.outside);
  }

  fill() {
    const { core, model } = this.face;
    const entry = (words, action) =>
      h("button", { type: "button", class: "rbd-entry", role: "menuitem", onclick: () => { this.toggle(false); action(); } }, words);
    const films = typeof MediaRecorder !== "undefined" && (core.player.tracks || core.play);
    this.list.replaceChildren(
      entry("Save picture (PNG)", () => this.picture()),
      ...(films ? [entry(this.recorder ? "End the film" : "Save film (WebM)", () => (this.recorder ? this.recorder.stop() : this.film()))] : []),
      ...(model.get("layout")?.comm_live ? [entry("Save as page (HTML)", () => model.send({ do: "page" }))] : [])
    );
  }

  // What is seen now, on the sky that the page puts behind it.
  copy(into) {
    const { canvas, picture } = this.face;
    canvas.draw();
    const seen = canvas.renderer.domElement;
    const { width, height } = seen;
    if (into.width !== width || into.height !== height) Object.assign(into, { width, height });
    const pen = into.getContext("2d");
    const style = getComputedStyle(picture);
    const sky = pen.createLinearGradient(0, 0, 0, height);
    sky.addColorStop(0, style.getPropertyValue("--rbd-sky").trim());
    sky.addColorStop(1, style.getPropertyValue("--rbd-ground").trim());
    pen.fillStyle = sky;
    pen.fillRect(0, 0, width, height);
    pen.drawImage(seen, 0, 0);
  }

  picture() {
    const copy = document.createElement("canvas");
    this.copy(copy);
    copy.toBlob((blob) => download([blob], "image/png", `${file_name(this.face.model)}.png`), "image/png");
  }

  // The motion from its start to its end, or what is played until it is ended here.
  film() {
    const { player, play } = this.face.core;
    const copy = document.createElement("canvas");
    this.copy(copy);
    const parts = [];
    const recorder = (this.recorder = new MediaRecorder(copy.captureStream(FILM_RATE), { mimeType: "video/webm", videoBitsPerSecond: 6e6 }));
    recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
    recorder.addEventListener("stop", () => {
      this.recorder = null;
      this.open.removeAttribute("aria-pressed");
      download(parts, "video/webm", `${file_name(this.face.model)}.webm`);
    });
    this.open.setAttribute("aria-pressed", true);
    if (play) play.play();
    else {
      player.seek(player.tracks.start);
      player.play();
    }
    const tick = () => {
      if (recorder.state === "inactive") return;
      this.copy(copy);
      if (play || player.playing) requestAnimationFrame(tick);
      else recorder.stop();
    };
    recorder.start();
    requestAnimationFrame(tick);
  }

  dispose() {
    document.removeEventListener("pointerdown", this.outside);
    if (this.recorder?.state === "recording") this.recorder.stop();
  }
}
