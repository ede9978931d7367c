"""Formulations, one a file: how a `Model` becomes equations that an integrator can step.

A formulation is a `System`: the rate of its velocities, and how its coordinates move along them.
"""

from rbdkit.formulations.followers import Followers, freed
from rbdkit.formulations.joint import Force, JointSystem, compiled_dynamics
from rbdkit.formulations.linear import LinearSystem, linearize
from rbdkit.formulations.system import System

__all__ = ["Followers", "Force", "JointSystem", "LinearSystem", "System", "compiled_dynamics", "freed", "linearize"]
