"""The constraint rows of joints that close loops.

A loop joint keeps a relative pose on the manifold that its coordinates span. Its rows are the columns of T, the
wrenches that it transmits, fixed in the successor: ``T . (v_S - v_P) = 0``, whose derivative is
``T . (a_S - a_P - v_S x (v_S - v_P)) = 0`` (Featherstone 2008, Eqs 8.11 to 8.17, with T where the book has it). The
closure error is ``T . log(pose(q)^-1 X)``, with q the coordinates of the closest pose (Eqs 8.25 to 8.27).

Most joints have a constant T, whose numbers are inputs, and a closed form of the closest pose (`joint_program`). T of
universal joints and a few others depends on the configuration (`turning_rows`), and joints for which there is no
formula here, users' own among them, are traced from their class (`moving_joint`, `recorded_rows`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.agreement import NotTraced
from rbdkit.engine.links.layout import Layout
from rbdkit.engine.links.pieces import NotCovered
from rbdkit.engine.rows.base_motion import BaseMotion
from rbdkit.engine.rows.contribution import Contribution, Rows, between
from rbdkit.engine.rows.dependence import free_responses
from rbdkit.engine.rows.gaps import GAP_NUMBERS, SCREW, SHIFT, covered, gap_numbers, gap_squared
from rbdkit.engine.rows.joint_program import (
    AXIS,
    FORMS,
    JOINT_NUMBERS,
    PITCH,
    PLACE_S,
    form_of,
    gap,
    in_joint,
    in_successor,
    joint_numbers,
)
from rbdkit.engine.rows.moving_joint import (
    MOST_COORDINATES,
    SEEKING,
    SEEKING_SIZE,
    FoundAxes,
    MovingAxes,
    moving_axes,
)
from rbdkit.engine.rows.recorded_rows import OWN_NUMBERS, OWN_Q, JointOfLoop
from rbdkit.engine.rows.turning_rows import TURNING, turning_form, turning_numbers, turning_rows
from rbdkit.engine.steps.base import STILL
from rbdkit.engine.steps.nodes import FRAME, Body
from rbdkit.joints import EulerSpherical, JointType, Prescribed, Reversed, Spherical
from rbdkit.model import Loop, Model
from rbdkit.model.closing import length_of
from rbdkit.model.closing.rank import row_sizes
from rbdkit.model.places import Place
from rbdkit.spatial import se3
from rbdkit.spatial.compact import fv, mv
from rbdkit.trace import Index, Program, Scalar, Whole, minimum

NAME = "loops"
KNOWN: tuple[type[JointType], ...] = tuple(type for types in FORMS.values() for type in types)


@dataclass(frozen=True)
class LoopJoints:
    """Writes the rows of loop joints of some forms, each with its number of rows.

    See `turning_rows` for those whose T depends on the configuration, and `recorded_rows` for those that are traced.
    """

    forms: tuple[tuple[str | MovingAxes, int], ...]
    timed: ClassVar[bool] = False

    @property
    def driven(self) -> bool:
        """Whether a loop joint is a prescribed one."""
        return any(isinstance(form, MovingAxes) and form.way is None for form, _ in self.forms)

    @property
    def constant_T(self) -> bool:
        """Whether T of all joints is constant in the successor, and none is traced."""
        return not any(isinstance(form, MovingAxes) or form in TURNING for form, _ in self.forms)

    def record(self, at: BaseMotion, rows: Rows) -> None:
        """Write all rows."""
        program = at.tree.program
        first_row, first_wrench, first_path = (program.count(f"{NAME}_{x}") for x in ("row", "wrench", "path"))
        with program.loop(0, program.count("loops_n")) as j:
            S, P = (at.body(program.entry(f"loops_{end}", j)) for end in ("successors", "predecessors"))
            own = program.entry("loops_rows", j)
            row, wrench = first_row + own, first_wrench + own
            for case in program.switch(program.entry("loops_forms", j), range(len(self.forms))):
                form, n = self.forms[case]
                if isinstance(form, MovingAxes) or form in TURNING:
                    self._turning(form, at, rows, j, (P, S), (row, wrench))
                    continue
                apart, drift = self._across(at, rows, S, P)
                opening = None
                if "gap" in rows.asks:
                    opening = mv.of(gap(form, self._numbers(program, j), at.pose(P).to(at.pose(S))))
                for r in range(n):
                    # constant in the successor; moved to base coordinates, where wrenches of all links can be compared
                    T = fv.of([program.load("loops_T", own * 6, 6 * r + i) for i in range(6)])
                    W = at.pose(S).X.inv_apply(T)
                    rows.wrench(wrench + r, W.flat())
                    if "k" in rows.asks:
                        rows.k(row + r, -W.dot(drift))
                    if "slip" in rows.asks:
                        rows.slip(row + r, W.dot(apart))
                    if opening is not None:
                        rows.gap(row + r, T.dot(opening))
                if n and "opened" in rows.asks:
                    self._measure(at, rows, j, S, P)
            for case in program.switch(program.entry("loops_forms", j), range(len(self.forms))):
                rows.hold(first_path + j, row, wrench, self.forms[case][1])

    def _turning(
        self,
        form: str | MovingAxes,
        at: BaseMotion,
        rows: Rows,
        j: Index,
        links: tuple[Body, Body],
        first: tuple[Whole, Whole],
    ) -> None:
        """Write the rows of a joint whose T depends on the configuration. first : of its rows and of its wrenches."""
        program, (P, S), (row, wrench) = at.tree.program, links, first
        joint = JointOfLoop(at, j, links, form) if isinstance(form, MovingAxes) else None
        if joint is not None:
            joint.find()
        given = self._numbers(program, j)
        to_joint = (at.pose(S) @ in_successor(given)).X
        across, drift = self._across(at, rows, S, P)
        v_J = to_joint @ across if rows.asks & {"k", "slip"} else None
        if isinstance(form, MovingAxes):
            assert joint is not None
            found = joint.rows(v_J)
        else:
            found = turning_rows(form, given, in_joint(given, at.pose(P).to(at.pose(S))), v_J)
        squared: Scalar = 0.0
        for r, T in enumerate(found.T):
            W, gap = to_joint.inv_apply(T), T.dot(found.missing)
            rows.wrench(wrench + r, W.flat())
            squared = squared + gap * gap
            if "k" in rows.asks:
                assert found.T_c_J is not None
                rows.k(row + r, found.T_c_J[r] - W.dot(drift))
            if "slip" in rows.asks:
                # the velocity that the prescribed motion itself demands is no violation
                sigma = 0.0 if found.T_sigma is None else found.T_sigma[r]
                rows.slip(row + r, W.dot(across) - sigma)
            if "gap" in rows.asks:
                rows.gap(row + r, gap)
        if "opened" in rows.asks and isinstance(form, MovingAxes) and form.covered:
            self._measure(at, rows, j, S, P)
        elif "opened" in rows.asks:
            # relative to the mechanism only if that is shorter than 1 m, as in `gap_shares`
            share = minimum(program.load("loops_length", 0), 1.0)
            rows.opened(squared / (share * share))

    @staticmethod
    def _across(at: BaseMotion, rows: Rows, S: Body, P: Body) -> tuple[mv, mv]:
        """Return relative velocity, and acceleration without that of T, if rows ask for them."""
        if not rows.asks & {"k", "slip"}:
            return STILL, STILL
        across = at.v[S] - at.v[P]
        return across, at.a[S] - at.a[P] - at.v[S].cross(across)

    @staticmethod
    def _numbers(program: Program, j: Index) -> list[Scalar]:
        return [program.load("loops_numbers", j * JOINT_NUMBERS, k) for k in range(JOINT_NUMBERS)]

    def _measure(self, at: BaseMotion, rows: Rows, j: Index, S: Body, P: Body) -> None:
        program, place = at.tree.program, j * GAP_NUMBERS
        given = [program.load("loops_gaps", place, k) for k in range(GAP_NUMBERS)]
        rows.opened(gap_squared(given, at.pose(P).to(at.pose(S)), program.load("loops_length", 0)))


def loop_joints(model: Model, layout: Layout, frames: NDArray) -> Contribution:
    """Return the rows of a model's loop joints. frames : poses of the bodies in their links.

    Raises
    ------
    NotCovered
        If the functions of a joint type cannot be traced.
    ModelError
        If those of a user's own joint type contradict each other.
    """
    in_links = np.tile(np.eye(4), (len(model.bodies), 1, 1))
    in_links[:, :3, :3] = frames.reshape(-1, FRAME)[:, :9].reshape(-1, 3, 3)
    in_links[:, :3, 3] = frames.reshape(-1, FRAME)[:, 9:]
    on_bodies = [_on_bodies(loop) for loop in model.loops]
    places = [_in_links(place, in_links, layout) for place in on_bodies]
    T = [_in_successor(place) for place in places]
    sizes = [part.shape[1] for part in T]
    own = [_recorded(place) for place in places]
    # by hand where there is a formula, else traced from the class
    forms = [
        (turning_form(place.type) or form_of(place.type) if found is None else found.axes, size)
        for place, size, found in zip(places, sizes, own, strict=True)
    ]
    known, first, length = tuple(sorted(set(forms), key=_order)), np.cumsum([0, *sizes]), length_of(model)
    q_first, v_first = _driven_places(model, places)
    # each wrench acts in one row
    own_rows = [range(a, b) for a, b in pairwise(first)]
    of_bodies = {
        "loops_bodies_T": np.concatenate([np.zeros(0), *(_in_successor(place).T.ravel() for place in on_bodies)]),
        "loops_bodies_numbers": np.concatenate([joint_numbers(place) for place in on_bodies]),
    }
    numbers = {
        "loops_T": np.concatenate([np.zeros(0), *(part.T.ravel() for part in T)]),
        "loops_numbers": np.concatenate([_numbers(place) for place in places]),
        "loops_gaps": np.concatenate(
            [gap_numbers(place) if covered(place.type) else np.zeros(GAP_NUMBERS) for place in places]
        ),
    }
    recorded: dict[str, dict[str, Any]] = {"numbers": {}, "tables": {}, "room": {}}
    if any(own):
        of_own: list[list[float]] = [[] if found is None else found.numbers for found in own]
        recorded["numbers"] = {OWN_NUMBERS: np.array([x for part in of_own for x in part], dtype=float)}
        recorded["tables"] = {
            f"{OWN_NUMBERS}_first": np.cumsum([0, *map(len, of_own)])[:-1],
            "loops_driven_q": q_first,
            "loops_driven_v": v_first,
            "loops_driven_a": v_first,
        }
        recorded["room"] = {OWN_Q: MOST_COORDINATES * len(places), SEEKING: SEEKING_SIZE}
    return Contribution(
        NAME,
        LoopJoints(known),
        tuple(place.name for place, size in zip(places, sizes, strict=True) for _ in range(size)),
        free_responses(model, on_bodies, length),
        np.concatenate([np.zeros(0), *(row_sizes(place, length) for place in on_bodies)]),
        paths=[between(layout, place.predecessor, place.successor) for place in places],
        path_rows=own_rows,
        wrenches=int(first[-1]),
        numbers={**numbers, **of_bodies, "loops_length": np.array([length]), **recorded["numbers"]},
        tables={
            "loops_successors": np.array([place.successor for place in places]),
            "loops_predecessors": np.array([place.predecessor for place in places]),
            "loops_forms": np.array([known.index(form) for form in forms]),
            "loops_rows": first[:-1],
            "loops_bodies": np.array([place.successor for place in on_bodies]),
            "loops_predecessor_bodies": np.array([place.predecessor for place in on_bodies]),
            **recorded["tables"],
        },
        counts={"loops_n": len(places), "loops_m": int(first[-1])},
        room=recorded["room"],
        plain=_plain(numbers),
        uses=tuple(found.uses for found in own if found is not None),
    )


def _recorded(place: Place) -> FoundAxes | None:
    """Trace a joint for which there is no code written by hand; None for others."""
    if turning_form(place.type) or (type(place.type) in KNOWN and covered(place.type)):
        return None
    try:
        return moving_axes(place.type, closes=True)
    except NotTraced as fault:
        raise NotCovered(f"loop joint {place.name!r}: {place.type.known_as} cannot be compiled: {fault}") from fault


def _order(form: tuple[str | MovingAxes, int]) -> tuple[str, int]:
    """Return a sort key that does not depend on the order of the joints in a model."""
    return form[0] if isinstance(form[0], str) else form[0].name, form[1]


def _driven_places(model: Model, places: list[Place]) -> tuple[NDArray, NDArray]:
    """Return where coordinates and velocities of prescribed loop joints begin among those of all prescribed joints.

    They follow those of the tree, in order.
    """
    types = [joint.type.simplified() for joint in model.joints[1:]] + [place.type for place in places]
    inner = [type.joint if isinstance(type, Prescribed) else None for type in types]
    sizes = [[0 if joint is None else getattr(joint, n) for joint in inner] for n in ("nq", "nv")]
    q_first, v_first = (np.cumsum([0, *own])[len(model.joints) - 1 : -1] for own in sizes)
    return q_first, v_first


def _numbers(place: Place) -> NDArray:
    found = joint_numbers(place)
    if turning_form(place.type):
        found[AXIS:] = turning_numbers(place.type)
    return found


def _plain(numbers: Mapping[str, NDArray]) -> frozenset[tuple[str, int, float]]:
    """Return the elements built into straight-line code: zeros, and 1 and -1 in directions.

    A length of 1 m among others needs no code of its own.
    """
    directions = {
        "loops_T": (6, [range(3, 6)]),
        "loops_numbers": (JOINT_NUMBERS, [range(9), range(PLACE_S, PLACE_S + 9), range(AXIS, PITCH)]),
        "loops_gaps": (GAP_NUMBERS, [range(SCREW), range(SHIFT, GAP_NUMBERS)]),
    }
    found = set()
    for name, (size, parts) in directions.items():
        own = {k for part in parts for k in part}
        for k, x in enumerate(numbers[name].tolist()):
            if x == 0.0 or (abs(x) == 1.0 and k % size in own):
                found.add((name, k, x + 0.0))
    return frozenset(found)


def _on_bodies(loop: Loop) -> Place:
    """Return a loop joint between bodies; for a reversed one the joint inside, with the ends exchanged."""
    type, P, S = loop.joint.type.simplified(), loop.predecessor, loop.successor
    placements = loop.joint.placement, loop.successor_placement
    # reversed joints may be nested
    while isinstance(type, Reversed):
        type, P, S, placements = type.joint.simplified(), S, P, placements[::-1]
    if isinstance(type, EulerSpherical):
        type = Spherical()  # the same surface, with other coordinates
    return Place(loop.joint.name, type, P, S, *placements)


def _in_links(place: Place, in_links: NDArray, layout: Layout) -> Place:
    """Return the joint between the links that carry the bodies."""
    ends = place.predecessor, place.successor
    placed = in_links[ends[0]] @ place.predecessor_placement, in_links[ends[1]] @ place.successor_placement
    P, S = (int(layout.link_of_body[body]) for body in ends)
    return Place(place.name, place.type, P, S, *placed)


def _in_successor(place: Place) -> NDArray:
    """Return T (6, rows) in coordinates of the link; if it is not constant, at the neutral coordinates."""
    T = place.type.constraint_subspace(place.type.neutral())
    return np.asarray(se3.adjoint(se3.inverse(place.successor_placement)).T @ T)


def transmitted(part: Contribution, frames: NDArray) -> list[NDArray]:
    """Return for each joint the wrenches (rows, 6) of its rows, on the successor body in its coordinates.

    For a joint whose T depends on the configuration they are those at its neutral coordinates. frames : as of
    `loop_joints`.
    """
    poses = frames.reshape(-1, FRAME)[part.tables["loops_bodies"]]
    found = []
    for pose, T in zip(
        poses, np.split(part.numbers["loops_T"].reshape(-1, 6), part.tables["loops_rows"][1:]), strict=True
    ):
        R, p = pose[:9].reshape(3, 3), pose[9:]  # of the body in the link
        n, f = T[:, :3], T[:, 3:]
        # moments from the link's origin to the body's, then into its axes
        found.append(np.hstack([(n - np.cross(p, f)) @ R, f @ R]))
    return found
