"""Figures of motions in directors after Gebhardt and Romero: momenta, energy, the path of d3 on the unit sphere.

Numbers of figures are those of their paper, "The rotating rigid body model based on a non-twisting frame".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from rbdkit.figures.figure import Plot
from rbdkit.formulations import Directors
from rbdkit.formulations.directors.turning import triad
from rbdkit.scene.palette import AXES, ENERGY, GROUND, LINES
from rbdkit.simulation import Motion

SIZE = (8.4, 2.9)


def momenta(motion: Motion) -> tuple[NDArray, NDArray]:
    """Return spatial and material components, (n, 3) each, of the angular momentum of a motion, kg m2/s."""
    assert isinstance(motion.system, Directors)
    pi = motion.system.angular_momentum(motion.x, motion.w)
    return pi, (pi[:, None, :] @ triad(motion.x))[:, 0, :]


def momentum_figure(motion: Motion) -> Plot:
    """Draw spatial (left) and material (right) components of the angular momentum over time (Figs 1, 4, 7)."""
    figure, axes = _pair()
    names = (r"$\pi_%d$", r"$\Pi_%d$")
    for ax, components, name in zip(axes, momenta(motion), names, strict=True):
        for k in range(3):
            ax.plot(motion.t, components[:, k], color=AXES[k], label=name % (k + 1), linewidth=1.0)
        _legend_above(ax)
    axes[0].set_ylabel("angular momentum (kg m²/s)")
    axes[0].set_title("in space", fontsize="medium", loc="left")
    axes[1].set_title("in the body", fontsize="medium", loc="left")
    return figure


def energy_figure(motion: Motion, t: ArrayLike, quotients: Mapping[str, ArrayLike]) -> Plot:
    """Draw kinetic energy (left) and second precision quotients, by name, over times t (right) (Figs 2, 5, 8).

    A method of second order has quotients near 4, where a line is drawn.
    """
    figure, (left, right) = _pair()
    left.plot(motion.t, motion.energy().kinetic, color=ENERGY["kinetic"])
    left.set_ylabel("K (J)")
    left.set_ylim(0.0, 1.15 * float(np.max(motion.energy().kinetic)))
    right.axhline(4.0, color=GROUND, linewidth=0.8)
    for color, (name, Q) in zip(LINES, quotients.items(), strict=False):
        right.plot(t, Q, ".-", color=color, label=name, markersize=3, linewidth=1.0)
    right.set_ylim(2.0, 6.0)
    right.set_ylabel("second quotient")
    if len(quotients) > 1:
        right.legend(fontsize="small")
    return figure


def sphere_figure(paths: Mapping[str, ArrayLike], triads: ArrayLike | None = None, width: float = 4.6) -> Plot:
    """Draw paths (n, 3) of points on the unit sphere, by name (Figs 3, 6, 9).

    Parameters
    ----------
    paths : mapping of str to array_like (n, 3)
        Points of each path; its far side is drawn faintly.
    triads : array_like (k, 3, 3), optional
        Triads, directors as columns; the first two of each are drawn at the tip of the third.
    width : float, optional
        Width and height of the figure, inches.
    """
    figure = Plot(figsize=(width, width))
    ax: Any = figure.add_axes((0.0, 0.0, 1.0, 1.0), projection="3d")
    a, b = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 49), np.linspace(0.0, np.pi, 25))
    ball = np.sin(b) * np.cos(a), np.sin(b) * np.sin(a), np.cos(b)
    ax.plot_surface(*ball, color=GROUND, alpha=0.10, linewidth=0.0)
    ax.plot_wireframe(*ball, color=GROUND, alpha=0.15, linewidth=0.5, rstride=4, cstride=6)
    view = _towards(np.concatenate([np.asarray(path, dtype=float) for path in paths.values()]))
    eye = np.array([np.cos(view[0]) * np.cos(view[1]), np.cos(view[0]) * np.sin(view[1]), np.sin(view[0])])
    for color, (name, path) in zip(LINES, paths.items(), strict=False):
        p = np.asarray(path, dtype=float)
        behind = p @ eye < 0.0
        ax.plot(*np.where(behind, np.nan, p.T), color=color, label=name, linewidth=1.6)
        ax.plot(*np.where(behind, p.T, np.nan), color=color, alpha=0.35, linewidth=1.2)
        ax.plot(*p[:1].T, "o", color=color, markersize=5)
    for R in [] if triads is None else np.asarray(triads, dtype=float):
        for k in (0, 1):
            ax.plot(*np.stack([R[:, 2], R[:, 2] + 0.22 * R[:, k]]).T, color=AXES[k], linewidth=1.6)
    ax.view_init(*np.degrees(view))
    ax.set_axis_off()
    ax.set(xlim=(-1.0, 1.0), ylim=(-1.0, 1.0), zlim=(-1.0, 1.0))
    ax.set_box_aspect((1.0, 1.0, 1.0), zoom=1.35)
    if len(paths) > 1:
        ax.legend(loc="upper left", fontsize="small")
    return figure


def component_figure(motions: Mapping[str, Motion], k: int, late: float = 4.0) -> Plot:
    """Draw component k (1, 2, 3) of d3 over time, of motions by name; right: from `late` (s) on (Figs 10 to 12)."""
    figure, axes = _pair()
    for ax, start in zip(axes, (0.0, late), strict=True):
        for color, (name, motion) in zip(LINES, motions.items(), strict=False):
            shown = motion.t >= start
            ax.plot(motion.t[shown], motion.x[shown, 5 + k], color=color, label=name, linewidth=1.0)
    axes[0].set_ylabel(f"d3, component {k}")
    _legend_above(axes[1])
    return figure


def _legend_above(ax: Axes) -> None:
    ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, fontsize="small", frameon=False, borderpad=0.0)


def _pair() -> tuple[Plot, list[Axes]]:
    figure = Plot(figsize=SIZE, layout="constrained")
    axes = list(figure.subplots(1, 2))
    for ax in axes:
        ax.grid(alpha=0.3)
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_xlabel("t (s)")
    return figure, axes


def _towards(points: NDArray) -> tuple[float, float]:
    """Choose elevation and azimuth, rad, of a view with the paths (n, 3) in front and circles seen as open ellipses."""
    middle = points.mean(axis=0)
    _, axes = np.linalg.eigh((points - middle).T @ (points - middle))
    across, along = (axis * np.sign(axis @ np.array([0.9, -0.5, 0.7])) for axis in (axes[:, 0], axes[:, 2]))
    x, y, z = 2.0 * middle + 0.5 * across + 0.7 * along
    return float(np.clip(np.arctan2(z, np.hypot(x, y)), -0.3, 0.7)), float(np.arctan2(y, x))
