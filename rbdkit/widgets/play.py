"""A model that is simulated in the page while one looks, and can be pulled at with the mouse."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from copy import copy
from dataclasses import asdict, replace
from typing import Any, Literal

import numpy as np
import traitlets
from numpy.typing import ArrayLike, NDArray

from rbdkit.engine import loader
from rbdkit.errors import SimulationError, StateError
from rbdkit.forces import Damper, JointDamper, JointFriction, Maxwell
from rbdkit.forces.pull import MeasuredPull, Pull
from rbdkit.integrators import Integrator
from rbdkit.model import Model
from rbdkit.model.constraint_rows import working
from rbdkit.model.one_sided import without_stops
from rbdkit.model.requirements import besides_tree
from rbdkit.scene import Scene, palette, scene_of, tracks_of
from rbdkit.scene.in_page import STOPS, InPage, in_page
from rbdkit.simulation import SimulationWarning, Trajectory, simulate
from rbdkit.simulation.choices import Contact
from rbdkit.simulation.controls import with_constants
from rbdkit.simulation.knobs import Experiment, Range
from rbdkit.simulation.played import PlayedPulls
from rbdkit.simulation.trajectory import forces_at
from rbdkit.spatial.check_arguments import check_arguments
from rbdkit.spatial.read_numbers import shown
from rbdkit.widgets.bundle import module
from rbdkit.widgets.control_sliders import reach_of_controls
from rbdkit.widgets.stage import DRAWING, MODULES, Stage
from rbdkit.widgets.tweak import slider_of
from rbdkit.widgets.view import framed, moving_root

KERNELS = ("energy", "poses", "kinematics")
ROOM = 3.0
"""Duration of the motion for which the picture has room, s."""
SETTLING = 0.02
"""Time of a free fall, s, whose energy may be lost where bodies settle on each other before a warning."""
HAND = "#d6336c"
"""Color of the line from a body to the hand that pulls at it."""


class Play(Stage):
    """A model that moves in the page; see `play`.

    Attributes
    ----------
    model : Model
        As it was given.
    """

    _module = traitlets.Unicode(
        module("traits", "computed", *DRAWING, "glide", "panel") + loader() + module("play", *MODULES[len(DRAWING) :])
    ).tag(sync=True)
    _live = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        model: Model,
        ranges: Mapping[str, Range] | None,
        q0: ArrayLike | None,
        v0: ArrayLike | None,
        run: Mapping[str, Any],
        **options: Any,
    ) -> None:
        self.model = model
        held, pulled = with_hands(model)
        if ranges is None and model.nu and not callable(run["u"]):
            ranges = {f"{name}.u": reach for name, reach in reach_of_controls(model).items()}
        knobs = {} if ranges is None else ranges
        if not isinstance(knobs, Mapping):
            raise SimulationError(f'ranges = {shown(ranges)} must be a mapping such as {{"link1.mass": (0.1, 2.0)}}')
        own = {**run, "z0": states_with_hands(model, held, run["z0"])}
        self._experiment = Experiment(held, knobs or {"dt": (1e-5, 1.0, run["dt"])}, q0, v0, duration=ROOM, **own)
        self._knobs = self._experiment.knobs if knobs else ()
        hands = [f"{hand_of(body)}.{what}" for body in pulled for what in ("stiffness", "damping", "point", "target")]
        self._first = self._experiment.member(self._experiment.rest)
        live = in_page(self._experiment, self._experiment.rest, hands, KERNELS, self._pictured)
        if not isinstance(live, InPage):
            raise SimulationError(f"model {model.name!r} cannot be played in a page: {live}")
        if live.left_out:
            name, why = next(iter(live.left_out.items()))
            raise SimulationError(f"{name!r} cannot be turned while a model is played: {why}")
        self._law, self._stops = self._first.options["tau"], live.limits == STOPS
        self._pulled = pulled
        self._turned = {knob["name"] for knob in live.data["knobs"] if knob["kind"] == "parameter"}
        self._states: list[NDArray] = []
        self._pulls: list[NDArray] = []
        self._values = self._experiment.rest
        with warnings.catch_warnings():  # only the room that the motion needs is asked for
            warnings.simplefilter("ignore", SimulationWarning)
            soon = simulate(model, self._first.q0, self._first.v0, ROOM, **run, progress=False)
        followable = moving_root(model)
        drawn = self._pictured(self._first.model)
        scene, near, far = framed(drawn, tracks_of(soon), followable)
        options |= {"near": near, "followable": followable, "follow": followable if far else ""}
        super().__init__(scene, None, (), _live=self._data(live, not besides_tree(without_stops(model))), **options)
        if live.shapes:
            self._scene = {**live.packed(drawn), **{name: self._scene[name] for name in ("outline", "grid", "shade")}}
        self.on_msg(self._heard)

    def _pictured(self, held: Model) -> Scene:
        """Return the scene of the model with the parameters of one with hands; the page draws the hands itself."""
        numbers, own = held.parameters, self.model.parameters
        other = {name: numbers[name] for name, value in own.items() if not np.array_equal(numbers[name], value)}
        return scene_of(self.model.with_parameters(other), self._first.q0)

    def _data(self, live: InPage, measured: bool) -> dict[str, Any]:
        plots = live.data["plots"]
        if measured:
            energy = plots[0]["tabs"][0]
            energy["columns"] = [*energy["columns"], "work"]
            energy["names"] = [*energy["names"], "put in by hand"]
            energy["colors"] = [*energy["colors"], HAND]
        rows = [asdict(slider_of(knob)) for knob in self._knobs]
        panel = {
            "title": "Play", "rows": rows, "values": self._experiment.rest.tobytes(), "asked": 0, "answered": 0,
            "fault": "", "slots": [], "slot": "",
        }  # fmt: skip
        own: dict[str, Any] = {"limits": live.limits}
        own |= {"plots": plots, "bodies": list(self._pulled), "hand": list(palette.rgb(HAND)), "measured": measured}
        if self._law is None and _sealed(self.model):
            fall = float(np.linalg.norm(self.model.gravity)) * SETTLING
            own["sealed"] = {"least": 0.5 * self.model.mass * fall * fall}
        if "touching" in live.data:
            heavy = weights(self.model)
            own["weight"] = float(heavy[0]) or self.model.mass or 1.0
            own["weights"] = [float(heavy[self.model.body(name).index]) for name in self._pulled]
        return {**live.data, **own, "knobs": live.data["knobs"] if self._knobs else [], "panel": panel}

    def _heard(self, _: Any, content: dict[str, Any], buffers: list[Any]) -> None:
        if content.get("do") != "played":
            return
        if content["begun"]:
            self._states, self._pulls = [], []
        self._values = np.array(content["values"] or self._experiment.rest, dtype=float)
        states, pulls = (np.frombuffer(bytes(buffer), dtype=float) for buffer in buffers)
        model = self.model
        self._states.append(states.reshape(-1, 1 + model.nq + model.nv + self._first.model.nz))
        self._pulls.append(pulls.reshape(-1, PlayedPulls.NUMBERS))

    def trajectory(self) -> Trajectory:
        """Return what was played since the start, or since a slider moved, with the hands' forces.

        The page sends it twice a second, and at once when it pauses.

        Raises
        ------
        StateError
            If nothing was played yet.
        """
        if not self._states:
            raise StateError(f"model {self.model.name!r} was not played yet; press play in the picture first")
        states = np.concatenate(self._states)
        model = self._model_played()
        t, q, v, z = np.split(states, np.cumsum([1, model.nq, model.nv]), axis=1)
        t = t[:, 0]
        tau = None
        law = self._experiment.member(self._values).options["tau"]
        if law is not None:
            fixed = None if callable(law) else np.asarray(law, dtype=float)
            tau = forces_at(law if fixed is None else (lambda *_: fixed), t, q, v)
        forces = (
            PlayedPulls(model, self._pulled, t, np.concatenate(self._pulls)) if any(map(len, self._pulls)) else None
        )
        return Trajectory(model, t, q, v, tau, forces, z=z[:, : model.nz])

    def replay(self) -> Trajectory:
        """Compute again in Python what was played: the same steps with the hands where they were in each picture.

        A run of `simulate` with the ``f_ext`` of the trajectory differs a little: there a hand moves on at the very end
        of a step, which the last stage of that step already sees.

        Raises
        ------
        StateError
            If nothing was played yet.
        SimulationError
            If joints are prescribed or a law depends on time: pieces of a run begin at time zero.
        """
        told = self.trajectory()
        if told.driven or callable(self._law):
            raise SimulationError(f"model {self.model.name!r} has joints or a law that ask for time: no replay")
        member = self._experiment.member(self._values)
        run = {name: member.options[name] for name in ("tau", "dt", "integrator", "contact")}
        run["limits"] = "stop" if self._stops else "ignore"
        rows = np.concatenate(self._pulls)
        states = np.concatenate(self._states)
        q, v, z = told.q[0], told.v[0], states[0, 1 + self.model.nq + self.model.nv :]
        found = [(q, v)]
        for t, duration in zip(told.t, np.diff(told.t), strict=False):
            pulls = rows[np.abs(rows[:, 0] - t) < 1e-9]
            hands = {hand_of(self._pulled[int(row[1])]): row for row in pulls}
            numbers = {f"{hand_of(body)}.stiffness": 0.0 for body in self._pulled}
            numbers |= {f"{hand_of(body)}.damping": 0.0 for body in self._pulled}
            for hand, row in hands.items():
                numbers |= {f"{hand}.point": row[2:5], f"{hand}.target": row[5:8]}
                numbers |= {f"{hand}.stiffness": row[8], f"{hand}.damping": row[9]}
            piece = simulate(member.model.with_parameters(numbers), q, v, duration, **run, z0=z, progress=False)
            q, v, z = piece.q[-1], piece.v[-1], piece.z[-1]
            found.append((q, v))
        return replace(told, q=np.array([q for q, _ in found]), v=np.array([v for _, v in found]))

    def _model_played(self) -> Model:
        """Return the model with the parameters that its sliders set."""
        if not self._turned:
            return self.model
        numbers = self._experiment.member(self._values).model.parameters
        return self.model.with_parameters({name: numbers[name] for name in self._turned})


def _sealed(model: Model) -> bool:
    """Return whether no part of a model can add energy, so that any gain is an error of the steps."""
    joints = [*model.joints, *(loop.joint for loop in model.loops)]
    kinds = (Damper, JointDamper, JointFriction, Maxwell)
    return (
        not any(joint.type.is_driven for joint in joints)
        and not working(model)
        and all(force.element.conservative or type(force.element) in kinds for force in model.acting)
    )


def hand_of(body: str) -> str:
    """Return the name of the force element by which a body is pulled."""
    return f"hand on {body}"


def with_hands(model: Model) -> tuple[Model, tuple[str, ...]]:
    """Return a model with an idle hand on every body that can move, and the names of these bodies."""
    held = copy(model)
    moved = [False]  # for each body: whether a joint on the path from the world lets it move
    for body in model.bodies[1:]:
        moved.append(moved[body.parent] or model.joint(body.joint.name).nv > 0)
    pulled = tuple(body.name for body in model.bodies[1:] if moved[body.index])
    # states of elements and loops do not go together
    hand = Pull if besides_tree(without_stops(model)) else MeasuredPull
    for name in pulled:
        held.add_force(hand_of(name), hand(name))
    return held, pulled


def states_with_hands(model: Model, held: Model, z0: Any) -> NDArray | None:
    """Return the states of force elements of a model with hands, with a user's values for the others; None for none."""
    if z0 is None:
        return None
    states = held.initial_z()
    states[[held.z_names.index(name) for name in model.z_names]] = model.initial_z(z0)
    return states


def weights(model: Model) -> NDArray:
    """Return for each body the weight, N, of all bodies connected with it other than by the world.

    The entry of the world is the weight of all bodies.
    """
    root, mass = np.arange(len(model.bodies)), np.zeros(len(model.bodies))
    for body in model.bodies[1:]:
        root[body.index] = root[body.parent] if body.parent else body.index
        own = 0.0 if body.inertia is None else body.inertia.mass
        mass[[0, root[body.index]]] += own
    return mass[root] * float(np.linalg.norm(model.gravity))


@check_arguments(SimulationError)
def play(
    model: Model,
    ranges: Mapping[str, Range] | None = None,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    *,
    tau: Any = None,
    dt: float = 1e-3,
    integrator: str | Integrator = "rk4",
    z0: Any = None,
    contact: Contact = None,
    limits: Literal["stop", "watch", "ignore"] | None = None,
    height: int = 440,
    u: Any = None,
) -> Play:
    """Let a model move while you look, and pull at it with the mouse.

    The page simulates by itself, in real time or slower, by the same compiled code as `simulate`; Python is not asked.
    A body that is dragged hangs on a spring from the mouse, one that is clicked with Shift is pinned where it is. Where
    bodies touch, the spring is strong enough to lift what hangs together with the body. The
    bar says how strong the hand pulls and what work all hands have done, the plots show the last ten seconds.

    Parameters
    ----------
    model : Model
        What moves; trees, loops, force elements with and without states.
    ranges : mapping of str to tuple, optional
        Sliders for parameters, gains, 'dt', initial coordinates and a choice of 'integrator', as of `tweak`. One that
        moves begins the motion that `Play.trajectory` gives anew. If not given, those of the actuators' controls.
    q0, v0 : array_like (nq,), (nv,), optional
        Initial state, as in `simulate`.
    tau : array_like (nv,) or callable, optional
        Joint forces; a function of (t, q, v) must be one that can be traced (see `traced`).
    dt : float, optional
        Step, s.
    integrator : str or Integrator, optional
        One of fixed steps.
    z0 : optional
        Initial states of force elements, as in `simulate`.
    contact : str or Law or bool, optional
        What happens where bodies touch, as in `simulate`: a law that is compiled, or 'none'.
    limits : {'stop', 'watch', 'ignore'}, optional
        Whether joints stop at their limits, as in `simulate`; by default where the contact law and the integrator allow
        it. They do from the beginning, as a page cannot go back to where a limit was passed. The picture says it.
    height : int, optional
        Of the picture, px.
    u : array_like (nu,), mapping or callable, optional
        Controls of actuators, as in `simulate`: constants, at which sliders begin, or a function of (t, q, v).

    Returns
    -------
    Play
        ``trajectory()`` gives what was played, with the forces of the hands as its ``f_ext``.

    Raises
    ------
    SimulationError
        If the model, its joint forces or the integrator are not compiled for pages, or a range is none of these.
    ModelError, StateError
        As of `simulate`.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> toy = rbd.play(rbd.library.double_pendulum(), {"gravity.z": (-20.0, 0.0)}, [1.0, 0.5])
    >>> toy.model.name
    'double pendulum'
    >>> toy.close()
    """
    run = {"tau": tau, "dt": dt, "integrator": integrator, "z0": z0, "contact": contact, "limits": limits}
    model, run["u"] = with_constants(model, u)
    return Play(model, ranges, q0, v0, run, height=height)
