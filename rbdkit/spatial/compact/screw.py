"""Axial screws: a turn about and a shift along one coordinate axis (Featherstone 2008, section A.4, Table A.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, overload

from rbdkit.spatial.compact import screw_on_free, shift
from rbdkit.spatial.compact.axial import OTHERS, AxialRotation, rx, ry, rz
from rbdkit.spatial.compact.free_about_z import abi_z
from rbdkit.spatial.compact.inertias import abi, rbi
from rbdkit.spatial.compact.motion_force import fv, mv
from rbdkit.spatial.compact.refusal import kind, refuse
from rbdkit.spatial.compact.transform import APPLICABLE, plx
from rbdkit.spatial.vector3 import Scalar, Vector


@dataclass(frozen=True, slots=True)
class AxialScrew:
    """rot(E) xlt(r), or the other way round, with E a rotation about the axis along which r is: they commute.

    Attributes
    ----------
    E : AxialRotation
        The rotation, with its constants.
    d : Scalar
        Length of the shift, m.
    """

    __array_ufunc__: ClassVar[None] = None

    E: AxialRotation
    d: Scalar

    @property
    def axis(self) -> str:
        """'x', 'y' or 'z'."""
        return self.E.axis

    def plx(self) -> plx:
        """Return it as a general transform."""
        r = [0.0, 0.0, 0.0]
        r[OTHERS[self.axis][2]] = self.d
        return plx(self.E.matrix, Vector(r))

    def inverse(self) -> AxialScrew:
        """The screw back: only signs change."""
        return AxialScrew(self.E.inverse, -self.d)

    def __matmul__(self, v: mv) -> mv:
        """X v."""
        if not isinstance(v, mv):
            refuse(f"screw @ {kind(v)}", "X multiplies an mv; X.apply(...) finds the rule for the others")
        return self.apply(v)

    @overload
    def apply(self, x: mv) -> mv: ...
    @overload
    def apply(self, x: fv) -> fv: ...
    @overload
    def apply(self, x: rbi) -> rbi: ...
    @overload
    def apply(self, x: abi) -> abi: ...
    @overload
    def apply(self, x: abi_z) -> abi | abi_z: ...
    def apply(self, x: Any) -> Any:
        """x in the coordinates of the new frame: X v and X* f, 10m + 6a; X* I X^-1, 16m + 15a; X* I^A X^-1, 38m + 40a.

        An abi_z costs 28m + 34a and stays one if the screw is about z; else 32m + 28a, and it becomes an abi.
        """
        E, axis, d = self.E, self.axis, self.d
        match x:
            case mv():
                return mv(E.vector(x.omega), E.vector(shift.at_origin(axis, d, x.v, x.omega)))
            case fv():
                return fv(E.vector(shift.at_origin(axis, d, x.n, x.f)), E.vector(x.f))
            case rbi():
                shifted = shift.rigid(axis, d, x)
                return rbi(x.m, E.vector(shifted.h), E.symmetric(shifted.I))
            case abi():
                Y = shift.corner(axis, d, x.H, x.M)
                return abi(E.symmetric(x.M), E.general(Y), E.symmetric(shift.top(axis, d, x.I, x.H, Y)))
            case abi_z():
                return (screw_on_free.about_z if axis == "z" else screw_on_free.about_x_or_y)(E, d, x)
        refuse(f"{kind(self)}.apply({kind(x)})", APPLICABLE)

    @overload
    def inv_apply(self, x: mv) -> mv: ...
    @overload
    def inv_apply(self, x: fv) -> fv: ...
    @overload
    def inv_apply(self, x: rbi) -> rbi: ...
    @overload
    def inv_apply(self, x: abi) -> abi: ...
    @overload
    def inv_apply(self, x: abi_z) -> abi | abi_z: ...
    def inv_apply(self, x: Any) -> Any:
        """x given in the new frame, in coordinates of the old one, at the cost of `apply`: X^-1 v, X^T f, X^T I X."""
        return self.inverse().apply(x)


def scrx(theta: Scalar, d: Scalar) -> AxialScrew:
    """Transform to a frame turned by theta (rad) about x and shifted by d (m) along it; 2m + 3a once."""
    return AxialScrew(rx(theta), d)


def scry(theta: Scalar, d: Scalar) -> AxialScrew:
    """Transform to a frame turned by theta (rad) about y and shifted by d (m) along it; 2m + 3a once."""
    return AxialScrew(ry(theta), d)


def scrz(theta: Scalar, d: Scalar) -> AxialScrew:
    """Transform to a frame turned by theta (rad) about z and shifted by d (m) along it; 2m + 3a once."""
    return AxialScrew(rz(theta), d)
