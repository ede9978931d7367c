// The slope picture of a step: the phase plane of one coordinate, the states so far, and at each stage the slope found there.

const PLANE = { width: 300, height: 178, margin: 46, below: 24 }; // margin: at the left
const STAGES = ["#8f5bd0", "#c2417c", "#2f9e8f", "#d9772b", "#3a76e8", "#a56f43"];

function slope_picture({ coordinate, path, here, h: step_length, stages, shown, step }) {
  const draw = (tag, attributes, ...children) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  const start = path[step];
  // The slopes of a step, each as long as the step would take it from where it begins.
  const arrows = (shown ? stages : []).map(([x, v, dx, dv]) => [[x, v], [x + step_length * dx, v + step_length * dv]]);
  const around = [start, ...(path[step + 1] ? [path[step + 1]] : []), ...arrows.flat()];
  const ends = [0, 1].map((k) => {
    const own = around.map((p) => p[k]);
    const [low, high] = [Math.min(...own), Math.max(...own)];
    const pad = 0.12 * (high - low) || 0.1;
    return [low - pad, high + pad];
  });
  const { width, height, margin, below: foot } = PLANE;
  const x = (q) => margin + ((q - ends[0][0]) / (ends[0][1] - ends[0][0])) * (width - margin - 8);
  const y = (v) => 8 + ((ends[1][1] - v) / (ends[1][1] - ends[1][0])) * (height - foot - 8);
  const points = (list) => list.map(([q, v]) => `${x(q).toFixed(1)},${y(v).toFixed(1)}`).join(" ");
  const svg = draw("svg", { class: "rbd-plane", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Phase plane of ${coordinate}` });
  svg.append(draw("rect", { class: "rbd-frame", x: margin, y: 8, width: width - margin - 8, height: height - foot - 8 }));
  const clip = draw("svg", { x: margin, y: 8, width: width - margin - 8, height: height - foot - 8, viewBox: `${margin} 8 ${width - margin - 8} ${height - foot - 8}` });
  clip.append(draw("polyline", { class: "rbd-path", points: points(path.slice(0, Math.max(here, step) + 1)) }));
  clip.append(...path.slice(0, here + 1).map(([q, v]) => draw("circle", { class: "rbd-state", cx: x(q), cy: y(v), r: 3 })));
  arrows.forEach(([from, to], k) => {
    const color = STAGES[k % STAGES.length];
    const [a, b] = [[x(from[0]), y(from[1])], [x(to[0]), y(to[1])]];
    const angle = (Math.atan2(b[1] - a[1], b[0] - a[0]) * 180) / Math.PI;
    clip.append(
      draw("line", { x1: a[0], y1: a[1], x2: b[0], y2: b[1], stroke: color, "stroke-width": 1.8 }),
      draw("path", { d: "M0 0-8 3.5-8-3.5z", fill: color, transform: `translate(${b[0]} ${b[1]}) rotate(${angle})` }),
      draw("circle", { cx: a[0], cy: a[1], r: 2.6, fill: color })
    );
    const word = draw("text", { class: "rbd-slope", x: (a[0] + 2 * b[0]) / 3, y: (a[1] + 2 * b[1]) / 3 - 4 - 3 * (k % 2), fill: color });
    word.append(`k${"\u2081\u2082\u2083\u2084\u2085\u2086\u2087\u2088\u2089"[k] ?? k + 1}`);
    clip.append(word);
  });
  svg.append(clip);
  const label = (text, attributes) => {
    const node = draw("text", attributes);
    node.append(text);
    return node;
  };
  const [low, high] = ends[0].map(brief);
  const [below, above] = ends[1].map(brief);
  svg.append(
    label(low, { x: margin, y: height - 8, "text-anchor": "start" }),
    label(coordinate, { x: width / 2, y: height - 8, "text-anchor": "middle", class: "rbd-axis" }),
    label(high, { x: width - 8, y: height - 8, "text-anchor": "end" }),
    label(above, { x: margin - 4, y: 16, "text-anchor": "end" }),
    label("rate", { x: margin - 4, y: (height - foot) / 2 + 6, "text-anchor": "end", class: "rbd-axis" }),
    label(below, { x: margin - 4, y: height - foot, "text-anchor": "end" })
  );
  return svg;
}
