"""rbdkit's own code, counted, beside the published formulas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rbdkit.costs.counted_crba import counted_crba, without_signs
from rbdkit.costs.published import Algorithm, cheapest, formulas
from rbdkit.engine import operations
from rbdkit.library.revolute_trees import general_unbranched
from rbdkit.spatial.compact import chain
from rbdkit.trace import Operations, trace

NAMES: tuple[Algorithm, ...] = ("rnea", "crba", "aba")


@dataclass(frozen=True)
class Comparison:
    """One algorithm on GU(n): what the engine's code does, and the cheapest and dearest rows of Table 10.1.

    Attributes
    ----------
    engine : Operations
        On the model as it is, whose Denavit-Hartenberg frames have zeros to skip.
    general : Operations
        As if there were none.
    screws : Operations
        The same algorithm in the arithmetic of Appendix A, simplified by the same rules. All without sines and
        cosines.
    cheapest, dearest : Operations
        Published for this n.
    """

    algorithm: Algorithm
    n: int
    engine: Operations
    general: Operations
    screws: Operations
    cheapest: Operations
    dearest: Operations

    @property
    def ratio(self) -> float:
        """Operations of the engine for one of the cheapest published."""
        return self.engine.total / self.cheapest.total


def kernel_costs(lengths: Sequence[int], algorithms: Sequence[Algorithm] = NAMES) -> list[Comparison]:
    """Count the kernels on GU(n) and set them beside the table.

    Parameters
    ----------
    lengths : sequence of int
        Numbers n of joints.
    algorithms : sequence of Algorithm, optional
        Of 'rnea', 'crba' and 'aba'.

    Notes
    -----
    The engine knows no axial screws: it has a rotation and a shift for every placement, as a robot file gives them, and
    skips their zeros and ones.
    """
    rows = []
    for n in lengths:
        model = general_unbranched(n)
        for name in algorithms:
            engine, general = (without_signs(operations(model, name, generic)) for generic in (False, True))
            low, high = cheapest(name, n), max(formulas(name), key=lambda row: float(row.total(n)))
            screws = screw_costs(name, n)
            rows.append(Comparison(name, n, engine, general, screws, low.operations(n), high.operations(n)))
    return rows


def screw_costs(algorithm: Algorithm, n: int) -> Operations:
    """Operations of an algorithm on GU(n) by axial screws, `rbdkit.spatial.compact.chain` and `axial_crba`, simplified.

    Parameters
    ----------
    algorithm : Algorithm
        'rnea', 'crba' or 'aba'.
    """
    if algorithm == "crba":
        return counted_crba(general_unbranched(n)).simplified
    run = chain.rnea if algorithm == "rnea" else chain.aba

    def dynamics(fixed: Any, turn: Any, d: Any, inertia: Any, qd: Any, x: Any, gravity: Any) -> Any:
        return run([chain.Link.of(*row) for row in zip(fixed, turn, d, inertia, strict=True)], qd, x, gravity)

    return without_signs(trace(dynamics, (n, 7), (n, 2), n, (n, 10), n, n, 3).operations())
