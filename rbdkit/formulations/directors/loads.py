"""Loads on a rotating body, other than gravity, in a program: joint forces, external forces and force elements.

The loads of `rbdkit.formulations.body_loads`, which are written for bodies with central frames, applied to a body that
is given by directors: joint coordinates and the motion of the body's frame follow from the directors and the point, and
forces become wrenches about the point. What turns with the body is kept along the directors and what does not along the
axes of the world, since steps need derivatives and work in both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.steps.manifold import from_matrix
from rbdkit.formulations.applied import force_arrays
from rbdkit.formulations.body_loads import MOTION, BodyLoads, Loaded, Loads
from rbdkit.formulations.directors.fixed_point import FixedPointBody
from rbdkit.formulations.formulation import Acting
from rbdkit.joints import Free
from rbdkit.model import Model
from rbdkit.spatial.vector3 import ZERO, Matrix, Vector, cross
from rbdkit.trace import Moment, Scalar

TURN, PLACE, COM, AHEAD, NUMBERS = 0, 9, 12, 15, 16
"""Where numbers of the body begin: placement of the joint, rotation and position; centre of mass; 1 if the joint's
position counts along the body's axes."""


class Wrenches(NamedTuple):
    """Moment about the body's point and force on it.

    M, F : of what turns with the body, along the directors. m, f : of what does not, along the axes of the world.
    """

    M: Vector
    F: Vector
    m: Vector
    f: Vector


def loaded_body(model: Model, body: FixedPointBody, loads: Loads, acts: Acting | None, steps: int) -> Loaded:
    """Return the loads of a turning body with their arrays."""
    arrays, counts = ({}, {}) if acts is None else force_arrays(acts, model, steps)
    arrays |= {"joint_q": np.zeros(model.nq), "joint_v": np.zeros(model.nv), "body_motion": np.zeros(MOTION)}
    own: NDArray = np.zeros(NUMBERS)
    own[TURN:PLACE], own[PLACE:COM] = body.placement[:3, :3].ravel(), body.placement[:3, 3]
    if body.floats:
        kind = model.joints[1].type
        assert isinstance(kind, Free)
        own[COM:AHEAD], own[AHEAD] = body.com, kind.translation == "successor"
    numbers = {"load_numbers": own}
    if loads.own is not None:
        arrays |= {"own_tau": np.zeros(model.nv), "own_force": np.zeros(12)}
        numbers["own_numbers"] = np.array(loads.own.law.numbers)
    return Loaded(loads, arrays, numbers, counts)


class TurningLoads(BodyLoads):
    """Recorder of loads: call `turns`, then `decide`, then `about`, which returns the wrenches."""

    def turns(self, A: Matrix, R: Matrix, W: Vector, point: Vector | None, going: Vector) -> None:
        """Store joint coordinates and velocities, and the motion of the body's frame.

        A : directors as columns. R : the rotation nearest to that. W : angular velocity along them. point, going : of
        a floating centre of mass, in the world; None and zero of a pivot.
        """
        P, _, com, ahead = self._numbers()
        # joint coordinates are relative to the placement of the joint
        R_J, p = P.T @ R, self._origin(A, point)
        q, qd, v = [*from_matrix(R_J)], [*W], ZERO
        if point is not None:
            v = A.T @ going - cross(W, com)
            r = P.T @ (p - self._origin(A, None))
            q, qd = [*q, *(r + ahead * (R_J.T @ r - r))], [*qd, *v]
        if self.loads.asks_joints:
            for array, values in (("joint_q", q), ("joint_v", qd)):
                for k, x in enumerate(values):
                    self.program.store(array, 0, k, x)
        if self.loads.own is not None:
            for k, x in enumerate([*R.flat(), *p, *(R @ W), *(R @ v)]):
                self.program.store("body_motion", 0, k, x)

    def about(self, moment: Moment, A: Matrix, R: Matrix, point: Vector | None) -> Wrenches:
        """Return the wrenches of all loads about the body's point; the arguments are those of `turns`."""
        program, loads, size = self.program, self.loads, 3 if point is None else 6
        com, M, F, m, f, torques = self._numbers()[2], ZERO, ZERO, ZERO, ZERO, []
        if loads.f_ext is not None:
            n, f = self._six("f_ext")
            m = n - cross(self._origin(A, None) if point is None else point, f)
        if loads.own is not None:
            n, push = self._six("own_force")
            torques.append([*(R.T @ (n - cross(self._origin(A, point), push))), *(R.T @ push)])
            torques.append([program.load("own_tau", 0, k) for k in range(size)])
        if loads.tau == "array":
            torques.append([moment.scheduled("tau", k) for k in range(size)])
        elif loads.tau is not None:
            torques.append([program.load("tau", 0, k) for k in range(size)])
        for x in torques:
            M = M + Vector(x[:3])
            if point is not None:
                F = F + Vector(x[3:])
                M = M - cross(com, Vector(x[3:]))
        return Wrenches(M, F, m, f)

    def _six(self, array: str) -> tuple[Vector, Vector]:
        """Return moment about the world origin and force on the body, from an array of all bodies."""
        x = [self.program.load(array, 0, 6 + k) for k in range(6)]
        return Vector(x[:3]), Vector(x[3:])

    def _origin(self, A: Matrix, point: Vector | None) -> Vector:
        """Return the position of the origin of the body's frame, in the world."""
        _, p_0, com, _ = self._numbers()
        return p_0 if point is None else point - A @ com

    def _numbers(self) -> tuple[Matrix, Vector, Vector, Scalar]:
        x = [self.program.load("load_numbers", 0, k) for k in range(NUMBERS)]
        return Matrix.of(x[TURN:PLACE]), Vector(x[PLACE:COM]), Vector(x[COM:AHEAD]), x[AHEAD]
