"""Effort limits of joints: joint forces that are cut to them, as by a motor's amplifier, and what a report says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import SimulationError
from rbdkit.model import Model
from rbdkit.model.kept import kept
from rbdkit.simulation.asking import require_function
from rbdkit.simulation.controls import controls_in
from rbdkit.simulation.forces import Torque
from rbdkit.simulation.sampled import Sampled
from rbdkit.simulation.traced_forces import Traced, Untraced
from rbdkit.simulation.trajectory import Trajectory
from rbdkit.simulation.variables import position_unit, variable_name

EFFORTS = ("watch", "clip")
"""Values of the argument `effort`: tell of effort limits that are passed, or cut joint forces to them."""
SHOWN = 3
"""Largest number of joints that a report lists."""


def most_effort(model: Model) -> NDArray:
    """Return the largest force or torque along each velocity variable (nv,), N or N m; inf where there is no limit.

    That of a mimic joint is none of its master's: how the effort is shared between them is not known.
    """
    return kept(model, _most_effort)


def _most_effort(model: Model) -> NDArray:
    most = np.full(model.nv, np.inf)
    for joint in model.joints:
        if joint.mimic is None:
            most[joint.v_slice] = joint.limits.effort
    return most


def cut(model: Model, tau: Torque) -> Torque:
    """Return joint forces, as `simulate` takes them, cut to the effort limits of the joints."""
    most = most_effort(model)
    if tau is None or not np.isfinite(most).any():
        return tau
    if controls_in(tau) is not None:
        raise SimulationError(
            "effort='clip' cuts tau, and in sweeps and pictures controls u that are a function become a part of it; "
            "give the actuators limits of their own in place of it"
        )
    if isinstance(tau, Sampled):
        return Sampled(_CutController(tau.controller, most), tau.period)
    if isinstance(tau, Traced | Untraced):
        inner: Any = cut(model, tau.function)
        return Traced(inner) if isinstance(tau, Traced) else Untraced(inner, tau.why)
    if callable(tau):
        require_function("tau", tau)
        return _cut_law(tau, most)
    values = np.asarray(tau)
    if values.shape[-1:] != (model.nv,) or values.dtype.kind not in "fiu":
        return tau  # refused where it is read
    return np.clip(values, -most, most)


def _cut_law(law: Callable[..., Any], most: NDArray) -> Callable[..., Any]:
    def within(t: float, q: NDArray, v: NDArray) -> Any:
        return _within(law(t, q, v), most)

    if hasattr(law, "breaks"):
        within.breaks = law.breaks  # type: ignore[attr-defined]
    return within


def _within(values: Any, most: NDArray) -> Any:
    """Return joint forces cut to limits; what has another shape is returned as it is, and refused where it is read."""
    return np.clip(values, -most, most) if np.shape(values) == most.shape else values


class _CutController:
    """A sampled controller whose output is cut; it begins anew only if that can."""

    def __init__(self, controller: Callable[..., Any], most: NDArray) -> None:
        self.controller, self.most = controller, most
        if callable(reset := getattr(controller, "reset", None)):
            self.reset = reset

    def __call__(self, t: float, q: NDArray, v: NDArray) -> Any:
        return _within(self.controller(t, q, v), self.most)


def cut_text(motion: Trajectory, driven: bool) -> str:
    """Return which joint forces of a motion are at their limits, and for how long, as a line of a report.

    driven : whether controls of actuators are part of them, which are not cut.
    """
    model = motion.model
    most = most_effort(model)
    if motion.tau is None or not np.isfinite(most).any():
        return ""
    if driven:
        return "efforts tau are cut to the limits of joints, what actuators add is not"
    with np.errstate(invalid="ignore"):
        at = np.abs(motion.tau) >= most * (1.0 - 1e-12)
    lasts = np.diff(motion.t) @ at[:-1]
    found = [
        f"{variable_name(model, k)} at {most[k]:.4g} {'N' if position_unit(model, k) == 'm' else 'N m'} for "
        f"{lasts[k]:.3g} s, first at t = {motion.t[np.argmax(at[:, k])]:.4g} s"
        for k in np.argsort(-lasts, kind="stable").tolist()
        if at[:, k].any()
    ]
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return "efforts tau are cut to the limits of joints: " + (", ".join(found[:SHOWN]) + more or "none was reached")
