"""The functions of a model that can be exported, by name: their arguments, and how they are recorded and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rbdkit import functions
from rbdkit.engine import Kernels
from rbdkit.model import Frame, Model
from rbdkit.trace import symbols

Reference = Literal["body", "world", "aligned"]


@dataclass(frozen=True)
class Choice:
    """Options of a function other than the state: a frame (None for all bodies) and the axes of its result.

    straight : coordinates and velocities of the joints that are not curved; others with springs are refused.
    """

    frame: Frame | None
    reference: Reference
    straight: tuple[tuple[slice, slice], ...] = ()


@dataclass(frozen=True)
class Quantity:
    """A function of a model's state.

    Attributes
    ----------
    about : str
        What it gives, for comments in exported code.
    arguments : tuple of str
        Names of its arguments, without time and the states of force elements.
    recorded : callable
        ``(kernels, choice, *arguments, **options)``, on symbols; options are t and z.
    reference : callable
        ``(model, choice, *arguments, **options)``, the public function, with which the recording is compared.
    forces : bool
        Whether springs, dampers, force elements and constraints take part.
    moved : bool
        Whether it computes accelerations, which contacts would change.
    framed : bool
        Whether it is of a frame; 'forward_kinematics' may be.
    referred : bool
        Whether its result is in axes that can be chosen.
    """

    about: str
    arguments: tuple[str, ...]
    recorded: Callable[..., Any]
    reference: Callable[..., Any]
    forces: bool = False
    moved: bool = False
    framed: bool = False
    referred: bool = False


def _poses(kernels: Kernels, choice: Choice, q: Any, **options: Any) -> Any:
    poses = kernels.forward_kinematics(q, **options)[0]
    frame = choice.frame
    return poses if frame is None else poses[frame.body] @ frame.placement


def _checked_poses(model: Model, choice: Choice, q: Any, **options: Any) -> Any:
    found = functions.forward_kinematics(model, q, **options)
    return found.poses if choice.frame is None else found[choice.frame.name]


def _checked_energy(model: Model, _: Choice, *given: Any, **options: Any) -> Any:
    found = functions.energy(model, *given, **options)
    return [found.kinetic, found.gravitational, found.spring]


def _equation_forces(kernels: Kernels, choice: Choice, q: Any, v: Any, **options: Any) -> Any:
    """Record h of ``M a + h = tau``: what `forward_dynamics` resists with at zero acceleration."""
    elements, numbers = kernels.own_forces(q, v, **options)[0], kernels.numbers
    springs = symbols(np.zeros(len(v)))
    for at, along in choice.straight:
        springs[along] = numbers["stiffness"][along] * (q[at] - numbers["rest"][at])
    return kernels.rnea(q, v, np.zeros(len(v)), t=options.get("t", 0.0)) + numbers["damping"] * v + springs - elements


def _checked_equation_forces(model: Model, _: Choice, q: Any, v: Any, **options: Any) -> Any:
    still = functions.forward_dynamics(model, q, v, np.zeros(model.nv), **options)
    return -functions.crba(model, q, t=options.get("t", 0.0)) @ still


def _recorded(name: str) -> Callable[..., Any]:
    """Return how the kernel of that name is recorded."""
    return lambda kernels, _, *given, **options: getattr(kernels, name)(*given, **options)


def _of_frame(name: str) -> Callable[..., Any]:
    """Return how the algorithm of that name is recorded for the chosen frame."""

    def recorded(kernels: Kernels, choice: Choice, *given: Any, **options: Any) -> Any:
        assert choice.frame is not None
        return getattr(kernels, name)(*given, choice.frame.body, choice.frame.placement, choice.reference, **options)

    return recorded


def _checked(name: str) -> Callable[..., Any]:
    """Return the public function of that name for the chosen frame."""

    def reference(model: Model, choice: Choice, *given: Any, **options: Any) -> Any:
        frame = () if choice.frame is None else (choice.frame.name, choice.reference)
        return getattr(functions, name)(model, *given, *frame, **options)

    return reference


QUANTITIES: Mapping[str, Quantity] = {
    "aba": Quantity(
        "joint accelerations, by the articulated-body algorithm",
        ("q", "v", "tau"),
        _recorded("aba"),
        _checked("aba"),
        moved=True,
    ),
    "forward_dynamics": Quantity(
        "joint accelerations due to joint forces, springs, dampers and force elements",
        ("q", "v", "tau"),
        _recorded("forward_dynamics"),
        _checked("forward_dynamics"),
        forces=True,
        moved=True,
    ),
    "rnea": Quantity(
        "joint forces for given accelerations, by the recursive Newton-Euler algorithm",
        ("q", "v", "a"),
        _recorded("rnea"),
        _checked("rnea"),
    ),
    "crba": Quantity(
        "joint-space inertia matrix, by the composite-rigid-body algorithm",
        ("q",),
        _recorded("crba"),
        _checked("crba"),
    ),
    "bias_force": Quantity(
        "joint forces at zero acceleration: gravity, Coriolis and centrifugal forces",
        ("q", "v"),
        lambda kernels, _, q, v, **options: kernels.rnea(q, v, np.zeros(len(v)), **options),
        _checked("bias_force"),
    ),
    "energy": Quantity(
        "kinetic, gravitational and spring energy",
        ("q", "v"),
        _recorded("energy"),
        _checked_energy,
        forces=True,
    ),
    "equation_forces": Quantity(
        "forces of the equations of motion at zero acceleration: gravity, Coriolis forces, springs and dampers",
        ("q", "v"),
        _equation_forces,
        _checked_equation_forces,
        forces=True,
        moved=True,
    ),
    "momentum": Quantity(
        "angular and linear momentum about the origin of the world, in world axes",
        ("q", "v"),
        lambda kernels, _, *given, **options: kernels.momentum(*given, "world", **options),
        _checked("momentum"),
    ),
    "center_of_mass": Quantity(
        "centre of mass of the moving bodies, in world coordinates",
        ("q",),
        _recorded("center_of_mass"),
        _checked("center_of_mass"),
    ),
    "forward_kinematics": Quantity(
        "poses in the world, 4x4 matrices row by row", ("q",), _poses, _checked_poses, framed=True
    ),
    "jacobian": Quantity(
        "Jacobian of a frame, angular above linear",
        ("q",),
        _of_frame("jacobian"),
        _checked("jacobian"),
        framed=True,
        referred=True,
    ),
    "bias_acceleration": Quantity(
        "acceleration of a frame at zero joint accelerations, angular before linear",
        ("q", "v"),
        _of_frame("bias_acceleration"),
        _checked("bias_acceleration"),
        framed=True,
        referred=True,
    ),
}
"""What `export_function` knows by name."""
