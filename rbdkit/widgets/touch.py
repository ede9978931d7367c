"""Interaction with a picture: picking and dragging by the mouse, and highlights and arrows in response."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import traitlets
from numpy.typing import ArrayLike, NDArray

from rbdkit.scene import Arrow, Ellipsoid, Scene, pack_arrows, pack_ellipsoids, palette, seven
from rbdkit.spatial import quaternion, se3
from rbdkit.widgets.front import Front


@dataclass(frozen=True)
class Pick:
    """A click in the picture: node and layer, and the point and outward normal there, (3,) in world coordinates.

    Attributes
    ----------
    node : str
        Its name; '' for the background, and then point and normal are zero.
    """

    node: str
    layer: str
    point: NDArray
    normal: NDArray


class Touch(Front):
    """Base of a picture that can be touched.

    Attributes
    ----------
    selected
        Names of nodes that stand out.
    """

    scene: Scene

    selected = traitlets.List(traitlets.Unicode()).tag(sync=True)

    _arrows = traitlets.Bytes(b"").tag(sync=True)
    _ellipsoids = traitlets.Bytes(b"").tag(sync=True)
    _arrow_names: traitlets.List[list[str]] = traitlets.List().tag(sync=True)  # symbol, and what stands beside it
    _ellipsoid_names: traitlets.List[str] = traitlets.List().tag(sync=True)
    _travel = traitlets.Bytes(b"").tag(sync=True)  # from where and to where an ellipsoid moves
    _through = traitlets.Bool(False).tag(sync=True)  # arrows and ellipsoids are seen through bodies
    _handle = traitlets.Dict().tag(sync=True)
    _asked = traitlets.Int(0).tag(sync=True, echo_update=False)
    _answered = traitlets.Int(0).tag(sync=True)
    _held = traitlets.Dict().tag(sync=True, echo_update=False)
    _pullable = traitlets.Bool(False).tag(sync=True)  # whether nodes themselves can be dragged
    _accent = traitlets.Unicode(palette.SELECTED).tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        self._on_pick: list[Callable[[Pick], None]] = []
        self._on_drag: list[Callable[[NDArray, bool], None]] = []
        super().__init__(**traits)
        self.on_msg(self._message)

    def arrows(self, arrows: Iterable[Arrow]) -> None:
        """Show arrows in place of earlier ones; an empty list removes them.

        Raises
        ------
        StateError : an arrow is not finite, or its node is not there.
        """
        arrows = list(arrows)
        packed = pack_arrows(arrows, len(self.scene.nodes))
        with self.hold_sync():
            self._arrow_names = [[arrow.name, arrow.text] for arrow in arrows]
            self._arrows = packed

    def ellipsoids(self, ellipsoids: Iterable[Ellipsoid]) -> None:
        """Show ellipsoids in place of earlier ones.

        Raises
        ------
        StateError : an ellipsoid is not finite, or its node is not there.
        """
        ellipsoids = list(ellipsoids)
        packed = pack_ellipsoids(ellipsoids, len(self.scene.nodes))
        with self.hold_sync():
            self._ellipsoid_names = [ellipsoid.name for ellipsoid in ellipsoids]
            self._ellipsoids = packed

    def travel(self, ends: tuple[Ellipsoid, Ellipsoid] | None) -> None:
        """Animate an ellipsoid once from one place and shape to another; None stops the animation."""
        self._travel = b"" if ends is None else pack_ellipsoids(ends, len(self.scene.nodes))

    def on_pick(self, listener: Callable[[Pick], None]) -> None:
        """Call a function with every click in the picture."""
        self._on_pick.append(listener)

    def handle(self, pose: ArrayLike | None, turn: bool = True) -> None:
        """Show a handle at a world pose (4, 4), to be dragged along and about its axes; None removes it."""
        self._handle = {} if pose is None else {"pose": seven(np.asarray(pose, dtype=float)).tolist(), "turn": turn}

    def on_drag(self, listener: Callable[[NDArray, bool], None]) -> None:
        """Call a function with the handle's world pose (4, 4) while it is dragged, and whether it was let go.

        While Python works on one pose the browser keeps only the newest.
        """
        self._on_drag.append(listener)

    @traitlets.observe("_asked")
    def _dragged(self, _: Any) -> None:
        if "body" in self._held:
            self._led(self._held["body"], np.array(self._held["point"]), np.array(self._held["target"]))
            self._answered = self._asked
            return
        position, (x, y, z, w) = self._held["pose"][:3], self._held["pose"][3:]
        pose = se3.pose(quaternion.to_matrix(np.array([w, x, y, z]) / np.linalg.norm([w, x, y, z])), position)
        for listener in self._on_drag:
            listener(pose, bool(self._held["done"]))
        self._answered = self._asked

    def _led(self, node: str, point: NDArray, target: NDArray) -> None:
        """Handle a point (3,) of a node being dragged to a place (3,) in the world, where `_pullable` permits that."""

    def _message(self, _: Any, content: dict[str, Any], __: Any) -> None:
        if content.get("do") == "picked":
            pick = Pick(content["node"], content["layer"], np.array(content["point"]), np.array(content["normal"]))
            for listener in self._on_pick:
                listener(pick)

    @traitlets.validate("selected")
    def _known_nodes(self, proposal: Any) -> list[str]:
        for name in proposal["value"]:
            if name not in self.scene.nodes:
                raise traitlets.TraitError(f"no node {name!r} to select; there are {', '.join(self.scene.nodes)}")
        return list(proposal["value"])
