// A page that holds one picture: recorded motion to be played, or a model that moves again when its sliders do.

// Buffers were written as {"$": base64}.
function revived(_, value) {
  if (!value || typeof value.$ !== "string") return value;
  return new DataView(Uint8Array.from(atob(value.$), (letter) => letter.charCodeAt(0)).buffer);
}

// The colours of the device, told to the view as JupyterLab tells its own.
function follow_device() {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const tell = () => (document.body.dataset.jpThemeLight = String(!dark.matches));
  dark.addEventListener("change", tell);
  tell();
}

async function open_page(text) {
  const data = JSON.parse(text, revived);
  const host = document.getElementById("rbd-host");
  follow_device();
  const stage = new Traits({ ...data.stage, side: [], _framed: false, playing: false, _asked: 0, _answered: 0 });
  let panel = null;
  if (data.live) {
    panel = new Traits(data.panel);
    stage.live = await Live.open(data.live, stage, panel);
  }
  const core = await Core.open(stage);
  stage.widget_manager = core.models; // where the canvas finds what it draws
  host.replaceChildren();
  const face = new Face(core, host);
  await face.open();
  if (panel) {
    new Panel(panel, face.side);
    face.resize();
    core.home(false);
  }
}
