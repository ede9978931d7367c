"""Pictures of a model that can be released: from there on it moves, and can be pulled at."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import traitlets
from numpy.typing import NDArray

from rbdkit.errors import RbdkitError
from rbdkit.model import Model
from rbdkit.widgets.stage import Stage

if TYPE_CHECKING:
    from rbdkit.simulation import Trajectory
    from rbdkit.widgets.play import Play


class LettingGo(Stage):
    """Base of pictures whose model can be released, below the picture or in a cell of its own."""

    _lets_go = traitlets.Bool(True).tag(sync=True)
    _refused = traitlets.Unicode("").tag(sync=True)
    _toy: Play | None = None

    def _held_state(self) -> tuple[Model, dict[str, Any]]:
        """Return the model of the picture, and the arguments with which `play` begins as the picture stands."""
        raise NotImplementedError(f"{type(self).__name__} must say what is let go")

    def recorded(self) -> tuple[Trajectory, NDArray] | None:
        """Return the motion that the picture plays, and which of its states are drawn; None for a still picture."""
        return None

    def let_go(self, **options: Any) -> Play:
        """Let the model move on from its state in the picture, and pull at it with the mouse; see `rbdkit.play`.

        What drove a recorded motion, joint forces and external ones, is let go, too.

        Parameters
        ----------
        **options
            As of `rbdkit.play`, in place of those of the picture.

        Raises
        ------
        ModelError, SimulationError
            If the model cannot be played.
        """
        model, given = self._held_state()
        toy: Play = import_module("rbdkit.widgets.play").play(model, **{"height": self.height, **given, **options})
        return toy

    def _message(self, widget: Any, content: dict[str, Any], buffers: Any) -> None:
        super()._message(widget, content, buffers)
        if content.get("do") == "let_go":
            self._toggle_toy()

    def _toggle_toy(self) -> None:
        """Show the simulation below the picture, or remove it."""
        toy, self._toy = self._toy, None
        if toy is None:
            try:
                self._toy = self.let_go()
                self._refused = ""
            except RbdkitError as fault:
                self._refused = str(fault)
        self.below = [] if self._toy is None else [self._toy]
        if toy is not None:
            toy.close()

    def close(self) -> None:
        """Close the picture, and what was let go below it."""
        super().close()
        if self._toy is not None:
            self._toy.close()


def moving_on(model: Model, q: Any, v: Any, z: Any) -> tuple[Model, dict[str, Any]]:
    """Return a model and the arguments of `play` for a state; v is None at rest."""
    given = {"q0": q, "v0": np.zeros(model.nv) if v is None else v}
    return model, given | ({"z0": z} if model.nz else {})
