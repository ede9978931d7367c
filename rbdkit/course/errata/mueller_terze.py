"""Müller and Terze, "Is there an optimal choice of configuration space ..." (2013)."""

from __future__ import annotations

import numpy as np
import scipy

from rbdkit.course.errata.finding import Errors, Finding
from rbdkit.formulations import ConstrainedBodies
from rbdkit.library import spherical_double_pendulum
from rbdkit.spatial import so3

SOURCE = "Müller and Terze"


def eq_9() -> Errors:
    """Rodrigues' formula against the matrix exponential."""
    w = np.array([1.2, -0.9, 1.3])
    W, t = so3.skew(w), np.linalg.norm(w)
    exact, start = scipy.linalg.expm(W), np.eye(3) + np.sin(t) / t * W
    printed = start + (1 - np.cos(t)) / t * W @ W
    right = start + (1 - np.cos(t)) / t**2 * W @ W
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
)  # fmt: skip
