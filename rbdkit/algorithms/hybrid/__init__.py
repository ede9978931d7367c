"""Hybrid dynamics: joints whose forces are known beside joints whose motion is (Featherstone 2008, 9.1 and 9.2)."""

from rbdkit.algorithms.hybrid.hybrid_aba import HybridAbaResult, hybrid_aba
from rbdkit.algorithms.hybrid.hybrid_crba import HybridCrbaResult, hybrid_crba
from rbdkit.algorithms.hybrid.hybrid_dynamics import HybridResult, hybrid_dynamics
from rbdkit.algorithms.hybrid.hybrid_equation import HybridEquation, hybrid_equation
from rbdkit.algorithms.hybrid.joint_sets import forward_joints, split_variables, supported_bodies
from rbdkit.algorithms.hybrid.merged_parents import MergedParents, forward_parent, merged_parents

__all__ = [
    "HybridAbaResult",
    "HybridCrbaResult",
    "HybridEquation",
    "HybridResult",
    "MergedParents",
    "forward_joints",
    "forward_parent",
    "hybrid_aba",
    "hybrid_crba",
    "hybrid_dynamics",
    "hybrid_equation",
    "merged_parents",
    "split_variables",
    "supported_bodies",
]
