"""The composite-rigid-body algorithm with its published cost, by counting operations (Featherstone 2008, 10.3)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.costs.axial_crba import Link, composite_bodies
from rbdkit.costs.axial_screws import Screws, axial_screws
from rbdkit.errors import ModelError
from rbdkit.joints import Revolute
from rbdkit.model import Model
from rbdkit.spatial import plucker
from rbdkit.spatial.compact import AxialRotation, AxialScrew, Scalar, plx, rbi
from rbdkit.trace import Operations, Trace, trace

TURN, INERTIA, SCREW, TRANSFORM = 2, 10, 8, 12
"""Numbers per body of each input: cosine and sine; inertia; constants of a screw with m d; E and r of a transform."""


@dataclass(frozen=True, eq=False)
class CountedCrba:
    """The trace of the algorithm on one model.

    Attributes
    ----------
    model : Model
        The model.
    trace : Trace
        Table 10.2 as executed, a function of the arrays that `inputs` makes.
    lines
        Number of executions: ``ra`` and ``rx_dh`` or ``rx_g`` on line 7, ``vx_dh`` or ``vx_g`` on line 13.
    """

    model: Model
    trace: Trace
    lines: Counter[str]

    @property
    def operations(self) -> Operations:
        """Count of all executed operations; changes of sign are free."""
        return without_signs(self.trace.operations())

    @property
    def simplified(self) -> Operations:
        """Count after simplification by section 10.4: no dead code, no repeated operations, none with zeros."""
        return without_signs(self.trace.simplified().operations())

    @property
    def dh(self) -> frozenset[int]:
        """Bodies whose frames follow from their parents' by two screws, as found from the placements."""
        return frozenset(i for i in _moved(self.model) if axial_screws(_placement(self.model, i)).denavit_hartenberg)

    def H(self, q: NDArray) -> NDArray:
        """Evaluate the joint-space inertia matrix (nv, nv) at q by the recorded operations."""
        return np.asarray(self.trace(*inputs(self.model, self.model.check_q(q))), dtype=float)


def counted_crba(model: Model) -> CountedCrba:
    """Trace Table 10.2 with all optimisations of the book.

    These are axial screws (section A.4) instead of matrices, inertias as ten numbers, columns and elements picked
    instead of products with S = e3, and products of masses and lengths computed in advance. Sines and cosines are
    inputs.

    Raises
    ------
    ModelError
        If a joint is not revolute about the z axis of its body, mimics another one, or has a rotor.
    """
    for joint in model.joints[1:]:
        if joint.type != Revolute("z") or joint.mimic is not None or joint.armature.any():
            raise ModelError(
                f"joint {joint.name!r}, {joint.type!r}: counted_crba is for joints Revolute('z') that move "
                "independently and have no rotor; see rbdkit.library.revolute_tree"
            )
    n, screws = len(model.bodies), {i: axial_screws(_placement(model, i)) for i in _moved(model)}
    lines: Counter[str] = Counter()

    def algorithm(turn: NDArray, inertia: NDArray, first: NDArray, x: NDArray, z: NDArray, general: NDArray) -> Any:
        lines.clear()
        links = {
            i: Link(
                AxialScrew(AxialRotation.of("z", *turn[i]), z[i, 6]),
                z[i, 7],
                *_screw("x", x[i]),
                None if screws[i].denavit_hartenberg else (*_screw("z", first[i]), plx.of(list(general[i]))),
            )
            for i in screws
        }
        return composite_bodies(model.parent, [rbi.of(list(row)) for row in inertia], links, lines)

    shapes = [(n, width) for width in (TURN, INERTIA, SCREW, SCREW, SCREW, TRANSFORM)]
    names = ["turn", "inertia", "first", "x", "z", "general"]
    return CountedCrba(model, trace(algorithm, *shapes, names=names, simplify=False), lines)


def _screw(axis: str, row: NDArray) -> tuple[AxialScrew, Scalar]:
    """Return a screw from its constants c, s, cs, s^2, 2cs, 1 - 2s^2 and d, with its m d."""
    return AxialScrew(AxialRotation(axis, *row[:6]), row[6]), row[7]


def inputs(model: Model, q: NDArray) -> list[NDArray]:
    """Return the inputs of the recorded algorithm, a row for each body; all but `turn` are constants of the model.

    Parameters
    ----------
    turn : ndarray (n, 2)
        Cosine and sine of the joint's angle.
    inertia : ndarray (n, 10)
    first, x, z : ndarray (n, 8)
        Constants of the screws with their m d.
    general : ndarray (n, 12)
        E and r of the transforms that are not between Denavit-Hartenberg frames.
    """
    n = len(model.bodies)
    turn, inertia = np.zeros((n, TURN)), np.zeros((n, INERTIA))
    first, x, z, general = np.zeros((n, SCREW)), np.zeros((n, SCREW)), np.zeros((n, SCREW)), np.zeros((n, TRANSFORM))
    for i in model.outward:
        own = model.bodies[i].inertia
        inertia[i] = 0.0 if own is None else own.ten_parameters
    for i in _moved(model):
        s: Screws = axial_screws(_placement(model, i))
        mass = float(inertia[list(model.subtree(i)), 0].sum())
        angle = q[model.joints[i].q_slice][0] + s.gamma
        turn[i] = np.cos(angle), np.sin(angle)
        first[i], x[i], z[i] = (_constants(*pair, mass) for pair in ((s.beta, s.b), (s.alpha, s.a), (0.0, s.d)))
        E, r = plucker.split(model.joints[i].transform(q) @ model.joints[i].X_tree)
        general[i] = np.concatenate([E.ravel(), r])
    return [turn, inertia, first, x, z, general]


def _constants(angle: float, d: float, mass: float) -> NDArray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c, s, c * s, s * s, 2.0 * c * s, 1.0 - 2.0 * s * s, d, mass * d])


def without_signs(found: Operations) -> Operations:
    """Return the counts without changes of sign, comparisons, sines and cosines."""
    return Operations(mul=found.mul, add=found.add, div=found.div, sqrt=found.sqrt)


def _moved(model: Model) -> list[int]:
    """Return the bodies whose parent is not the base: all but mu(0)."""
    return [i for i in model.outward if model.parent[i] != 0]


def _placement(model: Model, i: int) -> NDArray:
    return model.joints[i].placement
