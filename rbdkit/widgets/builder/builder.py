"""Builder of models by hand: the tree, a picture with a handle, and a form for what is selected."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.drafting import (
    EXAMPLES,
    GROUND,
    AddBody,
    AddFrame,
    AddLoop,
    Closure,
    Delete,
    Draft,
    Operation,
    Part,
    PlaceLoop,
    Reparent,
    SetPlacement,
    StartFrom,
)
from rbdkit.drafting.assemble import inertia_of
from rbdkit.drafting.disassemble import disassemble
from rbdkit.drafting.fresh import tip
from rbdkit.errors import ArgumentError, ModelError, RbdkitError
from rbdkit.formats import load
from rbdkit.model import Model
from rbdkit.scene import Ellipsoid, Scene, scene_of
from rbdkit.scene.equimomental import ellipsoid
from rbdkit.scene.palette import INERTIA
from rbdkit.spatial import se3
from rbdkit.spatial.check_arguments import check_arguments
from rbdkit.widgets.builder.edit import neat, operation
from rbdkit.widgets.builder.form import LIMITS, LOSSES, form
from rbdkit.widgets.builder.memory import remembered
from rbdkit.widgets.builder.panel import BuilderPanel
from rbdkit.widgets.builder.posture import Posture
from rbdkit.widgets.builder.remarks import with_remarks
from rbdkit.widgets.builder.tree import tree
from rbdkit.widgets.letting_go import LettingGo, moving_on
from rbdkit.widgets.panel import Slider
from rbdkit.widgets.touch import Pick

GROWN = 1.25
"""Change of size of a picture, as a factor, from which on it is framed again."""
UNSEEN = {*LOSSES, *LIMITS, "joint_name", "follows", "ratio", "model", "gravity", "gravity_of"}
"""Fields that do not change how bodies look."""


class Builder(LettingGo):
    """A model under construction; see `build`.

    Attributes
    ----------
    draft
        The drawing board with all its steps.
    model : Model
        The model as it stands; raises `ModelError` with all that is wrong while none can be made.
    key
        Of what is selected, `GROUND` for the model as a whole.
    """

    panel: BuilderPanel

    def __init__(self, draft: Draft, **options: Any) -> None:
        self.draft = draft
        self.key = GROUND
        self._posture = Posture()
        self._shape = 0
        self._picking = self._gripped = False
        self._exports = 0
        self._posture.take(draft.assembly.model or Model(), draft.assembly.bodies)
        scene = self._scene_now()
        self._framed_size = scene.size
        super().__init__(scene, **options)
        self.show("joints", "frames")
        self.panel = BuilderPanel(self._act, examples=list(EXAMPLES))
        self.side = [self.panel]
        self.on_pick(self._picked)
        self.on_drag(self._handle_dragged)
        self._refresh()

    @property
    def model(self) -> Model:
        """The model as it stands; raises `ModelError` with all that is wrong if none can be made."""
        return self.draft.model()

    @property
    def q(self) -> NDArray:
        """Coordinates of the picture, shape (nq,) of the model that is shown."""
        return self._posture.q.copy()

    def _held_state(self) -> tuple[Model, dict[str, Any]]:
        model = self.model
        return moving_on(model, self.q, None, model.initial_z())

    def do(self, step: Operation, join: bool = False) -> int:
        """Do a step as the form would, and show it; see `Draft.do`."""
        key = self.draft.do(step, join)
        self._redraw()
        return key

    def select(self, key: int) -> None:
        """Select a body, loop joint or frame by its key; `GROUND` for the model as a whole."""
        if key != GROUND:
            self.draft.sheet.item(key)
        self.key, self._shape, self._picking = key, 0, False
        self._refresh()

    def undo(self) -> None:
        """Undo the last step; raises `ModelError` at the start."""
        self.draft.undo()
        self._redraw()

    def redo(self) -> None:
        """Redo a step; raises `ModelError` if none was undone."""
        self.draft.redo()
        self._redraw()

    # --- what is asked for ------------------------------------------------------------------------------------------

    def _act(self, what: str, message: dict[str, Any]) -> None:
        field = str(message.get("field", ""))
        with self._told(field):
            match what:
                case "set":
                    self._set(field, message["value"], bool(message.get("join")))
                case "select":
                    self.select(int(message["key"]))
                case "undo" | "redo":
                    getattr(self, what)()
                case "add_body" | "add_frame" | "add_loop":
                    self._add(what)
                case "delete":
                    self._delete(bool(message.get("splice")))
                case "reparent":
                    self.do(Reparent(int(message["key"]), int(message["parent"])))
                case "pick":
                    self._picking = not self._picking
                    self._refresh()
                case "start":
                    self._start(EXAMPLES[message["name"]]())
                case "new":
                    self._start(Model())
                case "export":
                    self._export(str(message["kind"]))
                case "import":
                    with warnings.catch_warnings(record=True) as notes:
                        warnings.simplefilter("always")
                        self._start(load(str(message["text"]) + "\n"))
                    if notes:
                        self.panel.fault = {"field": "", "message": "; ".join(str(note.message) for note in notes)}

    @contextmanager
    def _told(self, field: str) -> Iterator[None]:
        """Show in the panel why a step was refused, instead of in the log."""
        self.panel.fault = {}
        try:
            yield
        except (RbdkitError, LookupError, ModuleNotFoundError, OSError) as fault:
            self.panel.fault = {"field": field, "message": str(fault)}

    def _set(self, field: str, value: Any, join: bool) -> None:
        if field.startswith("q") and field[1:].isdigit():
            try:
                self._posture.slide(self.key, int(field[1:]), float(value), self._framed_size)
            finally:
                self.pose(self._posture.poses)
                self._refresh()
            return
        if field == "close":
            self._posture.close()
            self.pose(self._posture.poses)
            self._refresh()
            return
        if field == "shape_number":
            self._shape = int(value) - 1
            self._refresh()
            return
        step = operation(self.draft.sheet, self.key, field, value, self._shape)
        self.draft.do(step, join)
        if field == "shapes":
            self._shape = len(self.draft.sheet.part(self.key).geometry) - 1 if value == "add" else 0
        self._redraw(looks=field not in UNSEEN)

    def _add(self, what: str) -> None:
        sheet = self.draft.sheet
        item = None if self.key == GROUND else sheet.item(self.key)
        body = GROUND if item is None else _body_of(item)
        if what == "add_body":
            key = self.draft.do(AddBody(body))
        elif what == "add_frame":
            key = self.draft.do(AddFrame(body, tip(sheet, body)))
        else:
            if body == GROUND:
                raise ModelError("select the body whose end is to be joined; the loop joint then ties it to the world")
            place = tip(sheet, body)
            at = self._world(body) @ se3.pose(position=place)
            key = self.draft.do(AddLoop(body, GROUND, placement=place, successor_placement=_neat_pose(at)))
        self.key, self._shape = key, 0
        self._redraw()

    def _delete(self, splice: bool) -> None:
        if self.key == GROUND:
            raise ModelError("the world cannot be deleted; start anew from the menu of examples")
        item = self.draft.sheet.item(self.key)
        self.draft.do(Delete(self.key, splice))
        self.key = item.parent if isinstance(item, Part) else _body_of(item)
        self._redraw()

    def _start(self, model: Model) -> None:
        self.draft.do(StartFrom(disassemble(model)))
        self.key = GROUND
        self._posture.forget()
        self._redraw()
        self.home()

    def _export(self, kind: str) -> None:
        texts = {"code": self.draft.code, "json": self.draft.to_json, "urdf": self.draft.to_urdf}
        notes = ""
        if kind == "load":
            text = ""
        else:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                text = texts[kind]()
            notes = "; ".join(str(note.message) for note in said)
        self._exports += 1
        name = self.draft.sheet.name or "model"
        self.panel.export = {"kind": kind, "text": text, "notes": notes, "name": name, "number": self._exports}

    # --- the picture ------------------------------------------------------------------------------------------------

    def _scene_now(self) -> Scene:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a mesh that is not there is a box, and the picture's corner says so
            return scene_of(self._posture.model, self._posture.q, trails=[])

    def _redraw(self, looks: bool = True, by_hand: bool = False) -> None:
        """Update the picture, if a model can be made, and the panel after a step; what was moved by hand stays."""
        if self.key != GROUND and all(item.key != self.key for item in self.draft.sheet.items):
            self.key = GROUND
        model = self.draft.assembly.model
        if model is not None:
            before = tuple(body.name for body in self._posture.model.bodies)
            self._posture.take(model, self.draft.assembly.bodies)
            if looks or before != tuple(body.name for body in model.bodies):
                scene = self._scene_now()
                self.selected = []
                self.draw(scene)
                if not by_hand and not 1.0 / GROWN < scene.size / self._framed_size < GROWN:
                    self._framed_size = scene.size
                    self.home()
            else:
                self.pose(self._posture.poses)
        self._refresh()

    def _refresh(self) -> None:
        """Update the panel, the handle, and the highlights of the picture."""
        draft, sheet = self.draft, self.draft.sheet
        numbers = {key: number for number, key in enumerate(self._posture.keys)}
        remarks = draft.findings()
        own = [remark for remark in remarks if remark.key == self.key]
        state = "" if draft.assembly.model is not None else "no model yet, the picture shows the last one"
        with self.panel.hold_sync():
            self.panel.tree = tree(sheet, remarks, numbers)
            self.panel.chosen = self.key
            groups = form(sheet, self.key, self._sliders(), self._shape, self._gap())
            self.panel.form = with_remarks(groups, own)
            self.panel.status = {
                "undo": str(draft.operations[-1]) if draft.operations else "",
                "redo": str(draft.undone[0]) if draft.undone else "",
                "state": state,
                "errors": sum(remark.severity in ("blocking", "error") for remark in remarks),
                "warnings": sum(remark.severity == "warning" for remark in remarks),
                "picking": self._picking,
            }
        with self.hold_sync():
            number = numbers.get(self.key)
            names = self.scene.nodes
            self.selected = [names[number]] if number and number < len(names) else []
            self.ellipsoids(self._ellipsoid(number))
            if not self._gripped:
                self.handle(self._grip())

    def _ellipsoid(self, number: int | None) -> list[Ellipsoid]:
        """Return the inertia ellipsoid of the selected body."""
        if not number or not isinstance(item := self.draft.sheet.item(self.key), Part):
            return []
        inertia = inertia_of(item)
        if inertia is None or inertia.mass <= 0.0 or inertia.findings():
            return []
        radii, pose = ellipsoid(inertia)
        return [Ellipsoid(number, pose[:3, 3], pose[:3, :3], radii, INERTIA)] if np.isfinite(radii).all() else []

    def _world(self, key: int) -> NDArray:
        """Return the pose of a body in the picture; as drafted if it is not in the model that is shown."""
        number = self._posture.number(key)
        return self.draft.sheet.pose(key) if number is None else self._posture.poses[number]

    def _grip(self) -> NDArray | None:
        """Return the world pose of the frame that the handle moves."""
        if self.key == GROUND:
            return None
        item = self.draft.sheet.item(self.key)
        return self._world(_carrier(item)) @ item.placement

    def _gap(self) -> float | None:
        item = None if self.key == GROUND else self.draft.sheet.item(self.key)
        if not isinstance(item, Closure):
            return None
        one = self._world(item.predecessor) @ item.placement
        two = self._world(item.successor) @ item.successor_placement
        return float(np.linalg.norm(one[:3, 3] - two[:3, 3]))

    # --- hands ------------------------------------------------------------------------------------------------------

    def _picked(self, pick: Pick) -> None:
        with self._told(""):
            if self._picking and pick.node:
                pose = self._grip()
                self._picking = False
                if pose is not None:
                    self._put(se3.pose(pose[:3, :3], pick.point), False)
                    self._redraw()
                return
            number = self.scene.nodes.index(pick.node) if pick.node else 0
            self.select(self._posture.keys[number] if number < len(self._posture.keys) else GROUND)

    def _handle_dragged(self, pose: NDArray, done: bool) -> None:
        with self._told(""):
            self._put(pose, self._gripped)
            self._gripped = not done
            self._redraw(looks=done, by_hand=True)

    def _put(self, pose: NDArray, join: bool) -> None:
        """Move the frame of what is selected to a world pose."""
        if self.key == GROUND:
            return
        item = self.draft.sheet.item(self.key)
        if isinstance(item, Closure):
            ends = [_neat_pose(se3.inverse(self._world(key)) @ pose) for key in (item.predecessor, item.successor)]
            self.draft.do(PlaceLoop(self.key, ends[0], ends[1]), join)
            return
        self.draft.do(SetPlacement(self.key, _neat_pose(se3.inverse(self._world(_carrier(item))) @ pose)), join)

    def _sliders(self) -> list[tuple[Slider, float]]:
        if self._posture.number(self.key) is None or self.key == GROUND:
            return []
        return self._posture.sliders(self.key, self.draft.sheet.part(self.key).joint, self._framed_size)


def _body_of(item: Any) -> int:
    """Return the body to which something new is added while an item is selected."""
    return int(item.key if isinstance(item, Part) else item.predecessor if isinstance(item, Closure) else item.body)


def _carrier(item: Any) -> int:
    """Return the body in whose coordinates an item is placed."""
    return int(item.parent if isinstance(item, Part) else _body_of(item))


def _neat_pose(T: NDArray) -> NDArray:
    """Round a pose set by hand: to whole micrometres, exact quarter turns, an orthonormal rotation."""
    U, _, Vt = np.linalg.svd(T[:3, :3])
    return se3.pose(neat(U @ Vt), np.round(T[:3, 3], 6) + 0.0)


@check_arguments(ArgumentError)
def build(model: Model | None = None, *, name: str | None = None, height: int = 620) -> Builder:
    """Build a model by hand: add bodies, choose joints, drag them into place, give them shapes and inertias.

    Parameters
    ----------
    model : Model, optional
        What to start from; it stays as it is. Without one the world is empty.
    name : str, optional
        Of the draft. It lives in the kernel: the same name, or the same cell, goes on where it was left, with all its
        steps. Another model in its place is one more step, which can be undone.
    height : int, optional
        Of the picture, px.

    Returns
    -------
    Builder
        ``builder.model`` is the model as it stands, ready for the next cell; ``builder.draft`` has every step, and
        `Draft.code` as a program.

    Raises
    ------
    ArgumentError
        If `model` is not a model.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> builder = rbd.build(rbd.library.pendulum())
    >>> builder.model
    <Model 'pendulum': 1 body, 1 moving joint, nq=1, nv=1, 1 kg>
    >>> print(builder.draft.code())
    import rbdkit as rbd
    <BLANKLINE>
    model = rbd.Model("pendulum")
    model.add_body(
        "rod",
    ...
    >>> builder.close()
    """
    return Builder(remembered(model, name), height=height)
