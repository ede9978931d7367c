"""Operations on the shapes, density and inertia of a body."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from rbdkit.drafting.density import solid_inertia
from rbdkit.drafting.operation import Operation, numbers
from rbdkit.drafting.sheet import Sheet
from rbdkit.errors import ModelError
from rbdkit.model import Geometry, Shape
from rbdkit.spatial.inertia import Inertia


@dataclass(frozen=True, eq=False)
class SetGeometry(Operation):
    """Replace the shapes of a body. geometry : shapes, or `Geometry` for a shape with a place, colour or role."""

    key: int
    geometry: Iterable[Geometry | Shape]

    def __post_init__(self) -> None:
        object.__setattr__(self, "geometry", tuple(self.geometry))

    def apply(self, sheet: Sheet) -> Sheet:
        part = sheet.part(self.key)
        shapes = tuple(Geometry(shape) if isinstance(shape, Shape) else shape for shape in self.geometry)
        for shape in shapes:
            if not isinstance(shape, Geometry):
                raise ModelError(
                    f"body {part.name!r}: {shape!r} is neither a shape such as Box([1, 1, 1]) nor a Geometry"
                )
        return sheet.changed(replace(part, geometry=shapes))

    def __str__(self) -> str:
        return "shape"

    @property
    def subject(self) -> tuple[object, ...]:
        return "geometry", self.key


@dataclass(frozen=True, eq=False)
class SetDensity(Operation):
    """Fill the visual shapes of a body evenly; from now on the inertia follows them. density : kg/m3.

    None gives the inertia back to the hand, with the numbers that it had.
    """

    key: int
    density: float | None

    def apply(self, sheet: Sheet) -> Sheet:
        part = sheet.part(self.key)
        if self.density is not None:
            (density,) = numbers([self.density], 1, f"density of body {part.name!r}")
            return sheet.changed(replace(part, density=density, inertia=None))
        if part.density is None:
            return sheet
        try:
            inertia = solid_inertia(part.geometry, part.density)
        except ModelError:
            inertia = None  # the density gave none: its finding has said why
        return sheet.changed(replace(part, density=None, inertia=inertia))

    def __str__(self) -> str:
        return "inertia by hand" if self.density is None else "density"

    @property
    def subject(self) -> tuple[object, ...]:
        return "density", self.key


@dataclass(frozen=True, eq=False)
class SetInertia(Operation):
    """Mass, centre of mass and inertia of a body by hand; None for none. Unphysical numbers are a finding."""

    key: int
    inertia: Inertia | None

    def apply(self, sheet: Sheet) -> Sheet:
        if self.inertia is not None and not isinstance(self.inertia, Inertia):
            raise ModelError(f"inertia {self.inertia!r} must be an Inertia(mass, com, inertia_com, check=False)")
        return sheet.changed(replace(sheet.part(self.key), density=None, inertia=self.inertia))

    def __str__(self) -> str:
        return "inertia"

    @property
    def subject(self) -> tuple[object, ...]:
        return "inertia", self.key
