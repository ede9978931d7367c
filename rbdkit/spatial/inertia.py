"""Rigid-body inertia: mass, centre of mass and rotational inertia, as one value (Featherstone section 2.13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ModelError
from rbdkit.spatial import solids
from rbdkit.spatial.check_arguments import require_switch
from rbdkit.spatial.inertia_check import inertia_findings, mirrored
from rbdkit.spatial.read_numbers import HUGE, floats, number, within
from rbdkit.spatial.so3 import skew, unskew
from rbdkit.spatial.vectors import ForceVector, MotionVector


class Principal(NamedTuple):
    """Principal moments and axes of a rotational inertia.

    Attributes
    ----------
    moments : ndarray (3,)
        kg m^2, ascending.
    axes : ndarray (3, 3)
        The columns, a right-handed rotation matrix.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.Inertia(1.0, inertia_com=[[2, 0, 0], [0, 3, 0], [0, 0, 1]]).principal().moments.tolist()
    [1.0, 2.0, 3.0]
    """

    moments: NDArray
    axes: NDArray


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Inertia:
    """Inertia of a rigid body, in the coordinates of its body frame.

    Parameters
    ----------
    mass : float
        kg.
    com : array_like (3,), optional
        Position of the centre of mass, m.
    inertia_com : array_like (3, 3), optional
        Rotational inertia about the centre of mass, body axes, kg m^2.  A point mass has zeros.  Elements that differ
        from their mirror image by round-off become the mean of both: this matrix and `matrix` are exactly symmetric.
    check : bool, optional
        True refuses what no body can have; False takes anything, and `findings()` says what is wrong with it.

    Raises
    ------
    ModelError
        With `check`: if a number is not finite or beyond 1e30, the mass is negative or zero with an inertia, the
        rotational inertia is not symmetric, not positive semidefinite, or breaks the triangle inequality I1 + I2 >= I3.

    Examples
    --------
    Inertias in one frame just add. A dumbbell of two balls, and its moments about x, y and z through the middle:

    >>> import rbdkit as rbd
    >>> ball = rbd.Inertia.sphere(radius=0.1, mass=5.0)
    >>> dumbbell = ball.transformed(rbd.pose(position=[1, 0, 0])) + ball.transformed(rbd.pose(position=[-1, 0, 0]))
    >>> dumbbell.mass, dumbbell.inertia_com.diagonal().round(9).tolist()
    (10.0, [0.04, 10.04, 10.04])
    """

    mass: float
    com: NDArray
    inertia_com: NDArray

    def __init__(
        self,
        mass: float,
        com: ArrayLike = (0.0, 0.0, 0.0),
        inertia_com: ArrayLike = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
        check: bool = True,
    ) -> None:
        object.__setattr__(self, "mass", float(_read_only(mass, (), "mass")))
        object.__setattr__(self, "com", _read_only(com, (3,), "com"))
        I = mirrored(_read_only(inertia_com, (3, 3), "inertia_com"))
        I.setflags(write=False)
        object.__setattr__(self, "inertia_com", I)
        if type(check) is not bool:
            require_switch("check", check)
        if check and (findings := self.findings()):
            raise ModelError(
                "impossible inertia: " + "; ".join(findings) + ". Inertia(..., check=False) builds it nevertheless."
            )

    @classmethod
    def zero(cls) -> Inertia:
        """No mass at all."""
        return cls(0.0)

    @classmethod
    def from_ten_parameters(cls, parameters: ArrayLike, check: bool = True) -> Inertia:
        """From (m, m cx, m cy, m cz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz), the inertia taken about the frame's origin."""
        phi = floats(parameters, lambda v: f"a rigid-body inertia has 10 parameters, not {v}")
        if phi.shape != (10,):
            raise ModelError(f"a rigid-body inertia has 10 parameters, got an array of shape {phi.shape}.")
        m, h = phi[0], phi[1:4]
        xx, xy, xz, yy, yz, zz = phi[4:]
        c = h / m if m != 0.0 else np.where(h == 0.0, 0.0, np.nan)  # no mass cannot have a first moment: a finding
        C = skew(c)
        return cls(m, c, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * (C @ C.T), check)

    @classmethod
    def from_matrix(cls, matrix: ArrayLike, check: bool = True) -> Inertia:
        """From the 6x6 matrix of Eq 2.63.

        Raises
        ------
        ModelError
            If the matrix is not of that form: a general symmetric 6x6 matrix (an articulated-body inertia, say) has
            21 parameters, a rigid-body inertia 10.
        """
        M = floats(matrix, lambda v: f"a spatial inertia is a 6x6 matrix, not {v}")
        if M.shape != (6, 6):
            raise ModelError(f"a spatial inertia is a 6x6 matrix, got shape {M.shape}.")
        m, h = M[3:, 3:].trace() / 3, unskew(M[:3, 3:])
        upper = [M[0, 0], M[0, 1], M[0, 2], M[1, 1], M[1, 2], M[2, 2]]
        body = cls.from_ten_parameters([m, *h, *upper], check=False)
        error = np.abs(body.matrix - M).max()
        if not error <= 1e-9 * np.abs(M).max():
            raise ModelError(
                f"not the inertia of a rigid body: the matrix differs by {error:.3g} from the form Eq 2.63."
            )
        return cls(body.mass, body.com, body.inertia_com, check)

    @classmethod
    def box(cls, size: ArrayLike, mass: float | None = None, density: float | None = None) -> Inertia:
        """Cuboid of edge lengths `size` (3,), m, about its centre (Sueda Eq 1.24).

        Here and in the other solids exactly one of `mass` (kg) and `density` (kg/m^3) is given.
        """
        return cls._solid(solids.box(size), mass, density)

    @classmethod
    def hollow_box(
        cls, size: ArrayLike, inner_size: ArrayLike, mass: float | None = None, density: float | None = None
    ) -> Inertia:
        """Closed box with a concentric box-shaped cavity."""
        return cls._solid(solids.hollow_box(size, inner_size), mass, density)

    @classmethod
    def sphere(cls, radius: float, mass: float | None = None, density: float | None = None) -> Inertia:
        """Ball about its centre."""
        return cls._solid(solids.hollow_sphere(radius, 0.0), mass, density)

    @classmethod
    def hollow_sphere(
        cls, radius: float, inner_radius: float, mass: float | None = None, density: float | None = None
    ) -> Inertia:
        """Ball with a concentric spherical cavity; inner_radius = radius is the thin shell (give its mass)."""
        return cls._solid(solids.hollow_sphere(radius, inner_radius), mass, density)

    @classmethod
    def ellipsoid(cls, radii: ArrayLike, mass: float | None = None, density: float | None = None) -> Inertia:
        """Ellipsoid of semi-axes `radii` (3,) along x, y, z."""
        return cls._solid(solids.ellipsoid(radii), mass, density)

    @classmethod
    def cylinder(
        cls, radius: float, length: float, mass: float | None = None, density: float | None = None, axis: str = "z"
    ) -> Inertia:
        """Cylinder about its centre, along the axis "x", "y" or "z"."""
        return cls._solid(solids.hollow_cylinder(radius, 0.0, length, axis), mass, density)

    @classmethod
    def hollow_cylinder(
        cls,
        radius: float,
        inner_radius: float,
        length: float,
        mass: float | None = None,
        density: float | None = None,
        axis: str = "z",
    ) -> Inertia:
        """Open tube; inner_radius = radius is the thin-walled tube (give its mass)."""
        return cls._solid(solids.hollow_cylinder(radius, inner_radius, length, axis), mass, density)

    @classmethod
    def capsule(
        cls, radius: float, length: float, mass: float | None = None, density: float | None = None, axis: str = "z"
    ) -> Inertia:
        """Cylinder of `length` with a half ball on each end (overall length: length + 2 radius), about its centre."""
        return cls._solid(solids.capsule(radius, length, axis), mass, density)

    @classmethod
    def cone(
        cls, radius: float, length: float, mass: float | None = None, density: float | None = None, axis: str = "z"
    ) -> Inertia:
        """Circular cone, apex at +length/2 and base at -length/2 on its axis: the centre of mass is at -length/4."""
        return cls._solid(solids.cone(radius, length, axis), mass, density)

    @classmethod
    def mesh(
        cls, vertices: ArrayLike, faces: ArrayLike, mass: float | None = None, density: float | None = None
    ) -> Inertia:
        """Solid bounded by a closed triangle mesh: vertices (n, 3), m, faces (k, 3) of vertex indices."""
        return cls._solid(solids.mesh(vertices, faces), mass, density)

    @classmethod
    def _solid(cls, solid: solids.Solid, mass: float | None, density: float | None) -> Inertia:
        if (mass is None) == (density is None):
            raise ModelError(f"a solid needs exactly one of mass and density, got mass={mass}, density={density}.")
        if mass is not None:
            mass = number(mass, lambda v: f"mass {v} of a solid is not a finite number (kg)")
        else:
            if solid.volume == 0.0:
                raise ModelError("a thin shell has no volume, so a density gives it no mass: give its mass.")
            mass = number(density, lambda v: f"density {v} of a solid is not a finite number (kg/m^3)") * solid.volume
        return cls(mass, solid.com, mass * solid.gyration)

    @cached_property
    def matrix(self) -> NDArray:
        """6x6 matrix [Ic + m c x c x^T, m c x; m c x^T, m 1] at the frame's origin (Eq 2.63), read-only."""
        C = skew(self.com)
        M = np.zeros((6, 6))
        M[:3, :3] = self.inertia_com + self.mass * (C @ C.T)  # C C^T is exactly symmetric, (m C) C^T is not
        M[:3, 3:], M[3:, :3] = self.mass * C, self.mass * C.T
        M[3, 3] = M[4, 4] = M[5, 5] = self.mass
        M.setflags(write=False)
        return M

    @property
    def ten_parameters(self) -> NDArray:
        """(m, m cx, m cy, m cz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz), the inertia taken about the frame's origin."""
        return np.concatenate([[self.mass], self.mass * self.com, self.matrix[np.triu_indices(3)]])

    def __add__(self, other: Any) -> Inertia:
        """Inertia of two bodies welded together, both given in the same frame: spatial inertias just add."""
        if isinstance(other, (int, float)) and other == 0:  # the start value of sum()
            return self
        if not isinstance(other, Inertia):
            return NotImplemented
        m1, m2, c1, c2 = self.mass, other.mass, self.com, other.com
        m = m1 + m2
        if m == 0.0:
            return Inertia(0.0, c1, self.inertia_com + other.inertia_com, check=False)
        D = skew(c2 - c1)
        round_off = 16.0 * np.finfo(float).eps * max(np.abs(c1).max(), np.abs(c2).max())
        if np.abs(c2 - c1).max() <= round_off:  # one point, which is to stay one wherever it is moved to
            D = np.zeros((3, 3))
        inertia_com = self.inertia_com + other.inertia_com + m1 * m2 / m * (D @ D.T)  # parallel axes
        return Inertia(m, (m1 * c1 + m2 * c2) / m, inertia_com, check=False)

    __radd__ = __add__

    @overload
    def __matmul__(self, motion: MotionVector) -> ForceVector: ...
    @overload
    def __matmul__(self, motion: ArrayLike) -> NDArray: ...
    def __matmul__(self, motion: Any) -> Any:
        """I @ v: momentum of the velocity v (Eq 2.61), or the force I @ a; typed in, typed out."""
        if isinstance(motion, MotionVector):
            return ForceVector(self.matrix @ motion.array)
        if isinstance(motion, ForceVector):
            raise TypeError("an inertia maps motion vectors to force vectors; for force to motion use inverse_inertia.")
        return self.matrix @ np.asarray(motion, dtype=float)

    def transformed(self, pose: ArrayLike) -> Inertia:
        """Return the inertia in coordinates of frame A. pose : (4, 4), A_T_B of the present frame B in A."""
        T = floats(pose, lambda v: f"an inertia is moved by a pose (4, 4), not {v}")
        if T.shape != (4, 4):
            raise ModelError(f"an inertia is moved by a pose (4, 4), got shape {T.shape}.")
        R = T[:3, :3]
        return Inertia(self.mass, R @ self.com + T[:3, 3], R @ self.inertia_com @ R.T, check=False)

    def principal(self) -> Principal:
        """Principal moments of inertia about the centre of mass, and their axes in the body frame."""
        moments, axes = np.linalg.eigh(0.5 * (self.inertia_com + self.inertia_com.T))
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        return Principal(moments, axes)

    def findings(self) -> list[str]:
        """Return the reasons why the inertia is unphysical, a sentence each; an empty list for a possible body."""
        return list(self._findings)

    @cached_property
    def _findings(self) -> tuple[str, ...]:
        return tuple(inertia_findings(self.mass, self.com, self.inertia_com))

    @cached_property
    def sensible(self) -> bool:
        """Whether every number is finite and not beyond 1e30, so that results computed from it stay finite."""
        return within(np.array([self.mass, *self.com.tolist(), *self.inertia_com.ravel().tolist()]), HUGE)

    @cached_property
    def _key(self) -> bytes:
        return np.concatenate([[self.mass], self.com, self.inertia_com.ravel()]).tobytes()

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Inertia) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    def __reduce__(self) -> tuple[Any, ...]:
        return Inertia, (
            self.mass,
            self.com,
            self.inertia_com,
            False,
        )  # a copy is read-only and unchecked like this one

    def __repr__(self) -> str:
        return f"Inertia(mass={self.mass!r}, com={self.com.tolist()}, inertia_com={self.inertia_com.tolist()})"


def _read_only(value: ArrayLike, shape: Sequence[int], name: str) -> NDArray:
    array = floats(value, lambda v: f"inertia: {name} must hold numbers of shape {tuple(shape)}, got {v}")
    array = array + 0.0  # a copy, and -0.0 becomes 0.0, so that equal inertias hash equal
    if array.shape != tuple(shape):
        raise ModelError(f"inertia: {name} has shape {array.shape}, it must be {tuple(shape)}.")
    array.setflags(write=False)
    return array
