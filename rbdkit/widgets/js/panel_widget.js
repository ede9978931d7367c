// A panel of sliders as a widget of its own.

export default {
  render({ model, el }) {
    const panel = new Panel(model, el);
    return () => panel.close();
  },
};
