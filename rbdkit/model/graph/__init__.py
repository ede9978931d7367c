"""How the bodies and joints of a system hang together, before and beside its model (Featherstone 2008, section 4.1).

A `ConnectivityGraph` has bodies for nodes and joints for arcs, loops and all. A `SpanningTree` of it is the choice of
tree joints; the rest are loop joints. A `RegularNumbering` gives bodies and joints the numbers that algorithms want.
`renumbered` builds a model anew by such a choice, with joints reversed where the tree runs against them.
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
