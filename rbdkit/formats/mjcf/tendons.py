"""Straight tendons of a compiled MuJoCo model as springs and dampers between two points."""

from __future__ import annotations

import numpy as np

from rbdkit.forces import Spring
from rbdkit.formats.mjcf.actuators import driven_tendons
from rbdkit.formats.mjcf.reading import Reading


def add_tendons(reading: Reading) -> None:
    """Add the springs and dampers of tendons between two sites; all other tendons are left out."""
    m = reading.compiled
    springs, dampers = not reading.disabled("SPRING"), not reading.disabled("DAMPER")
    site = int(reading.library.mjtWrap.mjWRAP_SITE)
    limits = not reading.disabled("LIMIT", "CONSTRAINT")
    driven = driven_tendons(reading)
    for t in range(m.ntendon):
        stiffness = float(np.ravel(m.tendon_stiffness[t])[0]) if springs else 0.0
        damping = float(np.ravel(m.tendon_damping[t])[0]) if dampers else 0.0
        curved = (springs and m.tendon_stiffnesspoly[t].any()) or (dampers and m.tendon_dampingpoly[t].any())
        slack, taut = m.tendon_lengthspring[t].tolist()
        first, count = int(m.tendon_adr[t]), int(m.tendon_num[t])
        straight = count == 2 and all(int(kind) == site for kind in m.wrap_type[first : first + 2])
        reading.leave_out("length limits of tendons", limits and m.tendon_limited[t])
        reading.leave_out("friction loss of tendons", m.tendon_frictionloss[t] > 0.0)
        reading.leave_out("armature of tendons", m.tendon_armature[t] > 0.0)
        if not (stiffness or damping or curved):
            reading.leave_out("tendons without springs and dampers", t not in driven)
        elif not straight:
            reading.leave_out("tendons with springs or dampers that do not go straight between two sites")
        elif curved or (stiffness and slack != taut) or min(stiffness, damping) < 0.0 or m.tendon_springyield[t] > 0.0:
            reading.leave_out("tendons whose force is not linear")
        else:
            _add(reading, t, [int(s) for s in m.wrap_objid[first : first + 2]], stiffness, taut, damping)


def _add(reading: Reading, t: int, sites: list[int], stiffness: float, rest: float, damping: float) -> None:
    m = reading.compiled
    bodies = [int(m.site_bodyid[s]) for s in sites]
    if bodies[0] == bodies[1]:
        reading.leave_out("tendons within one body")
        return
    points = [tuple((m.site_pos[s] + reading.shift[b]).tolist()) for s, b in zip(sites, bodies, strict=True)]
    a, b = (reading.body_names[body] for body in bodies)
    name = reading.new_name(reading.name("TENDON", t) or f"tendon{t}")
    reading.model.add_force(name, Spring(a, b, stiffness, rest, damping, *points))
