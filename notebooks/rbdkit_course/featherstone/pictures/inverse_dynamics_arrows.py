"""Velocities, accelerations and forces of an arm as inverse dynamics finds them, and what joint forces are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import RneaResult, coriolis_force, gravity_force, inverse_dynamics_delta, rnea
from rbdkit.figures import Plot
from rbdkit.library.right_angle_arm import right_angle_arm
from rbdkit.model import Model
from rbdkit.scene import Arrow, spatial_arrows
from rbdkit.scene.palette import LINES
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.answers import call, numbers

SHOWN = ("velocities", "accelerations", "forces", "body 2 alone")
SCALES = {"velocities": (0.1, 0.3), "accelerations": (0.015, 0.025), "forces": (0.03, 0.01)}
"""Length of the arrow, m, for one unit of the angular and of the linear part."""
GRAVITY = ("on", "off")
FREE_BODY = {"parent": LINES[0], "child": LINES[3], "weight": LINES[1], "net": LINES[2]}
TERMS = {"inertia": LINES[0], "velocity": LINES[2], "gravity": LINES[1]}


@dataclass(frozen=True)
class Taken:
    """tau split into the terms of accelerations, velocities and gravity, and all intermediate results of RNEA."""

    terms: dict[str, NDArray]
    result: RneaResult


def inverse_dynamics_arrows(own: Callable[..., Any] | None = None) -> Playground:
    """Move an arm of three hinges: arrows on its bodies, bars for the joint forces.

    own: a function ``(model, q, qd, qdd) -> tau`` that makes the bars and numbers, in place of the library's.
    """
    return Playground(
        "What the joints must do",
        [
            Slider("show", "", 0, 3, 2, "what the arrows are", choices=SHOWN),
            Slider("gravity", "", 0, 1, 0, choices=GRAVITY),
            Slider("q2", "rad", -3.14, 3.14, 0.7, "angle of the second joint"),
            Slider("q3", "rad", -3.14, 3.14, 1.0, "angle of the third joint"),
            Slider("rate 1", "rad/s", -5.0, 5.0, 3.0, "of the first joint, which is upright"),
            Slider("rate 2", "rad/s", -5.0, 5.0, 0.0),
            Slider("rate 3", "rad/s", -5.0, 5.0, -4.0),
            Slider("acc 2", "rad/s²", -20.0, 20.0, 10.0, "acceleration of the second joint"),
        ],
        draw if own is None else partial(draw, own=own),
        scene=arm(True),
        height=460,
        tour=[
            (
                "Hold still",
                {"show": SHOWN[2], "gravity": "on", "rate 1": 0.0, "rate 2": 0.0, "rate 3": 0.0, "acc 2": 0.0},
                "Nothing moves, and only gravity's bars are left.",
            ),
            ("Take gravity away", {"gravity": "off"}, "Now nothing asks for anything: all torques are zero."),
            (
                "Swing",
                {"gravity": "on", "rate 1": 3.0, "rate 3": -4.0, "acc 2": 10.0},
                "The first joint carries the largest moment, and its motor does next to nothing of it.",
            ),
            (
                "Cut the middle body free",
                {"show": SHOWN[3]},
                "What its neighbours do to it and its weight add up to the green arrow, and that accelerates it.",
            ),
        ],
    )


@lru_cache
def arm(heavy: bool) -> Model:
    """Build an arm of three hinges at right angles, with or without gravity."""
    model = right_angle_arm("RRR", length=0.4, seed=5)
    return model if heavy else model.with_parameters({"gravity": np.zeros(3)})


def taken_apart(model: Model, q: NDArray, qd: NDArray, qdd: NDArray, own: Callable[..., Any] | None = None) -> Taken:
    """Compute the three terms of tau separately, and RNEA's intermediate results."""
    result = rnea(model, q, qd, qdd)
    if own is not None:
        free, still = arm(False), np.zeros(3)
        given = {
            "inertia": (free, q, still, qdd),
            "velocity": (free, q, qd, still),
            "gravity": (model, q, still, still),
        }
        terms = {name: own_forces(own, *arguments) for name, arguments in given.items()}
        return Taken(terms, replace(result, tau=own_forces(own, model, q, qd, qdd)))
    terms = {
        "inertia": inverse_dynamics_delta(model, q, qdd),
        "velocity": coriolis_force(model, q, qd),
        "gravity": gravity_force(model, q),
    }
    return Taken(terms, result)


def own_forces(own: Callable[..., Any], *given: Any) -> NDArray:
    """Call a student's function; return zeros if its result cannot be drawn."""
    result, fault = call(own, *given)
    found = None if fault else numbers(result[0] if isinstance(result, tuple) else result, 3)
    return np.zeros(3) if found is None else found


def draw(
    show: str,
    gravity: str,
    q2: float,
    q3: float,
    rate1: float,
    rate2: float,
    rate3: float,
    acc2: float,
    own: Callable[..., Any] | None = None,
) -> Picture:
    """The arm with arrows, and the bars."""
    model = arm(gravity == "on")
    q, qd, qdd = np.array([0.0, q2, q3]), np.array([rate1, rate2, rate3]), np.array([0.0, acc2, 0.0])
    taken = taken_apart(model, q, qd, qdd, own)
    tau = taken.result.tau
    return Picture(
        q=q,
        arrows=free_body(model, taken.result) if show == SHOWN[3] else arrows_of(model, taken.result, show),
        figure=bars(taken),
        readout=[(f"τ{k}", f"{x:.2f} N m") for k, x in enumerate(tau, 1)] + [("power τ · q̇", f"{tau @ qd:.2f} W")],
        note=NOTES[show]
        if gravity == "on" or show != "accelerations"
        else "Without gravity these are true accelerations.",
    )


NOTES = {
    "velocities": "At each centre of mass: angular velocity (two heads) and velocity of the point.",
    "accelerations": "At each joint: angular and linear part of the spatial acceleration. The base seems to rise with "
    "g, and every body with it.",
    "forces": "At each joint: moment (two heads) and force that the parent exerts. Only the part along the axis is the "
    "motor's; the bearing holds the rest.",
    "body 2 alone": "Forces on the middle body: from its parent (blue), back from its child (red), its weight "
    "(orange). Green is their sum, which accelerates it.",
}


def arrows_of(model: Model, result: RneaResult, show: str) -> list[Arrow]:
    """Draw the spatial vectors of all bodies: velocities at the centres of mass, the others at the joints."""
    kind = "force" if show == "forces" else "motion"
    vectors = {"velocities": result.v, "accelerations": result.a, "forces": result.f}[show]
    arrows: list[Arrow] = []
    for body in model.bodies[1:]:
        at = None if show != "velocities" or body.inertia is None else body.inertia.com
        arrows += spatial_arrows(body.index, vectors[body.index], kind, SCALES[show], at)  # type: ignore[arg-type]
    return arrows


def free_body(model: Model, result: RneaResult) -> list[Arrow]:
    """Draw the forces on body 2 where they act (Featherstone 2008, Fig 5.1), and their sum at its centre of mass."""
    forces = forces_on_body_2(model, result)
    body = model.bodies[2]
    assert body.inertia is not None
    places = {"parent": np.zeros(3), "child": model.joints[3].placement[:3, 3]}
    scale = SCALES["forces"][1]
    return [
        Arrow(2, tuple(places.get(name, body.inertia.com)), tuple(scale * force), FREE_BODY[name])
        for name, force in forces.items()
        if np.linalg.norm(force) > 1e-9
    ]


def forces_on_body_2(model: Model, result: RneaResult) -> dict[str, NDArray]:
    """Return forces (3,) in coordinates of body 2: f_2, the reaction of body 3, the weight, and their sum."""
    weight = model.I[2][5, 5] * (result.X[2] @ result.X[1])[:3, :3] @ model.gravity
    parent, child = result.f[2, 3:], -(result.X[3].T @ result.f[3])[3:]
    return {"parent": parent, "child": child, "weight": weight, "net": parent + child + weight}


def bars(taken: Taken) -> Plot:
    """Draw the terms of each joint force side by side, and their sum as a line."""
    figure = Plot(figsize=(3.6, 2.3), layout="constrained")
    ax = figure.subplots()
    for k, (name, color) in enumerate(TERMS.items()):
        ax.bar(np.arange(3) + 0.24 * (k - 1), taken.terms[name], 0.22, color=color, label=name)
    for j, x in enumerate(taken.result.tau):
        ax.plot([j - 0.38, j + 0.38], [x, x], color="#000000", linewidth=1.5, label="sum" if j == 0 else None)
    ax.axhline(0.0, color="#000000", linewidth=0.6)
    ax.set_xticks(range(3), ["τ1", "τ2", "τ3"])
    ax.set_ylabel("N m", fontsize=8)
    ax.tick_params(labelsize=8)
    ax.spines[["top", "right", "bottom"]].set_visible(False)
    ax.legend(fontsize=7, frameon=False, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0), handlelength=1.0,
              columnspacing=0.8)  # fmt: skip
    return figure
