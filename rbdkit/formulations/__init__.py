"""Formulations, one a file: how a `Model` becomes equations that an integrator can step.

A `System` is what integrators see: the rate of its velocities, and how its coordinates move along them. A `Formulation`
is a system that stands for a model: it makes its state from joint coordinates and gives poses, energy, invariants and
constraint errors back. To add one: its file here, and its line in `FORMULATIONS`.
"""

from rbdkit.formulations.followers import Followers, freed
from rbdkit.formulations.formulation import Compiled, Force, Formulation
from rbdkit.formulations.joint import JointSystem, compiled_dynamics
from rbdkit.formulations.joint_state import joint_state
from rbdkit.formulations.linear import LinearSystem, linearize
from rbdkit.formulations.system import System

FORMULATIONS: dict[str, type[Formulation]] = {
    formulation.name: formulation
    for formulation in (
        JointSystem,
    )
}  # fmt: skip
"""What `simulate` knows by name."""

__all__ = [
    "FORMULATIONS",
    "Compiled",
    "Followers",
    "Force",
    "Formulation",
    "JointSystem",
    "LinearSystem",
    "System",
    "compiled_dynamics",
    "freed",
    "joint_state",
    "linearize",
]
