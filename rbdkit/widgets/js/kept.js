// In a saved notebook, where a view is not alive: a button on its picture that opens a page in its place, which plays a
// motion, or computes what its sliders say. NAME (of the widget), CODE (which of all codes), HEIGHT and WORD (on the button)
// are put before it by `rbdkit.widgets.kept`.

(() => {
  const pages = (globalThis.rbd_pages ??= {}); // the code of pages, which one output of the notebook carries for all
  const own = document.currentScript.parentElement;
  const carried = own.querySelector("script[data-kept-code]");
  if (carried) {
    pages[CODE] = carried.textContent;
    window.dispatchEvent(new Event("rbd-kept"));
  }
  const figure = document.createElement("figure");
  figure.dataset.kept = NAME;
  const button = document.createElement("button");
  Object.assign(button, { type: "button", textContent: WORD, title: "Opens what works without Python: look at it from all sides" });
  button.addEventListener("click", () => {
    const [before, after] = JSON.parse(own.querySelector("script[data-kept-page]").textContent);
    const frame = document.createElement("iframe");
    frame.title = button.title;
    frame.style.height = `${HEIGHT + 120}px`;
    frame.addEventListener("load", () => {
      const inside = frame.contentDocument.documentElement;
      const { jpThemeLight } = document.body.dataset;
      const fit = () => (frame.style.height = `${frame.contentDocument.body.scrollHeight}px`);
      new ResizeObserver(fit).observe(frame.contentDocument.body);
      const begin = () => {
        if (jpThemeLight) frame.contentDocument.body.dataset.jpThemeLight = jpThemeLight;
        inside.querySelector(".rbd-transport .rbd-play")?.click();
      };
      const ready = () => (inside.dataset.ready ? begin() : setTimeout(ready, 50));
      ready();
    });
    frame.srcdoc = before + pages[CODE] + after;
    figure.dataset.open = "true";
    figure.replaceChildren(frame);
  });
  const offer = () => {
    if (!pages[CODE] || figure.isConnected) return;
    figure.append(button);
    own.append(figure);
    window.removeEventListener("rbd-kept", offer);
  };
  window.addEventListener("rbd-kept", offer);
  offer();
})();
