"""Andrews' squeezing mechanism, a benchmark of fast closed loops (Schiehlen 1990; Hairer and Wanner 1996, VII.7).

Seven bodies in a plane, one freedom, a stiff spring; a constant torque of 0.033 N m turns the crank. Names, symbols and
numbers are those of the Test Set for IVP Solvers (Mazzia and Magherini 2008), problem 'Andrews'.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.forces import Spring
from rbdkit.joints import JointType, Revolute
from rbdkit.library.bars import lying
from rbdkit.library.mueller_terze import Start
from rbdkit.library.ready import ready
from rbdkit.model import Capsule, Geometry, Model
from rbdkit.spatial.inertia import Inertia

TORQUE = 0.033
"""N m, of the motor on the crank, joint 'beta'."""
O, A, B, C = (0.0, 0.0), (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
"""Points on the ground, m: bearing of the crank, of K5 and K7, of K3, and where the spring is fastened."""
BETA, GAMMA, PHI, DELTA = -0.0617138900142764496, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550
EPSILON = 1.23054744454982120
"""rad, with which the published motion begins; Theta is zero and Omega minus Phi."""


@ready
def andrews_squeezer(closing: JointType | None = None) -> Start:
    """Andrews' squeezing mechanism in the x-y plane at the start of its published motion, at rest; no gravity.

    The crank K1 drives K2, at whose end three more arms meet: K3, on a spring, and K4 with K5 and K6 with K7. Joints
    have the names of their angles, and turn about z. The coordinates are (beta, Theta, gamma, delta, Phi, epsilon,
    Omega): as published, but for the order, in which no body comes before the one that carries it. Loop joints 'P3',
    'P4' and 'P6' hold the ends of K3, K4 and K6 on that of K2.

    Parameters
    ----------
    closing : JointType, optional
        Of the loop joints; revolute joints about z if not given. ``SphereInCylinder("z")`` has no redundant
        constraints.

    Returns
    -------
    Start
        Model, coordinates (7,), rad, and velocities (7,), all zero: ``simulate(*start, tau=...)``.

    Examples
    --------
    In the first millisecond the motor turns the crank by 7 mrad, with nearly the 14,222 rad/s2 of the start.

    >>> import rbdkit as rbd
    >>> model, q, v = rbd.library.andrews_squeezer()
    >>> motor = [0.033, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    >>> motion = rbd.simulate(model, q, v, duration=1e-3, dt=1e-4, tau=motor, formulation="se3")
    >>> round(float(motion.q[-1, 0] - q[0]), 3)
    0.007
    """
    model = Model("Andrews' squeezing mechanism", gravity=(0.0, 0.0, 0.0))
    rr, d, e, ss, sc, sd, zt, zf, u = 0.007, 0.028, 0.02, 0.035, 0.018, 0.02, 0.04, 0.02, 0.04
    ra, da, ea, fa, sa, sb = 0.00092, 0.0115, 0.01421, 0.01421, 0.01874, 0.01043
    ta, tb, ua, ub = 0.02308, 0.00916, 0.01228, 0.00449
    _link(model, "K1", "world", "beta", O, 0.04325, 2.194e-6, (ra, 0.0), [(rr, 0.0)])
    _link(model, "K2", "K1", "Theta", (rr, 0.0), 0.00365, 4.410e-7, (-da, 0.0), [(-d, 0.0)])
    _link(model, "K3", "world", "gamma", B, 0.02373, 5.255e-6, (sb, -sa), [(0.0, -ss), (sd, -sc)])
    _link(model, "K5", "world", "delta", A, 0.07050, 1.169e-5, (ta, tb), [(zt, 0.0)])
    _link(model, "K4", "K5", "Phi", (zt, 0.0), 0.00706, 5.667e-7, (0.0, ea - e), [(0.0, -e)])
    _link(model, "K7", "world", "epsilon", A, 0.05498, 1.912e-5, (-ub, -ua), [(0.0, -u)])
    _link(model, "K6", "K7", "Omega", (0.0, -u), 0.00706, 5.667e-7, (zf - fa, 0.0), [(zf, 0.0)])
    for arm, end in (("K3", (0.0, -ss)), ("K4", (0.0, -e)), ("K6", (zf, 0.0))):
        model.add_loop(f"P{arm[1]}", "K2", arm, closing or Revolute("z"), _point((-d, 0.0)), _point(end))
    hook = (sd, -sc, 0.0)
    model.add_force("spring", Spring("K3", "world", 4530.0, rest_length=0.07785, at_a=hook, at_b=(*C, 0.0)))
    q = np.array([BETA, 0.0, GAMMA, DELTA, PHI, EPSILON, -PHI])
    return Start(model, q, np.zeros(model.nv))


def _point(xy: ArrayLike) -> NDArray:
    return np.append(np.asarray(xy, dtype=float), 0.0)


def _link(
    model: Model,
    name: str,
    parent: str,
    joint: str,
    at: tuple[float, float],
    mass: float,
    I: float,
    com: tuple[float, float],
    ends: list[tuple[float, float]],
) -> None:
    """A flat body. I : its inertia about its centre of mass, kg m2; ends : to which arms are drawn, m."""
    inertia = Inertia(mass, com=_point(com), inertia_com=np.diag([0.5 * I, 0.5 * I, I]))
    arms = [Geometry(Capsule(0.001, float(np.hypot(*end))), lying(_point(end))) for end in ends]
    model.add_body(name, parent, Revolute("z"), _point(at), inertia, arms, joint_name=joint)
