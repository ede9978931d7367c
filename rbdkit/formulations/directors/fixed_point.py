"""One rigid body, pivoted or floating: what the formulations of this folder take from a model.

They need the inertia about the point of rotation in two forms: J, which multiplies angular velocities, and the Euler
inertia E, the second moments of mass, which multiplies velocities of directors, ``E = tr(J)/2 1 - J`` (Eq 66). A
pivoted body feels its weight as a moment, by its first moment of mass; a floating one does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.model.names import listed
from rbdkit.spatial import sphere


@dataclass(frozen=True, eq=False)
class FixedPointBody:
    """A rigid body that turns about a point of its own: a pivot at its frame's origin, or its floating centre of mass.

    Attributes
    ----------
    name : of the body.
    mass : kg.
    J : (3, 3) convected inertia about the point, body axes, kg m2.
    euler_inertia : (3, 3) second moments of mass about the point, integral of x x^T dm, kg m2 (Eq 66).
    first_moment : (3,) mass times the way from the point to the centre of mass, kg m; zero if it floats.
    floats : whether the point is the centre of mass, moving as it likes, and not a pivot.
    com : (3,) centre of mass in the body frame, m.
    placement : (4, 4) pose of the joint in the world.
    gravity : (3,) m/s2.
    """

    name: str
    mass: float
    J: NDArray
    first_moment: NDArray
    floats: bool
    com: NDArray
    placement: NDArray
    gravity: NDArray

    @property
    def euler_inertia(self) -> NDArray:
        return 0.5 * np.trace(self.J) * np.eye(3) - self.J

    @property
    def weight(self) -> NDArray:
        """(3, 3): row i is the weight that belongs to director i, m c_i g, N m; the same in every position."""
        return np.outer(self.first_moment, self.gravity)

    def split_inertia(self) -> tuple[NDArray, float]:
        """Return J_perp (3, 3) and the moment of inertia J_par about the third axis (Eq 32).

        Raises
        ------
        ModelError
            If the third axis of the body is no principal axis at the fixed point.
        """
        coupling = np.abs(self.J[:2, 2]).max()
        if not coupling <= 1e-9 * np.abs(self.J).max():
            raise ModelError(
                f"body {self.name!r}: its z axis is not a principal axis at its point (J13 = {self.J[0, 2]:.6g}, "
                f"J23 = {self.J[1, 2]:.6g} kg m2), so the equations without twist do not split. Turn the body frame so "
                "that z is a principal axis: Inertia.principal gives them."
            )
        e3 = np.array([0.0, 0.0, 1.0])
        return sphere.split_tensor(self.J, e3, e3)[0], float(self.J[2, 2])


def fixed_point_body(model: Model, formulation: str) -> FixedPointBody:
    """Return the parameters of the body of a model with one body on a spherical or free joint.

    Parameters
    ----------
    formulation : name of the formulation, for the error message.

    Raises
    ------
    ModelError
        If the model is anything else, or the joint has a spring, a damper or a rotor.
    """
    kinds = [joint.type.known_as for joint in model.joints[1:]]
    if kinds not in (["spherical"], ["free"]) or model.loops:
        found = ", ".join(kinds) or "none"
        raise ModelError(
            f"formulation {formulation!r} is for one body that turns about a point: model {model.name!r} must have one "
            f"body, on a Spherical or Free joint; its joints are: {found}. Other formulations take any model, 'joint' "
            "for one."
        )
    if model.constraints:
        names = listed([own.name for own in model.constraints])
        raise ModelError(f"formulation {formulation!r} does not know constraints, and model {model.name!r} has {names}")
    body, joint = model.bodies[1], model.joints[1]
    for name in ("stiffness", "damping", "armature"):
        if np.any(getattr(joint, name)):
            raise ModelError(
                f"formulation {formulation!r} knows no {name} in joint {joint.name!r} ({getattr(joint, name)}); "
                "set it to zero, and give its moment as tau"
            )
    if body.inertia is None:
        raise ModelError(f"body {body.name!r} has no inertia; give it one")
    mass, com, floats = body.inertia.mass, body.inertia.com, kinds == ["free"]
    J = body.inertia.inertia_com if floats else body.inertia.matrix[:3, :3]
    if not np.linalg.eigvalsh(J)[0] > 1e-12 * np.trace(J):
        raise ModelError(f"body {body.name!r} has no inertia about some axis through its point: {J.tolist()}")
    first_moment = np.zeros(3) if floats else mass * com
    return FixedPointBody(
        body.name, mass, J, first_moment, floats, com, joint.placement.copy(), np.array(model.gravity)
    )
