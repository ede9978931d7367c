// What lies under the pointer: the nearest visible triangle along the line of sight.

const UNPICKABLE = new Set(["grid", "trails", "labels", "forces", "supports"]);

class Picker {
  constructor(graph) {
    this.graph = graph;
  }

  // Node, layer, point and normal in world coordinates, or null. x, y : from -1 to 1 across the picture, y up.
  at(x, y, camera) {
    const { THREE, spec, nodes, layers } = this.graph;
    const { origin, direction } = line_of_sight(THREE, x, y, camera);
    const position = this.graph.attributes.position.array;
    const index = this.graph.index.array;
    let best = null;
    for (const [node, layer, opacity, start, count] of spec.parts) {
      if (!nodes[node]?.visible || UNPICKABLE.has(layer) || layers[layer] === false) continue;
      const inverse = new nodes[node].matrixWorld.constructor().getInverse(nodes[node].matrixWorld);
      const from = origin.clone().applyMatrix4(inverse);
      const along = direction.clone().transformDirection(inverse);
      const found = nearest_triangle(position, index, start, count, from.toArray(), along.toArray());
      if (found && (!best || found.distance < best.distance)) best = { ...found, node, layer };
    }
    if (!best) return null;
    const world = nodes[best.node].matrixWorld;
    const normal = new THREE.Vector3(...best.normal).transformDirection(world);
    if (normal.dot(direction) > 0) normal.negate();
    const point = origin.clone().addScaledVector(direction, best.distance);
    return { node: spec.nodes[best.node], layer: best.layer, point: point.toArray(), normal: normal.toArray() };
  }
}

function line_of_sight(THREE, x, y, camera) {
  camera.updateMatrixWorld();
  const origin = new THREE.Vector3().setFromMatrixPosition(camera.matrixWorld);
  const direction = new THREE.Vector3(x, y, 0.5).unproject(camera).sub(origin).normalize();
  return { origin, direction };
}

// Moeller and Trumbore's test, over a stretch of an index; distances in units of the direction.
function nearest_triangle(position, index, start, count, [ox, oy, oz], [dx, dy, dz]) {
  let nearest = Infinity;
  let normal = null;
  for (let k = start; k < start + count; k += 3) {
    const [a, b, c] = [3 * index[k], 3 * index[k + 1], 3 * index[k + 2]];
    const [ax, ay, az] = [position[a], position[a + 1], position[a + 2]];
    const [ux, uy, uz] = [position[b] - ax, position[b + 1] - ay, position[b + 2] - az];
    const [vx, vy, vz] = [position[c] - ax, position[c + 1] - ay, position[c + 2] - az];
    const [px, py, pz] = [dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx];
    const det = ux * px + uy * py + uz * pz;
    if (Math.abs(det) < 1e-18) continue;
    const [tx, ty, tz] = [ox - ax, oy - ay, oz - az];
    const s = (tx * px + ty * py + tz * pz) / det;
    if (s < 0 || s > 1) continue;
    const [qx, qy, qz] = [ty * uz - tz * uy, tz * ux - tx * uz, tx * uy - ty * ux];
    const r = (dx * qx + dy * qy + dz * qz) / det;
    if (r < 0 || s + r > 1) continue;
    const distance = (vx * qx + vy * qy + vz * qz) / det;
    if (distance <= 0 || distance >= nearest) continue;
    nearest = distance;
    normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  }
  return normal && { distance: nearest, normal };
}
