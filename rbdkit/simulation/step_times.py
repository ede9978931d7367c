"""The times at which the steps of a run begin and end."""

from __future__ import annotations

from reprlib import repr as shortened
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.errors import SimulationError


def step_times(duration: float, dt: float) -> NDArray:
    """Return the times of steps of length dt, s, from 0 to `duration`; the last step may be shorter."""
    duration, dt = _seconds("duration", duration), _seconds("dt", dt)
    whole = duration / dt
    if whole > 1e8:
        raise SimulationError(f"duration {duration} s in steps of {dt} s are {whole:.3g} steps; take a longer dt")
    steps = round(whole) if abs(whole - round(whole)) < 1e-9 * max(whole, 1.0) else int(np.ceil(whole))
    times = dt * np.arange(max(steps, 1) + 1)
    times[-1] = duration
    return times


def _seconds(name: str, value: Any) -> float:
    try:
        seconds = np.nan if isinstance(value, str | bytes) else float(value)
    except (TypeError, ValueError, OverflowError):
        seconds = np.nan
    if not (np.isfinite(seconds) and seconds > 0.0):
        raise SimulationError(f"{name} = {shortened(value)} must be a positive number of seconds")
    return seconds
