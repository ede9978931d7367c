"""Formulations, one a file: how a `Model` becomes equations that an integrator can step.

A `System` is what integrators see: the rate of its velocities, and how its coordinates move along them. A `Formulation`
is a system that stands for a model: it makes its state from joint coordinates and gives poses, energy, invariants and
constraint errors back. To add one: its file here, and its line in `FORMULATIONS`.
"""

from rbdkit.formulations.bodywise import Bodywise, grounded_on_se3
from rbdkit.formulations.constrained import Baumgarte, ConstrainedBodies
from rbdkit.formulations.directors import Directors, NonTwistingDirectors, NonTwistingSplitEuler, SplitEuler
from rbdkit.formulations.formulation import Acting, Compiled, Force, Formulation, Gaping, Holding, InJoints, Remarking
from rbdkit.formulations.geared import GearedSystem
from rbdkit.formulations.joint import JointSystem
from rbdkit.formulations.joint_state import joint_state
from rbdkit.formulations.linear import LinearSystem, TangentSystem, linearize
from rbdkit.formulations.local_velocity import LocalVelocity
from rbdkit.formulations.maximal import Maximal
from rbdkit.formulations.quaternion import QuaternionBodies
from rbdkit.formulations.redmax import Redmax
from rbdkit.formulations.se3 import SE3
from rbdkit.formulations.so3xr3 import SO3xR3
from rbdkit.formulations.state_equation import StateEquation
from rbdkit.formulations.system import Lagrangian, Projectable, Starting, Stiff, StiffMatrices, System, VelocityLevel

FORMULATIONS: dict[str, type[Formulation]] = {
    formulation.name: formulation
    for formulation in (
        JointSystem,
        LocalVelocity,
        QuaternionBodies,
        SE3,
        SO3xR3,
        Bodywise,
        Maximal,
        Redmax,
        Directors,
        NonTwistingDirectors,
        SplitEuler,
        NonTwistingSplitEuler,
    )
}  # fmt: skip
"""Formulations that `simulate` accepts by name."""

__all__ = [
    "Acting",
    "FORMULATIONS",
    "SE3",
    "Baumgarte",
    "Bodywise",
    "Compiled",
    "ConstrainedBodies",
    "Directors",
    "Force",
    "Formulation",
    "GearedSystem",
    "Gaping",
    "InJoints",
    "JointSystem",
    "Lagrangian",
    "LinearSystem",
    "LocalVelocity",
    "Maximal",
    "NonTwistingDirectors",
    "NonTwistingSplitEuler",
    "Projectable",
    "QuaternionBodies",
    "Redmax",
    "Remarking",
    "SO3xR3",
    "Holding",
    "SplitEuler",
    "Starting",
    "StateEquation",
    "Stiff",
    "StiffMatrices",
    "System",
    "TangentSystem",
    "VelocityLevel",
    "grounded_on_se3",
    "joint_state",
    "linearize",
]
