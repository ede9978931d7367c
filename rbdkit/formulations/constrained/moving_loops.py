"""Loop joints with configuration-dependent axes, and prescribed ones, in the program of `loop_program`.

Their rows are those of other joints, but T is computed at each state, and with it the additional terms T . c_J,
T . sigma and T . log(pose(q)^-1 X). All is traced from the joint's class, see `rbdkit.engine.rows.moving_joint`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.rows.joint_program import AXIS, JOINT_NUMBERS, in_joint, in_successor, joint_numbers
from rbdkit.engine.rows.moving_joint import (
    MOST_COORDINATES,
    FoundAxes,
    JointAtPose,
    MovingAxes,
    moving_axes,
)
from rbdkit.formulations.constrained.moving_axes import is_plain
from rbdkit.joints import Prescribed
from rbdkit.model import Model
from rbdkit.model.places import Place
from rbdkit.spatial.compact import Pose, mv, plx
from rbdkit.spatial.vector3 import Matrix, Vector
from rbdkit.trace import Index, Program, Scalar, Whole, maximum, minimum

ROWS = ("loop_c", "loop_sigma", "loop_gap")
"""Arrays with a number for each loop row, zero for those of joints with constant axes."""


def frame_of(program: Program, body: Whole) -> Pose:
    """Return the pose of a body's reference frame in the world."""
    R = Matrix.of([program.load("R", body * 9, j) for j in range(9)])
    return Pose(R, Vector(program.load("r", body * 3, j) for j in range(3)))


class MovingLoop(JointAtPose):
    """One such joint at the poses of its bodies. k : its number among such joints."""

    def __init__(self, program: Program, k: Index, axes: MovingAxes) -> None:
        super().__init__(program, axes)
        self.k, self._place, self._q = k, k * JOINT_NUMBERS, k * MOST_COORDINATES
        self._first = program.entry("moving_loop_first", k)
        self._S, self._P = (program.entry(f"moving_loop_{end}", k) for end in ("successors", "predecessors"))

    def _between(self) -> Pose:
        """Return the pose of the successor's reference frame in the predecessor's."""
        return frame_of(self.program, self._P).to(frame_of(self.program, self._S))

    def _numbers(self) -> list[Scalar]:
        return [self.program.load("moving_loop_places", self._place, j) for j in range(AXIS)]

    def to_joint(self) -> plx:
        """Return the transform from the reference frame of the successor to the joint's frame on it."""
        return in_successor(self._numbers()).X

    def pose(self) -> Pose:
        return in_joint(self._numbers(), self._between())

    def given(self) -> tuple[str, Whole]:
        return "moving_loop_numbers", self._first

    def stored(self) -> tuple[str, Whole]:
        return "moving_loop_q", self._q

    def driven(self, what: str) -> Whole:
        return self.program.entry(f"loop_{what}", self.k)

    def twist(self) -> mv:
        """Return the relative twist of the joint, in its frame on the successor."""
        V_S, V_P = (mv.of([self.program.load("V", end * 6, j) for j in range(6)]) for end in (self._S, self._P))
        return self.to_joint() @ (V_S - self._between().X @ V_P)


class MovingLoops:
    """All such joints. kinds : their distinct formulas; the table "moving_loop_kinds" has an entry for each joint."""

    def __init__(self, program: Program, kinds: tuple[MovingAxes, ...]) -> None:
        self.program, self.kinds = program, kinds

    def write(self) -> None:
        """Store their rows in "loop_T", the additional terms in `ROWS`, and the closure errors of the joints."""
        program = self.program
        with program.loop(0, program.count("moving_loops")) as k:
            for case in program.switch(program.entry("moving_loop_kinds", k), range(len(self.kinds))):
                joint = MovingLoop(program, k, self.kinds[case])
                joint.find()
                self._write(joint, program.entry("moving_loop_rows", k), k)

    def _write(self, joint: MovingLoop, row: Index, k: Index) -> None:
        program, found = self.program, joint.rows(joint.twist())
        T_sigma = found.T_sigma or [0.0] * len(found.T)
        squared: Scalar = 0.0
        for r, (T, c, sigma) in enumerate(zip(found.T, found.T_c_J or (), T_sigma, strict=True)):
            for j, x in enumerate(joint.to_joint().inv_apply(T).flat()):
                program.store("loop_T", row * 6, 6 * r + j, x)
            gap = T.dot(found.missing)
            squared = squared + gap * gap
            for name, x in zip(ROWS, (c, sigma, gap), strict=True):
                program.store(name, row, r, x)
        # as in `gap_shares`: parts of the length for mechanisms smaller than 1 m
        share = minimum(program.load("gap", 0, 2), 1.0)
        program.store("moving_loop_open", k, 0, 0.0 if joint.axes.covered else squared / (share * share))

    def measure(self) -> None:
        """Update the largest closure error in "gap" 0."""
        program = self.program
        with program.loop(0, program.count("moving_loops")) as k:
            largest = maximum(program.load("gap", 0, 0), program.load("moving_loop_open", k))
            program.store("gap", 0, 0, largest)

    def more(self, r: Index, what: str, stabilised: bool) -> Scalar:
        """Return the term that a row has in addition to one of a joint with constant axes. what : see `Loops.close`."""
        c, sigma, gap = (self.program.load(name, r) for name in ROWS)
        if what == "position":
            return gap
        if what == "velocity":
            return -sigma
        if what == "correction":
            by_gap, by_sigma = (self.program.load("closing", 0, k) for k in range(2))
            return by_gap * gap - by_sigma * sigma
        if not stabilised:
            return -c
        of_slip, of_gap = (self.program.load("baumgarte", 0, k) for k in range(2))
        return of_gap * gap - of_slip * sigma - c


def found_loops(places: Sequence[Place]) -> list[FoundAxes | None]:
    """Return the traced formulas of loop joints with moving axes, None for others.

    Raises
    ------
    NotTraced
        If formulas of one cannot be traced.
    """
    return [None if is_plain(place.type) else moving_axes(place.type, closes=True) for place in places]


def loops_given(
    model: Model, places: Sequence[Place], found: Sequence[FoundAxes | None], kinds: Sequence[MovingAxes]
) -> tuple[dict[str, NDArray], dict[str, NDArray], dict[str, list[int]]]:
    """Return work arrays, parameters and tables of loop joints with moving axes. places, found : of all loop joints."""
    first_row = np.cumsum([0, *(6 - place.type.nv for place in places)])
    own = [(k, place, one) for k, (place, one) in enumerate(zip(places, found, strict=True)) if one is not None]
    inner = [joint.type.simplified() for joint in (*model.joints[1:], *(loop.joint for loop in model.loops))]
    sizes = [(type.joint.nq, type.joint.nv) if isinstance(type, Prescribed) else (0, 0) for type in inner]
    before = np.cumsum([(0, 0), *sizes], axis=0)[len(model.joints) - 1 : -1]
    room = {name: np.zeros(int(first_row[-1])) for name in ROWS}
    room |= {"moving_loop_q": np.zeros(MOST_COORDINATES * len(own)), "moving_loop_open": np.zeros(len(own))}
    numbers = {
        "moving_loop_numbers": np.array([x for _, _, one in own for x in one.numbers], dtype=float),
        "moving_loop_places": np.concatenate([joint_numbers(place) for _, place, _ in own]),
    }
    q_first, v_first = ([int(before[k, column]) for k, _, _ in own] for column in range(2))
    return (
        room,
        numbers,
        {
            "moving_loop_kinds": [kinds.index(one.axes) for _, _, one in own],
            "moving_loop_rows": [int(first_row[k]) for k, _, _ in own],
            "moving_loop_first": np.cumsum([0, *(len(one.numbers) for _, _, one in own)])[:-1].tolist(),
            "moving_loop_successors": [place.successor for _, place, _ in own],
            "moving_loop_predecessors": [place.predecessor for _, place, _ in own],
            "loop_driven_q": q_first,
            "loop_driven_v": v_first,
            "loop_driven_a": v_first,
        },
    )
