"""Custom dynamics of one model: an algorithm run on symbols with the model's numbers folded in (Featherstone, 10.4)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import numpy as np

from rbdkit.engine.links.layout import layout
from rbdkit.engine.links.numbers import numbers_of
from rbdkit.engine.links.pack import pack
from rbdkit.engine.steps.aba import aba
from rbdkit.engine.steps.rnea import rnea
from rbdkit.engine.steps.unrolled_tree import UnrolledTree
from rbdkit.errors import ModelError
from rbdkit.model import Model
from rbdkit.model.requirements import require_independent_joints, require_undriven
from rbdkit.trace import Block, Graph, Program, Scalar, Symbol, Trace, replay, symbols

INPUTS = {"rnea": ("q", "v", "qdd"), "aba": ("q", "v", "tau")}
OUTPUT = {"rnea": "tau", "aba": "qdd"}
NUMBERS = ("gravity", "placement", "mass", "com", "inertia", "armature")


def custom_dynamics(
    model: Model, algorithm: Literal["rnea", "aba"] = "rnea", at_run_time: Collection[str] = ()
) -> Trace:
    """Trace inverse or forward dynamics of one model with its numbers folded in, simplified by the four rules.

    ``rbdkit.trace.python_source`` turns it into code, ``.operations()`` counts it, ``trace(q, v, qdd)`` evaluates it.

    Parameters
    ----------
    algorithm : {'rnea', 'aba'}, optional
        'rnea', a function of q, v, qdd that gives tau; or 'aba', of q, v, tau, that gives qdd.
    at_run_time : optional
        Numbers of the model that stay variable, as further arguments in this order: 'gravity' (3,), 'placement'
        (bodies, 4, 4) of the joints, 'mass' (bodies,), 'com' (bodies, 3), 'inertia' (bodies, 3, 3) about the centre
        of mass, 'armature' (nv,); body 0 is the world. All others become constants.

    Raises
    ------
    ModelError
        If the algorithm or a name in at_run_time is unknown; if there are prescribed joints; and for 'aba' if there are
        mimic joints or loops. 'rnea' takes the spanning tree.
    NotCovered
        If the compiler does not support a joint of the model.
    """
    if algorithm not in INPUTS:
        raise ModelError(f"algorithm {algorithm!r}: custom code is made of {' and '.join(INPUTS)}")
    if algorithm == "aba":
        require_independent_joints(model, "custom code of ABA", "rnea, or forward_dynamics of the model")
    require_undriven(model, "custom code", "a Python function cannot be folded in")
    unknown = [name for name in at_run_time if name not in NUMBERS]
    if unknown:
        raise ModelError(f"at_run_time = {unknown!r}: there are {', '.join(NUMBERS)}")
    plan, graph, given = layout(model), Graph(), numbers_of(model)
    variable = [name for name in NUMBERS if name in at_run_time]
    for name in variable:
        shape = given[name].shape
        given[name] = symbols([graph.load(name, None, k) for k in range(given[name].size)]).reshape(shape)
    numbers = {name: np.asarray(values).ravel() for name, values in pack(model, plan, given).items()}

    def leaf(node: tuple) -> Scalar:
        _, array, _, k = node
        if array in INPUTS[algorithm]:
            return graph.load(array, None, k)
        value = numbers[array][k]
        return value if isinstance(value, Symbol) else float(value)

    tree = UnrolledTree(Program(algorithm), plan.links, plan.nq, plan.nv, {})
    outputs = replay(_recorded(tree, algorithm), leaf)
    shapes = ((plan.nq,), (plan.nv,), (plan.nv,), *(given[name].shape for name in variable))
    return Trace(graph, (*INPUTS[algorithm], *variable), shapes, tuple(outputs), (plan.nv,))


def _recorded(tree: UnrolledTree, algorithm: str) -> Trace:
    """Trace the algorithm on a tree with all numbers variable; leaves are named like the engine's arrays."""
    output, nv = OUTPUT[algorithm], tree.nv
    v, x, y = (tree.velocities(name) for name in (*INPUTS[algorithm][1:], output))
    (rnea if algorithm == "rnea" else aba)(tree, tree.coordinates("q"), v, x, y)
    (block,) = (statement for statement in tree.program.body if isinstance(statement, Block))
    nodes, outputs = block.graph.nodes, []
    for k in range(nv):
        position = block.stores[(output, None, k)]
        constant = nodes[position][0] == "const"
        outputs.append(nodes[position][1] if constant else Symbol(block.graph, position))
    return Trace(block.graph, (), (), tuple(outputs), (nv,))
