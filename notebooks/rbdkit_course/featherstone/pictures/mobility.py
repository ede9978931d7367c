"""How easily a point of a constrained body is pushed: the apparent inverse inertia as an ellipsoid (Eq 3.54)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.constraints import apparent_inverse_inertia
from rbdkit.scene import Ellipsoid, palette
from rbdkit.spatial import se3
from rbdkit.spatial.fields import material_jacobian
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.playground import Picture, Playground
from rbdkit_course.featherstone.pictures.force_split import JOINTS, beam
from rbdkit_course.featherstone.pictures.framing import framed

SIZE = 0.5  # metres for an acceleration of 1 m/s2 by a force of 1 N
THIN = 0.015


def mobility_at(joint: str, point: NDArray) -> tuple[NDArray, NDArray]:
    """Return Phi (6, 6) of the beam on a joint, and the part (3, 3) that maps forces to accelerations of a point."""
    kind = dict(JOINTS)[joint]
    Phi = apparent_inverse_inertia(beam().I[1], kind.motion_subspace(kind.neutral()))
    J = material_jacobian(point)
    return Phi, J @ Phi @ J.T


def mobility() -> Playground:
    """Choose the joint and drag the point: long axes of the ellipsoid are directions in which it gives way."""
    places = [Slider(name, "m", low, high, rest) for name, low, high, rest in
              (("x", 0.0, 1.5, 1.0), ("y", -0.6, 0.6, 0.0), ("z", -0.6, 0.6, 0.0))]  # fmt: skip
    return Playground(
        "Which way does it give?",
        [Slider("joint", "", 0, len(JOINTS) - 1, 4, choices=tuple(name for name, _ in JOINTS)), *places],
        _draw,
        scene=framed(beam(), [-0.2, -0.5, -0.5], [1.5, 0.5, 0.5]),
        height=400,
        on_drag=_dragged,
    )


def _dragged(pose: NDArray) -> Mapping[str, Any]:
    return {name: float(x) for name, x in zip("xyz", pose[:3, 3])}


def _draw(joint: str, x: float, y: float, z: float) -> Picture:
    point = np.array([x, y, z])
    Phi, gives = mobility_at(joint, point)
    size, axes = np.linalg.eigh(gives)
    axes[:, 2] *= np.linalg.det(axes)  # a rotation
    eigenvalues = np.linalg.eigvalsh(Phi)
    return Picture(
        ellipsoids=[Ellipsoid(0, point, axes, np.maximum(SIZE * size, THIN), palette.INERTIA)],
        readout=[
            ("m/s² for a newton", "  ".join(f"{s:.2f}" for s in np.where(size < 5e-3, 0.0, size)[::-1])),
            ("rank of Φ", str(int(np.linalg.matrix_rank(Phi, 1e-9)))),
            ("eigenvalues of Φ", "  ".join(f"{s:.2g}" for s in np.where(eigenvalues < 1e-9, 0.0, eigenvalues)[::-1])),
        ],
        note="A flat or needle-like body means: pushes across it meet only the joint. Its thickness is only drawn.",
        handle=se3.pose(position=point),
    )
