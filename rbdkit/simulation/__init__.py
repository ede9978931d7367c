"""Motions: `simulate` makes a `Trajectory`, whose report says how far it can be trusted; `sweep` makes many."""

from rbdkit.simulation.comparison import Comparison, compare_runs
from rbdkit.simulation.ensembles import Ensemble
from rbdkit.simulation.group_choice import choose_groups
from rbdkit.simulation.lower_pairs import lower_pair_table
from rbdkit.simulation.motion import Motion
from rbdkit.simulation.report import Report, Violation
from rbdkit.simulation.simulate import SimulationWarning, simulate
from rbdkit.simulation.sweep import sweep
from rbdkit.simulation.traced_forces import traced, untraced
from rbdkit.simulation.trajectory import Trajectory

__all__ = [
    "Comparison",
    "Ensemble",
    "Motion",
    "Report",
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
