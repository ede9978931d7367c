"""Functions that keep something from call to call: a run asks them oftener than once a step, and a report once more."""

from __future__ import annotations

import numpy as np

from rbdkit.integrators import Adaptive, Integrator
from rbdkit.laws import Law as ContactLaw
from rbdkit.simulation.compiled import least_evaluations
from rbdkit.simulation.forces import Drive, TracedForce
from rbdkit.simulation.short_forces import is_pure, states_of
from rbdkit.simulation.trajectory import Trajectory

ALIKE = 1e-9
"""Of the largest value: less is round-off of code that computes one state in more than one way."""


def with_memory(motion: Trajectory, applied: Drive) -> list[str]:
    """Which of 'tau' and 'f_ext' gives another value when it is asked again at the same state.

    Only functions that are not seen to depend on t, q and v alone are asked.
    """
    found = []
    laws = ("tau", applied.function, applied.law), ("f_ext", motion.f_ext, getattr(motion.f_ext, "function", None))
    for what, force, law in laws:
        if force is None or law is None or isinstance(force, TracedForce) or len(motion) < 2 or is_pure(law):
            continue
        try:
            rows, q, v = states_of(motion)
            first, other = ((motion.t[rows[k]], q[k], v[k]) for k in (0, -1))
            before, _, after = force(*first), force(*other), force(*first)
        except Exception:
            continue  # it is asked at the last state, where a run may have ended
        size = ALIKE * float(np.max(np.abs(before), initial=0.0))
        if not np.allclose(before, after, rtol=0.0, atol=size, equal_nan=True):
            found.append(what)
    return found


def memory_text(what: list[str], method: Integrator | Adaptive | ContactLaw) -> str:
    """What that means for a motion, and how to ask such a function once a step."""
    names = " and ".join(what)
    several = least_evaluations(method)
    often = f"{method.name!r} asks {several} times a step, at states between the steps too, and " if several > 1 else ""
    return (
        f"{names} gives other values when asked again at the same state, so it keeps something from call to call. "
        f"{often}this report asked once more: neither the step nor the energy is judged, and forces of the trajectory "
        "are what it says now. To ask it once a step and hold what it says, take steps one by one: "
        "u = controller(t, q, v), then rbdkit.simulate(model, q, v, duration=dt, dt=dt, tau=u)"
    )
