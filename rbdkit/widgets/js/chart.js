// A plot of curves over time with the player's cursor on it.

const MOST_DOTS = 24; // on the cursor
const MARGINS = { left: 50, right: 12, top: 10, bottom: 22 };

// Round numbers, about `count` of them, that cover [low, high].
function ticks(low, high, count) {
  const rough = (high - low) / Math.max(1, count);
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * decade).find((s) => s >= rough * 0.999);
  const values = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) values.push(k * step);
  return { values, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

// At most `count` powers of ten in [10^low, 10^high], as exponents.
function decades(low, high, count) {
  const step = Math.max(1, Math.ceil((high - low) / Math.max(1, count)));
  const values = [];
  for (let k = Math.ceil(low / step) * step; k <= high; k += step) values.push(k);
  return values;
}

const SUPERSCRIPT = { "-": "\u207b", 0: "\u2070", 1: "\u00b9", 2: "\u00b2", 3: "\u00b3", 4: "\u2074", 5: "\u2075", 6: "\u2076", 7: "\u2077", 8: "\u2078", 9: "\u2079" };

function ten_to(power) {
  return `10${[...String(power)].map((c) => SUPERSCRIPT[c]).join("")}`;
}

// Whether something happens in a tab: curves that stand still are not what one looks at first.
function lively({ t, names, values }) {
  return names.some((_, k) => {
    const row = values.subarray(k * t.length, (k + 1) * t.length).filter(Number.isFinite);
    const [low, high] = [row.reduce((a, b) => Math.min(a, b), Infinity), row.reduce((a, b) => Math.max(a, b), -Infinity)];
    return high - low > 1e-6 * Math.max(1e-6, Math.abs(low), Math.abs(high));
  });
}

const ROUND_OFF = 1e-12; // of the largest number of a tab: smaller ones are written as 0

function numbers_of({ t, values, log }) {
  const numbers = typed(Float32Array, values);
  const largest = numbers.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0);
  const tiny = log ? 0 : ROUND_OFF * largest;
  return { t: typed(Float64Array, t), values: log ? numbers.map(Math.log10) : numbers, tiny };
}

class Chart {
  // before: the chart in whose place this one comes; what was chosen and hidden there by hand stays so.
  constructor(plot, player, before = null) {
    this.player = player;
    this.title = plot.title;
    this.chosen = before?.chosen ?? null;
    this.tabs = plot.tabs.map((tab) => ({
      ...tab,
      ...numbers_of(tab),
      hidden: before?.hidden_in(tab) ?? new Set(),
    }));
    this.canvas = h("canvas", { class: "rbd-curves" });
    this.cursor = h("div", { class: "rbd-cursor" });
    this.dots = h("div", { class: "rbd-dots" });
    this.area = h("div", { class: "rbd-area" }, this.canvas, this.cursor, this.dots);
    this.legend = h("div", { class: "rbd-legend" });
    this.past = h("div", { class: "rbd-past" }); // beside the tabs: there is room whether there is a past or not
    const choose = (index) => () => {
      this.chosen = this.tabs[index].name;
      this.choose(index);
    };
    this.buttons = this.tabs.map((tab, index) =>
      h("button", { type: "button", class: "rbd-tab", role: "tab", title: tab.tip ?? null, onclick: choose(index) }, ...typeset(tab.name))
    );
    this.said = h("div", { class: "rbd-said" });
    this.el = h("section", { class: "rbd-chart", "aria-label": plot.title },
      h("div", { class: "rbd-head" }, h("div", { class: "rbd-tabs", role: "tablist", "aria-label": plot.title }, ...this.buttons), this.past),
      this.said, this.legend, this.area);
    this.area.addEventListener("pointerdown", (event) => {
      this.area.setPointerCapture(event.pointerId);
      this.seek(event);
    });
    this.area.addEventListener("pointermove", (event) => event.buttons & 1 && this.seek(event));
    this.area.addEventListener("pointerenter", () => { // of what is simulated as one looks there is no other time
      this.area.title = this.player.tracks ? "Click or drag to move in time" : "";
    });
    this.sizes = new ResizeObserver(() => this.resize()); // its box changes with all that stands beside it
    this.sizes.observe(this.area);
    this.choose(this.first());
  }

  // The tab that opens: the chosen one, or one in which something happens.
  first() {
    const chosen = this.tabs.findIndex(({ name }) => name === this.chosen);
    return Math.max(0, chosen < 0 ? this.tabs.findIndex(lively) : chosen);
  }

  // Whether a plot has the same curves, though of other values.
  alike({ title, tabs }) {
    const told = ({ name, names, colors, log, tip }) => [name, names, colors, Boolean(log), tip ?? ""];
    return title === this.title && JSON.stringify(tabs.map(told)) === JSON.stringify(this.tabs.map(told));
  }

  // Which curves of a tab stay hidden where they are drawn anew.
  hidden_in({ name, names }) {
    const old = this.tabs.find((tab) => tab.name === name);
    return new Set(names.flatMap((curve, k) => (old?.hidden.has(old.names.indexOf(curve)) ? [k] : [])));
  }

  // The same curves with other values.
  renew({ tabs }) {
    this.tabs.forEach((tab, k) => Object.assign(tab, numbers_of(tabs[k])));
    const index = this.first();
    if (this.tabs[index] === this.tab || lively(this.tab)) this.paint();
    else this.choose(index);
  }

  close() {
    this.sizes.disconnect();
    this.el.remove();
  }

  seek(event) {
    const { left } = this.area.getBoundingClientRect();
    const s = (event.clientX - left - MARGINS.left) / (this.width - MARGINS.left - MARGINS.right);
    this.player.seek(this.t0 + Math.min(1, Math.max(0, s)) * (this.t1 - this.t0));
  }

  choose(index) {
    this.tab = this.tabs[index];
    this.buttons.forEach((tab, k) => tab.setAttribute("aria-selected", k === index));
    const { names, colors, hidden } = this.tab;
    this.said.textContent = this.tab.tip ?? "";
    this.said.hidden = !this.tab.tip;
    this.values = names.map(() => h("span", { class: "rbd-value" }));
    this.points = names.slice(0, MOST_DOTS).map((_, k) => h("i", { style: `background:${colors[k]}` }));
    this.dots.replaceChildren(...this.points);
    // What was before is one entry: its curves have the colours of those that are.
    const past = names.flatMap((name, k) => (name.endsWith(" before") && names.includes(name.slice(0, -7)) ? [k] : []));
    const now = names.flatMap((name, k) => (past.includes(k) ? [] : [this.chip(name, [k], colors[k], this.values[k])]));
    this.legend.replaceChildren(...now);
    this.past.replaceChildren(...(past.length ? [this.chip("before", past, colors[past[0]], "")] : []));
    this.paint();
  }

  // An entry of the legend, which shows and hides its curves.
  chip(name, curves, color, value) {
    const { hidden } = this.tab;
    const chip = h("button", { type: "button", class: "rbd-chip", title: `Show or hide ${name}`, "aria-pressed": !hidden.has(curves[0]) },
      h("i", { style: `background:${color}` }), h("span", { class: "rbd-what" }, name), value);
    chip.addEventListener("click", () => {
      const off = !hidden.has(curves[0]);
      for (const k of curves) off ? hidden.add(k) : hidden.delete(k);
      chip.setAttribute("aria-pressed", !off);
      this.paint();
    });
    return chip;
  }

  resize() {
    const { clientWidth, clientHeight } = this.area;
    if (clientWidth === this.width && clientHeight === this.height) return;
    this.width = clientWidth;
    this.height = clientHeight;
    this.paint();
  }

  row(k) {
    const n = this.tab.t.length;
    return this.tab.values.subarray(k * n, (k + 1) * n);
  }

  scale() {
    let low = Infinity;
    let high = -Infinity;
    this.tab.names.forEach((_, k) => {
      if (this.tab.hidden.has(k)) return;
      for (const value of this.row(k)) {
        if (!Number.isFinite(value)) continue; // a logarithm of zero
        if (value < low) low = value;
        if (value > high) high = value;
      }
    });
    if (!Number.isFinite(low) || !Number.isFinite(high)) [low, high] = [-1, 1];
    const least = Math.max(1e-30, 1e-9 * Math.max(Math.abs(low), Math.abs(high)));
    if (high - low < least) [low, high] = low === 0 && high === 0 ? [-1, 1] : [low - Math.abs(low) * 0.1, high + Math.abs(high) * 0.1];
    const pad = 0.06 * (high - low);
    this.low = low - pad;
    this.high = high + pad;
    this.t0 = this.player.tracks?.start ?? this.tab.t[0];
    this.t1 = this.player.tracks?.end ?? this.tab.t[this.tab.t.length - 1];
    if (this.t1 <= this.t0) this.t1 = this.t0 + 1;
  }

  x(t) {
    return MARGINS.left + ((t - this.t0) / (this.t1 - this.t0)) * (this.width - MARGINS.left - MARGINS.right);
  }

  y(value) {
    return MARGINS.top + ((this.high - value) / (this.high - this.low)) * (this.height - MARGINS.top - MARGINS.bottom);
  }

  paint() {
    if (!this.width || !this.height) return;
    this.scale();
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.floor(this.width * ratio), Math.floor(this.height * ratio)];
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
    const style = getComputedStyle(this.area);
    const ink = style.getPropertyValue("--rbd-soft").trim();
    const rule = style.getPropertyValue("--rbd-rule").trim();
    const pen = this.canvas.getContext("2d", { willReadFrequently: draws_in_software() });
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    pen.font = `11px ${style.fontFamily}`;
    pen.lineWidth = 1;
    this.paint_axes(pen, ink, rule);
    pen.save();
    pen.beginPath();
    pen.rect(MARGINS.left, 0, this.width - MARGINS.left - MARGINS.right + 1, this.height - MARGINS.bottom + 4);
    pen.clip();
    pen.lineWidth = 1.7;
    pen.lineJoin = "round";
    for (let k = this.tab.names.length - 1; k >= 0; k--) if (!this.tab.hidden.has(k)) this.paint_curve(pen, k);
    pen.restore();
    this.show(this.player.t);
  }

  paint_axes(pen, ink, rule) {
    const right = this.width - MARGINS.right;
    const bottom = this.height - MARGINS.bottom;
    const size = Math.max(Math.abs(this.low), Math.abs(this.high));
    const { log } = this.tab;
    const power = !log && (size >= 1e5 || size < 1e-2) ? Math.floor(Math.log10(size)) : 0;
    const factor = 10 ** power;
    const count = Math.max(3, Math.floor(this.height / 25));
    const vertical = log ? { values: decades(this.low, this.high, count) } : ticks(this.low / factor, this.high / factor, count);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const value of vertical.values) {
      const y = Math.round(this.y(value * factor)) + 0.5;
      pen.strokeStyle = rule;
      pen.beginPath();
      pen.moveTo(MARGINS.left, y);
      pen.lineTo(right, y);
      pen.stroke();
      pen.fillStyle = ink;
      pen.fillText(log ? ten_to(value) : value.toFixed(vertical.digits).replace("-", "\u2212"), MARGINS.left - 6, y);
    }
    const horizontal = ticks(this.t0, this.t1, Math.max(2, Math.floor(this.width / 70)));
    pen.textBaseline = "alphabetic";
    for (const value of horizontal.values) {
      const x = this.x(value);
      pen.textAlign = x > right - 16 ? "right" : "center";
      pen.fillText(value.toFixed(horizontal.digits) + (value === horizontal.values.at(-1) ? " s" : ""), x > right - 16 ? right : x, bottom + 16);
    }
    if (power) {
      pen.textAlign = "left";
      pen.textBaseline = "top";
      pen.fillText(`\u00d7${ten_to(power)}`, MARGINS.left + 5, 1);
    }
  }

  paint_curve(pen, k) {
    const values = this.row(k);
    const { t } = this.tab;
    pen.strokeStyle = this.tab.colors[k];
    pen.beginPath();
    let drawing = false;
    for (let i = 0; i < t.length; i++) {
      if (!Number.isFinite(values[i])) {
        drawing = false;
        continue;
      }
      const x = this.x(t[i]);
      const y = this.y(values[i]);
      if (drawing) pen.lineTo(x, y);
      else pen.moveTo(x, y);
      drawing = true;
    }
    pen.stroke();
  }

  // The cursor at time t, and the values there.
  show(t) {
    if (!this.width || this.low === undefined) return;
    this.cursor.style.transform = `translateX(${this.x(t)}px)`;
    const times = this.tab.t;
    let low = 0;
    let high = times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= t) low = middle;
      else high = middle - 1;
    }
    const next = Math.min(low + 1, times.length - 1);
    const s = next > low ? Math.min(1, Math.max(0, (t - times[low]) / (times[next] - times[low]))) : 0;
    const now = performance.now();
    const write = !this.player.playing || now - (this.written ?? 0) > 90; // numbers that change faster cannot be read
    if (write) this.written = now;
    this.tab.names.forEach((_, k) => {
      if (!write && k >= MOST_DOTS) return;
      const row = this.row(k);
      const value = s > 0 && Number.isFinite(row[low]) ? row[low] + s * (row[next] - row[low]) : row[low];
      if (write) this.values[k].textContent = Number.isNaN(value) ? "\u2013" : brief(this.tab.log ? 10 ** value : Math.abs(value) < this.tab.tiny ? 0 : value);
      if (k >= MOST_DOTS) return;
      const visible = !this.tab.hidden.has(k) && Number.isFinite(value);
      this.points[k].style.display = visible ? "" : "none";
      if (visible) this.points[k].style.transform = `translate(${this.x(t)}px, ${this.y(value)}px)`;
    });
  }
}
