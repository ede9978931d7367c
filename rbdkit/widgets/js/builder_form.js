// The form of a builder: groups of fields as Python gives them. What is typed goes out at once, as text.

const AXIS_NAMES = ["x", "y", "z"];

class BuilderForm {
  // set(field, value, join) : called with every change; join while one gesture goes on. act : for buttons.
  constructor(set, act) {
    this.set = set;
    this.act = act;
    this.el = h("div", { class: "rbd-form" });
    this.fields = new Map();
    this.closed = new Map();
  }

  show(groups, fault, picking) {
    const signature = JSON.stringify(groups.map(({ title, fields }) => [title.length > 0, fields.map(({ id, kind, label, names, choices }) => [id, kind, label, names, choices])]));
    if (signature !== this.signature) {
      this.build(groups);
      this.signature = signature;
    }
    groups.forEach(({ title, open }, k) => {
      this.titles[k].textContent = title;
      if (open && !this.closed.has(k)) this.titles[k].parentElement.open = true;
    });
    for (const { fields } of groups) {
      for (const field of fields) {
        const { write, notes } = this.fields.get(field.id);
        write(field);
        const said = [...(field.remarks ?? [])];
        if (fault.message && fault.field === field.id) said.push({ severity: "blocking", message: fault.message });
        notes.replaceChildren(...said.map(({ severity, message }) => h("div", { class: severity === "note" ? "rbd-remark rbd-note" : severity === "warning" ? "rbd-remark rbd-warning" : "rbd-remark", role: "status" }, message)));
      }
    }
    const pick = this.el.querySelector("[data-value=pick]");
    if (pick) pick.setAttribute("aria-pressed", String(picking));
  }

  has(id) {
    return this.fields.has(id);
  }

  build(groups) {
    const held = this.grasp();
    this.fields.clear();
    this.titles = groups.map(({ title }) => h("summary", {}, title));
    this.el.replaceChildren(
      ...groups.map(({ fields, open }, k) => {
        const rows = fields.map((field) => this.row(field));
        return h("details", { open, class: "rbd-group" }, this.titles[k], ...rows);
      })
    );
    if (held) this.give_back(held);
  }

  // What is being typed, and where: it goes on in the new form if there is such a field.
  grasp() {
    const at = document.activeElement;
    const row = this.el.contains(at) ? at.closest("[data-field]") : null;
    if (!row) return null;
    const inputs = [...row.querySelectorAll("input, select")];
    return { id: row.dataset.field, k: inputs.indexOf(at), texts: inputs.map(({ value }) => value), caret: at.type === "text" ? at.selectionStart : null };
  }

  give_back({ id, k, texts, caret }) {
    const row = this.fields.get(id)?.row;
    if (!row) return;
    const inputs = [...row.querySelectorAll("input, select")];
    if (k < 0 || inputs.length !== texts.length) {
      row.querySelector("[aria-checked=true], button, input, select")?.focus({ preventScroll: true });
      return;
    }
    inputs.forEach((input, n) => (input.value = texts[n]));
    inputs[k].focus({ preventScroll: true });
    if (caret !== null) inputs[k].setSelectionRange(caret, caret);
  }

  row(field) {
    const { body, write } = this[field.kind](field);
    const notes = h("div", { class: "rbd-remarks", "aria-live": "polite" });
    const label = h("span", { class: "rbd-label", title: field.tip || false }, field.label);
    const row = h("div", { class: `rbd-field rbd-field-${field.kind}`, "data-field": field.id }, label, body, h("span", { class: "rbd-unit" }, field.unit ?? ""), notes);
    this.fields.set(field.id, { write, notes, row });
    return row;
  }

  // Inputs whose changes are one step from the moment the field is entered. What is typed stays as it was typed until
  // the field is left; then it is written as Python understood it.
  typing(inputs, send) {
    const held = { join: false, settle: () => {} };
    const inside = () => inputs.includes(document.activeElement);
    for (const input of inputs) {
      input.addEventListener("focus", (event) => (held.join &&= inputs.includes(event.relatedTarget)));
      input.addEventListener("input", () => {
        send(held.join);
        held.join = true;
      });
      input.addEventListener("blur", (event) => inputs.includes(event.relatedTarget) || held.settle());
      input.addEventListener("keydown", (event) => event.key === "Enter" && input.blur());
    }
    return (texts) => {
      held.settle = () => inputs.forEach((input, k) => (input.value = texts[k]));
      if (!inside()) held.settle();
    };
  }

  text({ id, label, tip, hint }) {
    const input = h("input", { type: "text", "aria-label": label, title: tip, placeholder: hint || false, spellcheck: "false" });
    const settle = this.typing([input], (join) => this.set(id, input.value, join));
    return { body: input, write: ({ value }) => settle([value]) };
  }

  numbers({ id, label, tip, names }) {
    const inputs = names.map((name) => h("input", { type: "text", inputmode: "decimal", "aria-label": `${label || id} ${name}`.trim(), title: tip || false }));
    const settle = this.typing(inputs, (join) => this.set(id, inputs.map(({ value }) => value), join));
    const cells = inputs.map((input, k) => {
      const axis = AXIS_NAMES.indexOf(names[k]);
      return h("span", { class: "rbd-cell" }, names[k] ? h("i", { style: axis < 0 ? "" : `color:var(--rbd-axis-${names[k]})` }, names[k]) : null, input);
    });
    return { body: h("span", { class: "rbd-cells" }, ...cells), write: ({ value }) => settle(value) };
  }

  chips({ id, label, choices }) {
    const chips = choices.map(({ value, label: words, tip }) => {
      const chip = h("button", { type: "button", class: "rbd-pill", role: "radio", title: tip || false, "data-value": value },
        ...(id === "joint" ? [joint_sign(value) ?? ""] : []), words);
      chip.addEventListener("click", () => this.set(id, value, false));
      return chip;
    });
    const write = ({ value }) => chips.forEach((chip) => chip.setAttribute("aria-checked", String(chip.dataset.value === value)));
    return { body: h("span", { class: "rbd-pills", role: "radiogroup", "aria-label": label }, ...chips), write };
  }

  select({ id, label, tip, choices }) {
    const select = h("select", { "aria-label": label, title: tip }, ...choices.map(({ value, label: words }) => h("option", { value }, words)));
    select.addEventListener("change", () => this.set(id, select.value, false));
    return { body: select, write: ({ value }) => (select.value = value) };
  }

  slider({ id, label, tip }) {
    const range = h("input", { type: "range", step: "any", "aria-label": label, title: tip });
    const number = h("output", { class: "rbd-number" });
    let held = false;
    range.addEventListener("pointerdown", () => (held = true));
    range.addEventListener("pointerup", () => (held = false));
    range.addEventListener("input", () => {
      paint(Number(range.value));
      this.set(id, Number(range.value), true);
    });
    const paint = (value) => {
      const done = (100 * (value - Number(range.min))) / (Number(range.max) - Number(range.min));
      range.style.setProperty("--done", `${Math.min(100, Math.max(0, done))}%`);
      number.textContent = value.toFixed(3).replace("-", "\u2212");
    };
    const write = ({ value, low: min, high: max }) => {
      range.min = min;
      range.max = max;
      if (held) return;
      range.value = value;
      paint(value);
    };
    return { body: h("span", { class: "rbd-slide" }, range, number), write };
  }

  buttons({ id, choices }) {
    const buttons = choices.map(({ value, label, tip }) => {
      const one = h("button", { type: "button", class: "rbd-pill rbd-do", title: tip, "data-value": value }, label);
      one.addEventListener("click", () => (value === "pick" ? this.act("pick", {}) : this.set(id, value, false)));
      return one;
    });
    return { body: h("span", { class: "rbd-pills" }, ...buttons), write: () => {} };
  }

  note() {
    const body = h("span", { class: "rbd-note-text" });
    return { body, write: ({ value }) => (body.textContent = value) };
  }
}
