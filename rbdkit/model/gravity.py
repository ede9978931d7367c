"""The gravity of a model, an attribute that is checked when it is assigned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike, NDArray

from rbdkit.model.kept import require_unsettled
from rbdkit.model.placement import as_gravity

if TYPE_CHECKING:
    from rbdkit.model.model import Model


class Gravity:
    """Acceleration of free fall, (3,), m/s2: read as a plain attribute, assigned as a read-only copy.

    It is read-only because the cache of a model would not notice a number written into the array.
    """

    if TYPE_CHECKING:

        def __get__(self, owner: Model, kind: type) -> NDArray: ...

    def __set__(self, owner: Model, value: ArrayLike) -> None:
        require_unsettled(owner, "its gravity")
        owner.__dict__["gravity"] = as_gravity(value)
