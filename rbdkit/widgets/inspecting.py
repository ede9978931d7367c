"""A picture in which a click on a body opens its facts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import traitlets
from numpy.typing import NDArray

from rbdkit.algorithms import ExternalForces
from rbdkit.inspection import Inspection, inspect
from rbdkit.model import Model
from rbdkit.scene import spatial_arrows
from rbdkit.scene.arrows import triple
from rbdkit.simulation import Trajectory
from rbdkit.stepping.words import words_of
from rbdkit.widgets.inspector import Inspector
from rbdkit.widgets.letting_go import LettingGo, moving_on
from rbdkit.widgets.touch import Pick

LENGTH = 0.2
"""Longest arrow of a quantity, as a part of the size of the picture."""

Now = tuple[Model, NDArray, NDArray | None, NDArray | None, ExternalForces, float, NDArray]
"""Model, q, v, tau, external forces, t and states of force elements of the picture."""


def state_of(run: Trajectory, k: int) -> Now:
    """Return the k-th recorded state of a motion, and what acts on the model there."""
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
    _own_arrows = False  # whether a picture draws other arrows than those of the inspected body
    _drawn_body = ""
    _longest: dict[tuple[str, str], float]

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
        """Facts about the inspected body at present; None if there is none."""
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
            self._draw_facts(None)
            return
        if self._inspector is None:
            self._inspector = Inspector(lambda: self.set_trait("inspected", ""))
        self._inspector.show(facts)
        self._draw_facts(facts)
        self.selected = [facts.body]
        if self._inspector not in self.side:
            self.side = [*self.side, self._inspector]

    @traitlets.observe("t", "_pose")
    def _inspect_again(self, _: Any) -> None:
        if self.inspected and self._inspector is not None and (facts := self.facts) is not None:
            self._inspector.show(facts)
            self._draw_facts(facts)

    def _draw_facts(self, facts: Inspection | None) -> None:
        """Draw velocity and acceleration at the body's centre of mass, and the force through its joint, as arrows."""
        if self._own_arrows:
            return
        if facts is None or "Motion" not in facts.sections:
            if self._drawn_body:
                self._drawn_body = ""
                self.arrows([])
            return
        if facts.body != self._drawn_body:
            self._drawn_body, self._longest = facts.body, {}  # what was the longest so far stays the longest
        known = {fact.symbol: fact.value for section in facts.sections.values() for fact in reversed(section)}
        v, a, f = known["v"], known["a"], known["f"]
        com = np.asarray(known.get("c", np.zeros(3)))
        rate = a.copy()
        rate[3:] += np.cross(v[:3], v[3:] + np.cross(v[:3], com))  # of a point of the body, not of space
        shown: tuple[tuple[str, Literal["motion", "force"], NDArray, NDArray], ...] = (
            ("v", "motion", v, com),
            ("a", "motion", rate, com),
            ("f", "force", f, np.zeros(3)),
        )
        node = self.scene.nodes.index(facts.body)
        arrows = []
        for name, kind, vector, at in shown:
            for arrow in spatial_arrows(node, vector, kind, (1.0, 1.0), at, name, words_of(name).units):  # type: ignore[arg-type]
                length = float(np.linalg.norm(arrow.vector))
                longest = self._longest[name, arrow.kind] = max(self._longest.get((name, arrow.kind), 0.0), length)
                scale = LENGTH * self.scene.size / longest
                arrows.append(replace(arrow, vector=triple(scale * np.array(arrow.vector))))
        with self.hold_sync():
            self._through = True
            self.arrows(arrows)

    def close(self) -> None:
        """Close the picture and the table."""
        if self._inspector is not None:
            self._inspector.close()
        super().close()
