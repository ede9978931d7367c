"""A body, a named frame and a loop of a model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from numpy.typing import NDArray

from rbdkit.model.geometry import Geometry
from rbdkit.model.joint import Joint
from rbdkit.model.placement import frozen
from rbdkit.spatial import plucker
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.read_only import KeepsReadOnly


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body, together with the joint that connects it to its parent.

    Attributes
    ----------
    name : str
        Unique among bodies and frames; body 0 is the fixed base 'world'.
    index : int
        Its number; every parent has a smaller one (regular numbering, Featherstone 2008, section 4.1.2).
    parent : int
        Number of the parent body, lambda(index); -1 for the world.
    joint : Joint
        Joint `index`; its successor frame is the body frame.
    inertia : Inertia or None
        None if none was given, which `validate` reports where it matters.
    geometry : tuple of Geometry
        Shapes to draw.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rod = rbd.library.pendulum().body("rod")
    >>> rod.index, rod.parent, rod.joint.name
    (1, 0, 'hinge')
    """

    name: str
    index: int
    parent: int
    joint: Joint
    inertia: Inertia | None = None
    geometry: tuple[Geometry, ...] = ()

    def __repr__(self) -> str:
        mass = "no inertia" if self.inertia is None else f"{self.inertia.mass:.6g} kg"
        joint = f"{self.joint.type.kind} joint {self.joint.name!r} to body {self.parent}"
        return f"<Body {self.index} {self.name!r}: {mass}, {joint}>"


@dataclass(frozen=True, eq=False)
class Frame(KeepsReadOnly):
    """A named frame fixed to a body.

    Attributes
    ----------
    name : str
        Unique among bodies and frames.
    body : int
        Number of the body.
    placement : ndarray (4, 4)
        Pose in body coordinates.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> model = rbd.library.pendulum()
    >>> tip = model.add_frame("tip", "rod", [0, 0, -1])
    >>> tip.body, model.frame("tip").placement[:3, 3].tolist()
    (1, [0.0, 0.0, -1.0])
    """

    name: str
    body: int
    placement: NDArray

    @cached_property
    def X(self) -> NDArray:
        """Transform of motion vectors from body to frame coordinates, (6, 6)."""
        return frozen(plucker.from_pose(self.placement))

    def __repr__(self) -> str:
        return f"<Frame {self.name!r} on body {self.body} at {self.placement[:3, 3].tolist()}>"


@dataclass(frozen=True, eq=False)
class Loop(KeepsReadOnly):
    """A joint that closes a kinematic loop (Featherstone 2008, section 4.1.3 and Table 4.3).

    Attributes
    ----------
    joint : Joint
        Name, type and, as `placement`, the pose of the predecessor frame in the predecessor body (X_P).
    predecessor, successor : int
        Numbers of the bodies.
    successor_placement : ndarray
        (4, 4) pose of the successor frame in the successor body (X_S).

    Examples
    --------
    >>> import rbdkit as rbd
    >>> (loop,) = rbd.library.planar_four_bar().loops
    >>> loop.joint.name, loop.predecessor, loop.successor
    ('pin', 2, 3)
    """

    joint: Joint
    predecessor: int
    successor: int
    successor_placement: NDArray

    def __repr__(self) -> str:
        joint = f"{self.joint.type.kind} joint {self.joint.name!r}"
        return f"<Loop: {joint} from body {self.predecessor} to body {self.successor}>"
