// Elements, icons and numbers as text.

function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

const ICONS = {
  play: "M7 4.5v15l12.5-7.5z",
  pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
  first: "M5 5h2.6v14H5zM19.5 5v14L8.6 12z",
  back: "M16.5 5v14L6.6 12z",
  forward: "M7.5 5v14l9.9-7z",
  home: "M12 3.6 3.4 11h2.4v8.6h4.7v-5.4h3v5.4h4.7V11h2.4z",
  layers: "M12 3.2 2.6 8.4 12 13.6l9.4-5.2zM4.9 11.4l-2.3 1.3L12 17.9l9.4-5.2-2.3-1.3L12 15.3zM4.9 15.6l-2.3 1.3L12 22l9.4-5.1-2.3-1.3L12 19.5z",
  follow: "M12 7.6a4.4 4.4 0 1 0 0 8.8 4.4 4.4 0 0 0 0-8.8zM11 1.8h2V6h-2zM11 18h2v4.2h-2zM1.8 11H6v2H1.8zM18 11h4.2v2H18z",
  loop: "M7 6.2h9.2V3.4L21 7.3l-4.8 3.9V8.4H8.2v3.4H6V7.2a1 1 0 0 1 1-1zM17 17.8H7.8v2.8L3 16.7l4.8-3.9v2.8h8v-3.4H18v4.6a1 1 0 0 1-1 1z",
  save: "M11 3.500h2v8.200l3-3 1.500 1.500L12 15.700 6.500 10.200 8 8.700l3 3zM4 14.500h2.200v3.800h11.600v-3.800H20v6H4z",
  hand: "M7.200 11V5.600a1.300 1.300 0 0 1 2.600 0V10h.6V4.300a1.300 1.300 0 0 1 2.600 0V10h.6V5.200a1.300 1.300 0 0 1 2.600 0v5.600h.6V7.600a1.300 1.300 0 0 1 2.500 0v7c0 3.600-2.400 6.400-6 6.400-2.800 0-4.400-1-6-3.700l-2.700-4.500c-.9-1.500 1-2.700 2.100-1.400z",
  expand: "M4 4h6.2v2.2H6.2v4H4zM13.8 4H20v6.2h-2.2v-4h-4zM4 13.8h2.2v4h4V20H4zM17.8 13.8H20V20h-6.2v-2.2h4z",
  reset: "M12 5a7 7 0 1 1-6.7 9h2.3a4.8 4.8 0 1 0 .6-4.6L10.6 12H4V5.4l2.6 2.5A7 7 0 0 1 12 5z",
  dice: "M5 3.5h14A1.5 1.5 0 0 1 20.500 5v14a1.500 1.500 0 0 1-1.500 1.500H5A1.500 1.500 0 0 1 3.500 19V5A1.500 1.500 0 0 1 5 3.500zM8 6.500a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3zM16 14.500a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3zM12 10.500a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3z",
};

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  path.setAttribute("fill-rule", "evenodd");
  svg.append(path);
  return svg;
}

function button(name, tip, onclick, extra = {}) {
  return h("button", { type: "button", class: "rbd-button", title: tip, "aria-label": tip, onclick, ...extra }, icon(name));
}

// A number with four significant digits that takes the same room whatever its size.
function brief(x) {
  if (!Number.isFinite(x)) return String(x);
  if (x === 0) return "0";
  const size = Math.abs(x);
  const text = size >= 1e5 || size < 1e-3 ? x.toExponential(2) : x.toPrecision(4);
  return text.replaceAll("-", "\u2212").replace("e+", "e");
}

// Text with mathematical signs: minus, not the hyphen of a keyboard, and exponents of units.
function signs(text) {
  return text.replace(/(^|[\s(,|=:[])-(?=[\d.i])/g, "$1\u2212").replace(/(\d)e([-+]?)0*(\d+)/g, (_, digit, sign, power) => `${digit}e${sign === "-" ? "\u2212" : ""}${power}`);
}

// A unit as it is printed: m/s2 with its exponent raised.
function unit_text(unit) {
  return unit.replace(/([A-Za-z])([23])\b/g, (_, letter, power) => letter + (power === "2" ? "\u00b2" : "\u00b3"));
}

const GREEK = { alpha: "\u03b1", beta: "\u03b2", gamma: "\u03b3", delta: "\u03b4", theta: "\u03b8", lambda: "\u03bb", mu: "\u03bc", rho: "\u03c1", tau: "\u03c4", phi: "\u03c6", omega: "\u03c9" };
const SIGN = /(?<![\w.])(dexp|[A-Za-z\u0370-\u03ff]|alpha|beta|gamma|delta|theta|lambda|mu|rho|tau|phi|omega)((?:[_^](?:\{[^}]*\}|[A-Za-z0-9\u0370-\u03ff]+))+)?(?![\w.])/g;

// Text in which symbols stand as in print: v_C and I^A with small letters below and above, tau as a Greek letter. Names of
// things, shoulder_pan say, are no symbols. digits: x3 is x with a small 3, too.
function typeset(text, digits = false) {
  const parts = [];
  let end = 0;
  const given = digits ? text.replace(/(?<![\w.])([A-Za-z])(\d+)(?![\w.])/g, "$1_$2") : text;
  for (const found of given.matchAll(SIGN)) {
    const [whole, letter, small] = found;
    if (!small && !GREEK[letter]) continue;
    parts.push(given.slice(end, found.index), GREEK[letter] ?? letter);
    for (const [, where, inner] of (small ?? "").matchAll(/([_^])\{?([^_^}]*)\}?/g)) {
      const inverse = letter === "dexp" && inner === "inv";
      parts.push(h(inverse || where === "^" ? "sup" : "sub", {}, inverse ? "\u22121" : GREEK[inner] ?? inner));
    }
    end = found.index + whole.length;
  }
  return [...parts, given.slice(end)].filter((part) => part !== "");
}

// A length in a unit that suits it.
function length_text(metres) {
  const [size, unit] = metres >= 1000 ? [metres / 1000, "km"] : metres >= 0.01 ? [metres, "m"] : [1000 * metres, "mm"];
  return `${Number(size.toPrecision(3))} ${unit}`;
}

// Does every action, the later ones also where an earlier one fails; then the first fault is thrown.
function do_all(...actions) {
  const faults = [];
  for (const action of actions) {
    try {
      action();
    } catch (fault) {
      faults.push(fault);
    }
  }
  if (faults.length) throw faults[0];
}

// A typed array from a buffer of a message; the copy puts it on an aligned address.
function typed(Type, view) {
  if (!view || !view.byteLength) return new Type(0);
  return new Type(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

// Whether what has the focus has use for a key itself.
function needs_key({ target, key }) {
  const { tagName, type } = target;
  if (tagName === "SELECT" || tagName === "TEXTAREA") return true;
  if (tagName === "BUTTON" || tagName === "SUMMARY" || type === "checkbox") return key === " " || key === "Enter";
  if (tagName !== "INPUT" || target.classList.contains("rbd-scrub")) return false;
  return type !== "range" || key.startsWith("Arrow") || ["Home", "End", "PageUp", "PageDown"].includes(key);
}

// Puts other nodes into a list; the focus that one of the old ones had goes to a host that stays.
function replace_in(list, nodes, host) {
  const held = list.contains(document.activeElement);
  list.replaceChildren(...nodes);
  if (held) host.focus({ preventScroll: true });
}

// Calls `tell(dark)` now and whenever JupyterLab or VS Code changes between light and dark; returns how to stop.
function watch_theme(tell) {
  const { body } = document;
  const changed = () => tell(body.dataset.jpThemeLight === "false" || body.classList.contains("vscode-dark"));
  const observer = new MutationObserver(changed);
  observer.observe(body, { attributes: true, attributeFilter: ["data-jp-theme-light", "class"] });
  changed();
  return () => observer.disconnect();
}

// What asks Python is not to be used where no kernel answers, and says why. Pages without a notebook have no layout: they answer
// by themselves. Returns how to stop looking.
function silent_without_kernel(model, el) {
  const layout = model.get("layout");
  if (!layout) return () => {};
  const note = h("div", { class: "rbd-silent", role: "note" }, "Run the cell to touch it: no kernel answers here.");
  const tell = () => {
    for (const child of el.children) child.inert = !layout.comm_live;
    if (layout.comm_live) note.remove();
    else if (!note.isConnected) el.prepend(note);
    note.inert = false;
  };
  layout.on("comm_live_update", tell);
  tell();
  return () => layout.off("comm_live_update", tell);
}
