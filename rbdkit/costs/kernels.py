"""Operation counts of rbdkit's own code, compared with the published formulas."""

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
    """Operation counts of one algorithm on GU(n): the engine's code, and the extreme rows of Table 10.1.

    Attributes
    ----------
    engine : Operations
        The engine's code on the model, whose Denavit-Hartenberg frames have zeros to skip.
    general : Operations
        The engine's code for general frames, without zeros.
    screws : Operations
        The algorithm in the arithmetic of Appendix A, simplified by the same rules. All without sines and cosines.
    cheapest, dearest : Operations
        Least and largest published count for this n.
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
        """Ratio of the engine's operations to the cheapest published."""
        return self.engine.total / self.cheapest.total


def kernel_costs(lengths: Sequence[int], algorithms: Sequence[Algorithm] = NAMES) -> list[Comparison]:
    """Count the operations of the kernels on GU(n) and compare them with the table.

    Parameters
    ----------
    lengths : sequence of int
        Numbers n of joints.
    algorithms : sequence of Algorithm, optional
        Of 'rnea', 'crba' and 'aba'.

    Notes
    -----
    The engine uses no axial screws: each placement is a rotation and a shift, as in a robot file, whose zeros and ones
    it skips.
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
    """Count the operations of an algorithm on GU(n) by axial screws, simplified.

    The algorithms are those of `rbdkit.spatial.compact.chain` and `axial_crba`.

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
