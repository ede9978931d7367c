"""In which order the nodes of a graph are written: each after those that it computes with, few waiting in registers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from rbdkit.trace.graph import Graph

NEAR = 4
"""So many nodes ahead it is looked for one that needs no further register."""


def nearly_as_recorded(graph: Graph, live: Sequence[int]) -> list[int]:
    """The nodes as recorded, but of the `NEAR` that come next the one after which fewest values wait for others.

    What is loaded stands before what first needs it.
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
    near = list(islice(coming, NEAR))
    while near:
        least = NEAR
        for pair in near:
            k, operands = pair
            more = users[k] > 0
            for x in operands:
                if x in done:
                    more -= users[x] == 1
                elif x in loads:
                    more += users[x] > 1
                else:
                    break
            else:
                if more < least:
                    following, least = pair, more
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
    """The nodes, each before what first needs it; of several operands the one with most below it first.

    So few values wait for others at a time (after Sethi and Ullman, Journal of the ACM 17, 1970).
    """
    waiting: dict[int, int] = {}
    for position in live:
        below = sorted((waiting[x] for x in graph.operands(position)), reverse=True)
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
            todo += [(x, False) for x in sorted(operands, key=waiting.__getitem__)]
    return list(order)
