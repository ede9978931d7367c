"""Equality constraints of a compiled MuJoCo model as loop joints and gears.

MuJoCo holds them by soft forces; here they hold exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.constraints import Tie
from rbdkit.formats.mjcf.reading import Reading, poses
from rbdkit.joints import Fixed, Spherical

KINDS = {
    "mjEQ_TENDON": "equalities of tendons",
    "mjEQ_FLEX": "equalities of flexes",
    "mjEQ_FLEXVERT": "equalities of flexes",
    "mjEQ_FLEXSTRAIN": "equalities of flexes",
    "mjEQ_DISTANCE": "equalities of distances",
}
"""What the kinds that are left out are called."""
NO_TURN = np.array([1.0, 0.0, 0.0, 0.0])


def add_equalities(reading: Reading) -> None:
    """Add connections and welds as loop joints, and joints that are coupled in fixed proportion as ties."""
    m, kinds = reading.compiled, reading.library.mjtEq
    if reading.disabled("EQUALITY", "CONSTRAINT"):
        return
    for e in range(m.neq):
        kind = kinds(int(m.eq_type[e])).name
        if not m.eq_active0[e]:
            reading.leave_out("equalities that are not active")
        elif kind in ("mjEQ_CONNECT", "mjEQ_WELD"):
            _add_loop(reading, e, kind == "mjEQ_WELD")
        elif kind == "mjEQ_JOINT":
            _add_tie(reading, e)
        else:
            reading.leave_out(KINDS.get(kind, f"equalities of kind {kind.removeprefix('mjEQ_')}"))


def _add_loop(reading: Reading, e: int, weld: bool) -> None:
    m = reading.compiled
    one, two = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
    (b1, X1), (b2, X2) = _ends(reading, e, one, two, weld)
    if weld and m.eq_data[e, 10] == 0.0:  # a weld that minds no rotation
        weld = False
    if (fixed := reading.moves_with())[b1] == fixed[b2]:
        reading.leave_out("equalities between bodies that do not move against each other")
        return
    kind: Any = Fixed() if weld else Spherical()
    wish = reading.name("EQUALITY", e) or f"{'weld' if weld else 'connect'}{e}"
    for b, X in ((b1, X1), (b2, X2)):
        X[:3, 3] += reading.shift[b]
    reading.model.add_loop(reading.new_name(wish), reading.body_names[b1], reading.body_names[b2], kind, X1, X2)


def _ends(reading: Reading, e: int, one: int, two: int, weld: bool) -> list[tuple[int, NDArray]]:
    """Return the two bodies of a connection or weld, and the poses in MuJoCo's body frames that it holds together."""
    m, data = reading.compiled, np.array(reading.compiled.eq_data[e])
    if int(m.eq_objtype[e]) == int(reading.library.mjtObj.mjOBJ_SITE):
        places = poses(m.site_pos[[one, two]], m.site_quat[[one, two]])
        bodies = [int(m.site_bodyid[s]) for s in (one, two)]
        return list(zip(bodies, places, strict=True))
    if weld:  # the anchor is in the second body, and the pose is that of the second body at it in the first
        first, turn = data[3:6], data[6:10]
        places = poses(np.array([first, data[:3]]), np.array([turn, NO_TURN]))
    else:
        places = poses(data[:6].reshape(2, 3), np.array([NO_TURN, NO_TURN]))
    return [(one, places[0]), (two, places[1])]


def _add_tie(reading: Reading, e: int) -> None:
    m, (offset, ratio, *higher) = reading.compiled, reading.compiled.eq_data[e, :5].tolist()
    follower, leader = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
    if leader < 0 or not any((ratio, *higher)):
        reading.leave_out("equalities that hold a joint still")
        return
    if any(higher):
        reading.leave_out("couplings of joints that are not linear")
        return
    name = reading.new_name(reading.name("EQUALITY", e) or f"coupling{e}")
    tie = Tie(reading.joint_names[follower], reading.joint_names[leader], ratio, offset)
    reading.model.add_constraint(name, tie)
