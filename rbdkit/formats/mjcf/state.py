"""States between MuJoCo's coordinates and rbdkit's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import StateError
from rbdkit.formats.mjcf.joints import BALL, FREE
from rbdkit.formats.mjcf.reading import poses
from rbdkit.joints import Free
from rbdkit.spatial import quaternion
from rbdkit.spatial.read_numbers import floats


def from_mujoco_state(mj_model: Any, qpos: ArrayLike, qvel: ArrayLike | None = None) -> tuple[NDArray, NDArray]:
    """Coordinates and velocities of the model that `load_mujoco` makes, from those of MuJoCo.

    Coordinates of hinges and slides count from ``mj_model.qpos0``, and so do the pose of a free joint, whose quaternion
    comes before its position here. Its velocity is (omega, v) in the body's own axes here, (v, omega) in MuJoCo, with v
    along the world's axes.

    Parameters
    ----------
    mj_model : mujoco.MjModel
        The compiled model.
    qpos : array_like (nq,)
        Coordinates; quaternions may have any length but zero.
    qvel : array_like (nv,), optional
        Velocities; zeros if not given.

    Returns
    -------
    q : ndarray (nq,)
        Coordinates, rad and m.
    v : ndarray (nv,)
        Velocities, rad/s and m/s.

    Raises
    ------
    StateError
        If an array has another shape, or a quaternion is zero.

    Examples
    --------
    A keyframe of a file as initial state:

    >>> import mujoco
    >>> import rbdkit as rbd
    >>> from rbdkit.formats import from_mujoco_state
    >>> compiled = mujoco.MjModel.from_xml_string('''
    ...     <mujoco><worldbody><body pos="0 0 1"><joint axis="0 1 0"/><geom size="0.1"/></body></worldbody>
    ...     <keyframe><key name="up" qpos="3.1"/></keyframe></mujoco>''')
    >>> q, v = from_mujoco_state(compiled, compiled.key("up").qpos)
    >>> q.tolist(), v.tolist()
    ([3.1], [0.0])
    """
    m = mj_model
    qpos, qvel = _vector(qpos, m.nq, "qpos"), _vector(np.zeros(m.nv) if qvel is None else qvel, m.nv, "qvel")
    q, v = qpos - m.qpos0, qvel.copy()
    for kind, a, d in zip(m.jnt_type.tolist(), m.jnt_qposadr.tolist(), m.jnt_dofadr.tolist(), strict=True):
        if kind == BALL:
            q[a : a + 4] = _unit(qpos[a : a + 4])
        elif kind == FREE:
            here, zero = _pose(qpos[a : a + 3], qpos[a + 3 : a + 7]), _pose(m.qpos0[a : a + 3], m.qpos0[a + 3 : a + 7])
            q[a : a + 7] = Free().project(_inverse(zero) @ here)
            v[d : d + 3], v[d + 3 : d + 6] = qvel[d + 3 : d + 6], here[:3, :3].T @ qvel[d : d + 3]
    return q, v


def to_mujoco_state(mj_model: Any, q: ArrayLike, v: ArrayLike | None = None) -> tuple[NDArray, NDArray]:
    """MuJoCo's coordinates and velocities, from those of the model that `load_mujoco` makes.

    Parameters
    ----------
    mj_model : mujoco.MjModel
        The compiled model.
    q : array_like (nq,)
        Coordinates, rad and m.
    v : array_like (nv,), optional
        Velocities, rad/s and m/s; zeros if not given.

    Returns
    -------
    qpos : ndarray (nq,)
        See `from_mujoco_state`.
    qvel : ndarray (nv,)
        See `from_mujoco_state`.

    Raises
    ------
    StateError
        If an array has another shape, or a quaternion is zero.

    Examples
    --------
    >>> import mujoco
    >>> import rbdkit as rbd
    >>> from rbdkit.formats import to_mujoco_state
    >>> compiled = mujoco.MjModel.from_xml_string('''
    ...     <mujoco><worldbody><body pos="0 0 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>''')
    >>> qpos, qvel = to_mujoco_state(compiled, rbd.load_mujoco(compiled).neutral())
    >>> qpos.tolist()
    [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    """
    m = mj_model
    q, v = _vector(q, m.nq, "q"), _vector(np.zeros(m.nv) if v is None else v, m.nv, "v")
    qpos, qvel = q + m.qpos0, v.copy()
    for kind, a, d in zip(m.jnt_type.tolist(), m.jnt_qposadr.tolist(), m.jnt_dofadr.tolist(), strict=True):
        if kind == BALL:
            qpos[a : a + 4] = _unit(q[a : a + 4])
        elif kind == FREE:
            here = _pose(m.qpos0[a : a + 3], m.qpos0[a + 3 : a + 7]) @ _pose(q[a + 4 : a + 7], q[a : a + 4])
            qpos[a : a + 3], qpos[a + 3 : a + 7] = here[:3, 3], quaternion.from_matrix(here[:3, :3])
            qvel[d : d + 3], qvel[d + 3 : d + 6] = here[:3, :3] @ v[d + 3 : d + 6], v[d : d + 3]
    return qpos, qvel


def _vector(given: ArrayLike, size: int, what: str) -> NDArray:
    vector = floats(given, lambda value: f"{what} {value} must be numbers", StateError)
    if vector.shape != (size,):
        raise StateError(f"{what} has shape {vector.shape}, not ({size},)")
    return vector


def _unit(p: NDArray) -> NDArray:
    length = float(np.linalg.norm(p))
    if not length > 0.0:
        raise StateError(f"quaternion {p.tolist()} has no direction")
    return p / length


def _pose(position: NDArray, turn: NDArray) -> NDArray:
    return poses(position[None], _unit(turn)[None])[0]


def _inverse(pose: NDArray) -> NDArray:
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = pose[:3, :3].T, -pose[:3, :3].T @ pose[:3, 3]
    return found
