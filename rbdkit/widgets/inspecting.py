"""A picture in which a click on a body opens its facts."""

from __future__ import annotations

from typing import Any

import traitlets
from numpy.typing import NDArray

from rbdkit.algorithms import ExternalForces
from rbdkit.inspection import Inspection, inspect
from rbdkit.model import Model
from rbdkit.simulation import Trajectory
from rbdkit.widgets.inspector import Inspector
from rbdkit.widgets.letting_go import LettingGo, moving_on
from rbdkit.widgets.touch import Pick

Now = tuple[Model, NDArray, NDArray | None, NDArray | None, ExternalForces, float, NDArray]
"""Model, q, v, tau, external forces, t and states of force elements of the picture."""


def state_of(run: Trajectory, k: int) -> Now:
    """The k-th recorded state of a motion, and what acts there."""
    q, v, t = run.q[k], run.v[k], float(run.t[k])
    f_ext = None if run.f_ext is None else run.f_ext(t, q, v)
    return run.model, q, v, None if run.tau is None else run.tau[k], f_ext, t, run.z[k]


class Inspecting(LettingGo):
    """Base of pictures of a model; `_now` says at which state it is.

    Attributes
    ----------
    inspected
        Name of the body whose facts are shown, or ''; set it to show those of another one.
    """

    inspected = traitlets.Unicode("")
    _inspector: Inspector | None = None

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.on_pick(self._picked)

    def _now(self) -> Now:
        raise NotImplementedError(f"{type(self).__name__} must say at which state its picture is")

    def _held_state(self) -> tuple[Model, dict[str, Any]]:
        model, q, v, _, _, _, z = self._now()
        return moving_on(model, q, v, z)

    @property
    def facts(self) -> Inspection | None:
        """What is known of the inspected body now."""
        if not self.inspected:
            return None
        model, q, v, tau, f_ext, t, z = self._now()
        return inspect(model, self.inspected, q, v, tau, f_ext=f_ext, t=t, z=z)

    def _picked(self, pick: Pick) -> None:
        model = self._now()[0]
        self.inspected = pick.node if any(body.name == pick.node for body in model.bodies) else ""

    @traitlets.observe("inspected")
    def _inspect(self, change: Any) -> None:
        facts = self.facts
        if facts is None:
            self.side = [widget for widget in self.side if widget is not self._inspector]
            self.selected = []
            return
        if self._inspector is None:
            self._inspector = Inspector(lambda: self.set_trait("inspected", ""))
        self._inspector.show(facts)
        self.selected = [facts.body]
        if self._inspector not in self.side:
            self.side = [*self.side, self._inspector]

    @traitlets.observe("t", "_pose")
    def _inspect_again(self, _: Any) -> None:
        if self.inspected and self._inspector is not None and (facts := self.facts) is not None:
            self._inspector.show(facts)

    def close(self) -> None:
        """Close the picture and the table."""
        if self._inspector is not None:
            self._inspector.close()
        super().close()
