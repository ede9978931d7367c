"""Integrators, one a file: small objects with their order, what they conserve, a step, and the stages inside it.

They step any `System` of `rbdkit.formulations`, or those that they say they require. To add one: its file here, and its
line in `INTEGRATORS`; the tests of order and of what it conserves then run on it. `Adaptive` chooses its own steps.
"""

from rbdkit.integrators.adaptive import Adaptive
from rbdkit.integrators.crouch_grossman import CrouchGrossman
from rbdkit.integrators.crouch_grossman3 import CrouchGrossman3
from rbdkit.integrators.crouch_grossman4 import CrouchGrossman4
from rbdkit.integrators.embedded_pair import EmbeddedPair
from rbdkit.integrators.energy_momentum import EnergyMomentum, TangentEnergyMomentum
from rbdkit.integrators.explicit_euler import ExplicitEuler
from rbdkit.integrators.generalized_alpha import GeneralizedAlpha
from rbdkit.integrators.heun import Heun
from rbdkit.integrators.implicit_midpoint import ImplicitMidpoint
from rbdkit.integrators.integrator import FromStep, Integrator, OneStep, RecordedIntegrator, records, why_not_recorded
from rbdkit.integrators.lagrange_dalembert import LagrangeDAlembert, half_step_energy
from rbdkit.integrators.linearly_implicit_euler import LinearlyImplicitEuler
from rbdkit.integrators.linearly_implicit_sdirk2 import LinearlyImplicitSDIRK2
from rbdkit.integrators.moser_veselov import MoserVeselov
from rbdkit.integrators.munthe_kaas import MuntheKaas
from rbdkit.integrators.newton import Solve, Solves
from rbdkit.integrators.precision import second_quotient
from rbdkit.integrators.projection import Projected
from rbdkit.integrators.rk3 import RK3
from rbdkit.integrators.rk4 import RK4
from rbdkit.integrators.rk5 import RK5
from rbdkit.integrators.runge_kutta import RungeKutta
from rbdkit.integrators.state import Stage, State
from rbdkit.integrators.symplectic_euler import SymplecticEuler
from rbdkit.integrators.variational import Variational
from rbdkit.integrators.velocity_euler import VelocityEuler

INTEGRATORS: dict[str, Integrator] = {
    method.name: method
    for method in (
        RK4(),
        ExplicitEuler(),
        SymplecticEuler(),
        EnergyMomentum(),
        TangentEnergyMomentum(),
        LagrangeDAlembert(),
        RK3(),
        RK5(),
        GeneralizedAlpha(),
        Projected(RK4()),
        Heun(),
        ImplicitMidpoint(),
        CrouchGrossman3(),
        CrouchGrossman4(),
        MoserVeselov(),
        Variational(),
        VelocityEuler(),
        LinearlyImplicitEuler(),
        LinearlyImplicitSDIRK2(),
    )
}
"""Integrators that `simulate` accepts by name, in addition to the adaptive ones."""

__all__ = [
    "INTEGRATORS",
    "RK3",
    "RK4",
    "RK5",
    "Adaptive",
    "CrouchGrossman",
    "CrouchGrossman3",
    "CrouchGrossman4",
    "EmbeddedPair",
    "EnergyMomentum",
    "ExplicitEuler",
    "FromStep",
    "GeneralizedAlpha",
    "Heun",
    "ImplicitMidpoint",
    "Integrator",
    "LagrangeDAlembert",
    "LinearlyImplicitEuler",
    "LinearlyImplicitSDIRK2",
    "MoserVeselov",
    "MuntheKaas",
    "OneStep",
    "Projected",
    "RecordedIntegrator",
    "RungeKutta",
    "Solve",
    "Solves",
    "Stage",
    "State",
    "SymplecticEuler",
    "TangentEnergyMomentum",
    "Variational",
    "VelocityEuler",
    "half_step_energy",
    "records",
    "second_quotient",
    "why_not_recorded",
]
