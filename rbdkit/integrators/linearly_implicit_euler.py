"""Linearly implicit Euler method (Baraff and Witkin): one linear system per step, for stiff springs and dampers."""

from __future__ import annotations

from typing import ClassVar

from rbdkit.integrators.velocity_euler import VelocityEuler


class LinearlyImplicitEuler(VelocityEuler):
    """``(M + h D - h^2 K) v_new = M v + h (f + D v)``, then positions along the new velocities (Sueda, Eqs 1.30, 2.79).

    K = df/dx and D = -df/dv are those of springs and dampers in joints and of all force elements, by the derivatives of
    their formulas, at the beginning of the step: one linear system a step, no iteration, and steps as long as the slow
    motion allows, however stiff the springs are. Coriolis forces, gravity, and tau and f_ext stay explicit. Of bodies
    with joints, the constraints join the system as in `VelocityEuler`.

    Parameters
    ----------
    gamma : float or '1/h', optional
        How fast gaps of joints close, as `VelocityEuler` has it.

    Raises
    ------
    SimulationError
        If gamma is negative or no number.

    Examples
    --------
    A spring whose oscillations are a hundred times faster than the steps dies out:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> from rbdkit.formulations import JointSystem
    >>> from rbdkit.integrators import LinearlyImplicitEuler
    >>> system = JointSystem(rbd.library.pendulum().with_parameters({"hinge.stiffness": 1e8}))
    >>> method = LinearlyImplicitEuler()
    >>> state = method.init(system, 0.0, np.array([0.001]), np.zeros(1))
    >>> for _ in range(50):
    ...     state = method.step(system, state, 0.01)
    >>> bool(abs(state.x[0]) < 1e-6)
    True
    """

    name: ClassVar[str] = "linearly_implicit_euler"
    stiff: ClassVar[bool] = True
    formulas: ClassVar[tuple[str, ...]] = (
        "solve for k1, lambda:  (M + h D - h^2 K) k1 + G^T lambda = M v + h (f(t, x, v) + D v)\nG k1 = -gamma g(x)",
        "v <- k1\nx <- x * exp(h k1)",
    )
