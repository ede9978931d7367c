// The tree of a builder: a row for each body, frame and loop joint, with the graph that connects them drawn beside.

const ROW = 26; // px
const STEP = 15; // px a level of the tree moves to the right
const MARGIN = 15;

function svg(tag, attributes = {}) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

class BuilderTree {
  constructor(act) {
    this.act = act;
    this.el = h("div", { class: "rbd-tree", role: "tree", tabindex: 0, "aria-label": "Kinematic tree" });
    this.el.addEventListener("keydown", (event) => this.key(event));
  }

  show(rows, chosen) {
    this.rows = rows;
    this.chosen = chosen;
    this.items = rows.map((row) => this.item(row, row.key === chosen));
    this.el.replaceChildren(this.graph(), ...this.items, this.loops());
    const at = rows.findIndex(({ key }) => key === chosen);
    const { scrollTop, clientHeight } = this.el;
    if (clientHeight && (at * ROW < scrollTop || (at + 1) * ROW > scrollTop + clientHeight)) this.el.scrollTop = (at - 1) * ROW;
  }

  item(row, chosen) {
    const { key, name, kind, depth, detail, severity, message } = row;
    const badge = severity ? h("span", { class: `rbd-badge rbd-badge-${severity}`, title: message, role: "img", "aria-label": message }, "!") : null;
    const el = h("div", {
      class: "rbd-leaf", role: "treeitem", "aria-level": depth + 1, "aria-selected": String(chosen), "data-key": key, "data-kind": kind,
      draggable: String(kind === "body"), style: `padding-left:${MARGIN + depth * STEP + 12}px`, title: kind === "body" ? "Drag it onto another body to hang it there" : false,
    }, h("span", { class: "rbd-leaf-name" }, name), h("span", { class: "rbd-leaf-detail" }, detail), badge);
    el.addEventListener("click", () => this.act("select", { key }));
    el.addEventListener("dragstart", (event) => {
      event.dataTransfer.setData("text/plain", String(key));
      event.dataTransfer.effectAllowed = "move";
      this.dragged = key;
    });
    if (kind === "body" || kind === "world") this.accept(el, key);
    return el;
  }

  accept(el, key) {
    el.addEventListener("dragover", (event) => {
      if (this.dragged === undefined || this.dragged === key) return;
      event.preventDefault();
      el.classList.add("rbd-target");
    });
    el.addEventListener("dragleave", () => el.classList.remove("rbd-target"));
    el.addEventListener("drop", (event) => {
      event.preventDefault();
      event.stopPropagation();
      el.classList.remove("rbd-target");
      if (this.dragged !== undefined && this.dragged !== key) this.act("reparent", { key: this.dragged, parent: key });
      this.dragged = undefined;
    });
  }

  place(k) {
    return [MARGIN + this.rows[k].depth * STEP, ROW * k + ROW / 2];
  }

  // Lines from each body to its parent, and a mark for each row.
  graph() {
    const index = new Map(this.rows.map(({ key }, k) => [key, k]));
    const drawing = svg("svg", { class: "rbd-graph", width: 400, height: ROW * this.rows.length, "aria-hidden": "true" });
    this.rows.forEach(({ parent }, k) => {
      if (!index.has(parent)) return;
      const [[x, y], [px, py]] = [this.place(k), this.place(index.get(parent))];
      drawing.append(svg("path", { d: `M${px} ${py}V${y - 5}Q${px} ${y} ${px + 5} ${y}H${x}`, class: "rbd-branch" }));
    });
    this.rows.forEach(({ kind, color }, k) => {
      const [x, y] = this.place(k);
      if (kind === "body") drawing.append(svg("circle", { cx: x, cy: y, r: 5, fill: color, class: "rbd-node" }));
      if (kind === "world") drawing.append(svg("rect", { x: x - 5, y: y - 5, width: 10, height: 10, rx: 2, fill: color, class: "rbd-node" }));
      if (kind === "loop") drawing.append(svg("circle", { cx: x, cy: y, r: 4, class: "rbd-ring" }));
      if (kind === "frame") {
        drawing.append(svg("path", { d: `M${x} ${y + 4}V${y - 5}`, stroke: "#3a76e8", "stroke-width": 2 }), svg("path", { d: `M${x} ${y + 4}H${x + 7}`, stroke: "#e0473c", "stroke-width": 2 }));
      }
    });
    return drawing;
  }

  // A dashed bracket on the right between the two bodies of each loop joint.
  loops() {
    const index = new Map(this.rows.map(({ key }, k) => [key, k]));
    const drawing = svg("svg", { class: "rbd-brackets", width: 30, height: ROW * this.rows.length, "aria-hidden": "true" });
    this.rows.filter(({ kind }) => kind === "loop").forEach(({ key, ends }, k) => {
      const [a, b] = ends.map((end) => ROW * index.get(end) + ROW / 2);
      const x = 16 + 5 * (k % 3);
      drawing.append(svg("path", { d: `M8 ${a}H${x - 4}Q${x} ${a} ${x} ${a + 4 * Math.sign(b - a)}V${b - 4 * Math.sign(b - a)}Q${x} ${b} ${x - 4} ${b}H8`, class: key === this.chosen ? "rbd-bracket rbd-bracket-chosen" : "rbd-bracket" }));
    });
    return drawing;
  }

  key(event) {
    const at = this.rows.findIndex(({ key }) => key === this.chosen);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: this.rows.length - 1 }[event.key];
    if (next !== undefined && !event.ctrlKey && !event.metaKey) {
      const row = this.rows[Math.min(Math.max(next, 0), this.rows.length - 1)];
      this.act("select", { key: row.key });
    } else if (event.key === "Delete" || event.key === "Backspace") this.act("delete", {});
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
