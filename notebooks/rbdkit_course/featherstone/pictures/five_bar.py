"""Motors for a five-bar: joints that can drive it, poses where they fail, and internal forces if there are too many."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.loops import actuated_freedoms, closed_loop_inverse_dynamics
from rbdkit.errors import StateError
from rbdkit.figures import Plot
from rbdkit.functions import forward_kinematics
from rbdkit.library import two_arms
from rbdkit.scene import Arrow, triple
from rbdkit.scene.palette import LINES
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.framing import framed

JOINTS = ("left_shoulder", "left_elbow", "right_shoulder", "right_elbow")
MOTORS = {
    "both shoulders": (0, 2),
    "left shoulder": (0,),
    "left shoulder and elbow": (0, 1),
    "shoulders and left elbow": (0, 2, 1),
    "all four": (0, 1, 2, 3),
}
UPPER, FORE, BASE = 0.3, 0.4, 0.3  # m
FEET = np.array([[0.0, 0.0], [BASE, 0.0]])
SCALE = 0.1  # m of arrow for 1 N m
X, Z = np.linspace(-0.45, 0.75, 97), np.linspace(0.02, 0.7, 69)  # m, of the map


def five_bar() -> Playground:
    """Drag the tip; choose the motors."""
    return Playground(
        "Motors for a five-bar",
        [
            Slider("x", "m", float(X[0]), float(X[-1]), 0.28, "of the tip; or drag it", hard=True),
            Slider("z", "m", float(Z[0]), float(Z[-1]), 0.5, "of the tip; or drag it", hard=True),
            Slider("motors at", "", 0, 4, 0, "which joints are driven", choices=tuple(MOTORS)),
            Slider("preload", "N m", -4.0, 4.0, 0.0, "added where it changes no motion", hard=True),
        ],
        draw,
        scene=framed(MODEL, [-0.5, -0.15, -0.3], [0.8, 0.15, 0.75]),
        height=470,
        on_drag=dragged,
    )


def dragged(pose: NDArray) -> dict[str, float]:
    """Return the position of the tip for a handle at a pose, clipped to the map."""
    return {"x": float(np.clip(pose[0, 3], X[0], X[-1])), "z": float(np.clip(pose[2, 3], Z[0], Z[-1]))}


def draw(x: float, z: float, motors_at: str, preload: float) -> Picture:
    """The linkage with its tip there, held against its weight by these motors."""
    q = coordinates([x, z])
    motors = MOTORS[motors_at]
    driven = actuated_freedoms(MODEL, q, motors)
    rest = np.zeros(4)
    try:
        held = closed_loop_inverse_dynamics(MODEL, q, rest, rest, actuated=motors)
        u = held.u + (held.free[:, 0] * preload if held.free.shape[1] else 0.0)
        torques = ", ".join(f"{torque:+.2f}" for torque in u) + " N m"
    except StateError:
        u, torques = np.zeros(len(motors)), "cannot hold it"
    handle = np.eye(4)
    handle[:3, 3] = x, 0.0, z
    poses = forward_kinematics(MODEL, q).poses
    where = [poses[i][:3, 3] for i in range(1, 5)]
    return Picture(
        poses=poses,
        arrows=[
            Arrow(0, triple(where[j]), (0.0, float(np.clip(SCALE * torque, -0.4, 0.4)), 0.0), LINES[1], "turning")
            for j, torque in zip(motors, u, strict=True)
        ],
        figure=_figure(x, z, motors_at),
        readout=[
            ("motors, freedoms, rank of G_u", f"{len(motors)}, {driven.mobility}, {driven.rank}"),
            ("actuation", _kind(driven.kind, driven.condition)),
            ("best : worst direction", f"{driven.condition:.1f}" if driven.condition < 1e4 else "∞"),
            ("torques against the weight", torques),
        ],
        note="Orange: the motors' torques. Bright on the map: all directions of the tip are driven alike. Black: "
        "one of them is not driven at all.",
        handle=handle,
    )


def coordinates(tip: ArrayLike) -> NDArray:
    """Return q (4,) with the tip at a place (2,), x and z in m; in closed form."""
    at = np.asarray(tip, dtype=float)
    turned = _angles(np.asarray(MODEL_TIP)) - _angles(at)  # hinges turn clockwise
    q = np.array([turned[0], turned[1] - turned[0], turned[2], turned[3] - turned[2]])
    return (q + np.pi) % (2.0 * np.pi) - np.pi


def evenness(motors: tuple[int, ...]) -> NDArray:
    """Return smallest over largest singular value of G_u on the map (len(Z), len(X)); nan beyond an arm's reach."""
    tips = np.stack(np.meshgrid(X, Z), axis=-1).reshape(-1, 2)
    elbows, reached = zip(*(_elbows(tips, foot, left) for foot, left in zip(FEET, (True, False))))
    arms = [tips - FEET[0], tips - elbows[0], FEET[1] - tips, elbows[1] - tips]
    K = np.stack([np.stack([arm[:, 1], -arm[:, 0]], axis=-1) for arm in arms], axis=-1)  # (k, 2, 4)
    good = reached[0] & reached[1]
    G = np.swapaxes(np.linalg.svd(K[good])[2][:, 2:], 1, 2)
    s = np.linalg.svd(G[:, list(motors)], compute_uv=False)
    even = np.full(len(tips), np.nan)
    even[good] = s[:, 1] / s[:, 0] if len(motors) > 1 else 0.0
    return even.reshape(len(Z), len(X))


_map = cache(evenness)


def _elbows(tips: NDArray, foot: NDArray, left: bool) -> tuple[NDArray, NDArray]:
    """Return the elbows (k, 2) of one arm for k tips, and whether it reaches them (k,)."""
    way = tips - foot
    d = np.maximum(np.hypot(*way.T), 1e-9)
    cosine = (d**2 + UPPER**2 - FORE**2) / (2.0 * d * UPPER)
    turn = np.arccos(np.clip(cosine, -1.0, 1.0)) * (1.0 if left else -1.0)
    angle = np.arctan2(way[:, 1], way[:, 0]) + turn
    return foot + UPPER * np.stack([np.cos(angle), np.sin(angle)], axis=-1), np.abs(cosine) <= 1.0


def _angles(tip: NDArray) -> NDArray:
    """Return the angles of left upper arm and forearm, right upper arm and forearm, rad, counterclockwise."""
    left, right = two_arms.five_bar_elbows(tip, UPPER, FORE, BASE)
    bars = np.array([left - FEET[0], tip - left, right - FEET[1], tip - right])
    return np.asarray(np.arctan2(bars[:, 1], bars[:, 0]))


MODEL_TIP = (0.5 * BASE, UPPER + 0.4 * FORE)
MODEL = two_arms.five_bar(BASE, UPPER, FORE, tip=MODEL_TIP)


def _kind(kind: str, condition: float) -> str:
    if kind == "proper":
        return "proper" if condition < 30.0 else "proper, but nearly singular"
    return {"under": "too few motors", "redundant": "redundant"}.get(kind, kind)


def _figure(x: float, z: float, motors_at: str) -> Plot:
    figure = Plot(figsize=(3.7, 2.5), layout="constrained")
    ax = figure.subplots()
    drawn = ax.pcolormesh(X, Z, _map(MOTORS[motors_at]), cmap="inferno", vmin=0.0, vmax=1.0, rasterized=True)
    ax.plot(x, z, "o", color="white", markeredgecolor="black")
    ax.plot(*FEET.T, "s", color=LINES[0])
    ax.set(xlabel="x of the tip (m)", ylabel="z (m)", aspect="equal")
    figure.colorbar(drawn, ax=ax, label="worst : best", shrink=0.8)
    ax.spines[["top", "right"]].set_visible(False)
    return figure
