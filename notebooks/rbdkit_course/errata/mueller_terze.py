"""Müller and Terze, "Is there an optimal choice of configuration space ..." (2013)."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from rbdkit.formulations import ConstrainedBodies
from rbdkit.library import spherical_double_pendulum
from rbdkit.spatial import so3
from rbdkit_course.errata.finding import Errors, Finding

SOURCE = "Müller and Terze"


def eq_9() -> Errors:
    """Rodrigues' formula against the matrix exponential."""
    w = np.array([1.2, -0.9, 1.3])
    W, t = so3.skew(w), np.linalg.norm(w)
    exact, start = scipy.linalg.expm(W), np.eye(3) + np.sin(t) / t * W
    printed = start + (1 - np.cos(t)) / t * W @ W
    right = start + (1 - np.cos(t)) / t**2 * W @ W
    return Errors(np.abs(printed - exact).max(), np.abs(right - exact).max())


def eq_61() -> Errors:
    """Rate of the first constraint of the double pendulum by Eq 61, with v and with v^s, against differences."""
    w, v, r_0 = np.array([1.2, -0.9, 1.3]), np.array([0.4, 0.7, -0.5]), np.array([-0.1, 0.02, 0.03])
    R, r = so3.exp([0.5, -0.8, 0.3]), np.array([0.2, -0.1, 0.4])
    v_s, h = R @ v, 1e-3

    def g_1(t: float) -> NDArray:  # Eq 43
        return R @ so3.exp(t * w) @ r_0 + r + t * v_s

    exact = (g_1(-2 * h) - 8 * g_1(-h) + 8 * g_1(h) - g_1(2 * h)) / (12 * h)
    printed, right = (-(R @ so3.skew(r_0) @ w - each) for each in (v, v_s))
    return Errors(np.abs(printed - exact).max(), np.abs(right - exact).max())


def weights() -> Errors:
    """Force on the bodies of the double pendulum against its weight, by the formulation's equations at rest."""
    model, q, _ = spherical_double_pendulum()
    system = ConstrainedBodies(model, groups="so3xr3")
    Q = system.index1(0.0, *system.state(q, np.zeros(model.nv))).Q.reshape(-1, 6)[:, 3:]
    g, mass = model.gravity, model.I[1][5, 5]
    return Errors(np.abs(g - Q).max(), np.abs(mass * g - Q).max())


FINDINGS = (
    Finding(
        SOURCE, "Eq 9",
        r"$\dfrac{1-\cos\lVert\omega\rVert}{\lVert\omega\rVert}\,\hat\omega^2$",
        r"$\dfrac{1-\cos\lVert\omega\rVert}{\lVert\omega\rVert^2}\,\hat\omega^2$",
        "The exponential of a skew matrix is a rotation; the printed sum is one only at 1 rad and whole turns. (Eq 10, "
        "which looks much more dangerous, is right.)",
        eq_9, margin=0.1, tolerance=1e-14,
    ),
    Finding(
        SOURCE, "section 5.2, before the equations of motion",
        r"$F_i = R_i^T g^s$ and $F_i^s = g^s$",
        r"$F_i = m_i R_i^T g^s$ and $F_i^s = m_i\,g^s$",
        "What stands there is an acceleration. The bodies of our model have masses other than 1 kg; the paper gives "
        "none.",
        weights, margin=0.1, tolerance=1e-12, unit="N",
    ),
    Finding(
        SOURCE, "Eq 61",
        r"$(\omega_1,\ v_1,\ \omega_2,\ v_2)$", r"$(\omega_1,\ v_1^s,\ \omega_2,\ v_2^s)$",
        "In the hybrid representation the linear velocity is that in space; $v_i$ is the symbol of the body-fixed one. "
        "Eq 41, the same for the top, has $v^s$.",
        eq_61, margin=0.1, tolerance=1e-11, unit="m/s",
    ),
)  # fmt: skip
