"""The numbers of a model packed into the arrays that programs read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.layout import Layout
from rbdkit.engine.links.numbers import numbers_of
from rbdkit.engine.steps.nodes import FRAME, ROW
from rbdkit.model import Model


def pack(model: Model, layout: Layout, numbers: Mapping[str, NDArray] | None = None) -> dict[str, NDArray]:
    """Pack the numbers of a model into the arrays that programs read.

    Parameters
    ----------
    numbers : in place of those of the model; arrays of floats, or of floats and symbols.

    Returns
    -------
    "rows" of the links and "frames" of the bodies as in `rbdkit.engine.steps.nodes`; "armature", "damping", "stiffness"
    per velocity, "rest" per coordinate, "gravity"; "fixed_energy", the gravitational energy of what is fixed to the
    world and the least energy of the springs; "following", ratio and offset of each link; "joint_numbers", the numbers
    of the formulas of its joint.
    """
    given = numbers_of(model) if numbers is None else numbers
    gravity, sort = given["gravity"], np.result_type(*given.values())
    frames, R, p = placed(layout, model.parent, given["placement"].astype(sort))
    rows = np.zeros((len(layout.links) + 1, ROW), dtype=sort)
    rows[1:, :9] = R.reshape(-1, 9)
    rows[1:, 9:12] = p
    np.add.at(rows[:, 12:22], layout.link_of_body, _ten_numbers(given, frames))
    return {
        "rows": rows,
        "frames": np.concatenate([frames[:, :3, :3].reshape(-1, 9), frames[:, :3, 3]], axis=1).reshape(-1, FRAME),
        **{name: given[name] for name in ("armature", "damping", "stiffness", "rest", "gravity")},
        "fixed_energy": np.array([-(gravity @ rows[0, 13:16]), given["held"][0]]),
        "following": _following(model, layout),
        "joint_numbers": np.vstack([np.zeros(layout.numbers.shape[1]), layout.numbers]),
    }


def placed(layout: Layout, parent: Sequence[int], placements: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Return poses of bodies in their links (bodies, 4, 4), and rotation and position of links in their parents."""
    frames = layout.frames.astype(placements.dtype)
    for body in layout.welded:
        frames[body] = frames[parent[body]] @ placements[body]
    parents = np.array(parent)
    parents[0] = 0
    # the joint's first part stands on a body, the others on the part before
    stand = frames[parents[layout.body_of_link]] @ placements[layout.body_of_link]
    stand = np.where(layout.first[:, None, None], stand, np.eye(4))
    return frames, stand[:, :3, :3] @ layout.bases, stand[:, :3, 3]


def _following(model: Model, layout: Layout) -> NDArray:
    """Return (links + 1, 2): ratio and offset by which the numbers of each link follow from those in the state."""
    following = np.tile([1.0, 0.0], (len(layout.links) + 1, 1))
    following[1:, 0] = layout.ratio
    if model.mimics:
        for number, body in enumerate(layout.body_of_link, start=1):
            mimic = model.joints[body].mimic
            if mimic is not None:
                following[number] = following[number, 0] * np.array([mimic.multiplier, mimic.offset])
    return following


def _ten_numbers(given: Mapping[str, NDArray], frames: NDArray) -> NDArray:
    """Return (bodies, 10): mass, first moment and inertia about the origin of each body, in the frame of its link."""
    m, R = given["mass"], frames[:, :3, :3]
    c = (R @ given["com"][:, :, None])[:, :, 0] + frames[:, :3, 3]
    shift = np.sum(c * c, axis=1)[:, None, None] * np.eye(3) - c[:, :, None] * c[:, None, :]
    I = R @ given["inertia"] @ R.transpose(0, 2, 1) + m[:, None, None] * shift
    return np.concatenate([m[:, None], m[:, None] * c, I[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]], axis=1)
