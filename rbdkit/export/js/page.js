// A page that holds one picture: recorded motion to be played, or a model that moves again when its sliders do.

// Arrays were written as {"$": [where they begin, bytes]}: words of four bytes as differences, all first bytes, all second ones, ...
function revived(bytes, value) {
  if (!Array.isArray(value?.$)) return value;
  const [start, size] = value.$;
  const count = Math.ceil(size / 4);
  const words = new Uint32Array(count);
  let word = 0;
  for (let k = start; k < start + count; k++) {
    word += bytes[k] | (bytes[k + count] << 8) | (bytes[k + 2 * count] << 16) | (bytes[k + 3 * count] << 24);
    words[k - start] = word >>>= 0;
  }
  return new DataView(words.buffer, 0, size);
}

// The colours of the device, told to the view as JupyterLab tells its own.
function follow_device() {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const tell = () => (document.body.dataset.jpThemeLight = String(!dark.matches));
  dark.addEventListener("change", tell);
  tell();
}

async function open_page(text, arrays) {
  const bytes = new Uint8Array(arrays);
  const data = JSON.parse(text, (_, value) => revived(bytes, value));
  const host = document.getElementById("rbd-host");
  follow_device();
  const stage = new Traits({ ...data.stage, side: [], _framed: false, playing: false, _asked: 0, _answered: 0 });
  let panel = null;
  if (data.live) {
    panel = new Traits(data.panel);
    stage.live = await Live.open(data.live, stage, panel);
  }
  const core = await Core.open(stage);
  if (data.toy) core.toy = new Toy(core, data.toy, stage.live ?? null);
  if (stage.live) stage.live.core = core;
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
