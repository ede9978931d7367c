// Shapes that follow numbers: rods as long as they are, ellipsoids as heavy. Python says where vertices are at some values.

class Reshape {
  // shapes: of `rbdkit.scene.reshaping`; half: number of the first node that is of the copy for what was before, if there is one.
  constructor(graph, shapes, half) {
    this.graph = graph;
    this.attribute = graph.attributes.position;
    this.first = this.attribute.array.slice();
    this.shapes = shapes.map((shape) => ({ ...shape, moved: typed(Uint32Array, shape.moved), by: typed(Float32Array, shape.by) }));
    this.copies = new Uint8Array(this.first.length / 3); // 1 for vertices of what was before
    for (const [node, , , start, count] of graph.spec.parts) {
      if (node < half || node >= 2 * half) continue;
      for (let k = start; k < start + count; k++) this.copies[graph.index.array[k]] = 1;
    }
    const points = (list, key) => list.map((each) => ({ each: each[key], first: (each.rest ??= [...each[key]]) }));
    this.trails = points(graph.spec.trails, "point");
    this.labels = points(graph.spec.labels, "position");
  }

  // The shapes of a set of values; copy: 0 for what is, 1 for what was before.
  show(values, copy) {
    const { array } = this.attribute;
    const moved = new Set();
    const sums = new Map();
    for (const { row, at, moved: vertices, by, trails, labels } of this.shapes) {
      let k = 0;
      while (k + 2 < at.length && at[k + 1] < values[row]) k++;
      const s = at.length > 1 ? (values[row] - at[k]) / (at[k + 1] - at[k]) : 0;
      const width = 3 * vertices.length;
      vertices.forEach((vertex, n) => {
        if (this.copies[vertex] !== copy) return;
        if (!moved.has(vertex)) for (let j = 0; j < 3; j++) array[3 * vertex + j] = this.first[3 * vertex + j];
        moved.add(vertex);
        for (let j = 0; j < 3; j++) {
          const [low, high] = [by[k * width + 3 * n + j], by[(k + 1) * width + 3 * n + j] ?? 0];
          array[3 * vertex + j] += low + s * (high - low);
        }
      });
      const half = this.trails.length / 2;
      for (const [points, places] of [[this.trails, trails], [this.labels, labels]]) {
        points.forEach((point, n) => {
          if (points === this.trails && Math.max(...this.copies) && Number(n >= half) !== copy) return;
          if (points === this.labels && copy) return;
          const sum = sums.get(point) ?? [...point.first];
          const [low, high] = [places[k][n], places[k + 1]?.[n] ?? places[k][n]];
          sums.set(point, sum.map((x, j) => x + low[j] + s * (high[j] - low[j]) - point.first[j]));
        });
      }
    }
    for (const [{ each }, sum] of sums) sum.forEach((x, j) => (each[j] = x));
    this.attribute.needsUpdate = true;
  }
}
