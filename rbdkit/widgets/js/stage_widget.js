// The view as a widget of its own.

export default () => {
  let core = null; // a promise; null again when the widget is closed
  return {
    initialize({ model }) {
      core = Core.open(model);
      core.catch(() => {}); // shown where it is awaited
      return async () => {
        const opened = core.catch(() => null);
        core = null;
        (await opened)?.dispose();
      };
    },
    async render({ el }) {
      const opened = await core;
      if (!core) return undefined;
      const face = new Face(opened, el);
      try {
        await face.open();
      } catch (fault) {
        face.close();
        if (core) throw fault; // else it was closed while it opened: nobody waits for it
      }
      return () => face.close();
    },
  };
};
