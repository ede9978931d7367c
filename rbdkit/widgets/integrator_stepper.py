"""Stepper for integrators: step by step, stage by stage, alone or beside another one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.errors import ArgumentError, RbdkitError, SimulationError, StateError
from rbdkit.integrators import Integrator
from rbdkit.model import Model
from rbdkit.scene import Arrow
from rbdkit.scene.arrows import triple
from rbdkit.scene.comparison import laid_over
from rbdkit.scene.curves import names_and_units
from rbdkit.scene.palette import SPATIAL
from rbdkit.simulation.choices import Maker, integrator_of, maker_of
from rbdkit.simulation.formulated import require_formulation
from rbdkit.spatial.check_arguments import check_arguments
from rbdkit.spatial.read_numbers import shown
from rbdkit.stepping import Place, Walk, text_of
from rbdkit.stepping.text import number
from rbdkit.widgets.stage import Stage
from rbdkit.widgets.step_panel import StepPanel
from rbdkit.widgets.view import reaching

BUTTONS = [
    {"do": "restart", "icon": "first", "tip": "Back to the start (Home)", "key": "Home"},
    {"do": "step_back", "icon": "back", "tip": "One step back (PageUp)", "key": "PageUp"},
    {"do": "back", "icon": "unstage", "tip": "One stage back (\u2190)", "key": "ArrowLeft"},
    {"do": "forward", "icon": "stage", "tip": "On to the next stage (\u2192)", "key": "ArrowRight"},
    {"do": "step", "icon": "forward", "tip": "On to the next step (PageDown)", "key": "PageDown"},
    {"do": "run", "icon": "run", "tip": "Ten steps (R)", "key": "r"},
]
DRAWN = {"velocity": SPATIAL["motion"][1], "rate of velocity": SPATIAL["force"][1]}
MEANING: dict[str, tuple[str, int | None]] = {
    "t": ("time", None),
    "x": ("coordinates", -1),
    "v": ("velocities", 0),
    "k": ("velocities that the step goes by", 0),
    "a": ("their rates", 1),
}
"""Meaning of the numbers of a step, and their unit as a power of 1/s relative to velocities; None for time."""
STAGE = "stage"
"""Label of the copy that shows the present stage."""
AHEAD = 25
"""Number of steps that are made at once, so that the picture has room for them."""
SYMBOLS = {"velocity": "v", "rate of velocity": "a"}
UNITS = {"velocity": "m/s", "rate of velocity": "m/s\u00b2"}
BESIDE = 0.018
"""Distance between the arrows of a body, relative to the size of the picture."""
LENGTH = 0.25
"""Longest arrow, relative to the size of the picture."""
FAULTS = (RbdkitError, ArithmeticError, np.linalg.LinAlgError)
"""Errors with which a step may fail."""

Pair = tuple[str | Maker, str | Integrator]


class IntegratorStepper(Stage):
    """One or more integrators on the same motion, to go through; see `step_integrator`.

    Attributes
    ----------
    walks
        One a pair.
    place
        Where the first one stands; the others stand after as many steps.
    """

    panel: StepPanel

    def __init__(self, walks: Sequence[Walk], **options: Any) -> None:
        self.walks = tuple(walks)
        self.place = Place(0)
        self._drawn = set(DRAWN)
        model = walks[0].system.model
        scene = laid_over(model, [*(walk.label for walk in walks), STAGE])
        scene = reaching(scene, self._first_poses())
        middle = 0.5 * (scene.outline.min(axis=0) + scene.outline.max(axis=0))
        room = 1.0 + LENGTH  # for arrows
        super().__init__(replace(scene, outline=middle + room * (scene.outline - middle)), **options)
        self._bodies = len(model.bodies)
        self._com = np.array([np.zeros(3) if b.inertia is None else b.inertia.com for b in model.bodies])
        self._size = self.scene.size / room
        self.panel = StepPanel(
            self._act,
            buttons=BUTTONS,
            more="Invariants and their drift",
            sources=[
                {"name": walk.label, "first": 1, "lines": list(walk.formulas), "formulas": True} for walk in walks
            ],
        )
        self.side = [self.panel]
        self._show_place("")

    def _first_poses(self) -> NDArray:
        """Return poses of the nodes over the first steps that succeed: those for which the picture has room."""
        poses = []
        for step in range(AHEAD):
            try:
                states = [walk.state(step) for walk in self.walks]
            except FAULTS:
                break
            each = [walk.system.poses(own.x, own.t) for walk, own in zip(self.walks, states, strict=True)]
            poses.append(np.concatenate([each[0], *(own[1:] for own in (*each[1:], each[0]))]))
        return np.stack(poses)

    # --- going ------------------------------------------------------------------------------------------------------

    def forward(self) -> None:
        """Go to the next stage, or from the last one to the next state."""
        self._go(lambda: self.walks[0].forward(self.place))

    def back(self) -> None:
        """Go to the stage or state before."""
        self._go(lambda: self.walks[0].back(self.place))

    def step(self, steps: int = 1) -> None:
        """Go a number of steps on, to a state."""
        self._go(lambda: Place(self.place.step + steps))

    def step_back(self) -> None:
        """Go to the state at the beginning of this step, or of the one before."""
        back = 0 if self.place.stage else 1
        self._go(lambda: Place(max(0, self.place.step - back)))

    def run(self) -> None:
        """Go ten steps on."""
        self.step(10)

    def restart(self) -> None:
        """Go back to the start."""
        self._go(lambda: Place(0))

    def _go(self, to: Callable[[], Place]) -> None:
        """Go to a place if the steps to it can be made; otherwise show the reason and stay."""
        try:
            place = to()
            for walk in self.walks:
                walk.state(place.step)
        except FAULTS as fault:
            self._show_place(str(fault) or type(fault).__name__)
            return
        self.place = place
        self._show_place("")

    def _act(self, what: str, message: dict[str, Any]) -> None:
        if what in {button["do"] for button in BUTTONS}:
            getattr(self, what)()
        elif what == "seek":
            self._go(lambda: Place(*divmod(int(message["k"]), self._stops)))
        elif what == "draw":
            self._drawn ^= {str(message["name"])}
            self._show_place("")

    # --- showing ----------------------------------------------------------------------------------------------------

    def _show_place(self, fault: str) -> None:
        place, first = self.place, self.walks[0]
        t, x, v, v_rate = first.at(place)
        states = [walk.state(place.step) for walk in self.walks]
        poses = [walk.system.poses(own.x, own.t) for walk, own in zip(self.walks, states, strict=True)]
        stage_pose = first.system.poses(x, t)
        self.pose(np.concatenate([poses[0][:1], *(p[1:] for p in poses), stage_pose[1:]]))
        self.layers = {**self.layers, STAGE: bool(place.stage)}
        base = (len(self.walks) * (self._bodies - 1)) if place.stage else 0
        self.arrows(self._arrows_at(first, t, x, v, v_rate, base))
        line = first.line(place)
        with self.panel.hold_sync():
            self.panel.changed = self._numbers(t, x, v, v_rate)
            self.panel.variables = self._drifts()
            self.panel.drawn = [{"name": n, "color": c, "on": n in self._drawn} for n, c in DRAWN.items()]
            steps = "1 step" if place.step == 1 else f"{place.step} steps"
            where = f"stage {place.stage} of step {place.step + 1}" if place.stage else f"after {steps}"
            self.panel.slopes = self._slopes()
            self.panel.moment = {
                "function": 0,
                "line": 0 if line is None else line + 1,
                "number": place.step * self._stops + place.stage,
                "count": (first.known - 1) * self._stops + 1,
                "title": f"{where}, t = {t:.6g} s",
                "done": not place.stage and place.step > 0,
                "fault": fault,
            }

    def _arrows_at(
        self, walk: Walk, t: float, x: NDArray, v: NDArray, v_rate: NDArray | None, base: int
    ) -> list[Arrow]:
        """Return velocity, and rate of velocity, of the bodies at their centres of mass, as arrows."""
        arrows: list[Arrow] = []
        shown = {"velocity": v, "rate of velocity": v_rate}
        for name, kind in (("velocity", "motion"), ("rate of velocity", "force")):
            w = shown[name]
            if name not in self._drawn or w is None:
                continue
            twists = walk.system.velocities(x, w, t)
            if w is v_rate:  # without what time does to driven joints
                twists = twists - walk.system.velocities(x, np.zeros_like(w), t)
            linear = twists[:, 3:] + np.cross(twists[:, :3], self._com)
            longest = max(float(np.linalg.norm(linear, axis=1).max()), 1e-300)
            scale = (0.0, LENGTH * self._size / longest)
            for body in range(1, self._bodies):
                size = float(np.linalg.norm(linear[body]))
                text = f"{SYMBOLS[name]} {size:.3g} {UNITS[name]}"
                at = self._com[body]
                if name != "velocity":  # beside the other one, in the plane of the motion
                    at = at + BESIDE * self._size * _across(linear[body], twists[body, :3])
                vector = triple(scale[1] * linear[body])
                if np.linalg.norm(vector) > 1e-9:
                    arrows.append(Arrow(body + base, triple(at), vector, SPATIAL[kind][1], "straight", name, text))
        return arrows

    @property
    def _stops(self) -> int:
        """Number of places of a step: its beginning and its stages."""
        return len(self.walks[0].stages(0)) + 1

    def _slopes(self) -> dict[str, Any]:
        """Return the phase plane of the coordinate that moves most: states, and the slope at each stage.

        Empty where coordinates and velocities do not correspond one to one.
        """
        first, place = self.walks[0], self.place
        states = [first.state(k) for k in range(first.known)]
        if len(states[0].x) != len(states[0].v):
            return {}
        path = np.array([[state.x, state.v] for state in states])  # (k, 2, n)
        own = int(np.argmax(np.ptp(path[:, 1], axis=0)))
        step = place.step if place.stage or not place.step else place.step - 1
        stages = first.stages(step)
        return {
            "coordinate": self._coordinate(own),
            "path": path[:, :, own].tolist(),
            "here": place.step,
            "h": first.h,
            "stages": [
                [float(s.x[own]), float(s.v[own]), float(s.u_rate[own]), float(s.v_rate[own])]
                for s in stages[: place.stage or len(stages)]
            ],
            "shown": bool(place.stage or place.step),
            "step": step,
        }

    def _coordinate(self, own: int) -> str:
        """Return the name of the joint that has a coordinate."""
        return next((j.name for j in self.walks[0].system.model.joints[1:] if j.q_slice.start == own), f"q{own + 1}")

    def _numbers(self, t: float, x: NDArray, v: NDArray, v_rate: NDArray | None) -> list[dict[str, str]]:
        place, first = self.place, self.walks[0]
        i = place.stage or ""
        rows = [(f"t{i}", number(t)), (f"x{i}", text_of(x)), (f"v{i}", text_of(v))]
        if v_rate is not None:
            stage = first.stages(place.step)[place.stage - 1]
            rows += [(f"k{i}", text_of(stage.u_rate)), (f"a{i}", text_of(v_rate))]
        solve = first.state(place.step).solve
        if solve is not None and not place.stage:
            residuals = ", ".join(f"{r:.1e}" for r in solve.residuals)
            rows.append(("Newton", f"{solve.iterations} iterations, residuals {residuals}"))
        if not place.stage and place.step:
            rows += [(name, f"drift {number(value)}") for name, value in first.drift(place.step).items()]
        return [{"label": label, "text": text, **self._meaning(label.rstrip("0123456789"))} for label, text in rows]

    def _meaning(self, name: str) -> dict[str, str]:
        """Return the meaning and units of a number of a step."""
        if name not in MEANING:
            return {}
        words, rates = MEANING[name]
        system = self.walks[0].system
        if rates is None:
            return {"words": words, "unit": "s"}
        if len(self.walks[0].state(0).v) != system.model.nv:  # components that are not those of joints
            return {"words": words}
        units = dict.fromkeys(names_and_units(system.model, "v")[1])
        return {"words": words, "unit": " | ".join(raised(unit, rates) for unit in units)}

    def _drifts(self) -> list[dict[str, str]]:
        """Return invariants and drifts of all integrators, side by side."""
        rows = []
        for walk in self.walks:
            values, drifts = walk.invariants(self.place.step), walk.drift(self.place.step)
            text = "\n".join(
                f"{name}: {text_of(np.asarray(values[name])) if name in values else ''}  drift {number(drift)}"
                for name, drift in drifts.items()
            )
            rows.append({"label": walk.label, "text": text})
        return rows


def raised(unit: str, rates: int) -> str:
    """Return the unit of a velocity (0), of its integral (-1), or of its rate (1).

    Examples
    --------
    >>> from rbdkit.widgets.integrator_stepper import raised
    >>> raised("rad/s", 1), raised("m/s", -1)
    ('rad/s²', 'm')
    """
    base = unit.removesuffix("/s")
    return {-1: base, 0: unit, 1: f"{base}/s\u00b2"}[rates]


def _across(vector: NDArray, axis: NDArray) -> NDArray:
    """Return a direction orthogonal to a vector, and to an axis where the two are not parallel."""
    for other in (axis, np.eye(3)[int(np.argmin(np.abs(vector)))]):
        across = np.cross(vector, other)
        if (size := float(np.linalg.norm(across))) > 1e-12:
            return across / size
    return np.zeros(3)


@check_arguments(ArgumentError)
def step_integrator(
    model: Model,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    dt: float = 1e-2,
    *,
    formulation: str | Maker = "joint",
    integrator: str | Integrator = "rk4",
    beside: Pair | str | None = None,
    height: int = 420,
) -> IntegratorStepper:
    """Go through the steps of an integrator, forwards and back, and through the stages inside each step.

    Parameters
    ----------
    model : Model
        What moves.
    q0, v0 : array_like (nq,), (nv,), optional
        Initial state; neutral and at rest if not given.
    dt : float, optional
        Of a step, s.
    formulation, integrator : str or object, optional
        As in `simulate`; the integrator must have steps of its own.
    beside : str, Integrator or pair, optional
        Another integrator, or a pair of a formulation and an integrator, that makes the same steps as a ghost.
    height : int, optional
        Of the picture, px.

    Returns
    -------
    IntegratorStepper
        ``forward()``, ``back()``, ``step()``, ``step_back()`` and ``restart()`` do what the buttons do.

    Raises
    ------
    SimulationError, StateError
        If a name is unknown, the pair does not fit, or the state is not one of the model.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> stepper = rbd.step_integrator(rbd.library.pendulum(), [1.0], dt=0.1, beside="explicit_euler")
    >>> stepper.forward()
    >>> stepper.place
    Place(step=0, stage=1)
    >>> stepper.step(3)
    >>> stepper.place
    Place(step=3, stage=0)
    >>> stepper.close()
    """
    q = model.check_q(model.neutral() if q0 is None else q0, "q0").astype(float)
    v = model.check_v(np.zeros(model.nv) if v0 is None else v0, "v0").astype(float)
    if q.ndim > 1 or v.ndim > 1:
        raise StateError(f"step_integrator steps one motion; q0 has shape {q.shape} and v0 {v.shape}")
    pairs: list[Pair] = [(formulation, integrator)]
    if beside is not None:
        if isinstance(beside, tuple) and len(beside) != 2:
            raise SimulationError(
                f"beside = {shown(beside)} is no pair of a formulation and an integrator, ('se3', 'rk4') for instance"
            )
        pairs.append(beside if isinstance(beside, tuple) else (formulation, beside))
    walks: list[Walk] = []  # their labels are the names of layers, so no two are alike
    for form, method in pairs:
        stepper = integrator_of(method)
        if not hasattr(stepper, "stages"):
            raise SimulationError(
                f"integrator {stepper.name!r} chooses its own steps; take one of fixed steps, 'rk4' say"
            )
        system = maker_of(form)(model, None, None)
        require_formulation(form, system)
        walk = Walk(system, stepper, q, v, dt)  # type: ignore[arg-type]
        if any(other.label == walk.label for other in walks):
            walk.label += " (beside)"
        walks.append(walk)
    return IntegratorStepper(walks, height=height)
