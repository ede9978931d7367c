"""The parts of a sweep.

A sweep varies names along `Axes`; what does not vary is its `Family`, which makes a `Member` from the values of each
combination. Members travel in a `Chunk` to where they are computed: `pool` has threads of this process and executors,
the `Crew` hands the chunks out and outlives workers. There, members whose loop over time is compiled run in lanes side
by side, others as `rbdkit.simulate` runs them. What became of them is gathered in a `Collection`, in memory or in the
folder of a `Store`, and makes an `Ensemble`, with a `SweepReport` and a `Failure` for each that did not come through.
"""

from rbdkit.simulation.ensembles.ensemble import Ensemble
from rbdkit.simulation.ensembles.report import Failure, SweepReport

__all__ = ["Ensemble", "Failure", "SweepReport"]
