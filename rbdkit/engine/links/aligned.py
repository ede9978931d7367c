"""Axis permutation: link frames turned about their joints' axes, so that other joints turn about axes of these frames.

Most joints of real robots are about an axis of their parent once frames are chosen well. Such a *cyclic* joint is a
turn in a plane of the parent's axes, whose rotation has four nontrivial elements, not nine; see
`rbdkit.engine.steps.turned`. A frame may be turned about z where its own joint looks the same from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.layout import Layout
from rbdkit.engine.links.numbers import numbers_of
from rbdkit.engine.links.pack import pack, placed
from rbdkit.engine.steps.nodes import Link
from rbdkit.model import Model

ROUND_OFF = 1e-15
"""Distance from an axis up to which a direction is that axis: products of placements are as exact as that."""
ALONG_Z = ("revolute", "prismatic", "helical")
"""Kinds of joints that look the same from a frame turned about z."""


def aligned(model: Model, layout: Layout) -> tuple[Layout, dict[str, NDArray]]:
    """Return the layout with frames turned to make joints cyclic, and the numbers of the model for it.

    Joints that share a freedom (mimic joints) stay as they are: their clusters are eliminated in axes of links.
    """
    numbers = numbers_of(model)
    find = _aligned if layout.uses is None else _aligned.__wrapped__  # uncached: a cache would keep users' objects
    layout = find(layout, model.parent, numbers["placement"].tobytes())
    return layout, pack(model, layout, numbers)


@lru_cache(maxsize=256)
def _aligned(layout: Layout, parent: tuple[int, ...], placements: bytes) -> Layout:
    """Turn the frames of a layout; cached for all models that differ in other numbers."""
    links = layout.links
    if not any(map(_turns_alone, links)):
        return layout
    directions = placed(layout, parent, np.frombuffer(placements).reshape(-1, 4, 4))[1][:, :, 2]
    on_link: list[list[int]] = [[] for _ in range(len(links) + 1)]
    for number, link in enumerate(links, start=1):
        if _turns_alone(link):
            on_link[link.parent].append(number)
    turns, found = np.tile(np.eye(3), (len(links) + 1, 1, 1)), list(links)
    for number, on_it in enumerate(on_link):
        if not on_it:
            continue
        free = number > 0 and links[number - 1].kind.motion.name in ALONG_Z and _is_alone(links[number - 1])
        turns[number], axes = _best(directions[np.array(on_it) - 1], free)
        for other, axis in zip(on_it, axes, strict=True):
            if axis is not None:
                link = links[other - 1]
                found[other - 1] = replace(link, kind=replace(link.kind, cyclic=True), axis=axis)
    if not any(link.kind.cyclic for link in found):
        return layout
    parents = np.array([link.parent for link in links])
    stands = np.where(layout.first[:, None, None], np.eye(3), turns[parents].transpose(0, 2, 1))
    frames = layout.frames.copy()
    frames[:, :3] = turns[layout.link_of_body].transpose(0, 2, 1) @ frames[:, :3]
    return replace(layout, links=tuple(found), bases=stands @ layout.bases @ turns[1:], frames=frames)


def _is_alone(link: Link) -> bool:
    """Return whether a link's joint shares no freedom."""
    return not link.kind.follows and not link.kind.cluster


def _turns_alone(link: Link) -> bool:
    return link.kind.motion.name == "revolute" and _is_alone(link)


def _best(seen: NDArray, free: bool) -> tuple[NDArray, list[int | None]]:
    """Return the turn about z from which most directions are axes, and the axis of each."""
    best, best_axes = np.eye(3), _axes(seen)
    for turn in _turns(seen) if free else ():
        axes = _axes(seen @ turn)
        if axes.count(None) < best_axes.count(None):
            best, best_axes = turn, axes
    return best, best_axes


def _turns(seen: NDArray) -> Iterator[NDArray]:
    """Yield the turns about z that make one of the directions x or y."""
    for x, y, z in seen:
        if abs(z) <= ROUND_OFF:
            # the turn that makes the direction x, and the one that makes it y
            for c, s in ((x, y), (y, -x)):
                # exact zeros and ones fold what they are multiplied by
                c, s = (float(round(k)) if abs(k - round(k)) <= ROUND_OFF else k for k in (c, s))
                yield np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _axes(seen: NDArray) -> list[int | None]:
    """Return for each direction the axis that it is, None if it is none."""
    near = np.max(np.abs(seen[:, None, :] - np.eye(3)), axis=2) <= ROUND_OFF
    return [int(np.argmax(row)) if row.any() else None for row in near]
