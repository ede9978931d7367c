"""Move the arm of a satellite and the satellite moves: no momentum at any time, and yet it ends up turned."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.floating_base import FloatingState, base_velocity, to_fixed_state, to_floating_base
from rbdkit.figures import Plot
from rbdkit.functions import center_of_mass, forward_kinematics, momentum
from rbdkit.library.satellite_with_arm import satellite_with_arm
from rbdkit.model import Model
from rbdkit.scene import scene_of
from rbdkit.scene.palette import GROUND, LINES
from rbdkit.spatial import se3, so3
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit.widgets.view import reaching

START = (0.0, 0.5, 0.9)
"""Initial angles of yaw, shoulder and elbow, rad."""
STEP = 0.04
"""Largest change of an angle in one step, rad: the midpoint rule then loses about 1e-5 of the turn."""


class Drift:
    """Pose of a satellite's hull while its arm is moved, at zero total momentum.

    Attributes
    ----------
    model
        The satellite.
    q : ndarray (3,)
        Angles of the arm.
    pose : ndarray (4, 4)
        Of the hull.
    path
        The angles so far, in order.
    h : ndarray (6,)
        Momentum in the last step, computed body by body.
    """

    def __init__(self, model: Model | None = None, q: NDArray | None = None) -> None:
        self.model = satellite_with_arm() if model is None else model
        self.system = to_floating_base(self.model)
        self.q = np.array(START if q is None else q, dtype=float)
        self.pose, self.h, self.path = np.eye(4), np.zeros(6), [self.q]

    def move(self, q: NDArray) -> None:
        """Move the arm straight to these angles; the hull reacts: v_0 = -(I_0c)^-1 F qd at the middle of each step."""
        steps = int(np.ceil(np.max(np.abs(q - self.q)) / STEP))
        dq = (q - self.q) / max(steps, 1)
        for _ in range(steps):
            middle = self.q + 0.5 * dq
            v_0 = base_velocity(self.system, middle, dq)
            state = FloatingState(self.pose @ se3.exp(0.5 * v_0), middle, v_0, dq)
            self.h = momentum(self.model, *to_fixed_state(state))
            self.pose = self.pose @ se3.exp(v_0)
            self.q = self.q + dq
            self.path.append(self.q)

    @property
    def coordinates(self) -> NDArray:
        """q of the model, the hull's first."""
        return to_fixed_state(FloatingState(self.pose, self.q, np.zeros(6), np.zeros(3)))[0]

    @property
    def turned(self) -> float:
        """Angle of the hull's turn since the start, rad."""
        return float(np.linalg.norm(so3.log(self.pose[:3, :3])))


def satellite_reaction() -> Playground:
    """An arm to move on a satellite that nothing holds."""
    drift = Drift()
    origin = center_of_mass(drift.model, drift.coordinates)

    def draw(yaw: float, shoulder: float, elbow: float) -> Picture:
        drift.move(np.array([yaw, shoulder, elbow]))
        q = drift.coordinates
        moved = np.linalg.norm(drift.pose[:3, 3])
        return Picture(
            poses=forward_kinematics(drift.model, q).poses,
            figure=path_figure(np.array(drift.path)),
            readout=[
                ("hull turned by", f"{np.rad2deg(drift.turned):.2f}°"),
                ("hull moved by", f"{100 * moved:.2f} cm"),
                ("centre of mass moved by", f"{_small(center_of_mass(drift.model, q) - origin)} m"),
                ("momentum, all bodies", f"{_small(drift.h[3:])} kg m/s"),
                ("angular momentum", f"{_small(drift.h[:3])} kg m²/s"),
            ],
            note="Go round a loop: move the shoulder, then the elbow, then the shoulder back, then the elbow. The arm "
            "is where it was; the hull is not.",
        )

    reach = np.tile(drift.coordinates, (8, 1))
    reach[:, -3:] = np.random.default_rng(0).uniform(-2.0, 2.0, (8, 3))
    scene = reaching(scene_of(drift.model, drift.coordinates, trails=[]), forward_kinematics(drift.model, reach).poses)
    sliders = [
        Slider(name, "rad", -most, most, start, tip)
        for name, most, start, tip in (
            ("yaw", 2.5, START[0], "turns the arm about the mast"),
            ("shoulder", 2.0, START[1], "swings the whole arm"),
            ("elbow", 2.5, START[2], "folds the arm"),
        )
    ]
    return Playground("An arm in free fall", sliders, draw, scene=scene, height=420)


def path_figure(path: NDArray) -> Plot:
    """Draw the path of the arm in the plane of shoulder and elbow angles."""
    figure = Plot(figsize=(3.4, 2.5), layout="constrained")
    ax = figure.subplots()
    ax.plot(path[:, 1], path[:, 2], color=LINES[0], linewidth=1.6)
    ax.plot(*path[0, 1:], "o", color=GROUND, markersize=7)
    ax.plot(*path[-1, 1:], "o", color=LINES[1], markersize=7)
    ax.set(xlabel="shoulder (rad)", ylabel="elbow (rad)", xlim=(-2.1, 2.1), ylim=(-2.6, 2.6))
    ax.grid(alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    return figure


def _small(vector: NDArray) -> str:
    """Format a length that is zero but for round-off, so that its size is seen."""
    length = float(np.linalg.norm(vector))
    return "0" if length == 0.0 else f"{length:.0e}"
