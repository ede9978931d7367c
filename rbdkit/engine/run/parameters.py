"""Chain rule from gradients by the numbers of links to gradients by the named parameters of a model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.layout import Layout
from rbdkit.model import Model

UPPER = np.triu_indices(3)


def parameter_gradient(model: Model, layout: Layout, frames: NDArray, by_link: NDArray) -> dict[str, NDArray]:
    """Return gradients by masses, centres of mass, inertias, placements and pitches.

    Parameters
    ----------
    frames : (bodies, 12) pose of each body in its link, as in the array "frames".
    by_link : (..., links + 1, 17) as `rbdkit.engine.steps.gradients` writes it.

    Returns
    -------
    Gradients by the names of ``model.parameters``: (...) for numbers, (..., 3) for vectors, (..., 3, 3) symmetric for
    inertias, (..., 6) for placements, with respect to a twist of the joint's frame in its own coordinates.
    """
    by_mass, by_com, by_inertia, by_twist = _by_inertia(model, layout, frames, by_link)
    found: dict[str, NDArray] = {}
    for body in model.bodies[1:]:
        if body.inertia is None:
            continue
        b = body.index
        found[f"{body.name}.mass"] = by_mass[..., b]
        found[f"{body.name}.com"] = by_com[..., b, :]
        found[f"{body.name}.inertia"] = by_inertia[..., b, :, :]
    links = {int(b): k for k, b in enumerate(layout.body_of_link) if layout.first[k]}
    wrench = by_twist  # of a body on a fixed joint: what it carries is added below
    for body in reversed(model.bodies[1:]):
        b, joint = body.index, body.joint
        if b in links:
            k = links[b]
            wrench[..., b, :] = _turned(layout.bases[k], by_link[..., k + 1, :6])
            if layout.links[k].kind.motion.name == "helical" and "pitch" in joint.type.numbers:
                found[f"{joint.name}.pitch"] = by_link[..., k + 1, 16]
        found[f"{joint.name}.placement"] = wrench[..., b, :]
        if body.parent not in links:  # the parent is fixed to a link, and carries this body along
            wrench[..., body.parent, :] += _in_parent(joint.placement, wrench[..., b, :])
    return found


def _by_inertia(
    model: Model, layout: Layout, frames: NDArray, by_link: NDArray
) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Return gradients by mass, centre of mass and central inertia of every body, and by a twist of its frame alone."""
    inertias = [body.inertia for body in model.bodies]
    m = np.array([0.0 if I is None else I.mass for I in inertias])
    com = np.array([np.zeros(3) if I is None else I.com for I in inertias])
    about_com = np.array([np.zeros((3, 3)) if I is None else I.inertia_com for I in inertias])
    frames = frames.reshape(-1, 12)
    R, p = frames[:, :9].reshape(-1, 3, 3), frames[:, 9:]
    I_c, c = R @ about_com @ R.transpose(0, 2, 1), (R @ com[:, :, None])[:, :, 0] + p
    g = by_link[..., layout.link_of_body, 6:16]  # by the ten numbers of the link
    by_h = g[..., 1:4]
    # symmetric, so that the derivative along dI is the trace of G dI
    G = 0.5 * g[..., [[4, 5, 6], [5, 7, 8], [6, 8, 9]]] * (1.0 + np.eye(3))
    trace, Gc = np.trace(G, axis1=-2, axis2=-1), (G @ c[:, :, None])[..., 0]
    # the link's numbers hold m, m c and I_c + m (c.c 1 - c c^T)
    by_mass = g[..., 0] + np.sum(by_h * c + trace[..., None] * c * c - c * Gc, axis=-1)
    by_c = m[:, None] * (by_h + 2.0 * (trace[..., None] * c - Gc))
    turn = I_c @ G - G @ I_c  # a turn by w changes I_c by w x I_c - I_c w x
    vee = np.stack([turn[..., 2, 1], turn[..., 0, 2], turn[..., 1, 0]], axis=-1)
    moment = np.cross(c - p, by_c) - 2.0 * vee  # about the body's origin
    turned = np.stack([moment, by_c], axis=-2) @ R  # in body axes
    return by_mass, turned[..., 1, :].copy(), R.transpose(0, 2, 1) @ G @ R, turned.reshape(*turned.shape[:-2], 6)


def inertial_gradient(layout: Layout, frames: NDArray, by_link: NDArray) -> NDArray:
    """Map gradients by the links' inertias to those by each body's ten numbers in its own frame, (..., bodies, 10)."""
    on_links = by_link[..., layout.link_of_body, 6:16]
    return np.einsum("...bk,bkn->...bn", on_links, np.array([_in_link(frame) for frame in frames.reshape(-1, 12)]))


def _in_link(frame: NDArray) -> NDArray:
    """Return the (10, 10) matrix that maps mass, first moment and inertia from a placed frame to the link."""
    R, p = frame[:9].reshape(3, 3), frame[9:]
    matrix = np.zeros((10, 10))
    # a mass at the frame's origin p, by the parallel-axis theorem
    matrix[:, 0] = [1.0, *p, *(p @ p * np.eye(3) - np.outer(p, p))[UPPER]]
    for k in range(3):
        h = R[:, k]
        # a first moment along axis k: the mixed terms of the same theorem, linear in it
        matrix[1:, 1 + k] = [*h, *(2.0 * (p @ h) * np.eye(3) - np.outer(p, h) - np.outer(h, p))[UPPER]]
    for k, (r, s) in enumerate(zip(*UPPER, strict=True)):
        unit = np.outer(R[:, r], R[:, s])
        matrix[4:, 4 + k] = (unit if r == s else unit + unit.T)[UPPER]
    return matrix


def _turned(R: NDArray, wrench: NDArray) -> NDArray:
    """Rotate a spatial force (..., 6) by R."""
    return (wrench.reshape(*wrench.shape[:-1], 2, 3) @ R.T).reshape(wrench.shape)


def _in_parent(placement: NDArray, wrench: NDArray) -> NDArray:
    """Transform a spatial force (..., 6) from a placed frame to the frame that it is placed in."""
    turned = _turned(placement[:3, :3], wrench)
    turned[..., :3] += np.cross(placement[:3, 3], turned[..., 3:])
    return turned
