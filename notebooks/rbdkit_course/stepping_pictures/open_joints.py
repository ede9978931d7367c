"""Drift of joints and energy in body formulations on different Lie groups."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rbdkit.figures import Plot
from rbdkit.formulations import ConstrainedBodies
from rbdkit.library import floating_pair, heavy_top, spherical_double_pendulum
from rbdkit.model import Model
from rbdkit.scene.palette import ENERGY, LINES
from rbdkit.simulation import Motion, SimulationWarning, simulate
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

GROUPS = {"se3": "SE(3)", "so3xr3": "SO(3) × R³", "bodywise": "body by body"}
METHODS = ("explicit_euler", "heun", "rk3", "rk4", "rk5")
EXAMPLES = {
    "double pendulum": (spherical_double_pendulum, ("joint1", "joint2")),
    "floating pair": (floating_pair, ("joint2",)),
    "heavy top": (heavy_top, ("pivot",)),
}
Start = tuple[Model, NDArray, NDArray]


def your_own_top() -> Playground:
    """A heavy top without gravity: spin, step and method, on two groups."""
    return Playground(
        "Does the pivot stay closed?",
        [
            Slider("spin y", "π rad/s", -30.0, 30.0, 20.0),
            Slider("spin z", "π rad/s", -30.0, 30.0, 10.0, "about its own axis"),
            Slider("step", "ms", 0.1, 5.0, 1.0, hard=True, log=True),
            Slider("method", "", 0, len(METHODS) - 1, 3, choices=METHODS),
        ],
        _top,
        tour=[
            (
                "The paper's top",
                {"spin y": 20.0, "spin z": 10.0, "step": 1.0, "method": "rk4"},
                "On SE(3) the pivot stays closed to round-off, on the other group it opens.",
            ),
            ("Half the step", {"step": 0.5}, "Sixteen times less on the right. On the left there was nothing to gain."),
            ("A poor method", {"method": "heun", "step": 1.0}, "Worse on the right; on the left it stays closed."),
        ],
    )


def which_opens() -> Playground:
    """Three examples on three groups: which joint opens, and by how much."""
    return Playground(
        "Which joint opens?",
        [
            Slider("example", "", 0, len(EXAMPLES) - 1, 0, choices=tuple(EXAMPLES)),
            Slider("step", "ms", 0.1, 5.0, 1.0, hard=True, log=True),
            Slider("seconds", "s", 0.2, 4.0, 1.0, hard=True),
        ],
        _example,
        tour=[
            (
                "The double pendulum",
                {"example": "double pendulum", "step": 1.0, "seconds": 1.0},
                "Its first joint sits on the ground: closed on SE(3), open on SO(3) × R³. The second opens on both.",
            ),
            ("The heavy top", {"example": "heavy top"}, "One joint, on the ground: SE(3) has it closed."),
            (
                "Two bodies that float",
                {"example": "floating pair"},
                "No joint on the ground any more, and SE(3) opens it, too, if only half as wide.",
            ),
        ],
    )


def run(start: Start, group: str, duration: float, h: float, method: str = "rk4") -> Motion:
    """Simulate a motion on a Lie group, with steps of h seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # poor methods and long steps are on offer
        motion = simulate(*start, duration=duration, dt=h, formulation=group, integrator=method, progress=False)
    assert isinstance(motion, Motion)  # as of every formulation
    return motion


def gaps(motion: Motion, joint: str) -> NDArray:
    """Return the closure error of a joint at each time, m, a column for each direction."""
    assert isinstance(motion.system, ConstrainedBodies)
    return motion.system.joint_error(motion.x, joint)


def opened(motion: Motion, joint: str) -> float:
    """Return the largest closure error of a joint, m."""
    return float(np.linalg.norm(gaps(motion, joint), axis=-1).max())


def picture(
    start: Start, joints: Sequence[str], groups: Sequence[str], duration: float, h: float, method: str
) -> Picture:
    """A row of diagrams for each joint and one for the energy, a column for each group."""
    motions = {group: run(start, group, duration, h, method) for group in groups}
    figure = Plot(figsize=(8.4, 1.7 * len(joints) + 2.0), layout="constrained")
    axes = figure.subplots(len(joints) + 1, len(groups), sharex=True, squeeze=False)
    readout = []
    for column, (group, motion) in zip(axes.T, motions.items(), strict=True):
        for ax, joint in zip(column, joints, strict=False):
            error = gaps(motion, joint)
            for k in range(error.shape[-1]):
                ax.plot(motion.t, error[:, k], color=LINES[k % len(LINES)], linewidth=0.9)
            ax.set_ylabel(f"{joint}: g (m)", fontsize=8)
            readout.append((f"{joint} on {GROUPS[group]}", f"{opened(motion, joint):.1e} m"))
        total = motion.energy().total
        column[-1].plot(motion.t, total - total[0], color=ENERGY["total"], linewidth=0.9)
        column[-1].set(xlabel="t (s)")
        column[-1].set_ylabel("energy drift (J)", fontsize=8)
        column[0].set_title(GROUPS[group], fontsize="medium")
        readout.append((f"energy on {GROUPS[group]}", f"{np.ptp(total):.1e} J"))
    for ax in axes.flat:
        ax.grid(alpha=0.3)
        ax.ticklabel_format(axis="y", style="sci", scilimits=(-2, 3))
    stopped = next((each.report.stopped for each in motions.values() if each.report and each.report.stopped), "")
    return Picture(figure=figure, readout=readout, note=stopped or "Look at the scales: each diagram has its own.")


def _top(spin_y: float, spin_z: float, step: float, method: str) -> Picture:
    start = heavy_top((0.0, 0.0, 0.0), omega=np.pi * np.array([0.0, spin_y, spin_z]))
    return picture(start, ["pivot"], ["se3", "so3xr3"], 0.5, 1e-3 * step, method)


def _example(example: str, step: float, seconds: float) -> Picture:
    make, joints = EXAMPLES[example]
    return picture(make(), joints, list(GROUPS), seconds, 1e-3 * step, "rk4")
