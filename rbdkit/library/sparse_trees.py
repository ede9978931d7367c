"""Trees whose branches leave zeros in H: those of Featherstone (2008), Figures 6.2 to 6.4, as parent arrays."""

from __future__ import annotations

from rbdkit.errors import ModelError
from rbdkit.library.parent_arrays import branched_parents, chain_parents

FIG_6_2 = {
    "a": (0, 0, 0, 0, 0, 0, 0),
    "b": chain_parents(7),
    "c": (0, 1, 2, 2, 4, 1, 6),
    "d": branched_parents(7),
    "e": (0, 1, 2, 2, 1, 5, 5),
}
"""All bodies on the base; a chain; something in between; one binary tree numbered level by level and depth first.

What the figure shows of (a), (b), (d) and (e) follows from the text; (c) is ours, of about the density that the text
names.
"""

FIG_6_3 = branched_parents(7)
"""A tree like that of Figures 6.3 and 6.4: rows 7, 6 and 5 have two entries each left of the diagonal."""

EXPANDED = ((0, 1, 1, 2, 2, 3), (1, 3, 1, 1, 1, 1))
"""The tree drawn beside Table 6.4: its parent array, and the freedoms of its joints."""


def limbed_parents(n: int, limbs: int = 5, trunk: int = 6) -> tuple[int, ...]:
    """A trunk with limbs of equal length at its end, the shape of walking machines.

    Parameters
    ----------
    n : int
        Bodies in all.
    limbs : int, optional
        How many, as long as the bodies suffice.
    trunk : int, optional
        Bodies of the trunk, a chain.

    Raises
    ------
    ModelError
        If there is no limb, or no body in the trunk.
    """
    if limbs < 1 or trunk < 1:
        raise ModelError(f"limbs = {limbs!r}, trunk = {trunk!r}: a limbed tree has at least one of each")
    return tuple(i - 1 if i <= trunk else max(trunk, i - limbs) for i in range(1, n + 1))
