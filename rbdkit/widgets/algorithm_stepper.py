"""Stepper for algorithms: source and variables line by line, with the current body in the picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rbdkit.algorithms
from rbdkit.errors import ArgumentError
from rbdkit.model import Model
from rbdkit.scene import Ellipsoid
from rbdkit.scene.palette import INERTIA, SPATIAL
from rbdkit.spatial.check_arguments import check_arguments
from rbdkit.stepping import Marks, Recording, marks_of, record, text_of
from rbdkit.stepping.drawing import arrows_of, ellipsoids_of, largest
from rbdkit.stepping.marks import KINDS
from rbdkit.stepping.words import words_of
from rbdkit.widgets.step_panel import StepPanel
from rbdkit.widgets.view import View

DRAWN = ("v", "a", "f", "S", "IA")
"""Quantities that are drawn at first, where the algorithm has them."""
EMPTY = Model("no model")
"""Model in the picture of a function that is given none."""


BUTTONS = [
    {"do": "restart", "icon": "first", "tip": "Back to the first line (Home)", "key": "Home"},
    {"do": "back", "icon": "back", "tip": "One line back (\u2190)", "key": "ArrowLeft"},
    {"do": "step", "icon": "line", "tip": "Run one line (\u2192)", "key": "ArrowRight"},
    {"do": "next_body", "icon": "body", "tip": "On to the next body (B)", "key": "b"},
    {"do": "next_pass", "icon": "pass", "tip": "On to the next pass (P)", "key": "p"},
    {"do": "run", "icon": "run", "tip": "Run to the next breakpoint, or to the end (R)", "key": "r"},
]


class AlgorithmStepper(View):
    """A recorded run to go through; see `step_algorithm`.

    Attributes
    ----------
    recording
        All moments of the run.
    k : int
        Number of the present one; set it to go there.
    breakpoints
        (function, line) of the file, where `run` stops.
    drawn
        Names of what is drawn.
    result : object
        What the function returned.
    """

    panel: StepPanel
    _own_arrows = True

    def __init__(self, recording: Recording, model: Model | None, q: NDArray | None, **options: Any) -> None:
        self.recording = recording
        self.breakpoints: set[tuple[int, int]] = set()
        self._k = 0
        shown = EMPTY if model is None else model
        super().__init__(shown, q, trails=[], **options)
        everything = self._marks_at(len(recording) - 1, range(len(shown.bodies)))
        self._norms = largest(everything)
        self._names = list(dict.fromkeys(name for marks in everything for name in marks.names))
        self.drawn = {name for name in self._names if name.split()[0] in DRAWN}
        self.panel = StepPanel(
            self._act,
            buttons=BUTTONS,
            sources=[{"name": s.name, "first": s.first, "lines": list(s.lines)} for s in recording.sources],
        )
        self.side = [self.panel]
        self.k = 0

    @property
    def result(self) -> Any:
        """Result of the function; raises what the function raised."""
        if self.recording.fault is not None:
            raise self.recording.fault
        return self.recording.result

    @property
    def k(self) -> int:
        """Number of the present moment."""
        return self._k

    @k.setter
    def k(self, k: int) -> None:
        self._k = min(max(int(k), 0), len(self.recording) - 1)
        self._show_moment()

    @property
    def variables(self) -> dict[str, Any]:
        """Variables at this moment."""
        return dict(self.recording.moments[self._k].variables)

    # --- going ------------------------------------------------------------------------------------------------------

    def step(self) -> None:
        """Run one line."""
        self.k = self.recording.step(self.k)

    def back(self) -> None:
        """Go one line back."""
        self.k = self.recording.step(self.k, -1)

    def next_body(self) -> None:
        """Run until the loop comes to another body."""
        self.k = self.recording.next_body(self.k)

    def next_pass(self) -> None:
        """Run until another loop begins."""
        self.k = self.recording.next_pass(self.k)

    def run(self) -> None:
        """Run to the next breakpoint, or to the end."""
        self.k = self.recording.to_line(self.k, self.breakpoints)

    def run_to(self, line: int, function: int = 0) -> None:
        """Run until a line of the file is the next one."""
        self.k = self.recording.to_line(self.k, [(function, line)])

    def restart(self) -> None:
        """Go back to the first line."""
        self.k = 0

    def _act(self, what: str, message: dict[str, Any]) -> None:
        if what in {button["do"] for button in BUTTONS}:
            getattr(self, what)()
        elif what == "seek":
            self.k = int(message["k"])
        elif what == "run_to":
            self.run_to(int(message["line"]), int(message["function"]))
        elif what == "break":
            self.breakpoints ^= {(int(message["function"]), int(message["line"]))}
            self.panel.breakpoints = [list(place) for place in sorted(self.breakpoints)]
        elif what == "draw":
            self.drawn ^= {str(message["name"])}
            self._show_moment()

    # --- showing ----------------------------------------------------------------------------------------------------

    def _show_moment(self) -> None:
        recording, k = self.recording, self._k
        moment = recording.moments[k]
        body = recording.body_of(k)
        body = body if body is not None and 0 < body < len(self.model.bodies) else None
        changed = [_row(change.label, change.value) for change in recording.changes(k)]
        fault = recording.fault if moment.done and k == len(recording) - 1 else None
        with self.panel.hold_sync():
            self.panel.changed = [] if k == 0 else changed
            self.panel.variables = [_row(name, x) for name, x in moment.variables.items()]
            self.panel.drawn = [
                {"name": name, "color": self._color(name), "on": name in self.drawn, "words": words_of(name).words}
                for name in self._names
            ]
            self.panel.moment = {
                "function": moment.function,
                "line": moment.line,
                "number": k,
                "count": len(recording),
                "title": "" if body is None else f"body {body}: {self.model.bodies[body].name}",
                "done": moment.done,
                "fault": "" if fault is None else f"{type(fault).__name__}: {fault}",
            }
        marks = Marks(0, {}, {}, {}) if body is None else marks_of(moment.variables, body)
        passed = None if body is None else self._passed_on(k, body, marks)
        with self.hold_sync():
            self.selected = [] if body is None else [self.model.bodies[body].name]
            self.arrows(arrows_of(marks, self._chosen(marks), self._size, self._norms_with(marks)))
            self.ellipsoids([*ellipsoids_of(marks, self._chosen(marks), self._size), *(passed or ())[1:]])
            self.travel(passed)

    def _passed_on(self, k: int, body: int, marks: Marks) -> tuple[Ellipsoid, Ellipsoid] | None:
        """Return the inertia that the last line passed to the parent: as it was, and the sum with it."""
        for change in self.recording.changes(k):
            at, whole = change.index, change.value
            if at is None or at == body or KINDS.get(change.name) != "inertia" or np.shape(whole) != (6, 6):
                continue
            given = next((name for name in ("Ia", "I_a", change.name) if name in marks.inertias), None)
            if given is None or change.name not in self.drawn or not np.any(whole):
                continue
            above = Marks(at, {}, {}, {change.name: np.asarray(whole)})
            ends = [*ellipsoids_of(marks, [given], self._size), *ellipsoids_of(above, [change.name], self._size)]
            return (ends[0], ends[1]) if len(ends) == 2 else None
        return None

    def _chosen(self, marks: Marks) -> list[str]:
        return [name for name in marks.names if name in self.drawn]

    def _norms_with(self, marks: Marks) -> dict[str, tuple[float, float]]:
        """Return the lengths to draw by: those of the run, with quantities that are gone at its end added."""
        return {**largest([marks]), **self._norms}

    def _marks_at(self, k: int, bodies: Iterable[int]) -> list[Marks]:
        variables = self.recording.moments[k].variables
        return [marks_of(variables, body) for body in bodies]

    def _color(self, name: str) -> str:
        """Return the colour of a quantity: of its straight arrow, or of its ellipsoid."""
        for marks in self._marks_at(len(self.recording) - 1, range(len(self.model.bodies))):
            for kind, group in (("motion", marks.motions), ("force", marks.forces)):
                if name in group:
                    return SPATIAL[kind][1]
        return INERTIA


def _row(label: str, value: Any) -> dict[str, str]:
    """Return a variable as a row of the panel: name, value, printed sign, meaning and unit."""
    words, units, sign = words_of(label)
    unit = " | ".join(filter(None, units))
    return {"label": label, "text": text_of(value), "words": words, "unit": unit, "sign": sign}


@check_arguments(ArgumentError)
def step_algorithm(
    function: Callable[..., Any],
    *args: Any,
    into: Iterable[Callable[..., Any]] = (),
    height: int = 420,
    **kwargs: Any,
) -> AlgorithmStepper:
    """Go through a run of an algorithm line by line, forwards and back.

    The function itself runs, once, under Python's line tracer: what is stepped through is the code that computes. Any
    Python function will do, one of `rbdkit.algorithms`, the step of an integrator, or one of your own.

    Parameters
    ----------
    function : callable
        For a public function such as ``rbd.rnea`` the readable algorithm of that name is taken.
    *args
        Its arguments. The first `Model` among them is the one in the picture. Functions of `rbdkit.algorithms` get
        lists of numbers as arrays, any other gets what is given.
    into : iterable of callable, optional
        Functions that it calls and whose lines are to be seen too.
    height : int, optional
        Of the picture, px.
    **kwargs
        Further arguments of the function, by name.

    Returns
    -------
    AlgorithmStepper
        ``step()``, ``back()``, ``next_body()``, ``next_pass()``, ``run_to(line)``, ``run()`` to a breakpoint do what
        the buttons do; ``variables`` are those of the moment, ``result`` what the function returns.

    Raises
    ------
    RbdkitError
        If the function has no source, does not take these arguments, or runs for too many lines.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model = rbd.library.double_pendulum()
    >>> stepper = rbd.step_algorithm(rbd.rnea, model, np.zeros(2), np.zeros(2), np.ones(2))
    >>> stepper.next_body()
    >>> stepper.next_body()
    >>> stepper.variables["i"], stepper.result.tau.round(3).tolist()
    (2, [3.501, 1.167])
    >>> stepper.close()
    """
    if getattr(function, "__module__", "").startswith("rbdkit.functions."):
        function = getattr(rbdkit.algorithms, function.__name__, function)
    if getattr(function, "__module__", "").startswith("rbdkit.algorithms."):
        args, kwargs = tuple(map(_as_array, args)), {name: _as_array(value) for name, value in kwargs.items()}
    recording = record(function, *args, into=into, **kwargs)
    given = [*args, *kwargs.values(), getattr(function, "__self__", None)]
    model = next((x for x in given if isinstance(x, Model)), None)
    model = (
        next((x.model for x in given if isinstance(getattr(x, "model", None), Model)), None) if model is None else model
    )
    q = None if model is None else _coordinates(model, given)
    return AlgorithmStepper(recording, model, q, height=height)


def _as_array(value: Any) -> Any:
    """Convert a list of numbers to an array, as public functions do; return anything else as it is."""
    numbers = isinstance(value, list | tuple) and value and all(isinstance(x, int | float) for x in value)
    return np.asarray(value, dtype=float) if numbers else value


def _coordinates(model: Model, given: list[Any]) -> NDArray | None:
    """Return the first argument that can be coordinates of the model."""
    for x in given:
        for values in (x, getattr(x, "x", None)):
            if isinstance(values, list | tuple | np.ndarray) and np.shape(values) == (model.nq,):
                return np.asarray(values, dtype=float)
    return None
