// How a picture is made: a fold-out with the source that the kernel found; nothing where a cell shows it anyway.

function how_made(model) {
  const text = h("div", {});
  text.innerHTML = model.get("made");
  return h("details", { class: "rbd-made", hidden: !model.get("made") }, h("summary", {}, "how is this made"), text);
}
