// What a closed widget leaves behind in the page.

// JupyterLab 4 lets go of a comm only with its kernel (each listens to the kernel's status until then), and a comm holds the model
// that listens to it. So a model that is closed stops listening, or each run of a cell would leave its widgets in memory.
// also: takes a model, and gives what else is to be done when it is closed.
function release_when_closed(model, also = () => () => {}, seen = new Set()) {
  if (typeof model?.once !== "function" || !model.attributes || seen.has(model)) return;
  seen.add(model);
  const more = also(model);
  model.once("destroy", () => {
    stop_listening(model);
    more();
  });
  for (const value of Object.values(model.attributes)) {
    for (const part of [value, ...(value?.constructor === Object || Array.isArray(value) ? Object.values(value) : [])]) {
      release_when_closed(part, also, seen);
    }
  }
}

function stop_listening(model) {
  model.comm?.on_close(() => {});
  model.comm?.on_msg(() => {});
}
