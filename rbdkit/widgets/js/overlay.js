// What lies over the picture: names of bodies and the compass.

const COVERED = 0.35; // of the room that bodies take in a picture, by their names

class Names {
  // shown : tells whether they are to be seen. thinned : fewer where there is no room for all.
  constructor(graph, host, shown = () => graph.layers.labels, thinned = true) {
    this.thinned = thinned;
    this.graph = graph;
    this.host = host;
    this.shown = shown;
  }

  load(labels = this.graph.spec?.labels ?? []) {
    this.host.replaceChildren();
    this.items = labels.map((label) => {
      const tag = h("span", { class: "rbd-name", ...(label.color ? { style: `border-left: 3px solid ${label.color}` } : {}) }, label.text);
      this.host.append(tag);
      return { ...label, tag, size: null };
    });
  }

  // How many names there is room for: of a picture far away, in which they would cover what they name, only the nearest.
  room(seen) {
    const [xs, ys] = [seen.map(({ x }) => x), seen.map(({ y }) => y)];
    const span = (values) => Math.max(...values) - Math.min(...values);
    const area = seen.reduce((sum, { item }) => sum + item.size.w * item.size.h, 0);
    const there = (span(xs) + 60) * (span(ys) + 60);
    return Math.max(1, Math.floor((seen.length * COVERED * there) / Math.max(area, 1)));
  }

  // Nearest first; a name that would cover another moves down a line or two, or waits out of sight. At an edge of the
  // picture it stays whole.
  // taken : boxes {x, y, w, h} in which no name is seen, px.
  place(camera, width, height, taken = []) {
    const shown = this.shown();
    this.host.hidden = !shown;
    if (!shown || !this.items) return;
    const { Vector3 } = this.graph.THREE;
    const placed = [...taken];
    const seen = this.items.filter(({ node }) => this.graph.nodes[node]).map((item) => {
      const world = new Vector3(...item.position).applyMatrix4(this.graph.nodes[item.node].matrixWorld);
      const p = world.project(camera);
      return { item, x: ((p.x + 1) / 2) * width, y: ((1 - p.y) / 2) * height, depth: p.z };
    });
    seen.sort((a, b) => a.depth - b.depth);
    for (const { item } of seen) item.size ??= { w: item.tag.offsetWidth, h: item.tag.offsetHeight };
    const most = this.thinned ? this.room(seen) : seen.length;
    for (const { item } of seen.slice(most)) item.tag.style.visibility = "hidden";
    for (const { item, x, y, depth } of seen.slice(0, most)) {
      const { w, h: line } = item.size;
      const inside = Math.abs(depth) < 1 && x > 0 && x < width && y > 0 && y < height;
      const left = Math.max(0, Math.min(x - w / 2, width - w));
      const clash = (top) => placed.some((o) => left < o.x + o.w && left + w > o.x && top < o.y + o.h && top + line > o.y);
      const tops = [y - line / 2, y + line * 0.6, y - line * 1.6, y + line * 1.7].map((top) => Math.max(0, Math.min(top, height - line)));
      const top = inside ? tops.find((candidate) => !clash(candidate)) : undefined;
      item.tag.style.visibility = top === undefined ? "hidden" : "visible";
      if (top === undefined) continue;
      item.tag.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
      placed.push({ x: left, y: top, w, h: line });
    }
  }
}

// The world axes as the camera sees them; a click on a letter looks along that axis.
class Compass {
  constructor(colors, on_axis) {
    const svg = (tag, attributes) => {
      const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
      return node;
    };
    this.el = svg("svg", { class: "rbd-compass", viewBox: "-40 -40 80 80", role: "group", "aria-label": "World axes" });
    this.arms = ["x", "y", "z"].map((name, axis) => {
      const group = svg("g", { class: "rbd-arm", tabindex: 0, role: "button", "aria-label": `Look along ${name}` });
      const tip = svg("title", {});
      tip.textContent = `Look along ${name}`;
      const line = svg("line", { x1: 0, y1: 0, stroke: colors[axis], "stroke-width": 2.6, "stroke-linecap": "round" });
      const dot = svg("circle", { r: 8, fill: colors[axis] });
      const text = svg("text", { "text-anchor": "middle", "dominant-baseline": "central" });
      text.textContent = name;
      group.append(tip, line, dot, text);
      group.addEventListener("click", () => on_axis(axis));
      group.addEventListener("keydown", (event) => event.key === "Enter" && on_axis(axis));
      this.el.append(group);
      return { group, line, dot, text };
    });
    // Which way things fall: a grey arrow among the axes.
    this.fall = svg("g", { class: "rbd-fall", role: "img" });
    this.fall_tip = svg("title", {});
    this.fall_line = svg("line", { x1: 0, y1: 0 });
    this.fall_head = svg("path", { d: "M0 0 -9 4.5 -9 -4.5z" });
    this.fall_text = svg("text", { "text-anchor": "middle", "dominant-baseline": "central" });
    this.fall_text.textContent = "g";
    this.fall.append(this.fall_tip, this.fall_line, this.fall_head, this.fall_text);
    this.el.append(this.fall);
    this.point([0, 0, 0]);
  }

  // gravity : m/s2 in the world; no arrow where there is none.
  point(gravity) {
    const strength = Math.hypot(...gravity);
    this.fall.toggleAttribute("hidden", !strength);
    this.down = strength ? gravity.map((x) => x / strength) : null;
    this.fall_tip.textContent = `Gravity: ${brief(strength)} m/s\u00b2`;
    this.fall.setAttribute("aria-label", this.fall_tip.textContent);
  }

  turn_fall(m) {
    if (!this.down) return 0;
    const along = (row) => [0, 1, 2].reduce((sum, k) => sum + m[4 * k + row] * this.down[k], 0);
    const [x, y] = [30 * along(0), -30 * along(1)];
    const length = Math.hypot(x, y) || 1;
    const angle = (Math.atan2(y, x) * 180) / Math.PI;
    this.fall_line.setAttribute("x2", x * Math.max(0, 1 - 8 / length));
    this.fall_line.setAttribute("y2", y * Math.max(0, 1 - 8 / length));
    this.fall_head.setAttribute("transform", `translate(${x} ${y}) rotate(${angle})`);
    this.fall_text.setAttribute("x", x - (9 * y) / length);
    this.fall_text.setAttribute("y", y + (9 * x) / length);
    return along(2);
  }

  turn(camera) {
    const m = camera.matrixWorldInverse.elements;
    const order = this.arms.map((arm, axis) => {
      const [x, y, z] = [m[4 * axis], m[4 * axis + 1], m[4 * axis + 2]];
      for (const [name, value] of [["x", 28 * x], ["y", -28 * y]]) {
        arm.text.setAttribute(name, value);
        arm.dot.setAttribute(`c${name}`, value);
        arm.line.setAttribute(`${name}2`, value);
      }
      return { arm, z };
    });
    order.push({ arm: { group: this.fall }, z: this.turn_fall(m) });
    order.sort((a, b) => a.z - b.z).forEach(({ arm }, k) => {
      if (this.el.children[k] !== arm.group) this.el.insertBefore(arm.group, this.el.children[k] ?? null);
    });
  }
}
