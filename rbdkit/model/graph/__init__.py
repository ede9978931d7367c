"""Topology of a rigid-body system: connectivity graph, spanning tree, numbering (Featherstone 2008, section 4.1).

A `ConnectivityGraph` has bodies as nodes and joints as arcs, including loops. A `SpanningTree` is a choice of tree
joints; the other joints are loop joints. A `RegularNumbering` numbers bodies and joints as the algorithms need them.
`renumbered` rebuilds a model by such a choice, with joints reversed where the tree runs against them.
"""

from rbdkit.model.graph.connectivity import Arc, ConnectivityGraph
from rbdkit.model.graph.numbering import (
    RegularNumbering,
    count_regular_numberings,
    regular_numbering,
    regular_numberings,
)
from rbdkit.model.graph.rebuild import Renumbered, graph_of, renumbered
from rbdkit.model.graph.reorder import depth_first, reordered
from rbdkit.model.graph.spanning_tree import SpanningTree, shallowest_tree, spanning_tree, spanning_trees

__all__ = [
    "Arc",
    "ConnectivityGraph",
    "RegularNumbering",
    "Renumbered",
    "SpanningTree",
    "count_regular_numberings",
    "depth_first",
    "graph_of",
    "regular_numbering",
    "regular_numberings",
    "renumbered",
    "reordered",
    "shallowest_tree",
    "spanning_tree",
    "spanning_trees",
]
