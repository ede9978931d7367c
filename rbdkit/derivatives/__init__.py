"""Derivatives of the dynamics: of forces and accelerations, by the state and by every parameter of a model.

Input is checked and stacked as in `rbdkit.functions`. What the derivatives mean:

- Derivatives with respect to q are along ``model.integrate(q, dq)`` at dq = 0: nv columns, even where q has more
  numbers. For a spherical joint they are turns about the body's own axes, for a free joint the body's own twist (omega,
  v), for a planar joint (angle, then x and y along the moved axes); for all others dq is simply added. So a quaternion
  is never differentiated by its four components.
- v and a keep their numbers while q changes: they are joint velocities in axes that move along.
- External forces are constant in world coordinates.
- Parameters go by the names of ``model.parameters``. A placement is differentiated by a twist (6) of the joint's frame,
  in its own coordinates: ``placement @ se3.exp(twist)``; a rest position as q is (nv of the joint); an inertia by its
  symmetric changes, so the derivative is a symmetric 3x3. Mass, centre of mass and inertia about it are independent.

Methods: the recursions of Singh, Russell and Wensing (2022) for Jacobians, and for gradients one virtual motion for the
weights; derivatives of forward dynamics follow from those of inverse dynamics (Jain and Rodriguez 1993, Carpentier and
Mansard 2018). The readable forms are in `rbdkit.algorithms`.
"""

from rbdkit.derivatives.gradients import Gradient, aba_gradient, forward_dynamics_gradient, rnea_gradient
from rbdkit.derivatives.jacobians import (
    DynamicsDerivatives,
    RneaDerivatives,
    aba_derivatives,
    forward_dynamics_derivatives,
    rnea_derivatives,
)
from rbdkit.derivatives.parameters import (
    forward_dynamics_parameter_jacobian,
    inertial_regressor,
    rnea_parameter_jacobian,
)
from rbdkit.derivatives.stiffness import StiffnessAndDamping, stiffness_and_damping
from rbdkit.derivatives.stiffness_of_bodies import stiffness_at

__all__ = [
    "DynamicsDerivatives",
    "Gradient",
    "RneaDerivatives",
    "StiffnessAndDamping",
    "aba_derivatives",
    "aba_gradient",
    "forward_dynamics_derivatives",
    "forward_dynamics_gradient",
    "forward_dynamics_parameter_jacobian",
    "inertial_regressor",
    "rnea_derivatives",
    "rnea_gradient",
    "rnea_parameter_jacobian",
    "stiffness_and_damping",
    "stiffness_at",
]
