"""A widget that draws a scene and plays recorded motion; it knows nodes and poses, and nothing of models."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from os import PathLike
from typing import Any

import numpy as np
import traitlets
from ipywidgets import Widget, widget_serialization
from numpy.typing import ArrayLike

from rbdkit.errors import StateError
from rbdkit.scene import (
    Plot,
    Scene,
    Tracks,
    pack_plots,
    pack_scene,
    pack_tracks,
    palette,
    seven,
)
from rbdkit.widgets.bundle import module, style
from rbdkit.widgets.cell import OfCell
from rbdkit.widgets.front import Front
from rbdkit.widgets.kept import put_down, still
from rbdkit.widgets.three import reachable, three_widgets
from rbdkit.widgets.touch import Touch

DRAWING = (
    "dom",
    "words",
    "software",
    "framing",
    "shadows",
    "reshape",
    "three_scene",
    "arrows",
    "touching",
    "picker",
    "gizmo",
    "hand",
    "tracks",
    "player",
    "camera",
    "canvas",
    "overlay",
    "chart",
    "transport",
    "layers",
    "save",
    "stage",
)
"""Modules that draw and play; they call `open_three` and `ViewCanvas`, which say where three.js comes from."""
MODULES = (*DRAWING, "release", "three_of_notebook", "stage_widget")


class Stage(Touch, OfCell):
    """A 3D picture with orbit, zoom, home, layer switches, player and plots.

    Meshes live in an ordinary pythreejs scene; one binary message poses all of them (`pose`), and recorded motion
    (`tracks`) plays in the browser without Python. The widget shows itself as the last value of a cell or through
    ``display``. When the cell that made it is run again, it is closed: the new run brings its own.

    Parameters
    ----------
    scene : Scene
        What to draw.
    tracks : Tracks, optional
        Recorded motion of its nodes.
    plots : iterable of Plot, optional
        Curves beside it, with the player's cursor.
    height : int, optional
        Of the picture, px.
    rate, loop : optional
        Playing speed (1 is real time) and whether playing starts over at the end.
    follow : str, optional
        Name of the node that the camera keeps up with; '' for none.
    followable : str, optional
        The node that the button for following stands for; '' for no button.
    near : array_like (k, 3), optional
        Points that the picture should hold while following, with the node at its first place.

    Attributes
    ----------
    t
        Time of the picture, s; set it to move there.
    playing
        Set it to play or pause.
    rate, loop
        As above.
    frame
        Number of the recorded sample at or before t.
    layers
        Which layers are shown, by name.
    side
        Widgets to be shown beside the picture, below the plots.
    below
        The same, below picture and plots.
    selected
        Names of nodes that stand out.
    """

    panel: Front | None = None  # beside the picture, closed with it
    whole: Any = None  # what it is the picture of, where that is saved as a page with it

    _module = traitlets.Unicode(module(*MODULES)).tag(sync=True)
    _css = style("view")

    t = traitlets.Float(0.0).tag(sync=True, echo_update=False)
    frame = traitlets.Int(0)
    playing = traitlets.Bool(False).tag(sync=True, echo_update=False)
    rate = traitlets.Float(1.0, min=1e-6).tag(sync=True)
    loop = traitlets.Bool(False).tag(sync=True)
    layers = traitlets.Dict(key_trait=traitlets.Unicode(), value_trait=traitlets.Bool()).tag(sync=True)
    follow = traitlets.Unicode("").tag(sync=True)
    height = traitlets.Int(400, min=120).tag(sync=True)
    below = traitlets.List(traitlets.Instance(Widget)).tag(sync=True, **widget_serialization)
    side = traitlets.List(traitlets.Instance(Widget)).tag(sync=True, **widget_serialization)

    _companions = traitlets.List(traitlets.Instance(Widget)).tag(sync=True, **widget_serialization)  # go with it
    _three = traitlets.Dict().tag(sync=True, **widget_serialization)
    _scene = traitlets.Dict().tag(sync=True)
    _tracks = traitlets.Dict().tag(sync=True)
    _plots: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    _marks: traitlets.List[list[Any]] = traitlets.List().tag(sync=True)  # time, text and colour, on the time line
    _pose = traitlets.Bytes(b"").tag(sync=True)
    _axes = traitlets.List(list(palette.AXES)).tag(sync=True)
    _followable = traitlets.Unicode("").tag(sync=True)
    _near: traitlets.List[list[float]] = traitlets.List().tag(sync=True)
    _framed = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self,
        scene: Scene,
        tracks: Tracks | None = None,
        plots: Iterable[Plot] = (),
        height: int = 400,
        rate: float = 1.0,
        loop: bool = False,
        follow: str = "",
        followable: str = "",
        near: ArrayLike | None = None,
        **traits: Any,
    ) -> None:
        self.scene, self.tracks = scene, tracks
        super().__init__(
            _three=three_widgets(),
            _scene=pack_scene(scene),
            _tracks=pack_tracks(tracks),
            _plots=pack_plots(tuple(plots)),
            layers={layer.name: layer.visible for layer in scene.layers},
            t=0.0 if tracks is None else float(tracks.t[0]),
            height=height,
            rate=rate,
            loop=loop,
            follow=follow,
            _followable=followable or follow,
            _near=[] if near is None else np.asarray(near, dtype=float).tolist(),
            **traits,
        )
        self._stay_with_cell()

    # --- what is drawn ----------------------------------------------------------------------------------------------

    def draw(self, scene: Scene, tracks: Tracks | None = None, plots: Iterable[Plot] = ()) -> None:
        """Show another scene in the same picture, with its motion and plots; camera and switches stay as they are."""
        with self.hold_sync():
            self.scene, self.tracks = scene, tracks
            self.layers = {layer.name: self.layers.get(layer.name, layer.visible) for layer in scene.layers}
            self._pose = self._arrows = self._ellipsoids = b""
            self.selected = [name for name in self.selected if name in scene.nodes]
            self._scene = pack_scene(scene)
            self.record(tracks, plots)

    def record(self, tracks: Tracks | None, plots: Iterable[Plot] = ()) -> None:
        """Show other motion and plots for the same scene."""
        with self.hold_sync():
            self.tracks = tracks
            self._tracks = pack_tracks(tracks)
            self._plots = pack_plots(tuple(plots))
            if tracks is not None:
                self.t = float(np.clip(self.t, tracks.t[0], tracks.t[-1]))

    def pose(self, poses: ArrayLike) -> None:
        """Put the nodes into world poses, shape (nodes, 4, 4), with one message; the picture follows at once.

        Raises
        ------
        StateError : the shape does not fit the scene, or a number is not finite.
        """
        matrices = np.asarray(poses, dtype=float)
        shape = (len(self.scene.nodes), 4, 4)
        if matrices.shape != shape:
            raise StateError(f"poses have shape {matrices.shape}; the {shape[0]} nodes of this scene need {shape}")
        self._posed += 1
        self._pose = np.append(
            seven(matrices), np.float32(self._posed % 2**20)
        ).tobytes()  # the count tells equal poses apart

    # --- layers and eye ---------------------------------------------------------------------------------------------

    def show(self, *names: str) -> None:
        """Show layers, e.g. ``view.show("frames", "com")``."""
        self.layers = {**self.layers, **dict.fromkeys(names, True)}

    def hide(self, *names: str) -> None:
        """Hide layers, e.g. ``view.hide("grid")``."""
        self.layers = {**self.layers, **dict.fromkeys(names, False)}

    def home(self) -> None:
        """Go back to the view that shows everything."""
        self.send({"do": "home"})

    @traitlets.validate("layers")
    def _known_layers(self, proposal: Any) -> dict[str, bool]:
        known = [layer.name for layer in self.scene.layers]
        unknown = [name for name in proposal["value"] if name not in known]
        if unknown:
            raise traitlets.TraitError(f"no layer {unknown[0]!r} in this view; there are {', '.join(known)}")
        return {name: proposal["value"].get(name, self.layers.get(name, True)) for name in known}

    @traitlets.validate("follow", "_followable")
    def _known_node(self, proposal: Any) -> str:
        name = proposal["value"]
        if name and name not in self.scene.nodes:
            raise traitlets.TraitError(f"no node {name!r} to follow; there are {', '.join(self.scene.nodes)}")
        return str(name)

    # --- time -------------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Play from where it is, or from the start if it is at the end."""
        self.playing = True

    def pause(self) -> None:
        """Pause at the present time."""
        self.playing = False

    @traitlets.validate("t")
    def _within_motion(self, proposal: Any) -> float:
        t = float(proposal["value"])
        if self.tracks is None:
            return t
        return float(np.clip(t, self.tracks.t[0], self.tracks.t[-1]))

    @traitlets.observe("t")
    def _frame_of_time(self, change: Any) -> None:
        if self.tracks is not None:
            self._moving = True
            self.frame = int(
                self.tracks.samples[max(0, np.searchsorted(self.tracks.t, change["new"], side="right") - 1)]
            )
            self._moving = False

    _moving = False
    _posed = 0
    _set_by_hand = False  # a pose that was set stands in place of the motion

    @traitlets.observe("frame")
    def _time_of_frame(self, change: Any) -> None:
        if self.tracks is not None and not self._moving:
            samples = self.tracks.samples
            self.t = float(self.tracks.t[np.clip(np.searchsorted(samples, change["new"]), 0, len(samples) - 1)])

    # --- in a cell --------------------------------------------------------------------------------------------------

    def still(self) -> bytes:
        """Return the picture as PNG that stays in a saved notebook."""
        return still(self)

    def _ipython_display_(self) -> None:
        self.put_down(self._repr_mimebundle_()[0], self.model_id)  # type: ignore[index]

    def put_down(self, bundle: dict[str, Any], name: str) -> None:
        """Show a bundle with what stays of this picture in a saved notebook. name : of the widget that is shown."""
        page = import_module("rbdkit.export.kept").kept_page(self)  # from above, as in `to_html`
        put_down(bundle, self.still(), name, page)

    # --- out of the notebook ----------------------------------------------------------------------------------------

    def to_html(self, path: str | PathLike[str] | None = None, *, title: str | None = None) -> str:
        """Save the picture as one HTML file that needs no Python and no network; see `rbdkit.to_html`."""
        # from above, for it draws with this file's JavaScript
        return str(import_module("rbdkit.export").to_html(self, path, title=title))

    def to_png(self, path: str | PathLike[str] | None = None, **options: Any) -> bytes:
        """Save the picture as PNG, of any size; see `rbdkit.to_png`."""
        return bytes(import_module("rbdkit.export").to_png(self, path, **options))

    def to_gif(self, path: str | PathLike[str], **options: Any) -> None:
        """Save the motion as an animated GIF; see `rbdkit.to_gif`."""
        import_module("rbdkit.export").to_gif(self, path, **options)

    def to_mp4(self, path: str | PathLike[str], **options: Any) -> None:
        """Save the motion as a film; see `rbdkit.to_mp4`."""
        import_module("rbdkit.export").to_mp4(self, path, **options)

    def _message(self, widget: Any, content: dict[str, Any], buffers: Any) -> None:
        super()._message(widget, content, buffers)
        if content.get("do") == "page":
            self.send({"do": "page"}, [(self.whole or self).to_html().encode()])

    # --- the end ----------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the widget and every widget it made. Others that were hung into `side` are their makers' to close."""
        super().close()  # first: what draws takes leave of what it draws with
        for widget in reachable(self._three).values():
            widget.close()
        self._scene, self._tracks, self._plots = {}, {}, []  # the notebook's Out holds closed views for good
        if self.panel is not None:
            self.panel.close()

    def hidden(self) -> list[str]:
        """Return the names of the layers that are not shown."""
        return [name for name, visible in self.layers.items() if not visible]

    def __repr__(self) -> str:
        parts = [f"{type(self).__name__} of {self.scene.name!r}: {len(self.scene.nodes) - 1} bodies"]
        if self.tracks is not None:
            keys, count = len(self.tracks.t), int(self.tracks.samples[-1]) + 1
            thinned = "" if keys == count else f", {keys} of them drawn"
            parts.append(f"{self.tracks.t[-1] - self.tracks.t[0]:.6g} s in {count} states{thinned}")
        if self.hidden():
            parts.append(f"hidden: {', '.join(self.hidden())}; show with view.show({self.hidden()[0]!r})")
        return f"<{'; '.join(parts)}>"
