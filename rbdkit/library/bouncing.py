"""Balls that fall, swing and pile up: restitution and nothing else."""

from __future__ import annotations

import numpy as np

from rbdkit.errors import ModelError
from rbdkit.joints import Free, Revolute
from rbdkit.library.mueller_terze import Start
from rbdkit.library.ready import ready, ready_up_to
from rbdkit.model import Capsule, Geometry, Model, Sphere
from rbdkit.spatial import se3
from rbdkit.spatial.inertia import Inertia


@ready
def bouncing_ball(height: float = 1.0, restitution: float = 0.8, radius: float = 0.1) -> Start:
    """A ball that is dropped on the ground: its bounces are a geometric series.

    Parameters
    ----------
    height : float, optional
        Of the gap below it, m.
    restitution : float, optional
        0 to 1.
    radius : float, optional
        m.

    Returns
    -------
    Start

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model, q, v = rbd.library.bouncing_ball(height=0.5)
    >>> [round(contact.phi, 9) for contact in rbd.contacts(model, q, margin=1.0)]
    [0.5]
    """
    model = Model("bouncing ball")
    ball = Geometry(Sphere(radius), color=(0.88, 0.28, 0.24))
    model.add_body("ball", joint=Free(), inertia=Inertia.sphere(radius, mass=1.0), geometry=ball)
    model.add_ground(friction=0.0, restitution=restitution)
    return Start(model, model.integrate(model.neutral(), [0, 0, 0, 0, 0, radius + height]), np.zeros(6))


@ready_up_to(balls=10_000)
def newtons_cradle(balls: int = 5, lifted: float = 0.6, gap: float | None = None, restitution: float = 1.0) -> Start:
    """Steel balls that hang in a row, the first one lifted; each has its neighbour close by.

    With gaps the blow goes from ball to ball and only the last one leaves: however small they are under law 'rigid',
    and where a ball needs more than a step to cross them under the default law, which solves for all impulses of a
    step at once. Without any, these laws find another answer, which keeps momentum and, under 'rigid', energy as well;
    law 'impulse' needs no gaps.

    Parameters
    ----------
    balls : int, optional
        How many.
    lifted : float, optional
        Angle of the first one, rad.
    gap : float, optional
        Between balls at rest, m. If not given, what the first ball goes in 2 ms when it meets the second one: two steps
        of the default length.
    restitution : float, optional
        0 to 1.

    Returns
    -------
    Start

    Raises
    ------
    ModelError
        If there are fewer than two balls or the gap is negative.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> len(rbd.library.newtons_cradle(5).model.contact_pairs)
    4
    """
    radius, length = 0.025, 0.3
    model = Model("Newton's cradle")
    if gap is None:
        drop = length * (1.0 - np.cos(lifted))
        gap = 2e-3 * float(np.sqrt(2.0 * np.linalg.norm(model.gravity) * drop))
    if balls < 2 or not gap >= 0.0:
        raise ModelError(f"a cradle needs two balls or more and gaps that are not negative, not {balls} and {gap}")
    steel = Inertia.sphere(radius, mass=0.5).transformed(se3.pose(position=[0.0, 0.0, -length]))
    shapes = [
        Geometry(Sphere(radius), se3.pose(position=[0.0, 0.0, -length]), (0.72, 0.74, 0.78), collide=True),
        Geometry(Capsule(0.001, length), se3.pose(position=[0.0, 0.0, -length / 2]), (0.4, 0.4, 0.4)),
    ]
    for i in range(balls):
        at = [(2.0 * radius + gap) * (i - (balls - 1) / 2.0), 0.0, length + 2.0 * radius]
        model.add_body(f"ball{i + 1}", "world", Revolute("y"), at, steel, shapes)
    for i in range(1, balls):
        model.add_contact(f"ball{i}", f"ball{i + 1}", friction=0.0, restitution=restitution)
    q = np.zeros(balls)
    q[0] = lifted
    return Start(model, q, np.zeros(balls))


@ready
def ball_pit(balls: int = 100, radius: float = 0.05, friction: float = 0.3, seed: int = 0) -> Start:
    """Balls in a box without a lid, above each other in loose layers: they fall and fill it.

    Parameters
    ----------
    balls : int, optional
        How many.
    radius : float, optional
        Of each, m.
    friction : float, optional
        Coulomb's coefficient, everywhere.
    seed : int, optional
        Of where they start.

    Returns
    -------
    Start

    Raises
    ------
    ModelError
        If there is no ball.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.ball_pit(10).model
    >>> len(model.contact_pairs)  # 10 balls, ground and four walls; and 45 pairs of balls
    95
    """
    if balls < 1:
        raise ModelError(f"a pit of {balls} balls: there must be one at least")
    rng = np.random.default_rng(seed)
    side = max(2, round(np.cbrt(balls)))
    half = side * 1.3 * radius
    model = Model("ball pit")
    inertia = Inertia.sphere(radius, density=500.0)
    colors = ((0.88, 0.28, 0.24), (0.13, 0.63, 0.42), (0.23, 0.46, 0.91), (0.95, 0.74, 0.25))
    for i in range(balls):
        model.add_body(
            f"ball{i + 1}", joint=Free(), inertia=inertia, geometry=Geometry(Sphere(radius), color=colors[i % 4])
        )
    model.add_ground(friction=friction)
    for name, normal in (("left", [1, 0, 0]), ("right", [-1, 0, 0]), ("front", [0, 1, 0]), ("back", [0, -1, 0])):
        model.add_ground(friction=friction, normal=normal, height=-half, name=name)
    model.add_contacts(friction=friction)
    step = np.zeros((balls, 6))
    for i in range(balls):
        layer, place = divmod(i, side**2)
        x, y = divmod(place, side)
        grid = (np.array([x, y]) - (side - 1) / 2.0) * 2.6 * radius + rng.uniform(-0.25, 0.25, 2) * radius
        step[i, 3:] = [*grid, (1.2 + 2.4 * layer) * radius]
    return Start(model, model.integrate(model.neutral(), step.ravel()), np.zeros(6 * balls))
