// What a motion sweeps, for the eye to hold it: the boxes about the surfaces of its nodes, at some of its keys.

// Ends of the box about points, and its diagonal.
function box_of(points) {
  const [low, high] = [Math.min, Math.max].map((end) => [0, 1, 2].map((k) => points.reduce((found, p) => end(found, p[k]), points[0][k])));
  return { low, high, size: Math.hypot(...high.map((x, k) => x - low[k])) };
}

const SWEPT = 16000; // points at most
const KEYS = 60;
const WILD = 25; // of what the picture holds at first; a motion that goes so far is not kept in it
const UNMOVED = new Set(["frames", "ground", "supports"]);

// Corners (x, y, z) of the boxes about what is seen of each node but the first, which is the world; null for none.
function boxes({ spec, attributes, index, layers }) {
  const numbers = index.array;
  const { array } = attributes.position;
  const ends = spec.nodes.map(() => null);
  for (const [node, layer, , start, count] of spec.parts) {
    if (!node || node >= ends.length || UNMOVED.has(layer) || layers[layer] === false) continue;
    const [low, high] = (ends[node] ??= [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]]);
    for (let i = start; i < start + count; i++) {
      for (let k = 0; k < 3; k++) {
        const x = array[3 * numbers[i] + k];
        if (x < low[k]) low[k] = x;
        if (x > high[k]) high[k] = x;
      }
    }
  }
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((c) => [c & 1, (c >> 1) & 1, c >> 2]);
  return ends.map((box) => box && corners.map((sides) => sides.map((side, k) => box[side][k])));
}

// Points that the picture of a motion should hold.
function swept(graph, tracks) {
  const { Vector3 } = graph.THREE;
  const seen = boxes(graph).map((corners, node) => [node, corners]).filter(([, corners]) => corners);
  const keys = Math.max(2, Math.min(KEYS, tracks.t.length, Math.floor(SWEPT / (8 * seen.length || 1))));
  const turn = new graph.THREE.Group();
  const points = [];
  for (let n = 0; n < keys; n++) {
    const rows = tracks.at(tracks.start + ((tracks.end - tracks.start) * n) / (keys - 1));
    for (const [node, corners] of seen) {
      const k = 7 * node;
      if (k + 7 > rows.length) continue; // a copy, which stays where it is
      turn.quaternion.set(rows[k + 3], rows[k + 4], rows[k + 5], rows[k + 6]);
      for (const corner of corners) {
        const [x, y, z] = new Vector3(...corner).applyQuaternion(turn.quaternion).toArray();
        points.push([x + rows[k], y + rows[k + 1], z + rows[k + 2]]);
      }
    }
  }
  return points.length && box_of(points).size < WILD * graph.size() ? points : []; // nor one with NaN
}
