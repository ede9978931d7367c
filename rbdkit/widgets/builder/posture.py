"""Posture in the builder's picture of the model under construction."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rbdkit.algorithms import forward_kinematics
from rbdkit.assembly import assemble
from rbdkit.drafting import GROUND
from rbdkit.errors import RbdkitError, StateError
from rbdkit.joints.joint_type import JointType
from rbdkit.model import Model
from rbdkit.model.closing import followed, is_closed, is_tied
from rbdkit.widgets.coordinates import Coordinates
from rbdkit.widgets.panel import Slider


class Posture:
    """The model that is shown, in the coordinates that sliders gave its joints.

    Attributes
    ----------
    model
        What is shown, which lags behind the draft while no model can be made of it.
    keys
        In the draft, of the model's bodies, the world first.
    q : ndarray (nq,)
        Coordinates.
    poses : ndarray (bodies, 4, 4)
        World poses.
    """

    def __init__(self) -> None:
        self.keys: tuple[int, ...] = (GROUND,)
        self._kept: dict[int, NDArray] = {}
        self.take(Model(), self.keys)

    def take(self, model: Model, keys: tuple[int, ...]) -> None:
        """Show another model; joints keep the coordinates that sliders gave them."""
        self.model, self.keys = model, keys or self.keys
        q = model.neutral()
        for joint, key in zip(model.joints, self.keys, strict=False):
            kept = self._kept.get(key)
            if joint.mimic is None and kept is not None and len(kept) == joint.nq:
                q[joint.q_slice] = kept
        self._stand(q if _on_manifold(model, q) else model.neutral())

    def forget(self) -> None:
        """Set all joints back to neutral with the next model."""
        self._kept = {}

    def _stand(self, q: NDArray) -> None:
        self.q, self.poses = q, np.asarray(forward_kinematics(self.model, q).poses)

    def number(self, key: int) -> int | None:
        """Return the number of a body in the model that is shown, or None."""
        return self.keys.index(key) if key in self.keys else None

    def sliders(self, key: int, type_: JointType, size: float) -> list[tuple[Slider, float]]:
        """Return sliders of a body's joint with their values; none if the model shows it as another type.

        Parameters
        ----------
        size : float
            Size of the picture, m, which sets the reach of a slider without limits.
        """
        joint = self.model.joints[self.keys.index(key)]
        if joint.mimic is not None or joint.type != type_:
            return []
        found = []
        for block in self._coordinates(size).blocks:
            if joint.q_slice.start <= block.q_slice.start < joint.q_slice.stop:
                found += list(zip(block.sliders, block.values(self.q).tolist(), strict=True))
        return found

    def slide(self, key: int, number: int, value: float, size: float) -> None:
        """Move a slider of a body's joint; loops that are closed stay closed, the other joints follow.

        Raises `StateError` if they cannot: it then stands as far on the way as they let it go.
        """
        joint, coordinates = self.model.joints[self.keys.index(key)], self._coordinates(size)
        before = [block for block in coordinates.blocks if block.q_slice.start < joint.q_slice.start]
        values = coordinates.values(self.q)
        values[sum(len(block.sliders) for block in before) + number] = value
        target, arrived = coordinates.q(values), True
        if is_tied(self.model) and is_closed(self.model, self.q):
            led = np.zeros(self.model.nv, dtype=bool)
            led[joint.v_slice] = True
            target, arrived = followed(self.model, self.q, target, led)
        self._stand(target)
        self._keep_all()
        if not arrived:
            raise StateError(f"joint {joint.name!r} is at its end: what holds the others stops it there")

    def close(self) -> None:
        """Move the joints so that all loops close; raises `StateError` if they cannot."""
        self._stand(assemble(self.model, self.q))
        self._keep_all()

    def _keep_all(self) -> None:
        for joint, key in zip(self.model.joints, self.keys, strict=False):
            if joint.mimic is None and joint.nq:
                self._kept[key] = self.q[joint.q_slice].copy()

    def _coordinates(self, size: float) -> Coordinates:
        return Coordinates(self.model, self.model.neutral(), 0.5 * size)


def _on_manifold(model: Model, q: NDArray) -> bool:
    try:
        model.check_q(q)
    except RbdkitError:
        return False
    return True
