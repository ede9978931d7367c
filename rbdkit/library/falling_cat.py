"""The cat that turns over in the air: two halves that bend at the waist without twisting."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rbdkit.joints import Free, JointType, Prescribed, Spherical
from rbdkit.library.ready import ready
from rbdkit.model import Box, Capsule, Cone, Geometry, Model, Sphere
from rbdkit.spatial import quaternion, se3
from rbdkit.spatial.inertia import Inertia

HALF, RADIUS, MASS = 0.28, 0.08, 2.0
"""Length (m), radius (m) and mass (kg) of each half, a cylinder about x."""
FUR, PAWS = (0.55, 0.45, 0.36), (0.93, 0.89, 0.82)
_X = np.array([1.0, 0.0, 0.0])
_ALONG_X = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])

Motion = Callable[[float], tuple[NDArray, NDArray, NDArray]]


@ready
def falling_cat(motion: Motion | None = None) -> Model:
    """Two equal cylinders that meet at a ball joint, the waist; the front half floats (Kane and Scher, 1969).

    x points to the nose, and the paws are on the side of -z.

    Parameters
    ----------
    motion : callable, optional
        Of the waist, as `Prescribed` takes it, for example `waist_motion`; without it the joint is free.

    Returns
    -------
    Model

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.falling_cat(rbd.library.waist_motion())
    <Model 'falling cat': 2 bodies, 1 moving joint, nq=7, nv=6, 4 kg>
    """
    model = Model("falling cat")
    rotation = se3.pose(_ALONG_X)
    half = Inertia.cylinder(RADIUS, HALF, mass=MASS)
    front, rear = (se3.pose(position=[sign * 0.5 * HALF, 0.0, 0.0]) for sign in (1.0, -1.0))
    trunk = Geometry(Capsule(0.95 * RADIUS, HALF - RADIUS), color=FUR)
    head = np.array([HALF + 0.5 * RADIUS, 0.0, 0.4 * RADIUS])
    face = [Geometry(Sphere(0.8 * RADIUS), se3.pose(position=head), color=FUR)]
    face += [_ear(head + np.array([0.0, side * 0.45 * RADIUS, 0.8 * RADIUS])) for side in (-1.0, 1.0)]
    tail = Geometry(Capsule(0.2 * RADIUS, 2.0 * RADIUS),
                    se3.pose(_ALONG_X, [-HALF - 1.2 * RADIUS, 0.0, 0.5 * RADIUS]), color=FUR)  # fmt: skip
    waist: JointType = Spherical() if motion is None else Prescribed(Spherical(), motion)
    model.add_body("front", "world", Free(), None, half.transformed(front @ rotation),
                   [_at(trunk, front), *_legs(0.62 * HALF), *face], joint_name="float")  # fmt: skip
    model.add_body("rear", "front", waist, None, half.transformed(rear @ rotation),
                   [_at(trunk, rear), *_legs(-0.62 * HALF), tail], joint_name="waist")  # fmt: skip
    return model


@ready
def waist(bend: float, toward: float) -> NDArray:
    """Quaternion of the waist when it is bent by an angle towards a direction round the trunk, without twist; rad.

    Parameters
    ----------
    bend : float
        rad.
    toward : float
        Direction round the trunk, rad.

    Returns
    -------
    ndarray (4,)
        Scalar first.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> float(rbd.library.waist(2 * np.pi / 3, 0.3)[0].round(9))
    0.5
    """
    return quaternion.exp(bend * np.array([0.0, np.cos(toward), np.sin(toward)]))


@ready
def waist_motion(bend: float = 1.3203, duration: float = 0.5, turns: float = 1.0) -> Motion:
    """The manoeuvre: bend the waist, let the bend run round the trunk, stretch; everything smooth.

    Parameters
    ----------
    bend : float, optional
        rad; the default turns the cat over.
    duration : float, optional
        s; afterwards the cat stays as it is.
    turns : float, optional
        How often the bend runs round.

    Returns
    -------
    callable
        Function of time that gives quaternion, angular velocity and its rate, as `Prescribed` wants them.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> motion = rbd.library.waist_motion(duration=0.5)
    >>> [part.shape for part in motion(0.25)]
    [(4,), (3,), (3,)]
    """

    def motion(t: float) -> tuple[NDArray, NDArray, NDArray]:
        s = t / duration
        up, down, around = smooth_step(s / 0.2), smooth_step((s - 0.8) / 0.2), smooth_step((s - 0.2) / 0.6)
        b, db, ddb = (bend * (p - m) / (0.2 * duration) ** k for k, (p, m) in enumerate(zip(up, down, strict=True)))
        psi, dpsi, ddpsi = (2 * np.pi * turns * x / (0.6 * duration) ** k for k, x in enumerate(around))
        axis, across = np.array([0.0, np.cos(psi), np.sin(psi)]), np.array([0.0, -np.sin(psi), np.cos(psi)])
        q = waist(b, psi)
        x = quaternion.to_matrix(q).T @ _X  # nose of the front half, seen from the rear one
        omega = dpsi * (x - _X) + db * axis
        rate = ddpsi * (x - _X) - dpsi * np.cross(omega, x) + ddb * axis + db * dpsi * across
        return q, omega, rate

    return motion


@ready
def cat_roll(bend: float, slenderness: float | None = None) -> float:
    """Angle (rad) by which one run of the bend turns a cat without angular momentum about its long direction.

    Both halves turn about their own axes as fast as the bend runs round, and the whole must turn the other way: with
    half the bend, alpha, it turns by ``2 pi (rho cos(alpha) / (rho cos(alpha)^2 + sin(alpha)^2) - 1)``.

    Parameters
    ----------
    bend : float
        rad.
    slenderness : float, optional
        Rho, moment of inertia of a half about its axis through that across it; the model's if not given.

    Returns
    -------
    float
        rad.

    Examples
    --------
    The bend that turns a cat over, by half a turn:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> round(abs(rbd.library.cat_roll(1.3203)) / np.pi, 3)
    1.0
    """
    if slenderness is None:
        along, across = 0.5 * RADIUS**2, (3.0 * RADIUS**2 + HALF**2) / 12.0
        slenderness = along / across
    c, s = np.cos(0.5 * bend), np.sin(0.5 * bend)
    return float(2 * np.pi * (slenderness * c / (slenderness * c**2 + s**2) - 1.0))


def smooth_step(s: float) -> tuple[float, float, float]:
    """0 before 0, 1 after 1, twice continuously differentiable between; value and first two derivatives."""
    s = min(max(s, 0.0), 1.0)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s * s), 30.0 * (s * (1.0 - s)) ** 2, 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)


def _legs(x: float) -> list[Geometry]:
    """Two paws below the trunk."""
    size = (0.4 * RADIUS, 0.4 * RADIUS, 1.3 * RADIUS)
    places = [se3.pose(position=[x, side * 0.6 * RADIUS, -1.3 * RADIUS]) for side in (-1.0, 1.0)]
    return [Geometry(Box(size), place, color=PAWS) for place in places]


def _ear(place: NDArray) -> Geometry:
    return Geometry(Cone(0.25 * RADIUS, 0.5 * RADIUS), se3.pose(position=place), color=FUR)


def _at(trunk: Geometry, place: NDArray) -> Geometry:
    return Geometry(trunk.shape, place @ se3.pose(_ALONG_X), color=trunk.color)
