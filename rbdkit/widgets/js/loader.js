// What every widget brings: a page keeps each module that it has loaded until it is left, so the module proper, which comes as
// `_module`, is loaded by the first widget of its kind only.

const KEPT = Symbol.for("rbdkit.modules");

async function load(text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  try {
    return (await import(url)).default;
  } finally {
    URL.revokeObjectURL(url);
  }
}

function loaded(text) {
  const kept = (globalThis[KEPT] ??= new Map());
  if (!kept.has(text)) kept.set(text, load(text));
  return kept.get(text);
}

export default () => {
  let widget = null; // a promise; null again when it is closed
  return {
    // Nothing is awaited here: anywidget gives this two seconds, which a busy machine may need for the module alone.
    initialize(context) {
      const { model } = context;
      let closed = null;
      let dispose = null;
      model.on("destroy", (itself) => {
        closed = itself;
        stop_listening(itself);
      });
      release_when_closed(model.get("layout"));
      widget = loaded(model.get("_module")).then((exported) => {
        if (closed) return null;
        const made = typeof exported === "function" ? exported() : exported;
        dispose = made.initialize?.(context);
        return made;
      });
      widget.catch(() => {}); // shown where it is awaited
      return async () => {
        await dispose?.();
        widget = dispose = null;
        // the page may go on holding the model, but not what it held; twice, as the first time leaves what was there before
        for (let k = 0; k < 2; k++) closed?.clear({ silent: true });
      };
    },
    // A picture has its place in the page before it is drawn, so that what stands below does not jump.
    async render(context) {
      const { el, model } = context;
      const rendered = widget.then((made) => made?.render(context));
      if (!model.get("height")) return rendered;
      el.style.minHeight = `${model.get("height")}px`;
      rendered
        .finally(() => (el.style.minHeight = ""))
        .catch((fault) => {
          console.error(fault);
          el.replaceChildren(String(fault));
        });
      return async () => (await rendered)?.();
    },
  };
};
