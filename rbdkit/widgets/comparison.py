"""Several motions of one model, compared: ghosts, drifts, a table."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import ipywidgets
import numpy as np
import traitlets
from numpy.typing import NDArray

from rbdkit.errors import SimulationError
from rbdkit.figures import work_precision_figure
from rbdkit.model import Model
from rbdkit.scene.comparison import color_of, laid_over, plots_of_comparison, tracks_laid_over
from rbdkit.simulation import Comparison, Trajectory, compare_runs
from rbdkit.simulation.comparison import Pair, cell
from rbdkit.spatial.check_arguments import check_arguments
from rbdkit.widgets.bundle import module, style
from rbdkit.widgets.cell import OfCell
from rbdkit.widgets.front import Front
from rbdkit.widgets.letting_go import LettingGo, moving_on
from rbdkit.widgets.three import reachable
from rbdkit.widgets.touch import Pick
from rbdkit.widgets.view import framed

TIPS = {
    "constraint error": "Largest residual of a position constraint over the motion, rad or m",
    "|det R - 1|": "Largest deviation of a rotation matrix from being one",
    "off at the end": "How far the worst body is from where the reference has it, rad or m, whichever is larger",
    "penetration": "Largest depth of bodies in each other, m",
    "taken by contacts": "Energy that contacts took until the end, along normals and by friction, J",
    "µs a step": "Wall time of a step, microseconds; 'stepped from Python' and compiled loops are not the same race",
    "Newton iterations": "The most that a recorded step needed",
}
DRIFT = "Largest change over the motion, as a part of the largest value; of the energy, as a part of what moves about"
HEADINGS = {
    "constraint error": "constraint error, rad or m",
    "|det R - 1|": "rotation error",
    "off at the end": "off at the end, rad or m",
    "penetration": "penetration, m",
    "taken by contacts": "taken by contacts, J",
}
"""Headings of columns that need more than their names."""


class LaidOver(LettingGo):
    """Several motions of one model in one picture; the first one goes on when it is let go.

    Attributes
    ----------
    standing
        Label of the motion that stands out, the others being faint; '' for none. A click on a body or on a row of the
        table sets it.
    """

    standing = traitlets.Unicode("").tag(sync=True)

    def __init__(self, first: Trajectory, labels: Sequence[str], *args: Any, **options: Any) -> None:
        self._first, self._labels = first, tuple(labels)
        super().__init__(*args, **options)
        self.on_pick(self._picked)

    def _picked(self, pick: Pick) -> None:
        label = next((label for label in self._labels if pick.node.startswith(f"{label}: ")), "")
        self.standing = "" if label == self.standing else label

    @traitlets.validate("standing")
    def _known_label(self, proposal: Any) -> str:
        label = str(proposal["value"])
        if label and label not in self._labels:
            raise traitlets.TraitError(f"no motion {label!r} in this comparison; there are {', '.join(self._labels)}")
        return label

    def recorded(self) -> tuple[Trajectory, NDArray] | None:
        """Return the first motion, and which of its states are drawn."""
        return None if self.tracks is None else (self._first, self.tracks.beside[0].samples)

    def _held_state(self) -> tuple[Model, dict[str, Any]]:
        run = self._first
        k = max(0, int(np.searchsorted(run.t, self.t, side="right")) - 1)
        return moving_on(run.model, run.q[k], run.v[k], run.z[k])


class Contenders(Front):
    """The table, whose rows let their motions stand out. content : the table as HTML."""

    _module = traitlets.Unicode(module("dom", "contenders")).tag(sync=True)
    _css = style("comparison")

    content = traitlets.Unicode("").tag(sync=True)
    standing = traitlets.Unicode("").tag(sync=True)


class ComparisonView(ipywidgets.VBox, OfCell):
    """A picture with ghosts, curves of what drifts, and the table; see `compare`.

    Attributes
    ----------
    comparison
        The numbers.
    stage
        The picture.
    points
        Of the work-precision diagram, or None.
    """

    def __init__(self, comparison: Comparison, steps: Sequence[float] | None = None, **options: Any) -> None:
        self.comparison = comparison
        runs = [contender.trajectory for contender in comparison.contenders]
        tracks = tracks_laid_over(runs)
        labels = [contender.label for contender in comparison.contenders]
        scene = laid_over(runs[0].model, labels)
        scene, options["near"], _ = framed(scene, tracks, "")
        self.stage = LaidOver(runs[0], labels, scene, tracks, plots_of_comparison(comparison), **options)
        self.points = None if steps is None else comparison.work_precision(steps)
        rows = Contenders(content=table(comparison))
        self._standing: traitlets.link | None = traitlets.link((self.stage, "standing"), (rows, "standing"))
        below: list[ipywidgets.DOMWidget] = [rows]
        if self.points is not None:
            colors = [color_of(k) for k in range(len(comparison.contenders))]
            below.append(ipywidgets.HTML(_drawing(work_precision_figure(self.points, colors))))
        super().__init__([self.stage, ipywidgets.HBox(below).add_class("rbd-below")])
        self.stage._companions = [self]
        self._stay_with_cell()

    def to_html(self, path: str | PathLike[str] | None = None, *, title: str | None = None) -> str:
        """Save picture and curves as one HTML file that needs no Python and no network; see `rbdkit.to_html`."""
        return self.stage.to_html(path, title=title)

    def _ipython_display_(self) -> None:
        self.stage.put_down(self._repr_mimebundle_(), self.model_id)

    def close(self) -> None:
        """Close the view and every widget it made."""
        link, self._standing = self._standing, None
        if link is not None:  # not where it is closed again
            link.unlink()
        super().close()
        self.stage.close()
        for widget in reachable([self.children[1], self.layout]).values():
            widget.close()

    def __repr__(self) -> str:
        return repr(self.comparison)


@check_arguments(SimulationError)
def compare(
    what: Model | Sequence[Trajectory] | Mapping[str, Trajectory],
    pairs: Sequence[Pair] | Mapping[str, Pair] | None = None,
    *,
    reference: Trajectory | str | None = None,
    steps: Sequence[float] | None = None,
    height: int = 400,
    rate: float = 1.0,
    loop: bool = False,
    **options: Any,
) -> ComparisonView:
    """Run one model in several ways and see the motions together, with all that tells them apart.

    Parameters
    ----------
    what : Model, sequence of Trajectory or mapping of str to Trajectory
        A model; or finished trajectories of one model, in a list or by name.
    pairs : sequence of pairs or mapping of str to pair, optional
        For a model, pairs of a formulation and an integrator as `simulate` takes them, in a list or by name:
        ``[("joint", "rk4"), ("se3", "rk4")]``.
    reference : Trajectory or str, optional
        What the motions are compared with: a trajectory, or the name of a contender. For a model without loops that is
        not given, its motion in joint coordinates by an adaptive integrator at a tight tolerance.
    steps : sequence of float, optional
        Lengths of step (s) for a work-precision diagram: each pair runs with each of them.
    height : int, optional
        Of the picture, px.
    rate : float, optional
        Playing speed; 1 is real time.
    loop : bool, optional
        Whether playing starts over at the end.
    **options
        Further arguments of `simulate` for the runs of a model: q0, v0, duration, dt, tau, f_ext, ... Several laws of
        contact, ``contact=["rigid", "compliant"]`` or by name, are one run each.

    Returns
    -------
    ComparisonView
        Shows itself; ``.comparison`` has the numbers, and its ``columns()`` the table.

    Raises
    ------
    SimulationError
        If there is nothing to compare, or an argument does not fit.

    Examples
    --------
    Is a pendulum in a minimal coordinate the same as one of a free body with its hinge as a constraint?

    >>> import rbdkit as rbd
    >>> ways = {"angle": ("joint", "rk4"), "body and hinge": ("se3", "rk4")}
    >>> view = rbd.compare(rbd.library.pendulum(), ways, q0=[1.0], duration=0.2)
    >>> table = view.comparison.columns()
    >>> max(table["off at the end"]) < 1e-9, max(table["constraint error"]) < 1e-12
    (True, True)
    >>> view.close()
    """
    comparison = compare_runs(what, pairs, reference, **options)
    return ComparisonView(comparison, steps, height=height, rate=rate, loop=loop)


def table(comparison: Comparison) -> str:
    """Return the table as HTML; the best values of each column stand out."""
    columns = comparison.columns()
    head = "".join(
        f'<th title="{html.escape(TIPS.get(name, DRIFT))}">{html.escape(HEADINGS.get(name, name))}</th>'
        for name in columns
    )
    best = {name: _best(values) for name, values in columns.items()}
    rows = []
    for k, contender in enumerate(comparison.contenders):
        cells = "".join(
            f"<td{' class=rbd-best' if k in best[name] else ''}>{cell(values[k])}</td>"
            for name, values in columns.items()
        )
        mark = f'<i style="background:{color_of(k)}"></i>'
        rows.append(
            f'<tr data-label="{html.escape(contender.label)}"><th>{mark}{html.escape(contender.label)}</th>{cells}</tr>'
        )
    notes = "".join(f"<p>{html.escape(note)}</p>" for note in comparison.notes)
    body = "".join(rows)
    return f'<table class="rbd-table"><thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>{notes}'


def _best(values: list[float]) -> set[int]:
    """Return the rows within a tenth of the smallest value; none if all are alike."""
    finite = [k for k, value in enumerate(values) if np.isfinite(value)]
    if not finite or max(values[k] for k in finite) <= 1.1 * min(values[k] for k in finite):
        return set()
    return {k for k in finite if values[k] <= 1.1 * min(values[j] for j in finite)}


def _drawing(figure: Any) -> str:
    """Return a figure as SVG in the colours of the page."""
    return f'<div class="rbd-drawing">{figure.svg()}</div>'
