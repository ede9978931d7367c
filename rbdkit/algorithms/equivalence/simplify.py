"""Inertia parameters made zero by handing inertia from body to body."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.equivalence.exchange import table_9_7
from rbdkit.algorithms.equivalence.ten_numbers import TenNumbers, moved
from rbdkit.joints import JointType
from rbdkit.model import Model

ZERO = 1e-13
"""Numbers below this times the largest of their body are what round-off has left of zero."""


@dataclass(frozen=True)
class Simplified:
    """A model with the same equation of motion and more zeros.

    Attributes
    ----------
    model : Model
        To be used with the algorithms of `rbdkit.algorithms`: its bodies have `TenNumbers`, and often no mass.
    parameters : ndarray (n, 10)
        Its inertia parameters.
    I_delta : ndarray (n, 10)
        What went from body i to its parent.
    zeros_before, zeros : int
        Inertia parameters that are zero in the model as given and in this one, without the world's.
    """

    model: Model
    parameters: NDArray
    I_delta: NDArray
    zeros_before: int
    zeros: int


def simplified(model: Model) -> Simplified:
    """The loop of Featherstone (2008), section 9.7: every joint hands on what makes the most of its body zero."""
    I = np.array([np.zeros(10) if body.inertia is None else body.inertia.ten_parameters for body in model.bodies])
    before, I_delta = int(np.sum(I[1:] == 0.0)), np.zeros_like(I)
    for i in model.inward:
        joint, parent = model.joints[i], model.parent[i]
        I_delta[i], I[i] = _best(joint.type, I[i])
        if parent != 0:
            I[parent] += moved(I_delta[i], joint.placement)  # I_Delta is the same in both frames of the joint
    return Simplified(with_parameters(model, I), I, I_delta, before, int(np.sum(I[1:] == 0.0)))


def best_match(joint: JointType, I: ArrayLike) -> NDArray:
    """I_Delta, ten numbers, that leaves the most zeros in I - I_Delta (Featherstone 2008, L4478); zeros if none does.

    Parameters
    ----------
    joint : JointType
        Type of the joint that moves the body.
    I : array_like (10,)
        Inertia parameters of the body, in its frame.
    """
    return _best(joint, np.asarray(I, dtype=float))[0]


def _best(joint: JointType, I: NDArray) -> tuple[NDArray, NDArray]:
    """I_Delta and what it leaves, with exact zeros; the first of several that are as good."""
    B = table_9_7(joint)
    most, best = int(np.sum(I == 0.0)), (np.zeros(10), I)
    for chosen in combinations(range(10), B.shape[1]):
        rows = B[list(chosen)]
        if not chosen or np.linalg.matrix_rank(rows) < len(chosen):
            continue
        I_delta = B @ np.linalg.solve(rows, I[list(chosen)])
        rest = I - I_delta
        rest[list(chosen)] = 0.0
        rest[np.abs(rest) < ZERO * np.abs(I).max()] = 0.0
        if (zeros := int(np.sum(rest == 0.0))) > most:
            most, best = zeros, (I_delta, rest)
    return best


def exchanged(model: Model, body: str, I_delta: ArrayLike) -> Model:
    """The model with ten numbers, in the frame of a body, taken from the body and given to its parent.

    The equation of motion stays as it is if I_delta is one of those of `table_9_7`, here nothing checks it.
    """
    I = np.array([np.zeros(10) if b.inertia is None else b.inertia.ten_parameters for b in model.bodies])
    i, numbers = model.body(body).index, np.asarray(I_delta, dtype=float)
    I[i] -= numbers
    if model.parent[i] != 0:
        I[model.parent[i]] += moved(numbers, model.joints[i].placement)
    return with_parameters(model, I)


def with_parameters(model: Model, parameters: NDArray) -> Model:
    """The model with other inertias, ten numbers a body (n, 10), of whatever value."""
    changed = copy(model)
    changed.bodies = (
        model.bodies[0],
        *(replace(b, inertia=TenNumbers(I)) for b, I in zip(model.bodies[1:], parameters[1:], strict=True)),
    )
    changed._bind()
    return changed
