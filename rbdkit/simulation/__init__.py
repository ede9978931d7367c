"""Motions: `simulate` makes a `Trajectory`, whose report says how far it can be trusted; `sweep` makes many."""

from typing import TYPE_CHECKING

from rbdkit.loaded import loads_later
from rbdkit.simulation.motion import Motion
from rbdkit.simulation.report import Report, Violation
from rbdkit.simulation.sampled import Sampled
from rbdkit.simulation.simulate import SimulationWarning, simulate
from rbdkit.simulation.traced_forces import traced, untraced
from rbdkit.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from rbdkit.simulation.comparison import Comparison, compare_runs
    from rbdkit.simulation.ensembles import Ensemble
    from rbdkit.simulation.group_choice import choose_groups
    from rbdkit.simulation.lower_pairs import lower_pair_table
    from rbdkit.simulation.sweeping import sweep

__all__ = [
    "Comparison",
    "Ensemble",
    "Motion",
    "Report",
    "Sampled",
    "SimulationWarning",
    "Trajectory",
    "Violation",
    "choose_groups",
    "compare_runs",
    "lower_pair_table",
    "simulate",
    "sweep",
    "traced",
    "untraced",
]

# One motion needs neither many nor comparisons.
__getattr__, __dir__ = loads_later(
    __name__,
    {
        "rbdkit.simulation.comparison": ["Comparison", "compare_runs"],
        "rbdkit.simulation.ensembles": ["Ensemble"],
        "rbdkit.simulation.group_choice": ["choose_groups"],
        "rbdkit.simulation.lower_pairs": ["lower_pair_table"],
        "rbdkit.simulation.sweeping": ["sweep"],
    },
)
