"""Contact rules for what may touch in a compiled MuJoCo model: planes are grounds, one rule is for all other bodies.

MuJoCo's contacts are soft; rbdkit's contact laws decide on the compliance themselves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.formats.mjcf.geoms import PLANE, Shapes
from rbdkit.formats.mjcf.reading import Reading
from rbdkit.formats.mjcf.touching import Touching, alike, touching
from rbdkit.model.contact import neighbours, rigid_groups
from rbdkit.spatial import quaternion


def add_contacts(reading: Reading, shapes: Shapes) -> None:
    """Add grounds and contact rules for all pairs of geoms that MuJoCo lets touch."""
    m = reading.compiled
    if not m.ngeom or reading.disabled("CONTACT", "CONSTRAINT"):
        return
    pairs = touching(reading)
    negative = np.count_nonzero(m.geom_friction[:, 0] < 0.0) + np.count_nonzero(m.pair_friction[:, 0] < 0.0)
    reading.leave_out("negative friction coefficients of geoms and pairs, which count as none", negative)
    moving = shapes.touching & (reading.moves_with()[m.geom_bodyid] != 0)
    for g in np.flatnonzero(np.array(m.geom_type) == PLANE).tolist():  # on bodies that stand still, always
        if (pairs.allowed[g] & moving).any():
            _add_ground(reading, shapes, pairs, g, moving)
    _add_rules(reading, shapes, pairs)


def _add_ground(reading: Reading, shapes: Shapes, pairs: Touching, g: int, moving: NDArray) -> None:
    """Add a plane, and rules for shapes whose friction on it is not the usual one."""
    m, model = reading.compiled, reading.model
    R, p = _pose_of_static(reading, int(m.geom_bodyid[g]))
    normal = R @ quaternion.to_matrix(np.array(m.geom_quat[g]))[:, 2]
    height = float(normal @ (p + R @ m.geom_pos[g]))
    name = reading.new_name(reading.name("GEOM", g) or "ground")
    model.add_ground(normal=normal, height=height, material=shapes.material(g), name=name)
    kept_apart = moving & ~pairs.allowed[g]
    reading.leave_out(f"filters that keep shapes from the ground {name!r}, which all bodies touch", kept_apart.sum())
    body = np.array(m.geom_bodyid)
    unusual = moving & pairs.allowed[g] & pairs.unusual[g]
    for b in sorted(set(body[unusual].tolist())):
        own = np.flatnonzero((body == b) & moving)
        values = pairs.friction[g, own]
        if alike(values, values[0]).all():
            _touch(reading, name, _body(reading, b), float(values[0]))
        else:
            for shape, value in zip(own.tolist(), values.tolist(), strict=True):
                _touch(reading, name, _shape(reading, shapes, shape), value)


def _add_rules(reading: Reading, shapes: Shapes, pairs: Touching) -> None:
    """Add one rule for all bodies with exceptions and rules for pairs, or the latter alone, whichever are fewer."""
    geoms = np.flatnonzero(shapes.touching)
    of_body = np.array(reading.compiled.geom_bodyid)[geoms]
    bodies, index, counts = np.unique(of_body, return_inverse=True, return_counts=True)
    allowed = pairs.allowed[np.ix_(geoms, geoms)]
    if not allowed.any():
        return
    some = _by_bodies(allowed, index, len(bodies))
    unusual = _by_bodies(allowed & pairs.unusual[np.ix_(geoms, geoms)], index, len(bodies))
    whole, everywhere = some == np.outer(counts, counts), _by_one_rule(reading, bodies)
    names = [_body(reading, b) for b in bodies.tolist()]
    but = np.argwhere(np.triu(everywhere & ~whole)).tolist()
    by_rule = everywhere & whole
    if general := len(but) < np.count_nonzero(np.triu(by_rule)):
        except_ = [(names[a], names[b]) for a, b in but]
        reading.model.add_contacts(except_=except_, name=reading.new_name("contacts"))
    rest = (some > 0) & ~(by_rule & (unusual == 0)) if general else some > 0
    for a, b in np.argwhere(np.triu(rest)).tolist():
        own, others = geoms[index == a], geoms[index == b]
        values = pairs.friction[np.ix_(own, others)]
        if whole[a, b] and alike(values, values[0, 0]).all():
            _touch(reading, names[a], names[b], float(values[0, 0]))
            continue
        for one, other in np.argwhere(pairs.allowed[np.ix_(own, others)]).tolist():
            ends = _shape(reading, shapes, int(own[one])), _shape(reading, shapes, int(others[other]))
            _touch(reading, *ends, float(values[one, other]))


def _by_bodies(pairs: NDArray, index: NDArray, count: int) -> NDArray:
    """Return numbers of pairs of shapes, body by body (count, count). index : number of the body of each shape."""
    one, two = np.nonzero(pairs)
    return np.bincount(index[one] * count + index[two], minlength=count**2).reshape(count, count)


def _by_one_rule(reading: Reading, bodies: NDArray) -> NDArray:
    """Return which bodies touch which by a rule for all bodies without exceptions (n, n)."""
    groups, near = rigid_groups(reading.model), neighbours(reading.model, rigid_groups(reading.model))
    own = np.array([groups[reading.model.body(_body(reading, b)).index] for b in bodies.tolist()])
    beside = np.zeros((len(reading.model.bodies),) * 2, dtype=bool)
    for two in near:
        beside[min(two), max(two)] = beside[max(two), min(two)] = True
    return (own[:, None] != own[None]) & ~beside[np.ix_(own, own)]


def _touch(reading: Reading, a: str, b: str, friction: float) -> None:
    reading.model.add_contact(a, b, friction=friction, name=reading.new_name(f"{a}/{b}"))


def _shape(reading: Reading, shapes: Shapes, g: int) -> str:
    """Return the name of a shape in contact rules."""
    return f"{_body(reading, int(reading.compiled.geom_bodyid[g]))}:{shapes.names[g]}"


def _body(reading: Reading, b: int) -> str:
    """Return the name of the body that has the shapes of one of MuJoCo's, whose world's are a body's of their own."""
    return reading.body_names[b] if b else reading.scenery


def _pose_of_static(reading: Reading, body: int) -> tuple[NDArray, NDArray]:
    """Return rotation and position in the world of a body that does not move."""
    m = reading.compiled
    R, p = np.eye(3), np.zeros(3)
    while body:
        own = quaternion.to_matrix(np.array(m.body_quat[body]))
        R, p = own @ R, m.body_pos[body] + own @ p
        body = int(m.body_parentid[body])
    return R, p
