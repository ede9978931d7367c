"""Lookup of integrators, formulations and contact laws by the names, or users' own objects, that a run is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from reprlib import repr as shortened
from typing import Any

from rbdkit.errors import SimulationError
from rbdkit.formulations import FORMULATIONS, Force, Formulation
from rbdkit.integrators import INTEGRATORS, Adaptive, FromStep, Integrator, OneStep
from rbdkit.integrators.adaptive import SOLVERS
from rbdkit.laws import LAWS, Law
from rbdkit.model import Model
from rbdkit.model.numbering import did_you_mean
from rbdkit.simulation.asking import require_function

NEEDED = ("name", "order", "requires", "init", "step")
"""Attributes that an integrator must have."""
SEMI_IMPLICIT, STIFF = "'symplectic_euler'", "'radau' (which is adaptive) or 'linearly_implicit_euler'"
SECOND = "'implicit_midpoint', 'variational' (both keep energy in bounds), 'symplectic_euler' or 'heun'"
ELSEWHERE = {
    "backward_euler": STIFF,
    "bdf": STIFF,
    "euler": "'explicit_euler' or 'symplectic_euler' (whose energy stays in bounds)",
    "forward_euler": "'explicit_euler'",
    "implicit_euler": STIFF,
    "implicitfast": STIFF,
    "leapfrog": SECOND,
    "midpoint": "'implicit_midpoint' or 'heun'",
    "newmark": "'generalized_alpha' or 'implicit_midpoint'",
    "ode15s": STIFF,
    "ode23": "'rk23'",
    "ode45": "'rk45' or 'dop853' (for small tolerances)",
    "rk": "'rk4'",
    "rk8": "'dop853'",
    "runge_kutta": "'rk4'",
    "runge_kutta4": "'rk4'",
    "semi_implicit": SEMI_IMPLICIT,
    "semi_implicit_euler": SEMI_IMPLICIT,
    "stormer_verlet": SECOND,
    "velocity_verlet": SECOND,
    "verlet": SECOND,
}
"""What stands here for the integrators of other libraries, by their names in small letters."""
DEFAULT = "time_stepping"
"""The contact law if none is named."""

Maker = Callable[[Model, Force | None, Force | None], Formulation]
"""A function of (model, tau, f_ext) that returns a formulation, for instance a class of `rbdkit.formulations`."""
Contact = str | Law | bool | None
"""Values of the argument `contact` of `simulate`: a name, a law, False or 'none' for no contacts, None for the
default."""


@cache
def _adaptive(name: Any) -> Adaptive:
    """Return the adaptive integrator of a name, the same object each time, so that compiled runs can be reused."""
    return Adaptive(name)


def integrator_of(integrator: str | Integrator | Adaptive) -> Integrator | Adaptive:
    """Return the integrator of a name; an object with `step` is returned as it is, or wrapped in `FromStep`."""
    if isinstance(integrator, str) and integrator in INTEGRATORS:
        return INTEGRATORS[integrator]
    if isinstance(integrator, str) and integrator in SOLVERS:
        return _adaptive(integrator)
    if isinstance(integrator, type):
        raise SimulationError(f"integrator {integrator.__name__} is a class; give an object, {integrator.__name__}()")
    if isinstance(integrator, Adaptive) or all(hasattr(integrator, name) for name in NEEDED):
        return integrator  # type: ignore[return-value]
    if callable(getattr(integrator, "step", None)) and hasattr(integrator, "order"):
        return FromStep(integrator)
    names = (*INTEGRATORS, *SOLVERS)
    if isinstance(integrator, OneStep):
        raise SimulationError(f"integrator {type(integrator).__name__} has no step(system, state, h)")
    known = ", ".join(map(repr, names))
    theirs = ELSEWHERE.get(_plain(integrator)) if isinstance(integrator, str) else None
    hint = f"; did you mean {theirs}?" if theirs else _nearest(integrator, names)
    raise SimulationError(f"integrator {shortened(integrator)} is unknown; there are {known}{hint}")


def _nearest(given: Any, names: Iterable[str]) -> str:
    """Return a hint at the name that an unknown one resembles; empty if none does, as all are listed anyway."""
    if isinstance(given, str) and _plain(given) in names:
        return f"; did you mean {_plain(given)!r}?"
    hint = did_you_mean(given, names) if isinstance(given, str) else ""
    return hint if "did you mean" in hint else ""


def _plain(name: str) -> str:
    """Return a name in small letters, with underscores."""
    return name.lower().replace("-", "_").replace(" ", "_")


def maker_of(formulation: str | Maker) -> Maker:
    """Return the function that makes the formulation of this name; a function is returned as it is."""
    if isinstance(formulation, str) and formulation in FORMULATIONS:
        return FORMULATIONS[formulation]
    if isinstance(formulation, str) or not callable(formulation):
        known = ", ".join(map(repr, FORMULATIONS))
        raise SimulationError(
            f"formulation {shortened(formulation)} is unknown; there are {known}, and functions of (model, tau, f_ext)"
            f"{_nearest(formulation, FORMULATIONS)}"
        )
    require_function("formulation", formulation, "model, tau, f_ext")
    return formulation


def law_of(contact: Contact) -> Law | None:
    """Return the contact law that the argument `contact` stands for; None if contacts are switched off.

    Raises
    ------
    SimulationError
        If there is no such law.
    """
    if contact is None or contact is True:
        contact = DEFAULT
    if contact is False or (isinstance(contact, str) and contact == "none"):
        return None
    if isinstance(contact, Law):
        return contact
    if isinstance(contact, type) and issubclass(contact, Law):
        raise SimulationError(f"contact {contact.__name__} is a class; give an object, {contact.__name__}()")
    if isinstance(contact, str) and contact in LAWS:
        return LAWS[contact]()
    names = (*LAWS, "none")
    known = ", ".join(map(repr, names))
    raise SimulationError(
        f"contact law {shortened(contact)} is unknown; there are {known}, and objects of rbdkit.laws"
        f"{_nearest(contact, names)}"
    )
