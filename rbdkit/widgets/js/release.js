// What a closed widget leaves behind in the page.

// JupyterLab 4 lets go of a comm only with its kernel (each listens to the kernel's status until then), and a comm holds the model
// that listens to it. So a model that is closed stops listening, or each run of a cell would leave its widgets in memory.
function release_when_closed(model, seen = new Set()) {
  if (typeof model?.once !== "function" || !model.attributes || seen.has(model)) return;
  seen.add(model);
  const { obj } = model; // of three.js; the model drops it when it is closed
  model.once("destroy", () => {
    stop_listening(model);
    if (!obj) return;
    obj.parent?.remove(obj); // WebGL renderers serve many pictures and remember the lights of each: that must be all
    delete obj.ipymodel;
  });
  for (const value of Object.values(model.attributes)) {
    for (const part of [value, ...(value?.constructor === Object || Array.isArray(value) ? Object.values(value) : [])]) {
      release_when_closed(part, seen);
    }
  }
}

function stop_listening(model) {
  model.comm?.on_close(() => {});
  model.comm?.on_msg(() => {});
}
