"""A free box in six speeds of points: its motion, and what a larger cube of points makes of the same motion."""

from __future__ import annotations

from functools import partial

import numpy as np

from rbdkit.errors import RbdkitError
from rbdkit.figures import Plot
from rbdkit.formulations import LocalVelocity
from rbdkit.formulations.local_velocity import Projection
from rbdkit.library import tumbling_box, tumbling_box_state
from rbdkit.library.holzinger import MOMENTS
from rbdkit.scene.palette import AXES, LINES
from rbdkit.simulation import Motion, simulate
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground

SPIN, ASIDE = 20.0, 0.05
"""Angular velocity about the chosen axis, and about the others, rad/s."""


def tumbling() -> Playground:
    """Moments of a box, the axis that it is spun about, and how far apart the six points are."""
    return Playground(
        "A free box",
        [
            *(Slider(f"J{k}", "kg m²", 1.0, 8.0, J, hard=True) for k, J in enumerate(MOMENTS, 1)),
            Slider("spin about", "", 0, 2, 2, choices=("1", "2", "3")),
            Slider("half edge", "m", 0.2, 3.0, 1.0, "of the cube of points", hard=True),
        ],
        draw,
        tour=[
            ("Spin it about axis 3", {"spin about": "3"}, "The moment in the middle: it turns over, again and again."),
            ("About axis 1", {"spin about": "1"}, "The largest moment: nothing happens."),
            ("About axis 2", {"spin about": "2"}, "The smallest: nothing either."),
            (
                "Points twice as far apart",
                {"spin about": "3", "half edge": 2.0},
                "On the right all speeds are twice as large; on the left nothing has changed.",
            ),
        ],
    )


def run(moments: tuple[float, float, float], axis: int, half_edge: float) -> Motion:
    """Simulate a box spun about one of its axes (0 to 2) for two seconds, in the six speeds of points of a cube."""
    start = np.full(3, ASIDE)
    start[axis] = SPIN
    points = Projection.hexahedral(half_edge, half_edge, half_edge)
    formulation = partial(LocalVelocity, projection=points)
    state = tumbling_box_state(start)
    motion = simulate(tumbling_box(moments), *state, 2.0, 1e-3, formulation=formulation, progress=False)
    assert isinstance(motion, Motion)  # as of every formulation
    return motion


def draw(J1: float, J2: float, J3: float, spin_about: str, half_edge: float) -> Picture:
    """Angular velocity and the six speeds over time."""
    moments = J1, J2, J3
    if 2 * max(moments) >= sum(moments):
        raise RbdkitError("no body has such moments: the largest must be less than the sum of the others")
    axis = int(spin_about) - 1
    motion = run(moments, axis, half_edge)
    figure = Plot(figsize=(8.4, 3.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    for k in range(3):
        left.plot(motion.t, motion.v[:, k], color=AXES[k], linewidth=1.2, label=rf"$\Omega_{k + 1}$")
    for k in range(6):
        style = "-" if k % 2 == 0 else "--"
        right.plot(motion.t, motion.w[:, k], style, color=LINES[k // 2], linewidth=1.0, label=f"$w_{k + 1}$")
    for ax, label in ((left, "angular velocity (rad/s)"), (right, "w (m/s)")):
        ax.set(xlabel="t (s)", ylabel=label)
        ax.legend(ncols=2, fontsize="small", frameon=False)
        ax.grid(alpha=0.3)
        ax.spines[["top", "right"]].set_visible(False)
    about = motion.v[:, axis]
    place = ("smallest", "middle", "largest")[sorted(moments).index(moments[axis])]
    return Picture(
        figure=figure,
        readout=[
            ("moment about the axis", f"the {place}"),
            ("spin about it", f"{about.min():+.1f} to {about.max():+.1f} rad/s"),
            ("largest speed of a point", f"{np.abs(motion.w).max():.2f} m/s"),
        ],
        note="The centre of mass rests, so both points of a pair have the same speed.",
    )
