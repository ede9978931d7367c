"""Unified local velocity coordinates: rigid bodies moved by six velocities of six points, none of them a rotation.

After S. Holzinger, J. Gerstmayr, J. Schöberl, A rigid body formulation with non-redundant unified local velocity
coordinates.

    projection     the six points and directions; velocity and acceleration of all others (sections 3, 4.1)
    mass_matrix    M and Gamma by integral and in closed form (sections 3.3, 4.2)
    tangent        exponential map and inverse tangent operator (sections 2, 5.2)
    equations      the equations of a free body in w and H (section 5), on scalars and on stacks
    system         the formulation that they make
"""

from rbdkit.formulations.local_velocity import tangent
from rbdkit.formulations.local_velocity.mass_matrix import gamma, integrated, mass_matrix, quadrature
from rbdkit.formulations.local_velocity.projection import Projection
from rbdkit.formulations.local_velocity.system import LocalVelocity

__all__ = [
    "LocalVelocity",
    "Projection",
    "gamma",
    "integrated",
    "mass_matrix",
    "quadrature",
    "tangent",
]
