// A page that holds one picture: recorded motion to be played, or a model that moves again when its sliders do.

// Arrays were written as {"$": [where they begin, bytes, words of a row, grid]}, as `rbdkit.export.arrays` says.
function revived(bytes, value) {
  if (!Array.isArray(value?.$)) return value;
  const [start, size, width, grid] = value.$;
  const count = Math.ceil(size / 4);
  const words = new Uint32Array(count);
  for (let k = 0; k < count; k++) {
    const at = start + k;
    const word = (bytes[at] | (bytes[at + count] << 8) | (bytes[at + 2 * count] << 16) | (bytes[at + 3 * count] << 24)) >>> 0;
    words[k] = ((word >>> 1) ^ -(word & 1)) + (k < width ? 0 : words[k - width]);
  }
  if (!grid) return new DataView(words.buffer, 0, size);
  return new DataView(Float32Array.from(new Int32Array(words.buffer), (n) => n * grid).buffer, 0, size);
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
  const draw = async (stage, panel) => (data.played ? new Played(data.played, stage, panel) : WorkedOut.open(data.worked_out, stage, panel));
  const playground = data.played ?? data.worked_out;
  if (playground && !data.stage._scene) { // sliders alone
    const panel = new Traits(data.panel);
    host.replaceChildren();
    new Playground(panel, host);
    await draw(null, panel);
    return;
  }
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
  if (playground) {
    panel = new Traits(data.panel);
    const beside = h("div", {}); // as a widget has one around it
    face.side.append(beside);
    new Playground(panel, beside);
    await draw(stage, panel);
    stage.set("_framed", false); // the picture has another size now
    face.resize();
  } else if (panel) {
    new Panel(panel, face.side);
    face.resize();
    core.home(false);
  }
}
