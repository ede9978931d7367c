"""Joint sliders: pose a model by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.assembly import assemble
from rbdkit.errors import ArgumentError, StateError
from rbdkit.model import Model
from rbdkit.model.closing import followed, is_tied, reached
from rbdkit.spatial.check_arguments import check_arguments
from rbdkit.widgets.coordinates import Coordinates
from rbdkit.widgets.panel import Panel
from rbdkit.widgets.view import View, moving_root

REACH = 12
"""Number of random configurations for which the picture has room."""


class Sliders(View):
    """A view of a model with one slider a coordinate; see `sliders`."""

    panel: Panel

    def __init__(self, model: Model, q: ArrayLike | None = None, **options: Any) -> None:
        if is_tied(model):
            q = assemble(model, q)
        rng = np.random.default_rng(0)
        room = np.stack([model.random_q(rng) for _ in range(REACH)]) if model.nq else None
        super().__init__(model, q, room_for=room, _pullable=True, **options)
        self.coordinates = Coordinates(model, self._q, 0.5 * self._size)
        self.panel = Panel("Joints", self.coordinates.sliders, self._moved, self._random)
        self.side = [self.panel]

    @property
    def q(self) -> NDArray:
        """Coordinates of the picture, shape (nq,); set them to move model and sliders."""
        return self._q.copy()

    @q.setter
    def q(self, q: ArrayLike) -> None:
        self._set_q(assemble(self.model, q) if is_tied(self.model) else q)
        self.panel.numbers = self.coordinates.values(self._q)

    def reset(self) -> None:
        """Go back to the first coordinates."""
        self.panel.reset()

    def random(self) -> None:
        """Set random coordinates within the limits."""
        self.panel.random()

    def _moved(self, values: NDArray) -> None:
        q = self.coordinates.q(values)
        if not is_tied(self.model):
            self._set_q(q)
            return
        moved = np.flatnonzero(np.abs(values - self.coordinates.values(self._q)) > 0.0)
        leading = {self.coordinates.joints[k] for k in moved}
        if len(leading) != 1:  # all at once: back to the first ones, or to random ones
            self.q = q
            return
        joint = self.model.joint(leading.pop())
        led = np.zeros(self.model.nv, dtype=bool)
        led[joint.v_slice] = True
        at, arrived = followed(self.model, self._q, q, led)
        self._set_q(at)
        self.panel.numbers = self.coordinates.values(at)
        if not arrived:
            raise StateError(f"joint {joint.name!r} is at its end: what holds the others stops it there")

    def pull(self, body: str, point: ArrayLike, target: ArrayLike) -> None:
        """Move the joints so that a point of a body comes to a place, or as near as limits and loops let it.

        A base that floats stays, unless it is the body itself that is pulled.

        Parameters
        ----------
        body : str
            Name.
        point : array_like (3,)
            In coordinates of the body, m.
        target : array_like (3,)
            In world coordinates, m.

        Raises
        ------
        ModelError
            If there is no such body.

        Examples
        --------
        >>> import rbdkit as rbd
        >>> view = rbd.sliders(rbd.library.double_pendulum(), [0.3, -0.2])
        >>> view.pull("rod2", [0, 0, -0.5], [0.4, 0, -0.6])
        >>> poses = rbd.forward_kinematics(view.model, view.q).poses
        >>> (poses[2] @ [0, 0, -0.5, 1])[:3].round(6).tolist()
        [0.4, 0.0, -0.6]
        >>> view.close()
        """
        own = self.model.body(body)
        free = np.ones(self.model.nv, dtype=bool)
        if (base := moving_root(self.model)) and base != body:
            free[self.model.joints[self.model.body(base).index].v_slice] = False
        at = np.asarray(point, dtype=float), np.asarray(target, dtype=float)
        self._set_q(reached(self.model, self._q, own.index, *at, free))
        self.panel.numbers = self.coordinates.values(self._q)

    def _led(self, node: str, point: NDArray, target: NDArray) -> None:
        if any(node == body.name for body in self.model.bodies[1:]):
            self.pull(node, point, target)

    def _random(self) -> NDArray:
        q = self.model.random_q(np.random.default_rng())
        return self.coordinates.values(assemble(self.model, q) if is_tied(self.model) else q)


@check_arguments(ArgumentError)
def sliders(model: Model, q: ArrayLike | None = None, *, height: int = 400) -> Sliders:
    """A view of a model with one slider for each coordinate, which moves it at once; bodies can be dragged, too.

    Parameters
    ----------
    model : Model
        What is posed.
    q : array_like (nq,), optional
        Coordinates at first, near which loops are closed; neutral if not given.
    height : int, optional
        Of the picture, px.

    Returns
    -------
    Sliders
        ``view.q`` are the coordinates as they stand, ready for the next cell. Ranges are the joints' limits; an angle
        without limits runs over a turn. Ball joints turn by a rotation vector, so that q stays a unit quaternion.
        Where joints close loops the others follow the slider in hand; where they cannot, at a dead centre, it stops.
        A body that is dragged with the mouse, or by ``view.pull``, moves the joints (inverse kinematics), within their
        limits and with loops closed.

    Raises
    ------
    ArgumentError
        If `model` is not a model.
    StateError
        If q does not fit it, or its loops cannot be closed.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> view = rbd.sliders(rbd.library.double_pendulum(), [0.3, -0.2])
    >>> view.q = [0.5, 0.1]
    >>> view.q.tolist()
    [0.5, 0.1]
    >>> view.close()
    """
    return Sliders(model, q, height=height)
