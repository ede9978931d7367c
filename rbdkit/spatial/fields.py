"""From spatial vectors to points of the body and back: velocity fields, moments, point forces."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.spatial.so3 import skew


def velocity_at(v: ArrayLike, points: ArrayLike) -> NDArray:
    """Velocity of the body points that are now at `points`: v_P = v_O + w x OP (Featherstone Eq 2.1).

    Parameters
    ----------
    v : array (6,)
        Spatial velocity (w, v_O).
    points : array (..., 3)
        m, in the same frame.

    Returns
    -------
    array (..., 3), m/s
    """
    v = np.asarray(v, dtype=float)
    return v[3:] + np.cross(v[:3], np.asarray(points, dtype=float))


def moment_about(f: ArrayLike, points: ArrayLike) -> NDArray:
    """Moment of a spatial force f (6,) about `points` (..., 3): n_P = n_O + f x OP (Eq 2.6), N m."""
    f = np.asarray(f, dtype=float)
    return f[:3] + np.cross(f[3:], np.asarray(points, dtype=float))


def velocity_field(
    v: ArrayLike, lower: ArrayLike = (-1.0, -1.0, -1.0), upper: ArrayLike = (1.0, 1.0, 1.0), n: int | ArrayLike = 5
) -> tuple[NDArray, NDArray]:
    """The velocity field of Eq 2.5 on a regular grid, ready to be drawn as arrows.

    Parameters
    ----------
    v : array (6,)
        Spatial velocity.
    lower, upper : array (3,)
        Corners of the sampled box, m.
    n : int or three of them
        Points along each edge.

    Returns
    -------
    points, velocities : arrays (n^3, 3)
    """
    corners = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float), np.broadcast_to(n, 3)
    edges = [np.linspace(a, b, int(k)) for a, b, k in zip(*corners)]
    points = np.stack(np.meshgrid(*edges, indexing="ij"), axis=-1).reshape(-1, 3)
    return points, velocity_at(v, points)


def material_jacobian(x: ArrayLike) -> NDArray:
    """Gamma = [skew(x)^T, 1] (..., 3, 6): body twist to the velocity of body point x (..., 3), in body axes.

    For the velocity in world axes multiply by the rotation, J = R Gamma (Sueda Eq 1.12).  J^T takes a point force in
    world axes to the wrench on the body (Sueda Eq 1.13).
    """
    x = np.asarray(x, dtype=float)
    gamma = np.zeros(x.shape[:-1] + (3, 6))
    gamma[..., :3] = -skew(x)
    gamma[..., 3:] = np.eye(3)
    return gamma


def point_force(force: ArrayLike, point: ArrayLike) -> NDArray:
    """Spatial force [P x f; f] of a force (3,) in N on the line through `point` (3,) in m."""
    f = np.asarray(force, dtype=float)
    return np.concatenate([np.cross(np.asarray(point, dtype=float), f), f])
