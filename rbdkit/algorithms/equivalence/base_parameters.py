"""Base parameters: combinations of inertial parameters that motions and joint forces identify."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms.equivalence.ten_numbers import PARAMETER_NAMES
from rbdkit.algorithms.regressor import inertial_regressor
from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.model.requirements import require_tree, require_undriven

TOLERANCE = 1e-9
"""Relative residual below which a column of the regressor counts as a combination of others."""


@dataclass(frozen=True)
class BaseParameters:
    """Base parameters of a model, as combinations of all inertial parameters.

    Attributes
    ----------
    names : tuple of str
        Names 'body.mx', ... of all parameters without those of the world.
    columns : tuple of int
        Indices of the base parameters among them.
    K : ndarray
        (base, all): ``beta = K pi`` are the base parameters, combinations of all parameters pi.
    singular_values : ndarray
        Singular values of the stacked regressor with columns of unit length.
    """

    names: tuple[str, ...]
    columns: tuple[int, ...]
    K: NDArray
    singular_values: NDArray

    @property
    def rank(self) -> int:
        """Number of combinations that can be identified."""
        return len(self.columns)

    @property
    def lost(self) -> tuple[str, ...]:
        """Names of the parameters that have no effect at all."""
        return tuple(name for name, column in zip(self.names, self.K.T, strict=True) if not column.any())

    @property
    def alone(self) -> tuple[str, ...]:
        """Names of the parameters that can be identified individually."""
        single = [self.names[k] for k, row in zip(self.columns, self.K, strict=True) if np.count_nonzero(row) == 1]
        return tuple(single)

    def null_space(self) -> NDArray:
        """Return the parameter changes without effect on any motion, (all, all - base), orthonormal columns."""
        V = np.linalg.svd(self.K)[2]
        return np.asarray(V[self.rank :].T)

    def describe(self) -> str:
        """The base parameters, a line each."""
        lines = []
        for row in self.K:
            terms = [f"{x:+.4g} {name}" for x, name in zip(row, self.names, strict=True) if x != 0.0]
            lines.append(" ".join(terms).removeprefix("+1 ").replace("+1 ", "+ ").replace("-1 ", "- "))
        return "\n".join(lines)


def base_parameters(model: Model, seed: int = 0, states: int | None = None) -> BaseParameters:
    """The base inertia parameters of a model (Gautier and Khalil 1990; Featherstone 2008, section 9.7).

    The regressor of `inertial_regressor` at random states, stacked; a column that is a combination of columns before it
    (bodies from the base outward) joins these.

    Parameters
    ----------
    states : int, optional
        How many; enough to have twice as many rows as parameters if not given.

    Raises
    ------
    ModelError
        If no joint moves, joints close loops (then not all motions are possible), or time moves some.
    """
    require_tree(model, "the search for base parameters")
    require_undriven(model, "the search for base parameters", "what its motion shows depends on how that goes on")
    if model.nv == 0:
        raise ModelError(f"model {model.name!r} has no joint that moves, so no motion can tell its inertia parameters")
    rng = np.random.default_rng(seed)
    names = tuple(f"{body.name}.{name}" for body in model.bodies[1:] for name in PARAMETER_NAMES)
    count = states or max(8, 2 * len(names) // model.nv + 1)
    rows = []
    for _ in range(count):
        q, v, a = model.random_q(rng), *3.0 * rng.normal(size=(2, model.nv))
        rows.append(inertial_regressor(model, q, v, a)[:, 1:].reshape(model.nv, -1))
    Y = np.concatenate(rows)
    columns, K = _regrouped(Y)
    length = np.linalg.norm(Y, axis=0)
    scaled = Y / np.where(length > TOLERANCE * length.max(), length, np.inf)
    return BaseParameters(names, columns, K, np.linalg.svd(scaled, compute_uv=False))


def _regrouped(Y: NDArray) -> tuple[tuple[int, ...], NDArray]:
    """Independent columns, each the first of its kind, and K with ``Y = Y[:, columns] @ K``."""
    length = np.linalg.norm(Y, axis=0)
    basis: list[NDArray] = []
    columns: list[int] = []
    for k, column in enumerate(Y.T):
        rest = column.copy()
        for _ in range(2):  # twice is enough for orthogonality to round-off
            for direction in basis:
                rest -= direction * (direction @ rest)
        if np.linalg.norm(rest) > TOLERANCE * length.max() and np.linalg.norm(rest) > TOLERANCE * length[k]:
            basis.append(rest / np.linalg.norm(rest))
            columns.append(k)
    K = np.linalg.lstsq(Y[:, columns], Y, rcond=None)[0]
    K[np.abs(K) < 1e-8] = 0.0
    K[:, columns] = np.eye(len(columns))
    return tuple(columns), K
