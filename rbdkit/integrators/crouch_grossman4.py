"""A method of Crouch and Grossman of order four."""

from __future__ import annotations

from rbdkit.integrators.crouch_grossman import CrouchGrossman


class CrouchGrossman4(CrouchGrossman):
    """Five evaluations a step, order 4.

    Z. Jackiewicz, A. Marthinsen, B. Owren, Construction of Runge-Kutta methods of Crouch-Grossman type of high order,
    Advances in Computational Mathematics 13 (2000), example 1, to the digits that satisfy the order conditions.

    Examples
    --------
    On joints of one freedom velocities of stages just add, and the method is as good as any of order 4:

    >>> import rbdkit as rbd
    >>> from rbdkit.integrators import CrouchGrossman4
    >>> motion = rbd.simulate(rbd.library.pendulum(), [1.0], duration=0.2, dt=0.01, integrator=CrouchGrossman4())
    >>> bool(abs(motion.energy_error()).max() < 1e-6)
    True
    """

    name = "crouch_grossman4"
    order = 4
    A = (
        (0.0, 0.0, 0.0, 0.0, 0.0),
        (0.8177227988124852, 0.0, 0.0, 0.0, 0.0),
        (0.3199876375476427, 0.0659864263556022, 0.0, 0.0, 0.0),
        (0.9214417194464946, 0.4997857776773573, -1.0969984448371582, 0.0, 0.0),
        (0.3552358559023322, 0.2390958372307326, 1.3918565724203246, -1.1092979392113465, 0.0),
    )
    b = (0.1370831520630755, -0.0183698531564020, 0.7397813985370780, -0.1907142565505889, 0.3322195591068374)
