"""Loads on free bodies, other than gravity, in a program: joint forces, external forces and force elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.own_forces import OwnForces
from rbdkit.engine.steps.manifold import from_matrix
from rbdkit.formulations.applied import Law, force_arrays, law_of, own_forces_of
from rbdkit.formulations.formulation import Acting
from rbdkit.joints import Free
from rbdkit.model import Model
from rbdkit.spatial.vector3 import ZERO, Matrix, Vector, cross
from rbdkit.trace import Feedback, Moment, Program, Scalar, Whole

LIGHTNESS, COM, AHEAD, NUMBERS = 0, 1, 4, 5
"""Places of a body's numbers: 1 / mass; centre of mass; 1 if the joint's position is measured along the body's axes."""
MOTION = 18
"""Size of the motion of a body's frame that force elements read: rotation 9, position 3, twist 6, in world axes."""


@dataclass(frozen=True)
class Loads:
    """Kinds of loads. tau, f_ext : how these are given. own : the traced force elements of the model, or None."""

    tau: Law
    f_ext: Law
    own: OwnForces | None

    @property
    def asks_joints(self) -> bool:
        """Whether anything depends on joint coordinates or velocities."""
        by_law = isinstance(self.tau, Feedback) or isinstance(self.f_ext, Feedback)
        return by_law or (self.own is not None and self.own.asks_joints)


@dataclass(frozen=True)
class Loaded:
    """`Loads` with their work arrays, read-only numbers and counts."""

    loads: Loads
    arrays: dict[str, NDArray]
    numbers: dict[str, NDArray]
    counts: dict[str, int]


def loads_of(model: Model, acts: Acting | None) -> Loads | None:
    """Return the loads on free bodies, other than gravity; None if there are none."""
    if acts is None and not model.acting:
        return None
    tau, f_ext = (None, None) if acts is None else (law_of(acts.tau), law_of(acts.f_ext))
    return Loads(tau, f_ext, own_forces_of(model))


def loaded_by(model: Model, loads: Loads, acts: Acting | None, steps: int) -> Loaded:
    """Return the loads with all of their arrays, for a number of steps."""
    n = len(model.bodies) - 1
    arrays, counts = ({}, {}) if acts is None else force_arrays(acts, model, steps)
    arrays |= {"joint_q": np.zeros(7 * n), "joint_v": np.zeros(6 * n), "body_motion": np.zeros(MOTION * n)}
    rows = np.zeros((n, NUMBERS))
    for row, body in zip(rows, model.bodies[1:], strict=True):
        assert body.inertia is not None
        assert isinstance(body.joint.type, Free)
        row[LIGHTNESS], row[COM:AHEAD] = 1.0 / body.inertia.mass, body.inertia.com
        row[AHEAD] = body.joint.type.translation == "successor"
    numbers = {"load_numbers": rows.ravel()}
    if loads.own is not None:
        arrays |= {"own_tau": np.zeros(model.nv), "own_force": np.zeros(6 * (n + 1))}
        numbers["own_numbers"] = np.array(loads.own.law.numbers)
    return Loaded(loads, arrays, numbers, counts)


class BodyLoads:
    """Recorder of loads: call `place` for every body, then `decide` once, then `on` for each body."""

    def __init__(self, program: Program, loads: Loads) -> None:
        self.program, self.loads = program, loads

    def place(self, i: Whole, R: Matrix, r: Vector, U: Vector, Omega: Vector) -> None:
        """Store joint coordinates, joint velocities and motion of body i, from pose and twist of its central frame."""
        com, program = self._com(i), self.program
        p, v = r - R @ com, U - cross(Omega, com)
        if self.loads.asks_joints:
            q, qd, ahead = i * 7, i * 6, program.load("load_numbers", i * NUMBERS, AHEAD)
            # a free joint may measure its position along the axes of the world or of the body
            position = p + ahead * (R.T @ p - p)
            for k, x in enumerate([*from_matrix(R), *position]):
                program.store("joint_q", q, k, x)
            for k, x in enumerate([*Omega, *v]):
                program.store("joint_v", qd, k, x)
        if self.loads.own is not None:
            place = i * MOTION
            for k, x in enumerate([*R.flat(), *p, *(R @ Omega), *(R @ v)]):
                program.store("body_motion", place, k, x)

    def decide(self, moment: Moment) -> None:
        """Evaluate controllers and force elements at the stored motion."""
        program = self.program
        for law, name in ((self.loads.tau, "tau"), (self.loads.f_ext, "f_ext")):
            if isinstance(law, Feedback):
                found = law.record(program, moment.time, ("joint_q", 0), ("joint_v", 0), f"{name}_numbers")
                for k, x in enumerate(found):
                    program.store(name, 0, k, x)
        if self.loads.own is not None:
            self._act(self.loads.own, moment)

    def on(self, i: Whole, moment: Moment, R: Matrix, r: Vector) -> tuple[Vector, Vector]:
        """Return the loads on body i: force / mass in world axes, and moment about the centre of mass in body axes."""
        program, first, row = self.program, i * 6, (i + 1) * 6
        wrenches = ["f_ext"] * (self.loads.f_ext is not None) + ["own_force"] * (self.loads.own is not None)
        felt = [wrench_at_centre(R, r, [program.load(x, row, k) for k in range(6)]) for x in wrenches]
        torques = []
        if self.loads.tau == "array":
            torques.append([moment.scheduled("tau", first + k) for k in range(6)])
        elif self.loads.tau is not None:
            torques.append([program.load("tau", first, k) for k in range(6)])
        if self.loads.own is not None:
            torques.append([program.load("own_tau", first, k) for k in range(6)])
        felt += [joint_force_at_centre(R, self._com(i), x) for x in torques]
        force, about = sum((f for f, _ in felt), ZERO), sum((n for _, n in felt), ZERO)
        return program.load("load_numbers", i * NUMBERS, LIGHTNESS) * force, about

    def _com(self, i: Whole) -> Vector:
        return Vector(self.program.load("load_numbers", i * NUMBERS, COM + k) for k in range(3))

    def _act(self, own: OwnForces, moment: Moment) -> None:
        program = self.program
        places = {f"body{body}": (body - 1) * MOTION for body in own.bodies}

        def load(argument: str, k: int) -> Scalar:
            if argument in places:
                return program.load("body_motion", places[argument], k)
            if argument == "t":
                return moment.time
            return program.load(f"joint_{argument}", 0, k)

        torques, pushes, *_ = own.split(own.law.compute(program, load, "own_numbers"))
        for a, x in zip(own.velocities, torques, strict=True):
            program.store("own_tau", 0, a, x)
        # elements of one kind may push a body that others push, too: sums, then one store for each body
        felt = dict(zip(own.pushed, pushes, strict=True))
        for each in own.alike:  # bodies that float are few
            for member in each.members:
                rows = [(body - 1) * MOTION for body in member.bodies]
                motions = [[program.load("body_motion", row, k) for k in range(MOTION)] for row in rows]
                found = each.compute(program, member, motions.__getitem__, lambda: moment.time)
                for slot, body in enumerate(member.bodies):
                    push = found[6 * slot : 6 * slot + 6]
                    felt[body] = [a + b for a, b in zip(felt.get(body, [0.0] * 6), push, strict=True)]
        for body, push in felt.items():
            for k, x in enumerate(push):
                program.store("own_force", 0, 6 * body + k, x)


def wrench_at_centre(R: Matrix, r: Vector, wrench: Sequence[Scalar]) -> tuple[Vector, Vector]:
    """Return force (world axes) and moment about the centre of mass (body axes) of a wrench about the world origin.

    R, r : rotation and position of the central frame.
    """
    force = Vector(wrench[3:])
    return force, R.T @ (Vector(wrench[:3]) - cross(r, force))


def joint_force_at_centre(R: Matrix, com: Sequence[Scalar], tau: Sequence[Scalar]) -> tuple[Vector, Vector]:
    """Return the same of moment and force at the body frame's origin, in body axes. com : centre of mass there."""
    force = Vector(tau[3:])
    return R @ force, Vector(tau[:3]) - cross(Vector(com), force)
