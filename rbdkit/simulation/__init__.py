"""Motions: `simulate` makes a `Trajectory`, whose report says how far it can be trusted."""

from rbdkit.simulation.comparison import Comparison, compare_runs
from rbdkit.simulation.motion import Motion
from rbdkit.simulation.report import Report, Violation
from rbdkit.simulation.simulate import SimulationWarning, simulate
from rbdkit.simulation.trajectory import Trajectory

__all__ = ["Comparison", "Motion", "Report", "SimulationWarning", "Trajectory", "Violation", "compare_runs", "simulate"]
