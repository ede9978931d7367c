"""Integrators, one a file: small objects with their order, what they conserve, a step, and the stages inside it.

They step any `System` of `rbdkit.formulations`. `Adaptive` chooses its own steps instead.
"""

from rbdkit.integrators.adaptive import Adaptive
from rbdkit.integrators.explicit_euler import ExplicitEuler
from rbdkit.integrators.integrator import Integrator, Stage
from rbdkit.integrators.munthe_kaas import MuntheKaas
from rbdkit.integrators.rk4 import RK4
from rbdkit.integrators.symplectic_euler import SymplecticEuler

__all__ = ["RK4", "Adaptive", "ExplicitEuler", "Integrator", "MuntheKaas", "Stage", "SymplecticEuler"]
