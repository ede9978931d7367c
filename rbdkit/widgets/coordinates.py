"""Coordinates as slider values: plain numbers stay, a unit quaternion becomes a rotation vector."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rbdkit.model import Model
from rbdkit.scene.grid import nice
from rbdkit.spatial import quaternion
from rbdkit.widgets.panel import Slider


@dataclass(frozen=True)
class Block:
    """Neighbouring coordinates that sliders move together: one number, or the four of a quaternion."""

    q_slice: slice
    sliders: tuple[Slider, ...]

    @property
    def rotation(self) -> bool:
        """Whether these are the four numbers of a quaternion."""
        return self.q_slice.stop - self.q_slice.start == 4

    def values(self, q: NDArray) -> NDArray:
        """Return the slider values of coordinates."""
        own = q[self.q_slice]
        return quaternion.log(own) if self.rotation else own

    def coordinates(self, values: NDArray) -> NDArray:
        """Return the coordinates, on their manifold, for slider values."""
        return quaternion.exp(values) if self.rotation else values


class Coordinates:
    """The map between the coordinates of a model and slider values.

    Parameters
    ----------
    model : Model
        Its joints give names, units and limits; without a limit an angle runs over a turn, a length over `reach`.
    q : ndarray (nq,)
        Coordinates at rest.
    reach : float
        m.

    Attributes
    ----------
    sliders : tuple of Slider
        One a number.
    joints : tuple of str
        To which joints these belong.
    """

    def __init__(self, model: Model, q: NDArray, reach: float) -> None:
        self.nq = model.nq
        self.blocks: list[Block] = []
        step = nice(reach)
        for joint in model.joints:
            if joint.mimic is not None:
                continue
            k = 0
            while k < joint.nq:
                start = joint.q_slice.start + k
                if joint.type.q_units[k] == "1":
                    rest = quaternion.log(q[start : start + 4])
                    sliders = tuple(
                        Slider(
                            f"{joint.name}.r{a}",
                            "rad",
                            -np.pi,
                            np.pi,
                            float(r),
                            f"rotation vector along {a}: axis times angle",
                        )
                        for a, r in zip("xyz", rest, strict=True)
                    )
                    self.blocks.append(Block(slice(start, start + 4), sliders))
                    k += 4
                    continue
                unit = joint.type.q_units[k]
                low, high = float(np.asarray(joint.limits.lower)[k]), float(np.asarray(joint.limits.upper)[k])
                half = np.pi if unit == "rad" else step
                limited = bool(np.isfinite(low) and np.isfinite(high))
                low, high = (low if np.isfinite(low) else min(q[start], high) - half), high
                high = high if np.isfinite(high) else max(q[start], low) + half
                if low == high:
                    low, high = low - half, high + half
                name = joint.name if joint.nq == 1 else f"{joint.name}.{joint.type.q_names[k]}"
                tip = f"{joint.type.kind} joint, {joint.type.q_names[k]}" + (" within its limits" if limited else "")
                self.blocks.append(
                    Block(slice(start, start + 1), (Slider(name, unit, low, high, float(q[start]), tip, limited),))
                )
                k += 1
        names = [joint.name for joint in model.joints if joint.mimic is None for _ in range(joint.nq)]
        self.joints = tuple(names[block.q_slice.start] for block in self.blocks for _ in block.sliders)
        self.sliders = tuple(slider for block in self.blocks for slider in block.sliders)

    def q(self, values: NDArray) -> NDArray:
        """Return the coordinates (nq,) for slider values."""
        q, k = np.empty(self.nq), 0
        for block in self.blocks:
            q[block.q_slice] = block.coordinates(values[k : k + len(block.sliders)])
            k += len(block.sliders)
        return q

    def values(self, q: NDArray) -> NDArray:
        """Return the slider values of coordinates (nq,)."""
        return np.concatenate([block.values(q) for block in self.blocks]) if self.blocks else np.zeros(0)
