"""The tree of a compiled MuJoCo model: bodies with their joints, a massless body between any two joints of one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.forces import DirectedForce, ZeroLengthSpring
from rbdkit.formats.mjcf.geoms import Shapes
from rbdkit.formats.mjcf.joints import FREE, free_springs, joint_options, joint_types
from rbdkit.formats.mjcf.reading import Reading, poses
from rbdkit.joints import Free
from rbdkit.spatial.inertia import Inertia

HERE = np.zeros(3)
NOTHING = Inertia.zero()
"""Inertia of the bodies between two joints of one."""


def add_bodies(reading: Reading, shapes: Shapes) -> None:
    """Add bodies, joints, inertias and shapes."""
    m, model = reading.compiled, reading.model
    types, options = joint_types(reading), joint_options(reading)
    placements, inertias = _placements(reading), _inertias(reading)
    anchors = np.array(m.jnt_pos)
    turning = {j: stiffness for j, stiffness, _ in free_springs(reading)}
    reading.body_names += [reading.name("BODY", b) or reading.names.new(f"body{b}") for b in range(1, m.nbody)]
    reading.joint_names += _joint_names(reading)
    if scenery := shapes.of(0, HERE):
        reading.scenery = model.add_body(reading.names.new("scenery"), geometry=scenery).name
    kinds, parents = m.jnt_type.tolist(), m.body_parentid.tolist()
    firsts, counts = m.body_jntadr.tolist(), m.body_jntnum.tolist()
    for b in range(1, m.nbody):
        parent, first, count = parents[b], firsts[b], counts[b]
        place, on = placements[b].copy(), reading.body_names[parent]
        place[:3, 3] += reading.shift[parent]
        own, anchor = range(first, first + count), HERE
        if count and kinds[first] != FREE:
            anchor = anchors[own[-1]]
        for j in own[:-1]:
            between = reading.names.new(f"{reading.body_names[b]}_before_{reading.joint_names[j + 1]}")
            _move(place, anchors[j])
            model.add_body(between, on, types[j], place, NOTHING, joint_name=reading.joint_names[j], **options[j])
            on, place = between, np.eye(4)
            _move(place, -anchors[j])
        _move(place, anchor)
        last = own[-1] if count else None
        if last is not None and last in turning:
            options[last]["stiffness"] = [turning[last]] * 3 + [0.0] * 3
            options[last]["rest"] = _slack(reading, last, place)
        inertia = inertias[b]
        model.add_body(
            reading.body_names[b],
            on,
            None if last is None else types[last],
            place,
            None if inertia is None else Inertia(inertia[0], inertia[1] - anchor, inertia[2], check=False),
            shapes.of(b, -anchor),
            reading.new_name(f"{reading.body_names[b]}_joint") if last is None else reading.joint_names[last],
            **({} if last is None else options[last]),
        )
        reading.shift[b] = -anchor


def add_frames(reading: Reading) -> None:
    """Add named sites as frames, and MuJoCo's body frames where the bodies' own are elsewhere."""
    m = reading.compiled
    for b in np.flatnonzero(reading.shift.any(axis=1)).tolist():
        name = reading.names.new(f"{reading.body_names[b]}_origin")
        reading.model.add_frame(name, reading.body_names[b], reading.shift[b])
    places = poses(m.site_pos, m.site_quat)
    changed, ends = [], _ends_of_links(reading)
    for s, (b, place) in enumerate(zip(m.site_bodyid.tolist(), places, strict=True)):
        if not (site := reading.name("SITE", s)) or s in ends:
            continue
        place[:3, 3] += reading.shift[b]
        if (name := reading.names.new(site)) != site:
            changed.append(f"{site!r} as {name!r}")
        reading.model.add_frame(name, reading.body_names[b], place)
    if changed:
        reading.notes.append(f"sites are frames under other names where bodies have theirs: {', '.join(changed)}")


def _ends_of_links(reading: Reading) -> set[int]:
    """Return the sites that `to_mjcf` makes for loop joints and springs: they are ends of these, and no frames."""
    m, found = reading.compiled, set()
    site = int(reading.library.mjtObj.mjOBJ_SITE)
    for e in np.flatnonzero(np.array(m.eq_objtype) == site).tolist():
        found |= _named_after(reading, "EQUALITY", e, [m.eq_obj1id[e], m.eq_obj2id[e]], ("predecessor", "successor"))
    for t in np.flatnonzero(np.array(m.tendon_num) == 2).tolist():
        first = int(m.tendon_adr[t])
        if int(m.wrap_type[first]) == int(m.wrap_type[first + 1]) == int(reading.library.mjtWrap.mjWRAP_SITE):
            found |= _named_after(reading, "TENDON", t, m.wrap_objid[first : first + 2], ("a", "b"))
    return found


def _named_after(reading: Reading, kind: str, number: int, sites: Sequence[int], ends: tuple[str, str]) -> set[int]:
    owner = reading.name(kind, number)
    return {int(s) for s, end in zip(sites, ends, strict=True) if reading.name("SITE", int(s)) == f"{owner}:{end}"}


def add_body_forces(reading: Reading) -> None:
    """Add gravity compensation of bodies, and springs that pull free bodies to a place."""
    m, model = reading.compiled, reading.model
    weighed = (m.body_gravcomp != 0.0) & (m.body_weldid > 0) & (not reading.disabled("GRAVITY"))
    for b in np.flatnonzero(weighed).tolist():
        up = tuple((-m.body_gravcomp[b] * m.body_mass[b] * np.array(m.opt.gravity)).tolist())
        name = reading.new_name(f"{reading.body_names[b]}_gravcomp")
        model.add_force(name, DirectedForce(reading.body_names[b], up, _point(m.body_ipos[b] + reading.shift[b])))
    for j, stiffness, slack in free_springs(reading):
        body = reading.body_names[int(m.jnt_bodyid[j])]
        spring = ZeroLengthSpring(body, "world", stiffness, at_b=_point(slack[:3]))
        model.add_force(reading.new_name(f"{reading.joint_names[j]}_spring"), spring)


def _placements(reading: Reading) -> NDArray:
    """Return the pose of each body in its parent at MuJoCo's reference coordinates, (nbody, 4, 4)."""
    m = reading.compiled
    found = poses(m.body_pos, m.body_quat)
    free = np.flatnonzero(m.jnt_type == FREE)
    starts = np.array(m.jnt_qposadr)[free, None]
    found[np.array(m.jnt_bodyid)[free]] = poses(m.qpos0[starts + np.arange(3)], m.qpos0[starts + np.arange(3, 7)])
    return found


def _inertias(reading: Reading) -> list[tuple[float, NDArray, NDArray] | None]:
    """Return for each body its mass, centre of mass and inertia about it in MuJoCo's body frame; None for none."""
    m = reading.compiled
    R = poses(m.body_ipos, m.body_iquat)[:, :3, :3]
    masses, centres = m.body_mass.tolist(), np.array(m.body_ipos)
    same = reading.library.mjtSameFrame  # frames so close to the body's that MuJoCo takes them for it
    R[np.isin(m.body_sameframe, [int(same.mjSAMEFRAME_BODY), int(same.mjSAMEFRAME_BODYROT)])] = np.eye(3)
    centres[np.array(m.body_sameframe) == int(same.mjSAMEFRAME_BODY)] = 0.0
    about = np.einsum("bij,bj,bkj->bik", R, m.body_inertia, R)
    found: list[tuple[float, NDArray, NDArray] | None] = []
    for b, mass in enumerate(masses):
        nothing = mass == 0.0 and not about[b].any()
        found.append(None if nothing else (mass, centres[b], 0.5 * (about[b] + about[b].T)))
    return found


def _joint_names(reading: Reading) -> list[str]:
    """Return a name for each joint: its own, or one made of its body's."""
    m = reading.compiled
    own = [reading.name("JOINT", j) for j in range(m.njnt)]
    for name in filter(None, own):
        reading.all_names.new(name)
    of_body = np.array(m.jnt_bodyid).tolist()
    several = {b for b, c in pairwise(of_body) if b == c}
    names = []
    for j, b in enumerate(of_body):
        made = f"{reading.body_names[b]}_joint" + (f"{j - int(m.body_jntadr[b])}" if b in several else "")
        names.append(own[j] or reading.all_names.new(made))
    return names


def _slack(reading: Reading, joint: int, place: NDArray) -> NDArray:
    """Return the coordinates of a free joint where its spring is slack, from MuJoCo's pose in the world."""
    m = reading.compiled
    q = int(m.jnt_qposadr[joint])
    (slack,) = poses(m.qpos_spring[None, q : q + 3], m.qpos_spring[None, q + 3 : q + 7])
    return Free().project(np.linalg.inv(place) @ slack)


def _move(place: NDArray, by: NDArray) -> None:
    """Move a pose along its own axes."""
    place[:3, 3] += place[:3, :3] @ by


def _point(position: Sequence[float] | NDArray) -> Any:
    return tuple(float(x) for x in position)
