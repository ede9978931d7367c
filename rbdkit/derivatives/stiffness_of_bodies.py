"""Stiffness and damping in the body frames of Sueda's notes, for the readable implicit steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.passive_derivatives import passive_derivatives
from rbdkit.engine.links.element_slopes import slopes
from rbdkit.model import Model
from rbdkit.model.element_states import state_places

if TYPE_CHECKING:
    from rbdkit.algorithms.redmax import Bodies, Stiffness


def stiffness_at(model: Model, bodies: Bodies, q: NDArray, *, t: float = 0.0, z: NDArray | None = None) -> Stiffness:
    """Return K and D of joint springs and dampers and of all force elements, in the frames of Sueda's notes.

    Derivatives are exact; finite differences replace them for elements that cannot be traced.

    Parameters
    ----------
    model : Model
        The mechanism: its bodies, joints and forces.
    bodies : Bodies
        The tree at that state.
    q : ndarray (nq,)
        Coordinates.
    t : float, optional
        Time in s, for prescribed joints.
    z : ndarray (nz,), optional
        States of force elements, which are held constant.

    Returns
    -------
    Stiffness

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.algorithms.redmax import bodies_at
    >>> from rbdkit.derivatives import stiffness_at
    >>> model = rbd.library.pendulum().with_parameters({"hinge.stiffness": 5.0})
    >>> rod = bodies_at(model, np.zeros(1), np.zeros(1))
    >>> stiffness_at(model, rod, np.zeros(1)).K_r.toarray().tolist()
    [[-5.0]]
    """
    from scipy.sparse import block_diag, bsr_array, csr_array, eye_array  # slow to load

    from rbdkit.algorithms.redmax import Stiffness

    n = bodies.n
    first, size = 6 * n, 6 * n + bodies.nv
    own = passive_derivatives(model, q, bodies.qd)
    acting = slopes(model, q, bodies.qd, np.zeros(state_places(model).size) if z is None else z, t, or_differences=True)
    joints = np.indices((bodies.nv, bodies.nv)).reshape(2, -1) + first
    where = (np.concatenate([acting.rows, joints[0]]), np.concatenate([acting.columns, joints[1]]))
    # from the body frames of the notes to rbdkit's, which sit in the joints
    Ad = bsr_array((np.linalg.inv(bodies.Ad_J[1:]), np.arange(n), np.arange(n + 1)), shape=(6 * n, 6 * n))
    to_joint = csr_array(block_diag([Ad, eye_array(bodies.nv)]))
    both = (
        to_joint.T @ csr_array((np.concatenate([x, y.ravel()]), where), shape=(size, size)) @ to_joint
        for x, y in ((acting.K, own.dtau_dq), (acting.D, -own.dtau_dv))
    )
    return Stiffness(next(both), next(both), bodies.n)
