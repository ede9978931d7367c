"""Integrators, one a file: small objects with their order, what they conserve, a step, and the stages inside it.

They step any `System` of `rbdkit.formulations`, or those that they say they require. To add one: its file here, and its
line in `INTEGRATORS`; the tests of order and of what it conserves then run on it. `Adaptive` chooses its own steps.
"""

from rbdkit.integrators.adaptive import Adaptive
from rbdkit.integrators.explicit_euler import ExplicitEuler
from rbdkit.integrators.integrator import Integrator, OneStep, Stage, State
from rbdkit.integrators.munthe_kaas import MuntheKaas
from rbdkit.integrators.newton import Solve
from rbdkit.integrators.rk4 import RK4
from rbdkit.integrators.symplectic_euler import SymplecticEuler

INTEGRATORS: dict[str, Integrator] = {
    method.name: method
    for method in (
        RK4(),
        ExplicitEuler(),
        SymplecticEuler(),
    )
}
"""What `simulate` knows by name, besides the adaptive ones."""

__all__ = [
    "INTEGRATORS",
    "RK4",
    "Adaptive",
    "ExplicitEuler",
    "Integrator",
    "MuntheKaas",
    "OneStep",
    "Solve",
    "Stage",
    "State",
    "SymplecticEuler",
]
