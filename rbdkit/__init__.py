"""rbdkit: rigid-body dynamics that people can touch.

One model, every formulation: build a `Model` by code or `load` it from a file, ask for its dynamics (`rnea`, `aba`,
`crba`, `jacobian`, `energy`, ...), `simulate` it and `show` it in a notebook. The readable algorithms are in
`rbdkit.algorithms`.

The names below are loaded when first used, so that ``import rbdkit`` is quick and needs no notebook packages.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "rbdkit.derivatives": [
        "aba_derivatives",
        "aba_gradient",
        "forward_dynamics_derivatives",
        "forward_dynamics_gradient",
        "forward_dynamics_parameter_jacobian",
        "inertial_regressor",
        "rnea_derivatives",
        "rnea_gradient",
        "rnea_parameter_jacobian",
    ],
    "rbdkit.errors": ["FormatError", "ModelError", "RbdkitError", "SimulationError", "StateError"],
    "rbdkit.forces": ["ForceElement", "JointFriction", "Spring"],
    "rbdkit.formats": ["load", "save"],
    "rbdkit.formulations": ["StateEquation"],
    "rbdkit.functions": [
        "aba",
        "bias_acceleration",
        "bias_force",
        "center_of_mass",
        "crba",
        "energy",
        "forward_dynamics",
        "forward_kinematics",
        "gravity_force",
        "hybrid_dynamics",
        "jacobian",
        "momentum",
        "passive_force",
        "power_balance",
        "rnea",
        "state_derivative",
    ],
    "rbdkit.algorithms": ["wrench"],
    "rbdkit.inspection": ["inspect"],
    "rbdkit.joints": [
        "Cylindrical",
        "EulerSpherical",
        "Fixed",
        "Free",
        "Helical",
        "Planar",
        "Prescribed",
        "Prismatic",
        "RackAndPinion",
        "Reversed",
        "Revolute",
        "SphereInCylinder",
        "Spherical",
        "Universal",
    ],
    "rbdkit.model": [
        "Box",
        "Capsule",
        "Cone",
        "Cylinder",
        "Ellipsoid",
        "Geometry",
        "Limits",
        "Mesh",
        "Mimic",
        "Model",
        "Sphere",
        "validate",
    ],
    "rbdkit.simulation": ["Ensemble", "Trajectory", "simulate", "sweep", "traced", "untraced"],
    "rbdkit.spatial.inertia": ["Inertia"],
    "rbdkit.spatial.se3": ["pose"],
    "rbdkit.widgets": ["build", "compare", "show", "sliders", "step_algorithm", "step_integrator", "tweak"],
    "rbdkit.widgets.figure": ["plot"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_PACKAGES = (
    "accuracy",
    "algorithms",
    "costs",
    "course",
    "derivatives",
    "drafting",
    "engine",
    "forces",
    "formats",
    "formulations",
    "integrators",
    "joints",
    "library",
    "model",
    "scene",
    "simulation",
    "spatial",
    "stepping",
    "trace",
    "widgets",
)

__all__ = [*sorted(_HOME_OF), *_PACKAGES]

if TYPE_CHECKING:
    from rbdkit.algorithms import wrench as wrench
    from rbdkit.derivatives import (
        aba_derivatives,
        aba_gradient,
        forward_dynamics_derivatives,
        forward_dynamics_gradient,
        forward_dynamics_parameter_jacobian,
        inertial_regressor,
        rnea_derivatives,
        rnea_gradient,
        rnea_parameter_jacobian,
    )
    from rbdkit.errors import FormatError, ModelError, RbdkitError, SimulationError, StateError
    from rbdkit.forces import ForceElement, JointFriction, Spring
    from rbdkit.formats import load, save  # type: ignore[no-redef]  # a module has the same name
    from rbdkit.formulations import StateEquation
    from rbdkit.functions import (
        aba,
        bias_acceleration,
        bias_force,
        center_of_mass,
        crba,
        energy,
        forward_dynamics,
        forward_kinematics,
        gravity_force,
        hybrid_dynamics,
        jacobian,
        momentum,
        passive_force,
        power_balance,
        rnea,
        state_derivative,
    )
    from rbdkit.inspection import inspect
    from rbdkit.joints import (
        Cylindrical,
        EulerSpherical,
        Fixed,
        Free,
        Helical,
        Planar,
        Prescribed,
        Prismatic,
        RackAndPinion,
        Reversed,
        Revolute,
        SphereInCylinder,
        Spherical,
        Universal,
    )
    from rbdkit.model import (
        Box,
        Capsule,
        Cone,
        Cylinder,
        Ellipsoid,
        Geometry,
        Limits,
        Mesh,
        Mimic,
        Model,
        Sphere,
        validate,
    )
    from rbdkit.simulation import Ensemble, Trajectory, simulate, sweep, traced, untraced  # type: ignore[no-redef]  # a module has the same name
    from rbdkit.spatial.inertia import Inertia
    from rbdkit.spatial.se3 import pose
    from rbdkit.widgets import build, compare, show, sliders, step_algorithm, step_integrator, tweak  # type: ignore[no-redef]  # its module has the same name
    from rbdkit.widgets.figure import plot


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"rbdkit.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"rbdkit has no {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
