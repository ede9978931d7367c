"""Detect functions with memory, which return another value when called again at the same state.

A run calls tau and f_ext several times a step, and the report once more; a controller with an integral term, say, would
count all of these calls.
"""

from __future__ import annotations

import numpy as np

from rbdkit.integrators import Adaptive, Integrator
from rbdkit.laws import Law as ContactLaw
from rbdkit.simulation.compiled import least_evaluations
from rbdkit.simulation.forces import Drive, TracedForce
from rbdkit.simulation.short_forces import is_pure, states_of
from rbdkit.simulation.trajectory import Trajectory

ALIKE = 1e-9
"""Difference, relative to the largest value, up to which two values are equal but for round-off."""


def with_memory(motion: Trajectory, applied: Drive) -> list[str]:
    """Return which of 'tau' and 'f_ext' return another value when called again at the same state.

    Functions that are known to depend on t, q and v alone are not called.
    """
    found = []
    laws = (
        (applied.what, applied.function, applied.law),
        ("f_ext", motion.f_ext, getattr(motion.f_ext, "function", None)),
    )
    for what, force, law in laws:
        if force is None or law is None or isinstance(force, TracedForce) or len(motion) < 2 or is_pure(law):
            continue
        try:
            rows, q, v = states_of(motion)
            first, other = ((motion.t[rows[k]], q[k], v[k]) for k in (0, -1))
            before, _, after = force(*first), force(*other), force(*first)
        except Exception:
            continue  # it may fail at the last state, where it may have ended the run
        size = ALIKE * float(np.max(np.abs(before), initial=0.0))
        if not np.allclose(before, after, rtol=0.0, atol=size, equal_nan=True):
            found.append(what)
    return found


def memory_text(what: list[str], method: Integrator | Adaptive | ContactLaw) -> str:
    """Return the alarm text for functions with memory, and how to call such a function once per step."""
    names = " and ".join(what)
    several = least_evaluations(method)
    often = f"{method.name!r} asks {several} times a step, at states between the steps too, and " if several > 1 else ""
    return (
        f"{names} gives other values when asked again at the same state, so it keeps something from call to call. "
        f"{often}this report asked once more: neither the step nor the energy is judged, and forces of the trajectory "
        "are what it says now. To ask it once a period and hold what it says: tau=rbdkit.Sampled(controller, period)"
    )
