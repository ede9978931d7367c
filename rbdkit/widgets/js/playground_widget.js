// Sliders of a playground as a widget.

export default {
  render({ model, el }) {
    const playground = new Playground(model, el);
    return () => playground.close();
  },
};
