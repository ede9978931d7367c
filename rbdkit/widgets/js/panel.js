// A panel of sliders: a row for each number, all values in one binary message, stale ones never sent.

// Where a value stands on a slider, and back.
function along(row, value) {
  return row.log ? Math.log(Math.max(value, 1e-300)) : value;
}

function back(row, place) {
  return row.log ? Math.exp(place) : place;
}

const RUNS = /^(time|t|run round|round)$/i; // names of sliders that move by themselves
const MOST_SECONDS = 12;

class Panel {
  constructor(model, el) {
    this.model = model;
    this.rows = h("div", { class: "rbd-rows" });
    this.fault = h("div", { class: "rbd-fault", role: "alert", hidden: true });
    this.el = h("div", { class: "rbd-panel", "data-lm-suppress-shortcuts": "true" },
      h("div", { class: "rbd-bar" }, h("strong", {}, model.get("title")), this.slots(),
        button("dice", "Random values within the limits", () => this.ask("random")),
        button("reset", "Back to the first values", () => this.ask("reset"))),
      this.rows, h("div", { class: "rbd-room" }, this.fault));
    el.append(this.el);
    this.el.panel = this; // where words of the text find it
    this.stop_listening = silent_without_kernel(model, this.el);
    this.heard = {
      "change:rows": () => this.build(),
      "change:values": () => this.mine || this.show(),
      "change:answered": () => this.answered(),
      "change:fault": () => this.complain(),
      "change:slot": () => this.show_slot(),
    };
    for (const [event, action] of Object.entries(this.heard)) model.on(event, action);
    this.build();
    this.complain();
    this.show_slot();
    words_changed();
  }

  slots() {
    this.places = this.model.get("slots").map((slot) =>
      h("button", { type: "button", class: "rbd-slot", title: `Values ${slot}; the others stay as a ghost`, onclick: () => this.model.send({ do: "slot", slot }) }, slot)
    );
    return h("span", { class: "rbd-slots" }, ...this.places);
  }

  show_slot() {
    for (const place of this.places) place.setAttribute("aria-pressed", place.textContent === this.model.get("slot"));
  }

  build() {
    this.stop();
    this.numbers = typed(Float64Array, this.model.get("values"));
    this.inputs = this.model.get("rows").map((row, k) => {
      if (row.choices.length) return this.choice(row, k);
      const range = h("input", { type: "range", min: along(row, row.low), max: along(row, row.high), step: row.whole ? 1 : "any", "aria-label": row.name, title: row.tip });
      const number = h("input", { type: "number", step: "any", "aria-label": `${row.name} (${row.unit})` });
      range.addEventListener("pointerdown", () => {
        this.stop();
        this.stop_gliding?.();
      });
      range.addEventListener("input", () => this.change(k, back(row, Number(range.value))));
      range.addEventListener("keydown", (event) => this.nudge(event, k));
      range.addEventListener("dblclick", () => this.change(k, row.rest));
      const typed_in = () => Number.isFinite(number.valueAsNumber) && this.change(k, this.allowed(row, number.valueAsNumber));
      number.addEventListener("change", typed_in);
      number.addEventListener("keydown", (event) => event.key === "Enter" && typed_in());
      number.addEventListener("blur", () => this.write(k));
      return { range, number, row };
    });
    const widest = Math.max(3, ...this.model.get("rows").map(({ unit }) => unit.length));
    this.rows.style.setProperty("--rbd-units", `${8 + 5.6 * widest}px`);
    const longest = Math.max(6, ...this.model.get("rows").map(({ name }) => name.length));
    this.rows.style.setProperty("--rbd-names", `${6 + 7 * longest}px`);
    this.rows.replaceChildren(
      ...this.inputs.map(({ range, number, select, row }) =>
        h("div", { class: "rbd-row", "data-row": row.name }, h("label", { title: row.tip ? `${row.name}: ${row.tip}` : row.name }, ...(RUNS.test(row.name) && range ? [this.runner(row)] : []), ...typeset(row.name)),
          ...(select ? [select] : [range, number]), h("span", { class: "rbd-unit" }, unit_text(row.unit)))
      )
    );
    this.show();
  }

  // A slider along time moves by itself: once along it in its own time, of at most a few seconds, and from the start again.
  runner(row) {
    const at = h("button", { type: "button", class: "rbd-run", title: `Play ${row.name}`, "aria-label": `Play ${row.name}`, onclick: () => (this.running ? this.stop() : this.start(row, at)) }, icon("play"));
    return at;
  }

  start(row, at) {
    const k = this.inputs.findIndex((input) => input.row === row);
    const span = row.high - row.low;
    const seconds = row.unit === "s" ? Math.min(MOST_SECONDS, Math.max(2, span)) : MOST_SECONDS / 2;
    let place = this.numbers[k] >= row.high - 1e-9 * span ? row.low : this.numbers[k];
    let before = performance.now();
    at.replaceChildren(icon("pause"));
    const move = (now) => {
      place += (span * Math.min(100, now - before)) / (1000 * seconds);
      before = now;
      this.change(k, Math.min(row.high, row.whole ? Math.round(place) : place));
      if (place < row.high) this.running = requestAnimationFrame(move);
      else this.stop();
    };
    this.stop = () => {
      cancelAnimationFrame(this.running);
      this.running = null;
      at.replaceChildren(icon("play"));
    };
    this.running = requestAnimationFrame(move);
  }

  stop() {}

  choice(row, k) {
    const options = row.choices.map((name, n) => h("option", { value: n }, name));
    const select = h("select", { "aria-label": row.name, title: row.tip }, ...options);
    select.addEventListener("change", () => this.change(k, Number(select.value)));
    return { select, row };
  }

  // Arrows move by a hundredth of the range, page keys by a tenth; whole numbers by one and by ten.
  nudge(event, k) {
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
    if (!steps) return;
    event.preventDefault();
    const { row } = this.inputs[k];
    const [low, high] = [along(row, row.low), along(row, row.high)];
    const place = along(row, this.numbers[k]) + steps * (row.step ?? (row.whole ? 1 : (high - low) / 100));
    this.change(k, back(row, Math.min(high, Math.max(low, place))));
  }

  allowed(row, value) {
    const nearest = row.whole ? Math.round(value) : value;
    return row.hard ? Math.min(row.high, Math.max(row.low, nearest)) : nearest;
  }

  // What Python says holds, but for the slider in hand, which may have moved on meanwhile.
  show() {
    const mine = this.stale && this.numbers[this.held];
    this.numbers = typed(Float64Array, this.model.get("values"));
    if (this.stale && this.held !== null) this.numbers[this.held] = mine;
    this.inputs.forEach((_, k) => this.write(k));
  }

  write(k) {
    const { range, number, select, row } = this.inputs[k];
    const value = this.numbers[k];
    if (select) {
      select.value = Math.round(value);
      return;
    }
    const [low, high, here] = [row.low, row.high, value].map((x) => along(row, x));
    range.value = here;
    range.style.setProperty("--done", `${Math.min(100, Math.max(0, (100 * (here - low)) / (high - low)))}%`);
    if (document.activeElement !== number) number.value = row.whole ? Math.round(value) : row.log || Math.abs(value) >= 1e4 ? Number(value.toPrecision(3)) : value.toFixed(3);
  }

  change(k, value) {
    this.numbers[k] = value;
    this.held = k;
    this.write(k);
    this.send();
  }

  change_all(numbers) {
    this.stop();
    this.numbers = Float64Array.from(numbers);
    this.held = null;
    this.inputs.forEach((_, k) => this.write(k));
    this.send();
  }

  // Numbers of all sliders for values by name, null for those that stay; null if there is one that is not known here.
  places_of(values) {
    const rows = this.model.get("rows");
    const known = Object.entries(values).every(([name, value]) => {
      const row = rows.find((each) => each.name === name);
      return row && (row.choices.length ? row.choices.includes(value) : Number.isFinite(Number(value)) && value !== "");
    });
    if (!known) return null;
    return rows.map(({ name, choices }) => (!(name in values) ? null : choices.length ? choices.indexOf(values[name]) : Number(values[name])));
  }

  // Sliders move to values by name, as a word of the text asks.
  glide_to(values) {
    this.stop();
    this.stop_gliding?.();
    const jumps = this.model.get("rows").map(({ choices, whole }) => Boolean(choices.length || whole));
    this.stop_gliding = glide(Array.from(this.numbers), this.places_of(values), jumps, (numbers) => this.change_all(numbers));
  }

  // One message is under way at a time; when Python has answered, the newest values follow, and none between.
  send() {
    if (this.waiting && performance.now() - this.waiting < 2000) {
      this.stale = true;
      return;
    }
    this.waiting = performance.now();
    this.el.dataset.busy = "true";
    this.stale = false;
    this.mine = true;
    this.model.set("values", new DataView(this.numbers.slice().buffer));
    this.model.set("asked", this.model.get("asked") + 1);
    this.mine = false;
    this.model.save_changes();
  }

  answered() {
    this.waiting = null;
    this.el.dataset.busy = "false";
    if (this.stale) this.send();
  }

  ask(what) {
    this.model.send({ do: what });
  }

  complain() {
    const fault = this.model.get("fault");
    this.fault.textContent = fault;
    this.fault.hidden = !fault;
  }

  close() {
    this.stop_gliding?.();
    delete this.el.panel;
    this.stop_listening();
    this.stop();
    for (const [event, action] of Object.entries(this.heard)) this.model.off(event, action);
    this.el.remove();
  }
}
