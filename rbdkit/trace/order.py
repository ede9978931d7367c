"""Instruction scheduling: orders of a graph's nodes in which few values wait in registers at the same time.

A processor has 16 or 32 vector registers; values beyond are spilled to memory and loaded again. LLVM runs no
optimisation passes on rbdkit's code (`rbdkit.trace.emit.llvm`), so the order in which it gets the instructions decides
how many values wait, and is chosen here.

The order in which an algorithm was recorded is good already for small models, so `nearly_as_recorded` changes it
locally only: a greedy list scheduler with a short window, which takes the node that leaves fewest values waiting. In
blocks of thousands of nodes, where one model is written out, `as_needed` orders from the results downwards, the more
demanding operand first, after Sethi and Ullman (Journal of the ACM 17, 1970). Their order is optimal for trees; here,
where values are shared, it is a heuristic.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from rbdkit.trace.graph import Graph

NEAR = 4
"""Window of the scheduler: number of nodes ahead among which it looks for one that needs no further register."""


def nearly_as_recorded(graph: Graph, live: Sequence[int]) -> list[int]:
    """Return the nodes nearly as recorded: of the next `NEAR`, always the one after which fewest values are waiting.

    A load is placed before the first node that needs it.
    """
    nodes, users = graph.nodes, [0] * len(graph.nodes)
    order = [k for k in live if nodes[k][0] == "const"]  # these wait in no register
    loads = {k for k in live if nodes[k][0] == "load"}
    done, below = {*order}, {}
    for k in live:
        if k not in done and k not in loads:
            below[k] = operands = [x for x in {*nodes[k][1:]} if x not in done]
            for x in operands:
                users[x] += 1
    coming = iter(below.items())
    # the window: only these nodes may come next, so the order stays close to the recorded one
    near = list(islice(coming, NEAR))
    while near:
        least = NEAR
        for pair in near:
            k, operands = pair
            # change in the number of occupied registers: the result takes one, an operand at its last use gives its own
            # back, and a load that is needed again later takes another
            more = users[k] > 0
            for x in operands:
                if x in done:
                    more -= users[x] == 1
                elif x in loads:
                    more += users[x] > 1
                else:  # an operand has not been computed yet, so the node has to wait
                    break
            else:
                if more < least:
                    following, least = pair, more
                    # it frees a register: good enough to end the search
                    if more < 0:
                        break
        near.remove(following)
        near += islice(coming, 1)
        k, operands = following
        for x in operands:
            users[x] -= 1
            if x not in done:
                order.append(x)
                done.add(x)
        order.append(k)
        done.add(k)
    return [*order, *(k for k in live if k in loads and k not in done)]


def as_needed(graph: Graph, live: Sequence[int], roots: Sequence[int]) -> list[int]:
    """Return the nodes depth first from the roots; of several operands, the one that needs most registers first.

    So few values are waiting at a time (after Sethi and Ullman, Journal of the ACM 17, 1970).
    """
    waiting: dict[int, int] = {}
    for position in live:
        below = sorted((waiting[x] for x in graph.operands(position)), reverse=True)
        # Sethi-Ullman number: while operand k is computed, the results of the k operands before it wait
        waiting[position] = max((n + k for k, n in enumerate(below)), default=1)
    order: dict[int, None] = {}
    todo = [(root, False) for root in reversed(roots)]
    while todo:
        position, ready = todo.pop()
        if ready:
            order[position] = None
        elif position not in order:
            todo.append((position, True))
            operands = [x for x in graph.operands(position) if x not in order]
            # on a stack, what is put last comes first: the operand that needs most registers
            todo += [(x, False) for x in sorted(operands, key=waiting.__getitem__)]
    return list(order)
