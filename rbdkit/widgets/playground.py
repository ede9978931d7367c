"""Sliders, a function of them, and what it draws: the widget that demonstrates one idea."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from os import PathLike
from typing import Any

import numpy as np
import traitlets
from IPython.display import display
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import RbdkitError
from rbdkit.figures import Plot
from rbdkit.model import Model
from rbdkit.scene import Arrow, Ellipsoid, Scene
from rbdkit.widgets.bundle import module, style
from rbdkit.widgets.cell import OfCell
from rbdkit.widgets.kept import put_down
from rbdkit.widgets.made import how_made
from rbdkit.widgets.panel import Panel, Slider
from rbdkit.widgets.sliders import REACH
from rbdkit.widgets.stage import Stage
from rbdkit.widgets.tour import Stop, Tour, stops_of
from rbdkit.widgets.view import View


@dataclass(frozen=True, eq=False)
class Picture:
    """Contents of the picture for one setting of the sliders; what is left out is not shown.

    Attributes
    ----------
    q : array_like (nq,) or None
        Coordinates, where the scene is a model.
    poses : array_like (nodes, 4, 4) or None
        World poses of the scene's nodes. Without either the bodies stay where they are.
    arrows, ellipsoids
        On nodes of the scene.
    figure : Plot or None
        Beside the sliders.
    readout : sequence
        Names with their values, as text.
    note : str
        A sentence below.
    handle : array_like (4, 4) or None
        World pose of a handle to drag.
    handle_turns : bool
        Whether it can be turned too.
    idle : collection of str
        Names of sliders that have no effect now; they are shown dimmed.
    units : mapping of str to str
        Units of sliders, by name, where they depend on other sliders.
    """

    q: ArrayLike | None = None
    poses: ArrayLike | None = None
    arrows: Sequence[Arrow] = ()
    ellipsoids: Sequence[Ellipsoid] = ()
    figure: Plot | None = None
    readout: Sequence[tuple[str, str]] = ()
    note: str = ""
    handle: ArrayLike | None = None
    handle_turns: bool = False
    idle: Collection[str] = ()
    units: Mapping[str, str] = field(default_factory=dict)


class Controls(Panel):
    """The sliders of a playground with the table, the sentence and the drawing that belong to them."""

    _module = traitlets.Unicode(
        module("dom", "words", "glide", "panel", "tour", "made", "playground", "playground_widget")
    ).tag(sync=True)
    _css = style("view") + style("playground")

    alone = traitlets.Bool(False).tag(sync=True)
    readout: traitlets.List[list[str]] = traitlets.List().tag(sync=True)
    note = traitlets.Unicode("").tag(sync=True)
    drawing = traitlets.Unicode("").tag(sync=True)
    idle: traitlets.List[str] = traitlets.List().tag(sync=True)
    units: traitlets.Dict[str, str] = traitlets.Dict().tag(sync=True)
    tour: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    stop = traitlets.Int(-1).tag(sync=True)
    made = traitlets.Unicode("").tag(sync=True)


class Playground(OfCell):
    """Sliders that drive a function, and the picture that it returns; the last value of a cell shows itself.

    Parameters
    ----------
    title : str
        Above the sliders.
    sliders : sequence of Slider
        The arguments of `draw`, in their order.
    draw : callable
        Called with one value a slider, a float or the name of a choice; returns a `Picture`. An `RbdkitError` that
        it raises is shown below the sliders, and the picture stays.
    scene : Scene or Model, optional
        What is drawn in 3D: a scene, or a model at its neutral coordinates. None for a drawing alone.
    height : int, optional
        Of the 3D picture, px.
    on_drag : callable, optional
        Takes the world pose (4, 4) of the handle that the picture has, and returns new values by slider name.
    tour : sequence, optional
        A guided way: `Stop` objects, or tuples of what to try, values by slider name, and what there is to see then.
        Each is a link below the sliders that moves them there.

    Raises
    ------
    RbdkitError
        If a tour asks for a slider or choice that there is not.

    Attributes
    ----------
    values : dict of str to object
        Of the sliders, by name.
    picture
        The last one.
    panel
        The sliders.
    stage
        The 3D picture, or None.
    tour : tuple of Stop
        Where its links lead.
    draw, dragged : callable
        As they were given; the second may be None.

    Examples
    --------
    How far does a stone fly? Two sliders, and what they say:

    >>> import numpy as np
    >>> from rbdkit.widgets import Picture, Playground, Slider
    >>> def throw(speed, angle):
    ...     return Picture(readout=[("width", f"{speed**2 * np.sin(2 * angle) / 9.81:.1f} m")])
    >>> sliders = [Slider("speed", "m/s", 1.0, 30.0, 10.0), Slider("angle", "rad", 0.0, 1.5, 0.5)]
    >>> playground = Playground("A throw", sliders, throw)
    >>> playground.picture.readout
    [('width', '8.6 m')]
    >>> playground.close()
    """

    def __init__(
        self,
        title: str,
        sliders: Sequence[Slider],
        draw: Callable[..., Picture],
        scene: Scene | Model | None = None,
        height: int = 400,
        on_drag: Callable[[NDArray], Mapping[str, Any]] | None = None,
        tour: Tour = (),
    ) -> None:
        self.draw, self.dragged = draw, on_drag
        self.tour = stops_of(tour)
        self.panel = Controls(title, sliders, self._turned)
        self.panel.tour = [self._told(stop) for stop in self.tour]
        self.panel.made = how_made(draw)
        self.panel.alone = scene is None
        self.stage = stage_of(scene, height)
        if self.stage is not None:
            self.stage.side = [self.panel]
            self.stage.whole = self
            self.stage.on_drag(self._dragged)
        self._stay_with_cell()
        self._show(draw(*self.values.values()))

    # --- values -----------------------------------------------------------------------------------------------------

    @property
    def values(self) -> dict[str, Any]:
        """Present values, by the names of the sliders."""
        return self._named(self.panel.numbers)

    def _named(self, numbers: NDArray) -> dict[str, Any]:
        pairs = zip(self.panel.sliders, numbers, strict=True)
        return {slider.name: slider.choices[round(x)] if slider.choices else float(x) for slider, x in pairs}

    def set(self, **values: Any) -> None:
        """Move sliders; names that are no identifiers go in as ``**{"l 1": 2.0}``.

        Raises
        ------
        RbdkitError
            If there is no such slider or choice.
        """
        numbers = self.panel.numbers
        for place, number in self._places(values).items():
            numbers[place] = number
        self.panel.stop = -1  # what a stop says need not hold any more
        self.panel.set(numbers)

    def visit(self, stop: int) -> None:
        """Go to a stop of the tour, counted from 0, as its link does.

        Raises
        ------
        RbdkitError
            If the tour has no such stop.
        """
        if not 0 <= stop < len(self.tour):
            raise RbdkitError(f"the tour has no stop {stop!r}; it has {len(self.tour)}, counted from 0")
        self.set(**self.tour[stop].values)
        self.panel.stop = stop

    def _places(self, values: Mapping[str, Any]) -> dict[int, float]:
        """Return new numbers of the named sliders, by index."""
        names = [slider.name for slider in self.panel.sliders]
        found = {}
        for name, value in values.items():
            if name not in names:
                raise RbdkitError(f"there is no slider {name!r}; there are {', '.join(names)}")
            choices = self.panel.sliders[names.index(name)].choices
            if choices and value not in choices:
                raise RbdkitError(f"{name!r} cannot be {value!r}; choose among {', '.join(map(repr, choices))}")
            found[names.index(name)] = float(choices.index(value) if choices else value)
        return found

    def _told(self, stop: Stop) -> dict[str, Any]:
        """Return a stop as the browser needs it; sliders of choices and of whole numbers jump."""
        places = self._places(stop.values)
        return {
            "ask": stop.ask,
            "see": stop.see,
            "numbers": [places.get(k) for k in range(len(self.panel.sliders))],
            "jumps": [bool(slider.choices or slider.whole) for slider in self.panel.sliders],
        }

    # --- picture ----------------------------------------------------------------------------------------------------

    def drawn_at(self, numbers: NDArray) -> Picture:
        """Return the function's picture for slider values, without showing it."""
        return self.draw(*self._named(numbers).values())

    def _turned(self, numbers: NDArray) -> None:
        self._show(self.drawn_at(numbers))

    def _dragged(self, pose: NDArray, done: bool) -> None:
        if self.dragged is not None:
            self.set(**self.dragged(pose))

    def _show(self, picture: Picture) -> None:
        self.picture = picture
        if self.stage is not None:
            self._show_in_3d(self.stage, picture)
        with self.panel.hold_sync():
            self.panel.readout = [[str(name), str(value)] for name, value in picture.readout]
            self.panel.note = picture.note
            self.panel.idle = [slider.name for slider in self.panel.sliders if slider.name in picture.idle]
            self.panel.units = dict(picture.units)
        # last, as it takes longest: what is dragged must not wait for it
        self.panel.drawing = "" if picture.figure is None else picture.figure.svg()

    def _show_in_3d(self, stage: Stage, picture: Picture) -> None:
        if isinstance(stage, View) and picture.q is not None:
            stage.q = picture.q
        elif picture.poses is not None:
            stage.pose(picture.poses)
        stage.arrows(picture.arrows)
        stage.ellipsoids(picture.ellipsoids)
        stage.handle(picture.handle, turn=picture.handle_turns)

    def to_html(self, path: str | PathLike[str] | None = None, *, title: str | None = None) -> str:
        """Save the playground as one HTML file that needs no Python and no network; see `rbdkit.to_html`.

        A function that draws no Matplotlib figure and traces, as laws of simulations do, is computed in the page, its
        handle too; it branches by `numpy.where`, and writes numbers in f-strings. Of others the pictures are made now,
        for values all over the sliders, and played back there: of one or two sliders for all values together, of more
        for each slider with the others as they stand. The page says which, and why.
        """
        return str(import_module("rbdkit.export").to_html(self, path, title=title))

    # --- widget -----------------------------------------------------------------------------------------------------

    @property
    def widget(self) -> Stage | Controls:
        """Widget that is shown in the notebook."""
        return self.panel if self.stage is None else self.stage

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.widget._repr_mimebundle_(**options)

    def _ipython_display_(self) -> None:
        if self.stage is not None:
            self.stage._ipython_display_()
        elif self.picture.figure is not None:
            put_down(self.panel._repr_mimebundle_()[0], self.picture.figure._repr_png_(), self.panel.model_id)  # type: ignore[index]
        else:
            display(self.panel)

    def close(self) -> None:
        """Close all widgets that it made."""
        self.panel.close()
        if self.stage is not None:
            self.stage.close()

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {value!r}" for name, value in self.values.items())
        return f"<Playground {self.panel.title!r}: {values}>"


def stage_of(scene: Scene | Model | None, height: int) -> Stage | None:
    """Return the 3D picture of a scene or of a model; None without one."""
    if isinstance(scene, Model):
        rng = np.random.default_rng(0)
        return View(scene, height=height, room_for=np.stack([scene.random_q(rng) for _ in range(REACH)]))
    return None if scene is None else Stage(scene, height=height)
