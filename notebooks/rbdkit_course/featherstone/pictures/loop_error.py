"""A loop that is only held by accelerations drifts open; stabilization takes errors back, at a rate of your choice."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rbdkit.figures import Plot
from rbdkit.functions import forward_kinematics
from rbdkit.scene.ghost import with_ghost
from rbdkit.scene.palette import GROUND, LINES
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.four_bar import LOST, MODEL, Drift, drift
from rbdkit_course.featherstone.pictures.framing import framed

STEPS = {"10 ms": 0.01, "20 ms": 0.02}
DURATION = 5.0  # s
TIMES = np.geomspace(0.002, 2.0, 25)
"""Values of T_stab that are simulated, s."""


def loop_error() -> Playground:
    """Slide the time constant; the ghost is the linkage without stabilization."""
    return Playground(
        "A loop that is held by accelerations",
        [
            Slider("T_stab", "s", float(TIMES[0]), float(TIMES[-1]), 0.5, "in which errors fade", hard=True, log=True),
            Slider("step", "", 0, 1, 0, "of the integrator, RK4", choices=tuple(STEPS)),
            Slider("time", "s", 0.0, DURATION, DURATION, hard=True),
        ],
        draw,
        scene=with_ghost(framed(MODEL, [-0.3, -0.15, -0.45], [0.8, 0.15, 0.5])),
        height=430,
    )


@lru_cache(maxsize=4)
def motions(step: float) -> Drift:
    """Simulate without stabilization, and with each of the time constants."""
    return drift([np.inf, *TIMES], step, DURATION)


def draw(T_stab: float, step: str, time: float) -> Picture:
    """The linkage at that time, its loop error over time, and the largest error over T_stab."""
    found = motions(STEPS[step])
    mine = 1 + int(np.abs(np.log(TIMES / T_stab)).argmin())
    now = int(np.abs(found.t - time).argmin())
    poses = [forward_kinematics(MODEL, found.q[now, k]).poses for k in (mine, 0)]
    return Picture(
        poses=np.concatenate(poses),
        figure=_figure(found, mine, now),
        readout=[
            ("nearest T_stab that is computed", f"{TIMES[mine - 1]:.2g} s"),
            ("T_stab / step", f"{TIMES[mine - 1] / STEPS[step]:.2g}"),
            (f"loop error at {found.t[now]:.2f} s", _length(found.gap[now, mine])),
            ("the same without stabilization", _length(found.gap[now, 0])),
        ],
        note="Blue: stabilized. Grey, and faint in the picture: not. Below the largest error of the second half of "
        "the run for every T_stab; where it ends on the left the linkage came apart.",
    )


def worst(found: Drift) -> np.ndarray:
    """Return the largest closure error (n,) in the second half of each run, m; nan where the loop came apart."""
    return np.max(found.gap[len(found.t) // 2 :], axis=0)


def _length(gap: float) -> str:
    if not gap < LOST:
        return "came apart"
    return f"{1e3 * gap:.1f} mm" if gap > 1e-4 else f"{1e6 * gap:.2g} µm"


def _figure(found: Drift, mine: int, now: int) -> Plot:
    figure = Plot(figsize=(4.0, 3.6), layout="constrained")
    top, bottom = figure.subplots(2)
    for k, color in ((0, GROUND), (mine, LINES[0])):
        top.semilogy(found.t, np.maximum(found.gap[:, k], 1e-12), color=color, linewidth=1.2)
    top.axvline(found.t[now], color=GROUND, linewidth=0.8)
    top.set(xlabel="t (s)", ylabel="loop error (m)", ylim=(1e-9, 1.0), xlim=(0.0, DURATION))
    largest = worst(found)
    bottom.loglog(TIMES, largest[1:], ".-", color=LINES[0], linewidth=1.0, markersize=3)
    bottom.axhline(largest[0] if np.isfinite(largest[0]) else LOST, color=GROUND, linewidth=1.2)
    bottom.axvline(TIMES[mine - 1], color=LINES[1], linewidth=1.2)
    bottom.set(xlabel="T_stab (s)", ylabel="largest (m)", ylim=(1e-6, 1.0), xlim=(TIMES[0] / 1.1, TIMES[-1] * 1.1))
    for ax in (top, bottom):
        ax.grid(alpha=0.3)
        ax.spines[["top", "right"]].set_visible(False)
    return figure
