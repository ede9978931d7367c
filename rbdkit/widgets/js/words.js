// Words of a notebook's text that belong to a picture: [velocity](#arrow:v) has the colour of the arrow v and lights it under the
// pointer, [longer](#set:length=2) moves the slider. A word speaks of the nearest picture that knows what it says.

const SPOKEN = "a[href^='#arrow:'], a[href^='#set:']";

// What a link says: {symbol}, or {values} by name of the slider.
function said_by(link) {
  const [kind, ...rest] = decodeURIComponent(link.getAttribute("href")).split(":");
  const said = rest.join(":");
  return kind === "#arrow" ? { symbol: said } : { values: Object.fromEntries(said.split("&").map((pair) => pair.split("=").map((part) => part.trim()))) };
}

function nearest(link, things, element_of) {
  const { top } = link.getBoundingClientRect();
  const away = (thing) => Math.abs(element_of(thing).getBoundingClientRect().top - top);
  return things.filter((thing) => element_of(thing).isConnected).sort((a, b) => away(a) - away(b))[0];
}

// The picture that draws a symbol, and the colour that it has there.
function picture_of(link, symbol) {
  const views = [...document.querySelectorAll(".rbd-view")].filter(({ core }) => core?.color_of(symbol));
  return nearest(link, views, (view) => view)?.core;
}

function panel_of(link, values) {
  const panels = [...document.querySelectorAll(".rbd-panel")].map(({ panel }) => panel).filter((panel) => panel?.places_of(values));
  return nearest(link, panels, ({ el }) => el);
}

// Colours all words that some picture can answer for.
function color_words() {
  for (const link of document.querySelectorAll(SPOKEN)) {
    const { symbol, values } = said_by(link);
    link.classList.toggle("rbd-spoken", Boolean(symbol ? picture_of(link, symbol) : panel_of(link, values)));
    link.style.color = symbol ? picture_of(link, symbol)?.color_of(symbol) ?? "" : "";
  }
}

// Listens to words, once for all widgets of the page.
function hear_words() {
  if (document.rbd_words) return;
  document.rbd_words = true;
  const light = (link, on) => {
    const { symbol } = said_by(link);
    if (symbol) picture_of(link, symbol)?.light(on ? symbol : "");
  };
  const word = ({ target }) => target.closest?.(SPOKEN);
  document.addEventListener("pointerover", (event) => word(event) && light(word(event), true));
  document.addEventListener("pointerout", (event) => word(event) && light(word(event), false));
  document.addEventListener("focusin", (event) => word(event) && light(word(event), true));
  document.addEventListener("focusout", (event) => word(event) && light(word(event), false));
  document.addEventListener("click", (event) => {
    const link = word(event);
    if (!link) return;
    event.preventDefault(); // it leads nowhere else
    const { values } = said_by(link);
    if (values) panel_of(link, values)?.glide_to(values);
  }, { capture: true });
}

// A widget has come, or draws other things; texts may be rendered a moment later.
function words_changed() {
  hear_words();
  clearTimeout(document.rbd_words_timer);
  document.rbd_words_timer = setTimeout(color_words, 150);
}
