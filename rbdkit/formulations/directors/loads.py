"""What acts on a turning body besides gravity, on the arrays of a program: laws, external forces, force elements."""

from __future__ import annotations

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


def loaded_body(model: Model, body: FixedPointBody, loads: Loads, acts: Acting | None, steps: int) -> Loaded:
    """Loads of a turning body with their arrays."""
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
    """Writes that into a program: `turns`, then `decide`, then what acts `about` the body's point."""

    def turns(self, R: Matrix, W: Vector, point: Vector | None, going: Vector) -> None:
        """Joint coordinates and velocities, and the motion of the body's frame.

        R : directors as columns. W : angular velocity along them. point, going : of a floating centre of mass, in the
        world; None and zero of a pivot.
        """
        P, p_0, com, ahead = self._numbers()
        R_J = P.T @ R
        q, qd, p, v = [*from_matrix(R_J)], [*W], p_0, ZERO
        if point is not None:
            p = point - R @ com
            v = R.T @ going - cross(W, com)
            r = P.T @ (p - p_0)
            q, qd = [*q, *(r + ahead * (R_J.T @ r - r))], [*qd, *v]
        if self.loads.asks_joints:
            for array, values in (("joint_q", q), ("joint_v", qd)):
                for k, x in enumerate(values):
                    self.program.store(array, 0, k, x)
        if self.loads.own is not None:
            for k, x in enumerate([*R.flat(), *p, *(R @ W), *(R @ v)]):
                self.program.store("body_motion", 0, k, x)

    def about(self, moment: Moment, R: Matrix, point: Vector | None) -> tuple[Vector, Vector]:
        """Moment about the body's point and force on it, along the directors."""
        program, loads = self.program, self.loads
        _, p_0, com, _ = self._numbers()
        M, F = Vector([0.0, 0.0, 0.0]), Vector([0.0, 0.0, 0.0])
        for array in ["f_ext"] * (loads.f_ext is not None) + ["own_force"] * (loads.own is not None):
            x = [program.load(array, 0, 6 + k) for k in range(6)]
            f = Vector(x[3:])
            F = F + R.T @ f
            M = M + R.T @ (Vector(x[:3]) - cross(p_0 if point is None else point, f))
        size = 3 if point is None else 6
        torques = []
        if loads.tau == "array":
            torques.append([moment.scheduled("tau", k) for k in range(size)])
        elif loads.tau is not None:
            torques.append([program.load("tau", 0, k) for k in range(size)])
        if loads.own is not None:
            torques.append([program.load("own_tau", 0, k) for k in range(size)])
        for x in torques:
            M = M + Vector(x[:3])
            if point is not None:
                F = F + Vector(x[3:])
                M = M - cross(com, Vector(x[3:]))
        return M, F

    def _numbers(self) -> tuple[Matrix, Vector, Vector, Scalar]:
        x = [self.program.load("load_numbers", 0, k) for k in range(NUMBERS)]
        return Matrix.of(x[TURN:PLACE]), Vector(x[PLACE:COM]), Vector(x[COM:AHEAD]), x[AHEAD]
