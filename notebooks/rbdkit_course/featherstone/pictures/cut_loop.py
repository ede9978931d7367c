"""A four-bar that is cut at a joint of your choice: another tree, another K, the same motion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import radians

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.loops import LoopConstraint, LoopMotion, loop_constraint, loop_equation, solve_for_forces
from rbdkit.algorithms.rnea import rnea
from rbdkit.figures import Plot
from rbdkit.functions import forward_kinematics
from rbdkit.model.graph import Renumbered, graph_of, regular_numbering, renumbered, spanning_tree
from rbdkit.scene import Arrow, triple
from rbdkit.scene.palette import SPATIAL
from rbdkit.spatial import se3
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.four_bar import MODEL, closed, velocities
from rbdkit_course.featherstone.pictures.framing import framed

JOINTS = ("pin", "rocker_joint", "crank_joint", "coupler_joint")
LONGEST = 0.3  # m of arrow
SCALE = 0.03  # m of arrow for 1 N
IN_FRONT = np.array([0.0, -0.05, 0.0])  # m; there the bars do not hide the arrows
CLOSED = 1e-9  # m


def cut_loop() -> Playground:
    """Choose the joint to leave out of the tree; pull the cut apart."""
    return Playground(
        "Cut where you like",
        [
            Slider("cut at", "", 0, 3, 0, "the joint that is left out of the tree", choices=JOINTS),
            Slider("crank", "°", -180.0, 180.0, 70.0, "its angle over the base", hard=True),
            Slider("speed", "rad/s", -8.0, 8.0, 0.0, "of the crank, counterclockwise", hard=True),
            Slider("torque", "N m", -4.0, 4.0, 1.0, "of a motor at the crank, counterclockwise", hard=True),
            Slider("pull apart", "rad", -0.6, 0.6, 0.25, "turns the last bar of the tree", hard=True),
        ],
        draw,
        scene=framed(MODEL, [-0.3, -0.15, -0.35], [0.65, 0.15, 0.55]),
        height=470,
    )


@dataclass(frozen=True, eq=False)
class Instant:
    """The linkage with one cut, at one instant.

    Attributes
    ----------
    made : Renumbered
        The model with its loop joint at the cut.
    q : ndarray (3,)
        Of its tree joints.
    constraint : LoopConstraint
        K, k and the errors.
    motion : LoopMotion or None
        None where the loop is open.
    turning : dict of str to float
        Angular accelerations of the bars about y, rad/s2; empty where the loop is open.
    """

    made: Renumbered
    q: NDArray
    constraint: LoopConstraint
    motion: LoopMotion | None
    turning: dict[str, float]

    @property
    def gap(self) -> float:
        """Closure error of the loop joint, m."""
        return float(np.linalg.norm(self.constraint.delta))


@cache
def cut_at(joint: str) -> Renumbered:
    """Return the linkage with the given joint as its loop joint."""
    graph = graph_of(MODEL)
    tree = spanning_tree(graph, [arc.name for arc in graph.joints if arc.name != joint])
    return renumbered(MODEL, regular_numbering(tree))


def instant(joint: str, crank: float, speed: float, torque: float, apart: float = 0.0) -> Instant:
    """Solve the equations of motion with a given cut. crank : rad. speed, torque : counterclockwise."""
    made = cut_at(joint)
    q_pin = closed(crank)
    q, v = made.state(q_pin, speed * velocities(q_pin))
    q[-1] += apart
    model, tau = made.model, np.zeros(3)
    constraint = loop_constraint(model, q, v)
    if np.linalg.norm(constraint.delta) > CLOSED:
        return Instant(made, q, constraint, None, {})
    efforts = None
    if joint == "crank_joint":
        efforts = {joint: [-torque]}  # the motor sits at the loop joint; hinges count clockwise
    else:
        tau[model.joint("crank_joint").v_slice] = -torque
    motion = solve_for_forces(loop_equation(model, q, v, tau, tau_loop=efforts))
    a = rnea(model, q, v, motion.qdd).a
    return Instant(made, q, constraint, motion, {model.bodies[i].name: -float(a[i][1]) for i in model.outward})


def draw(cut_at: str, crank: float, speed: float, torque: float, pull_apart: float) -> Picture:
    """The linkage, K of the cut, and the force through the joint that was cut."""
    now = instant(cut_at, radians(crank), speed, torque, pull_apart)
    model = now.made.model
    poses = forward_kinematics(model, now.q).poses
    placed = {body.name: pose @ se3.inverse(now.made.offsets[body.name]) for body, pose in zip(model.bodies, poses)}
    turning = "the loop is open"
    if now.turning:
        turning = ", ".join(f"{now.turning[name]:.4f}" for name in ("crank", "coupler", "rocker"))
    return Picture(
        poses=np.array([placed[body.name] for body in MODEL.bodies]),
        arrows=_arrows(now, poses),
        figure=_figure(now.constraint, [joint.name for joint in model.joints[1:]]),
        readout=[
            ("coordinates of", ", ".join(joint.name for joint in model.joints[1:])),
            ("rank of K", f"{np.linalg.matrix_rank(now.constraint.K, 1e-9)}, with {now.constraint.n_c} rows"),
            ("the loop is open by", f"{1e3 * now.gap:.0f} mm" if now.gap > CLOSED else "nothing"),
            ("angular accelerations", turning),
        ],
        note="Arrows: the force through the joint that was cut, on either bar; only where the loop is closed. "
        "Accelerations of crank, coupler and rocker in rad/s², counterclockwise.",
    )


def _arrows(now: Instant, poses: NDArray) -> list[Arrow]:
    if now.motion is None:
        return []
    loop = now.made.model.loops[0]
    pose = poses[loop.successor]
    at = (pose @ loop.successor_placement)[:3, 3] + IN_FRONT
    force = SCALE * pose[:3, :3] @ now.motion.f[loop.joint.name][3:]
    force *= min(1.0, LONGEST / max(float(np.linalg.norm(force)), 1e-12))
    return [Arrow(0, triple(at), triple(sign * force), color) for sign, color in zip((1, -1), SPATIAL["force"])]


def _figure(constraint: LoopConstraint, joints: list[str]) -> Plot:
    figure = Plot(figsize=(3.9, 2.3), layout="constrained")
    ax = figure.subplots()
    ax.imshow(constraint.K, cmap="RdBu", vmin=-1.2, vmax=1.2, aspect="auto")
    for (i, j), x in np.ndenumerate(constraint.K):
        text, color = ("0", "0.6") if abs(x) < 1e-12 else (f"{x:.3f}", "black")
        ax.text(j, i, text, ha="center", va="center", color=color)
    ax.set_xticks(range(3), [name.removesuffix("_joint") for name in joints])
    ax.set_yticks(range(constraint.n_c), rows_of(constraint))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_title(f"K, with the loop cut at {constraint.names[0].removesuffix('_joint')}", fontsize=10)
    return figure


def rows_of(constraint: LoopConstraint) -> list[str]:
    """Name the motion that each row of a loop joint forbids: a shift along an axis, or a turn about one."""
    words = []
    for column in constraint.T[0].T:
        turn, push = np.abs(column[:3]), np.abs(column[3:])
        words.append(f"shift {'xyz'[push.argmax()]}" if push.max() > 1e-9 else f"turn {'xyz'[turn.argmax()]}")
    return words
