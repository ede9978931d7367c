"""Spatial inertias as ten numbers, physically possible or not."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.spatial import plucker
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.so3 import skew, unskew

PARAMETER_NAMES = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
"""Mass, first moment, and inertia about the body's origin: the order of `Inertia.ten_parameters`."""


class TenNumbers(Inertia):
    """A spatial inertia given by its ten numbers, kept as they are: zeros stay zero, and mass zero may have a moment.

    The readable algorithms, which compute with `matrix`, take it as any other. Where there is a first moment and no
    mass, `com` and `inertia_com` are NaN: what needs a centre of mass cannot be computed then.

    Parameters
    ----------
    parameters : array_like (10,)
        As `Inertia.ten_parameters`.
    """

    def __init__(self, parameters: ArrayLike) -> None:
        numbers = np.array(parameters, dtype=float)
        if numbers.shape != (10,):
            raise ModelError(f"a rigid-body inertia has 10 parameters, got an array of shape {numbers.shape}.")
        numbers.setflags(write=False)
        plain = Inertia.from_ten_parameters(numbers, check=False)
        super().__init__(plain.mass, plain.com, plain.inertia_com, check=False)
        object.__setattr__(self, "_numbers", numbers)

    @property
    def ten_parameters(self) -> NDArray:
        """The ten numbers."""
        return self._numbers  # type: ignore[attr-defined]

    @cached_property
    def matrix(self) -> NDArray:
        """6x6 matrix of Eq 2.63, from the ten numbers, read-only."""
        M = matrix_of(self.ten_parameters)
        M.setflags(write=False)
        return M

    def transformed(self, pose: ArrayLike) -> TenNumbers:
        return TenNumbers(moved(self.ten_parameters, np.asarray(pose, dtype=float)))

    def __add__(self, other: Any) -> Inertia:
        if isinstance(other, Inertia):
            return TenNumbers(self.ten_parameters + other.ten_parameters)
        return super().__add__(other)

    __radd__ = __add__

    def __reduce__(self) -> tuple[Any, ...]:
        return TenNumbers, (self.ten_parameters,)

    def __repr__(self) -> str:
        return f"TenNumbers({self.ten_parameters.tolist()})"


def matrix_of(parameters: NDArray) -> NDArray:
    """The spatial inertia (6, 6) of ten numbers (Eq 2.63)."""
    m, h = parameters[0], parameters[1:4]
    xx, xy, xz, yy, yz, zz = parameters[4:]
    C = skew(h)
    return np.block([[np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), C], [C.T, m * np.eye(3)]])


def ten_of(matrix: NDArray) -> NDArray:
    """The ten numbers of a rigid-body inertia (6, 6)."""
    return np.concatenate([[matrix[3, 3]], unskew(matrix[:3, 3:]), matrix[:3, :3][np.triu_indices(3)]])


def moved(parameters: NDArray, pose: NDArray) -> NDArray:
    """The ten numbers seen from frame A, where `pose` (4, 4) is the pose A_T_B of the present frame B in A."""
    X = plucker.from_pose(pose)
    return ten_of(X.T @ matrix_of(parameters) @ X)  # Eq 2.66
