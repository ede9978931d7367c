"""Sliders for the numbers of a model and its run: each change simulates again, with the motion before as a ghost."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import traitlets
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import RbdkitError, SimulationError
from rbdkit.model import Model
from rbdkit.scene import Plot, Scene, Tracks, plots_of, scene_of
from rbdkit.scene.ghost import plots_with_ghost, tracks_with_ghost, with_ghost
from rbdkit.scene.ground import laid_under
from rbdkit.scene.reshaping import SHAPING, WEIGHING
from rbdkit.simulation import SimulationWarning, Trajectory
from rbdkit.simulation.knobs import Experiment, Knob, Range
from rbdkit.spatial.check_arguments import check_arguments
from rbdkit.widgets.inspecting import Inspecting, Now, state_of
from rbdkit.widgets.panel import Panel, Slider
from rbdkit.widgets.view import framed

PAUSE = 0.8
"""Seconds without a change after which the next one is a new drag: the motion at that time becomes the ghost."""


@dataclass(frozen=True, eq=False)
class Run:
    """A motion with the values that it came from, and its scene and plots."""

    values: NDArray
    trajectory: Trajectory
    scene: Scene
    plots: tuple[Plot, ...]


class Tweak(Inspecting):
    """A motion that follows its sliders; see `tweak`.

    Attributes
    ----------
    experiment
        What can be turned.
    values : dict of str to object
        The numbers as they stand, by name; `set` changes them.
    model, trajectory
        As they stand.
    ghost : Trajectory
        The motion before, or the one of the other slot.
    """

    panel: Panel

    def __init__(self, experiment: Experiment, **options: Any) -> None:
        self.experiment = experiment
        first = self._compute(experiment.rest, None)
        self._current = self._ghost = first
        self._slots: dict[str, Run] = {}
        self._drawn_ghost = first.scene
        self._changed_at = -np.inf
        scene, options["near"], _ = framed(with_ghost(first.scene), self._both(), "")
        super().__init__(scene, self._both(), first.plots, **options)
        self._outline, self._grid = scene.outline, scene.grid
        self.panel = Panel(
            "Tweak", [slider_of(knob) for knob in experiment.knobs], self._turned, slots=("A", "B"), on_slot=self._go_to
        )
        self.side = [self.panel]

    # --- values -----------------------------------------------------------------------------------------------------

    @property
    def values(self) -> dict[str, Any]:
        """The numbers as they stand, by name."""
        numbers = zip(self.experiment.knobs, self._current.values, strict=True)
        return {knob.name: knob.choices[round(x)] if knob.choices else float(x) for knob, x in numbers}

    def set(self, **values: Any) -> None:
        """Turn knobs; names with dots go in as ``**{"rod1.mass": 2.0}``.

        Raises
        ------
        SimulationError
            If there is no such knob or choice, or no motion with these values; then everything stays.
        """
        numbers = self._current.values.copy()
        names = [knob.name for knob in self.experiment.knobs]
        for name, value in values.items():
            if name not in names:
                raise SimulationError(f"there is no knob {name!r}; there are {', '.join(names)}")
            k = names.index(name)
            choices = self.experiment.knobs[k].choices
            if choices and value not in choices:
                raise SimulationError(f"{name!r} cannot be {value!r}; choose among {', '.join(map(repr, choices))}")
            numbers[k] = choices.index(value) if choices else value
        try:
            self._turned(numbers)
        finally:  # a motion with alarms is shown, and so are its numbers
            self.panel.numbers = self._current.values

    @property
    def model(self) -> Model:
        """Present model."""
        return self._current.trajectory.model

    @property
    def trajectory(self) -> Trajectory:
        """Present motion."""
        return self._current.trajectory

    @property
    def ghost(self) -> Trajectory:
        """Motion that is drawn faintly."""
        return self._ghost.trajectory

    def recorded(self) -> tuple[Trajectory, NDArray] | None:
        """Return the motion that the picture plays, and which of its states are drawn."""
        return None if self.tracks is None else (self.trajectory, self.tracks.samples)

    def _now(self) -> Now:
        return state_of(self.trajectory, min(self.frame, len(self.trajectory) - 1))

    # --- runs -------------------------------------------------------------------------------------------------------

    def _compute(self, values: NDArray, before: Run | None) -> Run:
        with warnings.catch_warnings():  # the panel says it
            warnings.simplefilter("ignore", SimulationWarning)
            trajectory = self.experiment.run(values)
        looks_alike = before is not None and not self._reshapes(before.values, values)
        scene = before.scene if looks_alike else scene_of(trajectory.model, trajectory.q[0])  # type: ignore[union-attr]
        return Run(np.array(values), trajectory, scene, plots_of(trajectory))

    def _reshapes(self, before: NDArray, after: NDArray) -> bool:
        """Return whether a body may look different with other values."""
        turned = [knob.name for knob, a, b in zip(self.experiment.knobs, before, after, strict=True) if a != b]
        looks = SHAPING | (WEIGHING if self.layers.get("inertia") else set())
        return any(name in self.experiment.building or looks & set(name.split(".")) for name in turned)

    def _turned(self, values: NDArray) -> None:
        begun = time.monotonic()
        run = self._compute(values, self._current)
        if begun - self._changed_at > PAUSE and not self._slots:
            self._ghost = self._current
        self._show_run(run)
        self._changed_at = time.monotonic()  # now: a long run is no pause in a drag
        report = run.trajectory.report
        if report is not None and (alarms := report.alarms(run.trajectory.model)):
            raise RbdkitError("; ".join(alarms))

    def _go_to(self, slot: str) -> None:
        """Keep the values in the slot that is left, and take those of the other one."""
        if slot == self.panel.slot:
            return
        self._slots[self.panel.slot] = self._current
        self._ghost = self._current
        self.panel.slot = slot
        self._show_run(self._slots.get(slot, self._current))
        self.panel.numbers = self._current.values

    def _show_run(self, run: Run) -> None:
        redraw = run.scene is not self._current.scene or self._drawn_ghost is not self._ghost.scene
        self._current = run
        plots = run.plots if self._ghost is run else plots_with_ghost(run.plots, self._ghost.plots)
        if redraw:
            self._drawn_ghost = self._ghost.scene
            self.draw(self._in_frame(with_ghost(run.scene, self._ghost.scene)), self._both(), plots)
        else:
            self.record(self._both(), plots)

    @traitlets.observe("layers")
    def _weigh_again(self, change: Any) -> None:
        """Update ellipsoids that become visible to the present masses."""
        if change["new"].get("inertia") and not change["old"].get("inertia", True):
            run = self.trajectory
            self._show_run(replace(self._current, scene=scene_of(run.model, run.q[0])))

    def _in_frame(self, scene: Scene) -> Scene:
        """Return the scene in the frame of the first picture, so that nothing jumps while a slider moves."""
        under = laid_under(scene, self._outline)
        return under if scene.grounds else replace(under, grid=self._grid)

    def pictured(self, model: Model) -> Scene:
        """Return the scene of another model of the same bodies, with its own ghost."""
        return with_ghost(scene_of(model, self.trajectory.q[0]))

    def _both(self) -> Tracks:
        now, ghost = self._current.trajectory, self._ghost.trajectory
        return tracks_with_ghost(now.t, now.poses(), ghost.t, ghost.poses())


def slider_of(knob: Knob) -> Slider:
    """Return the slider of a knob."""
    names = tuple(x if isinstance(x, str) else getattr(x, "name", None) or str(x) for x in knob.choices)
    return Slider(knob.name, knob.unit, knob.low, knob.high, knob.rest, "", False, knob.logarithmic, names)


@check_arguments(SimulationError)
def tweak(
    source: Model | Callable[..., Model],
    ranges: Mapping[str, Range],
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    *,
    height: int = 520,
    rate: float = 1.0,
    loop: bool = False,
    **options: Any,
) -> Tweak:
    """Sliders for any numbers of a model and its run; each drag simulates again and redraws.

    Parameters
    ----------
    source : Model or callable
        A model, or a function that builds one from numbers.
    ranges : mapping of str to tuple or list
        For each name ``(low, high)`` or ``(low, high, first value)``, or a list to choose from: ``{"rod1.mass": (0.1,
        5.0), "hinge1.angle": (-3, 3), "gravity.z": (-20, 0), "dt": (1e-4, 1e-1), "integrator": ["rk4", "heun"]}``.
        Names are those of `Model.parameters` and their entries (``.x``, ``.y``, ``.z`` of vectors and placements,
        ``.xx`` ... of inertias), of initial coordinates and velocities as `Trajectory.columns` calls them, 'dt',
        'duration', 'integrator', 'formulation', arguments of a building function, and gains of a torque law:
        ``"tau.kp"`` for ``tau=law`` with ``def law(t, q, v, kp=20.0)``.
    q0, v0 : array_like (nq,), (nv,), optional
        Initial state, as in `rbdkit.simulate`.
    height : int, optional
        Of the picture, px.
    rate : float, optional
        Playing speed; 1 is real time.
    loop : bool, optional
        Whether playing starts over at the end.
    **options
        Further arguments of `rbdkit.simulate` for the run.

    Returns
    -------
    Tweak
        The motion before stays as a ghost. A and B keep two sets of values to go to and fro between.
        ``.values``, ``.model`` and ``.trajectory`` are the numbers, the model and the motion as they stand.

    Raises
    ------
    SimulationError, ModelError, StateError
        If a name is unknown, a range is not one, or the first values cannot be used.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> view = rbd.tweak(rbd.library.pendulum(), {"rod.mass": (0.1, 5.0), "hinge.angle": (-3, 3, 1.0)}, duration=1.0)
    >>> view.set(**{"rod.mass": 2.0})
    >>> view.values, view.model.mass
    ({'rod.mass': 2.0, 'hinge.angle': 1.0}, 2.0)
    >>> view.close()
    """
    return Tweak(Experiment(source, ranges, q0, v0, **options), height=height, rate=rate, loop=loop)
