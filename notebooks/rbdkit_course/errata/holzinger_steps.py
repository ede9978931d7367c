"""Holzinger, Gerstmayr and Schöberl, unified local velocity coordinates: the scheme of section 5.3 and the example."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations import LocalVelocity, QuaternionBodies
from rbdkit.formulations.local_velocity import Projection, gamma, mass_matrix, tangent
from rbdkit.integrators import RK4
from rbdkit.library import free_rotation, tumbling_box, tumbling_box_state
from rbdkit.library.holzinger import MOMENTS, SPIN
from rbdkit_course.errata.finding import Errors, Finding
from rbdkit_course.errata.holzinger import SOURCE

CUBE = Projection.hexahedral()
MASS, J = 2.0, np.array([[3.0, 0.4, 0.0], [0.4, 2.0, -0.2], [0.0, -0.2, 4.0]])
START = CUBE.coordinates([0.3, -0.2, 0.5, 1.0, 2.0, -0.7])


def spring(H: NDArray) -> NDArray:
    """Force of a spring from a point of the body to a fixed one: a load that depends on the pose."""
    y, anchor = np.array([0.5, 0.2, -0.1]), np.array([1.0, 0.0, 0.5])
    return CUBE.generalized_force(y, H[:3, :3].T @ (6.0 * (anchor - H[:3, :3] @ y - H[:3, 3])))


def scheme(steps: int, stage_poses: bool = True, carry: bool = False) -> NDArray:
    """Pose after 1 s by Eqs 79 to 87, with f at the poses of the stages or at H_i, n begun at zero or carried on."""
    M, h = mass_matrix(CUBE, MASS, J), 1.0 / steps
    H, w, n = np.eye(4), START, np.zeros(6)

    def f(w: NDArray, n: NDArray) -> NDArray:
        return np.linalg.solve(M, spring(H @ tangent.exp(n) if stage_poses else H) - gamma(CUBE, MASS, J, w) @ w)

    def slope(n: NDArray, w: NDArray) -> NDArray:
        return h * tangent.unified_inverse(CUBE, n) @ w

    for _ in range(steps):
        K1, k1 = slope(n if carry else 0 * n, w), h * f(w, 0 * n)
        K2, k2 = slope(K1 / 2, w + k1 / 2), h * f(w + k1 / 2, K1 / 2)
        K3, k3 = slope(K2 / 2, w + k2 / 2), h * f(w + k2 / 2, K2 / 2)
        K4, k4 = slope(K3, w + k3), h * f(w + k3, K3)
        n, w = (K1 + 2 * K2 + 2 * K3 + K4) / 6, w + (k1 + 2 * k2 + 2 * k3 + k4) / 6
        H = H @ tangent.exp(n)
    return H


def missing_order(run: Callable[[int], NDArray]) -> float:
    """4 less the order of a variant of the scheme, from 20 and 40 steps against 320 of the right one."""
    exact = scheme(320)
    coarse, fine = (np.abs(run(steps) - exact).max() for steps in (20, 40))
    return abs(4.0 - float(np.log2(coarse / fine)))


def eq_82() -> Errors:
    """Order that is lost."""
    return Errors(missing_order(lambda steps: scheme(steps, carry=True)), missing_order(scheme))


def eqs_83_to_85() -> Errors:
    """Order that is lost under the load of a spring."""
    return Errors(missing_order(lambda steps: scheme(steps, stage_poses=False)), missing_order(scheme))


def order_of_moments() -> Errors:
    """Rate at which a small turn grows, with the moments ordered as stated and as given, against the exact motion."""

    def growth(J1: float, J2: float, J3: float) -> float:  # about the third axis, for 1 rad/s
        return max(0.0, (J2 - J3) * (J3 - J1) / (J1 * J2)) ** 0.5

    as_stated = growth(*sorted(MOMENTS, reverse=True))
    given, spin = growth(*MOMENTS), SPIN[2]
    seen = free_rotation(MOMENTS, SPIN, [0.05, 0.06])[0]
    found = float(np.log(seen[1, 1] / seen[0, 1])) / 0.01
    return Errors(abs(as_stated * spin - found), abs(given * spin - found))


def forty_digits(steps: int) -> NDArray:
    """Angular velocity after 1 s by the classical Runge-Kutta method in 40 digits; where it passes 1e9 if it does."""
    with localcontext() as context:
        context.prec = 40
        J1, J2, J3 = map(Decimal, MOMENTS)
        a, b, c = (J2 - J3) / J1, (J3 - J1) / J2, (J1 - J2) / J3
        h, w = Decimal(1) / steps, [Decimal(x) for x in SPIN]

        def f(w: list[Decimal]) -> list[Decimal]:
            return [a * w[1] * w[2], b * w[2] * w[0], c * w[0] * w[1]]

        for _ in range(steps):
            if max(map(abs, w)) > 1e9:
                break
            k1 = f(w)
            k2 = f([x + h / 2 * k for x, k in zip(w, k1)])
            k3 = f([x + h / 2 * k for x, k in zip(w, k2)])
            k4 = f([x + h * k for x, k in zip(w, k3)])
            w = [x + h / 6 * (p + 2 * q + 2 * r + s) for x, p, q, r, s in zip(w, k1, k2, k3, k4)]
        return np.array(w, dtype=float)


def steps_of_figure_11() -> Errors:
    """Error after 1 s of an angular velocity of 100 rad/s: the least of h = 1/10 and 1/40, and that of h = 1/640."""
    exact = free_rotation(MOMENTS, SPIN, [1.0])[0][0]
    tenth, fortieth, right = (float(np.linalg.norm(forty_digits(steps) - exact)) for steps in (10, 40, 640))
    return Errors(min(tenth, fortieth), right)


def omega_after_a_second(cls: type[LocalVelocity] | type[QuaternionBodies], steps: int) -> NDArray:
    """Angular velocity of the tumbling box after 1 s with RK4, (3,) rad/s."""
    system, times = cls(tumbling_box()), np.linspace(0.0, 1.0, steps + 1)
    x, v = system.state(*tumbling_box_state())
    end = system.compiled_run(RK4(), times, x, v, steps, lambda done: None)
    assert end is not None
    return system.velocities(end.q[-1], end.v[-1])[1, :3]


def reference_step() -> Errors:
    """Error of a run with h = 1e-5, and of a Taylor series in 30 digits, against 40 digits extrapolated from h, h/2."""
    coarse, fine = forty_digits(5120), forty_digits(10240)
    exact = fine + (fine - coarse) / 15
    run = omega_after_a_second(LocalVelocity, 100_000)
    series = free_rotation(MOMENTS, SPIN, [1.0])[0][0]
    return Errors(float(np.linalg.norm(run - exact)), float(np.linalg.norm(series - exact)))


def largest_difference() -> Errors:
    """Both methods side by side for h = 1/160 ... 1/5120: the largest difference of the norms of their errors."""
    exact = free_rotation(MOMENTS, SPIN, [1.0])[0][0]
    gaps = []
    for steps in (160, 320, 640, 1280, 2560, 5120):
        ours, theirs = (
            float(np.linalg.norm(omega_after_a_second(cls, steps) - exact)) for cls in (LocalVelocity, QuaternionBodies)
        )
        gaps.append(abs(ours - theirs))
    return Errors(abs(0.0581 - max(gaps)), max(gaps))


ORDERS = "The numbers are the orders lost, from 20 and 40 steps of `scheme` under the load of a spring."

FINDINGS = (
    Finding(
        SOURCE, "Eq 82",
        r"$K_1 = \Delta t\,T^{-1}(n_i)\,w_i$", r"$K_1 = \Delta t\,T^{-1}(0)\,w_i$",
        "Eq 87 applies the increment to $H_i$, so every step has a chart of its own and begins in its middle. With the "
        "$n$ of the step before, order 4 becomes order 2. (Eq 79 has the index 0 where i is meant.) " + ORDERS,
        eq_82, margin=1.5, tolerance=0.1, unit="orders",
    ),
    Finding(
        SOURCE, "Eqs 83 to 85",
        r"$k_2 = \Delta t\,f(H_i, \dots)$",
        r"$k_2 = \Delta t\,f(H_i\exp\frac{K_1}{2}, \dots)$",
        "And $k_3$, $k_4$ likewise. The free body of the paper's example does not notice, since no load depends on its "
        "pose; otherwise order 4 becomes order 1. " + ORDERS,
        eqs_83_to_85, margin=2.5, tolerance=0.1, unit="orders",
    ),
    Finding(
        SOURCE, "section 6, moments of inertia",
        r"$J_{11} > J_{22} > J_{33}$", r"$J_{11} > J_{33} > J_{22}$",
        "They are 5.2988, 1.1775 and 4.3568: the third is the middle one, and that is why turning about it is "
        "unstable. About the axis of the least it would be stable. The numbers are the rate at which a small turn "
        "grows.",
        order_of_moments, margin=10.0, tolerance=0.1, unit="1/s",
    ),
    Finding(
        SOURCE, "Fig 11, longest steps",
        "errors for $h = 1/10$ and $1/40$", "none; curves can begin at $h = 1/80$",
        "With such steps the method blows the unstable mode up until nothing is finite (the check stops beyond 1e9). "
        "Rounding has no part in it: the check has 40 digits. The second number is that of $h = 1/640$.",
        steps_of_figure_11, margin=1e6, tolerance=0.1, unit="rad/s",
        doubt="figures are missing from the text that was read; these steps are in its list for Figs 11 and 12.",
    ),
    Finding(
        SOURCE, "section 6, reference",
        r"for $h = 10^{-5}$ converged up to machine precision", "more digits, here a Taylor series in 30",
        "By its order the method would be off by $10^{-11}$; but an unstable motion multiplies every rounding error.",
        reference_step, margin=1e-8, tolerance=1e-9, unit="rad/s",
    ),
    Finding(
        SOURCE, "section 6, both methods",
        "largest difference of the errors: 0.0581", "below $10^{-3}$ for all steps that give a result",
        "Both methods solve one equation with one tableau and differ by rounding alone. The number is not reproduced; "
        "perhaps something else was compared than the text says.",
        largest_difference, margin=1e-2, tolerance=1e-3, unit="rad/s",
    ),
)  # fmt: skip
