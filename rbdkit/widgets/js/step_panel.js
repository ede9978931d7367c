// Source with its current line, the buttons that move it, and the values.

Object.assign(ICONS, {
  line: "M5 11h9.2L10.700 7.500l1.500-1.500 6 6-6 6-1.500-1.500 3.500-3.500H5z",
  stage: "M4 6.500h2.600v11H4zM9 6.500 17 12l-8 5.500zM18 10.500h3v3h-3z",
  unstage: "M20 6.500h-2.600v11H20zM15 6.500 7 12l8 5.500zM6 10.500H3v3h3z",
  body: "M4 5h2.600v14H4zM9 6.500 14.500 12 9 17.500zM15.500 6.500 21 12l-5.500 5.500z",
  pass: "M4 6h10v2.200H4zM4 11h10v2.200H4zM4 16h10v2.200H4zM16 7.500 21.500 12 16 16.500z",
  run: "M5 5v14l7.500-7zM13 5h2.600v14H13zM17.500 5h2.600v14h-2.600z",
});

class StepPanel {
  constructor(model, el) {
    this.model = model;
    this.title = h("strong", {});
    this.place = h("input", { type: "range", class: "rbd-scrub", min: 0, step: 1, "aria-label": "Moment of the run" });
    this.place.addEventListener("input", () => this.act("seek", { k: Number(this.place.value) }));
    this.count = h("span", { class: "rbd-count" });
    this.code = h("div", { class: "rbd-code", role: "list" });
    this.fault = h("div", { class: "rbd-fault", role: "alert", hidden: true });
    this.chips = h("div", { class: "rbd-legend" });
    this.changed = h("div", { class: "rbd-values", "aria-live": "polite" });
    this.plane = h("div", { class: "rbd-slopes", hidden: true });
    this.all = h("div", { class: "rbd-values" });
    this.el = h("div", { class: "rbd-panel rbd-stepper", tabindex: 0, "data-lm-suppress-shortcuts": "true" },
      h("div", { class: "rbd-bar" },
        ...model.get("buttons").map(({ do: what, icon, tip }) => button(icon, tip, () => this.act(what))),
        this.place, this.count),
      this.code, this.fault,
      h("div", { class: "rbd-now" }, h("div", { class: "rbd-at" }, this.title, this.chips), h("div", { class: "rbd-beside" }, this.changed, this.plane),
        h("details", {}, h("summary", {}, model.get("more")), this.all)));
    this.el.addEventListener("keydown", (event) => this.key(event));
    this.el.addEventListener("pointerover", ({ target }) => this.light(target.closest("[data-symbol]")?.dataset.symbol ?? ""));
    this.el.addEventListener("pointerleave", () => this.light(""));
    el.append(this.el);
    this.stop_listening = silent_without_kernel(model, this.el);
    this.heard = {
      "change:sources": () => this.write(),
      "change:moment": () => this.show(),
      "change:breakpoints": () => this.mark(),
      "change:changed": () => this.fill(this.changed, "changed"),
      "change:variables": () => this.fill(this.all, "variables"),
      "change:drawn": () => this.draw_chips(),
      "change:slopes": () => this.draw_plane(),
    };
    for (const [event, action] of Object.entries(this.heard)) model.on(event, action);
    this.write();
    this.fill(this.changed, "changed");
    this.fill(this.all, "variables");
    this.draw_chips();
    this.draw_plane();
    this.sizes = new ResizeObserver(() => this.show()); // only what has a size can be scrolled to its line
    this.sizes.observe(this.code);
  }

  // A symbol under the pointer lights what it stands for in the picture beside.
  light(symbol) {
    if (symbol === this.lit) return;
    this.lit = symbol;
    this.el.dispatchEvent(new CustomEvent("rbd-light", { bubbles: true, detail: symbol }));
  }

  act(what, more = {}) {
    this.model.send({ do: what, ...more });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || needs_key(event)) return;
    const wanted = this.model.get("buttons").find(({ key }) => key === event.key);
    if (!wanted) return;
    event.preventDefault();
    event.stopPropagation();
    this.act(wanted.do);
  }

  // The function at hand, line by line.
  write() {
    const source = this.model.get("sources")[this.model.get("moment").function ?? 0];
    if (!source) return;
    this.written = this.model.get("moment").function ?? 0;
    const texts = inside_texts(source.lines);
    const symbols = this.model.get("drawn").map(({ name }) => name);
    const folded = docstring(source.lines);
    this.rows = source.lines.map((line, k) => {
      const number = source.first + k;
      const place = { function: this.written, line: number };
      const gutter = h("button", { type: "button", class: "rbd-gutter", tabindex: -1, title: "Stop here: set or remove a breakpoint" }, String(k + 1));
      gutter.addEventListener("click", () => this.act("break", place));
      const text = h("code", { title: "Double-click to run to this line" }, ...(source.formulas ? typeset(in_signs(line), true) : colored(line || " ", texts[k]).flatMap((part) => with_symbols(part, symbols))));
      const indent = line.length - line.trimStart().length + 4; // what is wrapped stands further in
      Object.assign(text.style, { paddingLeft: `${indent}ch`, textIndent: `-${indent}ch` });
      text.addEventListener("dblclick", () => this.act("run_to", place));
      return h("div", { class: "rbd-line", role: "listitem", "data-line": number }, gutter, text);
    });
    this.fold = folded && this.folding(folded);
    replace_in(this.code, this.fold ? this.rows.toSpliced(folded[0], 0, this.fold) : this.rows, this.el);
    this.mark();
    this.show();
  }

  // Whether names are those of formulas, and not of a program's variables.
  in_print() {
    return Boolean(this.model.get("sources")[0]?.formulas);
  }

  // The docstring, first and last line, behind one line that opens it.
  folding([first, last]) {
    const lines = this.rows.slice(first, last + 1);
    const turn = (open) => {
      for (const line of lines) line.hidden = !open;
      fold.textContent = open ? "\u25be fold the description" : `\u25b8 description, ${lines.length} lines`;
      fold.setAttribute("aria-expanded", open);
    };
    const fold = h("button", { type: "button", class: "rbd-fold", onclick: () => turn(lines[0].hidden) });
    turn(false);
    return fold;
  }

  show() {
    const moment = this.model.get("moment");
    if ((moment.function ?? 0) !== this.written) {
      this.write();
      return;
    }
    const { first } = this.model.get("sources")[this.written];
    this.rows.forEach((row, k) => {
      const here = first + k === moment.line;
      row.classList.toggle("rbd-here", here && !moment.done);
      row.classList.toggle("rbd-end", here && moment.done);
      if (here) this.reveal(row);
    });
    this.title.textContent = moment.title || (moment.done ? "done" : "");
    this.place.max = moment.count - 1;
    this.place.value = moment.number;
    this.place.style.setProperty("--done", `${(100 * moment.number) / Math.max(1, moment.count - 1)}%`);
    this.count.textContent = `${moment.number + 1} / ${moment.count}`;
    this.fault.textContent = moment.fault;
    this.fault.hidden = !moment.fault;
  }

  // Keeps the line in sight without moving the page.
  reveal(row) {
    const { offsetTop, offsetHeight } = row;
    const { scrollTop, clientHeight } = this.code;
    const margin = Math.min(60, clientHeight / 4);
    if (offsetTop + offsetHeight + margin < clientHeight) this.code.scrollTop = 0; // the beginning is in sight, too
    else if (offsetTop < scrollTop + margin) this.code.scrollTop = offsetTop - margin;
    else if (offsetTop + offsetHeight > scrollTop + clientHeight - margin) this.code.scrollTop = offsetTop + offsetHeight - clientHeight + margin;
  }

  mark() {
    const places = new Set(this.model.get("breakpoints").filter(([f]) => f === this.written).map(([, line]) => line));
    for (const row of this.rows ?? []) row.classList.toggle("rbd-stop", places.has(Number(row.dataset.line)));
  }

  fill(list, name) {
    list.replaceChildren(
      ...this.model.get(name).map(({ label, text, words, unit, sign }) =>
        h("div", { class: "rbd-entry" }, h("b", { "data-symbol": label.split("[")[0] }, ...(this.in_print() ? typeset(label, true) : [label])), h("pre", {}, signs(text)),
          words || unit ? h("i", {}, ...(sign ? [...typeset(sign), " \u00b7 "] : []), [unit, words].filter(Boolean).join(" \u00b7 ")) : null))
    );
  }

  draw_chips() {
    const drawn = this.model.get("drawn");
    const names = JSON.stringify(drawn.map(({ name, color }) => [name, color]));
    if (names !== this.names) {
      this.names = names;
      const chips = drawn.map(({ name, color, words }) =>
        h("button", { type: "button", class: "rbd-chip", "data-symbol": name, title: `${words ? `${name}: ${words}. ` : ""}Draw it for the body at hand`, onclick: () => this.act("draw", { name }) },
          h("i", { style: `background:${color}` }), h("span", { class: "rbd-what" }, name)));
      replace_in(this.chips, chips, this.el);
    }
    drawn.forEach(({ on }, k) => this.chips.children[k].setAttribute("aria-pressed", String(on)));
  }

  draw_plane() {
    const slopes = this.model.get("slopes");
    this.plane.hidden = !slopes?.path;
    this.plane.replaceChildren(...(slopes?.path ? [slope_picture(slopes)] : []));
  }

  close() {
    this.stop_listening();
    this.sizes.disconnect();
    for (const [event, action] of Object.entries(this.heard)) this.model.off(event, action);
    this.el.remove();
  }
}

// A formula with the signs of print for those of a keyboard.
function in_signs(line) {
  return line.replaceAll(" * ", " \u00b7 ").replaceAll("<-", "\u2190").replaceAll(" - ", " \u2212 ");
}

export default {
  render({ model, el }) {
    el.classList.add("rbd-broad");
    const panel = new StepPanel(model, el);
    return () => panel.close();
  },
};
