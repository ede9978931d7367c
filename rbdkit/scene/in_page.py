"""Simulation of a model with parameter sliders ("knobs") in a web page, as data for its JavaScript."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit import engine
from rbdkit.errors import RbdkitError, SimulationError
from rbdkit.formulations import JointSystem
from rbdkit.laws import pairs_of
from rbdkit.model import Model
from rbdkit.model.implied import stopped, wanting
from rbdkit.model.one_sided import has_stops, without_stops
from rbdkit.model.requirements import besides_tree, require_bilateral
from rbdkit.scene import palette
from rbdkit.scene.curves import by_unit, names_and_units
from rbdkit.scene.pack import pack_scene
from rbdkit.scene.reshaping import Build, reshaped, reshaping
from rbdkit.scene.scene import Scene
from rbdkit.scene.touching import TOUCHING
from rbdkit.simulation import Trajectory
from rbdkit.simulation.choices import integrator_of, law_of
from rbdkit.simulation.closed_loops import stabilised
from rbdkit.simulation.controls import controls_in
from rbdkit.simulation.effort import cut, most_effort
from rbdkit.simulation.ensembles.family import Member
from rbdkit.simulation.knobs import GAIN, KEYS, Experiment, Knob, entry_of
from rbdkit.simulation.traced_forces import Untraceable, guard_of_law
from rbdkit.simulation.within_limits import why_not_stopped
from rbdkit.spatial.read_numbers import floats

STOPS = "joints stop at their limits"
"""Said in a picture whose joints do."""


@dataclass(frozen=True, eq=False)
class InPage:
    """Data with which a page simulates.

    Attributes
    ----------
    data
        Kernels, places of the knobs' numbers, initial state, plots.
    turned : list of int
        Numbers of the knobs that the page can change.
    left_out : dict of str to str
        Knobs that stay as they are, and why.
    shapes : list
        Changes of the scene by knobs, as `reshaping` returns them, with the row of the knob.
    limits : str
        What becomes of joint limits; empty if there are none.
    """

    data: dict[str, Any]
    turned: list[int]
    left_out: dict[str, str]
    shapes: list[dict[str, Any]] = field(default_factory=list)
    limits: str = ""

    def packed(self, scene: Scene) -> dict[str, Any]:
        """Pack a scene that follows the knobs."""
        return reshaped(scene, self.shapes) if self.shapes else pack_scene(scene)


class _CannotTurn(Exception):
    """A knob that a page cannot turn. The message says why."""


def in_page(
    experiment: Experiment,
    values: NDArray,
    parameters: Sequence[str] = (),
    algorithms: Sequence[str] = ("energy", "poses"),
    build: Build | None = None,
) -> InPage | str:
    """Return the data of a page that simulates as an experiment does, or the reason why there are none.

    Parameters
    ----------
    values : of the knobs at the start.
    parameters : names of further parameters that the page sets by itself.
    algorithms : kernels in addition to the simulation.
    build : makes the scene of a model, for knobs that change what it looks like; not called where it is None.
    """
    member = experiment.member(values)
    model, run = member.model, member.options
    if run["formulation"] != "joint":
        return f"formulation {run['formulation']!r} is not compiled for pages"
    if run["f_ext"] is not None:
        return "external forces are not compiled for pages"
    tau = run["tau"]
    if run.get("effort") == "clip" and tau is not None and np.isfinite(most_effort(model)).any():
        if callable(tau):
            return "a law of joint forces is not cut to effort limits in pages"
        tau = cut(model, tau)
    says = "tau = {} must be joint forces (nv,), or a function of (t, q, v)".format
    if tau is not None and not callable(tau) and floats(tau, says, SimulationError).shape != (model.nv,):
        return "joint forces are given step by step"
    places: dict[int, dict[str, Any]] = {}
    left_out: dict[str, str] = {}
    shapes: list[dict[str, Any]] = []
    for k, knob in enumerate(experiment.knobs):
        try:
            place = _place(knob, experiment, model)
            shape = reshaping(experiment, values, k, build) if build and place["kind"] == "parameter" else None
            if isinstance(shape, str):
                raise _CannotTurn(shape)
            if shape is not None:
                shapes.append({"row": len(places), **shape})
            places[k] = place
        except _CannotTurn as why:
            left_out[knob.name] = str(why)
    if left_out and not places:
        return "; ".join(f"{name!r} cannot be turned in a page: {why}" for name, why in left_out.items())
    names = {place["name"] for place in places.values() if place["kind"] == "parameter"} | {*parameters}
    law = tau if callable(tau) else None
    if law is not None:
        try:
            guard_of_law(law)
        except Untraceable as fault:
            return f"tau {fault}; mark it by rbdkit.traced if it depends on (t, q, v) alone"
    moving, limits = _within_limits(experiment, member)
    if limits and run.get("limits") == "stop" and moving is model:
        return limits
    gains = {knob.name.removeprefix(GAIN): float(x) for knob, x in zip(experiment.knobs, values, strict=True)
             if knob.name.removeprefix(GAIN) in experiment.gains and knob.name.startswith(GAIN)}  # fmt: skip
    try:
        contact = law_of(run.get("contact"))
        touching = pairs_of(moving) is not None or has_stops(moving)
        compiled = None if contact is None or not touching else contact.compiled()
        if compiled is None and contact is not None and touching:
            return f"contact law {contact.name!r} is not compiled for pages with these options"
        if compiled is not None and any(knob.name == "integrator" for knob in experiment.knobs):
            return f"contact law {contact.name!r} makes its own steps, in which integrators have no part"  # type: ignore[union-attr]
        if compiled is None:
            require_bilateral(moving, "this page")
        moved = moving if compiled is not None else _without_contacts(moving)
        methods = [compiled] if compiled is not None else _methods(experiment, run["integrator"])
        kernels = [
            engine.packaged(moved, _closing(moved, method), law, algorithms, sorted(names), gains) for method in methods
        ]
    except (engine.NotCovered, RbdkitError) as fault:
        return str(fault)
    start = {
        "q": member.q0.tolist(),
        "v": member.v0.tolist(),
        "z": None if run.get("z0") is None else model.initial_z(run["z0"]).tolist(),
        "tau": None if law is not None or tau is None else np.asarray(tau, dtype=float).tolist(),
        "dt": run["dt"],
        "duration": run["duration"],
    }
    data = {"kernels": kernels, "knobs": list(places.values()), "start": start, "keys": KEYS, "plots": _plots(model)}
    if compiled is not None:
        data["touching"] = TOUCHING
    return InPage(data, list(places), left_out, shapes, limits)


def _within_limits(experiment: Experiment, member: Member) -> tuple[Model, str]:
    """Return the model as a page moves it, and what becomes of its joint limits there; "" if it has none.

    A page cannot begin anew with stops when a motion passes a limit, so joints have them from the beginning.
    """
    model, run = member.model, member.options
    if not wanting(model) or run.get("limits") == "ignore":
        return model, ""
    if run.get("limits") == "watch":
        return model, "joints pass their limits, as asked for"
    law = law_of(run.get("contact"))
    why = why_not_stopped(JointSystem, law, integrator_of(run["integrator"]))
    if not why and any(knob.name == "integrator" for knob in experiment.knobs):
        why = "stops are made by a contact law, in which integrators to choose from have no part"
    if not why and (law is None or law.compiled() is None):
        why = f"contact law {law.name!r} is not compiled for pages" if law is not None else ""
    if why:
        return model, f"joints pass their limits: {why}"
    return stopped(model, member.q0), STOPS


def _without_contacts(model: Model) -> Model:
    """Return the model without contacts, so that bodies pass through each other."""
    if not model.contact_rules:
        return model
    through = copy(model)
    through.contact_rules = ()
    return through


def _methods(experiment: Experiment, now: Any) -> list[Any]:
    knob = next((knob for knob in experiment.knobs if knob.name == "integrator"), None)
    return [integrator_of(name) for name in (knob.choices if knob is not None else (now,))]


def _closing(model: Model, method: Any) -> Any:
    """Return the method that keeps loops closed, if there are any."""
    return stabilised(method, False)[1] if besides_tree(without_stops(model)) else method


def _place(knob: Knob, experiment: Experiment, model: Model) -> dict[str, Any]:
    """Return where a knob's number goes in the page: a parameter, the initial state, or an option of the run."""
    name = knob.name
    if name in experiment.building:
        raise _CannotTurn("a Python function builds the model of it")
    commanded = controls_in(experiment.member(experiment.rest).options["tau"]) is not None
    if name.startswith(GAIN) and name.removeprefix(GAIN) in experiment.gains:
        if commanded:
            raise _CannotTurn("it is a gain of joint forces that a function of controls is part of")
        return {"kind": "gain", "name": name, "entries": [0]}
    if name == "integrator":
        return {"kind": "run", "name": "method", "entries": []}
    if name in ("dt", "duration"):
        return {"kind": "run", "name": name, "entries": []}
    if knob.choices:
        raise _CannotTurn("pages choose among integrators only")
    parameter, entry = entry_of(name, model.parameters)
    if parameter in model.parameters:
        if commanded and any(parameter.startswith(f"{actuator}.") for actuator in model.u_names):
            raise _CannotTurn("the actuator is commanded by a function, which has its numbers in it")
        shape = np.shape(model.parameters[parameter])
        both = {entry, entry[::-1]} if shape == (3, 3) and entry is not None else {entry}  # an inertia stays symmetric
        entries = [0] if entry is None else sorted(int(np.ravel_multi_index(one, shape)) for one in both)  # type: ignore[arg-type]
        return {"kind": "parameter", "name": parameter, "entries": entries}
    if besides_tree(without_stops(model)):
        raise _CannotTurn("Python closes the loops of a state")
    kind, k = _state_entry(model, name)
    return {"kind": kind, "name": name, "entries": [k]}


def _state_entry(model: Model, name: str) -> tuple[str, int]:
    """Return whether a name is that of an initial coordinate 'q' or velocity 'v', and its index."""
    q, v = np.arange(model.nq, dtype=float), model.nq + np.arange(model.nv, dtype=float)
    z = np.full((1, model.nz), -1.0)
    numbered = Trajectory(model, np.zeros(1), q[None], v[None], z=z).columns()
    if name not in numbered or numbered[name][0] < 0:
        raise _CannotTurn("Python alone knows what it means")
    k = int(numbered[name][0])
    if k < model.nq:
        joint = next(joint for joint in model.joints if joint.q_slice.start <= k < joint.q_slice.stop)
        if joint.type.q_units[k - joint.q_slice.start] == "1":
            raise _CannotTurn("a component of a quaternion is not free of the others")
        return "q", k
    return "v", k - model.nq


def _plots(model: Model) -> list[dict[str, Any]]:
    """Return the tabs of the plots beside the picture, with the columns that each of them shows."""
    names = ("kinetic", "potential", "total")
    energy = {
        "of": "energy", "columns": [0, 1, 2], "name": "Energy (J)", "unit": "J", "log": False, "names": list(names),
        "colors": [palette.ENERGY[name] for name in names],
    }  # fmt: skip
    motion = [*_tabs(model, "q", model.nq), *_tabs(model, "v", model.nv)]
    return [{"title": "Energy", "tabs": [energy]}, *([{"title": "Motion", "tabs": motion}] if motion else [])]


def _tabs(model: Model, of: str, count: int) -> Iterator[dict[str, Any]]:
    """Yield a tab for each unit; its columns are found by plotting column numbers."""
    for tab in by_unit(of, np.zeros(1), np.arange(count, dtype=float)[None], *names_and_units(model, of)):
        columns: NDArray = tab.values[:, 0].astype(int)
        yield {
            "of": of, "columns": columns.tolist(), "name": tab.name, "unit": tab.unit, "log": False,
            "names": list(tab.names), "colors": list(tab.colors),
        }  # fmt: skip
